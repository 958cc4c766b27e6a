// SPDX-License-Identifier: GPL-2.0-only
/* The symbols are lines of /proc/kallsyms: "ffffffff81000000 T _text". */
#include "watch/parts.h"

static int by_address(const void *a, const void *b)
{
	const struct name_row *x = a, *y = b;

	return ORDER(x->address, y->address);
}

static int read_line(struct names *n, const char *line, uint64_t slide)
{
	char *rest;
	uint64_t address = strtoull(line, &rest, 16);

	if (rest == line || rest[0] != ' ' || !rest[1] || rest[2] != ' ')
		return 0;
	if (strncmp(rest + 3, "_etext\n", 7) == 0)
		n->end = address + slide;
	if (!strchr("tTwW", rest[1]))
		return 0;
	return vec_push(&n->rows, ((struct name_row){ address + slide, rest + 3 }));
}

int names_read(struct names *n, const struct symbols *symbols, uint64_t slide,
	       const struct prog_lines *programs)
{
	int rc = 0;

	*n = (struct names){ .programs = programs };
	for (const char *line = str_get(&symbols->text); *line && rc == 0;) {
		const char *end = strchr(line, '\n');

		rc = read_line(n, line, slide);
		line = end ? end + 1 : "";
	}
	if (n->rows.count)
		qsort(n->rows.items, n->rows.count, sizeof(*n->rows.items), by_address);
	return rc;
}

void names_finish(struct names *n)
{
	free(n->rows.items);
	*n = (struct names){};
}

/* The last row at or before the address. */
static const struct name_row *find_row(const struct names *n, uint64_t address)
{
	size_t low = 0, high = n->rows.count;

	if (address >= n->end)
		return NULL;
	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (n->rows.items[middle].address <= address)
			low = middle + 1;
		else
			high = middle;
	}
	return low ? &n->rows.items[low - 1] : NULL;
}

static const struct prog_function *find_program(const struct names *n, uint64_t address)
{
	vec_each(const struct prog_function, p, &n->programs->functions)
		if (address >= p->start && address < p->end)
			return p;
	return NULL;
}

void names_add(const struct names *n, uint64_t address, bool is_exact, struct str *out)
{
	uint64_t inside = is_exact ? address : address - 1;
	const struct prog_function *p = find_program(n, inside);
	const struct name_row *row = find_row(n, inside);

	if (p)
		str_addf(out, "%s+0x%" PRIx64 " [bpf]", p->name, address - p->start);
	else if (row)
		str_addf(out, "%.*s+0x%" PRIx64, (int)strcspn(row->name, "\n\t"), row->name,
			 address - row->address);
	else
		str_addf(out, "0x%" PRIx64, address);
}
