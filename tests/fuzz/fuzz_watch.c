// SPDX-License-Identifier: GPL-2.0-only
/*
 * A guest that forges its memory: words of a sound image are replaced, and everything that the
 * host reads out of it is read. It costs a bounded time and never more than that. The input also
 * stands for what QEMU and the kernel say about where the memory lies.
 */
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "base/json.h"
#include "base/util.h"
#include "watch/dump_text.h"
#include "watch/moment.h"
#include "watch/monitor.h"
#include "watch/vcpu.h"
#include "watch_maps_image.h"
#include "watch/prog_lines.h"
#include "watch_progs_image.h"
#include "watch_queues_image.h"
#include "watch_vcpu_image.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define WORD 12 /* a place and a value */
#define MAX_WORDS 64UL

/* Places are dense around what is used: the kernel, CPU areas, queues, tasks, maps, programs. */
static uint64_t place_of(uint32_t number, uint64_t load)
{
	static const uint64_t bases[] = { 0, IMAGE_CPU_AREAS, IMAGE_HEAP, MI_IDR };
	uint64_t inside = (number >> 2) & 0x1fffc;

	return number & 3 ? bases[number & 3] + inside : load + inside;
}

/* Half of the values are pointers into the image: others seldom lead anywhere. */
static uint64_t value_of(uint32_t place, uint64_t raw)
{
	return place >> 31 ? QI_VIRTUAL(raw % IMAGE_BYTES) : raw;
}

static void forge(struct image *m, const uint8_t *data, size_t size)
{
	for (size_t i = 0; i + WORD <= size && i < MAX_WORDS * WORD; i += WORD) {
		uint32_t place;
		uint64_t value;

		memcpy(&place, data + i, sizeof(place));
		memcpy(&value, data + i + sizeof(place), sizeof(value));
		image_put(m, place_of(place, m->load), value_of(place, value), sizeof(value));
	}
}

/* The text is made of the JSON, as the failure text is. */
static void tell(struct str *json)
{
	_cleanup_(arena_finish) struct arena arena = {};
	_str_ struct str text = {};
	const struct json_node *dump = json_tree_read(&arena, json->s, json->len);

	if (!dump)
		abort();
	for (size_t i = 0; i < ARRAY_SIZE(dump_sections); i++)
		dump_sections[i].add(dump, &dump_brief, &text);
}

static void read_moment(struct space *space, const struct guest_sample *sample)
{
	struct queues queues = {};
	struct maps maps = {};
	struct programs programs = {};
	struct moment moment = { .trigger = "x",
				 .sample = sample,
				 .queues = &queues,
				 .maps = &maps,
				 .programs = &programs };
	_str_ struct str text = {};
	struct json j;

	if (queues_read(&queues, space, IMAGE_CPUS, moment_clock(sample)) == 0 &&
	    maps_read(&maps, space, IMAGE_CPUS) == 0 &&
	    programs_read(&programs, space, IMAGE_CPUS) == 0) {
		str_add(&text, "{\"snapshots\":[");
		json_init(&j, &text, false);
		moment_to_json(&moment, &j);
		str_add(&text, "]}");
		tell(&text);
	}
	queues_finish(&queues);
	maps_finish(&maps);
	programs_finish(&programs);
}

/* From each function of the image, with a stack among what may be forged. */
static void read_stacks(struct space *space)
{
	for (uint64_t code = 0x110; code < 0x800; code += 0x100) {
		struct vcpu v = { .registers = { [REG_RIP] = CODE(code),
						 [REG_RSP] = STACK_AT(0),
						 [REG_RBP] = STACK_AT(0x40) } };

		vcpu_unwind(&v, space);
	}
}

static void read_programs(struct space *space)
{
	_prog_lines_ struct prog_lines progs = {};

	if (prog_lines_of_schedulers(&progs, space) < 0)
		return;
	for (size_t i = 0; i < progs.functions.count; i++)
		(void)prog_lines_at(&progs, &progs.functions.items[i],
				    progs.functions.items[i].end - 1);
	(void)prog_lines_find(&progs, PI_CODE(PI_PICK));
}

static void read_all(struct image *m)
{
	struct cpu_sample cpus[IMAGE_CPUS];
	struct guest_sample sample = { .cpus = cpus, .cpu_count = IMAGE_CPUS };
	struct monitor_summary summary;
	struct monitor_verdict verdict;
	_str_ struct str text = {};
	struct series series = { .cpu_count = IMAGE_CPUS };
	struct space space;

	if (space_open(&space, &m->memory, &m->layout) < 0)
		return;
	for (int i = 0; i < 3; i++) {
		sample_take(&sample, &space);
		series_add(&series, &sample);
	}
	monitor_summarize(&series, &summary);
	monitor_judge(&series, &(struct ktstr_assert){ .max_imbalance_ratio = 1 }, &verdict);
	monitor_add_block(&series, &summary, &verdict, &text);
	series_finish(&series);
	read_moment(&space, &sample);
	read_stacks(&space);
	read_programs(&space);
}

static void read_layout(const uint8_t *data, size_t size)
{
	const uint64_t hosts[VM_MAX_NODES] = { 1 << 20, 1 << 30 };
	_str_ struct str text = {};
	struct vm_memory memory = {};
	struct vcpus vcpus = {};
	struct series series;

	str_addn(&text, (const char *)data, size);
	(void)vm_memory_parse(&memory, str_get(&text), hosts);
	(void)vcpus_parse(&vcpus, str_get(&text));
	vcpus_finish(&vcpus);
	(void)vm_memory_mapped_at(str_get(&text), "ram", 7);
	if (series_decode(&series, (const char *)data, size) == 0)
		series_finish(&series);
	err_clear();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static struct image image;

	if (!image.data && image_open(&image) < 0)
		abort();
	read_layout(data, size);
	/* What the last one wrote is within these places. */
	image_fill(&image, IMAGE_TEXT - IMAGE_MAP, 0);
	queues_image_fill(&image);
	maps_image_fill(&image);
	vcpu_image_fill(&image);
	progs_image_fill(&image);
	forge(&image, data, size);
	read_all(&image);
	return 0;
}
