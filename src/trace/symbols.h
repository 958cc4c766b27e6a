/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Addresses of a kernel's functions and variables. Images have no symbol table,
 * so the kernel itself is asked once, in a guest, and the answer is kept by the
 * hash of the image. In a guest of ours a kernel is where it was linked to be.
 */
#ifndef KTSTR_TRACE_SYMBOLS_H
#define KTSTR_TRACE_SYMBOLS_H

#include "vm/session.h"

struct symbols {
	struct str text; /* lines of /proc/kallsyms, without modules */
};

/* session: how guests of this kernel are started; its own run is not touched. */
int symbols_get(const struct vm_session *session, struct symbols *out);
/* The same where no guest can be started: -ENOENT with a message when the kernel was never asked. */
int symbols_read(const char *kernel, struct symbols *out);

struct symbol {
	uint64_t address;
	const char *name;
	size_t len; /* of the name, which is not terminated */
};

/* One after the other, by address; *at is 0 at first. False = there are no more. */
bool symbols_next(const struct symbols *s, size_t *at, struct symbol *out);

/* 0 = there is none, or more than one. */
uint64_t symbols_find(const struct symbols *s, const char *name);
/* The same for several of them, in one pass. */
void symbols_find_all(const struct symbols *s, const char *const *names, size_t count,
		      uint64_t *addresses);
void symbols_finish(struct symbols *s);

/* Keeps the lines of the kernel itself; -EINVAL when addresses are hidden or it is not a list. */
int symbols_filter(const char *kallsyms, size_t len, struct str *out);

#endif
