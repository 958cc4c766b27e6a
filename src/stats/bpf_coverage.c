// SPDX-License-Identifier: GPL-2.0-only
/* Coverage reports as text, for users and for lcov. */
#include "stats/bpf_coverage.h"

#include "run/report.h"

static double percent(size_t part, size_t all)
{
	return all ? 100.0 * (double)part / (double)all : 0;
}

static void add_row(struct table *t, const char *name, size_t lines, size_t executed,
		    size_t branches, size_t both)
{
	table_texts(t, name);
	table_cellf(t, 1, "%zu", lines);
	table_cellf(t, 2, "%zu", executed);
	table_cellf(t, 3, "%.1f %%", percent(executed, lines));
	if (branches)
		table_cellf(t, 4, "%zu of %zu", both, branches);
}

/* Sum over its functions; a line that occurs in two of them counts twice. */
static void add_program(struct table *t, const struct bpf_cover *c, size_t first)
{
	const char *program = c->functions.items[first].program;
	size_t lines = 0, executed = 0, branches = 0, both = 0;

	for (size_t i = 0; i < first; i++)
		if (str_eq(c->functions.items[i].program, program))
			return;
	for (size_t i = first; i < c->functions.count; i++) {
		const struct cover_function *f = &c->functions.items[i];

		if (!str_eq(f->program, program))
			continue;
		lines += f->lines.count;
		for (size_t k = 0; k < f->lines.count; k++)
			executed += f->lines.items[k].count > 0;
		branches += f->branches.count;
		for (size_t k = 0; k < f->branches.count; k++)
			both += f->branches.items[k].is_taken && f->branches.items[k].is_passed;
	}
	if (lines)
		add_row(t, program, lines, executed, branches, both);
}

static size_t count_silent(const struct bpf_cover *c)
{
	size_t count = 0;

	for (size_t i = 0; i < c->functions.count; i++)
		count += !c->functions.items[i].lines.count;
	return count;
}

static void add_notes(const struct bpf_sources *s, const struct bpf_cover *c, struct str *out)
{
	size_t silent = count_silent(c);

	str_addf(out, "%zu of %zu lines that line info names were executed in %" PRIu64 " run%s\n",
		 s->executed, s->lines, c->runs, c->runs == 1 ? "" : "s");
	if (silent)
		str_addf(out, "%zu function%s no line info and no part in this\n", silent,
			 silent == 1 ? " has" : "s have");
	if (c->is_cut)
		str_add(out, "there was more than could be kept: not all is known\n");
}

/* Blocks overlap if one starts inside another, and may extend beyond the end of the function. */
static uint64_t executed_bytes(const struct cover_kernel *k)
{
	uint64_t sum = 0, end = 0;

	vec_each(const struct cover_block, b, &k->blocks) {
		uint64_t until = MIN((uint64_t)b->at + b->bytes, (uint64_t)k->bytes);
		uint64_t from = MAX((uint64_t)b->at, end);

		if (until <= from)
			continue;
		sum += until - from;
		end = until;
	}
	return sum;
}

static int add_kernel(const struct bpf_cover *c, struct str *out)
{
	_table_ struct table t = {};
	int rc;

	table_titles(&t, "kernel function", "bytes", "executed", "share");
	vec_each(const struct cover_kernel, k, &c->kernel) {
		uint64_t executed = executed_bytes(k);

		table_texts(&t, k->name);
		table_cellf(&t, 1, "%u", k->bytes);
		table_cellf(&t, 2, "%" PRIu64, executed);
		table_cellf(&t, 3, "%.1f %%", percent(executed, k->bytes));
	}
	rc = table_add(&t, out);
	str_addc(out, '\n');
	return rc;
}

int bpf_coverage_table(const struct bpf_sources *s, const struct bpf_cover *c, struct str *out)
{
	_table_ struct table t = {}, p = {};
	int rc;

	table_titles(&t, "file", "lines", "executed", "share", "jumps both ways");
	table_titles(&p, "program", "lines", "executed", "share", "jumps both ways");
	for (size_t i = 0; i < s->items.count; i++)
		add_row(&t, s->items.items[i].file, s->items.items[i].lines.count,
			s->items.items[i].executed, s->items.items[i].branches,
			s->items.items[i].both_ways);
	for (size_t i = 0; i < c->functions.count; i++)
		add_program(&p, c, i);
	rc = table_add(&t, out);
	str_addc(out, '\n');
	rc = rc ?: table_add(&p, out);
	str_addc(out, '\n');
	if (rc == 0 && c->kernel.count)
		rc = add_kernel(c, out);
	add_notes(s, c, out);
	return rc;
}

/* An executed jump has two branches, each of which was seen or not. */
static void add_branches(const struct bpf_cover *c, const char *file, struct str *out)
{
	unsigned int number = 0;

	for (size_t i = 0; i < c->functions.count; i++)
		vec_each(const struct cover_branch, b, &c->functions.items[i].branches) {
			if (!str_eq(c->files.items[b->file], file))
				continue;
			str_addf(out, "BRDA:%u,%u,0,%d\nBRDA:%u,%u,1,%d\n", b->line, number,
				 b->is_passed, b->line, number, b->is_taken);
			number++;
		}
}

