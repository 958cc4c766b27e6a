/* SPDX-License-Identifier: GPL-2.0-only */
/* What the kernel logged meanwhile: it often says why a scheduler misbehaved. */
#ifndef KTSTR_SCENARIO_KMSG_H
#define KTSTR_SCENARIO_KMSG_H

struct ktstr_result;

/* The kernel log from now on; -1 where it cannot be read. */
int kmsg_open(void);

/* Adds the last lines since then as notes. A log of -1 has none. */
void kmsg_add_details(int log, struct ktstr_result *res);

#endif
