// SPDX-License-Identifier: GPL-2.0-only
/*
 * Records of a run as a QEMU that went wrong may leave them: what is told of them costs a bounded
 * time. The first byte says whose story it is.
 */
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "base/json.h"
#include "repro_plan.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void tell(const uint8_t *data, size_t size, const struct task_view *victim)
{
	const struct trace_header h = { TRACE_MAGIC, TRACE_VERSION, sizeof(struct trace_record),
					0 };
	_str_ struct str records = {}, text = {};
	struct story story;
	struct json j;

	str_addn(&records, &h, sizeof(h));
	str_addn(&records, data, size);
	/* Task tables are as long as the largest pid; a real guest's are small. */
	for (size_t at = sizeof(h); at + sizeof(struct trace_record) <= records.len;
	     at += sizeof(struct trace_record))
		if (records.s[at + 14] || records.s[at + 15])
			return;
	rp_plan.victim = victim;
	rp_plan.pid = victim || size % 2 ? RP_VICTIM : 0;
	rp_scene.time_ns = size % 4 < 2;
	if (story_read(&story, &rp_plan, RP_CPUS, str_get(&records), records.len) < 0) {
		err_clear();
		return;
	}
	story_add_text(&story, &text);
	json_init(&j, &text, false);
	story_to_json(&story, &j);
	story_finish(&story);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	if (size)
		tell(data + 1, size - 1, data[0] & 1 ? &rp_victim : NULL);
	return 0;
}
