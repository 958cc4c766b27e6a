/* SPDX-License-Identifier: GPL-2.0-only */
/* What the parts of the loader share. */
#ifndef KTSTR_BPF_OBSERVE_H
#define KTSTR_BPF_OBSERVE_H

/* Tells what libbpf complained about last, too. Returns 1. */
int observe_fail(const char *what, int rc);

/* Forgets what it complained about. */
void observe_clear(void);

/* observe_probes.c: the second way to run it. Returns the status of the program. */
int probes_main(const char *dir, const char *functions);

#endif
