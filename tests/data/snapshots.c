// SPDX-License-Identifier: GPL-2.0-only
/* Tests that look at their own snapshots, and some that look for what is not there. */
#include <linux/bpf.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <ktstr/ktstr.h>

KTSTR_SCHEDULER(tried, .name = "tried", .binary = "tried", .topology = KTSTR_TOPO(1, 1, 2, 1));

/* Under kvm that is nested in an emulator a scheduler takes long to attach. */
#define SHORT .scheduler = &tried, .duration_ms = 100, .attach_timeout_s = 200

#define CPUS 2
#define STEPS 5

static int bpf(int command, union bpf_attr *attr)
{
	return (int)syscall(SYS_bpf, command, attr, sizeof(*attr));
}

static int load_btf(const uint32_t *types, uint32_t types_size, const char *names,
		    uint32_t names_size)
{
	const uint32_t head[] = { 0x1eb9f, 24, 0, types_size, types_size, names_size };
	char data[256];
	union bpf_attr attr = { .btf = (uintptr_t)data,
				.btf_size = sizeof(head) + types_size + names_size };

	memcpy(data, head, sizeof(head));
	memcpy(data + sizeof(head), types, types_size);
	memcpy(data + sizeof(head) + types_size, names, names_size);
	return bpf(BPF_BTF_LOAD, &attr);
}

/* A number without a name, per CPU. */
static int load_types(void)
{
	static const char names[] = "\0u64\0u32";
	static const uint32_t types[] = { 1, 1U << 24, 8, 64, 5, 1U << 24, 4, 32 };

	return load_btf(types, sizeof(types), names, sizeof(names));
}

static int set(int map, uint64_t step)
{
	uint64_t values[CPUS] = { 10 + step, 20 + step };
	uint32_t key = 3;
	union bpf_attr attr = { .map_fd = (uint32_t)map,
				.key = (uintptr_t)&key,
				.value = (uintptr_t)values };

	return bpf(BPF_MAP_UPDATE_ELEM, &attr);
}

static int of_step(const struct ktstr_snapshot *s, void *ctx, double *out)
{
	unsigned int *cpu = ctx;

	return ktstr_value_f64(ktstr_value_cpu(ktstr_map_key(ktstr_snapshot_map(s, "m_steps"), 3),
					       *cpu),
			       NULL, out);
}

/* Two maps have a variable of this name; that of the scheduler is meant. */
static int look_at_live(const struct ktstr_snapshot *s, struct ktstr_result *res)
{
	uint64_t live = 0, any = 0, other = 1;
	int rc = ktstr_value_u64(ktstr_snapshot_live_var(s, "state"), "started_ns", &live);

	rc = rc ?: ktstr_value_u64(ktstr_snapshot_var(s, "state"), "started_ns", &any);
	rc = rc	   ?:
		     ktstr_value_u64(ktstr_map_key(ktstr_snapshot_map(s, "other.bss"), 0), "state",
				     &other);
	if (rc == 0 && (!live || live != any || other))
		ktstr_result_fail(res, "live %llu, any %llu, other %llu", (unsigned long long)live,
				  (unsigned long long)any, (unsigned long long)other);
	return rc;
}

static int look_at_steps(const struct ktstr_snapshots *all, struct ktstr_result *res)
{
	for (unsigned int cpu = 0; cpu < CPUS; cpu++) {
		struct ktstr_series *s;
		double first = 0;
		int rc = ktstr_series_by(all, "step_", "m_steps", of_step, &cpu, &s);

		if (rc < 0)
			return rc;
		ktstr_series_strictly_increasing(s, res);
		ktstr_series_free(s);
		rc = of_step(ktstr_snapshot_named(all, "step_0"), &cpu, &first);
		if (rc < 0)
			return rc;
		if (first != 10 * (cpu + 1))
			ktstr_result_fail(res, "CPU %u began with %g", cpu, first);
	}
	if (ktstr_snapshot_count(all) != STEPS)
		ktstr_result_fail(res, "%zu snapshots", ktstr_snapshot_count(all));
	return look_at_live(ktstr_snapshot_named(all, "step_0"), res);
}

