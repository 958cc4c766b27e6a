// SPDX-License-Identifier: GPL-2.0-only
/* ktstr check: runs the built-in tests under a scheduler. */
#include "battery/battery.h"
#include "cli/options.h"
#include "cli/rows_test.h"
#include "host/plan.h"

struct check {
	const struct cli_call *call;
	struct battery_options options;
	struct filter filter;
	const char **kernels, **machines;
};

static void check_finish(struct check *c)
{
	filter_finish(&c->filter);
	free(c->kernels);
	free(c->machines);
}

static int read_filter(struct check *c)
{
	int rc = 0;

	for (size_t i = 0; i < cli_count(c->call, "filter-expr") && rc == 0; i++)
		rc = filter_option_add(&c->filter, cli_nth(c->call, "filter-expr", i));
	return rc;
}

/* Exactly one program, or the kernel's own scheduler, which has no options. */
static int check_scheduler(const struct check *c)
{
	bool is_eevdf = cli_flag(c->call, "eevdf");

	if (!c->options.scheduler && !is_eevdf)
		return cli_usage_error(c->call, "name the program of a scheduler, or --eevdf");
	if (c->options.scheduler && is_eevdf)
		return cli_usage_error(c->call, "--eevdf cannot be used with SCHEDULER");
	if (is_eevdf && c->options.arg_count)
		return cli_usage_error(c->call, "--eevdf takes no options after --");
	return 0;
}

static int check_numbers(const struct check *c)
{
	const struct battery_options *o = &c->options;
	int rc = 0;

	if (!o->budget_ns)
		rc = err_set(EINVAL, "--budget must be more than 0");
	else if (o->seeds)
		rc = trial_seeds_check(o->seed, o->seeds);
	return rc < 0 ? cli_usage_error(c->call, "%s", err_text(rc)) : 0;
}

static int read_options(struct check *c)
{
	const struct cli_call *call = c->call;
	struct battery_options *o = &c->options;
	int rc;

	*o = (struct battery_options){
		.label = call->program,
		.scheduler = cli_text(call, "scheduler"),
		.args = call->rest,
		.arg_count = (size_t)call->rest_count,
		.filter = &c->filter,
		.include_eol = cli_flag(call, "include-eol"),
		.no_perf_mode = cli_flag(call, "no-perf-mode") || run_mode_env_no_perf(),
		.is_quiet = cli_flag(call, "quiet"),
		.budget_ns = cli_number(call, "budget"),
		.seeds = cli_number(call, "seeds"),
		.jobs = (size_t)cli_number(call, "jobs"),
	};
	rc = seed_option(call, &o->seed);
	rc = rc ?: cli_collect(call, "kernel", &c->kernels, &o->kernel_count);
	rc = rc ?: cli_collect(call, "topology", &c->machines, &o->machine_count);
	o->kernels = c->kernels;
	o->machines = c->machines;
	return rc ? rc : check_numbers(c);
}

static int print_list(struct check *c)
{
	struct printout o;
	int rc = 0;

	output_begin(&o, c->call);
	if (o.is_json)
		battery_put_list(&c->filter, &o.json);
	else
		rc = battery_add_list(&c->filter, term_width(stdout), &o.text);
	return output_end(&o, rc);
}

static int print(const struct cli_call *call, const struct battery *b)
{
	struct printout o;

	output_begin(&o, call);
	return output_end(&o,
			  o.is_json ? battery_put_json(b, &o.json) : battery_add_text(b, &o.text));
}

static int write_page(const struct cli_call *call, const struct battery *b)
{
	const char *path = cli_text(call, "html");
	int rc = path ? battery_write_html(b, path) : 0;

	if (rc == 0 && path && !str_eq(path, "-"))
		log_note("%s: wrote %s", call->program, path);
	return rc;
}

