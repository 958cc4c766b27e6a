// SPDX-License-Identifier: GPL-2.0-only
/*
 * A planted bug that needs two of five steps: what the second leaves behind is what the
 * fourth stumbles over. All the rest is there to be left out.
 */
#include <stdatomic.h>
#include <sys/mman.h>

#include <ktstr/ktstr.h>

static struct {
	atomic_bool is_left, is_stumbled_over;
} * shared;

static void spin(struct ktstr_worker *w)
{
	while (!ktstr_worker_should_stop(w))
		ktstr_worker_did(w, 1);
}

static void leave(struct ktstr_worker *w, void *arg)
{
	(void)arg;
	atomic_store(&shared->is_left, true);
	spin(w);
}

static void stumble(struct ktstr_worker *w, void *arg)
{
	(void)arg;
	if (atomic_load(&shared->is_left))
		atomic_store(&shared->is_stumbled_over, true);
	spin(w);
}

#define STEP(title, ...)                                                              \
	{                                                                             \
		.name = title, .defs = KTSTR_CGROUPS({ .name = title, __VA_ARGS__ }), \
		.hold = KTSTR_FIXED_MS(40)                                            \
	}

KTSTR_TEST(needs_two_steps, .llcs = 1, .cores = 2, .threads = 1, .duration_ms = 40,
	   .workers_per_cgroup = 2)
{
	int rc;

	shared = mmap(NULL, sizeof(*shared), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1,
		      0);
	if (shared == MAP_FAILED)
		return ktstr_fail(ctx, "no memory");
	rc = ktstr_run_steps(
		ctx, res,
		KTSTR_STEPS(STEP("first", .workers = 1),
			    STEP("leave", .work_type = KTSTR_CUSTOM("leave", leave, NULL)),
			    STEP("third", .workers = 1),
			    STEP("stumble", .work_type = KTSTR_CUSTOM("stumble", stumble, NULL)),
			    STEP("last", .workers = 1)));
	if (atomic_load(&shared->is_stumbled_over))
		ktstr_result_fail(res, "what one step left behind was stumbled over");
	return rc;
}
