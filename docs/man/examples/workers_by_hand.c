// SPDX-License-Identifier: GPL-2.0-only
/* Pins a worker to another CPU while it runs. */
#include <unistd.h>

#include <ktstr/ktstr.h>

KTSTR_TEST(pinned_anew, .cores = 2)
{
	const struct ktstr_work work = { .workers = 2 };
	struct ktstr_workers *w = NULL;
	int rc = ktstr_workers_spawn(ctx, &work, NULL, &w);

	if (rc == 0)
		rc = ktstr_workers_start(w);
	if (rc == 0) {
		usleep(500 * 1000);
		rc = ktstr_workers_set_affinity(w, 0, "1");
	}
	if (rc == 0)
		rc = ktstr_workers_stop_collect(w, res);
	ktstr_workers_free(w);
	return rc;
}
