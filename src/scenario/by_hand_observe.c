// SPDX-License-Identifier: GPL-2.0-only
/*
 * Scheduling events of workers that a body starts itself. A phase lasts from the start of
 * the last group until the first one is collected.
 */
#include "check/phase.h"
#include "scenario/run.h"

#define DEFAULT_WEIGHT 100
/* Shorter phases are judged but not recorded: there may be hundreds. */
#define RECORDED_NS (100 * NSEC_PER_MSEC)

const char *by_hand_name(const struct ktstr_workers *w)
{
	return w->cgroup ? w->cgroup : "host";
}

/* The body may have written any value, so read the cgroup's files. */
static bool read_setting(struct ktstr_ctx *ctx, const char *cgroup, const char *file,
			 struct str *out)
{
	str_reset(out);
	return ctx->has_cgroups && cgroup_read(&ctx->cgroup_manager, cgroup, file, out) == 0;
}

static void read_level(struct ktstr_ctx *ctx, const char *cgroup, unsigned int level,
		       struct known_worker *w)
{
	_str_ struct str text = {};
	uint64_t weight;

	/* "max 100000" is no limit. */
	if (read_setting(ctx, cgroup, "cpu.max", &text) &&
	    isdigit((unsigned char)str_get(&text)[0]))
		w->is_limited = true;
	if (level < KNOWN_LEVELS && read_setting(ctx, cgroup, "cpu.weight", &text) &&
	    parse_u64(str_get(&text), &weight) == 0 && weight != DEFAULT_WEIGHT)
		w->cpu_weights[level] = (uint32_t)weight;
}

/* Reads the settings of each level: for the cgroup a/b those of a and of a/b. */
static void read_settings(struct ktstr_ctx *ctx, struct known_worker *w)
{
	unsigned int level = 0;

	for (const char *at = w->cgroup; at; level++) {
		_free_ char *above = NULL;

		at = strchr(at, '/');
		above = at ? strndup(w->cgroup, (size_t)(at - w->cgroup)) : strdup(w->cgroup);
		if (above)
			read_level(ctx, above, level, w);
		at = at ? at + 1 : NULL;
	}
}

struct known_list {
	VEC(struct known_worker) workers;
};

static int list_group(struct ktstr_workers *w, struct known_list *known)
{
	const pid_t *pids;
	size_t count = workers_pids(w->group, &pids);
	int rc = 0;

	for (size_t i = 0; rc == 0 && i < count; i++) {
		struct known_worker worker = observe_worker(workers_work(w->group), pids[i],
							    (unsigned int)i, by_hand_name(w),
							    w->cgroup);

		read_settings(w->ctx, &worker);
		rc = vec_push(&known->workers, worker);
	}
	return rc;
}

int by_hand_begin(struct ktstr_workers *w)
{
	struct ktstr_ctx *ctx = w->ctx;
	const pid_t *pids;
	size_t count = workers_pids(w->group, &pids);
	struct known_worker conditions = { .cgroup = w->cgroup };

	if (!ctx->observer)
		return 0;
	read_settings(ctx, &conditions);
	for (size_t i = 0; i < count; i++)
		observer_mark(ctx->observer, pids[i],
			      OBSERVE_KEEP | (conditions.is_limited ? OBSERVE_LIMITED : 0));
	observe_begin(ctx);
	ctx->by_hand.is_open = true;
	ctx->by_hand.is_changed = false;
	return vec_push(&ctx->by_hand.started, w);
}

static int judge_phase(struct ktstr_ctx *ctx, const struct ktstr_assert *checks,
		       struct ktstr_result *res)
{
	struct known_list known = {};
	struct phase_to_judge what = { .seen = &ctx->by_hand.seen,
				       .checks = checks,
				       .is_steady = !ctx->by_hand.is_changed };
	int rc = 0;

	for (size_t i = 0; rc == 0 && i < ctx->by_hand.started.count; i++)
		rc = list_group(ctx->by_hand.started.items[i], &known);
	what.workers = known.workers.items;
	what.worker_count = known.workers.count;
	if (rc == 0 && observed_ns(what.seen) >= RECORDED_NS)
		rc = result_add_phase(res, "by hand",
				      (what.seen->start_ns - ctx->start_ns) / NSEC_PER_MSEC);
	if (rc >= 0)
		rc = observe_judge(ctx, &what, res);
	if (res->phases.count)
		res->phases.items[0].end_ms = (what.seen->end_ns - ctx->start_ns) / NSEC_PER_MSEC;
	free(known.workers.items);
	return rc;
}

void by_hand_end(struct ktstr_workers *w, const struct ktstr_assert *checks,
		 struct ktstr_result *res)
{
	struct ktstr_ctx *ctx = w->ctx;
	int rc;

	/*
	 * Report missing events once as a note, but each time if the test set a limit that
	 * needs them.
	 */
	if (!ctx->observer && (!ctx->by_hand.has_told || assert_custom_event(checks)))
		observe_add_blindness(ctx, checks, res);
	ctx->by_hand.has_told |= !ctx->observer;
	if (!ctx->by_hand.is_open)
		return;
	ctx->by_hand.is_open = false;
	observed_finish(&ctx->by_hand.seen);
	rc = observer_end(ctx->observer, &ctx->by_hand.seen);
	rc = rc ?: judge_phase(ctx, checks, res);
	if (rc < 0)
		res->failed_alloc = true;
}

void by_hand_forget(struct ktstr_workers *w)
{
	struct ktstr_workers **all = w->ctx->by_hand.started.items;
	size_t kept = 0;

	for (size_t i = 0; i < w->ctx->by_hand.started.count; i++)
		if (all[i] != w)
			all[kept++] = all[i];
	w->ctx->by_hand.started.count = kept;
}
