// SPDX-License-Identifier: GPL-2.0-only
/* A trace as a QEMU that went wrong may leave it; what comes out is a sound trace file. */
#include <stdlib.h>

#include "perfetto_check.h"
#include "trace/format.h"
#include "trace/parts.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	_str_ struct str perfetto = {}, text = {}, symbols = {}, svg = {}, page = {};
	struct perfetto_facts facts;

	perfetto_check(data, size, &facts);
	symbols_filter((const char *)data, size, &symbols);
	/* Task tables are as long as the largest pid; a real guest's are small. */
	for (size_t at = sizeof(struct trace_header); at + sizeof(struct trace_record) <= size;
	     at += sizeof(struct trace_record))
		if (data[at + 14] || data[at + 15])
			return 0;
	timeline_write(data, size, &text);
	picture_write_svg(data, size, NULL, &svg);
	picture_write_html(data, size, NULL, &page);
	if (perfetto_write(data, size, &perfetto) == 0 && perfetto.len &&
	    perfetto_check(perfetto.s, perfetto.len, &facts) < 0)
		abort();
	return 0;
}
