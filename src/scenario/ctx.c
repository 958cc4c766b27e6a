// SPDX-License-Identifier: GPL-2.0-only
/* Sets up and tears down the context of a test body, and implements what the body may ask of it. */
#include "scenario/ctx.h"

#include "check/check.h"

/* With more CPUs than this, one is kept for the root cgroup. */
#define CPUS_BEFORE_ONE_IS_RESERVED 2

static int copy_cpus(struct cpulist *list, const struct topology *t, size_t count)
{
	cpulist_finish(list);
	list->cpus = calloc(count ? count : 1, sizeof(*list->cpus));
	if (!list->cpus)
		return err_no_memory();
	for (; list->count < count; list->count++)
		list->cpus[list->count] = t->cpus[list->count].id;
	return 0;
}

static int set_topology(struct ktstr_ctx *ctx, const struct topology *t)
{
	size_t count = t->cpu_count;

	ctx->topology = t;
	if (count > 0 && t->cpus[count - 1].id >= WORKER_MAX_CPUS)
		return err_set(ERANGE, "CPU %u: machines with more than %d CPUs are not supported",
			       t->cpus[count - 1].id, WORKER_MAX_CPUS);
	return copy_cpus(&ctx->usable, t, count > CPUS_BEFORE_ONE_IS_RESERVED ? count - 1 : count);
}

static int read_topology(struct ktstr_ctx *ctx)
{
	int rc;

	topology_finish(&ctx->own_topology);
	rc = topology_read(&ctx->own_topology, &ctx->roots);
	return rc ?: set_topology(ctx, &ctx->own_topology);
}

static char **copy_argv(const char *const *argv)
{
	size_t count = 0;
	char **copy;

	while (argv[count])
		count++;
	copy = calloc(count + 1, sizeof(*copy));
	for (size_t i = 0; copy && i < count; i++)
		copy[i] = strdup(argv[i]);
	return copy;
}

static void free_argv(char **argv)
{
	for (char **a = argv; a && *a; a++)
		free(*a);
	free(argv);
}

static int copy_texts(struct ktstr_ctx *ctx, const struct ctx_options *o)
{
	ctx->cgroup_parent = o->cgroup_parent ? strdup(o->cgroup_parent) :
						str_fmt("ktstr-%d", getpid());
	ctx->scheduler.name = strdup(o->scheduler_name ? o->scheduler_name : "eevdf");
	if (o->scheduler_argv)
		ctx->scheduler.argv = copy_argv(o->scheduler_argv);
	if (!ctx->cgroup_parent || !ctx->scheduler.name ||
	    (o->scheduler_argv && !ctx->scheduler.argv))
		return err_no_memory();
	return 0;
}

static void copy_values(struct ktstr_ctx *ctx, const struct ctx_options *o)
{
	ctx->roots = o->roots ? *o->roots : roots_live;
	ctx->without_cpu_controller = o->without_cpu_controller;
	ctx->duration_ms = o->duration_ms ? o->duration_ms : CTX_DURATION_MS;
	ctx->settle_ms = o->settle_ms ? o->settle_ms : CTX_SETTLE_MS;
	ctx->attach_timeout_ms = o->attach_timeout_ms ? o->attach_timeout_ms :
							CTX_ATTACH_TIMEOUT_MS;
	ctx->workers_per_cgroup = o->workers_per_cgroup ? o->workers_per_cgroup : CTX_WORKERS;
	ctx->steps = o->steps;
	ctx->hold_percent = o->hold_percent;
	ctx->look_ms = o->look_ms;
	ctx->scheduler.pid = o->scheduler_pid;
	ctx->has_work_type = o->work_type;
	if (o->work_type)
		ctx->work_type = *o->work_type;
	ctx->checks = o->checks ? *o->checks : assert_defaults;
	ctx->seed = ctx->random_state = o->seed;
	ctx->is_verbose = o->is_verbose;
	ctx->is_guest = o->is_guest;
	ctx->is_repro = o->is_repro;
	ctx->observe_is_off = o->observe_is_off;
	ctx->ignores_weights = o->ignores_weights;
	ctx->has_snapshots = o->has_snapshots;
	ctx->asks_by_channel = o->asks_by_channel;
	ctx->fair_after_ns = CTX_FAIR_AFTER_NS;
	ctx->start_ns = ctx->body_start_ns = clock_mono_ns();
}

