// SPDX-License-Identifier: GPL-2.0-only
/* Maps the BPF maps into memory, and takes the two readings of each phase. */
#include "observe/observer.h"

#include <sys/mman.h>

#include "base/bpf_call.h"

#define PATH_SIZE 256

/* A reading of all maps; tasks by slot as in the map. */
struct reading {
	uint64_t at_ns;
	struct observe_programs programs;
	struct observe_task *tasks;
	struct observe_cpu *cpus;
	struct observe_set *sets;
	struct observe_control control;
};

struct observer {
	struct observe_task *tasks;
	struct observe_cpu *cpus;
	struct observe_set *sets;
	struct observe_control *control;
	struct reading start;
	bool counts_programs;
};

/* Values of an array map are 8-byte aligned, and so are these structs. */
static const struct {
	const char *name;
	size_t offset, size;
} maps[] = {
	{ OBSERVE_MAP_TASKS, offsetof(struct observer, tasks),
	  OBSERVE_TASKS * sizeof(struct observe_task) },
	{ OBSERVE_MAP_CPUS, offsetof(struct observer, cpus),
	  OBSERVE_MAX_CPUS * sizeof(struct observe_cpu) },
	{ OBSERVE_MAP_SETS, offsetof(struct observer, sets),
	  OBSERVE_SETS * sizeof(struct observe_set) },
	{ OBSERVE_MAP_CONTROL, offsetof(struct observer, control), sizeof(struct observe_control) },
};

static void **map_at(struct observer *o, size_t i)
{
	return (void **)((char *)o + maps[i].offset);
}

