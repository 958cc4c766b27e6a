// SPDX-License-Identifier: GPL-2.0-only
/*
 * Groups of workers on the parent's side until they run. A worker costs little more than a
 * fork: the shared mapping is created once, waits and reports go through it, and nothing is
 * touched before it is needed.
 */
#include "work/workers.h"

#include <sys/eventfd.h>
#include <sys/mman.h>

#include "work/types.h"

static int validate(const struct workers_spec *spec)
{
	const struct ktstr_work_type *type = &spec->work->work_type;
	unsigned int group;

	if ((unsigned int)type->kind >= KTSTR_WORK_COUNT)
		return err_set(EINVAL, "unknown work type number %d", (int)type->kind);
	if (type->kind == KTSTR_WORK_CUSTOM && !type->run)
		return err_set(EINVAL, "work type Custom has no function to run");
	if (type->kind == KTSTR_WORK_SEQUENCE && type->phases[0].us == 0)
		return err_set(EINVAL, "work type Sequence has no phases");
	if (spec->count == 0)
		return err_set(EINVAL, "num_workers=0: checks would pass on nothing");
	group = work_type_group(type);
	if (spec->count % group != 0)
		return err_set(EINVAL, "%s requires num_workers divisible by %u, got %u",
			       work_type_info(type->kind)->name, group, spec->count);
	return settings_validate(spec->work);
}

/* ---- shared memory ---- */

static size_t align_up(size_t size, size_t to)
{
	return (size + to - 1) / to * to;
}

/* Not reserved, small pages: only those pages of reports that are used cost memory. */
static int map_shared(struct workers *w, unsigned int teams)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE);
	size_t lines_at = sizeof(struct workers_shared);
	size_t teams_at = lines_at + w->count * sizeof(struct worker_line);
	size_t pids_at = teams_at + teams * sizeof(struct team_line);
	size_t reaped_at = pids_at + w->count * sizeof(*w->pids);
	size_t reports_at = align_up(reaped_at + w->count * sizeof(*w->are_reaped), page);
	char *map;

	w->report_stride = align_up(sizeof(struct worker_report), page);
	w->map_size = reports_at + w->count * w->report_stride;
	map = mmap(NULL, w->map_size, PROT_READ | PROT_WRITE,
		   MAP_SHARED | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (map == MAP_FAILED)
		return err_sys(errno, "map the reports of %u workers", w->count);
	madvise(map, w->map_size, MADV_NOHUGEPAGE);
	w->map = map;
	w->shared = (struct workers_shared *)map;
	w->lines = (struct worker_line *)(map + lines_at);
	w->teams = (struct team_line *)(map + teams_at);
	w->pids = (pid_t *)(map + pids_at);
	w->are_reaped = (bool *)(map + reaped_at);
	w->reports = map + reports_at;
	return 0;
}

/* ---- files that a team shares ---- */

struct team_files {
	int fds[WORKER_MAX_FDS]; /* ascending, terminated by -1 */
	unsigned int count;
};

static void close_files(struct team_files *files)
{
	while (files->count > 0)
		close(files->fds[--files->count]);
	memset(files->fds, -1, sizeof(files->fds));
}

static int open_files(struct team_files *files, const struct work_type_row *row)
{
	close_files(files);
	for (unsigned int i = 0; i < row->pipes; i++, files->count += 2)
		if (pipe2(&files->fds[files->count], O_CLOEXEC | O_NONBLOCK) < 0)
			return err_sys(errno, "make a pipe for workers");
	for (unsigned int i = 0; i < row->events; i++, files->count++) {
		files->fds[files->count] = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK | EFD_SEMAPHORE);
		if (files->fds[files->count] < 0)
			return err_sys(errno, "make an eventfd for workers");
	}
	return 0;
}

/* ---- forking ---- */

static void describe_worker(struct ktstr_worker *worker, const struct workers *w,
			    const struct workers_spec *spec, unsigned int index)
{
	unsigned int team_size = work_type_group(&spec->work->work_type);

	*worker = (struct ktstr_worker){
		.shared = w->shared,
		.line = &w->lines[index],
		.report = report_of(w, index),
		.spec = spec,
		.type = work_type_row(spec->work->work_type.kind),
		.index = index,
		.member = index % team_size,
		.team_size = team_size,
		.lines = &w->lines[index - index % team_size],
		.team = &w->teams[index / team_size],
		.random = worker_seed(spec->seed, index),
	};
	for (unsigned int i = 0; i < KTSTR_WORK_ARGS; i++)
		worker->args[i] = work_type_arg(&spec->work->work_type, i);
}

static int fork_worker(struct workers *w, const struct workers_spec *spec, unsigned int index,
		       const struct team_files *files, bool has_numa_nodes)
{
	struct ktstr_worker worker;
	pid_t parent = getpid(), pid;

	describe_worker(&worker, w, spec, index);
	worker.fds = files->fds;
	worker.has_numa_nodes = has_numa_nodes;
	pid = fork();
	if (pid == 0)
		worker_main(&worker, parent, spec->affinities ? &spec->affinities[index] : NULL);
	if (pid < 0)
		return err_sys(errno, "fork worker %u of %u", index + 1, w->count);
	w->pids[index] = pid;
	return 0;
}

