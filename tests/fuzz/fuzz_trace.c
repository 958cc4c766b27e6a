// SPDX-License-Identifier: GPL-2.0-only
/* A trace as a QEMU that went wrong may leave it; what comes out is a sound trace file. */
#include <stdlib.h>

#include "perfetto_check.h"
#include "trace/format.h"
#include "trace/parts.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Task tables are as long as the largest pid; a real guest's are small. */
static bool has_large_pid(const uint8_t *data, size_t size)
{
	struct trace_record r;

	for (size_t at = sizeof(struct trace_header); at + sizeof(r) <= size; at += sizeof(r)) {
		memcpy(&r, data + at, sizeof(r));
		if (r.pid > UINT16_MAX || (r.type == TRACE_SWITCH && r.arg > UINT16_MAX))
			return true;
	}
	return false;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	_str_ struct str perfetto = {}, text = {}, symbols = {}, svg = {}, page = {};
	struct perfetto_facts facts;

	perfetto_check(data, size, &facts);
	symbols_filter((const char *)data, size, &symbols);
	if (has_large_pid(data, size))
		return 0;
	timeline_write(data, size, &text);
	picture_write_svg(data, size, NULL, &svg);
	picture_write_html(data, size, NULL, &page);
	if (perfetto_write(data, size, &perfetto) == 0 && perfetto.len &&
	    perfetto_check(perfetto.s, perfetto.len, &facts) < 0)
		abort();
	return 0;
}