/* A section with a variable that the scheduler has, too. */
static int create_section(void)
{
	static const char names[] = "\0u64\0state\0.bss";
	static const uint32_t types[] = { 1,  1U << 24,	     8, 64, 5, 14U << 24, 1, 1,
					  11, 15U << 24 | 1, 8, 2,  0, 8 };
	union bpf_attr attr = { .map_type = BPF_MAP_TYPE_ARRAY,
				.key_size = sizeof(uint32_t),
				.value_size = sizeof(uint64_t),
				.max_entries = 1,
				.map_name = "other.bss",
				.btf_fd = (uint32_t)load_btf(types, sizeof(types), names,
							     sizeof(names)),
				.btf_value_type_id = 3 };

	return bpf(BPF_MAP_CREATE, &attr);
}

static int create_map(void)
{
	union bpf_attr attr = { .map_type = BPF_MAP_TYPE_PERCPU_ARRAY,
				.key_size = sizeof(uint32_t),
				.value_size = sizeof(uint64_t),
				.max_entries = 8,
				.map_name = "m_steps",
				.btf_fd = (uint32_t)load_types(),
				.btf_key_type_id = 2,
				.btf_value_type_id = 1 };

	return bpf(BPF_MAP_CREATE, &attr);
}

/* At each of its steps the map has one value, and another one right after it. */
KTSTR_TEST(steps, SHORT, .post_vm = look_at_steps)
{
	int map = create_map(), rc = 0;

	if (create_section() < 0)
		return ktstr_fail(ctx, "cannot create a section");
	for (unsigned int i = 0; i < STEPS && map >= 0 && rc == 0; i++) {
		char name[16];

		snprintf(name, sizeof(name), "step_%u", i);
		if (set(map, i) < 0)
			return ktstr_fail(ctx, "cannot write to a map");
		rc = ktstr_capture_snapshot(ctx, name);
	}
	(void)res;
	return map < 0 ? ktstr_fail(ctx, "cannot create a map") : rc < 0 ? rc : KTSTR_PASSED;
}

static int look_at_swap(const struct ktstr_snapshots *all, struct ktstr_result *res)
{
	const struct ktstr_snapshot *back = ktstr_snapshot_named(all, "back");
	uint64_t started = 0;
	int rc = ktstr_value_u64(ktstr_snapshot_live_var(back, "state"), "started_ns", &started);

	if (rc == 0 && !started)
		ktstr_result_fail(res, "it has not started");
	rc = rc	   ?:
		     ktstr_value_u64(ktstr_snapshot_live_var(ktstr_snapshot_named(all, "gone"),
							     "state"),
				     "started_ns", &started);
	return rc;
}

KTSTR_TEST(swap, .scheduler = &tried, .duration_ms = 100, .post_vm = look_at_swap)
{
	return ktstr_run_steps(ctx, res,
			       KTSTR_STEPS({ .ops = KTSTR_OPS(KTSTR_DETACH_SCHEDULER,
							      KTSTR_CAPTURE_SNAPSHOT("gone"),
							      KTSTR_ATTACH_SCHEDULER,
							      KTSTR_CAPTURE_SNAPSHOT("back")) }));
}

static int look_at_periods(const struct ktstr_snapshots *all, struct ktstr_result *res)
{
	struct ktstr_series *vtime, *cpus;
	int rc = ktstr_series_var(all, KTSTR_PERIODIC, "state.vtime[0]", &vtime);

	rc = rc ?: ktstr_series_var(all, KTSTR_PERIODIC, "state.llc_cpus[0]", &cpus);
	if (rc < 0)
		return rc;
	ktstr_series_strictly_increasing(vtime, res);
	ktstr_series_rate_within(vtime, 1, 1e12, res);
	ktstr_series_steady_within(cpus, 0, 0, res);
	ktstr_series_each_between(cpus, CPUS, CPUS, res);
	ktstr_series_converges_to(cpus, CPUS, 0, 5000, res);
	ktstr_series_ratio_within(cpus, cpus, 1, 1, res);
	ktstr_series_always_true(cpus, res);
	ktstr_series_free(vtime);
	ktstr_series_free(cpus);
	if (!ktstr_snapshot_named(all, "middle") || ktstr_snapshot_count(all) != 6)
		ktstr_result_fail(res, "%zu snapshots", ktstr_snapshot_count(all));
	return 0;
}

