/* SPDX-License-Identifier: GPL-2.0-only */
/* The scheduler under test and what the kernel tells about it: for the files of this room only. */
#ifndef KTSTR_GUEST_SCHED_H
#define KTSTR_GUEST_SCHED_H

#include "guest/bounded_text.h"
#include "guest/parts.h"
#include "guest/scx_exit.h"

/* scx_state.c: What /sys/kernel/sched_ext says. */

struct scx_state {
	bool is_there;	/* this kernel has sched_ext */
	bool is_active; /* in any way: enabling, enabled, disabling */
	bool is_enabled;
	char ops[128]; /* "" = none */
	bool has_rejected, has_enable_seq;
	uint64_t rejected, enable_seq;
};

/* Below root ("" for the guest itself). */
void scx_state_read(struct scx_state *s, const char *root);

/* A scheduler is at work: enabled, and the kernel tells its name. */
bool scx_state_is_attached(const struct scx_state *s);

/*
 * sched_report.c: How a scheduler lived and ended: the facts, what they come to, and the
 * JSON of it.
 */

enum sched_stage { SCHED_STAGE_ATTACH, SCHED_STAGE_PAYLOAD, SCHED_STAGE_DETACH };

struct sched_life_program {
	char name[32];
	uint32_t verified_insns;
};
#define SCHED_MAX_PROGRAMS 128

