// SPDX-License-Identifier: GPL-2.0-only
/* Text after the tables: renamed cgroups, and groups without a partner. */
#include "ctprof/render_parts.h"

void render_heading(const struct report *r, struct str *out, const char *heading,
		    const char *colour)
{
	bool has_colour = r->options->has_colour;

	if (out->len)
		str_addc(out, '\n');
	str_addf(out, "%s%s%s\n", has_colour ? colour : "", heading, has_colour ? STYLE_RESET : "");
}

void render_cut(struct str *out, size_t lines)
{
	if (lines)
		str_addf(out, "... %zu more lines truncated (use --limit 0 for unlimited)\n",
			 lines);
}

static void add_labelled(struct str *out, const char *label, const char *path)
{
	str_addf(out, "  %s", label);
	text_add_printable(out, path);
	str_addc(out, '\n');
}

static void add_residual(struct str *out, const struct fudge_pair *p, enum side side)
{
	if (!p->residual[side].count)
		return;
	str_addf(out, "    residual (%s only): ", side == BASELINE ? "baseline" : "candidate");
	for (size_t i = 0; i < p->residual[side].count; i++) {
		str_add(out, i ? ", " : "");
		name_add_printable(out, p->residual[side].items[i].pcomm);
		str_addc(out, ':');
		name_add_printable(out, p->residual[side].items[i].comm);
	}
	str_addc(out, '\n');
}

static void add_pair(struct str *out, const struct fudge_pair *p)
{
	add_labelled(out, "baseline:  ", p->cgroups[BASELINE]);
	add_labelled(out, "candidate: ", p->cgroups[CANDIDATE]);
	if (p->has_own_roots) {
		str_add(out, "    cascade roots: baseline=");
		text_add_printable(out, p->roots[BASELINE]);
		str_add(out, " candidate=");
		text_add_printable(out, p->roots[CANDIDATE]);
		str_addc(out, '\n');
	}
	str_addf(out, "    overlap: %u thread types, Jaccard: %.1f%%, cascaded children: %u\n",
		 p->overlap, 100.0 * p->overlap / p->in_all, p->cascaded);
	add_residual(out, p, BASELINE);
	add_residual(out, p, CANDIDATE);
}

int render_fudge(const struct report *r, struct str *out)
{
	_free_ char *heading = NULL;

	if (!r->fudge.count || !options_want_groups(r->options))
		return 0;
	heading = str_fmt("## Fudged cgroup matches (%zu pair(s))", r->fudge.count);
	if (!heading)
		return err_no_memory();
	render_heading(r, out, heading, STYLE_FUDGED);
	for (size_t i = 0; i < r->fudge.count; i++)
		add_pair(out, &r->fudge.pairs[i]);
	return 0;
}

static int add_heading(void *context, const char *text, size_t len, size_t depth,
		       bool is_cgroup _unused_)
{
	struct str *out = context;
	_free_ char *name = strndup(text, len);

	if (!name)
		return err_no_memory();
	str_repeat(out, ' ', 2 + 2 * depth);
	name_add_printable(out, name);
	str_addc(out, '\n');
	return 0;
}

static int add_leaf(struct str *out, const struct group *g, const struct group *previous,
		    bool is_tree)
{
	int rc = is_tree ? tree_headings(previous, g, add_heading, out) : 0;

	str_repeat(out, ' ', 2 + (is_tree ? 2 * (tree_depth(g) + 1) : 0));
	name_add_printable(out, group_leaf(g));
	str_addc(out, '\n');
	return rc;
}

/* Groups are sorted by key, so the branches of the tree are contiguous. */
static int add_only_in(const struct report *r, enum side side, struct str *out)
{
	bool is_tree = r->options->axis == AXIS_ALL || r->options->axis == AXIS_NAMES;
	const struct group *previous = NULL;
	size_t limit = r->options->limit, count = 0, shown = 0;
	int rc = 0;

	for (size_t i = 0; i < r->groups.count; i++)
		count += group_is_only_in(&r->groups.groups[i], side);
	if (!count)
		return 0;
	str_addf(out, "%s%zu group(s) only in %s (", out->len ? "\n" : "", count,
		 side == BASELINE ? "baseline" : "candidate");
	text_add_printable(out, r->paths[side]);
	str_add(out, "):\n");
	array_each_while(const struct group, g, r->groups.groups, r->groups.count, rc == 0) {
		if (!group_is_only_in(g, side) || (limit && shown == limit))
			continue;
		rc = add_leaf(out, g, previous, is_tree);
		previous = g;
		shown++;
	}
	render_cut(out, count - shown);
	return rc;
}

int render_unmatched(const struct report *r, struct str *out)
{
	int rc;

	if (r->options->is_show || !options_want_groups(r->options))
		return 0;
	rc = add_only_in(r, BASELINE, out);
	return rc < 0 ? rc : add_only_in(r, CANDIDATE, out);
}
