// SPDX-License-Identifier: GPL-2.0-only
/* ktstr replay: repeats recorded runs, and compares the results. */
#include "cli/recorded.h"
#include "cli/table.h"
#include "explore/explore.h"
#include "run/campaign.h"

struct replay {
	const struct cli_call *call;
	struct recorded from;
	struct run *run; /* NULL if one record was named */
	bool is_exact;
	struct str name; /* to show */
	size_t same, different;
	int worst;
};

static void replay_finish(struct replay *r)
{
	recorded_finish(&r->from);
	str_finish(&r->name);
}

static int open_records(struct replay *r)
{
	const char *name = cli_text(r->call, "run"), *dir = cli_text(r->call, "dir");
	int rc;

	r->is_exact = name != NULL;
	if (name && run_dir_is_record(name))
		return recorded_open_file(&r->from, name);
	rc = name ? runs_open(&r->from.runs, dir, name, &r->run) :
		    runs_open_latest(&r->from.runs, dir, &r->run);
	if (rc < 0)
		return rc;
	run_warn_about_problems(r->run);
	r->from.dir = strdup(r->run->path);
	return r->from.dir ? 0 : err_no_memory();
}

static size_t record_count(const struct replay *r)
{
	return r->from.is_single ? 1 : r->run->sidecars.count;
}

static const struct sidecar *record_at(const struct replay *r, size_t i)
{
	return r->from.is_single ? &r->from.single : r->run->sidecars.items[i];
}

/* Returns whether it can be replayed, apart from the selection. */
static bool is_candidate(const struct replay *r, const struct sidecar *s)
{
	return r->is_exact ? s->outcome != KTSTR_SKIPPED : s->outcome == KTSTR_FAILED;
}

static bool is_wanted(struct replay *r, const struct sidecar *s)
{
	return is_candidate(r, s) && select_option_has(&r->from.select, s);
}

/*
 * Preceded by its program, if another program has a test of that name. Valid until the next call.
 */
static const char *name_of(struct replay *r, const struct sidecar *s)
{
	bool has_namesake = false;

	for (size_t i = 0; s->binary && i < record_count(r); i++) {
		const struct sidecar *other = record_at(r, i);

		has_namesake |= str_eq(other->name, s->name) && other->binary &&
				!str_eq(other->binary, s->binary);
	}
	str_finish(&r->name);
	if (has_namesake)
		str_addf(&r->name, "%s ", s->binary);
	str_add(&r->name, s->name);
	return str_get(&r->name);
}

/* False if nothing was run: there is a verdict, but a file or a scheduler was missing. */
static bool has_run(const struct sidecar *s)
{
	return !s->has_seed || s->kernel_hash;
}

static void compare_unrun(struct replay *r, const struct sidecar *was, const struct sidecar *is)
{
	bool is_same = has_run(was) == has_run(is) && was->outcome == is->outcome;

	r->same += is_same;
	r->different += !is_same;
	if (is_same)
		output_line("    SAME VERDICT %s (no guest was run)", name_of(r, was));
	else
		output_line("    DIFFERENT %s: no guest was run %s", name_of(r, was),
			    has_run(is) ? "then" : "now");
}

static void compare(struct replay *r, const struct sidecar *was, const struct sidecar *is)
{
	_str_ struct str parts = {};

	if (!has_run(was) || !has_run(is)) {
		compare_unrun(r, was, is);
		return;
	}
	identity_add_differences(was, is, &parts);
	if (was->digest && is->digest && str_eq(was->digest, is->digest)) {
		r->same++;
		output_line("    SAME %s %.16s", name_of(r, was), was->digest);
		return;
	}
	if (!was->has_seed && !parts.len && was->outcome == is->outcome) {
		r->same++;
		output_line("    SAME VERDICT %s (only sim repeats exactly)", name_of(r, was));
		return;
	}
	r->different++;
	output_line("    DIFFERENT %s: %s", name_of(r, was),
		    parts.len ? parts.s : "all that goes in is the same, but not what came out");
}

