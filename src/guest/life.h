/* SPDX-License-Identifier: GPL-2.0-only */
/* The order of events in a guest's life; main() calls it and nothing else does. */
#ifndef KTSTR_GUEST_LIFE_H
#define KTSTR_GUEST_LIFE_H

void guest_live(void) __attribute__((noreturn));

#endif
