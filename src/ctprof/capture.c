// SPDX-License-Identifier: GPL-2.0-only
/* Takes a snapshot, step by step. */
#include "ctprof/capture.h"

#include <math.h>
#include <sched.h>

#include "ctprof/capture_parts.h"
#include "ctprof/proc_parse.h"
#include "ctprof/procfs_view.h"
#include "ktstr/ktstr.h"

/*
 * One thread per idle CPU, but at most half of the CPUs plus one. Partly idle CPUs count as idle:
 * a capture is short.
 */
unsigned int capture_worker_count(unsigned int cpus, double load)
{
	double idle = ceil((double)cpus - load);
	unsigned int most = cpus / 2 + 1;

	if (!(idle >= 1))
		return 1;
	return idle > most ? most : (unsigned int)idle;
}

static unsigned int count_workers(const struct capture_opts *o)
{
	double load = 0;
	cpu_set_t cpus;

	if (o->worker_count)
		return o->worker_count;
	if (sched_getaffinity(0, sizeof(cpus), &cpus) < 0)
		return 1;
	if (getloadavg(&load, 1) != 1)
		load = 0;
	return capture_worker_count((unsigned int)CPU_COUNT(&cpus), load);
}

static const char *copy_text(struct snapshot *s, const struct str *text)
{
	return text->failed ? NULL : arena_copy(&s->arena, str_get(text), text->len);
}

/* "12345.67 ..." seconds since boot, in clock ticks. */
static void read_uptime(struct snapshot *s, const struct roots *roots)
{
	_str_ struct str text = {};
	uint64_t seconds, hundredths;
	const char *p;

	if (root_read(roots->proc, &text, "uptime") < 0)
		return;
	p = str_get(&text);
	if (parse_digits(&p, &seconds) < 0 || *p++ != '.' || parse_digits(&p, &hundredths) < 0 ||
	    seconds > UINT32_MAX || hundredths > 99)
		return;
	s->uptime_clock_ticks =
		(struct opt_u64){ true, seconds * s->user_hz.value +
						hundredths * s->user_hz.value / 100 };
}

/* Not if only some threads are selected: the total includes all threads. */
static void read_cpu_busy(struct snapshot *s, const struct capture_opts *o)
{
	_str_ struct str line = {};

	if (o->pid_count || o->comm_glob_count || o->cgroup_glob_count)
		return;
	s->cpu_busy_ticks.is_known =
		root_read_line(o->roots.proc, &line, "stat") == 0 &&
		proc_parse_cpu_busy(str_get(&line), !kernel_counts_irq_time(o->roots.proc, "/boot"),
				    &s->cpu_busy_ticks.value) == 0;
}

static int read_header(struct snapshot *s, const struct capture_opts *o)
{
	_str_ struct str tool = {}, boot_id = {};

	s->schema_version = (struct opt_u64){ true, SNAPSHOT_SCHEMA_VERSION };
	s->captured_at_unix_ns = (struct opt_u64){ true, clock_wall_ns() };
	s->user_hz = (struct opt_u64){ true, (uint64_t)sysconf(_SC_CLK_TCK) };
	read_uptime(s, &o->roots);
	read_cpu_busy(s, o);
	str_addf(&tool, "ktstr %s", ktstr_version());
	s->tool = copy_text(s, &tool);
	if (root_read_line(o->roots.proc, &boot_id, "sys/kernel/random/boot_id") == 0)
		s->boot_id = copy_text(s, &boot_id);
	if (!s->tool)
		return err_no_memory();
	if (!roots_is_live(&o->roots))
		return 0;
	s->has_host = true;
	return host_context_read(&s->host, &o->roots);
}

/* Returns whether taskstats can be used; stores which fields the kernel fills in. */
static bool open_gates(const struct capture_opts *o, struct taskstats_gates *gates)
{
	struct taskstats_client *client;
	int rc = taskstats_open(&client);

	if (rc < 0) {
		log_warn("ctprof", "no delay accounting: %s; it needs %s, %s and %s, %s, and %s",
			 err_text(rc), needs[NEED_TASKSTATS].name, needs[NEED_TASK_DELAY_ACCT].name,
			 needs[NEED_TASK_XACCT].name, needs[NEED_NET_ADMIN].name,
			 needs[NEED_DELAYACCT_ON].name);
		err_clear();
		return false;
	}
	taskstats_find_gates(client, &o->roots, gates);
	taskstats_close(client);
	return true;
}

/* Returns the sorted list of distinct cgroups of the threads; to be freed. */
static const char **list_cgroups(const struct snapshot *s, size_t *count)
{
	const char **paths = calloc(s->thread_count + 1, sizeof(*paths));
	size_t n = 0, kept = 0;

	if (!paths)
		return NULL;
	for (size_t i = 0; i < s->thread_count; i++) {
		const char *path = s->threads[i].cgroup;

		/* Consecutive threads often share the string. */
		if (path && (n == 0 || paths[n - 1] != path))
			paths[n++] = path;
	}
	qsort(paths, n, sizeof(*paths), order_texts);
	for (size_t i = 0; i < n; i++)
		if (kept == 0 || !str_eq(paths[kept - 1], paths[i]))
			paths[kept++] = paths[i];
	*count = kept;
	return paths;
}

