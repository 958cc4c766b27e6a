// SPDX-License-Identifier: GPL-2.0-only
#include "observe/observer.h"

#include "base/bpf_call.h"

#define PATH_SIZE 256

/*
 * In the order of attaching. The last one makes waits begin: until then nothing is counted
 * twice.
 */
static const char *const programs[OBSERVE_PROGRAMS] = {
	"observe_switch",
	"observe_migrate",
	"observe_wakeup_new",
	"observe_wakeup",
};

static int attach(const char *dir, const char *name)
{
	char path[PATH_SIZE];
	union bpf_attr attr = {};
	_close_ int program = -1;

	snprintf(path, sizeof(path), "%s/%s", dir, name);
	program = bpf_open_pinned(path);
	if (program < 0)
		return program;
	attr.raw_tracepoint.prog_fd = (unsigned int)program;
	return bpf_call(BPF_RAW_TRACEPOINT_OPEN, &attr);
}

int observe_attach(struct observe_links *links, const char *dir)
{
	for (int i = 0; i < OBSERVE_PROGRAMS; i++) {
		int fd = attach(dir, programs[i]);

		if (fd < 0) {
			observe_detach(links);
			return fd;
		}
		links->fds[i] = fd + 1;
	}
	return 0;
}

void observe_detach(struct observe_links *links)
{
	for (int i = 0; i < OBSERVE_PROGRAMS; i++)
		if (links->fds[i])
			close(links->fds[i] - 1);
	*links = (struct observe_links){};
}
