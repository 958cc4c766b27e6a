// SPDX-License-Identifier: GPL-2.0-only
/* Setting up and judging. */
#include "unit.h"

#include <errno.h>
#include <sys/wait.h>

#include "scenario_fixture.h"

struct fake_cgroup fake;
struct topology topology;
struct ktstr_ctx ctx;
struct ktstr_result res;

const struct ktstr_assert lenient = { .not_starved = KTSTR_OFF, .isolation = KTSTR_OFF };
const struct ktstr_assert isolated = { .not_starved = KTSTR_OFF, .isolation = KTSTR_ON };

struct ctx_options options(void)
{
	return (struct ctx_options){
		.roots = &fake.roots,
		.topology = &topology,
		.cgroup_parent = "ktstr-1",
		.duration_ms = 60,
		.settle_ms = 10,
		.checks = &lenient,
		.seed = 1,
	};
}

void start_with(struct ctx_options o)
{
	assert_int_equal(ctx_init(&ctx, &o), 0);
	result_init(&res);
}

/* Eight CPUs 0-7, seven of them usable. Number 0 cannot be taken offline. */
int start_bare(void **state)
{
	(void)state;
	fake_cgroup_start(&fake, "cpuset cpu memory pids");
	for (int i = 1; i < 8; i++) {
		_free_ char *file = str_fmt("sys/devices/system/cpu/cpu%d/online", i);

		unit_write(fake.dir, file, "1");
	}
	assert_int_equal(topology_from_notation(&topology, "1n2l4c1t"), 0);
	return 0;
}

int start(void **state)
{
	start_bare(state);
	start_with(options());
	return 0;
}

int stop(void **state)
{
	(void)state;
	result_finish(&res);
	assert_int_equal(ctx_finish(&ctx), 0);
	assert_false(fake_cgroup_has(&fake, "ktstr-1"));
	fake_cgroup_stop(&fake);
	topology_finish(&topology);
	return 0;
}

bool has_detail(enum detail_kind kind, const char *text)
{
	for (size_t i = 0; i < res.details.count; i++)
		if (res.details.items[i].kind == kind && strstr(res.details.items[i].message, text))
			return true;
	return false;
}

void expect_verdict(enum ktstr_verdict verdict)
{
	if (res.verdict == verdict)
		return;
	for (size_t i = 0; i < res.details.count; i++)
		print_message("detail: %s\n", res.details.items[i].message);
	fail_msg("expected %s, got %s", verdict_name(verdict), verdict_name(res.verdict));
}

void expect_failure(const char *text)
{
	expect_verdict(KTSTR_FAILED);
	for (size_t i = 0; i < res.details.count; i++)
		if (res.details.items[i].verdict == KTSTR_FAILED)
			assert_string_equal(res.details.items[i].message, text);
	result_finish(&res);
}

void expect_logged(const char *text)
{
	if (!strstr(fake_cgroup_log(), text))
		fail_msg("expected '%s' in '%s'", text, fake_cgroup_log());
}

void expect_nothing_left(void)
{
	assert_false(fake_cgroup_has(&fake, "ktstr-1/a"));
	assert_false(fake_cgroup_has(&fake, "ktstr-1/b"));
	assert_int_equal(waitpid(-1, NULL, WNOHANG), -1);
	assert_int_equal(errno, ECHILD);
}

void run_steps(const struct ktstr_step *steps)
{
	assert_int_equal(ktstr_run_steps(&ctx, &res, steps), 0);
	expect_nothing_left();
}
