// SPDX-License-Identifier: GPL-2.0-only
/* What the watcher of a test's guest is asked for, what is kept of it, and the run with probes. */
#include "made_job.h"

#include <sys/stat.h>

#include "trace/trace.h"

/* ---- what is played: the watcher, traces, coverage, and what follows a failure ---- */

static struct watcher *watcher; /* while the guest runs */
static struct str notes;	/* warnings, one per line */
static struct {
	size_t opened, closed, heard;
	bool waits_for_scx;
	struct bpf_blocks *blocks;
	struct snapshots_wish wish;
	char vmlinux[64];
	void (*watch)(struct watcher *w); /* what it comes to; or NULL */
	const char *blind;		  /* why it cannot watch; or NULL */
} watched;
static struct str traced, kept; /* "path of vmlinux;" and "dir;" */
static int keep_rc;
static void (*follow)(const struct job_again *again); /* or NULL */
static size_t follows;

void __wrap_watcher_open(struct watcher *w, struct vm_session *session, const char *vmlinux,
			 bool waits_for_scx, struct bpf_blocks *blocks,
			 const struct snapshots_wish *wish);
void __wrap_watcher_hear(struct watcher *w, const struct channel_frame *f);
void __wrap_watcher_close(struct watcher *w);
int __wrap_run_tracer_run(const struct vm_session *session, const char *vmlinux,
			  const struct run_tracer_file *file, struct vm_result *result);
int __wrap_bpf_coverage_keep(const char *dir, const struct bpf_blocks *blocks);
void __wrap_job_repro(const struct job *job, const struct vm_session *session,
		      const struct repro_scene *scene, const struct job_again *again,
		      struct outcome *out);
