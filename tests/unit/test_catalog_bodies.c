// SPDX-License-Identifier: GPL-2.0-only
/*
 * What every row of the catalog does on three machines, to the last number: nothing is run, but
 * all that a body asks for is written down and compared with tests/data/scenario/catalog.txt.
 * After a change that is meant: build/tests/unit/test_catalog_bodies --print > that file.
 */
#include "unit.h"

#include <errno.h>
#include <stdio.h>

#include "base/cleanup.h"
#include "base/err.h"
#include "base/file.h"
#include "scenario/catalog.h"
#include "scenario_fixture.h"

static const char *const machines[] = { "1n1l2c1t", "1n2l4c1t", "2n4l3c2t" };

static struct str told;

/* ---- in words ---- */

static void tell_type(const struct ktstr_work_type *t)
{
	size_t args = ARRAY_SIZE(t->args);

	if (!t->kind)
		return;
	while (args && !t->args[args - 1])
		args--;
	str_addf(&told, " type=%d", t->kind);
	for (size_t i = 0; i < args; i++)
		str_addf(&told, "%c%llu", i ? ',' : ':', (unsigned long long)t->args[i]);
	for (size_t i = 0; i < ARRAY_SIZE(t->phases) && t->phases[i].us; i++)
		str_addf(&told, "/%d:%llu", t->phases[i].kind, (unsigned long long)t->phases[i].us);
}

static void tell_text(const char *key, const char *value)
{
	if (value)
		str_addf(&told, " %s=%s", key, value);
}

static void tell_number(const char *key, long long value)
{
	if (value)
		str_addf(&told, " %s=%lld", key, value);
}

static void tell_affinity(const struct ktstr_affinity *a)
{
	tell_number("affinity", a->kind);
	tell_text("affine", a->cpus);
	tell_number("affine_count", a->count);
}

static void tell_policy(const struct ktstr_policy *p)
{
	tell_number("policy", p->kind);
	tell_number("priority", p->priority);
}

static void tell_cpuset(const struct ktstr_cpuset *c)
{
	if (!c->kind)
		return;
	str_addf(&told, " cpuset=%d:%d/%d:%.3f-%.3f", c->kind, c->index, c->of, c->from, c->to);
	tell_text("cpus", c->cpus);
}

static void tell_work(const struct ktstr_work *w)
{
	str_addf(&told, " workers=%u", w->workers);
	tell_type(&w->work_type);
	tell_policy(&w->sched_policy);
	tell_affinity(&w->affinity);
	tell_number("nice", w->nice);
	tell_text("comm", w->comm);
}

static void tell_defs(const struct ktstr_cgroup *d)
{
	for (; d && d->name; d++) {
		str_addf(&told, "    def %s workers=%u", d->name, d->workers);
		if (d->workers_pct > 0)
			str_addf(&told, " pct=%.3f", d->workers_pct);
		tell_type(&d->work_type);
		tell_policy(&d->sched_policy);
		tell_affinity(&d->affinity);
		tell_cpuset(&d->cpuset);
		tell_number("nice", d->nice);
		tell_number("swappable", d->swappable);
		tell_text("cpu_max", d->cpu_max);
		tell_number("cpu_weight", d->cpu_weight);
		tell_text("memory_max", d->memory_max);
		for (const struct ktstr_work *w = d->works; w && w->workers != UINT32_MAX; w++) {
			str_add(&told, "\n      work");
			tell_work(w);
		}
		str_addc(&told, '\n');
	}
}

static void tell_ops(const struct ktstr_op *op)
{
	for (; op && op->kind != KTSTR_OP_END; op++) {
		str_addf(&told, "    %s", op_info(op->kind)->name);
		tell_text("cgroup", op->cgroup);
		tell_text("other", op->other);
		tell_cpuset(&op->cpuset);
		tell_affinity(&op->affinity);
		if (op->kind == KTSTR_OP_SPAWN || op->kind == KTSTR_OP_SPAWN_HOST)
			tell_work(&op->work);
		tell_text("text", op->text);
		tell_number("value", op->value[0]);
		tell_number("value2", op->value[1]);
		str_addc(&told, '\n');
		tell_defs(op->def);
	}
}

