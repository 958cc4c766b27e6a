// SPDX-License-Identifier: GPL-2.0-only
/* ktstr debug: gdb in a recorded sim run. */

#include "cli/recorded.h"
#include "cli/table.h"
#include "debug/debug.h"
#include "explore/explore.h"
#include "guest/protocol.h"
#include "repro/repro.h"

/* "4.250013s", as printed by auto-repro and ktstr-where. */
static bool parse_seconds(const char *text, uint64_t *ns)
{
	uint64_t whole, unit = NSEC_PER_SEC;

	if (parse_digits(&text, &whole) < 0 || *text != '.' ||
	    __builtin_mul_overflow(whole, unit, ns))
		return false;
	for (text++; *text >= '0' && *text <= '9'; text++) {
		unit /= 10;
		if (__builtin_add_overflow(*ns, unit * (uint64_t)(*text - '0'), ns))
			return false;
	}
	return str_eq(text, "s");
}

static int read_start(const struct cli_call *call, struct debug_options *o)
{
	const char *at = cli_text(call, "at");

	o->symbol = cli_text(call, "break");
	if (o->symbol)
		o->at = DEBUG_AT_SYMBOL;
	else if (!at)
		o->at = DEBUG_AT_EITHER;
	else if (str_eq(at, "start"))
		o->at = DEBUG_AT_START;
	else if (str_eq(at, "failure"))
		o->at = DEBUG_AT_FAILURE;
	else if (parse_duration(at, &o->time_ns) == 0 || parse_seconds(at, &o->time_ns))
		o->at = DEBUG_AT_TIME;
	else
		return cli_usage_error(call,
				       "--at is start, failure, or a time of the guest's clock "
				       "such as 1.25s, not %s",
				       cli_quoted(at));
	return 0;
}

static void read_options(const struct cli_call *call, struct debug_options *o)
{
	o->may_write = cli_flag(call, "write");
	o->gdb = (struct gdb_options){ .is_batch = cli_flag(call, "batch"),
				       .script = cli_text(call, "script"),
				       .arguments = call->rest,
				       .argument_count = (size_t)call->rest_count };
}

/* The kernel ejected the scheduler: this is the failure, at a known time. */
static bool has_exit(const struct sidecar *r)
{
	static const char *const ends[] = { GUEST_SCHED_END_ERROR, GUEST_SCHED_END_STALLED,
					    GUEST_SCHED_END_UNREGISTERED };

	return r->scheduler_exit.end &&
	       str_index(ends, ARRAY_SIZE(ends), r->scheduler_exit.end) >= 0;
}

/*
 * Task whose wait exceeded a limit: the one named in the verdict, else the one with the longest
 * wait. 0 = none.
 */
static uint32_t find_waiter(const struct sidecar *r)
{
	const struct sidecar_cgroup *worst = NULL;

	if (has_exit(r) || r->outcome != KTSTR_FAILED)
		return 0;
	for (size_t i = 0; i < r->detail_count; i++)
		if (r->details[i].verdict == KTSTR_FAILED && repro_task_in(r->details[i].message))
			return repro_task_in(r->details[i].message);
	array_each(const struct sidecar_cgroup, c, r->stats.cgroups, r->stats.cgroup_count) {
		if (c->worst_wait_tid.is_known &&
		    (!worst || c->worst_wait_us.value > worst->worst_wait_us.value))
			worst = c;
	}
	return worst ? (uint32_t)worst->worst_wait_tid.value : 0;
}

struct debugging {
	struct debug_options options;
	const struct sidecar *record;
	struct outcome outcome; /* contains the hashes of the run */
	const char *qemu_version;
	struct debug_end end;
	bool is_left;
};

/* Reports known differences before the run; a different digest is known only at its end. */
static void tell_differences(const struct debugging *d)
{
	const struct outcome_facts *f = &d->outcome.facts;
	struct sidecar is = *d->record;
	_str_ struct str parts = {};

	if (!d->record->kernel_hash)
		return;
	is.kernel_hash = f->kernel_hash;
	is.initramfs_hash = f->initramfs_hash;
	is.scheduler_hash = *f->scheduler_hash ? f->scheduler_hash : NULL;
	is.qemu_version = d->qemu_version;
	identity_add_differences(d->record, &is, &parts);
	if (parts.len)
		log_note("warning: this will not be the run of the record; what differs: %s",
			 parts.s);
}

static int run_guest(void *ctx, const struct vm_session *s, const char *vmlinux,
		     struct vm_result *result)
{
	struct debugging *d = ctx;
	int rc;

	tell_differences(d);
	rc = debug_run(&d->options, s, vmlinux, result, &d->end);
	d->is_left = rc == -EINTR && interrupt_check() == 0;
	return rc;
}

static int tell(const struct debugging *d, const struct outcome *out)
{
	if (d->end.is_ended && !d->end.is_same && !d->end.is_written)
		return err_set(EIO,
			       "this run differs from the recorded one (digest %.16s, now "
			       "%.16s); ktstr replay tells what differs",
			       d->options.digest, out->facts.digest);
	if (d->end.is_ended || d->is_left)
		return 0;
	if (out->facts.end == OUTCOME_INTERRUPTED)
		return -EINTR;
	return err_set(EIO, "%s", str_get(&out->message));
}

