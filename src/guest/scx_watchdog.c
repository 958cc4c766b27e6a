// SPDX-License-Identifier: GPL-2.0-only
/* Traces a scheduler up to the system call that registers it. */
#include "guest/sched.h"

#include <linux/bpf.h>
#include <signal.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/wait.h>

#include "base/btf.h"

#define OPERATIONS "bpf_struct_ops_sched_ext_ops"
#define LIMIT_MS 30000 /* the kernel's maximum */
#define SYSCALL_STOP (SIGTRAP | 0x80)
#define OPTIONS                                                                                   \
	(PTRACE_O_TRACESYSGOOD | PTRACE_O_TRACECLONE | PTRACE_O_TRACEFORK | PTRACE_O_TRACEVFORK | \
	 PTRACE_O_TRACEEXEC)

/* The types that a struct_ops map of sched_ext may hold: there may be several kinds. */
static struct layout {
	uint32_t type, timeout_offset;
} layouts[4];
static size_t layout_count;

void scx_watchdog_learn(void)
{
	_str_ struct str bytes = {};
	_btf_ struct btf types = {};
	uint32_t id = 0;

	layout_count = 0;
	if (file_read_at(AT_FDCWD, BTF_OF_KERNEL, &bytes) < 0 ||
	    btf_open(&types, bytes.s, bytes.len) < 0)
		return;
	while (layout_count < ARRAY_SIZE(layouts) &&
	       (id = btf_next_struct(&types, id, OPERATIONS))) {
		struct btf_place place;

		if (btf_member_in(&types, id, "data.timeout_ms", &place) == 0)
			layouts[layout_count++] = (struct layout){ id, (uint32_t)place.offset };
	}
}

static const struct layout *find_layout(uint32_t type)
{
	for (size_t i = 0; i < layout_count; i++)
		if (layouts[i].type == type)
			return &layouts[i];
	return NULL;
}

static void set_problem(struct scx_watchdog *w, const char *what, int errnum)
{
	snprintf(w->facts->problem, sizeof(w->facts->problem), "%s%s%s", what, errnum ? ": " : "",
		 errnum ? strerror(errnum) : "");
}

static void remember(struct scx_watchdog *w, pid_t task)
{
	for (size_t i = 0; i < w->task_count; i++)
		if (w->tasks[i] == task)
			return;
	if (w->task_count < SCX_WATCHDOG_MAX_TASKS)
		w->tasks[w->task_count++] = task;
}

void scx_watchdog_forget(struct scx_watchdog *w, pid_t task)
{
	for (size_t i = 0; i < w->task_count; i++)
		if (w->tasks[i] == task)
			w->tasks[i] = w->tasks[--w->task_count];
}

/* The id of the next map, in the order of creation; 0 = none. */
static unsigned int next_map(unsigned int id)
{
	union bpf_attr attr = { .start_id = id };

	return syscall(SYS_bpf, BPF_MAP_GET_NEXT_ID, &attr, sizeof(attr)) == 0 ? attr.next_id : 0;
}

void scx_watchdog_begin(struct scx_watchdog *w, struct sched_watchdog *facts, pid_t pid,
			bool are_stops_dear)
{
	*w = (struct scx_watchdog){ .facts = facts,
				    .holds = w->holds,
				    .stops_at_calls = !are_stops_dear };
	if (!layout_count) {
		set_problem(w, "the kernel has no BTF of sched_ext's operations", 0);
		return;
	}
	if (ptrace(PTRACE_SEIZE, pid, NULL, OPTIONS) < 0) {
		set_problem(w, "the scheduler cannot be followed", errno);
		return;
	}
	for (unsigned int id = 0; (id = next_map(id));)
		w->last_map = id;
	w->is_tracing = true;
	remember(w, pid);
	set_problem(w, "the scheduler was not seen handing over its operations", 0);
}

void scx_watchdog_look(struct scx_watchdog *w)
{
	if (!w->is_tracing || w->stops_at_calls || !next_map(w->last_map))
		return;
	w->stops_at_calls = true;
	for (size_t i = 0; i < w->task_count; i++)
		ptrace(PTRACE_INTERRUPT, w->tasks[i], NULL, NULL);
}

/* Duplicates the scheduler's descriptor, to ask the kernel what it is. */
static int copy_descriptor(pid_t task, unsigned int fd)
{
	_close_ int pidfd = (int)syscall(SYS_pidfd_open, task, 0);

	/* A thread has no such pidfd, but the descriptors of its process are in /proc. */
	if (pidfd < 0) {
		_str_ struct str status = {};
		char path[64];
		const char *group;

		snprintf(path, sizeof(path), "/proc/%d/status", (int)task);
		file_read_at(AT_FDCWD, path, &status);
		group = strstr(str_get(&status), "\nTgid:\t");
		if (!group)
			return -1;
		task = (pid_t)strtol(group + strlen("\nTgid:\t"), NULL, 10);
		pidfd = (int)syscall(SYS_pidfd_open, task, 0);
	}
	return pidfd < 0 ? -1 : (int)syscall(SYS_pidfd_getfd, pidfd, fd, 0);
}

