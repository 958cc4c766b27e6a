/* SPDX-License-Identifier: GPL-2.0-only */
/* The interactive shell: its greeting and its terminal. */
#ifndef KTSTR_GUEST_SHELL_H
#define KTSTR_GUEST_SHELL_H

#include "base/str.h"
#include "guest/topology_check.h"

struct shell_facts {
	const char *kernel;
	unsigned long memory_mib;
	struct topology_shape shape;
	const char *includes; /* paths, a line each */
	unsigned int applets;
	const char *mounts;
};

void shell_add_banner(const struct shell_facts *facts, struct str *out);

struct shell_terminal {
	unsigned int columns, rows; /* 0 = unknown */
};

/*
 * Greets, and runs a shell with the port as its controlling terminal, so that
 * Ctrl-C and job control work. Returns the shell's exit status.
 */
int shell_run(const char *banner, const struct shell_terminal *t);

#endif
