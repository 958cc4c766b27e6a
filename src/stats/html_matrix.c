// SPDX-License-Identifier: GPL-2.0-only
/* Overview of all verdicts: rows are tests, columns are topologies and kernels. */
#include "base/html.h"
#include "stats/parts.h"

struct column {
	const char *kernel, *topology;
	unsigned long cpus;
};

struct matrix_row {
	const struct sidecar *s; /* the first of its name */
	const struct html_item **cells;
	size_t *more; /* number of further results of the cell */
};

struct matrix {
	VEC(struct column) columns;
	VEC(struct matrix_row) rows;
};

static void matrix_finish(struct matrix *m)
{
	vec_release(&m->rows, each, free(each->cells), free(each->more));
	free(m->columns.items);
}

static unsigned long cpus_of(const char *topology)
{
	unsigned int nodes, llcs, cores, threads;

	/* NOLINTNEXTLINE(cert-err34-c): a wrong order of columns at worst */
	if (sscanf(topology, "%un%ul%uc%ut", &nodes, &llcs, &cores, &threads) != 4)
		return 0;
	return (unsigned long)llcs * cores * threads;
}

static int compare_columns(const void *a, const void *b)
{
	const struct column *x = a, *y = b;
	int order = strverscmp(x->kernel, y->kernel);

	if (order)
		return order;
	if (x->cpus != y->cpus)
		return x->cpus < y->cpus ? -1 : 1;
	return strverscmp(x->topology, y->topology);
}

static struct column column_of(const struct sidecar *s)
{
	return (struct column){ s->kernel_version ? s->kernel_version : "", s->topology,
				cpus_of(s->topology) };
}

static int collect_columns(const struct html_items *all, struct matrix *m)
{
	size_t kept = 0;

	for (size_t i = 0; i < all->list.count; i++)
		if (vec_push(&m->columns, column_of(all->list.items[i].s)) < 0)
			return -ENOMEM;
	vec_sort(&m->columns, compare_columns);
	for (size_t i = 0; i < m->columns.count; i++)
		if (!kept || compare_columns(&m->columns.items[kept - 1], &m->columns.items[i]))
			m->columns.items[kept++] = m->columns.items[i];
	m->columns.count = kept;
	return 0;
}

static int add_row(struct matrix *m, const struct sidecar *s)
{
	struct matrix_row row = { .s = s };
	int rc;

	row.cells = calloc(m->columns.count, sizeof(struct html_item *));
	row.more = calloc(m->columns.count, sizeof(*row.more));
	rc = row.cells && row.more ? vec_push(&m->rows, row) : err_no_memory();
	if (rc < 0) {
		free(row.cells);
		free(row.more);
	}
	return rc;
}

/* A cell shows the worst of several results. */
static void place(struct matrix *m, struct matrix_row *row, const struct html_item *item)
{
	struct column wanted = column_of(item->s);
	struct column *found = bsearch(&wanted, m->columns.items, m->columns.count, sizeof(wanted),
				       compare_columns);
	size_t at = (size_t)(found - m->columns.items);

	if (row->cells[at])
		row->more[at]++;
	if (!row->cells[at] || item->s->outcome < row->cells[at]->s->outcome)
		row->cells[at] = item;
}

static int collect_rows(const struct html_items *all, struct matrix *m)
{
	for (size_t i = 0; i < all->list.count; i++) {
		const struct html_item *item = &all->list.items[i];
		int rc = 0;

		if (!i || !html_is_same_test(all, all->list.items[i - 1].s, item->s))
			rc = add_row(m, item->s);
		if (rc < 0)
			return rc;
		place(m, &m->rows.items[m->rows.count - 1], item);
	}
	return 0;
}

static void add_kernel_heads(struct str *out, const struct matrix *m)
{
	str_add(out, "<tr><td>");
	for (size_t from = 0, to; from < m->columns.count; from = to) {
		for (to = from; to < m->columns.count &&
				str_eq(m->columns.items[to].kernel, m->columns.items[from].kernel);)
			to++;
		str_addf(out, "<th scope=colgroup class=k colspan=%zu>", to - from);
		html_add_text(out, *m->columns.items[from].kernel ? m->columns.items[from].kernel :
								    "unknown kernel");
	}
}

static void add_heads(struct str *out, const struct matrix *m)
{
	str_add(out, "<thead>");
	add_kernel_heads(out, m);
	str_add(out, "<tr><th scope=col class=t>Test");
	for (size_t i = 0; i < m->columns.count; i++) {
		const struct column *c = &m->columns.items[i];
		bool is_first = i && !str_eq(c->kernel, m->columns.items[i - 1].kernel);

		str_addf(out, "<th scope=col class=\"c%s\"><span>", is_first ? " e" : "");
		html_add_text(out, c->topology);
		str_add(out, "</span>");
	}
}

static void add_cell_title(struct str *out, const struct column *c, const struct matrix_row *row,
			   size_t at)
{
	_str_ struct str title = {};

	str_addf(&title, "%s, %s", row->cells[at]->s->test_name, c->topology);
	if (*c->kernel)
		str_addf(&title, ", %s", c->kernel);
	if (row->more[at])
		str_addf(&title, ", worst of %zu", row->more[at] + 1);
	out->failed |= title.failed;
	html_add_attribute(out, "title", str_get(&title));
}

static void add_cell(struct str *out, const struct matrix *m, const struct matrix_row *row,
		     size_t at)
{
	const struct html_item *item = row->cells[at];
	bool is_first = at && !str_eq(m->columns.items[at].kernel, m->columns.items[at - 1].kernel);

	str_add(out, is_first ? "<td class=e>" : "<td>");
	if (!item)
		return;
	str_addf(out, "<a class=%s href=#r%zu", html_verdict_class(item->s->outcome), item->id);
	add_cell_title(out, &m->columns.items[at], row, at);
	html_add_attribute(out, "aria-label", verdict_word(item->s->outcome));
	str_addf(out, ">%s</a>", html_verdict_sign(item->s->outcome));
}

static void add_rows(struct str *out, const struct html_items *all, const struct matrix *m)
{
	str_add(out, "<tbody>");
	for (size_t i = 0; i < m->rows.count; i++) {
		str_add(out, "<tr><th scope=row>");
		html_add_name(out, all, m->rows.items[i].s);
		for (size_t c = 0; c < m->columns.count; c++)
			add_cell(out, m, &m->rows.items[i], c);
		str_addc(out, '\n');
	}
}

int html_add_matrix(struct str *out, const struct html_items *all)
{
	_cleanup_(matrix_finish) struct matrix m = {};
	int rc = collect_columns(all, &m) ?: collect_rows(all, &m);

	if (rc < 0)
		return rc;
	str_add(out, "<div class=sc tabindex=0 role=region aria-label=\"Verdicts\">"
		     "<table class=matrix>");
	add_heads(out, &m);
	add_rows(out, all, &m);
	str_add(out, "</table></div>");
	return 0;
}
