// SPDX-License-Identifier: GPL-2.0-only
/* Memory files of a VM. */
#include "vm/engine.h"
#include "vm/machine.h"
#include "vm/memory.h"

#include <linux/fs.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/sendfile.h>

#define HUGE_PAGE_BITS 21U
#define HUGE_PAGE (UINT64_C(1) << HUGE_PAGE_BITS)

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

/* The first mapping reserves the huge pages for the lifetime of the file. */
static int reserve_pages(int fd, uint64_t bytes)
{
	void *data;

	if (ftruncate(fd, (off_t)bytes) < 0)
		return -errno;
	data = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (data == MAP_FAILED)
		return -errno;
	munmap(data, bytes);
	return 0;
}

/*
 * Uses huge pages for all nodes or none: since they were counted another process may have taken
 * some.
 */
static bool create_huge(struct vm_storage *s, const struct vm_spec *spec)
{
	for (unsigned int i = 0; i < spec->topology.nodes; i++) {
		uint64_t bytes = vm_numa_memory_mib(spec, i) << 20;
		int fd = memfd_create("ktstr-ram",
				      MFD_CLOEXEC | MFD_HUGETLB | HUGE_PAGE_BITS << MAP_HUGE_SHIFT);
		int rc = fd < 0 ? -errno :
				  reserve_pages(fd, (bytes + HUGE_PAGE - 1) & ~(HUGE_PAGE - 1));

		s->ram_fds[i] = fd;
		if (rc == 0)
			continue;
		log_warn("vm",
			 "performance_mode: WARNING: no 2MB hugepages (%s), guest memory uses "
			 "ordinary pages",
			 strerror(-rc));
		for (unsigned int k = 0; k <= i; k++)
			cleanup_fd(&s->ram_fds[k]);
		return false;
	}
	return true;
}