static int debug(struct debugging *d, const struct lab *lab, const struct sidecar *record)
{
	struct job job = lab->task->job;
	int rc;

	d->record = record;
	d->qemu_version = job.world->qemu ? job.world->qemu->version_text : NULL;
	d->options.has_scheduler = job.variant->sched != NULL;
	d->options.scheduler = job.scheduler;
	d->options.digest = record->digest;
	d->options.waiter = find_waiter(record);
	if (d->options.at == DEBUG_AT_EITHER)
		d->options.at = record->outcome == KTSTR_FAILED ? DEBUG_AT_FAILURE : DEBUG_AT_START;
	job.seed = record->seed;
	job.knobs = &lab->options.knobs;
	job.event_fd = -1;
	job.run_instead = run_guest;
	job.instead = d;
	job_run(&job, &d->outcome);
	rc = tell(d, &d->outcome);
	outcome_finish(&d->outcome);
	return rc;
}

static int cmd_debug_run(const struct cli_call *call)
{
	_cleanup_(recorded_finish) struct recorded recorded = {};
	const char *run = cli_text(call, "run");
	struct lab_words words = { .items = &run, .count = 1 };
	struct lab_request request = { .label = call->program,
				       .no_perf_mode = run_mode_env_no_perf(),
				       .is_quiet = cli_flag(call, "quiet"),
				       .scheduler = cli_text(call, "scheduler-bin") };
	struct debugging d = {};
	_lab_ struct lab lab = {};
	int rc = read_start(call, &d.options);

	read_options(call, &d.options);
	rc = rc ?: select_option_read(&recorded.select, call);
	if (rc)
		return rc;
	interrupt_install();
	rc = gdb_check() ?: recorded_open(&recorded, call, &words, &request);
	if (rc == 0 && !recorded.record)
		return err_set(ENOENT,
			       "%s is neither a record (*" SIDECAR_SUFFIX
			       ") nor the directory of a run",
			       run);
	rc = rc ?: lab_open(&lab, &request);
	rc = rc ?: debug(&d, &lab, recorded.record);
	return rc == -EINTR ? RUN_EXIT_INTERRUPTED : rc;
}

/* clang-format off */
static const struct cli_param debug_rest_params[] = {
	{ .name = "argument", .is_arg = true, .is_repeatable = true, .kind = CLI_STRING,
	  .value = "ARG", .help = "option or file for gdb" },
	{},
};

static const struct cli_cmd debug_rest = { .name = "debug", .params = debug_rest_params };

const struct cli_cmd cmd_debug = {
	.name = "debug", .summary = "go through a run of sim with gdb, forwards and backwards",
	.about = "Repeats a recorded run with gdb attached to it. CPUs appear as threads. "
		 "Breakpoints, watchpoints and steps stop the emulator without changing the "
		 "guest, so it remains the same run; reverse-continue, reverse-stepi and the "
		 "like rerun it up to the earlier moment. Guest memory is read-only unless "
		 "--write is given. Symbols are available for the kernel and the scheduler's BPF "
		 "programs, source lines for the latter, types for the kernel. Additional gdb "
		 "commands: ktstr-task, ktstr-rq, ktstr-dsq, ktstr-map, ktstr-watch, ktstr-bt "
		 "and ktstr-where; info tasks lists every task with its kernel stack.",
	.params = CLI_PARAMS(
		{ .name = "run", .is_arg = true, .is_required = true, .kind = CLI_FILE, .value = "RUN",
		  .help = "record, or directory of a run" },
		{ .name = "at", .kind = CLI_STRING, .value = "WHEN", .excludes = "break",
		  .help = "where to start: failure, where the kernel removes the scheduler; "
			  "start, where the scheduler is attached; or a time of the guest clock, "
			  "such as 1.25s [default: failure, or start if the run did not fail]" },
		{ .name = "break", .kind = CLI_STRING, .value = "SYMBOL",
		  .help = "start at the first call of this function of the kernel or of the "
			  "scheduler's BPF programs" },
		{ .name = "batch", .help = "let gdb exit after its script" },
		{ .name = "script", .letter = 'x', .kind = CLI_FILE, .value = "FILE",
		  .help = "gdb commands to run once it is connected" },
		{ .name = "write", .help = "let gdb write to guest memory, after which it is no "
			"longer the same run" },
		CLI_SELECT("which test of the run"),
		{ .name = "dir", .kind = CLI_DIR, .value = "DIR", .help = "directory of runs" },
		CLI_SCHEDULER_BIN("this program instead of the record's scheduler"),
		CLI_TRUST),
	.examples = CLI_EXAMPLES(
		{ "debug target/ktstr/7.0.13-1a2b3c4 -E two_cgroups", "at the failure of a test" },
		{ "debug target/ktstr/7.0.13-1a2b3c4 -E two_cgroups --break do_enqueue_task",
		  "where the first task is enqueued" },
		{ "debug RECORD.ktstr.json --batch -x script.gdb", "run a gdb script and exit" }),
	.holds_resources = true,
	.rest = &debug_rest, .run = cmd_debug_run,
};
/* clang-format on */
