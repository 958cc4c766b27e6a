// SPDX-License-Identifier: GPL-2.0-only
/* Reports as plain text. */
#include "ctprof/render_parts.h"

void table_dress(struct table *t, const struct report *r)
{
	if (r->options->wrap_width)
		table_set_wrap(t, r->options->wrap_width);
	if (r->options->has_colour)
		table_set_header_colour(t, STYLE_HEADER);
}

int table_start(struct table *t, const struct report *r, const char *const *titles, size_t count)
{
	int rc = table_init(t, titles, count);

	if (rc == 0)
		table_dress(t, r);
	return rc;
}

static int add_heading(void *context, const char *text, size_t len, size_t depth, bool is_cgroup)
{
	struct grid *s = context;
	const char *colour = s->report->options->has_colour ? style_heading(depth, is_cgroup) :
							      NULL;
	_free_ char *name = strndup(text, len);
	_str_ struct str line = {};

	if (!name)
		return err_no_memory();
	str_addc(&line, ' ');
	str_repeat(&line, ' ', 2 * depth);
	str_add(&line, colour ? colour : "");
	name_add_printable(&line, name);
	str_add(&line, colour ? STYLE_RESET : "");
	return line.failed ? str_check(&line) : table_heading(&s->sheet.table, str_get(&line));
}

static int add_leaf_heading(struct grid *s, const struct group *g)
{
	_str_ struct str line = {};

	str_addc(&line, ' ');
	str_repeat(&line, ' ', 2 * (tree_depth(g) + 1));
	group_add_leaf(&line, g);
	return line.failed ? str_check(&line) : table_heading(&s->sheet.table, str_get(&line));
}

static int add_tree(struct grid *s, const struct ranking *rows)
{
	_free_ struct leaf *leaves = calloc(rows->count + 1, sizeof(*leaves));
	const struct group *previous = NULL;
	int rc = leaves ? 0 : err_no_memory();

	for (size_t i = 0; leaves && i < rows->count; i++)
		leaves[i] = (struct leaf){ .group = &s->groups->groups[rows->rows[i].group],
					   .index = i };
	rc = rc ?: tree_order(leaves, rows->count);
	for (size_t i = 0; rc == 0 && i < rows->count; i++) {
		const struct group *g = leaves[i].group;
		struct row_view v = row_view(s->report, s->groups, &rows->rows[leaves[i].index]);

		rc = tree_headings(previous, g, add_heading, s);
		if (rc == 0 && s->has_no_names && g != previous)
			rc = add_leaf_heading(s, g);
		grid_add(s, &v, 2 * (tree_depth(g) + 1) + 2);
		previous = g;
	}
	return rc;
}

static int add_flat(struct grid *s, const struct ranking *rows)
{
	for (size_t i = 0; i < rows->count; i++) {
		struct row_view v = row_view(s->report, s->groups, &rows->rows[i]);

		grid_add(s, &v, 0);
	}
	return 0;
}

static int render_grid(struct grid *s, const struct ranking *rows)
{
	bool is_tree = s->report->options->axis == AXIS_ALL ||
		       s->report->options->axis == AXIS_NAMES;
	int rc, ended;

	grid_begin(s);
	rc = is_tree ? add_tree(s, rows) : add_flat(s, rows);
	ended = sheet_end(&s->sheet);
	return rc ?: ended;
}

/*
 * "/a/b" is "b" in "/a"; top-level cgroups and the root itself are in "/". A name without a slash,
 * which is a glob of --cgroup-flatten, is its own parent.
 */
static void split_path(const char *path, const char **leaf, size_t *parent_len)
{
	const char *slash = strrchr(path, '/');

	*leaf = slash && slash[1] ? slash + 1 : path;
	*parent_len = !slash ? strlen(path) : MAX((size_t)(slash - path), 1);
}

struct parent {
	const char *path;
	size_t len;
	size_t row;
};

static int compare_parents(const void *a, const void *b)
{
	const struct parent *x = a, *y = b;
	int order = memcmp(x->path, y->path, MIN(x->len, y->len));

	if (!order)
		order = x->len < y->len ? -1 : x->len > y->len;
	return order ? order : x->row < y->row ? -1 : x->row > y->row;
}

static bool is_same_parent(const struct parent *a, const struct parent *b)
{
	return a->len == b->len && memcmp(a->path, b->path, a->len) == 0;
}

/* The rows of one parent; they show the last segment only. */
static int render_siblings(struct grid *s, const struct ranking *rows, const struct parent *list,
			   size_t count)
{
	_str_ struct str heading = {};
	_free_ char *path = strndup(list->path, list->len);

	if (!path)
		return err_no_memory();
	grid_begin(s);
	for (size_t i = 0; i < count; i++) {
		struct row_view v = row_view(s->report, s->groups, &rows->rows[list[i].row]);
		struct group shown = *v.group;
		size_t len;

		split_path(v.group->cgroup_shown, &shown.cgroup_shown, &len);
		v.group = &shown;
		grid_add(s, &v, 0);
	}
	str_add(&heading, "## ");
	text_add_printable(&heading, path);
	render_heading(s->report, s->sheet.out, str_get(&heading), STYLE_HEADER);
	return sheet_end(&s->sheet);
}

