// SPDX-License-Identifier: GPL-2.0-only
/*
 * The hot path of a capture: four or five files per thread, so system calls are minimized. If the
 * buffer is large enough, one read() returns a whole procfs file, so EOF is not checked.
 */
#include "ctprof/capture_parts.h"

#include <fnmatch.h>
#include <sys/syscall.h>

#include "ctprof/proc_parse.h"

#define BUFFER_SIZE ((size_t)64 * 1024)

int thread_reader_init(struct thread_reader *r, const struct capture_opts *opts, int proc_fd)
{
	*r = (struct thread_reader){
		.opts = opts,
		.is_live = capture_can_ask(opts),
		.proc_fd = proc_fd,
		.task_fd = -1,
		.buffer = malloc(BUFFER_SIZE),
	};
	return r->buffer ? 0 : err_no_memory();
}

void thread_reader_leave(struct thread_reader *r)
{
	cleanup_fd(&r->task_fd);
	r->task_fd = -1;
	r->tgid = 0;
}

void thread_reader_finish(struct thread_reader *r)
{
	free(r->buffer);
	arena_finish(&r->arena);
}

/* Reads a file into the buffer; returns its length, or a negative errno. */
static ssize_t read_file(struct thread_reader *r, int dirfd, const char *name)
{
	_close_ int fd = openat(dirfd, name, O_RDONLY | O_CLOEXEC);
	ssize_t len;

	if (fd < 0)
		return -errno;
	len = read(fd, r->buffer, BUFFER_SIZE - 1);
	if (len < 0)
		return -errno;
	if (len == 0)
		return -ENODATA;
	if (len == BUFFER_SIZE - 1)
		return -EFBIG;
	r->buffer[len] = '\0';
	return len;
}

#define NAME_SIZE 32 /* longest "TGID/file" */

/* Formats a number followed by text: "1234/comm". */
static void format_name(char name[static NAME_SIZE], uint32_t number, const char *rest)
{
	memcpy(str_put_digits(name, number), rest, strlen(rest) + 1);
}

static int open_number(int dirfd, uint32_t number, const char *rest)
{
	char name[NAME_SIZE];

	format_name(name, number, rest);
	return openat(dirfd, name, O_PATH | O_DIRECTORY | O_CLOEXEC);
}

static ssize_t read_process_file(struct thread_reader *r, const char *rest)
{
	char name[NAME_SIZE];

	format_name(name, r->tgid, rest);
	return read_file(r, r->proc_fd, name);
}

static bool enter_process(struct thread_reader *r, uint32_t tgid)
{
	if (r->tgid == tgid)
		return r->task_fd >= 0;
	cleanup_fd(&r->task_fd);
	r->tgid = tgid;
	r->pcomm = r->home = NULL;
	r->task_fd = open_number(r->proc_fd, tgid, "/task");
	return r->task_fd >= 0;
}

static const char *copy_unless_last(struct thread_reader *r, struct last_string *last,
				    const char *text, size_t len)
{
	if (last->copy && last->len == len && memcmp(last->copy, text, len) == 0)
		return last->copy;
	last->copy = arena_copy(&r->arena, text, len);
	last->len = len;
	return last->copy;
}

static struct proc_slice trim(const char *text, size_t len)
{
	while (len && isspace((unsigned char)text[len - 1]))
		len--;
	while (len && isspace((unsigned char)*text))
		text++, len--;
	return (struct proc_slice){ text, len };
}

static const char *copy_comm(struct thread_reader *r, const char *text, size_t len)
{
	struct proc_slice name = trim(text, len);

	return copy_unless_last(r, &r->last_comm, name.text, name.len);
}

/* A backslash is literal: systemd writes a-b as a\x2db in names of cgroups. */
static bool matches_any(const char *text, const char *const *globs, size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (fnmatch(globs[i], text, FNM_NOESCAPE) == 0)
			return true;
	return count == 0;
}

static void note_failure(struct thread_record *t, enum snapshot_file file, ssize_t rc)
{
	t->unread[file] = (unsigned char)-rc;
}

/* Reads the name from a comm file; "" if it cannot be read. */
static int read_comm(struct thread_reader *r, int dirfd, const char *name, const char **comm)
{
	ssize_t len = read_file(r, dirfd, name);

	if (len < 0)
		len = 0;
	*comm = copy_comm(r, r->buffer, (size_t)len);
	return *comm ? 0 : -ENOMEM;
}

/*
 * stat also contains the thread's name, which saves reading comm. Old kernels escape some
 * characters there, so comm is read if there is a backslash.
 */
static int read_stat(struct thread_reader *r, int dirfd, struct thread_record *t,
		     struct proc_stat *stat)
{
	ssize_t len = read_file(r, dirfd, "stat");
	int rc = len < 0 ? (int)len : proc_parse_stat(r->buffer, (size_t)len, &r->arena, t, stat);

