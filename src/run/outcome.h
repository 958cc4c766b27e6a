/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What became of one attempt at a test, before anybody judged it: everything that
 * the process that ran it knows, in a form that survives that process.
 */
#ifndef KTSTR_RUN_OUTCOME_H
#define KTSTR_RUN_OUTCOME_H

#include "guest/bounded_text.h"
#include "vm/session.h"

enum outcome_end {
	OUTCOME_LOST,	/* the process that ran it is gone: see message */
	OUTCOME_EXITED, /* the body came to its end, with status */
	OUTCOME_TIMED_OUT,
	OUTCOME_CRASHED, /* guest init or kernel: see message */
	OUTCOME_SILENT,	 /* the guest ended and said nothing */
	OUTCOME_NOT_RUN, /* it could not be started: message says why */
	OUTCOME_SKIPPED, /* it was not to be started: message says why */
	OUTCOME_INTERRUPTED,
};

/* Texts, in the order in which they are stored. */
/* clang-format off */
#define OUTCOME_TEXTS(X) \
	X(message)	/* of a crash, or why there was no run */ \
	X(result)	/* JSON of the body, check/result.h; "" = none came */ \
	X(stimuli)	/* frames of the steps' events as they came, check/result.h */ \
	X(sched_report)	/* JSON, guest/protocol.h; "" = there was no scheduler */ \
	X(sched_log) \
	X(sched_dump)	/* of sched_ext */ \
	X(output)	/* of the program, both streams as they came */ \
	X(console)	/* of the guest's kernel */ \
	X(diagnostics)	/* of the channel, a line each */ \
	X(notes)	/* what was said on stderr meanwhile */ \
	X(kernel_release) \
	X(qemu_options)	/* of what the guest saw, a line each */ \
	X(qemu_command)	/* as a shell takes it */ \
	X(samples)	/* of the monitor, watch/series.h; "" = nobody watched */ \
	X(dump)		/* JSON: when the scheduler was thrown out, or the guest hung */ \
	X(early)	/* JSON: the same of an earlier moment, where there is a dump */ \
	X(core)		/* path of a core file of the same moment; "" = there is none */ \
	X(core_problem)	/* why there is none though one was wanted */ \
	X(repro_pipeline) /* what auto-repro looked at */ \
	X(repro_text)	/* and what it saw, or why there was none */ \
	X(repro)	/* the same as JSON */ \
	X(repro_dump)	/* the dump of a second run that was another one */ \
	X(snapshots)	/* that the test asked for: JSON */ \
	X(problems)	/* of attributes that could not be met: "attribute: why", a line each */ \
	X(broken_invariants) /* a line each */ \
	X(unknown_invariants) /* that could not be judged, and why */ \
	X(post_vm)	/* JSON of the test's post_vm, as result; "" = it did not run */
/* clang-format on */

struct outcome_facts {
	enum outcome_end end;
	int status;
	bool is_guest;		  /* there was a VM */
	bool has_started;	  /* guest init reported */
	bool has_payload_started; /* the body ran */
	bool has_cleanup;
	uint64_t duration_ns; /* of the run itself, boot of a template not counted */
	uint64_t ready_ns;    /* the guest's clock when it had booted; 0 = it did not tell */
	uint64_t guest_ns;    /* and at its end */
	uint64_t sched_events,
		sched_tasks; /* with a strategy: scheduling events, and of how many */
	uint64_t cleanup_ns; /* from the guest's last word to the end of QEMU */
	uint64_t memory_mib;
	unsigned int profile_count;   /* profiles of coverage that came out of the guest */
	unsigned int host_cpus;	      /* that were reserved; 0 = none */
	unsigned long skip_kind;      /* enum skip_reason */
	char digest[SHA256_HEX_SIZE]; /* over all that the guest said; "" = nothing */
	char kernel_hash[SHA256_HEX_SIZE];
	char initramfs_hash[SHA256_HEX_SIZE];
	char scheduler_hash[SHA256_HEX_SIZE]; /* of its program; "" = none was packed */
	char template_key[64];
	struct vm_exit_stats exits; /* of a KVM guest */
	struct vm_host_time host_time;
};

struct outcome {
	struct outcome_facts facts;
#define X(name) struct str name;
	OUTCOME_TEXTS(X)
#undef X
};

/* Into a file, and back. -EIO when it does not hold a whole outcome. */
int outcome_write(const struct outcome *o, int fd);
int outcome_read(struct outcome *o, int fd);

/* A run that could not be made is our failure, not one of the test: -EIO with its message. */
int outcome_check(const struct outcome *o);

/* What programs print is shown as strings: a NUL must not hide what comes after it. */
void outcome_spell_nuls(struct outcome *o);

/* How far the run came, in words. */
const char *outcome_stage(const struct outcome *o);

void outcome_finish(struct outcome *o);

#endif
