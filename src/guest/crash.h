/* SPDX-License-Identifier: GPL-2.0-only */
/* What happens when PID 1 itself fails: its reason goes out before the guest ends. */
#ifndef KTSTR_GUEST_CRASH_H
#define KTSTR_GUEST_CRASH_H

void crash_install(void);

#endif
