/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The snapshot's JSON document in pieces, so that it never has to be in memory
 * as a whole: head, threads in any number of ranges, tail.
 */
#ifndef KTSTR_CTPROF_SNAPSHOT_JSON_H
#define KTSTR_CTPROF_SNAPSHOT_JSON_H

#include "base/str.h"
#include "ctprof/snapshot.h"

/* Up to and with the bracket that opens the threads. */
void snapshot_json_head(const struct snapshot *s, struct str *out);

/* From the bracket that closes the threads. */
void snapshot_json_tail(const struct snapshot *s, bool zero_fill, struct str *out);

/* Threads first to end - 1, with the commas between them and in front of them. */
void snapshot_json_threads(const struct snapshot *s, size_t first, size_t end, bool zero_fill,
			   struct str *out);

#endif
