/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A test that runs many things one after the other may mark their ends with
 * KTSTR_SNAPSHOT(MARK(n)): what was executed of BPF programs since the mark before is then kept as
 * part n, and no snapshot is made.
 */
#ifndef KTSTR_WATCH_MARK_H
#define KTSTR_WATCH_MARK_H

#include "base/base.h"

#define MARK_TAG UINT64_C(0x6b746d6100000000)
#define MARK(part) (MARK_TAG | (uint32_t)(part))

#endif
