// SPDX-License-Identifier: GPL-2.0-only
/* Earlier records of a test. */
#include "stats/parts.h"

struct event {
	char *when, *run, *commit; /* commit may be NULL */
	enum ktstr_verdict outcome;
};

typedef VEC(struct event) events;

static void events_finish(events *e)
{
	vec_release(e, each, free(each->when), free(each->run), free(each->commit));
}

/* 7.0.13 and 7.0.14 are the same series; unknown versions are one series, too. */
static bool is_same_series(const char *a, const char *b)
{
	size_t i = 0, dots = 0;

	if (!a || !b)
		return a == b;
	for (; a[i] && a[i] == b[i]; i++) {
		dots += a[i] == '.';
		if (dots == 2)
			return true;
	}
	return !isdigit((unsigned char)a[i]) && !isdigit((unsigned char)b[i]) && dots >= 1;
}

static int add_event(void *ctx, const struct sidecar *s, const struct run *run)
{
	events *to = ctx;
	struct event e = { .when = strdup(s->timestamp),
			   .run = strdup(run->name),
			   .commit = s->project_commit ? strdup(s->project_commit) : NULL,
			   .outcome = s->outcome };
	int rc = e.when && e.run ? vec_push(to, e) : err_no_memory();

	if (rc < 0) {
		free(e.when);
		free(e.run);
		free(e.commit);
	}
	return rc;
}

static int look_at(const struct run *run, const char *file, const struct sidecar *now,
		   history_fn *found, void *ctx)
{
	_free_ char *path = str_fmt("%s/%s", run->path, file);
	struct sidecar then;
	int rc;

	if (!path)
		return err_no_memory();
	if (sidecar_read(&then, path) < 0) {
		err_clear();
		return 0;
	}
	rc = then.timestamp && strcmp(then.timestamp, now->timestamp) < 0 &&
			     is_same_series(then.kernel_version, now->kernel_version) &&
			     sidecar_is_same_test(&then, now) ?
		     found(ctx, &then, run) :
		     0;
	sidecar_finish(&then);
	return rc;
}

/* With another build of the scheduler the file has the same test name but another hash. */
static int look_into(const struct run *run, const char *file, const struct sidecar *now,
		     history_fn *found, void *ctx)
{
	const size_t tail = strlen("-0123456789abcdef" SIDECAR_SUFFIX), len = strlen(file);
	_free_ char *path = str_fmt("%s/%s", run->path, file);
	const struct dirent *entry;
	_closedir_ DIR *dir = NULL;
	int rc = 0;

	if (!path)
		return err_no_memory();
	if (access(path, R_OK) == 0)
		return look_at(run, file, now, found, ctx);
	dir = len > tail ? opendir(run->path) : NULL;
	while (dir && rc == 0 && (entry = readdir(dir)))
		if (strlen(entry->d_name) == len && str_ends(entry->d_name, SIDECAR_SUFFIX) &&
		    strncmp(entry->d_name, file, len - tail + 1) == 0)
			rc = look_at(run, entry->d_name, now, found, ctx);
	return rc;
}

static int newest_first(const void *a, const void *b)
{
	const struct event *x = a, *y = b;

	return strcmp(y->when, x->when);
}

static int keep(const struct event *e, char **when, char **run)
{
	free(*when);
	free(*run);
	*when = strdup(e->when);
	*run = strdup(e->run);
	return *when && *run ? 0 : err_no_memory();
}

static int summarise(const events *e, struct history *to)
{
	int rc = 0;

	vec_each_while(const struct event, event, e, rc == 0) {
		if (event->outcome == KTSTR_PASSED)
			return keep(event, &to->passed, &to->passed_run);
		if (event->outcome == KTSTR_SKIPPED) /* neither passed nor failed */
			continue;
		to->not_passed++;
		rc = keep(event, &to->since, &to->since_run);
		free(to->since_commit);
		to->since_commit = event->commit ? strdup(event->commit) : NULL;
	}
	return rc;
}

int history_each(const struct sidecar *now, const char *path, const struct runs *runs,
		 history_fn *found, void *ctx)
{
	int rc = 0;

	for (size_t i = 0; now->timestamp && i < runs->items.count && rc == 0; i++)
		rc = look_into(&runs->items.items[i], basename(path), now, found, ctx);
	return rc;
}

int history_of(const struct sidecar *s, const char *path, const struct runs *runs,
	       struct history *to)
{
	_cleanup_(events_finish) events found = {};
	int rc;

	*to = (struct history){};
	rc = history_each(s, path, runs, add_event, &found);
	if (rc < 0)
		return rc;
	vec_sort(&found, newest_first);
	rc = summarise(&found, to);
	if (rc < 0)
		history_finish(to);
	return rc;
}

void history_finish(struct history *h)
{
	free(h->since);
	free(h->since_run);
	free(h->since_commit);
	free(h->passed);
	free(h->passed_run);
	*h = (struct history){};
}
