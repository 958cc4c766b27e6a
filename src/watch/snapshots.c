// SPDX-License-Identifier: GPL-2.0-only
/*
 * With the plugin QEMU is stopped as a process (SIGSTOP), not by its monitor: a vCPU that waits for
 * us in the middle of an instruction would keep the monitor from answering. Only the monitor also
 * stops the guest's clocks.
 */
#include "watch/parts.h"

#include <signal.h>
#include <sys/wait.h>

#define STOP_TRIES 1000
#define STOP_WAIT_US 1000
#define ASK_LIMIT_NS (5 * NSEC_PER_SEC)

void snapshots_begin(struct snapshots_plan *p, uint64_t now_ns)
{
	if (p->taken)
		return;
	p->has_begun = true;
	p->begin_ns = now_ns;
}

uint64_t snapshots_next(const struct snapshots_plan *p)
{
	uint64_t tenth = p->wish.duration_ns / 10;

	if (!p->has_begun || p->taken >= p->wish.periodic)
		return SNAPSHOTS_NEVER;
	return p->begin_ns + tenth + 8 * tenth * (p->taken + 1) / (p->wish.periodic + 1);
}

void snapshots_take(struct snapshots_plan *p, char name[SNAPSHOTS_NAME])
{
	snprintf(name, SNAPSHOTS_NAME, "periodic_%03u", p->taken++);
}

void snapshots_delay(struct snapshots_plan *p, uint64_t ns)
{
	p->begin_ns += ns;
}

static bool ask(struct vm *vm, const char *command)
{
	int rc = qmp_execute(&vm->qmp, command, NULL, ASK_LIMIT_NS, NULL);

	if (rc < 0)
		log_debug("watch", "%s", err_text(rc));
	err_clear();
	return rc == 0;
}

bool guest_freeze(struct vm *vm, bool by_monitor)
{
	siginfo_t info = {};

	if (by_monitor)
		return ask(vm, "stop");
	if (kill(vm->child.pid, SIGSTOP) < 0)
		return false;
	for (int i = 0; i < STOP_TRIES; i++) {
		if (waitid(P_PID, (id_t)vm->child.pid, &info,
			   WSTOPPED | WEXITED | WNOHANG | WNOWAIT) < 0)
			break;
		if (info.si_pid)
			return info.si_code == CLD_STOPPED;
		usleep(STOP_WAIT_US);
	}
	kill(vm->child.pid, SIGCONT);
	return false;
}

bool guest_thaw(struct vm *vm, bool by_monitor)
{
	if (by_monitor)
		return ask(vm, "cont");
	kill(vm->child.pid, SIGCONT);
	return false;
}
