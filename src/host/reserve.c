// SPDX-License-Identifier: GPL-2.0-only
/* Turns a request into held locks. */
#include "host/reserve.h"

#include <sys/file.h>

#include "host/budget.h"

/* Number of tries of a request that does not queue; the pauses between them double. */
#define MAX_TRIES 5
#define FIRST_PAUSE_NS (10 * NSEC_PER_MSEC)

const char *reserve_lock_dir(void)
{
	const char *dir = env_get("KTSTR_LOCK_DIR");

	return dir ? dir : "/tmp";
}

static char *llc_path(const char *lock_dir, size_t llc)
{
	return str_fmt("%s/ktstr-llc-%zu.lock", lock_dir, llc);
}

static char *cpu_path(const char *lock_dir, unsigned int cpu)
{
	return str_fmt("%s/ktstr-cpu-%u.lock", lock_dir, cpu);
}

/* Which locks are held at the time of planning. */
struct use_map {
	struct plan_use *llcs;
	struct cpulist busy;
	struct lock_holders blockers; /* holders of CPUs and of whole LLCs */
};

static void use_map_finish(struct use_map *u)
{
	free(u->llcs);
	cpulist_finish(&u->busy);
	lock_holders_finish(&u->blockers);
}

static int note_llc(struct use_map *u, const struct lock_table *table, const char *dir, size_t llc)
{
	_lock_holders_ struct lock_holders holders = {};
	_free_ char *path = llc_path(dir, llc);
	int rc;

	if (!path)
		return err_no_memory();
	rc = lock_table_find(table, path, &holders);
	u->llcs[llc].holders = holders.count;
	for (size_t i = 0; i < holders.count; i++)
		u->llcs[llc].is_exclusive |= holders.items[i].is_exclusive;
	if (rc == 0 && u->llcs[llc].is_exclusive)
		rc = lock_table_find(table, path, &u->blockers);
	return rc;
}

static int note_cpu(struct use_map *u, const struct lock_table *table, const char *dir,
		    unsigned int cpu)
{
	_lock_holders_ struct lock_holders holders = {};
	_free_ char *path = cpu_path(dir, cpu);
	int rc;

	if (!path)
		return err_no_memory();
	rc = lock_table_find(table, path, &holders);
	if (rc < 0 || !holders.count)
		return rc;
	u->busy.cpus[u->busy.count++] = cpu;
	return lock_table_find(table, path, &u->blockers);
}

static int use_map_read(struct use_map *u, const struct topology *t, const char *dir)
{
	_lock_table_ struct lock_table table = {};
	int rc = lock_table_read(&table, &roots_live);

	u->llcs = calloc(t->llc_count, sizeof(*u->llcs));
	u->busy.cpus = calloc(t->cpu_count, sizeof(*u->busy.cpus));
	if (!u->llcs || !u->busy.cpus)
		return err_no_memory();
	for (size_t i = 0; i < t->llc_count && rc == 0; i++)
		rc = note_llc(u, &table, dir, i);
	for (size_t i = 0; i < t->cpu_count && rc == 0; i++)
		rc = note_cpu(u, &table, dir, t->cpus[i].id);
	return rc;
}

int reserve_add_holders(const struct topology *t, const char *lock_dir, pid_t parent,
			struct str *out)
{
	_cleanup_(use_map_finish) struct use_map use = {};
	int rc = use_map_read(&use, t, lock_dir ? lock_dir : reserve_lock_dir());

	if (rc < 0)
		return rc;
	lock_holders_drop_family(&use.blockers, parent);
	if (use.blockers.count)
		lock_holders_add(out, &use.blockers);
	return str_check(out);
}

/*
 * Unlocks before closing: a forked child that has not executed yet has copies of the
 * descriptors.
 */
static void drop_locks(struct reservation *r)
{
	for (size_t i = 0; i < r->fd_count; i++) {
		flock(r->fds[i], LOCK_UN);
		close(r->fds[i]);
	}
	r->fd_count = 0;
}

/* The message that lockfile_acquire() left names the file and its holders. */
static int take_lock(struct reservation *r, char *path, bool exclusive, const char *what,
		     unsigned long long number)
{
	_free_ char *owned = path;
	int fd;

	if (!owned)
		return err_no_memory();
	fd = lockfile_take(owned, exclusive, 0);
	if (fd == -EWOULDBLOCK) {
		err_wrap(fd, "%s %llu busy", what, number);
		return -EBUSY;
	}
	if (fd < 0)
		return fd;
	r->fds[r->fd_count++] = fd;
	return 0;
}

static int lock_cpus(struct reservation *r, const char *dir)
{
	const struct plan *p = &r->plan;
	_free_ unsigned int *sorted = calloc(p->cpu_count, sizeof(*sorted));
	int rc = 0;

	if (!sorted)
		return err_no_memory();
	memcpy(sorted, p->cpus, p->cpu_count * sizeof(*sorted));
	qsort(sorted, p->cpu_count, sizeof(*sorted), order_u32);
	for (size_t i = 0; i < p->cpu_count && rc == 0; i++)
		rc = take_lock(r, cpu_path(dir, sorted[i]), true, "CPU", sorted[i]);
	return rc;
}

