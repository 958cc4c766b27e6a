// SPDX-License-Identifier: GPL-2.0-only
#include "hostmode/execute.h"

#include <sys/mman.h>
#include <sys/mount.h>

#include "vm/initramfs.h"

#define LOAD_TIMEOUT_NS (60 * NSEC_PER_SEC)

static int mount_bpf(void)
{
	_close_ int fs = fsopen("bpf", FSOPEN_CLOEXEC);
	int fd;

	if (fs < 0 || fsconfig(fs, FSCONFIG_CMD_CREATE, NULL, NULL, 0) < 0)
		return err_sys(errno, "mount a bpf file system");
	fd = fsmount(fs, FSMOUNT_CLOEXEC, MOUNT_ATTR_NOSUID | MOUNT_ATTR_NODEV | MOUNT_ATTR_NOEXEC);
	return fd < 0 ? err_sys(errno, "mount a bpf file system") : fd;
}

int host_loader_open(int *fd)
{
	size_t len;
	const void *program = observer_program(&len);

	if (!len)
		return err_set(EOPNOTSUPP, "this ktstr was built without a BPF compiler");
	*fd = memory_file("ktstr-observe", program, len);
	return *fd < 0 ? err_sys(-*fd, "unpack the loader") : 0;
}

/* The loader's error messages are in a memory file. */
int host_loader_explain(int said)
{
	_free_ char *path = str_fmt("/proc/self/fd/%d", said);
	_str_ struct str text = {};

	if (!path || file_read(path, &text) < 0 || !text.len)
		return err_set(EIO, "the loader of BPF programs failed");
	text.s[strcspn(text.s, "\n")] = '\0';
	return err_set(EIO, "%s", text.s);
}

static int load(const char *dir, int mount)
{
	_close_ int program = -1, said = memfd_create("ktstr-observe-said", MFD_CLOEXEC);
	_cleanup_(child_finish) struct child child = {};
	_free_ char *path = NULL;
	int rc = host_loader_open(&program), inherited[] = { mount, program };

	if (rc < 0)
		return rc;
	path = str_fmt("/proc/self/fd/%d", program);
	if (!path || said < 0)
		return err_no_memory();
	rc = child_start(&child,
			 &(struct child_opts){ .argv = (const char *const[]){ path, dir, NULL },
					       .stderr_fd = said,
					       .inherit = inherited,
					       .inherit_count = ARRAY_SIZE(inherited) });
	rc = rc ?: child_wait(&child, LOAD_TIMEOUT_NS);
	return rc > 0 ? host_loader_explain(said) : rc;
}

static int start(struct host_observer *o)
{
	int mount = mount_bpf(), rc;

	if (mount < 0)
		return mount;
	o->mount = mount + 1;
	snprintf(o->dir, sizeof(o->dir), "/proc/self/fd/%d/ktstr", mount);
	rc = load(o->dir, mount);
	if (rc < 0)
		return rc;
	rc = observe_attach(&o->links, o->dir);
	return rc ? err_sys(-rc, "attach the observer") : 0;
}

void host_observer_start(struct host_observer *o)
{
	int rc = start(o);

	if (rc == 0)
		return;
	str_add(&o->problem, err_text(rc));
	o->dir[0] = '\0';
	log_note("ktstr: scheduling events are not recorded: %s", str_get(&o->problem));
}

void host_observer_finish(struct host_observer *o)
{
	observe_detach(&o->links);
	if (o->mount)
		close(o->mount - 1);
	str_finish(&o->problem);
	*o = (struct host_observer){};
}