void __wrap_log_note(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

void __wrap_watcher_open(struct watcher *w, struct vm_session *session, const char *vmlinux,
			 bool waits_for_scx, struct bpf_blocks *blocks,
			 const struct snapshots_wish *wish)
{
	assert_null(session->watcher);
	assert_null(session->plugin);
	*w = (struct watcher){ .blocks = blocks };
	watcher = w;
	watched.opened++;
	watched.waits_for_scx = waits_for_scx;
	watched.blocks = blocks;
	watched.wish = wish ? *wish : (struct snapshots_wish){};
	snprintf(watched.vmlinux, sizeof(watched.vmlinux), "%s", vmlinux);
	session->watcher = &w->vm;
	session->plugin = &w->plugin;
	if (watched.blind)
		snprintf(w->series.problem, sizeof(w->series.problem), "%s", watched.blind);
}

void __wrap_watcher_hear(struct watcher *w, const struct channel_frame *f)
{
	(void)f;
	assert_ptr_equal(w, watcher);
	watched.heard++;
}

void __wrap_watcher_close(struct watcher *w)
{
	assert_ptr_equal(w, watcher);
	watched.closed++;
	str_finish(&w->dump);
	str_finish(&w->early);
	str_finish(&w->snapshots);
	str_finish(&w->problems);
	str_finish(&w->core_problem);
	str_finish(&w->invariants.broken);
	str_finish(&w->invariants.unknown);
	series_finish(&w->series);
	watcher = NULL;
}

int __wrap_run_tracer_run(const struct vm_session *session, const char *vmlinux,
			  const struct run_tracer_file *file, struct vm_result *result)
{
	str_addf(&traced, "%s|%s|%s", file->path, file->of, vmlinux);
	return __wrap_vm_session_run(session, result);
}

int __wrap_bpf_coverage_keep(const char *dir, const struct bpf_blocks *blocks)
{
	assert_non_null(blocks);
	str_addf(&kept, "%s;", dir);
	return keep_rc < 0 ? err_set(-keep_rc, "no room in %s", dir) : 0;
}

void __wrap_job_repro(const struct job *job, const struct vm_session *session,
		      const struct repro_scene *scene, const struct job_again *again,
		      struct outcome *out)
{
	assert_ptr_equal(job, &made.job);
	assert_ptr_equal(out, &made.out);
	assert_non_null(scene);
	/* They point to what has ended. */
	assert_null(session->watcher);
	assert_null(session->plugin);
	follows++;
	if (follow)
		follow(again);
}

void __wrap_log_note(const char *fmt, ...)
{
	char text[512];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	str_addf(&notes, "%s\n", text);
}

/* The guest is under a scheduler with a program. */
static int start_watched(void **state)
{
	memset(&watched, 0, sizeof(watched));
	follow = NULL;
	follows = 0;
	keep_rc = 0;
	unsetenv("KTSTR_NO_MONITOR");
	assert_int_equal(start(state), 0);
	made.variant.name = (char *)"ktstr/race";
	made.variant.sched = &made.sched;
	made.kernel.image.vmlinux = (char *)"/k/vmlinux";
	made.job.scheduler = "/x/mine";
	return 0;
}

static int stop_watched(void **state)
{
	assert_int_equal(watched.opened, watched.closed);
	str_finish(&notes);
	str_finish(&traced);
	str_finish(&kept);
	unsetenv("KTSTR_NO_MONITOR");
	return stop(state);
}

#define WATCHED(f) cmocka_unit_test_setup_teardown(f, start_watched, stop_watched)

static void play(const struct vm_session *s, struct vm_result *out)
{
	(void)out;
	assert_non_null(s->watcher);
	if (watcher && watched.watch)
		watched.watch(watcher);
}

static void run_again(void)
{
	str_reset(&notes);
	str_reset(&traced);
	str_reset(&kept);
	memset(&watched.wish, 0, sizeof(watched.wish));
	follows = 0;
	run();
	assert_null(watcher);
	assert_int_equal(follows, 1);
}

/* ---- what is asked for ---- */

static void see_wishes(struct watcher *w)
{
	assert_string_equal(w->name, "ktstr/race");
	assert_string_equal(w->scheduler, "/x/mine");
	assert_string_equal(w->core, "/core");
	assert_ptr_equal(w->limits, &made.test.assert);
	assert_int_equal(w->show != NULL, made.job.explains);
	assert_int_equal(w->show_ctx != NULL, made.job.explains);
}

static void a_watcher_is_told_what_is_wanted_of_it(void **state)
{
	const char *watches[] = { "a", "b", "c", "d" }, *writes[] = { "m.x=1", "m.y=2" };
	const char *invariants[] = { "a <= b" };

	(void)state;
	say = play;
	watched.watch = see_wishes;
	made.job.core = "/core";
	made.test.num_snapshots = 3;
	made.test.watch_snapshots = (struct probe_texts){ watches, 2 };
	made.test.bpf_map_write = (struct probe_texts){ writes, 2 };
	made.sched.invariants = (struct probe_texts){ invariants, 1 };
	run_again();
	assert_int_equal(watched.opened, 1);
	assert_true(watched.waits_for_scx);
	assert_null(watched.blocks);
	assert_string_equal(watched.vmlinux, "/k/vmlinux");
	assert_int_equal(watched.wish.periodic, 3);
	assert_int_equal(watched.wish.duration_ns, 5 * S);
	assert_true(watched.wish.in_tcg);
	assert_int_equal(watched.wish.watch_count, 2);
	assert_string_equal(watched.wish.watches[1], "b");
	assert_int_equal(watched.wish.write_count, 2);
	assert_string_equal(watched.wish.writes[1], "m.y=2");
	assert_int_equal(watched.wish.invariant_count, 1);
	assert_string_equal(watched.wish.invariants[0], "a <= b");
	assert_int_equal(last.limit_ns, job_limit_ns(&made.job));
	assert_int_equal(last.guest_limit_ns, job_guest_limit_ns(&made.job) + 30 * S);
	assert_int_equal(last.boot_limit_ns, vm_boot_limit_ns(&made.variant.topology));
	/* There are as many watchpoints as the hardware has, less one. */
	made.test.watch_snapshots.count = 4;
	made.job.explains = true;
	run_again();
	assert_int_equal(watched.wish.watch_count, TRACE_MAX_WATCHES);
	/* A scheduler of the kernel has no program that could come late. */
	watched.watch = NULL;
	made.job.scheduler = NULL;
	run_again();
	assert_false(watched.waits_for_scx);
}

static void say_words(const struct vm_session *s, struct vm_result *out)
{
	frame(s, CHANNEL_STDOUT, "a");
	frame(s, CHANNEL_PROBE_REPORT, "of another run");
	play(s, out);
}

static void a_watcher_hears_what_the_guest_says(void **state)
{
	(void)state;
	say = say_words;
	run_again();
	assert_int_equal(watched.heard, 2);
}

/* ---- what is kept ---- */

static void see_all(struct watcher *w)
{
	str_add(&w->dump, "{the dump}");
	str_add(&w->early, "{early}");
	str_add(&w->snapshots, "{snapshots}");
	str_add(&w->problems, "bpf_map_write: no map\n");
	str_add(&w->invariants.broken, "a > b\n");
	str_add(&w->invariants.unknown, "c?\n");
	w->snapshot_count = SNAPSHOTS_MAX;
	w->has_begun = true;
	w->series.cpu_count = 1;
	w->series.overruns = 7;
}

static void see_early(struct watcher *w)
{
	see_all(w);
	str_reset(&w->dump);
	w->snapshot_count = SNAPSHOTS_MAX + 1;
}

static void everything_that_is_seen_is_kept(void **state)
{
	const char *writes[] = { "m.x=1" };
	struct series s;

	(void)state;
	say = play;
	watched.watch = see_all;
	made.test.bpf_map_write = (struct probe_texts){ writes, 1 };
	run_again();
	assert_string_equal(str_get(&made.out.dump), "{the dump}");
	assert_string_equal(str_get(&made.out.early), "{early}");
	assert_string_equal(str_get(&made.out.snapshots), "{snapshots}");
	assert_string_equal(str_get(&made.out.problems), "bpf_map_write: no map\n");
	assert_string_equal(str_get(&made.out.broken_invariants), "a > b\n");
	assert_string_equal(str_get(&made.out.unknown_invariants), "c?\n");
	assert_string_equal(str_get(&made.out.diagnostics), "");
	assert_int_equal(series_decode(&s, made.out.samples.s, made.out.samples.len), 0);
	assert_int_equal(s.overruns, 7);
	series_finish(&s);
	/* Without a dump the earlier one is all there is. */
	watched.watch = see_early;
	run_again();
	assert_string_equal(str_get(&made.out.dump), "{early}");
	assert_string_equal(str_get(&made.out.early), "");
	assert_string_equal(str_get(&made.out.diagnostics),
			    "the test asked for 65 snapshots; the first 64 were taken\n");
}

static bool core_is_written, core_has_problem;

static void see_core(struct watcher *w)
{
	w->has_core = core_is_written;
	if (core_has_problem)
		str_add(&w->core_problem, "the disk is full");
}

static void a_core_file_is_there_or_it_is_told_why_not(void **state)
{
	static const struct {
		const char *wanted;
		bool is_written, has_problem;
		const char *core, *problem;
	} rows[] = {
		{ NULL, false, false, "", "" },
		{ NULL, false, true, "", "" },
		{ "/core", true, false, "/core", "" },
		{ "/core", true, true, "/core", "" },
		{ "/core", false, true, "", "the disk is full" },
		{ "/core", false, false, "", "no failure was seen while the guest ran" },
	};

	(void)state;
	say = play;
	watched.watch = see_core;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		_free_ char *told = *rows[i].problem ?
					    str_fmt("no core file: %s\n", rows[i].problem) :
					    strdup("");

		made.job.core = rows[i].wanted;
		core_is_written = rows[i].is_written;
		core_has_problem = rows[i].has_problem;
		run_again();
		assert_string_equal(str_get(&made.out.core), rows[i].core);
		assert_string_equal(str_get(&made.out.core_problem), rows[i].problem);
		assert_string_equal(str_get(&made.out.diagnostics), told);
	}
}

