/* SPDX-License-Identifier: GPL-2.0-only */
/* Snapshots of the guest in files beside the record of a test. */
#ifndef KTSTR_RUN_DUMP_FILES_H
#define KTSTR_RUN_DUMP_FILES_H

#include "check/sidecar.h"
#include "run/outcome.h"

/* Where the failure dump of a record is, or would be; NULL when it is not the name of one. */
char *dump_files_path(const char *record);
/* The same of the page of its trace, which `ktstr trace` makes when somebody wants it. */
char *dump_files_trace_path(const char *record);

/*
 * Writes NAME.failure-dump.json of a test that failed and NAME.snapshots.json, where there is
 * something to write, and removes those of a run before, its trace too; record = NAME.ktstr.json. The dump of
 * a guest that failed before its scheduler was there says so, and is empty.
 */
int dump_files_write(const char *record, const struct sidecar *s, const struct outcome *o);

#endif
