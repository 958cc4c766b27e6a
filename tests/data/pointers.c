// SPDX-License-Identifier: GPL-2.0-only
/* Tests under a scheduler that keeps pointers in numbers, which look at what they lead to. */
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <unistd.h>

#include <ktstr/ktstr.h>

KTSTR_SCHEDULER(tried, .name = "tried", .binary = "tried", .topology = KTSTR_TOPO(1, 1, 2, 1));

static int look(const struct ktstr_snapshots *all, struct ktstr_result *res)
{
	const struct ktstr_map *contexts =
		ktstr_snapshot_map(ktstr_snapshot_named(all, "asked"), "contexts");
	const struct ktstr_value *own = ktstr_map_max_by(contexts, "note.runs");
	const char *comm = NULL;
	int64_t pid = 0, noted = 0;
	double load = 0;
	char text[80];

	/* Through two numbers: to the note in the arena, and from there to the kernel's task. */
	if (ktstr_value_i64(own, "note.task.pid", &pid) < 0 ||
	    ktstr_value_i64(own, "note.pid", &noted) < 0 ||
	    ktstr_value_f64(own, "note.load", &load) < 0 ||
	    ktstr_value_str(own, "note.task.comm", &comm) < 0)
		return KTSTR_FAILED;
	snprintf(text, sizeof(text), "pid %lld, noted %lld, %s, load %g", (long long)pid,
		 (long long)noted, comm, load);
	if (pid != noted || strcmp(comm, "mostoften") != 0 || load != (pid & 1 ? 0.5 : 2.25))
		ktstr_result_fail(res, text);
	return KTSTR_PASSED;
}

/* The body is who runs most often. */
KTSTR_TEST(follows, .scheduler = &tried, .duration_ms = 100, .post_vm = look)
{
	prctl(PR_SET_NAME, "mostoften");
	ktstr_result_metric(res, "pid", getpid(), KTSTR_LOWER_BETTER, NULL);
	for (int i = 0; i < 2000; i++)
		usleep(10);
	return ktstr_capture_snapshot(ctx, "asked") < 0 ? KTSTR_FAILED : KTSTR_PASSED;
}
