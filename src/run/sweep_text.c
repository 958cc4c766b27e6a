// SPDX-License-Identifier: GPL-2.0-only
/* A sweep as text: failures and their reasons, instruction counts, the grid. */
#include "run/parts.h"

#define GOOD "✅"
#define BAD "❌"
#define MIXED "🇽"
#define NO_CELL "-"

/* ---- cells ---- */

#define TIMING "verification time "

/* Next line and its length, without lines about verification time; NULL = none. */
static const char *next_line(const char **at, size_t *len)
{
	const char *line;

	do {
		line = *at;
		*len = strcspn(line, "\n");
		*len += line[*len] == '\n';
		*at += *len;
	} while (*len && str_starts(line, TIMING));
	return *len ? line : NULL;
}

static bool is_same_log(const struct str *a, const struct str *b)
{
	const char *x = str_get(a), *y = str_get(b), *left, *right;
	size_t left_len, right_len;

	do {
		left = next_line(&x, &left_len);
		right = next_line(&y, &right_len);
		if (!left || !right)
			return !left && !right;
	} while (left_len == right_len && memcmp(left, right, left_len) == 0);
	return false;
}

/* The first bad cell before this one that has the same log; NULL = none. */
static const struct sweep_cell *find_same_log(const struct sweep *s, const struct sweep_cell *c)
{
	for (const struct sweep_cell *first = s->cells.items; first < c; first++)
		if (first->problem.len && first->log.len && is_same_log(&first->log, &c->log))
			return first;
	return NULL;
}

static void add_place(const struct sweep_cell *c, struct str *out)
{
	str_addf(out, "%s | kernel %s | topology %s", c->scheduler->name, c->kernel,
		 c->variant.preset->name);
	if (c->profile)
		str_addf(out, " | profile %s", c->profile);
}

static void add_cell_text(const struct sweep *s, const struct sweep_cell *c, struct str *out)
{
	const struct sweep_cell *same = c->log.len && c->problem.len ? find_same_log(s, c) : NULL;

	str_add(out, "=== ");
	add_place(c, out);
	str_add(out, " ===\nverifier\n");
	for (size_t i = 0; i < c->report.programs.count; i++)
		str_addf(out, "  %-40s verified_insns=%llu\n", c->report.programs.items[i].name,
			 ULL(c->report.programs.items[i].verified_insns));
	if (!c->has_ended)
		str_addf(out, "  scheduler: %s\n", c->problem.len ? c->problem.s : "not run");
	else
		str_addf(out, "  scheduler: %s%s%s\n", c->is_attached ? "ATTACHED" : "NOT ATTACHED",
			 c->problem.len ? " — " : "", str_get(&c->problem));
	if (c->figures.has_processed) {
		str_add(out, "verifier --- verifier stats ---\n  ");
		verifier_figures_format(&c->figures, out);
		str_addc(out, '\n');
	}
	if (same) {
		str_add(out, "verifier --- scheduler log ---\n  the same as above of ");
		add_place(same, out);
		str_addc(out, '\n');
	} else if (c->problem.len) {
		sched_text_add_section(out, "verifier --- scheduler log ---", &c->log);
		sched_text_add_section(out, "verifier --- sched_ext dump ---", &c->dump);
	}
	str_addc(out, '\n');
}

/* ---- instruction counts ---- */

/* Selects the cells of a value; a NULL member matches any. */
struct slice {
	const struct sweep_scheduler *scheduler;
	const char *kernel, *profile;
};

static bool is_in(const struct slice *s, const struct sweep_cell *c)
{
	return c->scheduler == s->scheduler && (!s->kernel || str_eq(s->kernel, c->kernel)) &&
	       (!s->profile || (c->profile && str_eq(s->profile, c->profile)));
}

struct range {
	bool is_known;
	uint64_t low, high;
};

static void add_to_range(struct range *r, uint64_t value)
{
	r->low = r->is_known ? MIN(r->low, value) : value;
	r->high = r->is_known ? MAX(r->high, value) : value;
	r->is_known = true;
}

static struct range range_of(const struct sweep *s, const struct slice *slice, const char *program)
{
	struct range r = {};

