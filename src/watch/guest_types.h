/* SPDX-License-Identifier: GPL-2.0-only */
/* Types that came with a BPF program: the guest kernel's struct btf. */
#ifndef KTSTR_WATCH_GUEST_TYPES_H
#define KTSTR_WATCH_GUEST_TYPES_H

#include "watch/space.h"

struct guest_types {
	uint64_t address;
	void *data; /* NULL = they could not be read */
	struct btf btf;
};

/*
 * Copies the types at this address, of *left bytes that may still be read. -ENOMEM only: BTF that
 * the guest's kernel accepted is sound; forged BTF is no BTF, and has no data.
 */
int guest_types_read(struct guest_types *t, struct space *space, uint64_t address, size_t *left);
void guest_types_finish(struct guest_types *t);

#define _guest_types_ _cleanup_(guest_types_finish)

#endif