	if (rc < 0) {
		note_failure(t, FILE_STAT, rc);
		return read_comm(r, dirfd, "comm", &t->comm);
	}
	t->is_kernel_thread = stat->flags & PROC_FLAG_KTHREAD;
	if (t->tid == t->tgid) {
		t->parent = stat->parent;
		t->children_ticks = stat->children_ticks;
	}
	if (memchr(stat->comm, '\\', stat->comm_len))
		return read_comm(r, dirfd, "comm", &t->comm);
	t->comm = copy_comm(r, stat->comm, stat->comm_len);
	return t->comm ? 0 : -ENOMEM;
}

static int set_pcomm(struct thread_reader *r, struct thread_record *t)
{
	struct proc_slice name;
	ssize_t len;

	if (!r->pcomm && t->tid == t->tgid)
		r->pcomm = t->comm;
	if (!r->pcomm) {
		len = read_process_file(r, "/comm");
		if (len < 0)
			len = 0;
		name = trim(r->buffer, (size_t)len);
		r->pcomm = arena_copy(&r->arena, name.text, name.len);
	}
	t->pcomm = r->pcomm;
	return t->pcomm ? 0 : -ENOMEM;
}

/* Caches the answer for consecutive processes of the same cgroup. */
static const char *find_home(struct thread_reader *r, const char *cgroup)
{
	if (!r->opts->cgroup2)
		return NULL;
	if (r->asked_about != cgroup) {
		r->is_home = cgroup_keeps_together(r->opts->cgroup2, cgroup);
		r->asked_about = cgroup;
	}
	return r->is_home ? cgroup : NULL;
}

static int read_cgroup(struct thread_reader *r, int dirfd, struct thread_record *t)
{
	struct proc_slice path;
	ssize_t len;
	int rc;

	t->cgroup = r->home;
	if (t->cgroup)
		return 0;
	len = read_file(r, dirfd, "cgroup");
	rc = len < 0 ? (int)len : proc_parse_cgroup(r->buffer, (size_t)len, &path);
	if (rc < 0) {
		note_failure(t, FILE_CGROUP, rc);
		return 0;
	}
	t->cgroup = copy_unless_last(r, &r->last_cgroup, path.text, path.len);
	if (!t->cgroup)
		return -ENOMEM;
	r->home = find_home(r, t->cgroup);
	return 0;
}

static void read_schedstat(struct thread_reader *r, int dirfd, struct thread_record *t)
{
	ssize_t len = read_file(r, dirfd, "schedstat");
	int rc = len < 0 ? (int)len : proc_parse_schedstat(r->buffer, t);

	if (rc < 0)
		note_failure(t, FILE_SCHEDSTAT, rc);
}

static void read_sched(struct thread_reader *r, int dirfd, struct thread_record *t,
		       struct proc_negatives *negatives)
{
	ssize_t len = read_file(r, dirfd, "sched");
	int rc = len < 0 ? (int)len : proc_parse_sched(r->buffer, (size_t)len, t, negatives);

	if (rc < 0)
		note_failure(t, FILE_SCHED, rc);
}

static void read_io(struct thread_reader *r, int dirfd, struct thread_record *t)
{
	ssize_t len = read_file(r, dirfd, "io");
	int rc = len < 0 ? (int)len : proc_parse_io(r->buffer, (size_t)len, t);

	if (rc < 0)
		note_failure(t, FILE_IO, rc);
}

static void put_cpus(struct thread_record *t, const char *cpus)
{
	t->values[M_cpu_affinity].s = cpus;
	thread_set_measured(t, M_cpu_affinity);
}

static const char *format_mask(struct thread_reader *r, const unsigned char *mask, size_t len)
{
	_free_ unsigned int *cpus = malloc(len * 8 * sizeof(*cpus));
	_str_ struct str text = {};
	size_t count = 0;

	if (!cpus)
		return NULL;
	for (size_t i = 0; i < len * 8; i++)
		if (mask[i / 8] >> (i % 8) & 1)
			cpus[count++] = (unsigned int)i;
	cpulist_format(cpus, count, &text);
	return text.failed ? NULL : arena_copy(&r->arena, str_get(&text), text.len);
}

/* The value stays absent if the system call fails. */
static int ask_affinity(struct thread_reader *r, struct thread_record *t)
{
	unsigned char mask[sizeof(r->last_mask)];
	long len = syscall(SYS_sched_getaffinity, t->tid, sizeof(mask), mask);

	if (len <= 0)
		return 0;
	if ((size_t)len != r->last_mask_len || memcmp(mask, r->last_mask, (size_t)len) != 0) {
		r->last_cpus = format_mask(r, mask, (size_t)len);
		if (!r->last_cpus)
			return -ENOMEM;
		memcpy(r->last_mask, mask, (size_t)len);
		r->last_mask_len = (size_t)len;
	}
	put_cpus(t, r->last_cpus);
	return 0;
}

