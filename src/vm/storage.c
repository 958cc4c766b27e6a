// SPDX-License-Identifier: GPL-2.0-only
/* Memory files. */
#include "vm/engine.h"
#include "vm/memory.h"

#include <sys/mman.h>

void vm_storage_init(struct vm_storage *s)
{
	*s = (struct vm_storage){ .channel_fd = -1 };
	for (size_t i = 0; i < VM_MAX_NODES; i++)
		s->ram_fds[i] = -1;
}

static void name_fd(char out[64], int fd)
{
	snprintf(out, 64, "/proc/self/fd/%d", fd);
}

int vm_storage_boot(struct vm_storage *s, struct vm_spec *spec)
{
	for (unsigned int i = 0; i < spec->topology.nodes; i++) {
		s->ram_fds[i] = memfd_create("ktstr-ram", MFD_CLOEXEC);
		if (s->ram_fds[i] < 0)
			return err_sys(errno, "create guest memory");
		name_fd(s->ram_paths[i], s->ram_fds[i]);
		spec->ram_paths[i] = s->ram_paths[i];
	}
	spec->ram_is_private = false;
	return 0;
}

int vm_storage_restore(struct vm_storage *s, struct vm_spec *spec, const char *template_dir)
{
	for (unsigned int i = 0; i < spec->topology.nodes; i++) {
		_free_ char *path = str_fmt("%s/ram%u", template_dir, i);

		if (!path)
			return err_no_memory();
		s->ram_fds[i] = open(path, O_RDONLY | O_CLOEXEC);
		if (s->ram_fds[i] < 0)
			return err_sys(errno, "open template %s", path);
		name_fd(s->ram_paths[i], s->ram_fds[i]);
		spec->ram_paths[i] = s->ram_paths[i];
	}
	spec->ram_is_private = true;
	return 0;
}

int vm_storage_channel(struct vm_storage *s, struct vm_spec *spec,
		       const struct channel_region *region, uint64_t bytes)
{
	uint64_t needed = channel_region_size(region);
	int rc;

	if (bytes && bytes < needed)
		return err_set(EFBIG,
			       "the input of the run needs a channel of %" PRIu64
			       " bytes, not %" PRIu64,
			       needed, bytes);
	s->channel_fd = memfd_create("ktstr-channel", MFD_CLOEXEC);
	if (s->channel_fd < 0)
		return err_sys(errno, "create the guest's channel");
	rc = channel_region_write(s->channel_fd, region);
	if (rc < 0)
		return rc;
	spec->channel_bytes = bytes ? bytes : needed;
	if (ftruncate(s->channel_fd, (off_t)spec->channel_bytes) < 0)
		return err_sys(errno, "create the guest's channel");
	name_fd(s->channel_path, s->channel_fd);
	spec->channel_path = s->channel_path;
	return 0;
}

static int remote_read(void *ctx, uint64_t offset, void *data, size_t len)
{
	const struct vm *vm = ctx;

	return vm_process_read(vm->child.pid, vm->storage.remote_address + offset, data, len);
}

static int remote_write(void *ctx, uint64_t offset, const void *data, size_t len)
{
	const struct vm *vm = ctx;

	return vm_process_write(vm->child.pid, vm->storage.remote_address + offset, data, len);
}

/* "START-END MODE OFFSET DEVICE INODE NAME": whether it is this inode, and where. */
static bool is_mapping_of(const char *line, ino_t inode, uint64_t *start)
{
	const char *field = line;

	*start = strtoull(line, NULL, 16);
	for (int i = 0; i < 4 && field; i++) {
		field = strchr(field, ' ');
		if (field)
			field += strspn(field, " ");
	}
	return field && strtoull(field, NULL, 10) == inode && strstr(field, "memfd:ktstr-channel");
}

/* Where QEMU has mapped the channel, told by the file's inode in its maps. */
static int find_remote(struct vm_storage *s, pid_t pid)
{
	_str_ struct str maps = {};
	struct stat st;
	int rc = root_read(roots_live.proc, &maps, "%d/maps", (int)pid);
	char *save = NULL;

	if (rc < 0)
		return err_sys(-rc, "read the memory map of QEMU");
	if (fstat(s->channel_fd, &st) < 0)
		return err_sys(errno, "look at the guest's channel");
	for (char *line = strtok_r(maps.s, "\n", &save); line; line = strtok_r(NULL, "\n", &save))
		if (is_mapping_of(line, st.st_ino, &s->remote_address))
			return 0;
	return err_set(ENXIO, "QEMU has not mapped the guest's channel");
}

int vm_storage_channel_io(struct vm_storage *s, const struct vm_spec *spec, pid_t pid,
			  struct channel_io *io)
{
	void *data;
	int rc;

	if (spec->ram_is_private) {
		rc = find_remote(s, pid);
		/* A run that is to be repeated must not depend on when we look. */
		*io = (struct channel_io){ .read = remote_read };
		if (!vm_has_plugin(spec->arch, spec->accel))
			io->write = remote_write;
		return rc;
	}
	data = mmap(NULL, spec->channel_bytes, PROT_READ | PROT_WRITE, MAP_SHARED, s->channel_fd,
		    0);
	if (data == MAP_FAILED)
		return err_sys(errno, "map the guest's channel");
	s->mapping = (struct channel_mapping){ .data = data, .size = spec->channel_bytes };
	*io = channel_io_mapping(&s->mapping, spec->accel != VM_ACCEL_SIM);
	return 0;
}

size_t vm_storage_inherit(const struct vm_storage *s, int *fds, size_t count)
{
	for (size_t i = 0; i < VM_MAX_NODES; i++)
		if (s->ram_fds[i] >= 0)
			fds[count++] = s->ram_fds[i];
	fds[count++] = s->channel_fd;
	return count;
}

void vm_storage_finish(struct vm_storage *s)
{
	if (s->mapping.data)
		munmap(s->mapping.data, s->mapping.size);
	for (size_t i = 0; i < VM_MAX_NODES; i++)
		cleanup_fd(&s->ram_fds[i]);
	cleanup_fd(&s->channel_fd);
	vm_storage_init(s);
}
