// SPDX-License-Identifier: GPL-2.0-only
/* Names of functions of the kernel and of BPF programs. */
#include "watch/parts.h"

static int by_address(const void *a, const void *b)
{
	const struct name_row *x = a, *y = b;

	return ORDER(x->address, y->address);
}

int names_read(struct guest_names *n, const struct symbols *symbols, uint64_t slide,
	       const struct prog_lines *programs)
{
	struct symbol s;
	size_t at = 0;
	int rc = 0;

	*n = (struct guest_names){ .programs = programs };
	while (rc == 0 && symbols_next(symbols, &at, &s)) {
		if (s.len == strlen("_etext") && memcmp(s.name, "_etext", s.len) == 0)
			n->end = s.address + slide;
		if (strchr("tTwW", s.type))
			rc = vec_push(&n->rows, ((struct name_row){ s.address + slide, s.name }));
	}
	vec_sort(&n->rows, by_address);
	return rc;
}

void names_finish(struct guest_names *n)
{
	free(n->rows.items);
	*n = (struct guest_names){};
}

/* The last row at or before the address. */
static const struct name_row *find_row(const struct guest_names *n, uint64_t address)
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

static const struct prog_function *find_program(const struct guest_names *n, uint64_t address)
{
	vec_each(const struct prog_function, p, &n->programs->functions)
		if (address >= p->start && address < p->end)
			return p;
	return NULL;
}

void names_add(const struct guest_names *n, uint64_t address, bool is_exact, struct str *out)
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
