/* SPDX-License-Identifier: GPL-2.0-only */
/* A story, and the records that it is read from: made by hand, one after the other. */
#ifndef KTSTR_STORY_FIXTURE_H
#define KTSTR_STORY_FIXTURE_H

#include "unit.h"

#include "repro_plan.h"

static struct story story;
static struct str records;
static uint64_t now_ns;

static inline void add(uint16_t type, uint16_t cpu, uint32_t pid, uint32_t arg, uint32_t value,
		       uint64_t number)
{
	struct trace_record r = { .time_ns = now_ns += 100,
				  .type = type,
				  .cpu = cpu,
				  .pid = pid,
				  .arg = arg,
				  .value = value,
				  .number = number };

	str_addn(&records, &r, sizeof(r));
}

static inline void add_name(uint32_t pid, const char *name)
{
	struct trace_record r = { .time_ns = now_ns, .type = TRACE_NAME, .pid = pid };

	memcpy(r.text, name, strlen(name));
	str_addn(&records, &r, sizeof(r));
}

static inline void begin(const struct task_view *victim)
{
	const struct trace_header h = { TRACE_MAGIC, TRACE_VERSION, sizeof(struct trace_record),
					0 };

	str_reset(&records);
	now_ns = 1000;
	rp_plan.victim = victim;
	rp_plan.pid = victim ? victim->pid : 0;
	rp_scene.time_ns = 9000;
	rp_plan.fields[0] = 1; /* dsq_id */
	str_addn(&records, &h, sizeof(h));
	add_name(RP_VICTIM, "victim");
	add_name(7, "other");
}

/* A call of a program on a CPU through the two lines behind its place. */
static inline void add_program(uint16_t cpu, uint32_t pid, uint32_t place, uint64_t argument,
			       uint64_t before, uint64_t after)
{
	add(TRACE_ENTER, cpu, pid, 0, place, 0);
	add(TRACE_ARGUMENT, cpu, pid, 0, 1, argument);
	add(TRACE_FIELD, cpu, pid, 0, 0, before);
	add(TRACE_LINE, cpu, pid, 0, place + 1, 0);
	add(TRACE_LINE, cpu, pid, 0, place + 2, 0);
	add(TRACE_LINE, cpu, pid, 0, place + 1, 0);
	add(TRACE_LEAVE, cpu, pid, 0, place, UINT32_MAX - 1);
	if (before != after)
		add(TRACE_FIELD, cpu, pid, 0, 0, after);
}

static inline void add_call(uint16_t cpu, uint32_t pid, const char *name, uint64_t number)
{
	add(TRACE_CALL, cpu, pid, 0, rp_call(name), number);
}

static inline void read_it(void)
{
	story_finish(&story);
	assert_int_equal(story_read(&story, &rp_plan, RP_CPUS, records.s, records.len), 0);
}

static inline void expect_text(const char *const *parts, size_t count)
{
	_str_ struct str text = {};

	story_add_text(&story, &text);
	for (size_t i = 0; i < count; i++)
		if (!strstr(str_get(&text), parts[i]))
			fail_msg("'%s' is not in:\n%s", parts[i], str_get(&text));
}

static inline int tear_down(void **state)
{
	(void)state;
	story_finish(&story);
	str_finish(&records);
	return 0;
}

#define TEST(name) cmocka_unit_test_teardown(name, tear_down)

#endif
