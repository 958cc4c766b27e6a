/* SPDX-License-Identifier: GPL-2.0-only */
/* The smallest workload: does every CPU get its tasks run? */
#ifndef KTSTR_GUEST_SPIN_H
#define KTSTR_GUEST_SPIN_H

/* GUEST_SPIN of protocol.h: the exit status of the payload. */
int spin_run(const char *milliseconds);

#endif
