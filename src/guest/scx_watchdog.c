// SPDX-License-Identifier: GPL-2.0-only
/* Following a scheduler up to the system call that registers it. */
#include "guest/scx_watchdog.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/bpf.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/file.h"
#include "base/util.h"
#include "guest/btf_member.h"

#define KERNEL_BTF "/sys/kernel/btf/vmlinux"
#define LIMIT_MS 30000 /* the kernel takes no more */
#define SYSCALL_STOP (SIGTRAP | 0x80)
#define OPTIONS                                                                                   \
	(PTRACE_O_TRACESYSGOOD | PTRACE_O_TRACECLONE | PTRACE_O_TRACEFORK | PTRACE_O_TRACEVFORK | \
	 PTRACE_O_TRACEEXEC)

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

void scx_watchdog_begin(struct scx_watchdog *w, struct sched_watchdog *facts, pid_t pid)
{
	*w = (struct scx_watchdog){ .facts = facts };
	if (ptrace(PTRACE_SEIZE, pid, NULL, OPTIONS) < 0) {
		set_problem(w, "the scheduler cannot be followed", errno);
		return;
	}
	w->is_tracing = true;
	remember(w, pid);
	set_problem(w, "the scheduler was not seen handing over its operations", 0);
}

/* A copy of the scheduler's descriptor, to ask the kernel what it is. */
static int copy_descriptor(pid_t task, unsigned int fd)
{
	_close_ int pidfd = (int)syscall(SYS_pidfd_open, task, 0);

	/* A thread has no pidfd of that kind, but its process's descriptors are in /proc. */
	if (pidfd < 0) {
		_str_ struct str status = {};
		char path[64];
		const char *group;

		snprintf(path, sizeof(path), "/proc/%d/status", (int)task);
		file_read_at(AT_FDCWD, path, &status);
		group = strstr(str_get(&status), "\nTgid:\t");
		if (!group || sscanf(group, "\nTgid:\t%d", &task) != 1)
			return -1;
		pidfd = (int)syscall(SYS_pidfd_open, task, 0);
	}
	return pidfd < 0 ? -1 : (int)syscall(SYS_pidfd_getfd, pidfd, fd, 0);
}

/* The kernel's type of a struct_ops map's value; 0 = it is another kind of map. */
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

/* Of struct_ops values, those of sched_ext have this member in their data. */
static int find_timeout(uint32_t value_type_id, uint32_t *offset)
{
	_str_ struct str btf = {};
	uint32_t data, timeout, type;
	int rc = file_read_at(AT_FDCWD, KERNEL_BTF, &btf);

	if (rc == 0)
		rc = btf_find_member(btf.s, btf.len, value_type_id, "data", &data, &type);
	if (rc == 0)
		rc = btf_find_member(btf.s, btf.len, type, "timeout_ms", &timeout, &type);
	*offset = rc == 0 ? data + timeout : 0;
	return rc;
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

/* bpf(BPF_MAP_UPDATE_ELEM) of a struct_ops map is how operations reach the kernel. */
static bool hands_over(struct scx_watchdog *w, pid_t task)
{
	struct __ptrace_syscall_info info = {};
	union bpf_attr attr = {};
	uint32_t type, offset;
	size_t len;

	if (ptrace(PTRACE_GET_SYSCALL_INFO, task, sizeof(info), &info) < 0 ||
	    info.op != PTRACE_SYSCALL_INFO_ENTRY || info.entry.nr != SYS_bpf ||
	    info.entry.args[0] != BPF_MAP_UPDATE_ELEM)
		return false;
	len = offsetof(union bpf_attr, flags);
	if (info.entry.args[2] < len || !copy_memory(task, info.entry.args[1], &attr, len, false))
		return false;
	type = value_type(task, attr.map_fd);
	if (!type || find_timeout(type, &offset) < 0)
		return false;
	write_limit(w, task, attr.value, offset);
	return true;
}

/* A stop that nobody asked for waits until somebody lets it go on. */
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
		ptrace(PTRACE_DETACH, task, NULL, 0);
		scx_watchdog_end(w);
		return;
	}
	if (is_group_stop(status))
		ptrace(PTRACE_LISTEN, task, NULL, NULL);
	else
		ptrace(PTRACE_SYSCALL, task, NULL,
		       (unsigned long)(event || signal == SYSCALL_STOP ? 0 : signal));
}

/* A task that has ended instead stays for whoever waits for its status. */
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
