/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Automatic reproduction in sim: the run that failed is run again with the same seed, which is
 * the same run, and this time the scheduler's programs are looked at. Nothing of it is in the
 * guest, so that nothing of the run changes.
 */
#ifndef KTSTR_REPRO_REPRO_H
#define KTSTR_REPRO_REPRO_H

#include "kernel/source_lines.h"
#include "watch/watch.h"

/*
 * chain.c: Functions on the way to a failure, from stacks as the kernel prints them, or from a
 * list.
 */

#define CHAIN_MAX 64

struct repro_chain {
	struct texts functions; /* of the kernel, each once */
	size_t program_count;	/* lines that name a BPF program: those are looked into anyway */
	bool is_cut;		/* there were more */
	bool has_skipped;	/* functions that every task passes through */
};

/* Lines "name+0x12/0x34", as in the dump of sched_ext; other lines are passed over. */
int repro_chain_add_stack(struct repro_chain *c, const char *text);

/* The backtrace that the kernel's dump begins with: the way to the end, without stacks of others. */
int repro_chain_add_dump(struct repro_chain *c, const char *dump);

/* --probe-stack: a file with stacks, such a text, or names separated by commas. */
int repro_chain_add_words(struct repro_chain *c, const char *words);
void repro_chain_finish(struct repro_chain *c);

/* scene.c: What a failed run leaves, and what it failed of. */

/*
 * What the failed run leaves: the scheduler's programs, and who could run at the moment at which
 * the kernel threw it out.
 */
struct repro_scene {
	uint64_t time_ns; /* 0 = there was no such moment */
	struct prog_lines programs;
	VEC(struct task_view) runnable;
};

/* For struct watcher: ctx is the scene. m may be NULL. */
void repro_scene_take(void *ctx, struct space *space, const struct moment *m);
void repro_scene_finish(struct repro_scene *s);

/* What a run failed of. */
struct repro_cause {
	uint64_t exit_kind;  /* 0 = the kernel did not throw the scheduler out */
	const char *message; /* of the kernel, "comm[pid] failed to run for 1.2s"; or NULL */
	uint32_t pid;	     /* without an exit: who waited too long; 0 = nobody */
};

#define REPRO_TOLD "=== AUTO-PROBE: " /* begins what was seen */

struct repro_request {
	const struct vm_session *session; /* as the failed run had it, without its watcher */
	const char *vmlinux;
	const struct source_lines *lines; /* of the kernel's source; or NULL */
	const char *digest;		  /* of the failed run */
	uint64_t seed;
	struct repro_cause cause;
	const struct repro_chain *chain; /* further functions of the kernel; or NULL */
	bool is_given;			 /* by the user */
};

/* pipeline: what is looked at and what is not; text and json: the story. */
struct repro_report {
	struct str pipeline, text, json;
};

/* 0, also where there is nothing to tell but why; a negative errno when it could not be run. */
int repro_run(const struct repro_request *q, const struct repro_scene *scene,
	      struct repro_report *out);

/*
 * probed.c: Automatic reproduction where a run cannot be repeated exactly: a second run in the same
 * mode with BPF probes in it, and the story from what they left. The events are those of a trace,
 * so that the story is the one that sim has, without the lines that were executed.
 */

struct repro_probed {
	const struct btf *types; /* of the kernel */
	size_t cpu_count;
	struct repro_cause cause;  /* of the second run; without a message the records tell */
	const struct str *report;  /* JSON, guest/protocol.h */
	const struct str *records; /* trace/format.h; none = they are lost */
	const struct source_lines *lines; /* of the kernel's source; or NULL */
};

/* The kind with which the kernel threw the scheduler out, by the report; 0 = it did not. */
uint64_t repro_probed_exit(const struct str *report);

/*
 * Adds to pipeline, text and json. 1 when there is a story, 0 when nothing happened that could be
 * told; a negative errno with a sentence for what is not a report.
 */
int repro_probed_tell(const struct repro_probed *q, struct repro_report *out);

/* wait.c: A failure that is a wait: whose it was, and when it began. */

/*
 * The task that the message of a check is about, by its id: "cg_0/2 (tid 171)",
 * "kworker/1:0 (kernel thread 44)", "init (pid 1)", "tid 171 starved", the first of them; 0 = about
 * nobody.
 */
uint32_t repro_task_in(const char *message);

/*
 * Runs the session, which is of sim, and follows the task: when its longest wait began, by the
 * guest's clock. -ENOENT with a sentence when it did not wait at all.
 */
int repro_find_wait(const struct vm_session *session, const char *vmlinux, uint32_t pid,
		    uint64_t *from_ns);

#endif