static void nothing_is_kept_of_a_run_that_was_not_made(void **state)
{
	(void)state;
	say = play;
	watched.watch = see_all;
	session_rc = -ENXIO;
	assert_int_equal(job_run_guest(&made.job, NULL, &made.out), -ENXIO);
	assert_string_equal(str_get(&made.out.samples), "");
	assert_string_equal(str_get(&made.out.dump), "");
	assert_string_equal(str_get(&made.out.problems), "");
	assert_int_equal(follows, 0);
	assert_null(watcher);
	session_rc = 0;
	/* It can be known before that it will not be. */
	unhashable = "/x/mine";
	assert_int_equal(job_run_guest(&made.job, NULL, &made.out), -EIO);
	assert_int_equal(watched.opened, 1);
	err_clear();
}

/* ---- guests that nobody watches ---- */

#define BLIND                                                                              \
	"warning: the guest is not watched, so there are no samples, snapshots or dumps: " \
	"no BTF\n"

static enum vm_outcome blind_outcome;
static bool has_sample;

static void see_nothing(struct watcher *w)
{
	snprintf(w->series.problem, sizeof(w->series.problem), "no BTF");
	if (has_sample) {
		struct cpu_sample cpu = {};

		w->series.cpu_count = 1;
		assert_int_equal(series_add(&w->series, &(struct guest_sample){ .cpus = &cpu }), 0);
	}
}