/* LLCs first, then CPUs, each ascending: so two processes cannot deadlock. */
static int lock_plan(struct reservation *r, const char *dir)
{
	const struct run_mode_traits *traits = run_mode_traits(r->plan.mode);
	const struct plan *p = &r->plan;
	int rc = 0;

	free(r->fds);
	r->fds = calloc(p->llc_count + p->cpu_count, sizeof(*r->fds));
	if (!r->fds)
		return err_no_memory();
	for (size_t i = 0; i < p->llc_count && rc == 0 && traits->locks_llcs; i++)
		rc = take_lock(r, llc_path(dir, p->llcs[i]), traits->is_llc_exclusive, "LLC",
			       p->llcs[i]);
	if (rc == 0 && traits->locks_cpus && !p->is_overcommitted)
		rc = lock_cpus(r, dir);
	if (rc < 0)
		drop_locks(r);
	return rc;
}

static struct plan_shape request_shape(const struct reserve_request *request)
{
	static const struct plan_shape one = { 1, 1, 1, 1 };

	return request->is_single ? one : request->shape;
}

static int all_busy(const struct plan_shape *shape, const struct use_map *use)
{
	size_t count = plan_shape_vcpus(shape);
	_str_ struct str what = {}, holders = {};

	if (count > 1)
		str_addf(&what, "%zu free CPUs next to each other", count);
	lock_holders_add(&holders, &use->blockers);
	return err_set(EBUSY, "no %s: CPUs are held by %s", count > 1 ? str_get(&what) : "free CPU",
		       str_get(&holders));
}

/* Takes the first window with free locks, starting at one that depends on the pid. */
static int try_windows(struct reservation *r, const struct reserve_request *request,
		       const struct plan_host *host, const struct use_map *use)
{
	struct plan_shape shape = request_shape(request);
	size_t count = host->topology->llc_count, start = (size_t)getpid() % count;
	int rc = -EBUSY;

	for (size_t i = 0; i < count && rc == -EBUSY; i++) {
		plan_finish(&r->plan);
		rc = plan_window(&r->plan, host, &shape, (start + i) % count);
		rc = rc ?: lock_plan(r, request->lock_dir);
	}
	return rc == -EBUSY ? all_busy(&shape, use) : rc;
}

static int make_plan(struct plan *p, const struct reserve_request *request,
		     const struct plan_host *host)
{
	struct plan_shape shape = request_shape(request);

	switch (request->mode) {
	case RUN_PERFORMANCE:
		return plan_performance(p, host, &shape);
	case RUN_BUDGETED:
		return plan_budget(p, host, request->budget, request->preference);
	default:
		return plan_window(p, host, &shape, (size_t)getpid() % host->topology->llc_count);
	}
}

/*
 * One round: look, plan, lock. Returns -EBUSY, with nothing held, if another process is in
 * the way.
 */
static int try_once(struct reservation *r, const struct reserve_request *request)
{
	_cleanup_(use_map_finish) struct use_map use = {};
	struct plan_host host = { .topology = request->topology, .allowed = request->allowed };
	int rc = use_map_read(&use, request->topology, request->lock_dir);

	if (rc < 0)
		return rc;
	host.llc_use = use.llcs;
	host.busy_cpus = &use.busy;
	if (request->mode == RUN_DEFAULT)
		return try_windows(r, request, &host, &use);
	plan_finish(&r->plan);
	rc = make_plan(&r->plan, request, &host);
	return rc ?: lock_plan(r, request->lock_dir);
}

static int pause_for(uint64_t ns)
{
	/* A signal may have arrived before the pause. */
	if (interrupt_check() < 0 || clock_sleep_ns(ns) == -EINTR)
		return err_set(EINTR, "interrupted while waiting for CPUs");
	return 0;
}

static int try_a_few_times(struct reservation *r, const struct reserve_request *request)
{
	uint64_t pause = FIRST_PAUSE_NS;
	int rc = try_once(r, request);

	for (int i = 1; i < MAX_TRIES && rc == -EBUSY; i++, pause *= 2) {
		rc = pause_for(pause);
		if (rc < 0)
			return rc;
		rc = try_once(r, request);
	}
	return rc;
}

struct turn {
	const struct queue_ticket *ticket;
	uint64_t deadline_ns;
	bool is_told; /* the user was told about the wait */
};

/*
 * Reports the wait; true once that was done. Waiting for processes of the same run is not
 * reported.
 */
static bool tell_wait(const struct turn *turn, const struct reserve_request *request, int position)
{
	_str_ struct str others = {};

	if (!request->waits && position > 0) {
		queue_add_front(turn->ticket, &others);
		log_info("host", "waiting for CPUs: position %d in the queue, behind %s",
			 position + 1, str_get(&others));
	} else if (!request->waits) {
		log_info("host", "waiting for CPUs: position 1 in the queue; %s", err_text(-EBUSY));
	} else {
		if (reserve_add_holders(request->topology, request->lock_dir, getppid(), &others) <
			    0 ||
		    !others.len)
			return false;
		request->waits(request->ctx);
	}
	return true;
}

