/* SPDX-License-Identifier: GPL-2.0-only */
/* Programs that are run to their end with their output kept: git, make, pahole. */
#ifndef KTSTR_KERNEL_COMMAND_H
#define KTSTR_KERNEL_COMMAND_H

#include <stdbool.h>
#include <stdint.h>

#include "base/str.h"

struct command {
	const char *const *argv;
	const char *directory; /* NULL = ours */
	uint64_t timeout_ns;   /* 0 = none */
	const char *what;      /* shown while it runs, on a terminal; NULL = nothing */
	bool merge_stderr;     /* keep stderr too; it is dropped otherwise */
	bool show;	       /* let the output through instead of keeping it */
};

/*
 * The exit status, or a negative errno with a message. Appends the output to
 * out (may be NULL). A signal that ends us, SIGKILL included, ends it with its
 * descendants; who remembers signals (base/interrupt.h) gets -EINTR.
 */
int command_run(const struct command *c, struct str *out);

#endif
