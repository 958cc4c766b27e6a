// SPDX-License-Identifier: GPL-2.0-only
/* `ktstr perf-delta`: is HEAD slower than its baseline? */
#include "cli/delta_options.h"
#include "delta/fresh.h"
#include "run/report.h"

struct measuring {
	const struct cli_call *call;
	struct delta_call options;
	struct runs runs[2];
	delta_side sides[2];
	struct delta_report report;
};

static void forget(struct measuring *m)
{
	delta_report_finish(&m->report);
	for (int side = 0; side < 2; side++) {
		free(m->sides[side].items);
		m->sides[side] = (delta_side){};
		runs_finish(&m->runs[side]);
	}
}

static void measuring_finish(struct measuring *m)
{
	forget(m);
	delta_call_finish(&m->options);
}

/* ---- records that are there ---- */

static int pool(struct measuring *m)
{
	struct runs *all = &m->runs[0];
	int rc = runs_list(all, cli_text(m->call, "dir")) ?: runs_load(all);

	for (int side = 0; side < 2 && rc == 0; side++)
		rc = side_filter_resolve_commits(&m->options.filters[side], all);
	vec_each_while(const struct run, run, &all->items, rc == 0) {
		run_warn_about_problems(run);
		for (size_t i = 0; i < run->sidecars.count && rc == 0; i++) {
			const struct sidecar *s = run->sidecars.items[i];

			for (int side = 0; side < 2 && rc == 0; side++)
				if (delta_wants(s) &&
				    side_filter_matches(&m->options.filters[side], s) &&
				    select_option_has(&m->options.select, s))
					rc = vec_push(&m->sides[side], s);
		}
	}
	return rc < 0 ? rc : delta_compare(m->sides, &m->options.judge, &m->report);
}

/* ---- fresh runs ---- */

static int judge_fresh(struct measuring *m, const struct fresh *f)
{
	int rc;

	forget(m);
	rc = fresh_load(f, m->runs, m->sides);
	return rc ?: delta_compare(m->sides, &m->options.judge, &m->report);
}

/* How many more fit into the budget, by what those so far took. */
static size_t runs_that_fit(uint64_t budget_ns, uint64_t spent_ns, size_t done, size_t wanted)
{
	double left = (double)budget_ns - (double)spent_ns;

	if (!budget_ns)
		return wanted;
	return left > 0 ? MIN(wanted, (size_t)(left * (double)done / (double)spent_ns)) : 0;
}

/* Twice as many each time: few looks, which share the chance to err among them. */
static int run_until_sure(struct measuring *m, struct fresh *f, size_t count, uint64_t start)
{
	size_t max = (size_t)cli_number(m->call, "max-runs"), done = count;
	uint64_t budget = cli_number(m->call, "budget");
	int rc;

	m->options.judge.looks = 1;
	for (size_t n = count; n < max; n = MIN(2 * n, max))
		m->options.judge.looks++;
	rc = judge_fresh(m, f);
	while (rc == 0 && done < max && delta_may_decide(&m->report, max)) {
		size_t wanted = MIN(done, max - done);
		size_t more = runs_that_fit(budget, clock_mono_ns() - start, done, wanted);

		if (!more)
			break;
		rc = fresh_run(f, m->options.seed + done, more);
		done += more;
		rc = rc ?: judge_fresh(m, f);
		/* One that was cut short is the last look: there are no more shares. */
		if (more < wanted)
			break;
	}
	return rc;
}

static int measure(struct measuring *m)
{
	_fresh_ struct fresh f = {};
	size_t count = m->options.runs;
	uint64_t start = clock_mono_ns();
	int rc = fresh_open(&f, &m->options.request) ?: fresh_run(&f, m->options.seed, count);

	if (rc < 0)
		return rc;
	rc = cli_flag(m->call, "until-sure") ? run_until_sure(m, &f, count, start) :
					       judge_fresh(m, &f);
	if (rc == 0 && !cli_flag(m->call, "quiet"))
		log_note("%s: records in %s", log_label(), f.records);
	return rc;
}

/* ---- the answer ---- */

static int print(const struct cli_call *call, const struct delta_report *r)
{
	_str_ struct str out = {};
	struct json j;
	int rc;

	if (cli_flag(call, "json")) {
		json_init(&j, &out, true);
		delta_json(r, &j);
		return output_json(&out);
	}
	rc = delta_text(r, term_has_colour(stdout), &out);
	return rc ?: output_raw(&out);
}

static int write_file(const char *path, int (*make)(const struct delta_report *, struct str *),
		      const struct delta_report *r)
{
	_str_ struct str out = {};
	int rc = path ? make(r, &out) : 0;

	return rc < 0 || !path ? rc : file_replace(path, str_get(&out), out.len, 0644);
}

static int write_files(const struct cli_call *call, const struct delta_report *r)
{
	_str_ struct str page = {};
	int rc = write_file(cli_text(call, "junit"), delta_junit, r);

	rc = rc ?: write_file(cli_text(call, "html"), delta_html, r);
	delta_github(r, &page);
	github_append(&page);
	return rc;
}

static int exit_of(const struct measuring *m)
{
	switch (m->report.outcome) {
	case DELTA_FAILED:
		return EXIT_FAILED;
	case DELTA_CANNOT_TELL:
		return EXIT_INCONCLUSIVE;
	case DELTA_NO_DATA:
		return m->options.runs ? EXIT_NOTHING_RAN : EXIT_OK;
	case DELTA_PASSED:
		break;
	}
	return EXIT_OK;
}

static void tell_no_data(const struct measuring *m)
{
	static const char *const names[] = { "A", "B" };
	const char *label = log_label();

	for (int side = 0; side < 2; side++)
		if (!m->sides[side].count)
			log_note("%s: notice: no record of side %s (%s)%s", label, names[side],
				 m->options.judge.labels[side],
				 m->options.runs ? "" :
						   "; --noise-adjust N --kernel ID makes them");
}

static void tell_no_phase(const struct measuring *m)
{
	const char *wanted = m->options.judge.phase;

	vec_each(const struct delta_row, row, &m->report.rows)
		if (row->phase)
			return;
	if (wanted && m->report.tests)
		log_note("%s: notice: no test has a phase %s with figures", log_label(),
			 cli_quoted(wanted));
}

int cmd_perf_delta(const struct cli_call *call)
{
	_cleanup_(measuring_finish) struct measuring m = { .call = call };
	int rc = delta_call_read(&m.options, call);

	if (rc)
		return rc;
	interrupt_install();
	rc = m.options.runs ? measure(&m) : pool(&m);
	if (rc == -EINTR)
		return EXIT_INTERRUPTED;
	if (rc < 0)
		return rc;
	if (m.report.outcome == DELTA_NO_DATA)
		tell_no_data(&m);
	tell_no_phase(&m);
	rc = print(call, &m.report) ?: write_files(call, &m.report);
	return rc < 0 ? rc : exit_of(&m);
}
