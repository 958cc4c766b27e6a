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
#include "watch/parts.h"
#include "watch_arm64_image.h"
#include "watch_chase_image.h"
#include "watch_maps_image.h"
#include "watch_progs_image.h"
#include "watch_queues_image.h"
#include "watch_vcpu_image.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define WORD 12 /* a place and a value */
#define MAX_WORDS 64UL

/* Places are dense around what is used: the kernel, CPU areas, queues, tasks, maps, programs, an arena. */
static uint64_t place_of(uint32_t number, uint64_t load)
{
	static const uint64_t bases[] = { 0, IMAGE_CPU_AREAS, IMAGE_HEAP, MI_IDR };
	uint64_t inside = (number >> 2) & 0x1fffc;

	if (number >> 30 == 1)
		return CI_AT + (inside >> 1);
	return number & 3 ? bases[number & 3] + inside : load + inside;
}

/* Half of the values are pointers into the image or its arena: others seldom lead anywhere. */
static uint64_t value_of(uint32_t place, uint64_t raw)
{
	if (place >> 29 & 1)
		return CI_POINTER(raw % (CI_PAGES * 4096ULL));
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

/* What the host knows of the kernel and of a scheduler whose fields are all pointers to each other. */
static const struct chase_types *known_types(void)
{
	static char node[] = "node", number[] = "number", task[] = "task_struct";
	static struct cast rows[] = { { CAST_STRUCT, node, 0, node, CAST_ANY },
				      { CAST_STRUCT, node, 16, task, CAST_KERNEL },
				      { CAST_VARIABLE, number, 0, node, CAST_ARENA } };
	static struct btf_maker kernel_maker, own_maker;
	static struct btf kernel, own;
	static struct casts casts = { .items = { rows, ARRAY_SIZE(rows), 0 },
				      .types = { &own, 1, 0 } };
	static const struct chase_types types = { &kernel, &casts };

	if (kernel.types)
		return &types;
	ci_make_types(&own_maker);
	if (btf_open(&own, own_maker.blob, bm_end(&own_maker)) < 0 ||
	    btf_open(&kernel, kernel_maker.blob, ci_make_kernel_types(&kernel_maker)) < 0)
		abort();
	return &types;
}

static void read_moment(struct space *space, struct guest_sample *sample)
{
	_cleanup_(moment_parts_finish) struct moment_parts parts = {};
	struct moment moment = { .trigger = "x", .types = known_types() };
	_str_ struct str text = {};

	if (moment_read(&moment, &parts, sample, space, true) == 0 &&
	    moment_add_to_file(&moment, &text) == 0)
		tell(&text);
	err_clear();
}

/* From each function of the image, with a stack among what may be forged. */
static void read_stacks(struct space *space)
{
	for (uint64_t code = 0x110; code < 0x800; code += 0x100) {
		struct vcpu v = { .registers = { [VCPU_RIP] = CODE(code),
						 [VCPU_RSP] = STACK_AT(0),
						 [VCPU_RBP] = STACK_AT(0x40) } };
		struct vcpu arm = {
			.is_arm64 = true,
			.registers = { [VCPU_PC] = CODE(code), [VCPU_X29] = STACK_AT(code & 0x1f8) }
		};

		vcpu_unwind(&v, space);
		vcpu_unwind(&arm, space);
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
}

/* As `ktstr top` does, and the monitor between its samples. */
static void look_twice(struct image *m, struct space *space)
{
	_cleanup_(program_follow_finish) struct program_follow calls = {};
	struct notice notice = { .cpu_count = IMAGE_CPUS,
				 .memory = m->memory,
				 .has_layout = true,
				 .layout = m->layout };
	_cleanup_(top_close) struct top top;
	_str_ struct str text = {};

	if (top_open(&top, &notice) < 0)
		abort();
	for (uint64_t i = 1; i < 3; i++) {
		(void)program_follow_read(&calls, space, IMAGE_CPUS);
		if (top_read(&top, i << 31) == 0)
			(void)top_add_text(&top, TOP_SECTIONS, 20 * i, &text);
	}
	err_clear();
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
	look_twice(m, &space);
}

static void read_notice(const uint8_t *data, size_t size)
{
	struct notice notice;

	memset(&notice, 0, sizeof(notice));
	memcpy(&notice, data, MIN(size, sizeof(notice)));
	(void)notice_is_valid(&notice, sizeof(notice));
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
	static struct btf_maker types;

	if (!image.data && image_open(&image) < 0)
		abort();
	read_layout(data, size);
	read_notice(data, size);
	/* What the last one wrote is within these places. */
	image_fill(&image, IMAGE_TEXT - IMAGE_MAP, 0);
	queues_image_fill(&image);
	maps_image_fill(&image);
	vcpu_image_fill(&image);
	progs_image_fill(&image);
	/* Domains lie where queues do: their pointers lead to each other. */
	image.layout.members[M_RQ_SD] = 0x100 + QI_DSQ_LIST;
	image.layout.members[M_SD_PARENT] = 0;
	image.layout.members[M_SD_NAME] = 8;
	if (size % 2) {
		struct arm64_image arm = { .page_bits = 12, .address_bits = 48, .built_bits = 48 };

		arm64_image_fill(&image, &arm);
		image.layout.members[M_REGS_FRAME] = 0x40;
		image.layout.members[M_REGS_X0] = image.layout.members[M_REGS_PSTATE] = 0;
		image.layout.members[M_REGS_PC] = 8;
	}
	image.layout.members[M_ARENA_USER] = MI_ARRAY_VALUE;
	image.layout.members[M_ARENA_AREA] = MI_ARRAY_VALUE + 8;
	image.layout.members[M_AREA_ADDRESS] = 0;
	if (size % 3 == 0)
		image_put(&image, mi_map(MI_RING) + MI_TYPE, 33, 4); /* an arena */
	if (size % 5 < 2) {
		chase_image_fill(&image, &types);
		ci_put_slot(&image, 5, 1234);
		ci_put_variable(&image, CI_V_SLOT, CI_POINTER(CI_SLOTS + 5 * CI_SLOT));
		ci_put_variable(&image, CI_V_NODE, CI_POINTER(0x10));
		ci_put_variable(&image, CI_V_NUMBER, CI_POINTER(0x28));
		ci_put_variable(&image, CI_V_TASK, MI_VIRTUAL(CI_TASK));
		ci_put_node(&image, 0x10, CI_POINTER(0x28), CI_POINTER(0x40), MI_VIRTUAL(CI_TASK));
		ci_put_node(&image, 0x28, CI_POINTER(0x40), CI_POINTER(0x10), MI_VIRTUAL(CI_TASK));
	}
	forge(&image, data, size);
	read_all(&image);
	return 0;
}