static int fork_all(struct workers *w, const struct workers_spec *spec)
{
	const struct work_type_row *row = work_type_row(spec->work->work_type.kind);
	unsigned int team_size = work_type_group(&spec->work->work_type);
	bool has_nodes = has_numa_nodes();
	struct team_files files = {};
	unsigned int forked = 0;
	int rc = 0;

	worker_choose_unit();
	close_files(&files);
	while (forked < spec->count) {
		if (forked % team_size == 0)
			rc = open_files(&files, row);
		rc = rc ?: fork_worker(w, spec, forked, &files, has_nodes);
		if (rc < 0)
			break;
		forked++;
	}
	w->forked = forked;
	close_files(&files);
	return rc;
}

static int allocate(struct workers *w, const struct workers_spec *spec)
{
	w->work = *spec->work;
	w->count = spec->count;
	if (spec->cgroup_dir)
		w->cgroup_dir = strdup(spec->cgroup_dir);
	if (spec->cgroup_dir && !w->cgroup_dir)
		return err_no_memory();
	return map_shared(w, spec->count / work_type_group(&spec->work->work_type));
}

int workers_spawn(const struct workers_spec *spec, struct workers **out)
{
	struct workers *w;
	int rc = validate(spec);

	if (rc < 0)
		return rc;
	w = calloc(1, sizeof(*w));
	if (!w)
		return err_no_memory();
	rc = allocate(w, spec) ?: fork_all(w, spec);
	if (rc < 0) {
		workers_free(w);
		return rc;
	}
	*out = w;
	return 0;
}

int workers_start(struct workers *w)
{
	if (w->is_started)
		return 0;
	w->is_started = true;
	w->has_vmstat = vmstat_read_migrated(&w->vmstat_migrated);
	w->shared->start_ns = clock_mono_ns();
	atomic_store(&w->shared->start, 1);
	futex_wake(&w->shared->start, w->count);
	return 0;
}

/* ---- while they run ---- */

size_t workers_pids(const struct workers *w, const pid_t **pids)
{
	*pids = w->pids;
	return w->count;
}

int workers_set_affinity(struct workers *w, unsigned int index, const struct worker_cpus *cpus)
{
	int rc;

	if (index >= w->count)
		return err_set(EINVAL, "there is no worker %u in a group of %u", index, w->count);
	/* A worker that has not started yet must not override this with its initial affinity. */
	atomic_store(&w->lines[index].is_placed, 1);
	rc = worker_set_affinity(w->are_reaped[index] ? -1 : w->pids[index], cpus);
	if (rc < 0)
		return err_sys(-rc, "set the affinity of worker %u (pid %d)", index,
			       w->pids[index]);
	return 0;
}

/* The kernel takes policy and nice together; what: which of them changes, for messages. */
static int reschedule(struct workers *w, const struct ktstr_work *work, const char *what)
{
	int rc = settings_validate(work);

	if (rc < 0)
		return rc;
	w->work.sched_policy = work->sched_policy;
	w->work.nice = work->nice;
	for (unsigned int i = 0; i < w->forked && rc == 0; i++) {
		atomic_store(&w->lines[i].has_policy, 1);
		rc = w->are_reaped[i] ? -ESRCH : worker_set_policy(w->pids[i], work);
		if (rc < 0)
			rc = err_sys(-rc, "set the %s of worker %u (pid %d)", what, i, w->pids[i]);
	}
	return rc;
}

int workers_set_policy(struct workers *w, const struct ktstr_policy *policy)
{
	struct ktstr_work work = w->work;

	work.sched_policy = *policy;
	return reschedule(w, &work, "policy");
}

int workers_set_nice(struct workers *w, int nice)
{
	struct ktstr_work work = w->work;

	work.nice = nice;
	return reschedule(w, &work, "nice value");
}

void workers_signal(const struct workers *w, int number)
{
	for (unsigned int i = 0; i < w->forked; i++)
		if (!w->are_reaped[i])
			kill(w->pids[i], number);
}

void workers_set_phase(struct workers *w, unsigned int phase)
{
	atomic_store_explicit(&w->shared->phase, phase, memory_order_relaxed);
}

uint64_t workers_iterations(const struct workers *w)
{
	uint64_t sum = 0;

	for (unsigned int i = 0; i < w->count; i++)
		sum += atomic_load_explicit(&w->lines[i].iterations, memory_order_relaxed);
	return sum;
}

const struct worker_report *workers_report(const struct workers *w, unsigned int index)
{
	return report_of(w, index);
}

const struct ktstr_work *workers_work(const struct workers *w)
{
	return &w->work;
}