int bpf_coverage_lcov(const struct bpf_sources *s, const struct bpf_cover *c, struct str *out)
{
	vec_each(const struct bpf_source, f, &s->items) {
		str_addf(out, "TN:\nSF:%s\n", f->file);
		add_branches(c, f->file, out);
		for (size_t k = 0; k < f->lines.count; k++)
			str_addf(out, "DA:%u,%" PRIu64 "\n", f->lines.items[k].line,
				 f->lines.items[k].count);
		str_addf(out, "LF:%zu\nLH:%zu\nend_of_record\n", f->lines.count, f->executed);
	}
	return str_check(out);
}

static void add_text_line(void *ctx, uint32_t number, const char *text,
			  const struct bpf_source_line *line)
{
	if (line)
		str_addf(ctx, "%5u|%10" PRIu64 "|%s\n", number, line->count, text);
	else
		str_addf(ctx, "%5u|%10s|%s\n", number, "", text);
}

int bpf_coverage_text(const struct bpf_sources *s, const struct bpf_cover *c _unused_,
		      struct str *out)
{
	int rc = 0;

	for (size_t i = 0; i < s->items.count && rc == 0; i++) {
		str_addf(out, "%s%s:\n", i ? "\n" : "", s->items.items[i].file);
		rc = bpf_source_walk(&s->items.items[i], add_text_line, out);
	}
	return rc ?: str_check(out);
}

static int bpf_coverage_json(const struct bpf_sources *s _unused_, const struct bpf_cover *c,
			     struct str *out)
{
	struct json j;

	json_init(&j, out, true);
	bpf_cover_to_json(c, &j);
	str_addc(out, '\n');
	return str_check(out);
}

/* ---- output ---- */

typedef int report_fn(const struct bpf_sources *s, const struct bpf_cover *c, struct str *out);

static report_fn *const formats[] = {
	[COVERAGE_TABLE] = bpf_coverage_table, [COVERAGE_TEXT] = bpf_coverage_text,
	[COVERAGE_LCOV] = bpf_coverage_lcov,   [COVERAGE_JSON] = bpf_coverage_json,
	[COVERAGE_HTML] = bpf_coverage_html,
};

static int load(const char *dir, const char *ignore, struct bpf_cover *c, struct bpf_sources *s)
{
	int rc = bpf_coverage_load(dir, c) ?: bpf_sources_make(s, c, ignore);

	if (rc == 0 && !c->functions.count)
		return err_set(ENOENT, "no BPF program was loaded while it could be seen");
	if (rc == 0 && !s->lines)
		return err_set(ENOENT,
			       "none of %zu BPF functions has line info: compile "
			       "the scheduler with clang -g, and keep .BTF.ext",
			       c->functions.count);
	return rc;
}

/* Writes to dir/name, or to the file itself. */
static int write_to(const char *dir, const char *name, report_fn *format, const struct bpf_cover *c,
		    const struct bpf_sources *s)
{
	_free_ char *path = dir ? str_fmt("%s/%s", dir, name) : strdup(name);
	_str_ struct str out = {};
	int rc = path ? format(s, c, &out) : err_no_memory();

	if (rc == 0 && dir)
		rc = file_make_dirs(dir, 0755);
	return rc < 0 ? rc : file_replace(path, str_get(&out), out.len, 0644);
}

int bpf_coverage_report(const char *dir, const struct coverage_report *r)
{
	_bpf_sources_ struct bpf_sources s = {};
	_bpf_cover_ struct bpf_cover c = {};
	_free_ char *html = r->output ? strdup(r->output) : str_fmt("%s/html", dir);
	_str_ struct str out = {};
	int rc = html ? load(dir, r->ignore, &c, &s) : err_no_memory();

	if (rc < 0)
		return rc;
	if (r->format == COVERAGE_HTML) {
		rc = write_to(html, "index.html", bpf_coverage_html, &c, &s);
		if (rc == 0)
			log_note("%s: wrote %s/index.html", log_label(), html);
		return rc;
	}
	if (r->output)
		return write_to(NULL, r->output, formats[r->format], &c, &s);
	rc = formats[r->format](&s, &c, &out);
	if (rc == 0)
		fputs(str_get(&out), stdout);
	return rc;
}

int bpf_coverage_report_all(const char *dir)
{
	static const struct {
		const char *name;
		enum coverage_format format;
	} files[] = { { "lcov.info", COVERAGE_LCOV },
		      { "coverage.json", COVERAGE_JSON },
		      { "index.html", COVERAGE_HTML } };
	_bpf_sources_ struct bpf_sources s = {};
	_bpf_cover_ struct bpf_cover c = {};
	int rc = load(dir, NULL, &c, &s);

	for (size_t i = 0; i < ARRAY_SIZE(files) && rc == 0; i++)
		rc = write_to(dir, files[i].name, formats[files[i].format], &c, &s);
	if (rc == 0)
		log_note("%s: %zu of %zu lines of BPF programs were executed (%.1f %%): "
			 "%s/index.html",
			 log_label(), s.executed, s.lines, percent(s.executed, s.lines), dir);
	return rc;
}