static void tell_steps(const struct ktstr_step *s)
{
	for (; s && !s->is_end_; s++) {
		str_addf(&told, "  step %s hold=%d:%.3f:%llu%s\n", s->name ? s->name : "-",
			 s->hold.kind, s->hold.frac, (unsigned long long)s->hold.ms,
			 s->allow_backdrop ? " allow_backdrop" : "");
		tell_ops(s->ops);
		tell_defs(s->defs);
	}
}

/* ---- what bodies call ---- */

#define WORKERS ((struct ktstr_workers *)&told)

int __wrap_ktstr_run_scenario(struct ktstr_ctx *c, struct ktstr_result *r,
			      const struct ktstr_scenario_run *run);
int __wrap_ktstr_run_steps(struct ktstr_ctx *c, struct ktstr_result *r,
			   const struct ktstr_step *steps);
int __wrap_ktstr_run_defs(struct ktstr_ctx *c, struct ktstr_result *r,
			  const struct ktstr_cgroup *defs);
int __wrap_ktstr_cgroup_create(struct ktstr_ctx *c, const char *name);
int __wrap_ktstr_cgroup_remove(struct ktstr_ctx *c, const char *name);
int __wrap_ktstr_cgroup_set_cpuset(struct ktstr_ctx *c, const char *name, const char *cpus);
int __wrap_ktstr_workers_spawn(struct ktstr_ctx *c, const struct ktstr_work *work,
			       const char *cgroup, struct ktstr_workers **out);
int __wrap_ktstr_workers_start(struct ktstr_workers *w);
int __wrap_ktstr_workers_stop_collect(struct ktstr_workers *w, struct ktstr_result *r);
void __wrap_ktstr_workers_free(struct ktstr_workers *w);
int __wrap_ctx_hold(struct ktstr_ctx *c, uint64_t ms, struct ktstr_result *r);
int __wrap_ctx_sleep_ms(uint64_t ms);
uint64_t __wrap_clock_mono_ns(void);

/* The clock of the bodies. A hold takes 20 times as long, so that bodies have few rounds. */
static uint64_t now_ns;
#define HOLD_FACTOR 20

int __wrap_ktstr_run_scenario(struct ktstr_ctx *c, struct ktstr_result *r,
			      const struct ktstr_scenario_run *run)
{
	(void)r;
	if (run->backdrop.defs || run->backdrop.ops)
		str_add(&told, "  backdrop\n");
	tell_defs(run->backdrop.defs);
	tell_ops(run->backdrop.ops);
	tell_steps(run->steps);
	tell_number("  gap_ms", c->checks.max_gap_ms);
	return 0;
}

int __wrap_ktstr_run_steps(struct ktstr_ctx *c, struct ktstr_result *r,
			   const struct ktstr_step *steps)
{
	return __wrap_ktstr_run_scenario(c, r, &(struct ktstr_scenario_run){ .steps = steps });
}

int __wrap_ktstr_run_defs(struct ktstr_ctx *c, struct ktstr_result *r,
			  const struct ktstr_cgroup *defs)
{
	return __wrap_ktstr_run_steps(c, r, KTSTR_STEPS({ .defs = defs, .hold = KTSTR_HOLD_FULL }));
}

int __wrap_ktstr_cgroup_create(struct ktstr_ctx *c, const char *name)
{
	(void)c;
	str_addf(&told, "  create %s\n", name);
	return 0;
}

int __wrap_ktstr_cgroup_remove(struct ktstr_ctx *c, const char *name)
{
	(void)c;
	str_addf(&told, "  remove %s\n", name);
	return 0;
}

int __wrap_ktstr_cgroup_set_cpuset(struct ktstr_ctx *c, const char *name, const char *cpus)
{
	(void)c;
	str_addf(&told, "  cpuset %s %s\n", name, cpus);
	return 0;
}

