/* SPDX-License-Identifier: GPL-2.0-only */
/* One sidecar for each test that came to an end. */
#ifndef KTSTR_RUN_RECORD_H
#define KTSTR_RUN_RECORD_H

#include "check/sidecar.h"
#include "host/context.h"
#include "run/execute.h"
#include "run/judge.h"

/* What all records of a run have in common. */
struct record_facts {
	const char *project_commit; /* or NULL */
	const char *run_id;
	const struct host_context *host;
	size_t *replaced; /* grows by one when there was such a record already */
};

/* The path of the file, to be freed. */
int record_write(const char *dir, const struct record_facts *facts, const struct task *task,
		 const char *resolve_source, struct outcome *o, struct judgement *j, char **path);

#endif
