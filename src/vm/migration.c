// SPDX-License-Identifier: GPL-2.0-only
/* Uses QEMU's migration to save to and restore from a file. */
#include "vm/engine.h"

/* Memory that is backed by a file is not saved a second time. */
#define CAPABILITIES                                                              \
	"{\"capabilities\":[{\"capability\":\"x-ignore-shared\",\"state\":true}," \
	"{\"capability\":\"events\",\"state\":true}]}"

#define GIVEN "state" /* name of a file descriptor passed to QEMU */

/* flags: for open(), if QEMU cannot open the file itself. */
static int add_place(struct qmp *q, const struct vm_spec *spec, const char *dir, int flags,
		     struct str *out)
{
	_free_ char *uri = str_fmt("file:%s/" GIVEN, dir);
	struct json j;

	if (!uri)
		return err_no_memory();
	if (!spec->has_file_migration) {
		_close_ int fd = open(uri + strlen("file:"), flags | O_CLOEXEC, 0600);
		int rc = fd < 0 ? err_sys(errno, "open %s", uri + strlen("file:")) :
				  qmp_send_file(q, GIVEN, fd);

		if (rc < 0)
			return rc;
		snprintf(uri, strlen(uri) + 1, "fd:" GIVEN);
	}
	json_init(&j, out, false);
	json_object(&j);
	json_put_string(&j, "uri", uri);
	json_object_end(&j);
	return str_check(out);
}

/* Builds the error: QEMU only reports the failure; the reason has to be queried. */
static int failed(struct qmp *q, const char *what, uint64_t timeout_ns)
{
	_str_ struct str reply = {};
	struct arena arena = {};
	const char *why = NULL;
	int rc;

	if (qmp_execute(q, "query-migrate", NULL, timeout_ns, &reply) == 0)
		why = json_get_text(qmp_answer(&arena, &reply), "error-desc");
	rc = err_set(EIO, "QEMU could not %s%s%s", what, why ? ": " : "", why ? why : "");
	arena_finish(&arena);
	return rc;
}

static int await(struct qmp *q, const char *what, uint64_t timeout_ns)
{
	for (;;) {
		struct qmp_event event;
		int rc = qmp_wait_event(q, "MIGRATION", timeout_ns, &event);

		if (rc < 0)
			return rc;
		if (str_eq(event.status, "completed"))
			return 0;
		if (str_eq(event.status, "failed"))
			return failed(q, what, timeout_ns);
	}
}

int migration_save(struct qmp *q, const struct vm_spec *spec, const char *dir, uint64_t timeout_ns)
{
	_str_ struct str place = {};
	int rc = add_place(q, spec, dir, O_WRONLY | O_CREAT | O_TRUNC, &place);

	rc = rc ?: qmp_execute(q, "migrate-set-capabilities", CAPABILITIES, timeout_ns, NULL);
	rc = rc ?: qmp_execute(q, "migrate", str_get(&place), timeout_ns, NULL);
	return rc ?: await(q, "save the guest", timeout_ns);
}

/*
 * No announce rounds: after an incoming migration QEMU would arm real-time timers, which with
 * icount affect how long a vCPU runs.
 */
int migration_send_restore(struct qmp *q, const struct vm_spec *spec, const char *dir)
{
	_str_ struct str place = {};
	int rc = add_place(q, spec, dir, O_RDONLY, &place);

	rc = rc ?: qmp_send(q, "migrate-set-capabilities", CAPABILITIES);
	rc = rc ?: qmp_send(q, "migrate-set-parameters", "{\"announce-rounds\":0}");
	return rc ?: qmp_send(q, "migrate-incoming", str_get(&place));
}

int migration_await_restore(struct qmp *q, uint64_t timeout_ns)
{
	return await(q, "restore the template", timeout_ns);
}