static void play_blind(const struct vm_session *s, struct vm_result *out)
{
	play(s, out);
	out->outcome = blind_outcome;
}

/* When it is known, and at the end of a run without a failure, as others have other reasons. */
static void that_nobody_watches_is_told_once(void **state)
{
	static const struct {
		const char *blind;
		bool has_reason, has_sample;
		enum vm_outcome outcome;
		const char *told;
	} rows[] = {
		{ NULL, false, false, VM_OUTCOME_EXIT, "" },
		{ "no BTF", false, false, VM_OUTCOME_EXIT, BLIND },
		{ NULL, true, false, VM_OUTCOME_EXIT, BLIND },
		{ NULL, true, true, VM_OUTCOME_EXIT, "" },
		{ NULL, true, false, VM_OUTCOME_CRASHED, "" },
	};

	(void)state;
	say = play_blind;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		watched.blind = rows[i].blind;
		watched.watch = rows[i].has_reason ? see_nothing : NULL;
		has_sample = rows[i].has_sample;
		blind_outcome = rows[i].outcome;
		run_again();
		assert_string_equal(str_get(&notes), rows[i].told);
	}
}

static const char *const asked_writes[] = { "m.x=1" }, *const asked_watches[] = { "m.y" };

static void ask_for_both(void)
{
	made.test.bpf_map_write = (struct probe_texts){ (const char **)asked_writes, 1 };
	made.test.watch_snapshots = (struct probe_texts){ (const char **)asked_watches, 1 };
}

static void what_an_unwatched_guest_cannot_have_is_told(void **state)
{
	(void)state;
	say = play;
	ask_for_both();
	run_again();
	assert_string_equal(str_get(&made.out.problems),
			    "bpf_map_write: this guest was not watched\n"
			    "watch_snapshots: this guest was not watched\n");
	watched.blind = "no BTF";
	run_again();
	assert_string_equal(str_get(&made.out.problems),
			    "bpf_map_write: no BTF\nwatch_snapshots: no BTF\n");
	made.test.bpf_map_write.count = 0;
	run_again();
	assert_string_equal(str_get(&made.out.problems), "watch_snapshots: no BTF\n");
	made.test.watch_snapshots.count = 0;
	run_again();
	assert_string_equal(str_get(&made.out.problems), "");
}

static void play_announced(const struct vm_session *s, struct vm_result *out)
{
	(void)out;
	assert_non_null(s->watcher);
	assert_null(watcher);
}

static void guests_without_a_scheduler_are_announced_only(void **state)
{
	(void)state;
	say = play_announced;
	made.variant.sched = NULL;
	made.job.scheduler = NULL;
	ask_for_both();
	run_again();
	assert_int_equal(watched.opened, 0);
	assert_string_equal(str_get(&made.out.samples), "");
	assert_string_equal(str_get(&made.out.problems),
			    "bpf_map_write: only guests under a scheduler are watched\n"
			    "watch_snapshots: only guests under a scheduler are watched\n");
}

static void play_alone(const struct vm_session *s, struct vm_result *out)
{
	(void)out;
	assert_null(s->watcher);
}

static void the_environment_can_forbid_the_watcher(void **state)
{
	const char *invariants[] = { "a <= b" };

	(void)state;
	setenv("KTSTR_NO_MONITOR", "1", 1);
	say = play_alone;
	ask_for_both();
	run_again();
	assert_int_equal(watched.opened, 0);
	assert_string_equal(str_get(&made.out.unknown_invariants), "");
	assert_string_equal(str_get(&made.out.problems),
			    "bpf_map_write: KTSTR_NO_MONITOR is set\n"
			    "watch_snapshots: KTSTR_NO_MONITOR is set\n");
	made.sched.invariants = (struct probe_texts){ invariants, 1 };
	run_again();
	assert_string_equal(str_get(&made.out.unknown_invariants),
			    "invariants could not be judged: KTSTR_NO_MONITOR is set\n");
	/* Coverage of BPF programs is counted by the same plugin, so it needs one. */
	say = play;
	made.job.bpf_dir = "/bpf";
	run_again();
	assert_int_equal(watched.opened, 1);
	assert_string_equal(str_get(&made.out.unknown_invariants), "");
}

