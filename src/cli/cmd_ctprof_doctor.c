// SPDX-License-Identifier: GPL-2.0-only
/* `ktstr ctprof doctor`. */
#include "cli/findings.h"
#include "cli/table.h"
#include "ctprof/doctor.h"

#define EXIT_DEGRADED 3
#define EXIT_NOTHING 4

_Static_assert(DOCTOR_STATES == FINDING_STATES, "a state has no colour");

static int exit_status(const struct findings *f)
{
	if (f->rows[0].state == DOCTOR_MISSING ||
	    findings_count(f, DOCTOR_MISSING) == DOCTOR_FAMILIES)
		return EXIT_NOTHING;
	return findings_count(f, DOCTOR_OK) == DOCTOR_FAMILIES ? EXIT_OK : EXIT_DEGRADED;
}

static void put_json(struct printout *o, const struct doctor_facts *facts, const struct findings *f)
{
	findings_put(&o->json, "families", f);
	json_put_known_u64(&o->json, "taskstats_version", facts->is_live && facts->taskstats == 0,
			   (uint64_t)facts->taskstats_version);
	json_put_string(&o->json, "kernel_config", facts->config.source);
}

static int print(const struct cli_call *call, const struct doctor_facts *facts,
		 const struct finding *families)
{
	const struct findings f = { .rows = families,
				    .count = DOCTOR_FAMILIES,
				    .state_names = doctor_state_names,
				    .state_width = 10,
				    .name_width = 17 };
	struct printout o;

	output_document(&o, call);
	o.is_raw = true;
	if (o.is_json) {
		put_json(&o, facts, &f);
	} else {
		findings_add(&o.text, &f);
		str_addf(&o.text, "; kernel configuration: %s\n",
			 facts->config.source ? facts->config.source : "not found");
	}
	return output_end(&o, 0) ?: exit_status(&f);
}

static int cmd_ctprof_doctor_run(const struct cli_call *call)
{
	struct finding families[DOCTOR_FAMILIES];
	const struct roots roots = cli_roots(call);
	struct doctor_facts facts;
	int rc = doctor_gather(&facts, &roots, roots_is_live(&roots) ? "/boot" : NULL);

	if (rc < 0)
		return rc;
	rc = doctor_judge(&facts, families) ?: print(call, &facts, families);
	findings_finish(families, DOCTOR_FAMILIES);
	doctor_facts_finish(&facts);
	return rc;
}

/* clang-format off */
const struct cli_cmd cmd_ctprof_doctor = {
	.name = "doctor", .summary = "show what can be measured on this host, and how to get more",
	.about = "Prints each data family as ok, degraded or missing, with the command that "
		 "fixes it. Exits with 0 when all are ok, 3 when some are degraded or missing, "
		 "4 when nothing can be measured.",
	.params = CLI_PARAMS(CLI_JSON, CLI_ROOTS),
	.exits = CLI_EXITS(
		{ "3", "some data families are degraded or missing" },
		{ "4", "nothing can be measured" }),
	.run = cmd_ctprof_doctor_run,
};
/* clang-format on */
