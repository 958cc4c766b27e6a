// SPDX-License-Identifier: GPL-2.0-only
/* `ktstr ctprof doctor`. */
#include <stdio.h>

#include "base/json.h"
#include "base/term.h"
#include "base/text.h"
#include "base/util.h"
#include "cli/cli.h"
#include "cli/commands.h"
#include "cli/output.h"
#include "ctprof/doctor.h"

#define EXIT_DEGRADED 3
#define EXIT_NOTHING 4

#define STATE_WIDTH 10
#define FAMILY_WIDTH 17
#define MIN_WIDTH 60
#define DEFAULT_WIDTH 80
#define MAX_WIDTH 120 /* longer lines are hard to read */

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

static size_t screen_width(void)
{
	size_t width = term_width(stdout);

	return width ? MIN(MAX(width, MIN_WIDTH), MAX_WIDTH) : DEFAULT_WIDTH;
}

static void add_lines(struct str *out, const char *text, size_t indent)
{
	for (const char *line = text; *line;) {
		size_t len = strcspn(line, "\n");

		if (line != text)
			str_repeat(out, ' ', indent);
		str_addn(out, line, len);
		str_addc(out, '\n');
		line += len + (line[len] == '\n');
	}
}

/* Commands are not broken: they are there to be copied. */
static void add_fixes(struct str *out, const char *fixes)
{
	const char *label = "fix: ";

	for (const char *line = fixes; *line; label = " or: ") {
		size_t len = strcspn(line, "\n");

		str_repeat(out, ' ', STATE_WIDTH);
		str_addf(out, "%s%.*s\n", label, (int)len, line);
		line += len + (line[len] == '\n');
	}
}

static void add_finding(struct str *out, const struct doctor_finding *d, bool has_colour)
{
	const size_t indent = STATE_WIDTH + FAMILY_WIDTH;
	_str_ struct str why = {};

	text_wrap(&why, str_get(&d->why), 0, screen_width() - indent);
	str_addf(out, "%s%-*s%s%-*s", has_colour ? state_colours[d->state] : "", STATE_WIDTH,
		 doctor_state_names[d->state], has_colour ? "\033[0m" : "", FAMILY_WIDTH,
		 d->family);
	add_lines(out, str_get(&why), indent);
	add_fixes(out, str_get(&d->fix));
}

static int print_text(const struct doctor_facts *f, const struct doctor_finding *findings)
{
	struct tally t = count_states(findings);
	_str_ struct str out = {};

	for (size_t i = 0; i < DOCTOR_FAMILIES; i++)
		add_finding(&out, &findings[i], term_has_colour(stdout));
	str_addf(&out, "\n%zu ok, %zu degraded, %zu missing", t.states[DOCTOR_OK],
		 t.states[DOCTOR_DEGRADED], t.states[DOCTOR_MISSING]);
	str_addf(&out, "; kernel configuration: %s\n",
		 f->config.source ? f->config.source : "not found");
	return output_text(&out);
}

static void put_fixes(struct json *j, const struct doctor_finding *d)
{
	_free_ char *fixes = strdup(str_get(&d->fix));

	json_put_array(j, "fixes");
	for (char *rest = fixes, *fix; d->fix.len && rest && (fix = strsep(&rest, "\n"));)
		json_string(j, fix);
	json_array_end(j);
}

static int print_json(const struct doctor_facts *f, const struct doctor_finding *findings)
{
	struct tally t = count_states(findings);
	_str_ struct str out = {};
	struct json j;

	json_init(&j, &out, true);
	json_object(&j);
	json_put_array(&j, "families");
	for (size_t i = 0; i < DOCTOR_FAMILIES; i++) {
		json_object(&j);
		json_put_string(&j, "name", findings[i].family);
		json_put_string(&j, "state", doctor_state_names[findings[i].state]);
		json_put_string(&j, "why", str_get(&findings[i].why));
		put_fixes(&j, &findings[i]);
		json_object_end(&j);
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