static int instead_rc;

static int instead(void *ctx, const struct vm_session *s, const char *vmlinux,
		   struct vm_result *result)
{
	assert_ptr_equal(ctx, &instead_rc);
	assert_string_equal(vmlinux, "/k/vmlinux");
	assert_null(s->watcher);
	*result = (struct vm_result){ .outcome = VM_OUTCOME_EXIT, .status = 7 };
	return 0;
}

static void another_can_run_the_guest(void **state)
{
	(void)state;
	made.job.run_instead = instead;
	made.job.instead = &instead_rc;
	run_again();
	assert_int_equal(watched.opened, 0);
	assert_int_equal(made.out.facts.status, 7);
}

/* ---- traces and coverage ---- */

static void a_trace_has_a_title(void **state)
{
	(void)state;
	made.world.accel = VM_ACCEL_SIM;
	made.job.trace = "/trace.svg";
	made.job.seed = 9;
	run_again();
	assert_string_equal(str_get(&traced),
			    "/trace.svg|ktstr/race on 1n1l4c1t, seed 9|/k/vmlinux");
	made.kernel.image.version = (char *)"7.0.13";
	run_again();
	assert_string_equal(str_get(&traced),
			    "/trace.svg|ktstr/race on 1n1l4c1t, kernel 7.0.13, seed 9|/k/vmlinux");
	made.job.trace = NULL;
	run_again();
	assert_string_equal(str_get(&traced), "");
}

static bool has_plugin;
static int part_rc;

static void see_blocks(struct watcher *w)
{
	if (has_plugin)
		w->plugin.option = "file=x";
	else
		snprintf(w->series.problem, sizeof(w->series.problem), "no plugin");
	assert_ptr_equal(w->blocks, watched.blocks);
	assert_int_equal(w->blocks->counts_kernel, made.job.counts_kernel);
	assert_true(w->blocks->fd >= 0);
	part_rc = w->blocks->keep_part(w->blocks->keep_ctx, w->blocks, 3);
}

static void bpf_coverage_is_stored_for_each_part(void **state)
{
	(void)state;
	say = play;
	watched.watch = see_blocks;
	made.job.bpf_dir = "/bpf";
	blind_outcome = VM_OUTCOME_EXIT;
	has_plugin = true;
	run_again();
	assert_int_equal(part_rc, 0);
	assert_string_equal(str_get(&kept), "/bpf/part-3;/bpf;");
	assert_string_equal(str_get(&notes), "");
	made.job.counts_kernel = true;
	keep_rc = -ENOSPC;
	run_again();
	assert_int_equal(part_rc, -ENOSPC);
	assert_string_equal(str_get(&notes), "warning: no room in /bpf\n");
	has_plugin = false;
	run_again();
	assert_string_equal(str_get(&kept), "/bpf/part-3;");
	assert_non_null(strstr(str_get(&notes),
			       "warning: nothing was counted of BPF programs: no plugin\n"));
	assert_null(strstr(str_get(&notes), "no room"));
}

static char *profiles;
static size_t profile_frames;

static void say_profiles(const struct vm_session *s, struct vm_result *out)
{
	static const uint8_t raw[] = { 0x81, 'r', 'f', 'o', 'r', 'p', 'l', 0xff, 1 };
	struct channel_frame f = { .type = CHANNEL_COVERAGE, .length = sizeof(raw), .data = raw };

	(void)out;
	frame(s, CHANNEL_COVERAGE, "something else");
	for (size_t i = 0; i < profile_frames; i++)
		assert_int_equal(s->on_frame(s->ctx, &f), 0);
}

static void profiles_of_a_guest_are_stored(void **state)
{
	_free_ char *blocked = NULL;

	(void)state;
	profiles = unit_temp_create();
	say = say_profiles;
	profile_frames = 2;
	made.job.profile_dir = profiles;
	run_again();
	assert_int_equal(made.out.facts.profile_count, 2);
	/* A guest that sends no end of them. */
	profile_frames = 65;
	run_again();
	assert_int_equal(made.out.facts.profile_count, 64);
	made.job.profile_dir = NULL;
	run_again();
	assert_int_equal(made.out.facts.profile_count, 0);
	assert_string_equal(str_get(&notes), "");
	/* What cannot be stored is told, and the run goes on. */
	unit_write(profiles, "file", "");
	blocked = str_fmt("%s/file", profiles);
	made.job.profile_dir = blocked;
	profile_frames = 1;
	run_again();
	assert_int_equal(made.out.facts.profile_count, 0);
	assert_true(str_starts(str_get(&notes), "warning: "));
	unit_temp_remove(profiles);
}

