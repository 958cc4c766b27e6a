// SPDX-License-Identifier: GPL-2.0-only
/* Converts coverage by function to coverage by file. */
#include "base/pattern.h"
#include "stats/bpf_coverage.h"

static struct bpf_source_line *find_line(struct bpf_source *s, uint32_t number)
{
	for (size_t i = 0; i < s->lines.count; i++)
		if (s->lines.items[i].line == number)
			return &s->lines.items[i];
	return vec_push(&s->lines, (struct bpf_source_line){ .line = number, .text = "" }) == 0 ?
		       &s->lines.items[s->lines.count - 1] :
		       NULL;
}

static int add_function(struct bpf_source *s, uint32_t file, const struct cover_function *f)
{
	for (size_t i = 0; i < f->lines.count; i++) {
		struct bpf_source_line *l = f->lines.items[i].file == file ?
						    find_line(s, f->lines.items[i].line) :
						    NULL;

		if (f->lines.items[i].file != file)
			continue;
		if (!l)
			return -ENOMEM;
		l->count += f->lines.items[i].count;
		if (!*l->text)
			l->text = f->lines.items[i].text;
	}
	vec_each(const struct cover_branch, b, &f->branches) {
		struct bpf_source_line *l = b->file == file ? find_line(s, b->line) : NULL;

		if (!l)
			continue;
		l->branches++;
		l->both_ways += b->is_taken && b->is_passed;
	}
	return 0;
}

static void sum_up(struct bpf_sources *all, struct bpf_source *s)
{
	vec_sort(&s->lines, order_u32);
	for (size_t i = 0; i < s->lines.count; i++) {
		s->executed += s->lines.items[i].count > 0;
		s->branches += s->lines.items[i].branches;
		s->both_ways += s->lines.items[i].both_ways;
	}
	all->lines += s->lines.count;
	all->executed += s->executed;
}

static int add_file(struct bpf_sources *all, const struct bpf_cover *c, uint32_t file)
{
	struct bpf_source s = { .file = c->files.items[file] };
	int rc = 0;

	for (size_t i = 0; i < c->functions.count && rc == 0; i++)
		rc = add_function(&s, file, &c->functions.items[i]);
	if (rc == 0 && s.lines.count) {
		sum_up(all, &s);
		rc = vec_push(&all->items, s);
	}
	if (rc < 0 || !s.lines.count)
		free(s.lines.items);
	return rc;
}

int bpf_sources_make(struct bpf_sources *s, const struct bpf_cover *c, const char *ignore)
{
	char why[PATTERN_WHY];
	regex_t pattern;
	int rc = 0;

	if (ignore && pattern_compile(&pattern, ignore, why) < 0)
		return err_set(EINVAL, "'%s' is not a regular expression: %s", ignore, why);
	for (size_t i = 0; i < c->files.count && rc == 0; i++)
		if (!ignore || regexec(&pattern, c->files.items[i], 0, NULL, 0))
			rc = add_file(s, c, (uint32_t)i);
	if (ignore)
		regfree(&pattern);
	vec_sort(&s->items, order_texts);
	return rc;
}

void bpf_sources_finish(struct bpf_sources *s)
{
	vec_release(&s->items, each, free(each->lines.items));
	*s = (struct bpf_sources){};
}

/* ---- the source ---- */

/* Line info contains the compiled text; surrounding blanks are ignored. */
static bool is_same_text(const char *disk, const char *known)
{
	disk += strspn(disk, " \t");
	known += strspn(known, " \t");
	while (*disk && *disk == *known)
		disk++, known++;
	return !*known || (!disk[strspn(disk, " \t\r")] && !known[strspn(known, " \t\r")]);
}

static int split(struct str *text, const char ***lines, size_t *count)
{
	VEC(const char *) all = {};
	char *save = text->s;
	int rc = 0;

	for (char *line; rc == 0 && (line = strsep(&save, "\n"));)
		if (*line || save)
			rc = vec_push(&all, line);
	*lines = all.items;
	*count = all.count;
	return rc;
}

static bool is_the_source(const struct bpf_source *s, const char *const *lines, size_t count)
{
	for (size_t i = 0; i < s->lines.count; i++)
		if (s->lines.items[i].line > count ||
		    !is_same_text(lines[s->lines.items[i].line - 1], s->lines.items[i].text))
			return false;
	return true;
}

static void walk_known(const struct bpf_source *s, bpf_line_fn *fn, void *ctx)
{
	for (size_t i = 0; i < s->lines.count; i++)
		fn(ctx, s->lines.items[i].line, s->lines.items[i].text, &s->lines.items[i]);
}

int bpf_source_walk(const struct bpf_source *s, bpf_line_fn *fn, void *ctx)
{
	_str_ struct str text = {};
	_free_ const char **lines = NULL;
	size_t count = 0, at = 0;
	int rc = file_read_at(AT_FDCWD, s->file, &text) < 0 || !text.s ?
			 0 :
			 split(&text, &lines, &count);

	if (rc < 0)
		return rc;
	if (!count || !is_the_source(s, lines, count)) {
		walk_known(s, fn, ctx);
		return 0;
	}
	for (uint32_t i = 0; i < count; i++) {
		bool is_known = at < s->lines.count && s->lines.items[at].line == i + 1;

		fn(ctx, i + 1, lines[i], is_known ? &s->lines.items[at] : NULL);
		at += is_known;
	}
	return 0;
}