/* Uses the list in status, converted to the same form as the result of the system call. */
static int use_allowed_list(struct thread_reader *r, struct thread_record *t,
			    const struct proc_slice *allowed)
{
	_free_ char *text = strndup(allowed->text, allowed->len);
	_str_ struct str canonical = {};
	struct cpulist list;
	const char *copy;
	int rc;

	if (!text)
		return -ENOMEM;
	rc = cpulist_parse(text, &list);
	if (rc < 0)
		return rc == -ENOMEM ? rc : 0;
	cpulist_format(list.cpus, list.count, &canonical);
	cpulist_finish(&list);
	copy = canonical.failed ? NULL : arena_copy(&r->arena, str_get(&canonical), canonical.len);
	if (!copy)
		return -ENOMEM;
	put_cpus(t, copy);
	return 0;
}

static int read_status(struct thread_reader *r, int dirfd, struct thread_record *t)
{
	struct proc_slice allowed = {};
	ssize_t len = read_file(r, dirfd, "status");
	int rc = len < 0 ? (int)len : proc_parse_status(r->buffer, (size_t)len, t, &allowed);

	if (rc < 0)
		note_failure(t, FILE_STATUS, rc);
	if (thread_has(t, M_cpu_affinity) || !allowed.text)
		return 0;
	return use_allowed_list(r, t, &allowed);
}

static int read_affinity_and_status(struct thread_reader *r, int dirfd, struct thread_record *t)
{
	int rc = r->is_live ? ask_affinity(r, t) : 0;

	if (rc == 0 && proc_needs_status(t))
		rc = read_status(r, dirfd, t);
	/* The count is that of the process: kept for the leader only. */
	if (t->tid != t->tgid)
		thread_clear_measured(t, M_nr_threads);
	return rc;
}

/* Kernel threads and threads that have exited have no memory maps: not a failure. */
static int read_smaps(struct thread_reader *r, struct thread_record *t,
		      const struct proc_stat *stat)
{
	ssize_t len;
	int rc;

	if (r->opts->no_smaps || t->tid != t->tgid || t->is_kernel_thread || stat->state == 'Z' ||
	    stat->state == 'X')
		return 0;
	len = read_process_file(r, "/smaps_rollup");
	rc = len < 0 ? (int)len :
		       proc_parse_smaps(r->buffer, (size_t)len, &r->arena, &t->smaps_kib);
	if (rc < 0 && rc != -ENOMEM)
		note_failure(t, FILE_SMAPS_ROLLUP, rc);
	return rc == -ENOMEM ? rc : 0;
}

static bool is_ghost(const struct thread_record *t)
{
	return *t->comm == '\0' && (!t->start_ticks.is_known || t->start_ticks.value == 0);
}

static bool is_wanted(const struct thread_reader *r, const struct thread_record *t)
{
	const struct capture_opts *o = r->opts;

	return (matches_any(t->comm, o->comm_globs, o->comm_glob_count) ||
		matches_any(t->pcomm, o->comm_globs, o->comm_glob_count)) &&
	       matches_any(t->cgroup ? t->cgroup : "", o->cgroup_globs, o->cgroup_glob_count);
}

static bool has_name_filter(const struct thread_reader *r)
{
	return r->opts->comm_glob_count || r->opts->cgroup_glob_count;
}

static int read_files(struct thread_reader *r, int dirfd, struct thread_record *t,
		      struct proc_negatives *negatives)
{
	struct proc_stat stat = {};
	int rc = read_stat(r, dirfd, t, &stat);

	if (rc < 0)
		return rc;
	if (is_ghost(t))
		return THREAD_GONE;
	rc = set_pcomm(r, t) ?: read_cgroup(r, dirfd, t);
	if (rc < 0)
		return rc;
	if (!is_wanted(r, t))
		return THREAD_FILTERED;
	if (!thread_has(t, M_run_time_ns))
		read_schedstat(r, dirfd, t);
	read_sched(r, dirfd, t, negatives);
	read_io(r, dirfd, t);
	rc = read_affinity_and_status(r, dirfd, t) ?: read_smaps(r, t, &stat);
	return rc < 0 ? rc : THREAD_KEPT;
}

static void add_tallies(struct thread_reader *r, const struct thread_record *t,
			const struct proc_negatives *negatives)
{
	static const struct proc_negatives none;

	for (int id = 0; id < METRIC_COUNT && memcmp(negatives, &none, sizeof(none)) != 0; id++)
		r->negatives[id] += negatives->bits[id / 64] >> (id % 64) & 1;
	for (size_t i = 0; i < SNAPSHOT_FILES; i++)
		r->failures[i] += t->unread[i] != 0;
}

int thread_read(struct thread_reader *r, uint32_t tgid, uint32_t tid, struct thread_record *t)
{
	_close_ int dirfd = enter_process(r, tgid) ? open_number(r->task_fd, tid, "") : -1;
	struct proc_negatives negatives = {};
	int fate = THREAD_GONE;

	t->tgid = tgid;
	t->tid = tid;
	if (dirfd >= 0)
		fate = read_files(r, dirfd, t, &negatives);
	r->vanished += fate == THREAD_GONE;
	r->tids_walked += fate == THREAD_KEPT || (fate == THREAD_GONE && !has_name_filter(r));
	if (fate == THREAD_KEPT)
		add_tallies(r, t, &negatives);
	return fate;
}
