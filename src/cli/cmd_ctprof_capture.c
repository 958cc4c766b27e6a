// SPDX-License-Identifier: GPL-2.0-only
/* `ktstr ctprof capture` and the older `ktstr host-state capture`. */
#include <signal.h>

#include "cli/rows_ctprof.h"
#include "ctprof/capture.h"
#include "ctprof/name.h"

#define MAX_WORKERS 1024

/* Everything that must be undone can be undone in the signal handler. */
static void on_interrupt(int signal_number _unused_)
{
	static const char wipe[] = "\r\033[K"; /* wipes a progress bar */

	jemalloc_detach_all();
	if (term_knows_escapes(stderr))
		fd_write_all(STDERR_FILENO, wipe, sizeof(wipe) - 1);
	file_atomic_abort_all();
	_exit(EXIT_INTERRUPTED);
}

static void catch_interrupts(void)
{
	struct sigaction action = { .sa_handler = on_interrupt };

	sigaddset(&action.sa_mask, SIGINT);
	sigaddset(&action.sa_mask, SIGTERM);
	sigaction(SIGINT, &action, NULL);
	sigaction(SIGTERM, &action, NULL);
}

/* Owns the arrays that the options point to. */
struct capture_filter {
	uint32_t *pids;
	const char **cgroups, **comms;
};

static void selection_finish(struct capture_filter *sel)
{
	free(sel->pids);
	free(sel->cgroups);
	free(sel->comms);
}

static const char **list_texts(const struct cli_call *call, const char *name, size_t *count)
{
	const char **texts;

	*count = cli_count(call, name);
	texts = calloc(*count + 1, sizeof(*texts));
	for (size_t i = 0; texts && i < *count; i++)
		texts[i] = cli_nth(call, name, i);
	return texts;
}

static int check_globs(const struct capture_opts *o)
{
	for (size_t i = 0; i < o->cgroup_glob_count; i++) {
		int rc = cgroup_glob_check(o->cgroup_globs[i]);

		if (rc < 0)
			return err_wrap(rc, "--cgroup");
	}
	for (size_t i = 0; i < o->comm_glob_count; i++)
		if (!*o->comm_globs[i])
			return err_set(EINVAL, "--comm: the pattern is empty");
	return 0;
}

static int read_selection(const struct cli_call *call, struct capture_filter *sel,
			  struct capture_opts *o)
{
	o->pid_count = cli_count(call, "pid");
	sel->pids = calloc(o->pid_count + 1, sizeof(*sel->pids));
	sel->cgroups = list_texts(call, "cgroup", &o->cgroup_glob_count);
	sel->comms = list_texts(call, "comm", &o->comm_glob_count);
	if (!sel->pids || !sel->cgroups || !sel->comms)
		return err_no_memory();
	for (size_t i = 0; i < o->pid_count; i++) {
		uint64_t pid = 0;

		parse_u64(cli_nth(call, "pid", i), &pid);
		sel->pids[i] = (uint32_t)pid;
	}
	o->pids = sel->pids;
	o->cgroup_globs = sel->cgroups;
	o->comm_globs = sel->comms;
	return check_globs(o);
}

static int read_worker_count(struct capture_opts *o)
{
	const char *text = env_get("KTSTR_CTPROF_WORKERS");
	uint64_t count;

	if (!text)
		return 0;
	if (parse_u64(text, &count) < 0 || count < 1 || count > MAX_WORKERS)
		return err_set(EINVAL,
			       "KTSTR_CTPROF_WORKERS must be a number from 1 to %d, not '%s'",
			       MAX_WORKERS, text);
	o->worker_count = (unsigned int)count;
	return 0;
}

static int read_roots(const struct cli_call *call, struct capture_opts *o)
{
	o->roots = cli_roots(call);
	o->is_cgroup_root_given = cli_is_given(call, "cgroup-root");
	o->is_sys_root_given = cli_is_given(call, "sys-root");
	return read_worker_count(o);
}

