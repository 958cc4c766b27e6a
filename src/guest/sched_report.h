/* SPDX-License-Identifier: GPL-2.0-only */
/* How a scheduler lived and ended: the facts, what they come to, and the JSON of it. */
#ifndef KTSTR_GUEST_SCHED_REPORT_H
#define KTSTR_GUEST_SCHED_REPORT_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/str.h"
#include "guest/scx_exit.h"
#include "guest/scx_state.h"

enum sched_stage { SCHED_STAGE_ATTACH, SCHED_STAGE_PAYLOAD, SCHED_STAGE_DETACH };

struct sched_program {
	char name[32];
	uint32_t verified_insns;
};
#define SCHED_MAX_PROGRAMS 128

/* It left during the payload and came back. */
struct sched_absence {
	uint64_t left_ns; /* since the payload began */
	uint64_t away_ns;
	char reason[128];
};
#define SCHED_MAX_ABSENCES 16

struct sched_watchdog {
	bool is_wanted;
	unsigned int seconds;
	bool is_written;
	unsigned int previous_ms; /* what the scheduler wanted; 0 = the kernel's default */
	unsigned int written_ms;
	char problem[160]; /* "" = none */
};

struct sched_report {
	const char *program;	 /* as it was to be run */
	char start_problem[256]; /* "" = it could be executed */
	pid_t pid;		 /* 0 = none */
	bool has_forked_away;
	bool was_enabled; /* by what the kernel's log says, before we ended it */
	bool has_attached;
	bool lacks_sched_ext; /* the kernel does */
	char ops[128];
	char other_ops[128]; /* of a scheduler that was there before */
	uint64_t attach_ns;
	unsigned int attach_limit_s, return_limit_s;
	enum sched_stage stage; /* in which it ended, or now */
	bool has_ended;
	bool has_status;
	int status;		/* as of wait() */
	uint64_t ended_ns;	/* since the payload began */
	uint64_t back_after_ns; /* its end, because somebody started it again; 0 = nobody has */
	struct sched_absence absences[SCHED_MAX_ABSENCES];
	size_t absence_count; /* also those for which there is no room */
	bool is_released;
	bool has_outlived;  /* its process, after has_ended, until we ended that */
	bool was_killed;    /* by us, because it did not go when told */
	int payload_signal; /* the last that the payload got because of its end; 0 = none */
	bool has_rejection;
	char rejected_program[64];
	struct scx_exit exit;
	struct scx_state state; /* at the end */
	struct sched_watchdog watchdog;
	struct sched_program programs[SCHED_MAX_PROGRAMS];
	size_t program_count;
	uint64_t log_bytes, log_omitted, dump_bytes, dump_omitted;
};

/* One of GUEST_SCHED_END_*. */
const char *sched_report_end(const struct sched_report *r);

/* The same as a sentence. */
void sched_report_message(const struct sched_report *r, struct str *out);

void sched_report_json(const struct sched_report *r, struct str *out);

/* For CHANNEL_SCHED_EXIT: exit code, minus the signal, or 0. */
int32_t sched_report_code(const struct sched_report *r);

#endif
