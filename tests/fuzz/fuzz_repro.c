// SPDX-License-Identifier: GPL-2.0-only
/*
 * A guest that forges its BPF programs, and records of a run as a QEMU that went wrong may leave
 * them: what is read and told of them costs a bounded time. The first byte says which.
 */
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "base/json.h"
#include "repro/programs.h"
#include "repro_image.h"
#include "repro_plan.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define WORD 12 /* a place and a value */
#define PLACES 0x14000

/* Half of the values are pointers into the image: others seldom lead anywhere. */
static void read_programs(const uint8_t *data, size_t size)
{
	static struct image image;
	struct programs programs;
	struct space space;

	if (!image.data && image_open(&image) < 0)
		abort();
	image_fill(&image, IMAGE_TEXT - IMAGE_MAP, 0);
	repro_image_fill(&image);
	for (size_t i = 0; i + WORD <= size && i < 64UL * WORD; i += WORD) {
		uint32_t place;
		uint64_t value;

		memcpy(&place, data + i, sizeof(place));
		memcpy(&value, data + i + sizeof(place), sizeof(value));
		image_put(&image, RI_IDR + place % PLACES,
			  place >> 31 ? RI_VIRTUAL(value % IMAGE_BYTES) : value, sizeof(value));
	}
	if (space_open(&space, &image.memory, &image.layout) == 0 &&
	    programs_read(&programs, &space) == 0)
		programs_finish(&programs);
}

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
	if (!size)
		return 0;
	if (data[0] & 2)
		read_programs(data + 1, size - 1);
	else
		tell(data + 1, size - 1, data[0] & 1 ? &rp_victim : NULL);
	return 0;
}