/* Record path of the replay: with another scheduler the name differs. NULL if out of memory. */
static char *new_record_path(const struct sidecar *was, const char *scheduler, const char *dir)
{
	struct sidecar is = *was;
	char hash[SHA256_HEX_SIZE];
	_str_ struct str name = {};

	if (scheduler && is.scheduler_hash && file_hash(scheduler, hash) == 0)
		is.scheduler_hash = hash;
	sidecar_file_name(&is, &name);
	return str_fmt("%s/%s", dir, str_get(&name));
}

static int compare_with_record(struct replay *r, const struct sidecar *was, const char *path)
{
	_sidecar_ struct sidecar is = {};

	if (sidecar_read(&is, path) < 0) {
		r->different++;
		output_line("    DIFFERENT %s: the replay left no record of the same machine, "
			    "scheduler and options",
			    name_of(r, was));
		return 0;
	}
	compare(r, was, &is);
	return 0;
}

static int run_one(struct replay *r, const struct sidecar *s, const char *scheduler,
		   const char *record_dir)
{
	_free_ char *name = repeat_test_name(s->name);
	_filter_ struct filter filter = {};
	const char *kernels[] = { repeat_kernel(s) };
	struct runner_options o = { .label = r->call->program,
				    .paths = r->from.programs.paths.items,
				    .path_count = r->from.programs.paths.count,
				    .kernels = kernels,
				    .kernel_count = kernels[0] ? 1 : 0,
				    .accel = s->accel,
				    .seed = s->has_seed ? s->seed : 1,
				    .explains = true,
				    .scheduler_profile = "release",
				    .scheduler = scheduler,
				    .profile = run_profile_by_name("default"),
				    .is_quiet = cli_flag(r->call, "quiet"),
				    .is_verbose = cli_flag(r->call, "verbose"),
				    .format = &run_report_human,
				    .choice = { .filter = &filter, .ignored = RUN_IGNORED_ALL } };
	int rc;

	if (!name)
		return err_no_memory();
	rc = run_knobs_parse(&o.knobs, s->run_options.items, s->run_options.count);
	rc = rc ?: filter_add_exact(&filter, name, s->binary);
	if (rc < 0)
		return rc;
	o.is_verbose |= o.knobs.is_verbose;
	if (o.knobs.profile)
		o.profile = run_profile_by_name(o.knobs.profile);
	setenv("KTSTR_SIDECAR_DIR", record_dir, 1);
	unsetenv("KTSTR_KERNEL");
	unsetenv("KTSTR_VERBOSE"); /* the record has it */
	return runner_run(&o);
}

static int replay_one(struct replay *r, const struct sidecar *s, const char *record_dir)
{
	const char *scheduler;
	_free_ char *path = NULL;
	int rc;

	if (!is_wanted(r, s))
		return 0;
	if (cli_flag(r->call, "list")) {
		output_line("%s", name_of(r, s));
		return 0;
	}
	rc = repeat_scheduler(s, cli_text(r->call, "scheduler-bin"), r->is_exact, &scheduler);
	if (rc < 0)
		return rc;
	path = new_record_path(s, scheduler, record_dir);
	if (!path)
		return err_no_memory();
	unlink(path); /* that of an earlier replay is obsolete */
	rc = run_one(r, s, scheduler, record_dir);
	if (rc < 0)
		return rc;
	if (rc == RUN_EXIT_INTERRUPTED)
		return -EINTR;
	r->worst = r->worst ? r->worst : rc;
	return r->is_exact ? compare_with_record(r, s, path) : 0;
}

/* Below the records; if these are not writable, in a temporary directory. */
static int make_record_dir(const struct replay *r, char **dir, bool *is_temporary)
{
	const char *base = env_get("TMPDIR");

	*is_temporary = access(r->from.dir, W_OK) < 0;
	*dir = *is_temporary ? str_fmt("%s/ktstr-replay-XXXXXX", base ? base : "/tmp") :
			       str_fmt("%s/" RUN_REPLAY_DIR, r->from.dir);
	if (!*dir)
		return err_no_memory();
	return *is_temporary && !mkdtemp(*dir) ? err_sys(errno, "create %s", *dir) : 0;
}

