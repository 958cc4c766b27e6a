// SPDX-License-Identifier: GPL-2.0-only
/* Two loads in two threads: decompressing and parsing are most of a comparison's time. */
#include "ctprof/snapshot.h"

#include <pthread.h>
#include <string.h>

#include "base/err.h"
#include "base/str.h"

struct task {
	struct snapshot *snapshot;
	const char *path;
	int rc;
	char *message; /* messages belong to the thread that set them */
};

static void *load(void *context)
{
	struct task *t = context;

	t->rc = snapshot_load(t->snapshot, t->path);
	if (t->rc < 0)
		t->message = strdup(err_text(t->rc));
	return NULL;
}

static int report(const struct task *t, const char *which)
{
	if (t->rc == 0)
		return 0;
	return err_set(-t->rc, "load %s %s: %s", which, t->path,
		       t->message ? t->message : "out of memory");
}

int snapshot_load_pair(struct snapshot *baseline, const char *baseline_path,
		       struct snapshot *candidate, const char *candidate_path)
{
	struct task first = { .snapshot = baseline, .path = baseline_path };
	struct task second = { .snapshot = candidate, .path = candidate_path };
	pthread_t thread;
	int rc;

	/* Without a second thread the work is the same, one after the other. */
	if (pthread_create(&thread, NULL, load, &first) == 0) {
		load(&second);
		pthread_join(thread, NULL);
	} else {
		load(&first);
		load(&second);
	}
	rc = report(&first, "baseline");
	if (rc == 0)
		rc = report(&second, "candidate");
	free(first.message);
	free(second.message);
	return rc;
}
