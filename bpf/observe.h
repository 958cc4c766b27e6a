/* SPDX-License-Identifier: GPL-2.0-only */
/* Shared by the files of the observer's loader. */
#ifndef KTSTR_BPF_OBSERVE_H
#define KTSTR_BPF_OBSERVE_H

/* Prints the error and the last message of libbpf. Returns 1. */
int observe_fail(const char *what, int rc);

/* Drops the last message of libbpf. */
void observe_clear(void);

/* observe_probes.c: main function for --probes. Returns the exit status. */
int probes_main(const char *dir, const char *functions);

#endif
