// SPDX-License-Identifier: GPL-2.0-only
/*
 * What probes leave, and stacks: a guest wrote them. The report ends with the first NUL byte, the
 * records follow.
 */
#include <stdint.h>
#include <string.h>

#include "base/btf.h"
#include "repro/parts.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Task tables are as long as the largest pid; a real guest's are small. */
static bool has_large_pids(const struct str *records)
{
	for (size_t at = sizeof(struct trace_header);
	     at + sizeof(struct trace_record) <= records->len; at += sizeof(struct trace_record))
		if (records->s[at + 14] || records->s[at + 15])
			return true;
	return false;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const struct trace_header header = { TRACE_MAGIC, TRACE_VERSION,
						    sizeof(struct trace_record), 0 };
	size_t len = strnlen((const char *)data, size);
	_str_ struct str report = {}, records = {};
	struct repro_report out = {};
	struct repro_chain chain = {};
	struct btf types = {};
	struct repro_probed q = {
		.types = &types, .cpu_count = 2, .report = &report, .records = &records
	};

	str_addn(&report, data, len);
	str_addn(&records, &header, sizeof(header));
	str_addn(&records, data + len, size - len);
	repro_chain_add_stack(&chain, str_get(&report));
	repro_chain_finish(&chain);
	q.cause.exit_kind = repro_probed_exit(&report);
	if (!has_large_pids(&records) && repro_probed_tell(&q, &out) < 0)
		err_clear();
	str_finish(&out.pipeline);
	str_finish(&out.text);
	str_finish(&out.json);
	return 0;
}