int vm_storage_boot(struct vm_storage *s, struct vm_spec *spec)
{
	spec->has_hugepages = spec->has_hugepages && create_huge(s, spec);
	for (unsigned int i = 0; i < spec->topology.nodes; i++) {
		if (!spec->has_hugepages)
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

/* Holes of the memory file stay holes. */
static int copy_sparse(int from, int to, const char *path)
{
	off_t size = lseek(from, 0, SEEK_END), at = 0;

	/* Works on file systems that can share blocks until one copy is written. */
	if (ioctl(to, FICLONE, from) == 0)
		return 0;
	if (size < 0 || ftruncate(to, size) < 0)
		return err_sys(errno, "write %s", path);
	while ((at = lseek(from, at, SEEK_DATA)) >= 0) {
		off_t end = lseek(from, at, SEEK_HOLE);

		if (lseek(to, at, SEEK_SET) < 0)
			return err_sys(errno, "write %s", path);
		while (at < end) {
			ssize_t n = sendfile(to, from, &at, (size_t)(end - at));

			if (n <= 0)
				return err_sys(n < 0 ? errno : EIO, "write %s", path);
		}
	}
	return errno == ENXIO ? 0 : err_sys(errno, "read guest memory");
}

/* Returns the descriptor of the new file. */
static int copy_ram(int from, const char *dir, unsigned int node)
{
	_free_ char *path = str_fmt("%s/ram%u", dir, node);
	_close_ int to = path ? open(path, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0644) : -1;
	int rc;

	if (!path)
		return err_no_memory();
	rc = to < 0 ? err_sys(errno, "write %s", path) : copy_sparse(from, to, path);
	return rc < 0 ? rc : take_fd(&to);
}

int vm_storage_save(const struct vm_storage *s, const char *dir)
{
	for (unsigned int i = 0; i < VM_MAX_NODES && s->ram_fds[i] >= 0; i++) {
		_close_ int copy = copy_ram(s->ram_fds[i], dir, i);

		if (copy < 0)
			return copy;
	}
	return 0;
}

int vm_storage_continue(struct vm_storage *s, struct vm_spec *spec, const char *template_dir,
			const char *dir)
{
	int rc = vm_storage_restore(s, spec, template_dir);

	for (unsigned int i = 0; i < spec->topology.nodes && rc == 0; i++) {
		int copy = copy_ram(s->ram_fds[i], dir, i);

		if (copy < 0)
			return copy;
		close(s->ram_fds[i]);
		s->ram_fds[i] = copy;
		name_fd(s->ram_paths[i], copy);
	}
	spec->ram_is_private = false;
	return rc;
}

/* find_remote() searches QEMU's maps for this name. */
#define CHANNEL_NAME "ktstr-channel"

int vm_storage_keep_channel(const char *dir, uint64_t bytes)
{
	_free_ char *path = str_fmt("%s/" CHANNEL_NAME, dir);
	_close_ int fd = path ? open(path, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0644) : -1;

	if (!path)
		return err_no_memory();
	return fd < 0 || ftruncate(fd, (off_t)bytes) < 0 ? err_sys(errno, "write %s", path) : 0;
}

/* -1 = there is none, as in templates of earlier versions. */
static int open_kept(const struct vm_spec *spec, const char *dir, uint64_t bytes)
{
	_free_ char *path = dir && spec->has_rom_option ? str_fmt("%s/" CHANNEL_NAME, dir) : NULL;
	_close_ int fd = path ? open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW) : -1;
	struct stat st;

	if (fd < 0 || fstat(fd, &st) < 0 || !S_ISREG(st.st_mode) || (uint64_t)st.st_size != bytes)
		return -1;
	return take_fd(&fd);
}

static int make_channel(struct vm_storage *s, const struct vm_spec *spec,
			const struct channel_region *region)
{
	int rc;

	s->channel_fd = memfd_create(CHANNEL_NAME, MFD_CLOEXEC);
	if (s->channel_fd < 0)
		return err_sys(errno, "create the guest's channel");
	rc = channel_region_write(s->channel_fd, region);
	if (rc == 0 && ftruncate(s->channel_fd, (off_t)spec->channel_bytes) < 0)
		rc = err_sys(errno, "create the guest's channel");
	return rc;
}

int vm_storage_channel(struct vm_storage *s, struct vm_spec *spec,
		       const struct channel_region *region, uint64_t bytes, const char *saved_dir)
{
	uint64_t needed = channel_region_size(region);
	int rc = 0;

	if (bytes && bytes < needed)
		return err_set(EFBIG,
			       "the input of the run needs a channel of %" PRIu64
			       " bytes, not %" PRIu64,
			       needed, bytes);
	spec->channel_bytes = bytes ? bytes : needed;
	s->channel_fd = open_kept(spec, saved_dir, spec->channel_bytes);
	spec->channel_is_kept = s->channel_fd >= 0;
	if (!spec->channel_is_kept)
		rc = make_channel(s, spec, region);
	if (rc < 0)
		return rc;
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

/* Parses "START-END MODE OFFSET DEVICE INODE NAME"; returns whether it is this inode. */
static bool is_mapping_of(const char *line, ino_t inode, uint64_t *start)
{
	const char *field = line;

	*start = strtoull(line, NULL, 16);
	for (int i = 0; i < 4 && field; i++) {
		field = strchr(field, ' ');
		if (field)
			field += strspn(field, " ");
	}
	return field && strtoull(field, NULL, 10) == inode && strstr(field, CHANNEL_NAME);
}

/* Finds where QEMU has mapped the channel, by the file's inode in its maps. */
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

	if (spec->is_restored) {
		rc = find_remote(s, pid);
		/*
		 * Read-only in sim: a reproducible run must not depend on when we access the
		 * channel.
		 */
		*io = (struct channel_io){ .read = remote_read };
		if (spec->accel != VM_ACCEL_SIM)
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

/* The header marks the ring as empty, whatever it contains. */
int vm_storage_channel_renew(struct vm_storage *s, const struct channel_region *region, pid_t pid)
{
	struct channel_header header;
	int rc = channel_region_header(region, &header) ?: find_remote(s, pid);

	if (rc == 0)
		rc = vm_process_write(pid, s->remote_address, &header, sizeof(header));
	if (rc == 0 && region->input)
		rc = vm_process_write(pid, s->remote_address + header.input_offset, region->input,
				      region->input_len);
	return rc == -EIO ? err_set(EIO, "write the guest's channel") : rc;
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
