// SPDX-License-Identifier: GPL-2.0-only
/* Collects the include files that a test declares. */
#include "run/parts.h"

/* Adds the name unless it is in the list: test and payload often declare the same file. */
static int want_file(struct wanted_files *l, const char *name)
{
	if (str_index(l->items, l->count, name) >= 0)
		return 0;
	if (l->count == WANTED_FILES_MAX)
		return err_set(E2BIG, "more than %d include files", WANTED_FILES_MAX);
	l->items[l->count++] = name;
	return 0;
}

static int want_files(struct wanted_files *l, const struct probe_texts *names)
{
	int rc = 0;

	for (size_t i = 0; i < names->count && rc == 0; i++)
		rc = want_file(l, names->items[i]);
	return rc;
}

static int want_payloads(struct wanted_files *l, const struct probe_test *t)
{
	int rc = 0;

	for (size_t i = 0; i < t->payloads.count && rc == 0; i++) {
		rc = want_file(l, t->payloads.items[i].binary);
		rc = rc ?: want_files(l, &t->payloads.items[i].include_files);
	}
	return rc;
}

int wanted_files_list(const struct variant *v, struct wanted_files *out)
{
	int rc;

	out->count = 0;
	rc = want_payloads(out, v->test) ?: want_files(out, &v->test->include_files);
	if (rc == 0 && v->sched && v->sched->config_file)
		rc = want_file(out, v->sched->config_file);
	return rc;
}
