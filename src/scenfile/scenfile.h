/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Scenarios as plain text, without compiling. YAML describes the same model as the C API;
 * JSON of rt-app is translated into it. See docs/guide/scenario-file.md.
 */
#ifndef KTSTR_SCENFILE_SCENFILE_H
#define KTSTR_SCENFILE_SCENFILE_H

#include <ktstr/ktstr.h>

#include "base/base.h"

struct rtapp;

struct scenfile {
	const char *name; /* of the scenario */
	const char *description;
	uint64_t duration_ms; /* 0 = the run's default */
	uint32_t workers;
	/* Smaller machines skip the scenario; zeroes = any machine. */
	struct ktstr_topology topology;
	const char *const *flags, *const *excluded_flags; /* or NULL */
	struct ktstr_assert checks;
	struct ktstr_scenario_run run;
	struct rtapp *rtapp; /* shared by its workers, or NULL */
};

/* Reads a file; all memory is from the arena. Returns -EINVAL with "FILE:LINE: what is wrong". */
int scenfile_load(const char *path, struct arena *arena, struct scenfile *out);

/* The same for a file whose text has been read already. */
int scenfile_read(const char *path, const char *text, size_t len, struct arena *arena,
		  struct scenfile *out);

/*
 * Parses the scenario only; name is the file's, for messages. The format is detected from
 * the text.
 */
int scenfile_parse(const char *name, const char *text, size_t len, struct arena *arena,
		   struct scenfile *out);

/* The two formats. */
int scenfile_parse_yaml(const char *name, const char *text, size_t len, struct arena *arena,
			struct scenfile *out);
int scenfile_parse_rtapp(const char *name, const char *text, size_t len, struct arena *arena,
			 struct scenfile *out);

/* Runs it as the body of a test. */
int scenfile_run(const struct scenfile *file, struct ktstr_ctx *ctx, struct ktstr_result *res);

#endif