/* Without scheduling events, everything else can still be judged. */
static int open_observer(struct ktstr_ctx *ctx, const struct ctx_options *o)
{
	const char *problem = o->observe_problem;

	if (o->observe_dir) {
		int rc = observer_open(&ctx->observer, o->observe_dir);

		problem = rc < 0 ? err_text(rc) : NULL;
		if (rc == 0 && ctx->scheduler.pid > 0)
			observer_count_programs(ctx->observer);
	}
	ctx->observe_problem = problem ? strdup(problem) : NULL;
	return problem && !ctx->observe_problem ? err_no_memory() : 0;
}

int ctx_init(struct ktstr_ctx *ctx, const struct ctx_options *o)
{
	int rc;

	*ctx = (struct ktstr_ctx){};
	copy_values(ctx, o);
	rc = copy_texts(ctx, o);
	if (rc == 0)
		rc = o->topology ? set_topology(ctx, o->topology) : read_topology(ctx);
	rc = rc ?: copy_cpus(&ctx->present, ctx->topology, ctx->topology->cpu_count);
	rc = rc ?: open_observer(ctx, o);
	if (rc < 0)
		ctx_finish(ctx);
	return rc;
}

void ctx_begin_anew(struct ktstr_ctx *ctx, uint64_t seed)
{
	ctx->seed = ctx->random_state = seed;
	ctx->start_ns = clock_mono_ns();
	ctx->hotplugged = ctx->returned = (struct worker_cpus){};
}

static int finish_cgroups(struct ktstr_ctx *ctx)
{
	struct cgroup_manager *m = &ctx->cgroup_manager;
	int rc = 0;

	if (ctx->has_cgroups)
		rc = m->made_parent ? cgroup_remove_parent(m) : cgroup_cleanup_all(m);
	cgroup_manager_finish(m);
	return rc;
}

/* After a failure, the remaining cleanup still runs. Returns the first error. */
int ctx_finish(struct ktstr_ctx *ctx)
{
	int rc = ctx_online_again(ctx, 0), cgroups_rc;

	if (ctx->scheduler.is_child && ctx_scheduler_is_alive(ctx)) {
		int detach_rc = ctx_scheduler_detach(ctx);

		rc = rc < 0 ? rc : detach_rc;
	}
	cgroups_rc = finish_cgroups(ctx);
	rc = rc < 0 ? rc : cgroups_rc;
	topology_finish(&ctx->own_topology);
	cpulist_finish(&ctx->present);
	cpulist_finish(&ctx->usable);
	free(ctx->cgroup_parent);
	free(ctx->scheduler.name);
	free_argv(ctx->scheduler.argv);
	free(ctx->offline_cpus.items);
	str_finish(&ctx->failure);
	observer_close(ctx->observer);
	observed_finish(&ctx->by_hand.seen);
	free(ctx->by_hand.started.items);
	free(ctx->observe_problem);
	*ctx = (struct ktstr_ctx){};
	return rc;
}

/* Removes only an empty directory. Does not replace the error message. */
static void undo_cgroups(struct cgroup_manager *m)
{
	if (m->made_parent)
		rmdir(m->parent);
	cgroup_manager_finish(m);
}

int ctx_cgroups(struct ktstr_ctx *ctx, struct cgroup_manager **out)
{
	const struct cgroup_manager_options options = {
		.roots = &ctx->roots,
		.parent = ctx->cgroup_parent,
		.without_cpu = ctx->without_cpu_controller,
	};
	int rc = 0;

	*out = &ctx->cgroup_manager;
	if (ctx->has_cgroups)
		return 0;
	rc = cgroup_manager_init(&ctx->cgroup_manager, &options);
	rc = rc ?: cgroup_setup(&ctx->cgroup_manager);
	ctx->has_cgroups = rc == 0;
	if (rc < 0)
		undo_cgroups(&ctx->cgroup_manager);
	return rc;
}