static int tell_nothing(const struct replay *r, size_t candidates)
{
	const char *selected = cli_text(r->call, "select");
	size_t all = record_count(r);

	if (selected && candidates)
		log_note("%s: -E %s matches none of the %zu%s tests of %s", r->call->program,
			 cli_quoted(selected), candidates, r->is_exact ? "" : " failed",
			 r->from.dir);
	else
		log_note("%s: nothing to replay in %s: %s of its %zu tests %s", r->call->program,
			 r->from.dir, r->is_exact ? "all" : "none", all,
			 r->is_exact ? "were skipped" : "failed");
	return RUN_EXIT_NOTHING;
}

static int replay_into(struct replay *r, const char *record_dir)
{
	size_t wanted = 0, candidates = 0;
	int rc = 0;

	for (size_t i = 0; i < record_count(r) && rc == 0; i++) {
		const struct sidecar *s = record_at(r, i);

		candidates += is_candidate(r, s);
		wanted += is_wanted(r, s);
		rc = replay_one(r, s, record_dir);
	}
	if (rc < 0)
		return rc;
	if (wanted == 0)
		return tell_nothing(r, candidates);
	if (!r->is_exact)
		return r->worst;
	return r->different ? RUN_EXIT_FAILED : RUN_EXIT_PASSED;
}

static int replay_all(struct replay *r)
{
	_free_ char *record_dir = NULL;
	bool is_temporary;
	int rc = make_record_dir(r, &record_dir, &is_temporary);

	if (rc < 0)
		return rc;
	rc = replay_into(r, record_dir);
	if (is_temporary)
		tree_remove(record_dir);
	return rc;
}

static int check_trust(const struct replay *r)
{
	const struct sidecar *single = &r->from.single;

	return r->from.is_single ? trust_run(r->call, r->from.dir, &r->from.programs, &single, 1) :
				   trust_run(r->call, r->from.dir, &r->from.programs,
					     (const struct sidecar *const *)r->run->sidecars.items,
					     r->run->sidecars.count);
}

static int cmd_replay_run(const struct cli_call *call)
{
	_cleanup_(replay_finish) struct replay r = { .call = call };
	int rc = select_option_read(&r.from.select, call);

	if (rc)
		return rc;
	interrupt_install();
	rc = open_records(&r) ?: repeat_programs_read(&r.from.programs, r.from.dir);
	if (rc == 0 && !cli_flag(call, "list"))
		rc = check_trust(&r);
	rc = rc ?: replay_all(&r);
	return rc == -EINTR ? RUN_EXIT_INTERRUPTED : rc;
}

/* clang-format off */
const struct cli_cmd cmd_replay = {
	.name = "replay", .summary = "run failed tests again, or repeat a run exactly",
	.about = "Without an argument, reruns the failed tests of the last run, with their "
		 "kernels and seeds. With a run or a record, repeats it and compares the "
		 "results: in sim the digest has to be the same, and any difference is reported. "
		 "Records of a replay are stored beside those of the run, which do not change. "
		 "If the run was not made by this user on this machine, prints what would be "
		 "executed and asks for confirmation, unless --trust is given.",
	.params = CLI_PARAMS(
		{ .name = "run", .is_arg = true, .kind = CLI_FILE, .value = "RUN",
		  .help = "run (name or directory) or record to repeat [default: failed tests of the last "
			  "run]" },
		CLI_SELECT("only these tests"),
		{ .name = "dir", .kind = CLI_DIR, .value = "DIR", .help = "directory of runs" },
		{ .name = "list", .help = "print what would run, without running it" },
		CLI_SCHEDULER_BIN("this program instead of the scheduler that the record names"),
		CLI_TRUST),
	.examples = CLI_EXAMPLES(
		{ "replay", "rerun the failed tests of the last run" },
		{ "replay target/ktstr/7.0.13-1a2b3c4/two_cgroups-0123456789abcdef.ktstr.json",
		  "repeat one test exactly and compare the results" }),
	.holds_resources = true,
	.exits = cli_test_exits, .run = cmd_replay_run,
};
/* clang-format on */
