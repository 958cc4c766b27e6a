/* SPDX-License-Identifier: GPL-2.0-only */
/* What a scheduler with a part in user space (NAME.user.c) defines for loader.c. */
#ifndef KTSTR_TESTS_LOADER_H
#define KTSTR_TESTS_LOADER_H

struct bpf_object;

/* Returns after how many nanoseconds it wants to be called again. */
long scheduler_round(struct bpf_object *object);

#endif
