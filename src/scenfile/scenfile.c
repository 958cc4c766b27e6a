// SPDX-License-Identifier: GPL-2.0-only
/* Scenario files: detects the format, and runs what was read. */
#include "scenfile/scenfile.h"

#include "scenfile/rtapp.h"

#define MAX_SIZE (1 << 20)

/* A YAML map may begin with a brace, too, but files do not. */
static bool is_json(const char *text)
{
	return text[strspn(text, " \t\r\n")] == '{';
}

int scenfile_parse(const char *name, const char *text, size_t len, struct arena *arena,
		   struct scenfile *out)
{
	*out = (struct scenfile){};
	if (len > MAX_SIZE)
		return err_set(EFBIG, "%s: %zu bytes are too much for a scenario; at most %d", name,
			       len, MAX_SIZE);
	if (is_json(text))
		return scenfile_parse_rtapp(name, text, len, arena, out);
	return scenfile_parse_yaml(name, text, len, arena, out);
}

/* "dir/steal.yaml" -> "steal" */
static const char *base_name(const char *path, struct arena *arena)
{
	const char *base = basename(path);
	const char *dot = strrchr(base, '.');

	return arena_copy(arena, base, dot && dot > base ? (size_t)(dot - base) : strlen(base));
}

int scenfile_read(const char *path, const char *text, size_t len, struct arena *arena,
		  struct scenfile *out)
{
	int rc = scenfile_parse(path, text, len, arena, out);

	if (rc < 0)
		return rc;
	if (!out->name)
		out->name = base_name(path, arena);
	if (!out->description)
		out->description = arena_copy(arena, path, strlen(path));
	return out->name && out->description ? 0 : err_no_memory();
}

int scenfile_load(const char *path, struct arena *arena, struct scenfile *out)
{
	_str_ struct str text = {};
	int rc = file_read(path, &text);

	return rc ?: scenfile_read(path, str_get(&text), text.len, arena, out);
}

static bool skip_small(const struct scenfile *f, const struct ktstr_ctx *ctx,
		       struct ktstr_result *res)
{
	const struct ktstr_topology *t = &f->topology;
	const struct {
		unsigned int needed, there;
		const char *what;
	} bounds[] = {
		{ t->numa_nodes, ktstr_numa_node_count(ctx), "NUMA nodes" },
		{ t->llcs, ktstr_llc_count(ctx), "LLCs" },
		{ t->llcs * t->cores * t->threads, ktstr_cpu_count(ctx), "CPUs" },
	};

	for (size_t i = 0; i < ARRAY_SIZE(bounds); i++)
		if (bounds[i].there < bounds[i].needed) {
			ktstr_result_skip(res, "need >=%u %s", bounds[i].needed, bounds[i].what);
			return true;
		}
	return false;
}

int scenfile_run(const struct scenfile *file, struct ktstr_ctx *ctx, struct ktstr_result *res)
{
	int rc = 0;

	if (skip_small(file, ctx, res))
		return 0;
	if (file->rtapp)
		rc = rtapp_prepare(file->rtapp);
	return rc ?: ktstr_run_scenario(ctx, res, &file->run);
}