int __wrap_ktstr_workers_spawn(struct ktstr_ctx *c, const struct ktstr_work *work,
			       const char *cgroup, struct ktstr_workers **out)
{
	(void)c;
	str_addf(&told, "  spawn %s", cgroup ? cgroup : "-");
	tell_work(work);
	str_addc(&told, '\n');
	*out = WORKERS;
	return 0;
}

int __wrap_ktstr_workers_start(struct ktstr_workers *w)
{
	assert_ptr_equal(w, WORKERS);
	str_add(&told, "  start\n");
	return 0;
}

int __wrap_ktstr_workers_stop_collect(struct ktstr_workers *w, struct ktstr_result *r)
{
	(void)r;
	assert_ptr_equal(w, WORKERS);
	str_addf(&told, "  collect gap_ms=%lld\n", (long long)ctx.checks.max_gap_ms);
	return 0;
}

void __wrap_ktstr_workers_free(struct ktstr_workers *w)
{
	(void)w;
}

int __wrap_ctx_hold(struct ktstr_ctx *c, uint64_t ms, struct ktstr_result *r)
{
	(void)c;
	(void)r;
	str_addf(&told, "  hold %llu\n", (unsigned long long)ms);
	now_ns += HOLD_FACTOR * ms * NSEC_PER_MSEC;
	return 0;
}

uint64_t __wrap_clock_mono_ns(void)
{
	return now_ns;
}

int __wrap_ctx_sleep_ms(uint64_t ms)
{
	str_addf(&told, "  sleep %llu\n", (unsigned long long)ms);
	return 0;
}

/* ---- every row ---- */

static void tell_row(const struct catalog_row *row)
{
	int rc;

	result_init(&res);
	str_addf(&told, "%s\n", row->name);
	rc = catalog_run(row, &ctx, &res);
	if (rc < 0)
		str_addf(&told, "  %s\n", err_text(rc));
	for (size_t i = 0; i < res.details.count; i++)
		str_addf(&told, "  %s\n", res.details.items[i].message);
	result_finish(&res);
}

static void tell_all(void)
{
	for (size_t i = 0; i < ARRAY_SIZE(machines); i++) {
		struct ctx_options o = options();

		start_bare(NULL);
		topology_finish(&topology);
		assert_int_equal(topology_from_notation(&topology, machines[i]), 0);
		o.duration_ms = 6000;
		o.workers_per_cgroup = 3;
		start_with(o);
		result_finish(&res);
		str_addf(&told, "=== %s\n", machines[i]);
		for (const struct catalog_category *c = catalog_categories; c->name; c++)
			for (const struct catalog_row *row = c->rows; row->name; row++)
				tell_row(row);
		result_init(&res);
		stop(NULL);
	}
}

/* The first line that differs, with the row it is of. */
static void compare(char *expected, char *got)
{
	char *save[2] = {},
	     *lines[2] = { strtok_r(expected, "\n", &save[0]), strtok_r(got, "\n", &save[1]) };
	const char *row = "";

	while (lines[0] && lines[1] && strcmp(lines[0], lines[1]) == 0) {
		if (lines[1][0] != ' ')
			row = lines[1];
		for (size_t i = 0; i < 2; i++)
			lines[i] = strtok_r(NULL, "\n", &save[i]);
	}
	if (lines[0] || lines[1])
		fail_msg("%s: expected '%s', got '%s'", row, lines[0] ? lines[0] : "(the end)",
			 lines[1] ? lines[1] : "(the end)");
}

static void every_row_does_what_is_written_down(void **state)
{
	const char *srcdir = getenv("SRCDIR");
	_free_ char *path = str_fmt("%s/tests/data/scenario/catalog.txt", srcdir ? srcdir : ".");
	_str_ struct str expected = {};

	(void)state;
	assert_int_equal(file_read(path, &expected), 0);
	tell_all();
	compare(expected.s, told.s);
	str_finish(&told);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_row_does_what_is_written_down),
	};

	if (argc == 2 && strcmp(argv[1], "--print") == 0) {
		tell_all();
		fputs(str_get(&told), stdout);
		return 0;
	}
	return cmocka_run_group_tests(tests, NULL, NULL);
}
