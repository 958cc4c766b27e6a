/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The scheduler under test, and what the kernel says about it; for the files of this
 * directory only.
 */
#ifndef KTSTR_GUEST_SCHED_H
#define KTSTR_GUEST_SCHED_H

#include "guest/bounded_text.h"
#include "guest/parts.h"
#include "guest/scx_exit.h"

/* scx_state.c: the contents of /sys/kernel/sched_ext. */

struct scx_state {
	bool is_there;	/* this kernel has sched_ext */
	bool is_active; /* in any state but disabled: enabling, enabled, disabling */
	bool is_enabled;
	char ops[128]; /* "" = none */
	bool has_rejected, has_enable_seq;
	uint64_t rejected, enable_seq;
};

/* Reads below root ("" for the guest itself). */
void scx_state_read(struct scx_state *s, const char *root);

/* True if a scheduler is enabled and the kernel shows its name. */
bool scx_state_is_attached(const struct scx_state *s);

/* sched_report.c: how a scheduler lived and ended: the facts, their conclusion, and the JSON. */

enum sched_stage { SCHED_STAGE_ATTACH, SCHED_STAGE_PAYLOAD, SCHED_STAGE_DETACH };

struct sched_life_program {
	char name[32];
	uint32_t verified_insns;
};
#define SCHED_MAX_PROGRAMS 128

/* An absence: the scheduler left during the payload and came back. */
struct sched_life_absence {
	uint64_t left_ns; /* since the start of the payload */
	uint64_t away_ns;
	char reason[128];
};
#define SCHED_MAX_ABSENCES 16

struct sched_watchdog {
	bool is_wanted;
	unsigned int seconds;
	bool is_written;
	unsigned int previous_ms; /* the scheduler's own; 0 = the kernel's default */
	unsigned int written_ms;
	char problem[160]; /* "" = none */
};

struct sched_life {
	const char *program;	 /* as it was to be executed */
	char start_problem[256]; /* "" = it could be executed */
	pid_t pid;		 /* 0 = none */
	bool has_forked_away;
	bool was_enabled; /* according to the kernel log, before init ended it */
	bool has_attached;
	bool lacks_sched_ext; /* the kernel lacks sched_ext */
	char ops[128];
	char other_ops[128]; /* of another scheduler that was attached before */
	uint64_t attach_ns;
	unsigned int attach_limit_s, return_limit_s;
	enum sched_stage stage; /* stage in which it ended, or the current one */
	bool has_ended;
	bool has_status;
	int status;		/* of wait() */
	uint64_t ended_ns;	/* since the start of the payload */
	uint64_t back_after_ns; /* from its end until it was attached again; 0 = it was not */
	struct sched_life_absence absences[SCHED_MAX_ABSENCES];
	size_t absence_count; /* including those for which there was no room */
	bool is_released;
	bool has_outlived;  /* the process still ran after has_ended */
	bool was_killed;    /* by init, because it did not exit on request */
	int payload_signal; /* last one sent to the payload because of its end; 0 = none */
	bool has_rejection;
	struct scx_rejection rejection;
	char last_words[256]; /* last output of a scheduler that never attached; "" = none */
	struct scx_exit exit;
	struct scx_state state; /* at the end */
	struct sched_watchdog watchdog;
	struct sched_life_program programs[SCHED_MAX_PROGRAMS];
	size_t program_count;
	uint64_t log_bytes, log_omitted, dump_bytes, dump_omitted;
};

/* Returns one of GUEST_SCHED_END_*. */
const char *sched_report_end(const struct sched_life *r);

/* Adds the same as a sentence. */
void sched_report_message(const struct sched_life *r, struct str *out);

void sched_report_json(const struct sched_life *r, struct str *out);

/* For CHANNEL_SCHED_EXIT: the exit code, minus the signal, or 0. */
int32_t sched_report_code(const struct sched_life *r);

/* scx_trace.c: sched_ext's debug dump, which the kernel writes line by line as a trace event. */

struct scx_trace {
	int fd;		   /* -1 = this kernel has none */
	struct str rest;   /* of an incomplete line */
	unsigned int ends; /* number of dumps; only the first is kept */
};

/* Enables the event in a trace instance of its own. */
void scx_trace_open(struct scx_trace *t);