/* It left during the payload and came back. */
struct sched_life_absence {
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

struct sched_life {
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
	struct sched_life_absence absences[SCHED_MAX_ABSENCES];
	size_t absence_count; /* also those for which there is no room */
	bool is_released;
	bool has_outlived;  /* its process, after has_ended, until we ended that */
	bool was_killed;    /* by us, because it did not go when told */
	int payload_signal; /* the last that the payload got because of its end; 0 = none */
	bool has_rejection;
	struct scx_rejection rejection;
	char last_words[256]; /* of one that never attached; "" = none */
	struct scx_exit exit;
	struct scx_state state; /* at the end */
	struct sched_watchdog watchdog;
	struct sched_life_program programs[SCHED_MAX_PROGRAMS];
	size_t program_count;
	uint64_t log_bytes, log_omitted, dump_bytes, dump_omitted;
};

/* One of GUEST_SCHED_END_*. */
const char *sched_report_end(const struct sched_life *r);

/* The same as a sentence. */
void sched_report_message(const struct sched_life *r, struct str *out);

void sched_report_json(const struct sched_life *r, struct str *out);

/* For CHANNEL_SCHED_EXIT: exit code, minus the signal, or 0. */
int32_t sched_report_code(const struct sched_life *r);

/* scx_trace.c: sched_ext's debug dump, which the kernel writes line by line into a trace event. */

struct scx_trace {
	int fd;		   /* -1 = this kernel has none */
	struct str rest;   /* of a line that has not ended */
	unsigned int ends; /* that were dumped; only the first is kept */
};

/* Switches the event on in a trace buffer of our own. */
void scx_trace_open(struct scx_trace *t);

/* Takes over what is there, without waiting. */
void scx_trace_read(struct scx_trace *t, struct bounded_text *out);

/*
 * Adds the text of each whole line of t->rest to out and leaves what remains there. A loader
 * that starts its scheduler again may see it end again: the first dump is the one that counts.
 */
void scx_trace_take_lines(struct scx_trace *t, struct bounded_text *out);

void scx_trace_close(struct scx_trace *t);

/*
 * scx_watchdog.c: sched_ext's stall limit, set from outside for any scheduler.
 *
 * The kernel takes the limit from the scheduler's operations while it attaches:
 * the period of its checks and the alarm of every tick come from it at that
 * moment. Writing the kernel's variable later is no good: checks are already
 * scheduled by the old limit, and every tick would take their absence for a stall.
 * So the scheduler is stopped at the system call that hands over its operations,
 * the limit in them is written, and it is let go for good. All its programs are
 * loaded and verified by then: a template is saved there, too (protocol.h).
 */

#define SCX_WATCHDOG_MAX_TASKS 64

struct scx_watchdog {
	struct sched_watchdog *facts;
	bool is_tracing;
	bool stops_at_calls;
	bool holds;			     /* stays stopped until it is released */
	unsigned int last_map;		     /* the newest BPF map that was there before */
	pid_t tasks[SCX_WATCHDOG_MAX_TASKS]; /* threads and children of the scheduler */
	size_t task_count;
	/* The one that is about to hand over its operations; task 0 = none. */
	struct {
		pid_t task;
		uint64_t operations; /* where it has them */
		uint32_t timeout_offset;
	} held;
};

/*
 * Finds out where in its operations a scheduler says the limit. Reads all of the
 * kernel's types, so it is done once, while the guest boots.
 */
void scx_watchdog_learn(void);

/* Whether that was found: without it nobody can tell which system call registers a scheduler. */
bool scx_watchdog_can_follow(void);

/*
 * Begins with the process before it executes its program. Where stops are dear it is
 * let run freely until it has made a BPF map: loaders read the kernel's types first,
 * with a system call for every page of them.
 */
void scx_watchdog_begin(struct scx_watchdog *w, struct sched_watchdog *facts, pid_t pid,
			bool are_stops_dear);

/* Now and then, until it stops at calls: has it made one? */
void scx_watchdog_look(struct scx_watchdog *w);

/* A task that waitpid() says is stopped: looked at, and let go on. */
void scx_watchdog_take_stop(struct scx_watchdog *w, pid_t task, int status);

/* A task that is no more. */
void scx_watchdog_forget(struct scx_watchdog *w, pid_t task);

/* Lets go of all of them, written or not, but for the one that is held. */
void scx_watchdog_end(struct scx_watchdog *w);

/* Writes the limit, if one is wanted, and lets the one go that is held, if any. */
void scx_watchdog_release(struct scx_watchdog *w);

/*
 * scx_programs.c: The struct_ops programs that are loaded, and what the verifier had to do
 * for them.
 */

void scx_programs_read(struct sched_life *r);

/* The number of the BPF program that was loaded last, of any kind; after: one known before. */
unsigned int scx_programs_newest(unsigned int after);

/* sched_args.c: A scheduler's command line as a file: every argument ended by a NUL byte. */

/*
 * Points argv into data, which stays the caller's, and ends it with NULL. Returns
 * the number of arguments, or -EINVAL with a message: no program, the last
 * argument not ended, or more than max - 1 of them.
 */
int sched_args_split(char *data, size_t len, char **argv, size_t max);

/*
 * sched_process.c: The scheduler as a process: started with its output in a pipe, found
 * again if it forks.
 */

struct sched_launch {
	char *const *argv;
	/* With the process before it executes the program; may be NULL. */
	void (*before_exec)(void *ctx, pid_t pid);
	void *ctx;
};

/*
 * Starts the program in a session of its own. output gets the reading end of both
 * its outputs, not blocking. 0 when it could be executed; else -1 and the reason
 * in problem, and nothing runs.
 */
int sched_process_start(const struct sched_launch *launch, pid_t *pid, int *output, char *problem,
			size_t size);

/* The process other than init that holds a link to struct_ops programs; 0 = none. */
pid_t sched_process_find_holder(void);

/*
 * Whether init has become the parent of a process younger than this one: a program
 * that forked away may still be on its way.
 */
bool sched_process_has_orphans(pid_t older);

/* The problem of an execve() that failed, in words. */
void sched_process_explain(const char *program, int errnum, char *out, size_t size);

/*
 * sched_presence.c:
 * Whether the scheduler is there. It may leave and come back: a loader starts it anew
 * when CPUs come and go. It has ended when the kernel took it down for an error, when
 * nobody is left who could bring it back, or when it stays away too long. The first
 * reason for that is kept, whatever is told later.
 */

struct sched_presence {
	uint64_t payload_ns; /* when the payload began; 0 = it has not */
	uint64_t left_ns;    /* when it was seen to be gone; 0 = it is there */
	bool is_over;	     /* it has ended; left_ns tells when */
	bool has_next_end;   /* another end was told since: what follows is about that one */
	bool is_closing;     /* whatever happens now is our own doing */
};

/* One record of the kernel's log. */
void sched_presence_take_kmsg(struct sched_presence *p, struct sched_life *r, const char *record,
			      size_t len, uint64_t now_ns);

/* Its process has ended, or the kernel's state says that it is not there. */
void sched_presence_note_gone(struct sched_presence *p, uint64_t now_ns);

/* The opposite, where there is no log to tell it. */
void sched_presence_note_back(struct sched_presence *p, struct sched_life *r, uint64_t now_ns);

/* Whether it has ended by now. can_return: there is a process that could attach it again. */
bool sched_presence_is_over(struct sched_presence *p, const struct sched_life *r, bool can_return,
			    uint64_t now_ns);

/*
 * The time to attach. A limit that nobody asked for begins anew with each program that the
 * verifier has let through, twice as long then, and up to four times the limit in all: 400,000
 * instructions of one program keep it busy for half a minute on an emulated CPU.
 */
struct sched_attach_time {
	uint64_t started_ns, progress_ns, limit_ns;
	unsigned int newest_program;
	bool is_fixed;
};
bool sched_attach_is_over(struct sched_attach_time *t, unsigned int newest_program,
			  uint64_t now_ns);

/*
 * scheduler.c: The scheduler under test, from its start to its end: attached before the payload
 * begins, watched while it runs, detached behind it, and every way in which that
 * can go wrong told (guest/protocol.h).
 */

struct scheduler {
	bool is_wanted;	  /* this run has one */
	bool is_prepared; /* it was started before the template was saved */
	bool is_started;  /* its program could be executed then */
	struct str args;  /* the file, in which argv points */
	char *argv[256];
	struct sched_life report;
	struct scx_watchdog watchdog;
	int output, kmsg;
	struct scx_trace trace;
	struct bounded_text log, dump;
	struct str log_text; /* all of the log that is sent, once it is complete */
	struct sched_presence presence;
	struct sched_attach_time attach;
	uint64_t ended_ns; /* when it was noticed that it will not come back */
	bool has_told;	   /* of its end */
};

/*
 * Reads what is wanted. -EINVAL with a message when the file makes no sense. Of one that is
 * prepared it is known already; only the limits of this run are read.
 */
int scheduler_init(struct scheduler *s, const struct settings *settings);

/*
 * Seconds in which it must be attached where nobody said otherwise. A guest under KVM that took
 * long to boot is nested or its host is busy: everything takes it long.
 */
unsigned int scheduler_attach_limit_s(bool is_emulated, uint64_t boot_ns);

/*
 * Starts it and returns when all that is left for it to do is to register, or when it never
 * will. Does nothing where that moment cannot be told.
 */
void scheduler_prepare(struct scheduler *s);

/*
 * Starts it, or lets a prepared one go on, and waits until it is attached. False: it is not, and
 * the report says why.
 */
bool scheduler_start(struct scheduler *s);

/* The payload begins: its environment names the scheduler's process. */
void scheduler_begin_payload(struct scheduler *s);
struct run_watcher scheduler_watcher(struct scheduler *s);

/* Detaches what is attached, and sends log, dump and report. */
void scheduler_finish(struct scheduler *s);

#endif