KTSTR_TEST(periods, .scheduler = &tried, .duration_ms = 2400, .num_snapshots = 5,
	   .post_vm = look_at_periods)
{
	return ktstr_run_scenario(
		ctx, res,
		&(struct ktstr_scenario_run){
			.backdrop.defs = KTSTR_CGROUPS({ .name = "busy", .workers = 4 }),
			.steps = KTSTR_STEPS({ .hold = KTSTR_FRAC(0.5) },
					     { .ops = KTSTR_OPS(KTSTR_CAPTURE_SNAPSHOT("middle")),
					       .hold = KTSTR_FRAC(0.5) }) });
}

static int look_at_two(const struct ktstr_snapshots *all, struct ktstr_result *res)
{
	struct ktstr_series *s;
	int rc = ktstr_series_var(all, KTSTR_PERIODIC, "state.vtime[0]", &s);

	if (rc == 0)
		ktstr_series_nondecreasing(s, res);
	ktstr_series_free(s);
	return rc;
}

/* Two of them, wherever the guest's clock comes from. */
KTSTR_TEST(two_periods, .scheduler = &tried, .duration_ms = 1000, .num_snapshots = 2,
	   .attach_timeout_s = 200, .post_vm = look_at_two)
{
	(void)ctx;
	(void)res;
	sleep(2);
	return KTSTR_PASSED;
}

static int look_at_writes(const struct ktstr_snapshots *all, struct ktstr_result *res)
{
	unsigned int cpu = 1;
	struct ktstr_series *s;
	int rc = ktstr_series_by(all, "panic_timeout", "m_steps", of_step, &cpu, &s);

	if (rc < 0)
		return rc;
	ktstr_series_strictly_increasing(s, res);
	ktstr_series_each_between(s, 20, 20 + STEPS - 1, res);
	ktstr_series_free(s);
	rc = ktstr_series_var(all, "state.tasks", "state.tasks", &s);
	if (rc == 0)
		ktstr_series_strictly_increasing(s, res);
	ktstr_series_free(s);
	return rc;
}

/* Each write to a symbol of the kernel is between two steps of the map. */
KTSTR_TEST(writes, SHORT, .post_vm = look_at_writes,
	   .watch_snapshots = KTSTR_ARGS("panic_timeout", "state.tasks"))
{
	int map = create_map();

	(void)res;
	for (unsigned int i = 0; i < STEPS; i++) {
		FILE *f = fopen("/proc/sys/kernel/panic", "w");

		if (set(map, i) < 0 || !f || fprintf(f, "%u", 100 + i) < 0 || fclose(f) != 0)
			return ktstr_fail(ctx, "cannot write");
		if (fork() == 0)
			_exit(0);
	}
	return KTSTR_PASSED;
}

/* An array: kvm watches its elements only. */
/* Variables that nobody writes while nothing is wrong. */
static int look_at_written(const struct ktstr_snapshots *all, struct ktstr_result *res)
{
	const struct ktstr_value *state =
		ktstr_snapshot_var(ktstr_snapshot_named(all, "begun"), "state");
	uint64_t victim = 0, reported = 0;
	int rc = ktstr_value_u64(state, "victim", &victim);

	rc = rc ?: ktstr_value_u64(state, "has_reported", &reported);
	if (rc == 0 && (victim != 4242 || reported != 1))
		ktstr_result_fail(res, "victim %llu, reported %llu", (unsigned long long)victim,
				  (unsigned long long)reported);
	return rc;
}

