// SPDX-License-Identifier: GPL-2.0-only
/* `ktstr doctor`: what this machine lacks for VMs and kernel builds. */
#include "base/json.h"
#include "cli/cli.h"
#include "cli/commands.h"
#include "cli/findings.h"
#include "cli/output.h"
#include "vm/checkup.h"

static const char *const state_colours[CHECKUP_STATES] = {
	[CHECKUP_OK] = "\033[32m",
	[CHECKUP_WARN] = "\033[33m",
	[CHECKUP_FAIL] = "\033[31m",
};

struct tally {
	size_t states[CHECKUP_STATES];
};

static struct tally count_states(const struct checkup_finding *findings)
{
	struct tally t = {};

	for (size_t i = 0; i < CHECKUP_CHECKS; i++)
		t.states[findings[i].state]++;
	return t;
}

static struct finding_row row_of(const struct checkup_finding *d)
{
	return (struct finding_row){ .name = d->name,
				     .state = checkup_state_names[d->state],
				     .colour = state_colours[d->state],
				     .why = str_get(&d->why),
				     .fixes = str_get(&d->fix) };
}

static int print_text(const struct checkup_finding *findings)
{
	static const struct finding_widths widths = { .state = 6, .name = 11 };
	struct tally t = count_states(findings);
	_str_ struct str out = {};

	for (size_t i = 0; i < CHECKUP_CHECKS; i++) {
		struct finding_row row = row_of(&findings[i]);

		finding_add(&out, &row, widths);
	}
	str_addf(&out, "\n%zu ok, %zu warn, %zu fail; %s\n", t.states[CHECKUP_OK],
		 t.states[CHECKUP_WARN], t.states[CHECKUP_FAIL],
		 t.states[CHECKUP_FAIL] ? "VMs cannot be run" : "VMs can be run");
	return output_text(&out);
}

static int print_json(const struct checkup_finding *findings)
{
	struct tally t = count_states(findings);
	_str_ struct str out = {};
	struct json j;

	json_init(&j, &out, true);
	json_object(&j);
	json_put_u64(&j, "schema_version", 1);
	json_put_array(&j, "checks");
	for (size_t i = 0; i < CHECKUP_CHECKS; i++) {
		struct finding_row row = row_of(&findings[i]);

		finding_put(&j, &row);
	}
	json_array_end(&j);
	for (size_t i = 0; i < CHECKUP_STATES; i++)
		json_put_u64(&j, checkup_state_names[i], t.states[i]);
	json_object_end(&j);
	return output_json(&out);
}

int cmd_doctor(const struct cli_call *call)
{
	struct checkup_finding findings[CHECKUP_CHECKS] = {};
	const struct roots roots = {
		.proc = cli_text(call, "proc-root"),
		.sys = cli_text(call, "sys-root"),
		.cgroup = cli_text(call, "cgroup-root"),
	};
	_checkup_facts_ struct checkup_facts facts;
	int rc = checkup_gather(&facts, &roots);

	if (rc == 0)
		rc = checkup_judge(&facts, findings);
	if (rc < 0)
		return rc;
	rc = cli_flag(call, "json") ? print_json(findings) : print_text(findings);
	if (rc == 0 && count_states(findings).states[CHECKUP_FAIL])
		rc = EXIT_FAILED;
	checkup_findings_finish(findings);
	return rc;
}
