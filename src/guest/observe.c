// SPDX-License-Identifier: GPL-2.0-only
#include "guest/parts.h"

#include <sys/wait.h>

#include "guest/protocol.h"
#include "observe/observer.h"

/* Kept open until the guest ends. */
static struct observe_links links;

static void set_problem(const char *text)
{
	_close_ int fd =
		open(GUEST_OBSERVE_PROBLEM, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);

	if (fd < 0 || fd_write_all(fd, text, strlen(text)) < 0)
		report_log("write " GUEST_OBSERVE_PROBLEM ": %s", strerror(errno));
}

void observe_load(bool takes_turns)
{
	char *argv[] = { GUEST_OBSERVER, OBSERVE_DIR, takes_turns ? OBSERVE_TURNS : NULL, NULL };
	int status;
	pid_t pid;

	if (access(GUEST_OBSERVER, X_OK) < 0) {
		set_problem("this ktstr was built without a BPF compiler");
		return;
	}
	pid = run_loader(argv, GUEST_OBSERVE_PROBLEM);
	if (pid > 0 && waitpid(pid, &status, 0) == pid && status == 0)
		unlink(GUEST_OBSERVE_PROBLEM);
}

void observe_start(void)
{
	int rc;

	if (access(GUEST_OBSERVE_PROBLEM, F_OK) == 0)
		return;
	rc = observe_attach(&links, OBSERVE_DIR);
	if (rc < 0)
		set_problem(strerror(-rc));
}