/* The kernel's type of a struct_ops map's value; 0 = another kind of map. */
static uint32_t value_type(pid_t task, unsigned int map_fd)
{
	struct bpf_map_info info = {};
	_close_ int fd = copy_descriptor(task, map_fd);
	union bpf_attr attr = { .info = { .bpf_fd = (unsigned int)fd,
					  .info_len = sizeof(info),
					  .info = (unsigned long)&info } };

	if (fd < 0 || syscall(SYS_bpf, BPF_OBJ_GET_INFO_BY_FD, &attr, sizeof(attr)) < 0)
		return 0;
	return info.type == BPF_MAP_TYPE_STRUCT_OPS ? info.btf_vmlinux_value_type_id : 0;
}

static bool copy_memory(pid_t task, uint64_t address, void *data, size_t len, bool is_write)
{
	struct iovec ours = { .iov_base = data, .iov_len = len };
	struct iovec theirs = { .iov_base = (void *)(uintptr_t)address, .iov_len = len };
	ssize_t n = is_write ? process_vm_writev(task, &ours, 1, &theirs, 1, 0) :
			       process_vm_readv(task, &ours, 1, &theirs, 1, 0);

	return n == (ssize_t)len;
}

static void write_limit(struct scx_watchdog *w, pid_t task, uint64_t value, uint32_t offset)
{
	uint32_t before, after = MIN(w->facts->seconds * 1000, LIMIT_MS);

	if (!copy_memory(task, value + offset, &before, sizeof(before), false) ||
	    !copy_memory(task, value + offset, &after, sizeof(after), true)) {
		set_problem(w, "the scheduler's operations cannot be written", errno);
		return;
	}
	w->facts->is_written = true;
	w->facts->previous_ms = before;
	w->facts->written_ms = after;
	w->facts->problem[0] = '\0';
	if (w->facts->seconds * 1000 > LIMIT_MS)
		set_problem(w, "the kernel allows 30 s at most", 0);
}

bool scx_watchdog_can_follow(void)
{
	return layout_count != 0;
}

void scx_watchdog_release(struct scx_watchdog *w)
{
	if (!w->held.task)
		return;
	if (w->facts->is_wanted)
		write_limit(w, w->held.task, w->held.operations, w->held.timeout_offset);
	ptrace(PTRACE_DETACH, w->held.task, NULL, 0);
	w->held.task = 0;
}

/* Operations are passed to the kernel by bpf(BPF_MAP_UPDATE_ELEM) on a struct_ops map. */
static bool hands_over(struct scx_watchdog *w, pid_t task)
{
	struct __ptrace_syscall_info info = {};
	union bpf_attr attr = {};
	const struct layout *layout;
	size_t len;

	if (ptrace(PTRACE_GET_SYSCALL_INFO, task, sizeof(info), &info) < 0 ||
	    info.op != PTRACE_SYSCALL_INFO_ENTRY || info.entry.nr != SYS_bpf ||
	    info.entry.args[0] != BPF_MAP_UPDATE_ELEM)
		return false;
	len = offsetof(union bpf_attr, flags);
	if (info.entry.args[2] < len || !copy_memory(task, info.entry.args[1], &attr, len, false))
		return false;
	layout = find_layout(value_type(task, attr.map_fd));
	if (!layout)
		return false;
	w->held.task = task;
	w->held.operations = attr.value;
	w->held.timeout_offset = layout->timeout_offset;
	return true;
}

/* A group stop lasts until the task is continued, so it must not be resumed here. */
static bool is_group_stop(int status)
{
	int signal = WSTOPSIG(status);

	return status >> 16 == PTRACE_EVENT_STOP &&
	       (signal == SIGSTOP || signal == SIGTSTP || signal == SIGTTIN || signal == SIGTTOU);
}

void scx_watchdog_take_stop(struct scx_watchdog *w, pid_t task, int status)
{
	int signal = WSTOPSIG(status), event = status >> 16;

	if (!w->is_tracing) {
		ptrace(PTRACE_DETACH, task, NULL, 0);
		return;
	}
	remember(w, task);
	if (signal == SYSCALL_STOP && hands_over(w, task)) {
		scx_watchdog_forget(w, task);
		scx_watchdog_end(w);
		if (!w->holds)
			scx_watchdog_release(w);
		return;
	}
	if (is_group_stop(status))
		ptrace(PTRACE_LISTEN, task, NULL, NULL);
	else
		ptrace(w->stops_at_calls ? PTRACE_SYSCALL : PTRACE_CONT, task, NULL,
		       (unsigned long)(event || signal == SYSCALL_STOP ? 0 : signal));
}

/* A task that has ended meanwhile is reaped elsewhere. */
static void let_go(pid_t task)
{
	siginfo_t info = {};
	int status;

	if (ptrace(PTRACE_INTERRUPT, task, NULL, NULL) < 0 ||
	    waitid(P_PID, (id_t)task, &info, WSTOPPED | WEXITED | WNOWAIT | __WALL) < 0 ||
	    (info.si_code != CLD_TRAPPED && info.si_code != CLD_STOPPED))
		return;
	if (waitpid(task, &status, __WALL) != task || !WIFSTOPPED(status))
		return;
	ptrace(PTRACE_DETACH, task, NULL,
	       (unsigned long)(status >> 16 || WSTOPSIG(status) == SYSCALL_STOP ?
				       0 :
				       WSTOPSIG(status)));
}

void scx_watchdog_end(struct scx_watchdog *w)
{
	if (!w->is_tracing)
		return;
	w->is_tracing = false;
	for (size_t i = 0; i < w->task_count; i++)
		let_go(w->tasks[i]);
	w->task_count = 0;
}
