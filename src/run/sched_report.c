// SPDX-License-Identifier: GPL-2.0-only
/* Parses the scheduler's report. Unknown members are ignored: the guest may be newer. */
#include "run/parts.h"

#include "guest/protocol.h"

/* clang-format off */
/* A nested object whose members are stored in the report itself. */
#define PART(name_, table) { name_, FIELD_OBJECT, .fields = (table) }

static const struct json_field exit_fields[] = {
	JSON_NAMED("reason", sched_report, exit_reason, TEXT),
	JSON_NAMED("message", sched_report, exit_message, TEXT),
	JSON_NAMED("kind", sched_report, exit_kind, U64),
	{}
};

static const struct json_field watchdog_fields[] = {
	JSON_NAMED("problem", sched_report, watchdog_problem, TEXT),
	{}
};

static const struct json_field absence_fields[] = {
	JSON_FIELD(sched_absence, left_ns, U64),
	JSON_FIELD(sched_absence, away_ns, U64),
	JSON_FIELD(sched_absence, reason, TEXT),
	{}
};

static const struct json_field program_fields[] = {
	JSON_FIELD(sidecar_program, name, TEXT),
	JSON_FIELD(sidecar_program, verified_insns, U64),
	{}
};

static void init_program(void *element)
{
	((struct sidecar_program *)element)->name = "";
}

static const struct json_field fields[] = {
	JSON_FIELD(sched_report, end, TEXT),
	JSON_FIELD(sched_report, message, TEXT),
	JSON_FIELD(sched_report, ops, TEXT),
	JSON_FIELD(sched_report, stage, TEXT),
	JSON_NAMED("attached", sched_report, is_attached, BOOL),
	JSON_NAMED("released", sched_report, is_released, BOOL),
	JSON_FIELD(sched_report, exit_code, U64),
	JSON_FIELD(sched_report, ended_ns, U64),
	JSON_FIELD(sched_report, payload_signal, U64),
	JSON_FIELD(sched_report, absence_count, U64),
	JSON_FIELD(sched_report, log_bytes, U64),
	PART("exit", exit_fields),
	PART("watchdog", watchdog_fields),
	JSON_LIST_OF("absences", sched_report, absences, absence_fields),
	JSON_LIST_OF("programs", sched_report, programs, program_fields, .init = init_program),
	{}
};
/* clang-format on */

int sched_report_read(struct sched_report *r, char *text, size_t len)
{
	struct json_reader in;
	struct json_load l = {
		.r = &in, .arena = &r->arena, .nulls_are_absent = true, .is_lenient = true
	};
	int rc = 0;

	*r = (struct sched_report){ .ended_ns = UINT64_MAX };
	json_read_init(&in, text, len);
	if (!json_load_text(&l, fields, r))
		rc = l.is_out_of_memory ?
			     err_no_memory() :
			     err_set(EINVAL, "the scheduler's report is damaged: %s at byte %zu",
				     in.problem, in.problem_at);
	else if (!r->end)
		rc = err_set(EINVAL, "the scheduler's report does not contain how it ended");
	if (rc < 0)
		sched_report_finish(r);
	return rc;
}

void sched_report_finish(struct sched_report *r)
{
	arena_finish(&r->arena);
	*r = (struct sched_report){};
}

bool sched_report_is_bad(const struct sched_report *r)
{
	static const char *const good[] = { GUEST_SCHED_END_RAN, GUEST_SCHED_END_KILLED,
					    GUEST_SCHED_END_RELEASED };

	return str_index(good, ARRAY_SIZE(good), r->end) < 0 && !r->is_released;
}

/* Exit status of shells and dynamic loaders for a program that cannot be executed. */
bool sched_report_is_unstarted(const struct sched_report *r)
{
	if (str_eq(r->end, GUEST_SCHED_END_NOT_STARTED))
		return true;
	return str_eq(r->end, GUEST_SCHED_END_DIED) && !r->is_attached &&
	       (r->exit_code == 126 || r->exit_code == 127);
}
