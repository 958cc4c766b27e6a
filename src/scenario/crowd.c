// SPDX-License-Identifier: GPL-2.0-only
/* Several cgroups with workers in each, for test bodies that do not use steps. */
#include "scenario/run.h"

struct ktstr_crowd {
	struct ktstr_ctx *ctx;
	struct cgroup_group cgroups;
	VEC(struct ktstr_workers *) workers;
};

/* The kinds of work that cgroups get in turn; IoSync always has two workers. */
static const struct ktstr_work diverse[] = {
	{ .work_type = KTSTR_CPU_SPIN },
	{ .work_type = KTSTR_BURSTY(50, 100) },
	{ .work_type = KTSTR_IO_SYNC, .workers = 2 },
	{ .work_type = KTSTR_MIXED },
	{ .work_type = KTSTR_YIELD_HEAVY },
};

static int check_alive(struct ktstr_ctx *ctx)
{
	if (ctx_scheduler_is_alive(ctx))
		return 0;
	return err_set(ESRCH, "scheduler process died after cgroup creation (pid=%d)",
		       (int)ctx->scheduler.pid);
}

static int add_workers(struct ktstr_crowd *c, const char *cgroup, const struct ktstr_work *work)
{
	struct ktstr_workers *w = NULL;
	int rc = ktstr_workers_spawn(c->ctx, work, cgroup, &w) ?: vec_push(&c->workers, w);

	if (rc < 0) {
		ktstr_workers_free(w);
		return rc;
	}
	return ktstr_workers_start(w);
}

static struct ktstr_crowd *crowd_new(struct ktstr_ctx *ctx)
{
	struct ktstr_crowd *c = calloc(1, sizeof(*c));

	if (c)
		c->ctx = ctx;
	return c;
}

static int give(struct ktstr_crowd *c, int rc, struct ktstr_crowd **out)
{
	*out = NULL;
	if (rc < 0)
		ktstr_crowd_free(c);
	else
		*out = c;
	return rc;
}

int ktstr_setup_cgroups(struct ktstr_ctx *ctx, unsigned int count, const struct ktstr_work *work,
			struct ktstr_crowd **out)
{
	static const struct ktstr_work plain = {};
	struct ktstr_crowd *c = crowd_new(ctx);
	char name[16];
	int rc;

	if (!c)
		return err_no_memory();
	rc = ctx_cgroups(ctx, &c->cgroups.manager);
	for (unsigned int i = 0; i < count && rc == 0; i++) {
		snprintf(name, sizeof(name), "cg_%u", i);
		rc = cgroup_group_create(&c->cgroups, name);
	}
	rc = rc ?: ctx_sleep_ms(ctx->settle_ms);
	rc = rc ?: check_alive(ctx);
	for (size_t i = 0; i < c->cgroups.names.count && rc == 0; i++)
		rc = add_workers(c, c->cgroups.names.items[i], work ? work : &plain);
	return give(c, rc, out);
}

int ktstr_spawn_diverse(struct ktstr_ctx *ctx, const char *const *names, struct ktstr_crowd **out)
{
	struct ktstr_crowd *c = crowd_new(ctx);
	int rc = c ? 0 : err_no_memory();

	for (size_t i = 0; rc == 0 && names[i]; i++)
		rc = add_workers(c, names[i], &diverse[i % ARRAY_SIZE(diverse)]);
	return give(c, rc, out);
}

int ktstr_collect_all(struct ktstr_crowd *c, const struct ktstr_assert *checks,
		      struct ktstr_result *res)
{
	int rc = 0;

	for (size_t i = 0; i < c->workers.count && rc == 0; i++)
		rc = ktstr_assert_cgroup(c->workers.items[i], checks ? checks : &c->ctx->checks,
					 res);
	return rc;
}

void ktstr_crowd_free(struct ktstr_crowd *c)
{
	if (!c)
		return;
	vec_release(&c->workers, each, ktstr_workers_free(*each));
	if (c->cgroups.manager)
		cgroup_group_finish(&c->cgroups);
	free(c);
}
