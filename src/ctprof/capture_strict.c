// SPDX-License-Identifier: GPL-2.0-only
/* --strict: refuses families that doctor does not call ok or, if recorded, with a poor tally. */
#include "ctprof/capture.h"
#include "ctprof/doctor.h"
#include "ctprof/family.h"

static int refuse(size_t count, const struct str *families_and_why)
{
	if (count == 0)
		return 0;
	return err_set(ENODATA, "--strict: %zu data %s degraded or missing: %s", count,
		       count == 1 ? "family is" : "families are", str_get(families_and_why));
}

/* Families that were left out on purpose may be missing. */
static bool is_left_out(const struct capture_opts *o, const char *family)
{
	const struct {
		const char *family;
		bool is_left_out;
	} options[] = {
		{ "taskstats", o->no_taskstats },
		{ families[FAMILY_DELAYS].name, o->no_taskstats },
		{ families[FAMILY_MEMORY_PEAKS].name, o->no_taskstats },
		{ families[FAMILY_JEMALLOC].name, o->no_probe },
		{ families[FAMILY_SMAPS].name, o->no_smaps },
	};

	for (size_t i = 0; i < ARRAY_SIZE(options); i++)
		if (str_eq(options[i].family, family))
			return options[i].is_left_out;
	return false;
}

static int refuse_findings(const struct capture_opts *o, const struct finding *findings)
{
	_str_ struct str text = {};
	size_t count = 0;

	array_each(const struct finding, d, findings, DOCTOR_FAMILIES) {
		if (d->state == DOCTOR_OK || is_left_out(o, d->name))
			continue;
		str_addf(&text, "%s%s: %s", count++ ? "; " : "", d->name, str_get(&d->why));
	}
	return refuse(count, &text);
}

int capture_refuse_host(const struct capture_opts *o)
{
	struct finding findings[DOCTOR_FAMILIES];
	struct doctor_facts facts;
	int rc;

	if (!roots_is_live(&o->roots))
		return 0;
	rc = doctor_gather(&facts, &o->roots, "/boot");
	if (rc < 0)
		return rc;
	rc = doctor_judge(&facts, findings) ?: refuse_findings(o, findings);
	findings_finish(findings, DOCTOR_FAMILIES);
	doctor_facts_finish(&facts);
	return rc;
}

/* Data that a recorded tree lacks does not count as degraded. */
static bool is_recorded(const struct snapshot *s, enum family_id id)
{
	switch (id) {
	case FAMILY_RUN_QUEUE_DELAY:
	case FAMILY_DELAYS:
	case FAMILY_MEMORY_PEAKS:
	case FAMILY_JEMALLOC:
		return false;
	case FAMILY_SMAPS:
		return s->parse.by_file[FILE_SMAPS_ROLLUP] != 0;
	default:
		return true;
	}
}

/* A family is degraded when at least half of its threads lack it. */
int capture_refuse_recorded(const struct snapshot *s)
{
	_str_ struct str text = {};
	size_t count = 0;

	for (enum family_id id = 0; id < FAMILIES; id++) {
		struct coverage c = family_coverage(s, id);

		if (!is_recorded(s, id) || c.measured == c.total || c.measured * 2 > c.total)
			continue;
		str_addf(&text, "%s%s: ", count++ ? "; " : "", families[id].name);
		family_add_reason(&text, s, id, &c);
	}
	return refuse(count, &text);
}