/* ---- the run with probes ---- */

static struct probed_run second;
static struct str probe_settings, probe_args;

static void say_probed(const struct vm_session *s, struct vm_result *out)
{
	assert_non_null(s->watcher);
	assert_null(s->prelude);
	assert_ptr_equal(s->plugin, &watcher->plugin);
	assert_true(watched.waits_for_scx);
	assert_int_equal(watched.wish.duration_ns, 0);
	assert_string_equal(watcher->scheduler, "/x/mine");
	str_add(&probe_settings, s->run->settings);
	for (const char *const *arg = s->run->args; *arg; arg++)
		str_addf(&probe_args, "%s ", *arg);
	frame(s, CHANNEL_PROBE_REPORT, "report ");
	frame(s, CHANNEL_PROBE_REPORT, "of probes");
	frame(s, CHANNEL_PROBE_RECORDS, "rec");
	frame(s, CHANNEL_PROBE_RECORDS, "ords");
	frame(s, CHANNEL_TEST_RESULT, "{}");
	assert_int_equal(watched.heard, 5);
	str_add(&watcher->dump, "{second}");
	out->outcome = VM_OUTCOME_CRASHED;
	out->status = 4;
}

static void follow_with_probes(const struct job_again *again)
{
	say = say_probed;
	watched.heard = 0;
	assert_int_equal(again->run(again->ctx, "a,b", &second), session_rc);
}

static void a_second_run_has_probes(void **state)
{
	(void)state;
	second = (struct probed_run){};
	say = play;
	follow = follow_with_probes;
	run_again();
	assert_int_equal(watched.opened, 2);
	assert_non_null(strstr(str_get(&probe_settings), "\n" GUEST_PROBES "=a,b\n"));
	assert_non_null(strstr(str_get(&probe_args), " --repro "));
	assert_string_equal(str_get(&second.report), "report of probes");
	assert_string_equal(str_get(&second.records), "records");
	assert_string_equal(str_get(&second.outcome.result), "{}");
	assert_string_equal(str_get(&second.outcome.dump), "{second}");
	assert_int_equal(second.outcome.facts.end, OUTCOME_CRASHED);
	assert_int_equal(second.outcome.facts.status, 4);
	assert_int_equal(second.outcome.facts.cleanup_ns, 0);
	/* They are two runs. */
	assert_string_equal(str_get(&made.out.result), "");
	assert_int_equal(made.out.facts.end, OUTCOME_EXITED);
	probed_run_finish(&second);
	str_finish(&probe_settings);
	str_finish(&probe_args);
}

static void follow_without_a_vm(const struct job_again *again)
{
	session_rc = -ENXIO;
	follow_with_probes(again);
	session_rc = 0;
}

static void a_second_run_that_is_not_made_is_none(void **state)
{
	(void)state;
	second = (struct probed_run){};
	say = play;
	follow = follow_without_a_vm;
	run_again();
	assert_string_equal(str_get(&second.outcome.dump), "");
	assert_int_equal(second.outcome.facts.status, 0);
	probed_run_finish(&second);
	str_finish(&probe_settings);
	str_finish(&probe_args);
	err_clear();
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		WATCHED(a_watcher_is_told_what_is_wanted_of_it),
		WATCHED(a_watcher_hears_what_the_guest_says),
		WATCHED(everything_that_is_seen_is_kept),
		WATCHED(a_core_file_is_there_or_it_is_told_why_not),
		WATCHED(nothing_is_kept_of_a_run_that_was_not_made),
		WATCHED(that_nobody_watches_is_told_once),
		WATCHED(what_an_unwatched_guest_cannot_have_is_told),
		WATCHED(guests_without_a_scheduler_are_announced_only),
		WATCHED(the_environment_can_forbid_the_watcher),
		WATCHED(another_can_run_the_guest),
		WATCHED(a_trace_has_a_title),
		WATCHED(bpf_coverage_is_stored_for_each_part),
		WATCHED(profiles_of_a_guest_are_stored),
		WATCHED(a_second_run_has_probes),
		WATCHED(a_second_run_that_is_not_made_is_none),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