KTSTR_TEST(written, SHORT, .post_vm = look_at_written,
	   .bpf_map_write = KTSTR_ARGS("state.victim=4242", "state.has_reported=1"))
{
	int rc = ktstr_capture_snapshot(ctx, "begun");

	(void)res;
	return rc < 0 ? rc : KTSTR_PASSED;
}

KTSTR_TEST(not_written, SHORT, .bpf_map_write = KTSTR_ARGS("state.victim=5", "state.vtime=1"))
{
	(void)ctx;
	(void)res;
	return KTSTR_PASSED;
}

KTSTR_TEST(written_too_much, SHORT, .bpf_map_write = KTSTR_ARGS("state.victim=4294967296"))
{
	(void)ctx;
	(void)res;
	return KTSTR_PASSED;
}

KTSTR_TEST(too_large, SHORT, .watch_snapshots = KTSTR_ARGS("state.vtime"))
{
	(void)ctx;
	(void)res;
	return KTSTR_PASSED;
}

KTSTR_TEST(no_symbol, .scheduler = &tried, .duration_ms = 100,
	   .watch_snapshots = KTSTR_ARGS("state.task"))
{
	(void)ctx;
	(void)res;
	return KTSTR_PASSED;
}

/* ---- what is not there ---- */

static int look_for_variable(const struct ktstr_snapshots *all, struct ktstr_result *res)
{
	uint64_t n;

	(void)res;
	return ktstr_value_u64(ktstr_snapshot_var(ktstr_snapshot_named(all, "1"), "stat"), NULL,
			       &n);
}

KTSTR_TEST(no_variable, SHORT, .post_vm = look_for_variable)
{
	(void)ctx;
	(void)res;
	KTSTR_SNAPSHOT(1);
	return KTSTR_PASSED;
}

KTSTR_TEST(no_snapshot, .scheduler = &tried, .duration_ms = 100, .post_vm = look_for_variable)
{
	(void)ctx;
	(void)res;
	return KTSTR_PASSED;
}

static int die(const struct ktstr_snapshots *all, struct ktstr_result *res)
{
	(void)all;
	(void)res;
	abort();
}

KTSTR_TEST(dies, .scheduler = &tried, .duration_ms = 100, .post_vm = die)
{
	(void)ctx;
	(void)res;
	return KTSTR_PASSED;
}

/* Its body fails: nobody looks any more. */
KTSTR_TEST(fails_before, .scheduler = &tried, .duration_ms = 100, .post_vm = die)
{
	(void)res;
	return ktstr_fail(ctx, "the body failed");
}

static int look_all_the_same(const struct ktstr_snapshots *all, struct ktstr_result *res)
{
	uint64_t n = 0;
	int rc = ktstr_value_u64(ktstr_snapshot_var(ktstr_snapshot_named(all, "1"), "state"),
				 "started_ns", &n);

	ktstr_result_fail(res, "looked all the same: %s",
			  rc == 0 && n ? "it had started" : "nothing");
	return 0;
}

/* This one is asked whatever the body said, and also when it said nothing. */
KTSTR_TEST(looks_anyway, .scheduler = &tried, .duration_ms = 100, .post_vm = die,
	   .post_vm_unconditional = look_all_the_same)
{
	(void)res;
	KTSTR_SNAPSHOT(1);
	return ktstr_fail(ctx, "the body failed");
}

KTSTR_TEST(looks_after_death, .scheduler = &tried, .duration_ms = 100,
	   .post_vm_unconditional = look_all_the_same)
{
	(void)ctx;
	(void)res;
	KTSTR_SNAPSHOT(1);
	abort();
}

KTSTR_TEST(bad_name, .scheduler = &tried, .duration_ms = 100)
{
	(void)res;
	return ktstr_capture_snapshot(ctx, "two words");
}

/* Without a scheduler nobody looks at the guest. */
KTSTR_TEST(nobody_looks, .duration_ms = 100)
{
	(void)res;
	return ktstr_capture_snapshot(ctx, "end");
}
