// SPDX-License-Identifier: GPL-2.0-only
/* Environment that makes QEMU load build/ktstr-turns.so. */
#include "vm/turns.h"

#include "base/base.h"
#include "base/embed.h"

#define PRELOAD "LD_PRELOAD="

EMBED(ktstr_turns, KTSTR_BUILD "/ktstr-turns.so");

/* Keeps the user's LD_PRELOAD, after ours. */
static int add_setting(struct vm_turns *t)
{
	size_t count = 0, kept = 0;
	const char *theirs = getenv("LD_PRELOAD");

	if (asprintf(&t->setting, PRELOAD "/proc/self/fd/%d%s%s", t->fd, theirs ? ":" : "",
		     theirs ? theirs : "") < 0) {
		t->setting = NULL;
		return err_no_memory();
	}
	while (environ && environ[count])
		count++;
	t->envp = calloc(count + 2, sizeof(*t->envp));
	if (!t->envp)
		return err_no_memory();
	for (size_t i = 0; i < count; i++)
		if (!str_starts(environ[i], PRELOAD))
			t->envp[kept++] = environ[i];
	t->envp[kept] = t->setting;
	return 0;
}

int vm_turns_open(struct vm_turns *t)
{
	int rc;

	*t = (struct vm_turns)VM_TURNS_NONE;
	t->fd = memory_file("ktstr-turns.so", ktstr_turns_start, EMBEDDED_SIZE(ktstr_turns));
	rc = t->fd < 0 ? err_sys(-t->fd, "unpack what QEMU loads for sim runs") : add_setting(t);
	if (rc < 0)
		vm_turns_finish(t);
	return rc;
}

void vm_turns_finish(struct vm_turns *t)
{
	cleanup_fd(&t->fd);
	free(t->setting);
	free(t->envp);
	*t = (struct vm_turns)VM_TURNS_NONE;
}
