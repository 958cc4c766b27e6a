// SPDX-License-Identifier: GPL-2.0-only
/* What a run directory tells besides its records. */
#include "explore/repeat.h"

#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "base/file.h"
#include "base/util.h"
#include "check/sidecar.h"
#include "run/run_dir.h"

int repeat_programs_read(struct repeat_programs *p, const char *dir)
{
	_free_ char *path = str_fmt("%s/" RUN_PROGRAMS_FILE, dir);
	char *save = NULL;
	int rc = path ? file_read(path, &p->text) : err_no_memory();

	if (rc == -ENOENT)
		return err_set(ENOENT, "%s does not tell which programs were run", dir);
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

/* Images and releases are had again by version; of a tree or a branch only the cache knows. */
const char *repeat_kernel(const struct sidecar *s)
{
	size_t len = s->kernel_version ? strlen(s->kernel_version) : 0;

	if (!s->kernel_key ||
	    (len && str_starts(s->kernel_key, s->kernel_version) && s->kernel_key[len] == '-'))
		return s->kernel_version;
	return s->kernel_key;
}

bool repeat_is_record(const char *name)
{
	size_t len = strlen(name), suffix = strlen(SIDECAR_SUFFIX);

	return len > suffix && str_eq(name + len - suffix, SIDECAR_SUFFIX);
}

int repeat_record_read(struct sidecar *s, const char *path)
{
	int rc = sidecar_read(s, path);

	return rc == -EINVAL ? err_wrap(rc, "%s", path) : rc;
}
