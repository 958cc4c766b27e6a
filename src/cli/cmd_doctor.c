// SPDX-License-Identifier: GPL-2.0-only
/* `ktstr doctor`: checks this machine for VMs and kernel builds. */
#include "cli/findings.h"
#include "cli/table.h"
#include "vm/checkup.h"

_Static_assert(CHECKUP_STATES == FINDING_STATES, "a state has no colour");

static int print(const struct cli_call *call, const struct finding *checks)
{
	const struct findings f = { .rows = checks,
				    .count = CHECKUP_CHECKS,
				    .state_names = checkup_state_names,
				    .state_width = 6,
				    .name_width = 11 };
	bool has_failed = findings_count(&f, CHECKUP_FAIL);
	struct printout o;
	int rc;

	output_document(&o, call);
	o.is_raw = true;
	if (o.is_json) {
		findings_put(&o.json, "checks", &f);
	} else {
		findings_add(&o.text, &f);
		str_addf(&o.text, "; %s\n", has_failed ? "VMs cannot be run" : "VMs can be run");
	}
	rc = output_end(&o, 0);
	return rc == 0 && has_failed ? EXIT_FAILED : rc;
}

static int cmd_doctor_run(const struct cli_call *call)
{
	struct finding checks[CHECKUP_CHECKS] = {};
	const struct roots roots = cli_roots(call);
	_checkup_facts_ struct checkup_facts facts;
	int rc = checkup_gather(&facts, &roots) ?: checkup_judge(&facts, checks);

	if (rc < 0)
		return rc;
	rc = print(call, checks);
	findings_finish(checks, CHECKUP_CHECKS);
	return rc;
}

/* clang-format off */
const struct cli_cmd cmd_doctor = {
	.name = "doctor", .summary = "check what this machine lacks for VMs and kernel builds",
	.about = "Checks QEMU, KVM, busybox, kernels and free space in the cache, lock files, "
		 "cgroup delegation, huge pages, real-time priority and compilers. Each line is "
		 "ok, warn (something works less well) or fail (no VM can run), with the command "
		 "that fixes it. Exits with 1 if something fails. See ctprof doctor for what "
		 "ctprof needs.",
	.params = CLI_PARAMS(CLI_JSON, CLI_ROOTS),
	.examples = CLI_EXAMPLES(
		{ "doctor", "everything, with the commands that fix problems" },
		{ "doctor --json", "the same for a script" }),
	.run = cmd_doctor_run,
};
/* clang-format on */
