// SPDX-License-Identifier: GPL-2.0-only
/*
 * Payloads of a scenario, identified by name and cgroup. Findings of their checks are
 * recorded, but do not fail the step.
 */
#include "payload/payload.h"
#include "scenario/run.h"

static bool is_same_place(const char *a, const char *b)
{
	return a && b ? str_eq(a, b) : a == b;
}

static const char *place_text(const char *cgroup)
{
	return cgroup ? cgroup : "(none)";
}

static int push_payload(struct scenario_run *r, const struct ktstr_payload *payload,
			const char *cgroup, struct ktstr_payload_run *run)
{
	struct live_payload p = {
		.run = run,
		.name = payload_name(payload),
		.cgroup = cgroup ? strdup(cgroup) : NULL,
		.is_backdrop = r->in_backdrop,
	};

	if (cgroup && !p.cgroup) {
		ktstr_payload_kill(run, &r->result, NULL);
		return err_no_memory();
	}
	return vec_push(&r->payloads, p);
}

int run_start_payload(struct scenario_run *r, const struct ktstr_payload *payload,
		      const char *cgroup, const char *const *args)
{
	const struct ktstr_payload_options options = { .extra_args = args, .in_cgroup = cgroup };
	struct ktstr_payload_run *run = NULL;
	int rc;

	if (!payload)
		return err_set(EINVAL, "it names no payload");
	for (size_t i = 0; i < r->payloads.count; i++)
		if (str_eq(r->payloads.items[i].name, payload_name(payload)) &&
		    is_same_place(r->payloads.items[i].cgroup, cgroup))
			return err_set(EEXIST, "payload '%s' runs already in cgroup %s",
				       payload_name(payload), place_text(cgroup));
	rc = vec_reserve(&r->payloads, r->payloads.count + 1);
	rc = rc ?: ktstr_payload_spawn(r->ctx, payload, &options, &run);
	return rc < 0 ? rc : push_payload(r, payload, cgroup, run);
}

/* Keeps the findings as notes, without their verdict. */
static void record(struct scenario_run *r, struct ktstr_result *part)
{
	for (size_t i = 0; i < part->details.count; i++)
		part->details.items[i].verdict = KTSTR_SKIPPED;
	part->verdict = KTSTR_SKIPPED;
	result_merge(&r->result, part);
	result_finish(part);
}

typedef int ender(struct ktstr_payload_run *run, struct ktstr_result *res,
		  struct ktstr_metrics *metrics);

static int end_payload(struct scenario_run *r, size_t index, ender *end)
{
	struct live_payload p = r->payloads.items[index];
	struct ktstr_result part;
	int rc;

	r->payloads.count--;
	for (size_t i = index; i < r->payloads.count; i++)
		r->payloads.items[i] = r->payloads.items[i + 1];
	result_init(&part);
	rc = end(p.run, &part, NULL);
	record(r, &part);
	free(p.cgroup);
	return rc;
}

static int ambiguous(const struct scenario_run *r, const char *name)
{
	_str_ struct str places = {};

	for (size_t i = 0; i < r->payloads.count; i++)
		if (str_eq(r->payloads.items[i].name, name))
			str_addf(&places, "%s%s", places.len ? ", " : "",
				 place_text(r->payloads.items[i].cgroup));
	return err_set(EINVAL, "payload '%s' is ambiguous: it runs in %s; name the cgroup", name,
		       str_get(&places));
}

static int find_payload(const struct scenario_run *r, const char *name, const char *cgroup,
			size_t *index)
{
	size_t found = 0;

	if (!name)
		return err_set(EINVAL, "it names no payload");
	for (size_t i = 0; i < r->payloads.count; i++) {
		const struct live_payload *p = &r->payloads.items[i];

		if (!str_eq(p->name, name) || (cgroup && !is_same_place(p->cgroup, cgroup)))
			continue;
		*index = i;
		found++;
	}
	if (found > 1)
		return ambiguous(r, name);
	if (found)
		return 0;
	return err_set(ENOENT,
		       "no payload '%s' runs%s%s: start it with KTSTR_RUN_PAYLOAD, a def or the "
		       "backdrop",
		       name, cgroup ? " in cgroup " : "", cgroup ? cgroup : "");
}

int run_wait_payload(struct scenario_run *r, const char *name, const char *cgroup)
{
	size_t index = 0;

	return find_payload(r, name, cgroup, &index) ?: end_payload(r, index, ktstr_payload_wait);
}

int run_kill_payload(struct scenario_run *r, const char *name, const char *cgroup)
{
	size_t index = 0;

	return find_payload(r, name, cgroup, &index) ?: end_payload(r, index, ktstr_payload_kill);
}

void run_kill_payloads(struct scenario_run *r, const char *cgroup, bool is_backdrop)
{
	for (size_t i = r->payloads.count; i-- > 0;) {
		const struct live_payload *p = &r->payloads.items[i];
		bool is_meant = cgroup ? p->cgroup && run_is_inside(p->cgroup, cgroup) :
					 p->is_backdrop == is_backdrop;
		int rc = is_meant ? end_payload(r, i, ktstr_payload_kill) : 0;

		if (rc < 0)
			log_warn("scenario", "%s", err_text(rc));
	}
}
