/* SPDX-License-Identifier: GPL-2.0-only */
/* Addresses in a guest's kernel and its BPF programs by name. */
#ifndef KTSTR_WATCH_NAMES_H
#define KTSTR_WATCH_NAMES_H

#include "trace/symbols.h"
#include "watch/prog_lines.h"

struct name_row {
	uint64_t address;
	const char *name; /* in the text of the symbols, to the end of its line */
};

struct names {
	VEC(struct name_row) rows; /* of functions, ascending */
	uint64_t end;		   /* nothing of the kernel lies behind it */
	const struct prog_lines *programs;
};

/* slide: how far the kernel is from where it was linked. Both are used as long as n is. */
int names_read(struct names *n, const struct symbols *symbols, uint64_t slide,
	       const struct prog_lines *programs);
void names_finish(struct names *n);

/*
 * "schedule+0x1a", "ktstr_dispatch+0x40 [bpf]", also of a subprogram, or the address. A return address may lie behind
 * the function that called.
 */
void names_add(const struct names *n, uint64_t address, bool is_exact, struct str *out);

#endif
