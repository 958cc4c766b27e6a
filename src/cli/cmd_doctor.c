// SPDX-License-Identifier: GPL-2.0-only
/* `ktstr doctor`: what this machine lacks for VMs and kernel builds. */
#include "cli/findings.h"
#include "cli/table.h"
#include "vm/checkup.h"

_Static_assert(CHECKUP_STATES == FINDING_STATES, "a state has no colour");

static int print_text(const struct findings *f)
{
	_str_ struct str out = {};

	findings_add(&out, f);
	str_addf(&out, "; %s\n",
		 findings_count(f, CHECKUP_FAIL) ? "VMs cannot be run" : "VMs can be run");
	return output_raw(&out);
}

static int print_json(const struct findings *f)
{
	_str_ struct str out = {};
	struct json j;

	json_document(&j, &out);
	findings_put(&j, "checks", f);
	json_object_end(&j);
	return output_json(&out);
}

static int print(const struct cli_call *call, const struct finding *checks)
{
	const struct findings f = { .rows = checks,
				    .count = CHECKUP_CHECKS,
				    .state_names = checkup_state_names,
				    .state_width = 6,
				    .name_width = 11 };
	int rc = cli_flag(call, "json") ? print_json(&f) : print_text(&f);

	return rc == 0 && findings_count(&f, CHECKUP_FAIL) ? EXIT_FAILED : rc;
}

static int cmd_doctor_run(const struct cli_call *call)
{
	struct finding checks[CHECKUP_CHECKS] = {};
	const struct roots roots = {
		.proc = cli_text(call, "proc-root"),
		.sys = cli_text(call, "sys-root"),
		.cgroup = cli_text(call, "cgroup-root"),
	};
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