static int read_cgroups(struct snapshot *s, const struct capture_opts *o)
{
	_free_ const char **paths = NULL;
	const char *root = o->roots.cgroup;
	size_t count = 0;
	int rc = 0;

	if (!o->is_cgroup_root_given && !roots_is_live(&o->roots))
		return 0;
	if (!o->is_cgroup_root_given)
		root = o->cgroup2 ? o->cgroup2 : cgroup_find_root(&o->roots, &s->arena);
	paths = list_cgroups(s, &count);
	if (paths)
		s->cgroups = calloc(count + 1, sizeof(*s->cgroups));
	if (!paths || !s->cgroups)
		return err_no_memory();
	for (size_t i = 0; rc == 0 && i < count; i++) {
		s->cgroups[i].path = paths[i];
		rc = cgroup_record_read(root, paths[i], &s->arena, &s->cgroups[i]);
		s->cgroup_count++;
	}
	return rc;
}

/* NULL if the root was given or procfs is recorded: the root may be of other threads. */
static const char *find_cgroup2(struct snapshot *s, const struct capture_opts *o)
{
	const char *root;

	if (o->is_cgroup_root_given || !capture_can_ask(o))
		return NULL;
	root = cgroup_find_root(&o->roots, &s->arena);
	return cgroup_is_v2(root) ? root : NULL;
}

static int read_threads(struct snapshot *s, const struct capture_opts *o, unsigned int workers)
{
	_cleanup_(walk_list_finish) struct walk_list list = {};
	_close_ int proc_fd = open(o->roots.proc, O_PATH | O_DIRECTORY | O_CLOEXEC);
	bool is_asked = capture_can_ask(o) && !o->no_taskstats;
	struct taskstats_gates gates = {};
	bool is_answered = is_asked && open_gates(o, &gates);
	int rc;

	if (proc_fd < 0)
		return err_sys(errno, "open %s", o->roots.proc);
	rc = walk_list_threads(&list, o, proc_fd);
	if (rc < 0)
		return rc;
	if (list.hidden)
		log_warn("ctprof", "%zu processes hide their threads from this user", list.hidden);
	rc = walk_read_threads(s, o, &list, proc_fd, is_answered ? &gates : NULL, workers);
	s->taskstats.is_known = is_asked;
	return rc;
}

bool capture_can_ask(const struct capture_opts *o)
{
	return roots_is_live(&o->roots) && !o->has_foreign_pids;
}

static void tell_view(const struct snapshot *s)
{
	if (s->parse.has_foreign_pids)
		log_warn("ctprof", PROCFS_FOREIGN ": delays, peaks, jemalloc and affinity by "
						  "number are left out");
	if (s->parse.is_hiding)
		log_warn("ctprof", PROCFS_HIDING);
}

/* Determines first what is visible; other options depend on it. */
static struct capture_opts find_view(const struct capture_opts *o, struct parse_summary *parse)
{
	struct capture_opts found = *o;
	struct procfs_view view = procfs_view_read(o->roots.proc, "self");

	found.has_foreign_pids = roots_is_live(&o->roots) && procfs_is_foreign(o->roots.proc);
	parse->has_foreign_pids = found.has_foreign_pids;
	parse->is_hiding = procfs_view_is_partial(&view);
	return found;
}

int capture_snapshot(struct snapshot *s, const struct capture_opts *asked)
{
	uint64_t start_ns = clock_mono_ns();
	unsigned int workers = count_workers(asked);
	const struct capture_opts *o;
	struct capture_opts found;
	int rc;

	*s = (struct snapshot){ .worker_count = workers };
	found = find_view(asked, &s->parse);
	tell_view(s);
	o = &found;
	found.cgroup2 = find_cgroup2(s, o);
	rc = read_header(s, o) ?: read_threads(s, o, workers);
	if (rc == 0 && !o->no_probe && capture_can_ask(o))
		rc = probe_threads(s, &o->stops, workers);
	rc = rc ?: read_cgroups(s, o);
	if (rc < 0) {
		snapshot_finish(s);
		return rc;
	}
	psi_read(o->roots.proc, "pressure/", "", &s->psi);
	s->has_psi = psi_is_known(&s->psi);
	if (o->is_sys_root_given || roots_is_live(&o->roots))
		s->has_sched_ext = sched_ext_read(o->roots.sys, &s->arena, &s->sched_ext);
	s->capture_ms = (struct opt_u64){ true, (clock_mono_ns() - start_ns) / NSEC_PER_MSEC };
	capture_find_reasons(s, o);
	return 0;
}
