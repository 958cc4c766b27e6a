// SPDX-License-Identifier: GPL-2.0-only
/* ktstr check: a scheduler through the battery, without a test of its own. */
#include "battery/battery.h"
#include "cli/options.h"
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

/* One program, or the kernel's own scheduler, which has no options. */
static int check_scheduler(const struct check *c)
{
	bool is_eevdf = cli_flag(c->call, "eevdf");

	if (!c->options.scheduler && !is_eevdf)
		return cli_usage_error(c->call, "name the program of a scheduler, or --eevdf");
	if (c->options.scheduler && is_eevdf)
		return cli_usage_error(c->call, "--eevdf cannot be used with SCHEDULER");
	if (is_eevdf && c->options.arg_count)
		return cli_usage_error(c->call, "--eevdf takes no options behind --");
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
	_str_ struct str out = {};
	struct json j;
	int rc;

	if (!cli_flag(c->call, "json")) {
		rc = battery_add_list(&c->filter, &out);
		return rc ?: output_text(&out);
	}
	json_init(&j, &out, true);
	battery_put_list(&c->filter, &j);
	return output_json(&out);
}

static int print(const struct cli_call *call, const struct battery *b)
{
	_str_ struct str out = {};
	struct json j;
	int rc;

	if (!cli_flag(call, "json")) {
		rc = battery_add_text(b, &out);
		return rc ?: output_text(&out);
	}
	json_init(&j, &out, true);
	rc = battery_put_json(b, &j);
	return rc ?: output_json(&out);
}

static int write_page(const struct cli_call *call, const struct battery *b)
{
	const char *path = cli_text(call, "html");
	int rc = path ? battery_write_html(b, path) : 0;

	if (rc == 0 && path && !str_eq(path, "-"))
		log_note("%s: wrote %s", call->program, path);
	return rc;
}

int cmd_check(const struct cli_call *call)
{
	_cleanup_(battery_finish) struct battery b = {};
	_cleanup_(check_finish) struct check c = { .call = call };
	int rc = read_options(&c) ?: read_filter(&c);

	if (rc == 0 && cli_flag(call, "list"))
		return print_list(&c);
	rc = rc ?: check_scheduler(&c);
	if (rc)
		return rc;
	interrupt_install();
	rc = battery_open(&b, &c.options) ?: battery_run(&b) ?: print(call, &b);
	rc = rc ?: write_page(call, &b);
	if (rc == -EINTR)
		return RUN_EXIT_INTERRUPTED;
	return rc ? rc : battery_exit_code(&b);
}
