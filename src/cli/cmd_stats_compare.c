// SPDX-License-Identifier: GPL-2.0-only
/* `ktstr stats compare`. */
#include "cli/cli.h"
#include "stats/compare.h"

static void options_finish(struct compare_options *o)
{
	side_filter_finish(&o->filters[0]);
	side_filter_finish(&o->filters[1]);
	policy_finish(&o->policy);
}

static int add_all(const struct cli_call *call, const char *option, struct side_filter *f,
		   enum dimension d)
{
	int rc = 0;

	for (size_t i = 0; i < cli_count(call, option) && rc == 0; i++)
		rc = side_filter_add(f, d, cli_nth(call, option, i));
	return rc;
}

/* What is given for one side replaces what is given for both. */
static int read_filters(const struct cli_call *call, struct compare_options *o)
{
	static const char prefixes[] = { 'a', 'b' };

	for (int d = 0; d < DIMENSION_COUNT; d++) {
		for (int side = 0; side < 2; side++) {
			char own[40];
			int rc;

			snprintf(own, sizeof(own), "%c-%s", prefixes[side], dimensions[d].option);
			rc = add_all(call, cli_count(call, own) ? own : dimensions[d].option,
				     &o->filters[side], d);
			if (rc < 0)
				return rc;
		}
	}
	return 0;
}

static int read_gate(const struct cli_call *call, struct compare_options *o)
{
	const char *threshold = cli_text(call, "threshold"), *path = cli_text(call, "policy");

	if (path)
		return policy_read(&o->policy, path);
	if (!threshold)
		return 0;
	if (policy_parse_percent(threshold, &o->policy.default_percent) < 0)
		return cli_usage_error(call, "--threshold takes a percentage such as 10, not %s",
				       cli_quoted(threshold));
	o->policy.has_default = true;
	return 0;
}

static void warn_about_slicing(const struct comparison *c)
{
	_str_ struct str names = {};

	if (c->slicing_count < 2)
		return;
	for (size_t i = 0; i < c->slicing_count; i++)
		str_addf(&names, "%s%s", i ? ", " : "", dimensions[c->slicing[i]].name);
	log_warn("stats",
		 "the sides differ in %zu dimensions (%s): a change cannot be put down to one",
		 c->slicing_count, str_get(&names));
}

static int print(const struct cli_call *call, const struct comparison *c)
{
	_str_ struct str out = {};
	struct json j;
	int rc;

	if (cli_flag(call, "json")) {
		json_init(&j, &out, true);
		comparison_json(c, &j);
		return output_json(&out);
	}
	rc = comparison_text(c, term_has_colour(stdout), &out);
	return rc ?: output_raw(&out);
}

struct named_runs {
	struct runs runs[2];
};

static void named_runs_finish(struct named_runs *n)
{
	runs_finish(&n->runs[0]);
	runs_finish(&n->runs[1]);
}

/* RUN_A and RUN_B, or neither of them. */
static int open_named(const struct cli_call *call, struct named_runs *n, struct compare_options *o)
{
	static const char *const names[] = { "run-a", "run-b" };
	int rc = 0;

	if (cli_is_given(call, names[0]) && !cli_is_given(call, names[1]))
		return cli_usage_error(call, "two runs are compared: RUN_B is missing");
	for (int side = 0; side < 2 && cli_is_given(call, names[side]) && rc == 0; side++) {
		struct run *run;

		rc = runs_open(&n->runs[side], cli_text(call, "dir"), cli_text(call, names[side]),
			       &run);
		if (rc == 0)
			run_warn_about_problems(run);
		o->sides[side] = rc == 0 ? run : NULL;
	}
	return rc;
}

static int open_all(const struct cli_call *call, struct runs *runs)
{
	int rc = runs_list(runs, cli_text(call, "dir")) ?: runs_load(runs);

	for (size_t i = 0; i < runs->items.count && rc == 0; i++)
		run_warn_about_problems(&runs->items.items[i]);
	return rc;
}

int cmd_stats_compare(const struct cli_call *call)
{
	_cleanup_(options_finish) struct compare_options o = {
		.expression = cli_text(call, "expression"),
		.no_average = cli_flag(call, "no-average"),
		.gates_single = cli_flag(call, "gate-single"),
	};
	_cleanup_(named_runs_finish) struct named_runs named = {};
	_comparison_ struct comparison c = {};
	_runs_ struct runs runs = {};
	int rc = read_filters(call, &o) ?: read_gate(call, &o) ?: open_named(call, &named, &o);

	if (rc == 0 && !o.sides[0])
		rc = open_all(call, &runs);
	if (rc)
		return rc;
	rc = compare_runs(&runs, &o, &c);
	if (rc < 0)
		return rc;
	warn_about_slicing(&c);
	rc = print(call, &c);
	if (rc)
		return rc;
	return c.regressions ? EXIT_FAILED : EXIT_OK;
}
