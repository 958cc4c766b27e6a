// SPDX-License-Identifier: GPL-2.0-only
/* `ktstr ctprof doctor`. */
#include "base/json.h"
#include "cli/cli.h"
#include "cli/commands.h"
#include "cli/findings.h"
#include "cli/output.h"
#include "ctprof/doctor.h"

#define EXIT_DEGRADED 3
#define EXIT_NOTHING 4

static const char *const state_colours[DOCTOR_STATES] = {
	[DOCTOR_OK] = "\033[32m",
	[DOCTOR_DEGRADED] = "\033[33m",
	[DOCTOR_MISSING] = "\033[31m",
};

struct tally {
	size_t states[DOCTOR_STATES];
};

static struct tally count_states(const struct doctor_finding *findings)
{
	struct tally t = {};

	for (size_t i = 0; i < DOCTOR_FAMILIES; i++)
		t.states[findings[i].state]++;
	return t;
}

static int exit_status(const struct doctor_finding *findings)
{
	struct tally t = count_states(findings);

	if (findings[0].state == DOCTOR_MISSING || t.states[DOCTOR_MISSING] == DOCTOR_FAMILIES)
		return EXIT_NOTHING;
	return t.states[DOCTOR_OK] == DOCTOR_FAMILIES ? EXIT_OK : EXIT_DEGRADED;
}

static struct finding_row row_of(const struct doctor_finding *d)
{
	return (struct finding_row){ .name = d->family,
				     .state = doctor_state_names[d->state],
				     .colour = state_colours[d->state],
				     .why = str_get(&d->why),
				     .fixes = str_get(&d->fix) };
}

static int print_text(const struct doctor_facts *f, const struct doctor_finding *findings)
{
	static const struct finding_widths widths = { .state = 10, .name = 17 };
	struct tally t = count_states(findings);
	_str_ struct str out = {};

	for (size_t i = 0; i < DOCTOR_FAMILIES; i++) {
		struct finding_row row = row_of(&findings[i]);

		finding_add(&out, &row, widths);
	}
	str_addf(&out, "\n%zu ok, %zu degraded, %zu missing", t.states[DOCTOR_OK],
		 t.states[DOCTOR_DEGRADED], t.states[DOCTOR_MISSING]);
	str_addf(&out, "; kernel configuration: %s\n",
		 f->config.source ? f->config.source : "not found");
	return output_text(&out);
}

static int print_json(const struct doctor_facts *f, const struct doctor_finding *findings)
{
	struct tally t = count_states(findings);
	_str_ struct str out = {};
	struct json j;

	json_init(&j, &out, true);
	json_object(&j);
	json_put_u64(&j, "schema_version", 1);
	json_put_array(&j, "families");
	for (size_t i = 0; i < DOCTOR_FAMILIES; i++) {
		struct finding_row row = row_of(&findings[i]);

		finding_put(&j, &row);
	}
	json_array_end(&j);
	for (size_t i = 0; i < DOCTOR_STATES; i++)
		json_put_u64(&j, doctor_state_names[i], t.states[i]);
	json_key(&j, "taskstats_version");
	if (f->is_live && f->taskstats == 0)
		json_u64(&j, (uint64_t)f->taskstats_version);
	else
		json_null(&j);
	json_put_string(&j, "kernel_config", f->config.source);
	json_object_end(&j);
	return output_json(&out);
}

int cmd_ctprof_doctor(const struct cli_call *call)
{
	struct doctor_finding findings[DOCTOR_FAMILIES];
	const struct roots roots = {
		.proc = cli_text(call, "proc-root"),
		.sys = cli_text(call, "sys-root"),
		.cgroup = cli_text(call, "cgroup-root"),
	};
	struct doctor_facts facts;
	int rc = doctor_gather(&facts, &roots, roots_is_live(&roots) ? "/boot" : NULL);

	if (rc < 0)
		return rc;
	rc = doctor_judge(&facts, findings);
	if (rc == 0)
		rc = cli_flag(call, "json") ? print_json(&facts, findings) :
					      print_text(&facts, findings);
	if (rc == 0)
		rc = exit_status(findings);
	doctor_findings_finish(findings);
	doctor_facts_finish(&facts);
	return rc;
}
