/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A test that runs many parts one after the other can mark the end of each with
 * KTSTR_SNAPSHOT(MARK(n)): BPF coverage since the previous mark is stored as part n, and no
 * snapshot is taken.
 */
#ifndef KTSTR_WATCH_MARK_H
#define KTSTR_WATCH_MARK_H

#include "base/base.h"

#define MARK_TAG UINT64_C(0x6b746d6100000000)
#define MARK(part) (MARK_TAG | (uint32_t)(part))

#endif