	vec_each(const struct sweep_cell, c, &s->cells) {
		for (size_t k = 0; is_in(slice, c) && k < c->report.programs.count; k++)
			if (str_eq(c->report.programs.items[k].name, program))
				add_to_range(&r, c->report.programs.items[k].verified_insns);
	}
	return r;
}

static void fill_range(struct table *t, size_t column, const struct range *r)
{
	if (!r->is_known)
		table_cell(t, column, NO_CELL);
	else if (r->low == r->high)
		table_cellf(t, column, "%llu", ULL(r->low));
	else
		table_cellf(t, column, "%llu..%llu", ULL(r->low), ULL(r->high));
}

struct cell_names {
	VEC(const char *) items;
};

static int add_name(struct cell_names *n, const char *name)
{
	return str_index(n->items.items, n->items.count, name) >= 0 ? 0 : vec_push(&n->items, name);
}

/* Names of programs and profiles of a scheduler, in the order of their first appearance. */
static int collect_names(const struct sweep *s, const struct slice *slice,
			 struct cell_names *programs, struct cell_names *profiles)
{
	int rc = 0;

	vec_each_while(const struct sweep_cell, c, &s->cells, rc == 0) {
		if (!is_in(slice, c))
			continue;
		if (c->profile)
			rc = add_name(profiles, c->profile);
		for (size_t k = 0; k < c->report.programs.count && rc == 0; k++)
			rc = add_name(programs, c->report.programs.items[k].name);
	}
	return rc;
}

static int add_kernel_table(const struct sweep *s, const struct sweep_scheduler *scheduler,
			    struct cell_names *programs, struct str *out)
{
	_table_ struct table t = {};
	_vec_ struct cell_names columns = {};
	int rc = vec_push(&columns.items, "kernel");

	for (size_t i = 0; i < programs->items.count && rc == 0; i++)
		rc = vec_push(&columns.items, programs->items.items[i]);
	rc = rc ?: table_init(&t, columns.items.items, columns.items.count);
	for (size_t k = 0; k < s->kernels.items.count && rc == 0; k++) {
		struct slice slice = { .scheduler = scheduler, .kernel = s->kernels.labels[k] };

		table_texts(&t, slice.kernel);
		for (size_t p = 0; p < programs->items.count; p++) {
			struct range r = range_of(s, &slice, programs->items.items[p]);

			fill_range(&t, p + 1, &r);
		}
	}
	return rc ?: table_add(&t, out);
}

/* Table of instruction counts of two profiles: what a set of flags costs or saves. */
static int add_profile_table(const struct sweep *s, const struct sweep_scheduler *scheduler,
			     const struct cell_names *programs, const char *a, const char *b,
			     struct str *out)
{
	struct slice first = { .scheduler = scheduler, .profile = a };
	struct slice second = { .scheduler = scheduler, .profile = b };
	_table_ struct table t = {};

	table_titles(&t, "program", a, b, "delta");
	for (size_t i = 0; i < programs->items.count; i++) {
		struct range x = range_of(s, &first, programs->items.items[i]);
		struct range y = range_of(s, &second, programs->items.items[i]);

		table_texts(&t, programs->items.items[i]);
		fill_range(&t, 1, &x);
		fill_range(&t, 2, &y);
		if (x.is_known && y.is_known)
			table_cellf(&t, 3, "%+lld", (long long)(x.high - y.high));
		else
			table_cell(&t, 3, NO_CELL);
	}
	str_addc(out, '\n');
	return table_add(&t, out);
}

static int add_counts(const struct sweep *s, const struct sweep_scheduler *scheduler,
		      struct str *out)
{
	_vec_ struct cell_names programs = {}, profiles = {};
	struct slice all = { .scheduler = scheduler };
	int rc = collect_names(s, &all, &programs, &profiles);

	str_addf(out, "\n%s:\n", scheduler->name);
	if (rc == 0 && programs.items.count == 0)
		str_add(out, " nothing verified\n");
	else if (rc == 0)
		rc = add_kernel_table(s, scheduler, &programs, out);
	for (size_t i = 1; i < profiles.items.count && rc == 0; i++)
		rc = add_profile_table(s, scheduler, &programs, profiles.items.items[0],
				       profiles.items.items[i], out);
	return rc;
}