static int cmd_check_run(const struct cli_call *call)
{
	_cleanup_(battery_finish) struct battery b = {};
	_cleanup_(check_finish) struct check c = { .call = call };
	int rc = read_options(&c) ?: read_filter(&c);

	if (rc == 0 && cli_flag(call, "list"))
		return print_list(&c);
	rc = rc ?: check_scheduler(&c) ?: output_check_file(cli_text(call, "html"));
	if (rc)
		return rc;
	interrupt_install();
	rc = battery_open(&b, &c.options) ?: battery_run(&b) ?: print(call, &b);
	rc = rc ?: write_page(call, &b);
	if (rc == -EINTR)
		return RUN_EXIT_INTERRUPTED;
	return rc ? rc : battery_exit_code(&b);
}

/* clang-format off */
static const struct cli_cmd check_rest = { .name = "check", .params = cli_scheduler_words };

const struct cli_cmd cmd_check = {
	.name = "check", .summary = "try a scheduler with a battery of tests, without writing one",
	.about = "Loads the scheduler on every kernel and machine, then runs a table of tests of "
		 "at most 2 s of load each under it, in sim. Tests that reveal problems most often run "
		 "first; the remaining time is used to repeat all tests with other seeds and "
		 "machines. Prints where the scheduler loads, which tests pass, and each "
		 "distinct failure with the command that reproduces it exactly. Every run writes "
		 "a record.",
	.params = CLI_PARAMS(
		{ .name = "scheduler", .is_arg = true, .kind = CLI_FILE, .value = "SCHEDULER",
		  .help = "program that loads the scheduler and keeps running" },
		{ .name = "eevdf", .help = "use the kernel's own scheduler instead of a program, "
			"to see what the tests report without yours" },
		{ .name = "kernel", .kind = CLI_STRING, .value = "ID", .is_repeatable = true,
		  .help = "kernel as for `ktstr test`; may be repeated [default: all kernels of the cache "
			  "that schedulers can be loaded into, the newest first]" },
		{ .name = "topology", .kind = CLI_STRING, .value = "MACHINE", .is_repeatable = true,
		  .help = "machine of four CPUs or more: NUMA nodes, LLCs in total, cores per LLC, threads per "
			  "core as N,L,C,T, or a preset; may be repeated [default: one LLC, two LLCs, three "
			  "LLCs with an odd number of CPUs, SMT, two nodes]" },
		{ .name = "budget", .kind = CLI_DURATION, .value = "DUR", .fallback = "5m",
		  .help = "start no further runs after this time" },
		CLI_SEED("first seed"),
		{ .name = "seeds", .letter = 'n', .kind = CLI_NUMBER, .value = "N", .min = 1, .max = 10000000,
		  .help = "maximum number of seeds [default: as many as the budget allows]" },
		FILTER_ROW,
		{ .name = "list", .help = "print the tests and their purpose without running them" },
		{ .name = "html", .kind = CLI_FILE, .value = "FILE", .help = "also write an HTML "
			"page with all runs" },
		{ .name = "jobs", .letter = 'j', .kind = CLI_NUMBER, .value = "N", .min = 1, .max = 512,
		  .help = "run N tests in parallel [default: as CPUs and memory allow]" },
		NO_PERF_ROW,
		INCLUDE_EOL_ROW,
		CLI_JSON),
	.examples = CLI_EXAMPLES(
		{ "check ./scx_mine", "five minutes on all available kernels" },
		{ "check ./scx_mine --kernel 7.0 --budget 20m", "longer, on one kernel" },
		{ "check ./scx_mine -E 'test(herd)' --topology 1,3,3,1 --seed 7 --seeds 1", "one run" },
		{ "check --list", "list the tests" }),
	.holds_resources = true,
	.exits = CLI_EXITS(
		{ "1", "a run failed, or the scheduler does not load" },
		{ "3", "nothing failed, but a run was inconclusive, or scheduling events could not be recorded" },
		{ "4", "nothing ran: nothing was selected, or no kernel can be used; or the budget was used up "
		       "before half of the tests had run" },
		{ "130", "interrupted" }),
	.rest = &check_rest, .run = cmd_check_run,
};
/* clang-format on */
