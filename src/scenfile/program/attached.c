// SPDX-License-Identifier: GPL-2.0-only
/*
 * The test program of a scenario file: one test, described by the file that is attached to
 * the program.
 */
#include <stdlib.h>
#include <string.h>

#include <ktstr/ktstr.h>

#include "base/arena.h"
#include "base/err.h"
#include "base/file.h"
#include "scenfile/attached.h"
#include "scenfile/scenfile.h"

static struct arena arena; /* lives as long as the program */
static struct scenfile file;

static int run_file(struct ktstr_ctx *ctx, struct ktstr_result *res)
{
	int rc = scenfile_run(&file, ctx, res);

	return rc == 0 || rc == -EINTR ? rc : ktstr_fail(ctx, "%s", err_text(rc));
}

static struct ktstr_test test = { .line = 1, .run = run_file };
__attribute__((used, section("ktstr_tests"))) static const struct ktstr_test *const entry = &test;

/* No test uses it: the runner replaces it with a scheduler if it was given one. */
KTSTR_SCHEDULER(under_test, .name = "under_test", .binary = "scx_under_test");

static void fill_test(const char *name)
{
	test.name = file.name;
	test.file = name;
	test.numa_nodes = file.topology.numa_nodes;
	test.llcs = file.topology.llcs;
	test.cores = file.topology.cores;
	test.threads = file.topology.threads;
	test.duration_ms = (uint32_t)file.duration_ms;
	test.workers_per_cgroup = file.workers;
	test.assert = file.checks;
}

static int read_attached(const struct str *all)
{
	struct attached_end end;
	size_t left = all->len - sizeof(end);
	const char *name, *text;

	if (all->len < sizeof(end))
		return err_set(EINVAL, "no scenario file is attached to this program");
	memcpy(&end, all->s + left, sizeof(end));
	if (memcmp(end.magic, ATTACHED_MAGIC, sizeof(end.magic)) != 0 || end.text_len > left ||
	    end.name_len > left - end.text_len)
		return err_set(EINVAL, "no scenario file is attached to this program");
	text = arena_copy(&arena, all->s + left - end.text_len, end.text_len);
	name = arena_copy(&arena, all->s + left - end.text_len - end.name_len, end.name_len);
	if (!name || !text)
		return err_no_memory();
	if (scenfile_read(name, text, end.text_len, &arena, &file) < 0)
		return -EINVAL;
	fill_test(name);
	return 0;
}

/* Runs before main(), which reads the tests. */
__attribute__((constructor)) static void attach(void)
{
	_str_ struct str all = {};
	int rc = file_read("/proc/self/exe", &all);

	rc = rc ?: read_attached(&all);
	if (rc == 0)
		return;
	fprintf(stderr, "error: %s\n", err_text(rc));
	exit(1);
}
