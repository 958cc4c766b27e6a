// SPDX-License-Identifier: GPL-2.0-only
/* Notices for guests that are not sampled: shells, and tests under the kernel's own scheduler. */
#include "watch/parts.h"

/* An error is ignored: the guest runs without a notice. */
static void begin(void *ctx, struct vm *vm)
{
	struct announcement *a = ctx;
	int rc = vm_memory_open(&a->notice.memory, vm);

	cleanup_fd(&a->fd);
	a->fd = rc ?: notice_post(&a->notice);
	if (a->fd < 0)
		log_debug("watch", "%s", err_text(a->fd));
	err_clear();
}

static bool is_due(void *ctx _unused_)
{
	return false;
}

static int look(void *ctx _unused_)
{
	return 0;
}

static void end(void *ctx)
{
	struct announcement *a = ctx;

	cleanup_fd(&a->fd);
	a->fd = -1;
}

void announcement_open(struct announcement *a, struct vm_session *session, const char *name,
		       const char *vmlinux)
{
	*a = (struct announcement){ .fd = -1 };
	if (session->watcher)
		return;
	notice_name(&a->notice, session, name, vmlinux);
	a->vm = (struct vm_watcher){
		.fd = -1, .begin = begin, .is_due = is_due, .look = look, .end = end, .ctx = a
	};
	session->watcher = &a->vm;
}

void announcement_close(struct announcement *a)
{
	end(a);
}
