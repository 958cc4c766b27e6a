// SPDX-License-Identifier: GPL-2.0-only
/* What a run directory contains besides its records. */
#include "explore/explore.h"

#include "base/hash.h"
#include "record/sidecar.h"
#include "run/campaign.h"

int repeat_programs_read(struct repeat_programs *p, const char *dir)
{
	_free_ char *path = str_fmt("%s/" RUN_PROGRAMS_FILE, dir);
	char *save = NULL;
	int rc = path ? file_read(path, &p->text) : err_no_memory();

	if (rc == -ENOENT)
		return err_set(ENOENT, "%s does not list the programs that were run", dir);
	if (rc < 0 || !p->text.len)
		return rc;
	for (char *line = strtok_r(p->text.s, "\n", &save); line && rc == 0;
	     line = strtok_r(NULL, "\n", &save))
		rc = vec_push(&p->paths, line);
	return rc;
}

void repeat_programs_finish(struct repeat_programs *p)
{
	str_finish(&p->text);
	free(p->paths.items);
	*p = (struct repeat_programs){};
}

char *repeat_test_name(const char *name)
{
	const char *slash = strrchr(name, '/');

	if (slash && str_starts(slash, "/kernel_"))
		return strndup(name, (size_t)(slash - name));
	return strdup(name);
}

/* Images and releases are available by version; a tree or a branch only by its key in the cache. */
const char *repeat_kernel(const struct sidecar *s)
{
	size_t len = s->kernel_version ? strlen(s->kernel_version) : 0;

	if (!s->kernel_key ||
	    (len && str_starts(s->kernel_key, s->kernel_version) && s->kernel_key[len] == '-'))
		return s->kernel_version;
	return s->kernel_key;
}

#define SHORT_HASH 12

static int refuse_scheduler(const struct sidecar *s, const char *why, const char *hash)
{
	return err_set(EINVAL,
		       "%s ran with the scheduler %s (SHA-256 %.*s), which %s%s%.*s%s; "
		       "--scheduler-bin PATH says which program to take instead",
		       s->name, s->scheduler_path, SHORT_HASH, s->scheduler_hash, why,
		       hash ? " (" : "", SHORT_HASH, hash ? hash : "", hash ? ")" : "");
}

int repeat_scheduler(const struct sidecar *s, const char *given, bool is_exact, const char **path)
{
	char hash[SHA256_HEX_SIZE];

	*path = given;
	if (given || !s->scheduler_path || !s->scheduler_hash)
		return 0;
	if (file_hash(s->scheduler_path, hash) < 0) {
		err_clear();
		return is_exact ? refuse_scheduler(s, "cannot be read any more", NULL) : 0;
	}
	if (is_exact && !str_eq(hash, s->scheduler_hash))
		return refuse_scheduler(s, "is another program now", hash);
	*path = s->scheduler_path;
	return 0;
}

int repeat_record_read(struct sidecar *s, const char *path)
{
	int rc = sidecar_read(s, path);

	return rc == -EINVAL ? err_wrap(rc, "%s", path) : rc;
}