int ctx_offline_list(struct ktstr_ctx *ctx, const char *cpus)
{
	_cleanup_(cpulist_finish) struct cpulist list = {};
	int rc = cpulist_parse(cpus, &list);

	if (rc < 0)
		return err_set(-rc, "offline_cpus: '%s' is not a list of CPUs", cpus);
	for (size_t i = 0; rc == 0 && i < list.count; i++)
		rc = ctx_cpu_offline(ctx, list.cpus[i]);
	if (rc < 0 || ctx->topology != &ctx->own_topology)
		return rc;
	return read_topology(ctx);
}

int ktstr_fail(struct ktstr_ctx *ctx, const char *fmt, ...)
{
	str_reset(&ctx->failure);
	str_add_rest(&ctx->failure, fmt);
	return err_set(ECANCELED, "%s", str_get(&ctx->failure));
}

void ctx_report(struct ktstr_ctx *ctx, int rc, struct ktstr_result *res)
{
	if (rc == 0)
		return;
	/* Follow-up errors of the body after the scheduler ended are not reported. */
	if ((rc == -ESRCH || rc == -EINTR) && ctx_scheduler_has_ended(ctx)) {
		if (!result_has(res, DETAIL_SCHEDULER_DIED))
			ctx_report_death_now(ctx, res);
		return;
	}
	/* An errno that lost its sign is not taken for a success. */
	if (verdict_is_known(rc))
		result_add_returned(res, (enum ktstr_verdict)rc);
	else if (rc > 0)
		result_add(res, DETAIL_OTHER, KTSTR_FAILED,
			   "the test returned %d: it has to return 0, a negative errno or a "
			   "verdict",
			   rc);
	else if (ctx->failure.len)
		result_add(res, DETAIL_OTHER, KTSTR_FAILED, "%s", str_get(&ctx->failure));
	else
		result_add(res, DETAIL_OTHER, KTSTR_FAILED, "%s", err_text(rc));
}

double ctx_elapsed_s(const struct ktstr_ctx *ctx)
{
	return (double)(clock_mono_ns() - ctx->start_ns) / (double)NSEC_PER_SEC;
}

int ctx_sleep_until(uint64_t at)
{
	int rc;

	do {
		rc = interrupt_check();
		if (rc < 0)
			return rc;
	} while (clock_sleep_until_ns(at) == -EINTR);
	return 0;
}

int ctx_sleep_ms(uint64_t ms)
{
	return ctx_sleep_until(clock_mono_ns() + ms * NSEC_PER_MSEC);
}

/* splitmix64: any seed is valid, including 0. */
uint64_t ktstr_random(struct ktstr_ctx *ctx)
{
	uint64_t z = ctx->random_state += UINT64_C(0x9e3779b97f4a7c15);

	z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
	z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
	return z ^ z >> 31;
}

uint64_t ctx_next_seed(struct ktstr_ctx *ctx)
{
	return ktstr_random(ctx);
}

uint64_t ktstr_duration_ms(const struct ktstr_ctx *ctx)
{
	return ctx->duration_ms;
}

uint64_t ktstr_settle_ms(const struct ktstr_ctx *ctx)
{
	return ctx->settle_ms;
}

unsigned int ktstr_workers_per_cgroup(const struct ktstr_ctx *ctx)
{
	return ctx->workers_per_cgroup;
}

unsigned int ktstr_cpu_count(const struct ktstr_ctx *ctx)
{
	return (unsigned int)ctx->topology->cpu_count;
}

unsigned int ktstr_usable_cpu_count(const struct ktstr_ctx *ctx)
{
	return (unsigned int)ctx->usable.count;
}

unsigned int ktstr_llc_count(const struct ktstr_ctx *ctx)
{
	return (unsigned int)ctx->topology->llc_count;
}

unsigned int ktstr_numa_node_count(const struct ktstr_ctx *ctx)
{
	return (unsigned int)ctx->topology->node_count;
}

int ktstr_scheduler_pid(const struct ktstr_ctx *ctx)
{
	return ctx->scheduler.pid;
}
