// SPDX-License-Identifier: GPL-2.0-only
/* Accesses a guest's memory through QEMU's address space. */
#include "vm/memory.h"

#include <sys/uio.h>

#include "vm/engine.h"

#define BATCH 256 /* reads per system call */
#define ASK_LIMIT_NS (30 * NSEC_PER_SEC)

static int find_files(const struct vm *vm, uint64_t hosts[VM_MAX_NODES])
{
	_str_ struct str maps = {};
	int rc = root_read(roots_live.proc, &maps, "%d/maps", (int)vm->child.pid);

	if (rc < 0)
		return err_sys(-rc, "read the memory map of QEMU");
	for (size_t i = 0; i < VM_MAX_NODES; i++) {
		char name[PATH_MAX] = "";
		struct stat st;

		hosts[i] = 0;
		if (vm->storage.ram_fds[i] < 0)
			continue;
		if (fstat(vm->storage.ram_fds[i], &st) < 0 ||
		    readlink(vm->storage.ram_paths[i], name, sizeof(name) - 1) < 0)
			return err_sys(errno, "look at the guest's memory");
		hosts[i] = vm_memory_mapped_at(str_get(&maps), name, st.st_ino);
	}
	return 0;
}

int vm_memory_open(struct vm_memory *m, struct vm *vm)
{
	uint64_t hosts[VM_MAX_NODES];
	_str_ struct str layout = {};
	int rc = vm_ask(vm, "info mtree -f", ASK_LIMIT_NS, &layout);

	*m = (struct vm_memory){ .pid = vm->child.pid };
	rc = rc ?: find_files(vm, hosts);
	return rc ?: vm_memory_parse(m, str_get(&layout), hosts);
}

/* The extent that contains the address; NULL = none. */
static const struct vm_extent *extent_of(const struct vm_memory *m, uint64_t address)
{
	for (size_t i = m->count; i-- > 0;)
		if (m->extents[i].guest <= address)
			return address - m->extents[i].guest < m->extents[i].bytes ?
				       &m->extents[i] :
				       NULL;
	return NULL;
}

/* Fallback for kernels and emulators without process_vm_readv(): one piece after the other. */
static ssize_t copy_by_file(pid_t pid, const struct iovec *here, const struct iovec *there,
			    size_t count, bool is_write)
{
	char path[64];
	_close_ int fd = -1;
	ssize_t done = 0;

	snprintf(path, sizeof(path), "/proc/%d/mem", (int)pid);
	fd = open(path, (is_write ? O_RDWR : O_RDONLY) | O_CLOEXEC);
	if (fd < 0)
		return -1;
	for (size_t i = 0; i < count; i++) {
		off_t at = (off_t)(uintptr_t)there[i].iov_base;
		ssize_t n = is_write ? pwrite(fd, here[i].iov_base, here[i].iov_len, at) :
				       pread(fd, here[i].iov_base, here[i].iov_len, at);

		if (n < 0)
			return -1;
		done += n;
	}
	return done;
}

static ssize_t copy_pieces(pid_t pid, const struct iovec *here, const struct iovec *there,
			   size_t count, bool is_write)
{
	ssize_t n = is_write ? process_vm_writev(pid, here, count, there, count, 0) :
			       process_vm_readv(pid, here, count, there, count, 0);

	return n < 0 && errno == ENOSYS ? copy_by_file(pid, here, there, count, is_write) : n;
}

static int copy_of_process(pid_t pid, uint64_t address, void *data, size_t len, bool is_write)
{
	struct iovec here = { data, len }, there = { (void *)(uintptr_t)address, len };
	ssize_t n = copy_pieces(pid, &here, &there, 1, is_write);

	if (n == (ssize_t)len)
		return 0;
	return n < 0 ? -errno : -EIO;
}

int vm_process_read(pid_t pid, uint64_t address, void *data, size_t len)
{
	return copy_of_process(pid, address, data, len, false);
}

int vm_process_write(pid_t pid, uint64_t address, const void *data, size_t len)
{
	return copy_of_process(pid, address, (void *)data, len, true);
}

/* Any other error means that the memory cannot be accessed. */
static int error_of(int rc)
{
	return rc == 0 || rc == -ESRCH || rc == -EPERM ? rc : -EFAULT;
}

static int copy(const struct vm_memory *m, uint64_t address, void *data, size_t len, bool is_write)
{
	char *at = data;

	while (len) {
		const struct vm_extent *e = extent_of(m, address);
		uint64_t into = e ? address - e->guest : 0;
		size_t part = e ? MIN(len, e->bytes - into) : 0;
		int rc = e ? copy_of_process(m->pid, e->host + into, at, part, is_write) : -EFAULT;

		if (rc < 0)
			return error_of(rc);
		at += part;
		address += part;
		len -= part;
	}
	return 0;
}

int vm_memory_read(const struct vm_memory *m, uint64_t address, void *data, size_t len)
{
	return copy(m, address, data, len, false);
}

int vm_memory_write(const struct vm_memory *m, uint64_t address, const void *data, size_t len)
{
	return copy(m, address, (void *)data, len, true);
}

static int read_batch(const struct vm_memory *m, const struct vm_read *reads, size_t count)
{
	struct iovec here[BATCH], there[BATCH];
	size_t bytes = 0;
	ssize_t done;

	for (size_t i = 0; i < count; i++) {
		const struct vm_extent *e = extent_of(m, reads[i].address);
		uint64_t into = e ? reads[i].address - e->guest : 0;

		if (!e || reads[i].len > e->bytes - into)
			return -EFAULT;
		here[i] = (struct iovec){ reads[i].data, reads[i].len };
		there[i] = (struct iovec){ (void *)(uintptr_t)(e->host + into), reads[i].len };
		bytes += reads[i].len;
	}
	done = copy_pieces(m->pid, here, there, count, false);
	return done == (ssize_t)bytes ? 0 : error_of(done < 0 ? -errno : -EIO);
}

int vm_memory_read_all(const struct vm_memory *m, const struct vm_read *reads, size_t count)
{
	int rc = 0;

	for (size_t done = 0; done < count && rc == 0; done += BATCH)
		rc = read_batch(m, reads + done, MIN(count - done, BATCH));
	return rc;
}