static int open_map(struct observer *o, const char *dir, size_t i)
{
	char path[PATH_SIZE];
	_close_ int fd = -1;
	void *at;

	snprintf(path, sizeof(path), "%s/%s", dir, maps[i].name);
	fd = bpf_open_pinned(path);
	if (fd < 0)
		return err_sys(-fd, "open %s", path);
	at = mmap(NULL, maps[i].size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (at == MAP_FAILED)
		return err_sys(errno, "map %s", path);
	*map_at(o, i) = at;
	return 0;
}

static int allocate(struct reading *r)
{
	r->tasks = calloc(OBSERVE_TASKS, sizeof(*r->tasks));
	r->cpus = calloc(OBSERVE_MAX_CPUS, sizeof(*r->cpus));
	r->sets = calloc(OBSERVE_SETS, sizeof(*r->sets));
	return r->tasks && r->cpus && r->sets ? 0 : err_no_memory();
}

int observer_open(struct observer **out, const char *dir)
{
	struct observer *o = calloc(1, sizeof(*o));
	int rc = o ? allocate(&o->start) : err_no_memory();

	for (size_t i = 0; rc == 0 && i < ARRAY_SIZE(maps); i++)
		rc = open_map(o, dir, i);
	if (rc < 0) {
		observer_close(o);
		return rc;
	}
	*out = o;
	return 0;
}

void observer_close(struct observer *o)
{
	if (!o)
		return;
	for (size_t i = 0; i < ARRAY_SIZE(maps); i++)
		if (*map_at(o, i))
			munmap(*map_at(o, i), maps[i].size);
	free(o->start.tasks);
	free(o->start.cpus);
	free(o->start.sets);
	free(o);
}

void observer_count_programs(struct observer *o)
{
	o->counts_programs = true;
}

/* ---- marks ---- */

void observer_mark(struct observer *o, pid_t pid, uint32_t mark)
{
	for (uint32_t i = 0; o && i < OBSERVE_PROBES; i++) {
		struct observe_task *t = &o->tasks[OBSERVE_SLOT((uint32_t)pid, i)];

		if (t->pid == (uint32_t)pid && t->state != OBSERVE_FREE && t->state != OBSERVE_DEAD)
			__atomic_fetch_or(&t->mark, mark, __ATOMIC_RELAXED);
	}
}

/* ---- a reading ---- */

/* Copies only slots and CPUs in use: most of the table never is. */
void observer_begin(struct observer *o)
{
	struct reading *r = &o->start;

	if (o->counts_programs)
		r->programs = observe_programs_read();
	o->control->epoch_ns = clock_mono_ns();
	o->control->epoch++;
	for (size_t i = 0; i < OBSERVE_TASKS; i++)
		if (o->tasks[i].state != OBSERVE_FREE)
			r->tasks[i] = o->tasks[i];
	for (size_t i = 0; i < OBSERVE_MAX_CPUS; i++)
		if (o->cpus[i].since_ns)
			r->cpus[i] = o->cpus[i];
	memcpy(r->sets, o->sets, OBSERVE_SETS * sizeof(*r->sets));
	r->control = *o->control;
	r->at_ns = clock_mono_ns();
}

static uint64_t since(uint64_t now, uint64_t then)
{
	return now > then ? now - then : 0;
}

/* How long the task has been in its state at that time; 0 if it is in another. */
static uint64_t open_ns(const struct observe_task *t, uint32_t state, uint64_t now)
{
	return t->state == state ? since(now, t->since_ns) : 0;
}

static void subtract_buckets(uint32_t *from, const uint32_t *what)
{
	for (size_t i = 0; i < OBSERVE_BUCKETS; i++)
		from[i] -= what[i];
}

/*
 * Everything but the times: a run or a wait may have begun before the phase, and may still
 * be open.
 */
static void subtract_counts(struct observe_task *t, const struct observe_task *before)
{
	t->long_wait_ns -= before->long_wait_ns;
	t->wake_wait_ns -= before->wake_wait_ns;
	t->rt_wait_ns -= before->rt_wait_ns;
	t->all_rt_wait_ns -= before->all_rt_wait_ns;
	t->idle_waits -= before->idle_waits;
	t->idle_wait_ns -= before->idle_wait_ns;
	t->runs -= before->runs;
	t->waits -= before->waits;
	t->wakeups -= before->wakeups;
	t->migrations -= before->migrations;
	t->needless -= before->needless;
	t->displaced -= before->displaced;
	t->handed_on -= before->handed_on;
	t->hasty -= before->hasty;
	subtract_buckets(t->wait_histogram, before->wait_histogram);
	subtract_buckets(t->wake_histogram, before->wake_histogram);
}

static const struct observe_task *running_on(const struct observer *o, int cpu)
{
	for (size_t i = 0; i < OBSERVE_TASKS; i++)
		if (o->tasks[i].state == OBSERVE_RUNNING && o->tasks[i].cpu == cpu)
			return &o->tasks[i];
	return NULL;
}

static const struct observe_set *set_of(const struct observer *o, const struct observe_task *t)
{
	if (t->set > OBSERVE_SETS + OBSERVE_MAX_CPUS || !t->set)
		return NULL;
	return t->set > OBSERVE_SETS ? &o->cpus[t->set - OBSERVE_SETS - 1].pinned :
				       &o->sets[t->set - 1];
}

/* Does what rt_of_wait() of the BPF program would do now. */
static void set_realtime(const struct observer *o, const struct observe_task *t, uint64_t now,
			 struct observe_wait *w)
{
	const struct observe_set *s = set_of(o, t);

	if (t->cpu >= 0 && t->cpu < OBSERVE_MAX_CPUS)
		w->rt_ns = observe_rt_part(t->rt_from_ns,
					   observe_rt_until(&o->cpus[t->cpu].pinned, now), w->ns);
	if (s)
		w->all_rt_ns =
			observe_rt_part(t->all_rt_from_ns, observe_rt_until(s, now), w->rt_ns);
}

static void set_by(struct observe_wait *w, int pid, const char *comm)
{
	w->by = pid;
	memcpy(w->by_comm, comm, sizeof(w->by_comm));
}

/* Does what note_runner() of the BPF program would do now; the run that is still on counts, too. */
static void set_runner(const struct observer *o, uint64_t now, struct observe_wait *w)
{
	const struct observe_task *by = running_on(o, w->cpu);
	const struct observe_cpu *c;
	uint64_t most = 0;

	if (by)
		set_by(w, (int)by->pid, by->comm);
	if (w->cpu < 0 || w->cpu >= OBSERVE_MAX_CPUS)
		return;
	c = &o->cpus[w->cpu];
	if (observe_is_mostly_idle(c, w->since_ns, now)) {
		set_by(w, 0, (const char[OBSERVE_COMM]){});
		return;
	}
	if (by)
		most = since(now, MAX(c->since_ns, w->since_ns)) +
		       observe_ran_within(c, (int)by->pid, w->since_ns, now);
	array_each(const struct observe_run, r, c->ran, OBSERVE_STRETCHES) {
		uint64_t ns = observe_ran_within(c, r->pid, w->since_ns, now);

		if (ns <= most)
			continue;
		most = ns;
		set_by(w, r->pid, r->comm);
	}
}

static struct observe_wait open_wait(const struct observer *o, const struct observe_task *t,
				     uint64_t now)
{
	struct observe_wait w = { .ns = open_ns(t, OBSERVE_WAITING, now),
				  .since_ns = t->since_ns,
				  .cpu = t->cpu,
				  .epoch = o->control->epoch };

	if (w.ns >= OBSERVE_LONG_NS)
		set_realtime(o, t, now, &w);
	set_runner(o, now, &w);
	return w;
}

/* A wait that is still open may be the worst. */
static void complete_waits(const struct observer *o, struct observe_task *t, uint64_t now)
{
	const struct observe_wait none = { .epoch = o->control->epoch, .cpu = -1 };
	struct observe_wait w;

	if (t->worst.epoch != o->control->epoch)
		t->worst = none;
	if (t->late.epoch != o->control->epoch)
		t->late = none;
	if (t->wake_epoch != o->control->epoch)
		t->worst_wake_ns = 0;
	if (!open_ns(t, OBSERVE_WAITING, now))
		return;
	w = open_wait(o, t, now);
	if (w.ns >= OBSERVE_LONG_NS) {
		t->long_wait_ns += w.ns;
		t->rt_wait_ns += w.rt_ns;
		t->all_rt_wait_ns += w.all_rt_ns;
	}
	if (w.ns > t->worst.ns)
		t->worst = w;
	if (t->was_woken)
		t->worst_wake_ns = MAX(t->worst_wake_ns, w.ns);
	if (w.ns - w.rt_ns > t->late.ns - t->late.rt_ns)
		t->late = w;
}

static bool set_has(const struct observe_set *s, size_t cpu)
{
	return s->is_ready && s->cpus[cpu / 64] >> cpu % 64 & 1;
}

static bool task_may_run(const struct observer *o, const struct observe_task *t, size_t cpu)
{
	if (t->set > OBSERVE_SETS)
		return t->set - OBSERVE_SETS - 1 == cpu;
	return t->set && set_has(&o->sets[t->set - 1], cpu);
}

/* Does what note_idle_wait() of the BPF program would do now. */
static void complete_idle(const struct observer *o, struct observe_task *t, uint64_t now)
{
	struct observe_idle_wait most = { .epoch = o->control->epoch,
					  .cpu = -1,
					  .since_ns = t->set_since_ns };

	if (t->idle.epoch != o->control->epoch)
		t->idle = most;
	for (size_t i = 0; t->state == OBSERVE_WAITING && i < OBSERVE_MAX_CPUS; i++) {
		uint64_t ns = observe_idle_since(&o->cpus[i], t->set_since_ns, now);

		if (!task_may_run(o, t, i) || ns <= most.ns)
			continue;
		most.ns = ns;
		most.wait_ns = since(now, t->set_since_ns);
		most.cpu = (int)i;
	}
	if (most.ns < observe_idle_min_ns(o->control))
		return;
	t->idle_waits++;
	t->idle_wait_ns += most.ns;
	if (most.ns > t->idle.ns)
		t->idle = most;
}

/* Programs rename themselves; ask the kernel for the current name of a living task. */
static void refresh_comm(struct observe_task *t)
{
	char path[32];
	_str_ struct str text = {};
	size_t len;

	snprintf(path, sizeof(path), "/proc/%u/comm", t->pid);
	if (t->state == OBSERVE_DEAD || file_read_at(AT_FDCWD, path, &text) < 0)
		return;
	len = strcspn(str_get(&text), "\n");
	len = MIN(len, sizeof(t->comm) - 1);
	memset(t->comm, 0, sizeof(t->comm));
	memcpy(t->comm, str_get(&text), len);
}

static bool did_something(const struct observe_task *t)
{
	return t->run_ns || t->wait_ns || t->migrations || t->wakeups;
}

/* Waits of this length may be reported, so the task's name should be current. */
#define NAMED_NS (10 * NSEC_PER_MSEC)

static int add_task(const struct observer *o, size_t slot, uint64_t now, struct observed *seen)
{
	static const struct observe_task none;
	const struct observe_task *before = &o->start.tasks[slot];
	uint64_t then = o->start.at_ns;
	struct observe_task t;

	if (o->tasks[slot].state == OBSERVE_FREE)
		return 0;
	t = o->tasks[slot];
	if (before->pid != t.pid || before->first_ns != t.first_ns)
		before = &none;
	t.run_ns = since(t.run_ns + open_ns(&t, OBSERVE_RUNNING, now),
			 before->run_ns + open_ns(before, OBSERVE_RUNNING, then));
	t.wait_ns = since(t.wait_ns + open_ns(&t, OBSERVE_WAITING, now),
			  before->wait_ns + open_ns(before, OBSERVE_WAITING, then));
	subtract_counts(&t, before);
	complete_waits(o, &t, now);
	complete_idle(o, &t, now);
	if (!did_something(&t))
		return 0;
	if (t.worst.ns >= NAMED_NS)
		refresh_comm(&t);
	return vec_push(&seen->tasks, t);
}

static void subtract_cpu(struct observe_cpu *c, const struct observe_cpu *before)
{
	c->pinned_ns -= before->pinned_ns;
	c->wanted_ns -= before->wanted_ns;
	c->picks -= before->picks;
	c->pinned.long_ns -= before->pinned.long_ns;
}

/* Does what set_leave() of the BPF program would do now. */
static uint64_t set_wanted(const struct observe_set *s, uint64_t now)
{
	uint64_t ns = s->waiting > 0 ? since(now, s->since_ns) : 0;

	return s->wanted_ns + (ns > OBSERVE_GRACE_NS ? ns - OBSERVE_GRACE_NS : 0);
}

/* How long tasks have wanted the CPU in its current idle period; 0 = it is busy. */
static uint64_t open_wanted(const struct observer *o, size_t cpu, uint64_t now)
{
	const struct observe_cpu *c = &o->cpus[cpu];
	uint64_t most = since(set_wanted(&c->pinned, now), c->pinned_at_idle);

	if (!c->is_idle)
		return 0;
	for (size_t i = 0; i < OBSERVE_SETS; i++)
		if (set_has(&o->sets[i], cpu))
			most = MAX(most, since(set_wanted(&o->sets[i], now), c->wanted_at_idle[i]));
	return MIN(most, since(now, c->since_ns));
}

static uint64_t cpu_open_ns(const struct observe_cpu *c, bool is_idle, uint64_t now)
{
	return c->since_ns && (c->is_idle != 0) == is_idle ? since(now, c->since_ns) : 0;
}

void observer_restart_cpu(struct observer *o, unsigned int cpu)
{
	uint64_t now = clock_mono_ns();
	struct observe_cpu *c;

	if (cpu >= OBSERVE_MAX_CPUS || !o->cpus[cpu].since_ns)
		return;
	c = &o->start.cpus[cpu];
	*c = o->cpus[cpu];
	c->busy_ns += cpu_open_ns(c, false, now);
	c->idle_ns += cpu_open_ns(c, true, now);
	c->wanted_ns += observe_wanted_ns(o->control, open_wanted(o, cpu, now));
	c->since_ns = 0;
}

/* Does what note_pick() of the BPF program would do now. */
static void complete_unpicked(const struct observer *o, struct observe_cpu *c, uint64_t now)
{
	uint64_t from = MAX(c->last_pick_ns, o->control->epoch_ns);

	if (c->unpicked.epoch == o->control->epoch && since(now, from) <= c->unpicked.ns)
		return;
	c->unpicked = (struct observe_wait){ .ns = since(now, from),
					     .since_ns = from,
					     .epoch = o->control->epoch };
}

static int add_cpu(const struct observer *o, size_t cpu, uint64_t now, struct observed *seen)
{
	struct observe_cpu c = o->cpus[cpu];
	const struct observe_cpu *before = &o->start.cpus[cpu];
	uint64_t then = o->start.at_ns, wanted = open_wanted(o, cpu, now);

	c.busy_ns = since(c.busy_ns + cpu_open_ns(&c, false, now),
			  before->busy_ns + cpu_open_ns(before, false, then));
	c.idle_ns = since(c.idle_ns + cpu_open_ns(&c, true, now),
			  before->idle_ns + cpu_open_ns(before, true, then));
	subtract_cpu(&c, before);
	c.wanted_ns = MIN(c.wanted_ns + observe_wanted_ns(o->control, wanted), c.idle_ns);
	if (c.idle.epoch != o->control->epoch)
		c.idle = (struct observe_wait){ .epoch = o->control->epoch, .cpu = (int)cpu };
	if (wanted > c.idle.ns) {
		c.idle.ns = wanted;
		c.idle.since_ns = now - wanted;
	}
	complete_unpicked(o, &c, now);
	return vec_push(&seen->cpus, c);
}

/* A CPU without any event was idle before the observer was attached, and still is. */
static int add_silent_cpu(const struct observer *o, size_t cpu, uint64_t now, struct observed *seen)
{
	struct observe_cpu c = { .is_idle = 1, .idle_ns = now - o->start.at_ns };

	for (size_t i = 0; i < OBSERVE_SETS; i++)
		if (set_has(&o->sets[i], cpu))
			c.wanted_ns = MAX(c.wanted_ns,
					  since(set_wanted(&o->sets[i], now),
						set_wanted(&o->start.sets[i], o->start.at_ns)));
	c.wanted_ns = MIN(c.wanted_ns, c.idle_ns);
	c.idle = (struct observe_wait){ .ns = c.wanted_ns,
					.since_ns = now - c.wanted_ns,
					.cpu = (int)cpu,
					.epoch = o->control->epoch };
	complete_unpicked(o, &c, now);
	return vec_push(&seen->cpus, c);
}

/* All configured CPUs; callers know which of them are online. */
static int add_cpus(const struct observer *o, uint64_t now, struct observed *seen)
{
	long configured = sysconf(_SC_NPROCESSORS_CONF);
	size_t count = OBSERVE_MAX_CPUS;
	int rc = 0;

	if (configured > 0)
		count = MIN((size_t)configured, count);
	for (size_t i = 0; rc == 0 && i < count; i++)
		rc = o->cpus[i].since_ns ? add_cpu(o, i, now, seen) :
					   add_silent_cpu(o, i, now, seen);
	return rc;
}

static int add_sets(const struct observer *o, uint64_t now, struct observed *seen)
{
	int rc = 0;

	for (size_t i = 0; rc == 0 && i < OBSERVE_SETS; i++) {
		struct observe_set s = o->sets[i];

		s.wanted_ns =
			since(set_wanted(&s, now), set_wanted(&o->start.sets[i], o->start.at_ns));
		s.long_ns -= o->start.sets[i].long_ns;
		rc = vec_push(&seen->sets, s);
	}
	return rc;
}

static void add_forgotten(const struct observer *o, struct observed *seen)
{
	struct observe_task f = o->control->forgotten;
	const struct observe_task *before = &o->start.control.forgotten;

	f.run_ns -= before->run_ns;
	f.wait_ns -= before->wait_ns;
	subtract_counts(&f, before);
	if (f.worst.epoch != o->control->epoch)
		f.worst = f.late = (struct observe_wait){};
	seen->forgotten = f;
}

static void add_programs(const struct observer *o, struct observed *seen)
{
	struct observe_programs now = observe_programs_read();

	seen->programs.ns = since(now.ns, o->start.programs.ns);
	seen->programs.calls = since(now.calls, o->start.programs.calls);
}

int observer_end(struct observer *o, struct observed *seen)
{
	uint64_t now = clock_mono_ns();
	int rc = 0;

	*seen = (struct observed){
		.is_known = true,
		.start_ns = o->start.at_ns,
		.end_ns = now,
		.lost_tasks = o->control->lost_tasks - o->start.control.lost_tasks,
		.lost_sets = o->control->lost_sets - o->start.control.lost_sets
	};
	for (size_t i = 0; rc == 0 && i < OBSERVE_TASKS; i++)
		rc = add_task(o, i, now, seen);
	rc = rc ?: add_cpus(o, now, seen);
	rc = rc ?: add_sets(o, now, seen);
	add_forgotten(o, seen);
	if (o->counts_programs)
		add_programs(o, seen);
	vec_sort(&seen->tasks, order_u32);
	return rc;
}
