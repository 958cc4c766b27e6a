/* SPDX-License-Identifier: GPL-2.0-only */
/* A trace as text, one event per line, for grep and diff. */
#ifndef KTSTR_TRACE_TIMELINE_H
#define KTSTR_TRACE_TIMELINE_H

#include "base/str.h"

int timeline_write(const void *records, size_t len, struct str *out);

#endif