/* Axis cgroup: one table per parent. */
static int render_by_parent(struct grid *s, const struct ranking *rows)
{
	_free_ struct parent *list = calloc(rows->count + 1, sizeof(*list));
	int rc = list ? 0 : err_no_memory();
	const char *leaf;

	for (size_t i = 0; list && i < rows->count; i++) {
		list[i] = (struct parent){
			.path = s->groups->groups[rows->rows[i].group].cgroup_shown, .row = i
		};
		split_path(list[i].path, &leaf, &list[i].len);
	}
	if (list)
		qsort(list, rows->count, sizeof(*list), compare_parents);
	for (size_t i = 0, end; rc == 0 && i < rows->count; i = end) {
		for (end = i + 1; end < rows->count && is_same_parent(&list[i], &list[end]);)
			end++;
		rc = render_siblings(s, rows, &list[i], end - i);
	}
	return rc;
}

static int render_rows(const struct report *r, const struct ranking *rows, const char *heading,
		       struct str *out)
{
	struct grid s = { .report = r, .groups = &r->groups, .side = CANDIDATE, .sheet.out = out };
	int rc;

	if (!rows->count)
		return 0;
	grid_use(&s, r->options->columns, r->options->column_count, NULL);
	grid_add_sort_column(&s);
	render_heading(r, out, heading, STYLE_HEADER);
	rc = r->options->axis == AXIS_CGROUP ? render_by_parent(&s, rows) : render_grid(&s, rows);
	render_cut(out, rows->cut);
	if (rows->held_back)
		str_addf(out, "... %zu more rows of groups that have over %d (use --all-rows)\n",
			 rows->held_back, ROWS_PER_GROUP);
	if (rows->little_groups)
		str_addf(out,
			 "... %zu more group%s that ran and waited for less than %d ms (use "
			 "--all-rows)\n",
			 rows->little_groups, rows->little_groups == 1 ? "" : "s", LITTLE_MS);
	return rc;
}

/* Counts of new or exited threads: one side only, so there are no differences. */
static int render_population(const struct report *r, const struct grouping *groups,
			     const struct ranking *rows, enum side side, const char *what,
			     struct str *out)
{
	const enum column columns[] = { COLUMN_GROUP, COLUMN_THREADS, COLUMN_METRIC,
					side == BASELINE ? COLUMN_BASELINE : COLUMN_CANDIDATE };
	struct grid s = { .report = r, .groups = groups, .sheet.out = out };
	_free_ char *heading = NULL;
	size_t threads = 0;
	int rc;

	for (size_t i = 0; i < groups->count; i++)
		threads += groups->groups[i].sides[side]->threads;
	if (!threads || !options_want_groups(r->options))
		return 0;
	heading = str_fmt("## %s threads (%zu)", what, threads);
	if (!heading)
		return err_no_memory();
	render_heading(r, out, heading, STYLE_HEADER);
	if (!rows->count)
		str_add(out, " counted nothing in the chosen metrics\n");
	grid_use(&s, columns, ARRAY_SIZE(columns), NULL);
	rc = rows->count ? render_grid(&s, rows) : 0;
	render_cut(out, rows->cut);
	return rc;
}

static int render_summary(const struct report *r, struct str *out)
{
	_summary_ struct summary summary = {};
	int rc = summary_collect(&summary, r);

	for (size_t i = 0; i < summary.count; i++) {
		if (r->options->line_width)
			text_wrap(out, str_get(&summary.items[i]), 2, r->options->line_width);
		else
			str_add(out, str_get(&summary.items[i]));
		str_addc(out, '\n');
	}
	return rc;
}

int render_table(const struct report *r, struct str *out)
{
	static const enum section_id compare_order[] = {
		SECTION_SMAPS_ROLLUP, SECTION_CGROUP_STATS, SECTION_CGROUP_LIMITS,
		SECTION_CGROUP_PEAKS, SECTION_MEMORY_STAT,  SECTION_MEMORY_EVENTS,
		SECTION_IO_STAT,      SECTION_PRESSURE,	    SECTION_HOST_PRESSURE,
		SECTION_SCHED_EXT,
	};
	static const enum section_id show_order[] = {
		SECTION_CGROUP_STATS, SECTION_CGROUP_LIMITS, SECTION_CGROUP_PEAKS,
		SECTION_MEMORY_STAT,  SECTION_MEMORY_EVENTS, SECTION_IO_STAT,
		SECTION_PRESSURE,     SECTION_HOST_PRESSURE, SECTION_SMAPS_ROLLUP,
		SECTION_SCHED_EXT,
	};
	const enum section_id *order = r->options->is_show ? show_order : compare_order;
	int rc = render_summary(r, out);

	rc = rc ?: render_times(r, out);
	rc = rc ?: render_rows(r, &r->primary, sections[SECTION_PRIMARY].heading, out);
	rc = rc ?: render_rows(r, &r->derived, sections[SECTION_DERIVED].heading, out);
	rc = rc ?: render_population(r, &r->born, &r->born_rows, CANDIDATE, "Born", out);
	rc = rc ?: render_population(r, &r->died, &r->died_rows, BASELINE, "Died", out);
	for (size_t i = 0; rc == 0 && i < ARRAY_SIZE(compare_order); i++)
		rc = render_facts(r, order[i], out);
	rc = rc ?: render_fudge(r, out);
	return rc < 0 ? rc : render_unmatched(r, out);
}