/* Waits for 100 ms. Returns -EBUSY if the time is up. */
static int wait_a_turn(struct turn *turn, const struct reserve_request *request, int position)
{
	uint64_t now = clock_mono_ns();

	if (now >= turn->deadline_ns)
		return -EBUSY;
	if (!turn->is_told)
		turn->is_told = tell_wait(turn, request, position);
	return pause_for(MIN(LOCKFILE_POLL_NS, turn->deadline_ns - now));
}

static int still_queued(const struct queue_ticket *ticket, int position)
{
	_str_ struct str front = {};

	queue_add_front(ticket, &front);
	return err_set(EBUSY, "still %d in front in the queue for CPUs: %s", position,
		       str_get(&front));
}

/* With a ticket: waits until it is the first one, then until the locks are free. */
static int wait_in_queue(struct reservation *r, const struct reserve_request *request,
			 const struct queue_ticket *ticket, uint64_t deadline_ns)
{
	struct turn turn = { .ticket = ticket, .deadline_ns = deadline_ns };
	int rc;

	for (;;) {
		int position = ticket->fd < 0 ? 0 : queue_position(ticket);

		if (position < 0)
			return position;
		rc = position ? -EBUSY : try_once(r, request);
		if (rc != -EBUSY)
			return rc;
		rc = wait_a_turn(&turn, request, position);
		if (rc == -EBUSY && position)
			return still_queued(ticket, position);
		if (rc < 0)
			return rc;
	}
}

static int acquire_queued(struct reservation *r, const struct reserve_request *request)
{
	_queue_ticket_ struct queue_ticket ticket = QUEUE_TICKET_NONE;
	uint64_t deadline = clock_mono_ns() + request->timeout_ns;
	int rc = queue_length(request->lock_dir);

	if (deadline < request->timeout_ns)
		deadline = UINT64_MAX;
	if (rc == 0) {
		rc = try_once(r, request);
		if (rc != -EBUSY)
			return rc;
	}
	rc = queue_join(&ticket, request->lock_dir);
	if (rc == -EINTR)
		return rc;
	if (rc < 0)
		log_warn("host", "waiting without a queue: %s", err_text(rc));
	return wait_in_queue(r, request, &ticket, deadline);
}

static void warn_about_plan(const struct reservation *r, const struct reserve_request *request)
{
	struct plan_shape shape = request_shape(request);
	_str_ struct str lines = {};
	char *line, *rest;

	if (request->is_whole_machine)
		return;
	plan_add_warnings(&r->plan, request->topology, plan_shape_vcpus(&shape), &lines);
	rest = lines.s;
	while (rest && (line = strsep(&rest, "\n")) && *line)
		log_warn("host", "ktstr: %s", line);
}

/* Maps an error to the reason to skip the run, or to none. */
static enum skip_reason skip_reason_of(enum run_mode mode, int rc)
{
	if (rc == -EBUSY)
		return SKIP_RESOURCE_CONTENTION;
	if (rc == -EOPNOTSUPP && mode == RUN_PERFORMANCE)
		return SKIP_PERF_MODE_UNAVAILABLE;
	if (rc == -ERANGE && mode == RUN_BUDGETED)
		return SKIP_CPU_BUDGET;
	return SKIP_NONE;
}

static int fail(struct reservation *r, enum run_mode mode, int rc)
{
	enum skip_reason skip = skip_reason_of(mode, rc);

	if (skip)
		err_wrap(rc, "%s", skip_reason_name(skip));
	reservation_release(r);
	r->skip = skip;
	return rc;
}

static int acquire(struct reservation *r, const struct reserve_request *request)
{
	struct plan_host idle = { .topology = request->topology, .allowed = request->allowed };

	if (request->mode == RUN_PERFORMANCE && request->is_single)
		return err_set(EOPNOTSUPP, "performance mode needs KVM: an emulated machine runs "
					   "all vCPUs on one thread");
	if (budget_is_bypassed())
		return make_plan(&r->plan, request, &idle);
	return request->timeout_ns ? acquire_queued(r, request) : try_a_few_times(r, request);
}

int reservation_acquire(struct reservation *r, const struct reserve_request *asked)
{
	struct reserve_request request = *asked;
	int rc;

	*r = (struct reservation){ .plan.mode = request.mode };
	if (!request.lock_dir)
		request.lock_dir = reserve_lock_dir();
	if (request.mode == RUN_FREE)
		return 0;
	rc = acquire(r, &request);
	if (rc < 0)
		return fail(r, request.mode, rc);
	warn_about_plan(r, &request);
	return 0;
}

void reservation_release(struct reservation *r)
{
	drop_locks(r);
	free(r->fds);
	plan_finish(&r->plan);
	*r = (struct reservation){};
}