static void tell_written(const struct cli_call *call, const char *path)
{
	if (!cli_flag(call, "quiet") && !str_eq(path, "-"))
		fprintf(stderr, "%s: wrote ctprof snapshot to %s\n", log_label(), path);
}

struct capture_job {
	const struct cli_call *call;
	struct capture_opts opts;
	bool zero_fill, is_strict;
};

static int capture_to(const struct capture_job *job, const char *path)
{
	_snapshot_ struct snapshot s = {};
	int rc = job->is_strict ? capture_refuse_host(&job->opts) : 0;

	rc = rc ?: capture_snapshot(&s, &job->opts);
	if (rc < 0)
		return rc;
	capture_log(&s);
	if (s.thread_count == 0)
		log_warn("ctprof", "no thread matches --pid, --cgroup and --comm");
	if (job->is_strict && !roots_is_live(&job->opts.roots))
		rc = capture_refuse_recorded(&s);
	rc = rc ?: snapshot_write(&s, job->zero_fill, path);
	if (rc == 0)
		tell_written(job->call, path);
	return rc;
}

/* run.ctprof.zst becomes run.0001.ctprof.zst; a name without this extension gets it. */
static char *numbered_path(const char *path, uint64_t number)
{
	static const char *const extensions[] = { ".ctprof.zst", ".hst.zst", ".zst" };
	size_t len = strlen(path);

	for (size_t i = 0; i < ARRAY_SIZE(extensions); i++) {
		size_t tail = strlen(extensions[i]);

		if (len > tail && str_eq(path + len - tail, extensions[i]))
			return str_fmt("%.*s.%04llu%s", (int)(len - tail), path, ULL(number),
				       extensions[i]);
	}
	return str_fmt("%s.%04llu%s", path, ULL(number), extensions[0]);
}

static void sleep_until(uint64_t mono_ns)
{
	while (clock_sleep_until_ns(mono_ns) == -EINTR)
		;
}

/*
 * Snapshots start at multiples of the interval, so they do not drift. A capture that took longer
 * skips the times it missed.
 */
static uint64_t next_start(uint64_t start_ns, uint64_t interval_ns, uint64_t slot)
{
	uint64_t passed = (clock_mono_ns() - start_ns) / interval_ns;

	if (passed <= slot)
		return slot + 1;
	log_warn("ctprof", "a capture took longer than the interval: %llu left out",
		 ULL(passed - slot));
	return passed + 1;
}

static int capture_series(const struct capture_job *job, const char *path, uint64_t interval_ns,
			  uint64_t count)
{
	uint64_t start_ns = clock_mono_ns(), slot = 0;
	struct progress bar;
	int rc = 0;

	progress_start(&bar, "ktstr: capturing", count);
	for (uint64_t i = 1; rc == 0 && (count == 0 || i <= count); i++) {
		_free_ char *numbered = numbered_path(path, i);

		if (!numbered)
			return err_no_memory();
		sleep_until(start_ns + slot * interval_ns);
		progress_end(&bar);
		rc = capture_to(job, numbered);
		progress_update(&bar, i);
		if (rc == 0 && i != count)
			slot = next_start(start_ns, interval_ns, slot);
	}
	progress_end(&bar);
	return rc;
}

static int capture_once_or_often(const struct cli_call *call, const struct capture_job *job)
{
	const char *path = cli_text(call, "output");
	uint64_t interval_ns = cli_number(call, "interval");

	if (!cli_is_given(call, "interval"))
		return capture_to(job, path);
	if (interval_ns == 0)
		return cli_usage_error(call, "--interval must be longer than 0");
	if (str_eq(path, "-"))
		return cli_usage_error(call,
				       "--interval writes several files: --output cannot be -");
	return capture_series(job, path, interval_ns, cli_number(call, "count"));
}