/* ---- the grid ---- */

struct tally {
	size_t good, bad;
};

static struct tally tally_of(const struct sweep *s, const struct sweep_scheduler *scheduler,
			     const char *kernel, const struct preset *preset)
{
	struct tally t = {};

	vec_each(const struct sweep_cell, c, &s->cells) {
		if (c->scheduler != scheduler || c->variant.preset != preset ||
		    !str_eq(c->kernel, kernel))
			continue;
		if (sweep_cell_is_good(c))
			t.good++;
		else
			t.bad++;
	}
	return t;
}

static const char *mark_of(const struct tally *t)
{
	if (t->good + t->bad == 0)
		return NO_CELL;
	if (t->good && t->bad)
		return MIXED;
	return t->good ? GOOD : BAD;
}

static void add_grid_row(const struct sweep *s, struct table *t, const struct preset *preset,
			 const char *kernel)
{
	table_texts(t, preset->name, kernel);
	for (size_t i = 0; i < s->schedulers.count; i++) {
		struct tally found = tally_of(s, &s->schedulers.items[i], kernel, preset);

		table_cell(t, i + 2, mark_of(&found));
	}
}

/* Counts combinations of scheduler, kernel, machine and flags by result. */
static void add_summary(const struct sweep *s, struct str *out)
{
	size_t bad = sweep_bad_count(s);

	str_addf(out,
		 "\nverifier summary: %zu " GOOD "  %zu " BAD "  of %zu combination%s\n"
		 "(" GOOD " verifies, attaches and lets a worker run on every CPU, " BAD
		 " does not, " MIXED " with some sets of flags only, " NO_CELL " not tried)\n",
		 s->cells.count - bad, bad, s->cells.count, s->cells.count == 1 ? "" : "s");
}

static int add_grid(const struct sweep *s, struct str *out)
{
	_table_ struct table t = {};
	_vec_ struct cell_names columns = {};
	int rc = vec_push(&columns.items, "topology");

	rc = rc ?: vec_push(&columns.items, "kernel");
	for (size_t i = 0; i < s->schedulers.count && rc == 0; i++)
		rc = vec_push(&columns.items, s->schedulers.items[i].name);
	rc = rc ?: table_init(&t, columns.items.items, columns.items.count);
	for (size_t p = 0; p < s->presets.count && rc == 0; p++)
		for (size_t k = 0; k < s->kernels.items.count; k++)
			add_grid_row(s, &t, s->presets.items[p], s->kernels.labels[k]);
	add_summary(s, out);
	return rc ?: table_add(&t, out);
}

static void add_failing(const struct sweep *s, struct str *out)
{
	if (sweep_bad_count(s) == 0)
		return;
	str_add(out, "\nfailing combinations (scheduler / kernel / topology):\n");
	vec_each(const struct sweep_cell, c, &s->cells) {
		if (sweep_cell_is_good(c))
			continue;
		str_addf(out, "  %s / %s / %s", c->scheduler->name, c->kernel,
			 c->variant.preset->name);
		if (c->profile)
			str_addf(out, " / %s", c->profile);
		str_addc(out, '\n');
	}
}

static int add_all(const struct sweep *s, struct str *out)
{
	int rc = 0;

	for (size_t i = 0; i < s->cells.count; i++)
		if (!sweep_cell_is_good(&s->cells.items[i]) || s->options->is_verbose)
			add_cell_text(s, &s->cells.items[i], out);
	str_add(out, "verifier verified_insns (per scheduler; rows: kernel, cols: BPF program, "
		     "cell: range across topologies):\n");
	for (size_t i = 0; i < s->schedulers.count && rc == 0; i++)
		rc = add_counts(s, &s->schedulers.items[i], out);
	rc = rc ?: add_grid(s, out);
	add_failing(s, out);
	return rc;
}

/* Escapes control characters: the text quotes logs. */
int sweep_add_text(const struct sweep *s, struct str *out)
{
	_str_ struct str raw = {};
	int rc = add_all(s, &raw) ?: str_check(&raw);

	text_add_lines(out, str_get(&raw));
	return rc ?: str_check(out);
}