/* Reads what is available, without waiting. */
void scx_trace_read(struct scx_trace *t, struct bounded_text *out);

/*
 * Adds the text of each complete line of t->rest to out, and keeps the remainder. A loader
 * that restarts its scheduler may see it end again: only the first dump counts.
 */
void scx_trace_take_lines(struct scx_trace *t, struct bounded_text *out);

void scx_trace_close(struct scx_trace *t);

/*
 * scx_watchdog.c: sets sched_ext's stall limit from outside, for any scheduler.
 *
 * The kernel takes the limit from the scheduler's operations when it attaches: the period
 * of its checks and the test in every tick depend on it. Writing the kernel's variable
 * later does not work: checks are already scheduled by the old limit, and every tick would
 * take their absence for a stall. So the scheduler is stopped at the system call that
 * passes its operations, the limit in them is written, and tracing ends. All its programs
 * are loaded and verified by then: a template is saved there, too (protocol.h).
 */

#define SCX_WATCHDOG_MAX_TASKS 64

struct scx_watchdog {
	struct sched_watchdog *facts;
	bool is_tracing;
	bool stops_at_calls;
	bool holds;			     /* keep it stopped until scx_watchdog_release() */
	unsigned int last_map;		     /* the newest BPF map that existed before */
	pid_t tasks[SCX_WATCHDOG_MAX_TASKS]; /* threads and children of the scheduler */
	size_t task_count;
	/* The task that is about to pass its operations; task 0 = none. */
	struct {
		pid_t task;
		uint64_t operations; /* their address in the task */
		uint32_t timeout_offset;
	} held;
};

/*
 * Finds the offset of the limit in the scheduler's operations. Reads all of the kernel's
 * types, so it is done once, while the guest boots.
 */
void scx_watchdog_learn(void);

/* True if that was found: without it, the system call that registers a scheduler is unknown. */
bool scx_watchdog_can_follow(void);

/*
 * Begins tracing before the process executes its program. If stops are expensive, it runs
 * freely until it has created a BPF map: loaders first read the kernel's types, with a
 * system call per page.
 */
void scx_watchdog_begin(struct scx_watchdog *w, struct sched_watchdog *facts, pid_t pid,
			bool are_stops_dear);

/* Call periodically until stops_at_calls is set: checks for a new BPF map. */
void scx_watchdog_look(struct scx_watchdog *w);

/* Examines a task that waitpid() reported as stopped, and lets it continue. */
void scx_watchdog_take_stop(struct scx_watchdog *w, pid_t task, int status);

/* Removes a task that has ended. */
void scx_watchdog_forget(struct scx_watchdog *w, pid_t task);

/* Ends tracing of all tasks, whether the limit was written or not, except for the held one. */
void scx_watchdog_end(struct scx_watchdog *w);

/* Writes the limit, if one is wanted, and releases the held task, if any. */
void scx_watchdog_release(struct scx_watchdog *w);

/*
 * scx_programs.c: the loaded struct_ops programs, and how many instructions the verifier
 * processed.
 */

void scx_programs_read(struct sched_life *r);

/* The id of the BPF program of any kind that was loaded last; after: an id known before. */
unsigned int scx_programs_newest(unsigned int after);

/* sched_args.c: a scheduler's command line as a file: every argument terminated by a NUL byte. */

/*
 * Points argv into data, which the caller keeps, and ends it with NULL. Returns the number
 * of arguments, or -EINVAL with a message: no program, an unterminated last argument, or
 * more than max - 1 arguments.
 */
int sched_args_split(char *data, size_t len, char **argv, size_t max);

/*
 * sched_process.c: the scheduler's process: starts it with its output in a pipe, and finds
 * it again if it forks.
 */

struct sched_launch {
	char *const *argv;
	/* Called before the process executes the program; may be NULL. */
	void (*before_exec)(void *ctx, pid_t pid);
	void *ctx;
};

/*
 * Starts the program in a session of its own. *output is the non-blocking read end of both
 * its outputs. Returns 0 if it could be executed; else -1 with the reason in problem, and
 * nothing runs.
 */
int sched_process_start(const struct sched_launch *launch, pid_t *pid, int *output, char *problem,
			size_t size);

