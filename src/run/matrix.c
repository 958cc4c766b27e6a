// SPDX-License-Identifier: GPL-2.0-only
/* Table of results: rows are tests, columns are kernels. */
#include "run/parts.h"

struct test_row {
	const char *binary_id, *name;
	size_t name_len; /* without the kernel's label */
	bool has_namesake;
};

static struct test_row *find_row(struct test_row *rows, size_t count, const struct test_row *wanted)
{
	for (size_t i = 0; i < count; i++)
		if (rows[i].name_len == wanted->name_len &&
		    strncmp(rows[i].name, wanted->name, wanted->name_len) == 0 &&
		    str_eq(rows[i].binary_id, wanted->binary_id))
			return &rows[i];
	return NULL;
}

/* Collects the tests that have a kernel in their name, without duplicates. */
static size_t collect_rows(const struct variants_chosen *chosen, struct test_row *rows)
{
	size_t count = 0;

	vec_each_ptr(const struct variant, v, &chosen->items) {
		struct test_row row = { .binary_id = v->binary_id,
					.name = v->name,
					.name_len = v->plain_len,
					.has_namesake = v->has_namesake };

		if (!v->test->host_only && !find_row(rows, count, &row))
			rows[count++] = row;
	}
	return count;
}

static const char *cell_of(const struct variants_chosen *chosen, const int *statuses,
			   const struct test_row *row, size_t kernel)
{
	for (size_t i = 0; i < chosen->items.count; i++) {
		const struct variant *v = chosen->items.items[i];
		struct test_row own = { .binary_id = v->binary_id,
					.name = v->name,
					.name_len = v->plain_len };

		if (v->kernel == kernel && find_row(&own, 1, row))
			return statuses[i] < 0 ? "not run" :
						 test_status_name((enum test_status)statuses[i]);
	}
	return "-";
}

static void add_row(struct table *t, const struct test_row *row)
{
	table_row(t);
	table_cellf(t, 0, "%s%s%.*s", row->has_namesake ? row->binary_id : "",
		    row->has_namesake ? " " : "", (int)row->name_len, row->name);
}

int matrix_add(const struct variants_chosen *chosen, const int *statuses,
	       const char *const *kernel_labels, size_t kernel_count, struct str *out)
{
	_free_ struct test_row *rows = calloc(chosen->items.count + 1, sizeof(*rows));
	_free_ const char **columns = calloc(kernel_count + 1, sizeof(*columns));
	_table_ struct table t = {};
	size_t count;

	if (!rows || !columns)
		return err_no_memory();
	count = kernel_count > 1 ? collect_rows(chosen, rows) : 0;
	if (count == 0)
		return 0;
	columns[0] = "test";
	for (size_t k = 0; k < kernel_count; k++)
		columns[k + 1] = kernel_labels[k];
	table_init(&t, columns, kernel_count + 1);
	for (size_t i = 0; i < count; i++) {
		add_row(&t, &rows[i]);
		for (size_t k = 0; k < kernel_count; k++)
			table_cell(&t, k + 1, cell_of(chosen, statuses, &rows[i], k));
	}
	return table_add(&t, out);
}
