// SPDX-License-Identifier: GPL-2.0-only
/* Makes a test program from a scenario file: build/ktstr-scenfile with the file appended to it. */
#include "run/parts.h"

#include "base/embed.h"
#include "scenfile/attached.h"
#include "scenfile/scenfile.h"

EMBED(ktstr_scenfile, KTSTR_BUILD "/ktstr-scenfile");

static const char *const endings[] = { ".yaml", ".yml", ".json" };

size_t scenario_ending(const char *path)
{
	size_t len = strlen(path);

	for (size_t i = 0; i < ARRAY_SIZE(endings); i++) {
		size_t ending = strlen(endings[i]);

		if (len > ending && path[len - ending - 1] != '/' &&
		    str_eq(path + len - ending, endings[i]))
			return ending;
	}
	return 0;
}

/* Reports errors here, with file and line, rather than in the guest. */
static int check(const char *path, const struct str *text)
{
	_cleanup_(arena_finish) struct arena arena = {};
	struct scenfile file;
	int rc = scenfile_read(path, str_get(text), text->len, &arena, &file);

	if (rc == 0 && (file.flags || file.excluded_flags))
		rc = err_set(EINVAL,
			     "%s: flags and excluded_flags are for `ktstr run`: no scheduler of "
			     "`ktstr test` has declared them",
			     path);
	return rc;
}

/* Stores the name without directory, so that the same file always gives the same program. */
static int attach(const char *name, const struct str *text, struct str *out)
{
	struct attached_end end = { .name_len = strlen(name), .text_len = text->len };

	memcpy(end.magic, ATTACHED_MAGIC, sizeof(end.magic));
	str_addn(out, ktstr_scenfile_start, EMBEDDED_SIZE(ktstr_scenfile));
	str_add(out, name);
	str_addn(out, str_get(text), text->len);
	str_addn(out, (const char *)&end, sizeof(end));
	return str_check(out);
}

int scenario_program(const char *path, char **program)
{
	_str_ struct str text = {}, image = {};
	const char *name = basename(path);
	_free_ char *stem = strndup(name, strlen(name) - scenario_ending(name));
	int rc = stem ? file_read(path, &text) : err_no_memory();

	*program = NULL;
	rc = rc ?: check(path, &text) ?: attach(name, &text, &image);
	return rc ?: source_keep(stem, image.s, image.len, program);
}
