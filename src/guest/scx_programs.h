/* SPDX-License-Identifier: GPL-2.0-only */
/* The struct_ops programs that are loaded, and what the verifier had to do for them. */
#ifndef KTSTR_GUEST_SCX_PROGRAMS_H
#define KTSTR_GUEST_SCX_PROGRAMS_H

#include "guest/sched_report.h"

void scx_programs_read(struct sched_report *r);

#endif