static int cmd_ctprof_capture_run(const struct cli_call *call)
{
	_cleanup_(selection_finish) struct capture_filter sel = {};
	struct capture_job job = {
		.call = call,
		.zero_fill = cli_flag(call, "zero-fill"),
		.is_strict = cli_flag(call, "strict"),
		.opts = {
			.no_probe = cli_flag(call, "no-probe"),
			.no_smaps = cli_flag(call, "no-smaps"),
			.no_taskstats = cli_flag(call, "no-taskstats"),
			.stops = {
				.one_stop_ns = cli_number(call, "max-one-stop"),
				.all_stops_ns = cli_number(call, "max-stop-ms") * NSEC_PER_MSEC,
			},
		},
	};
	int rc = read_roots(call, &job.opts) ?: read_selection(call, &sel, &job.opts);

	if (rc < 0)
		return rc;
	catch_interrupts();
	return capture_once_or_often(call, &job);
}

/* The older command never stopped threads. */
static int cmd_host_state_capture_run(const struct cli_call *call)
{
	struct capture_job job = { .call = call, .opts = { .no_probe = true } };
	int rc = read_roots(call, &job.opts);

	if (rc < 0)
		return rc;
	catch_interrupts();
	return capture_to(&job, cli_text(call, "output"));
}

/* clang-format off */
static const struct cli_exit capture_exits[] = {
	{ "130", "interrupted; no file is left unfinished" },
	{}
};

const struct cli_cmd cmd_ctprof_capture = {
	.name = "capture", .summary = "write a snapshot of every thread's counters",
	.about = "Reads /proc once and writes the scheduling, memory, I/O and delay counters of "
		 "every thread as zstd-compressed JSON. Nothing is traced; only the jemalloc "
		 "counters need a short ptrace stop of threads that use it without glibc on "
		 "x86-64. Values that cannot be read are null in the file, with the reason, and "
		 "do not fail the capture.",
	.params = CLI_PARAMS(
		{ .name = "output", .letter = 'o', .kind = CLI_FILE, .value = "PATH", .is_required = true,
		  .help = "file to write, conventionally NAME.ctprof.zst; - is standard output" },
		FILTERS,
		{ .name = "interval", .alias = "watch", .kind = CLI_DURATION, .value = "DUR",
		  .help = "capture repeatedly at this interval, into NAME.0001.ctprof.zst and so "
			  "on; same as --watch" },
		{ .name = "count", .kind = CLI_NUMBER, .value = "N", .min = 1, .needs = "interval",
		  .help = "stop after this many snapshots" },
		{ .name = "no-probe", .help = "do not read jemalloc counters, which may stop "
			"threads for a moment" },
		{ .name = "no-smaps", .help = "do not read smaps_rollup" },
		{ .name = "no-taskstats", .help = "do not read delay accounting" },
		{ .name = "max-one-stop", .kind = CLI_DURATION, .value = "DUR", .fallback = "1ms",
		  .help = "release a thread without reading it if it was stopped for longer; "
			  "without CAP_SYS_NICE stop none; 0s is no limit" },
		{ .name = "max-stop-ms", .kind = CLI_NUMBER, .value = "MS", .min = 1, .max = 86400000,
		  .help = "stop reading jemalloc counters once threads were stopped for this "
			  "long in total" },
		{ .name = "zero-fill", .help = "write 0 instead of null for values that could "
			"not be read" },
		{ .name = "strict", .help = "refuse to capture if doctor finds a data family "
			"degraded or missing" },
		CLI_ROOTS),
	.examples = CLI_EXAMPLES(
		{ "ctprof capture --output baseline.ctprof.zst", "every thread of this host" },
		{ "ctprof capture -o run.ctprof.zst --interval 5s --count 12 --comm 'postgres*'",
		  "a minute of one program, in twelve files" }),
	.holds_resources = true,
	.exits = capture_exits, .run = cmd_ctprof_capture_run,
};

const struct cli_cmd cmd_host_state_capture = {
	.name = "capture", .summary = "write a snapshot; stops no thread",
	.params = CLI_PARAMS(
		{ .name = "output", .letter = 'o', .kind = CLI_FILE, .value = "PATH", .is_required = true,
		  .help = "file to write, conventionally NAME.hst.zst" },
		CLI_ROOTS),
	.exits = capture_exits, .holds_resources = true,
	.run = cmd_host_state_capture_run,
};
/* clang-format on */