/* The process other than init that holds a link to struct_ops programs; 0 = none. */
pid_t sched_process_find_holder(void);

/*
 * True if init is the parent of a process younger than this one: a program that forked away
 * may still be starting.
 */
bool sched_process_has_orphans(pid_t older);

/* Describes why execve() failed. */
void sched_process_explain(const char *program, int errnum, char *out, size_t size);

/*
 * sched_presence.c: whether the scheduler is attached. It may leave and come back: a loader
 * restarts it on CPU hotplug. It has ended when the kernel ejected it because of an error,
 * when no process is left that could attach it again, or when it stays away too long. The
 * first reason is kept.
 */

struct sched_presence {
	uint64_t payload_ns; /* start of the payload; 0 = not yet */
	uint64_t left_ns;    /* when it was found to be gone; 0 = it is attached */
	bool is_over;	     /* it has ended, at left_ns */
	bool has_next_end;   /* another end was logged since: later messages concern that one */
	bool is_closing;     /* all further events are caused by init itself */
};

/* Handles one record of the kernel log. */
void sched_presence_take_kmsg(struct sched_presence *p, struct sched_life *r, const char *record,
			      size_t len, uint64_t now_ns);

/* Its process has ended, or the kernel's state shows that it is not attached. */
void sched_presence_note_gone(struct sched_presence *p, uint64_t now_ns);

/* It is attached again; for kernels whose log cannot be read. */
void sched_presence_note_back(struct sched_presence *p, struct sched_life *r, uint64_t now_ns);

/* True if it has ended by now. can_return: a process exists that could attach it again. */
bool sched_presence_is_over(struct sched_presence *p, const struct sched_life *r, bool can_return,
			    uint64_t now_ns);

/*
 * The time limit for attaching. A default limit starts again, doubled, with each program
 * that the verifier accepts, up to four times the limit in all: a program of 400,000
 * instructions takes half a minute on an emulated CPU.
 */
struct sched_attach_time {
	uint64_t started_ns, progress_ns, limit_ns;
	unsigned int newest_program;
	bool is_fixed;
};
bool sched_attach_is_over(struct sched_attach_time *t, unsigned int newest_program,
			  uint64_t now_ns);

/*
 * scheduler.c: the scheduler under test, from its start to its end: attached before the
 * payload, watched while it runs, detached after it. All ways in which that can fail are
 * reported (guest/protocol.h).
 */

struct scheduler {
	bool is_wanted;	  /* this run has one */
	bool is_prepared; /* started before the template was saved */
	bool is_started;  /* its program could be executed then */
	struct str args;  /* contents of the file; argv points into it */
	char *argv[256];
	struct sched_life report;
	struct scx_watchdog watchdog;
	int output, kmsg;
	struct scx_trace trace;
	struct bounded_text log, dump;
	struct str log_text; /* complete log as it will be sent */
	struct sched_presence presence;
	struct sched_attach_time attach;
	uint64_t ended_ns; /* when it was found that it will not come back */
	bool has_told;	   /* its end was reported */
};

/*
 * Reads the configuration. Returns -EINVAL with a message if the file is invalid. If the
 * scheduler is prepared, only the limits of this run are read.
 */
int scheduler_init(struct scheduler *s, const struct settings *settings);

/*
 * Default limit for attaching, in seconds. A guest under KVM that booted slowly is nested,
 * or its host is busy: everything takes longer there.
 */
unsigned int scheduler_attach_limit_s(bool is_emulated, uint64_t boot_ns);

/*
 * Starts it and returns when only registering is left to do, or when it will never get
 * there. Does nothing if that moment cannot be detected.
 */
void scheduler_prepare(struct scheduler *s);

/*
 * Starts it, or lets a prepared one continue, and waits until it is attached. Returns false
 * if it does not attach; the report says why.
 */
bool scheduler_start(struct scheduler *s);

/* Call when the payload begins: its environment gets the pid of the scheduler. */
void scheduler_begin_payload(struct scheduler *s);
struct run_watcher scheduler_watcher(struct scheduler *s);

/* Detaches the scheduler if it is attached, and sends log, dump and report. */
void scheduler_finish(struct scheduler *s);

#endif
