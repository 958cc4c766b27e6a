/* SPDX-License-Identifier: GPL-2.0-only */
/* Who waits longest at the end of a trace: a stall where nobody tells whose it is. */
#ifndef KTSTR_REPRO_WAITER_H
#define KTSTR_REPRO_WAITER_H

#include "base/base.h"

/* 0 = nobody waits, or it is not a trace. */
uint32_t repro_longest_waiter(const struct str *records);

#endif
