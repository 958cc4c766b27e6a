/* SPDX-License-Identifier: GPL-2.0-only */
/* `stats explain-sidecar`: why fields of a run's records are null, and which files are not any. */
#ifndef KTSTR_STATS_EXPLAIN_H
#define KTSTR_STATS_EXPLAIN_H

#include "base/json.h"
#include "stats/runs.h"

void explain_text(const struct run *run, struct str *out);
void explain_json(const struct run *run, struct json *j);

#endif
