// SPDX-License-Identifier: GPL-2.0-only
/* Adds scenario files to the list of scenarios. */
#include "hostmode/execute.h"
#include "scenfile/scenfile.h"

static int run_file(const void *what, struct ktstr_ctx *ctx, struct ktstr_result *res)
{
	return scenfile_run(what, ctx, res);
}

static uint64_t flags_of(const char *const *names)
{
	uint64_t mask = 0;

	for (; names && *names; names++)
		mask |= profile_bit(host_flags(), *names);
	return mask;
}

int host_scenarios_add_file(struct host_scenarios *s, const char *path)
{
	struct scenfile *file = arena_alloc(&s->arena, sizeof(*file));
	struct host_scenario entry = { .category = "file", .run = run_file, .what = file };
	int rc = file ? scenfile_load(path, &s->arena, file) : err_no_memory();

	if (rc < 0)
		return rc;
	entry.required = flags_of(file->flags);
	entry.excluded = flags_of(file->excluded_flags);
	entry.name = file->name;
	entry.description = file->description;
	entry.duration_ms = file->duration_ms;
	entry.workers = file->workers;
	entry.checks = &file->checks;
	return vec_push(&s->list, entry);
}
