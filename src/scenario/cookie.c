// SPDX-License-Identifier: GPL-2.0-only
/*
 * Core scheduling cookies: only tasks with the same cookie run on a core's threads at the
 * same time.
 */
#include <linux/prctl.h>
#include <signal.h>
#include <sys/prctl.h>

#include "scenario/run.h"

int core_cookie_check(void)
{
	unsigned long cookie = 0;

	if (prctl(PR_SCHED_CORE, PR_SCHED_CORE_GET, 0, PR_SCHED_CORE_SCOPE_THREAD, &cookie) == 0)
		return 0;
	if (errno == ENODEV)
		return err_set(ENODEV, "core scheduling: this machine has no SMT");
	return err_set(errno, "core scheduling: this kernel was built without CONFIG_SCHED_CORE");
}

/* Only a task that has the cookie can pass it on, so a child process is created for that. */
static void share_and_exit(const pid_t *pids, size_t count)
{
	if (prctl(PR_SCHED_CORE, PR_SCHED_CORE_SHARE_FROM, pids[0], PR_SCHED_CORE_SCOPE_THREAD, 0))
		_exit(errno);
	for (size_t i = 1; i < count; i++)
		if (prctl(PR_SCHED_CORE, PR_SCHED_CORE_SHARE_TO, pids[i],
			  PR_SCHED_CORE_SCOPE_THREAD_GROUP, 0) &&
		    errno != ESRCH)
			_exit(errno);
	_exit(0);
}

int core_cookie_share(const pid_t *pids, size_t count)
{
	struct child child;
	int status;

	if (count == 0)
		return err_set(EINVAL, "core cookie: the cgroup has no tasks");
	if (prctl(PR_SCHED_CORE, PR_SCHED_CORE_CREATE, pids[0], PR_SCHED_CORE_SCOPE_THREAD_GROUP,
		  0))
		return err_sys(errno, "core cookie: create one for task %d", pids[0]);
	child.pid = child_fork(SIGKILL, "core cookie: fork");
	if (child.pid < 0)
		return child.pid;
	if (child.pid == 0)
		share_and_exit(pids, count);
	status = child_wait(&child, UINT64_MAX);
	if (status > 0)
		return err_set(EIO, "core cookie: it could not be shared by all tasks: %s",
			       status < 128 ? strerror(status) : "killed");
	return status;
}
