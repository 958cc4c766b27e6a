// SPDX-License-Identifier: GPL-2.0-only
/* What makes the run repeatable goes in front of the snapshots. */
#include "run/parts.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/err.h"
#include "base/file.h"
#include "base/json.h"
#include "base/util.h"

static const char record_suffix[] = ".ktstr.json";

static void add_head(const struct sidecar *s, struct str *out)
{
	struct json j;

	json_init(&j, out, false);
	json_object(&j);
	json_put_string(&j, "schema", "single");
	json_put_string(&j, "test", s->test_name);
	json_put_string(&j, "topology", s->topology);
	json_put_string(&j, "scheduler", s->scheduler);
	json_put_string(&j, "kernel_version", s->kernel_version);
	json_put_string(&j, "accel", s->accel);
	json_put_known_u64(&j, "seed", s->has_seed, s->seed);
	json_put_string(&j, "digest", s->digest);
	json_object_end(&j);
}

/* members: an object, whose members stand in the file beside those of the head. */
static int write_file(const char *path, const struct sidecar *s, const char *members)
{
	_str_ struct str text = {};

	add_head(s, &text);
	text.s[text.len - 1] = ',';
	str_addf(&text, "\n%s\n", members + 1);
	return str_check(&text) < 0 ? -ENOMEM : file_replace(path, text.s, text.len, 0644);
}

int dump_files_write(const char *record, const struct sidecar *s, const struct outcome *o)
{
	const struct {
		const char *suffix;
		const struct str *members;
		bool is_wanted;
	} files[] = {
		{ ".failure-dump.json", &o->dump, s->outcome == KTSTR_FAILED },
		{ ".snapshots.json", &o->snapshots, true },
	};
	size_t len = strlen(record), end = sizeof(record_suffix) - 1;
	int rc = 0;

	if (len <= end || !str_eq(record + len - end, record_suffix))
		return err_set(EINVAL, "%s is not the name of a record", record);
	for (size_t i = 0; i < ARRAY_SIZE(files) && rc == 0; i++) {
		_free_ char *path = str_fmt("%.*s%s", (int)(len - end), record, files[i].suffix);

		if (!path)
			return err_no_memory();
		if (files[i].is_wanted && files[i].members->len)
			rc = write_file(path, s, files[i].members->s);
		else
			unlink(path);
	}
	return rc;
}
