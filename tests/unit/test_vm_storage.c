// SPDX-License-Identifier: GPL-2.0-only
/* The memory files of a VM: made, copied with their holes, kept, and reached in another process. */
#include "unit.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/child.h"
#include "base/err.h"
#include "base/file.h"
#include "base/log.h"
#include "vm/engine.h"
#include "vm/memory.h"

#define RAM (8 << 20)
#define RING 65536

static char *root;
static struct vm vm;
static struct vm_storage *const storage = &vm.storage;
static struct vm_spec spec;

static int call_error; /* of process_vm_readv() and process_vm_writev(); 0 = none */
static const char *layout;
static unsigned int calls;

ssize_t __real_process_vm_readv(pid_t pid, const struct iovec *here, unsigned long here_count,
				const struct iovec *there, unsigned long there_count,
				unsigned long flags);
ssize_t __wrap_process_vm_readv(pid_t pid, const struct iovec *here, unsigned long here_count,
				const struct iovec *there, unsigned long there_count,
				unsigned long flags);
ssize_t __real_process_vm_writev(pid_t pid, const struct iovec *here, unsigned long here_count,
				 const struct iovec *there, unsigned long there_count,
				 unsigned long flags);
ssize_t __wrap_process_vm_writev(pid_t pid, const struct iovec *here, unsigned long here_count,
				 const struct iovec *there, unsigned long there_count,
				 unsigned long flags);
int __wrap_vm_ask(struct vm *v, const char *line, uint64_t limit_ns, struct str *out);
int __real_memfd_create(const char *name, unsigned int flags);
int __wrap_memfd_create(const char *name, unsigned int flags);

static unsigned int huge, huge_at_most; /* files of 2 MiB pages: made, and possible */

/* Huge pages of a host that has as many as the test wants: ordinary ones, and asked for as huge. */
int __wrap_memfd_create(const char *name, unsigned int flags)
{
	if (!(flags & MFD_HUGETLB))
		return __real_memfd_create(name, flags);
	assert_int_equal(flags, MFD_CLOEXEC | MFD_HUGETLB | 21U << MAP_HUGE_SHIFT);
	if (huge == huge_at_most) {
		errno = ENOMEM;
		return -1;
	}
	huge++;
	return __real_memfd_create(name, MFD_CLOEXEC);
}

ssize_t __wrap_process_vm_readv(pid_t pid, const struct iovec *here, unsigned long here_count,
				const struct iovec *there, unsigned long there_count,
				unsigned long flags)
{
	assert_int_equal(here_count, there_count);
	assert_true(here_count <= 256);
	assert_int_equal(flags, 0);
	calls++;
	errno = call_error;
	return call_error ? -1 :
			    __real_process_vm_readv(pid, here, here_count, there, there_count, 0);
}

ssize_t __wrap_process_vm_writev(pid_t pid, const struct iovec *here, unsigned long here_count,
				 const struct iovec *there, unsigned long there_count,
				 unsigned long flags)
{
	assert_int_equal(flags, 0);
	errno = call_error;
	return call_error ? -1 :
			    __real_process_vm_writev(pid, here, here_count, there, there_count, 0);
}

int __wrap_vm_ask(struct vm *v, const char *line, uint64_t limit_ns, struct str *out)
{
	assert_ptr_equal(v, &vm);
	assert_string_equal(line, "info mtree -f");
	assert_int_equal(limit_ns, 30 * NSEC_PER_SEC);
	if (!layout)
		return err_set(EPIPE, "QEMU is gone");
	str_add(out, layout);
	return 0;
}

static int setup(void **state)
{
	(void)state;
	root = unit_temp_create();
	vm = (struct vm){ .child.pid = getpid() };
	vm_storage_init(storage);
	spec = (struct vm_spec){ .topology = { 2, 2, 1, 1 },
				 .memory_mib = 16,
				 .has_rom_option = true,
				 .accel = VM_ACCEL_TCG };
	call_error = 0;
	layout = NULL;
	calls = huge = huge_at_most = 0;
	log_set_level(LOG_OFF);
	err_clear();
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	vm_storage_finish(storage);
	assert_int_equal(storage->channel_fd, -1);
	for (int i = 0; i < VM_MAX_NODES; i++)
		assert_int_equal(storage->ram_fds[i], -1);
	unit_temp_remove(root);
	return 0;
}

/* ---- memory ---- */

static void nodes_have_files_of_their_own(void **state)
{
	int fds[VM_MAX_NODES + 3] = { 7 };
	char path[64];

	(void)state;
	spec.ram_is_private = true;
	assert_int_equal(vm_storage_boot(storage, &spec), 0);
	assert_false(spec.ram_is_private);
	assert_true(storage->ram_fds[0] >= 0 && storage->ram_fds[1] >= 0);
	assert_true(storage->ram_fds[0] != storage->ram_fds[1]);
	assert_int_equal(storage->ram_fds[2], -1);
	snprintf(path, sizeof(path), "/proc/self/fd/%d", storage->ram_fds[1]);
	assert_string_equal(spec.ram_paths[1], path);
	assert_int_equal(fcntl(storage->ram_fds[0], F_GETFD), FD_CLOEXEC);
	storage->channel_fd = dup(storage->ram_fds[0]);
	/* Behind what is there already. */
	assert_int_equal(vm_storage_inherit(storage, fds, 1), 4);
	assert_int_equal(fds[0], 7);
	assert_int_equal(fds[1], storage->ram_fds[0]);
	assert_int_equal(fds[2], storage->ram_fds[1]);
	assert_int_equal(fds[3], storage->channel_fd);
}

static off_t size_of(int fd)
{
	struct stat st;

	assert_int_equal(fstat(fd, &st), 0);
	return st.st_size;
}

/* They are reserved, whole pages for each node. */
static void huge_pages_are_for_all_nodes_or_for_none(void **state)
{
	(void)state;
	spec.has_hugepages = true;
	spec.memory_mib = 6;
	huge_at_most = 2;
	assert_int_equal(vm_storage_boot(storage, &spec), 0);
	assert_true(spec.has_hugepages);
	assert_int_equal(huge, 2);
	assert_int_equal(size_of(storage->ram_fds[0]), 4 << 20);
	assert_int_equal(size_of(storage->ram_fds[1]), 4 << 20);
	vm_storage_finish(storage);
	spec.memory_mib = 8;
	huge = 0;
	assert_int_equal(vm_storage_boot(storage, &spec), 0);
	assert_int_equal(size_of(storage->ram_fds[1]), 4 << 20);
	vm_storage_finish(storage);
	/* One that has its pages gives them back. */
	huge = 0;
	huge_at_most = 1;
	assert_int_equal(vm_storage_boot(storage, &spec), 0);
	assert_false(spec.has_hugepages);
	assert_int_equal(huge, 1);
	assert_int_equal(size_of(storage->ram_fds[0]), 0);
	assert_int_equal(size_of(storage->ram_fds[1]), 0);
	vm_storage_finish(storage);
	/* More than anything can be is not reserved. */
	spec.has_hugepages = true;
	spec.memory_mib = UINT64_C(1) << 42;
	huge = 0;
	huge_at_most = 2;
	assert_int_equal(vm_storage_boot(storage, &spec), 0);
	assert_false(spec.has_hugepages);
}

/* Files have the number 0 in a program that was started without stdin. */
static void it_works_without_stdin(void **state)
{
	int real = dup(STDIN_FILENO);

	(void)state;
	for (int i = 0; i < 2; i++) {
		int fds[VM_MAX_NODES + 1] = {};

		spec.has_hugepages = i;
		huge_at_most = 2;
		close(STDIN_FILENO);
		assert_int_equal(vm_storage_boot(storage, &spec), 0);
		assert_int_equal(spec.has_hugepages, i);
		assert_int_equal(storage->ram_fds[0], STDIN_FILENO);
		assert_int_equal(vm_storage_inherit(storage, fds, 0), 3);
		assert_int_equal(ftruncate(STDIN_FILENO, 4096), 0);
		assert_int_equal(vm_storage_save(storage, root), 0);
		vm_storage_finish(storage);
		assert_int_equal(vm_storage_restore(storage, &spec, root), 0);
		assert_int_equal(storage->ram_fds[0], STDIN_FILENO);
		vm_storage_finish(storage);
		assert_int_equal(vm_storage_channel(storage, &spec,
						    &(struct channel_region){ .ring_bytes = RING },
						    0, NULL),
				 0);
		assert_int_equal(storage->channel_fd, STDIN_FILENO);
		vm_storage_finish(storage);
		assert_int_equal(vm_storage_keep_channel(root, RING), 0);
		assert_int_equal(vm_storage_channel(storage, &spec,
						    &(struct channel_region){ .ring_bytes = RING },
						    0, root),
				 0);
		assert_true(spec.channel_is_kept);
		vm_storage_finish(storage);
	}
	dup2(real, STDIN_FILENO);
	close(real);
}

static void put_at(int fd, const char *text, off_t at)
{
	assert_int_equal(pwrite(fd, text, strlen(text), at), strlen(text));
}

static void expect_at(int fd, const char *text, off_t at)
{
	char found[64] = {};

	assert_int_equal(pread(fd, found, strlen(text), at), strlen(text));
	assert_string_equal(found, text);
}

/* make_template: memory with a page at each end and one between, with holes. */
static char *make_template(void)
{
	char *dir = str_fmt("%s/template", root);

	assert_int_equal(mkdir(dir, 0700), 0);
	assert_int_equal(vm_storage_boot(storage, &spec), 0);
	for (int i = 0; i < 2; i++) {
		assert_int_equal(ftruncate(storage->ram_fds[i], RAM), 0);
		put_at(storage->ram_fds[i], i ? "second" : "first", 0);
		put_at(storage->ram_fds[i], "middle", RAM / 2);
		put_at(storage->ram_fds[i], "end", RAM - 3);
	}
	assert_int_equal(vm_storage_save(storage, dir), 0);
	vm_storage_finish(storage);
	memset(spec.ram_paths, 0, sizeof(spec.ram_paths));
	return dir;
}

static void memory_is_saved_with_its_holes(void **state)
{
	_free_ char *dir = make_template(), *path = str_fmt("%s/ram1", dir);
	_free_ char *none = str_fmt("%s/ram2", dir);
	_close_ int fd = open(path, O_RDONLY | O_CLOEXEC);
	struct stat st;

	(void)state;
	assert_int_equal(fstat(fd, &st), 0);
	assert_int_equal(st.st_size, RAM);
	assert_int_equal(st.st_mode & 0777 & ~0644, 0);
	assert_true(st.st_blocks * 512 < RAM / 2);
	expect_at(fd, "second", 0);
	expect_at(fd, "middle", RAM / 2);
	expect_at(fd, "end", RAM - 3);
	assert_int_equal(access(none, F_OK), -1);
	assert_int_equal(vm_storage_boot(storage, &spec), 0);
	assert_int_equal(vm_storage_save(storage, "/nonexistent"), -ENOENT);
}

/* A file of the other node, or memory that cannot be read, is no copy. */
static void memory_that_cannot_be_saved_is_an_error(void **state)
{
	(void)state;
	storage->ram_fds[0] = open(root, O_PATH | O_CLOEXEC);
	assert_int_equal(vm_storage_save(storage, root), -EBADF);
}

static void a_template_is_read_only(void **state)
{
	_free_ char *dir = make_template();

	(void)state;
	assert_int_equal(vm_storage_restore(storage, &spec, dir), 0);
	assert_true(spec.ram_is_private);
	for (int i = 0; i < 2; i++) {
		assert_int_equal(fcntl(storage->ram_fds[i], F_GETFL) & O_ACCMODE, O_RDONLY);
		assert_int_equal(fcntl(storage->ram_fds[i], F_GETFD), FD_CLOEXEC);
		assert_string_equal(spec.ram_paths[i], storage->ram_paths[i]);
		expect_at(storage->ram_fds[i], i ? "second" : "first", 0);
	}
	spec.topology.nodes = 3;
	vm_storage_finish(storage);
	assert_int_equal(vm_storage_restore(storage, &spec, dir), -ENOENT);
}

static void one_that_goes_on_writes_to_a_copy(void **state)
{
	_free_ char *dir = make_template(), *to = str_fmt("%s/to", root);
	_free_ char *old = str_fmt("%s/ram1", dir), *new = str_fmt("%s/ram1", to);
	_close_ int before = open(old, O_RDONLY | O_CLOEXEC), after = -1;
	char path[64];

	(void)state;
	assert_int_equal(vm_storage_continue(storage, &spec, dir, to), -ENOENT);
	vm_storage_finish(storage);
	assert_int_equal(mkdir(to, 0700), 0);
	assert_int_equal(vm_storage_continue(storage, &spec, dir, to), 0);
	assert_false(spec.ram_is_private);
	snprintf(path, sizeof(path), "/proc/self/fd/%d", storage->ram_fds[1]);
	assert_string_equal(spec.ram_paths[1], path);
	put_at(storage->ram_fds[1], "THIRD", 0);
	after = open(new, O_RDONLY | O_CLOEXEC);
	expect_at(after, "THIRDd", 0);
	expect_at(after, "end", RAM - 3);
	expect_at(before, "second", 0);
	assert_int_equal(vm_storage_continue(storage, &spec, root, to), -ENOENT);
}

/* ---- the channel ---- */

static const struct channel_region with_input = { .ring_bytes = RING,
						  .input = "an input",
						  .input_len = 8 };

static int open_channel(uint64_t bytes, const char *saved_dir)
{
	return vm_storage_channel(storage, &spec, &with_input, bytes, saved_dir);
}

static void a_channel_is_as_large_as_asked_for(void **state)
{
	uint64_t needed = channel_region_size(&with_input);
	struct channel_header header;
	struct stat st;

	(void)state;
	assert_int_equal(open_channel(0, NULL), 0);
	assert_int_equal(spec.channel_bytes, needed);
	assert_false(spec.channel_is_kept);
	assert_string_equal(spec.channel_path, storage->channel_path);
	assert_int_equal(pread(storage->channel_fd, &header, sizeof(header), 0), sizeof(header));
	assert_int_equal(header.magic, CHANNEL_MAGIC);
	expect_at(storage->channel_fd, "an input", (off_t)header.input_offset);
	vm_storage_finish(storage);
	assert_int_equal(open_channel(needed, NULL), 0);
	vm_storage_finish(storage);
	assert_int_equal(open_channel(4 * needed, NULL), 0);
	assert_int_equal(fstat(storage->channel_fd, &st), 0);
	assert_int_equal(st.st_size, 4 * needed);
	assert_int_equal(spec.channel_bytes, 4 * needed);
	vm_storage_finish(storage);
	assert_int_equal(open_channel(needed - 1, NULL), -EFBIG);
}

static void a_channel_of_a_template_is_used_where_it_fits(void **state)
{
	_free_ char *path = str_fmt("%s/ktstr-channel", root), *other = str_fmt("%s/x", root);
	uint64_t bytes = channel_region_size(&with_input);
	struct stat st;

	(void)state;
	assert_int_equal(open_channel(bytes, root), 0);
	assert_false(spec.channel_is_kept);
	vm_storage_finish(storage);
	assert_int_equal(vm_storage_keep_channel(root, bytes), 0);
	assert_int_equal(stat(path, &st), 0);
	assert_int_equal(st.st_size, bytes);
	assert_int_equal(st.st_mode & 0777 & ~0644, 0);
	assert_int_equal(st.st_blocks, 0);
	assert_int_equal(open_channel(bytes, root), 0);
	assert_true(spec.channel_is_kept);
	assert_int_equal(fcntl(storage->channel_fd, F_GETFL) & O_ACCMODE, O_RDONLY);
	assert_int_equal(fcntl(storage->channel_fd, F_GETFD), FD_CLOEXEC);
	vm_storage_finish(storage);
	/* Not by a QEMU that wants to write it, not of another size, not behind a link. */
	spec.has_rom_option = false;
	assert_int_equal(open_channel(bytes, root), 0);
	assert_false(spec.channel_is_kept);
	vm_storage_finish(storage);
	spec.has_rom_option = true;
	assert_int_equal(open_channel(2 * bytes, root), 0);
	assert_false(spec.channel_is_kept);
	vm_storage_finish(storage);
	assert_int_equal(rename(path, other), 0);
	assert_int_equal(symlink(other, path), 0);
	assert_int_equal(open_channel(bytes, root), 0);
	assert_false(spec.channel_is_kept);
	assert_int_equal(vm_storage_keep_channel("/nonexistent", bytes), -ENOENT);
}

static void a_booted_guests_channel_is_mapped(void **state)
{
	struct channel_io io;
	uint32_t magic = 0;

	(void)state;
	assert_int_equal(open_channel(0, NULL), 0);
	assert_int_equal(vm_storage_channel_io(storage, &spec, 0, &io), 0);
	assert_int_equal(storage->mapping.size, spec.channel_bytes);
	assert_int_equal(io.read(io.ctx, 0, &magic, sizeof(magic)), 0);
	assert_int_equal(magic, CHANNEL_MAGIC);
	magic = 7;
	assert_int_equal(io.write(io.ctx, 0, &magic, sizeof(magic)), 0);
	expect_at(storage->channel_fd, "\7", 0);
	vm_storage_finish(storage);
	spec.accel = VM_ACCEL_SIM;
	assert_int_equal(open_channel(0, NULL), 0);
	assert_int_equal(vm_storage_channel_io(storage, &spec, 0, &io), 0);
	assert_null(io.write);
	assert_non_null(io.read);
}

/* Ourselves in QEMU's place: the same calls, and nobody forbids them. */
static void a_restored_guests_channel_is_read_in_qemu(void **state)
{
	struct channel_io io;
	struct channel_header header = {};
	uint64_t zero = 0;
	char *mapping;

	(void)state;
	spec.is_restored = true;
	assert_int_equal(open_channel(0, NULL), 0);
	assert_int_equal(vm_storage_channel_io(storage, &spec, getpid(), &io), -ENXIO);
	assert_int_equal(vm_storage_channel_renew(storage, &with_input, getpid()), -ENXIO);
	mapping = mmap(NULL, spec.channel_bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE,
		       storage->channel_fd, 0);
	assert_true(mapping != MAP_FAILED);
	assert_int_equal(vm_storage_channel_io(storage, &spec, getpid(), &io), 0);
	assert_int_equal(storage->remote_address, (uintptr_t)mapping);
	assert_null(storage->mapping.data);
	assert_int_equal(io.read(&vm, 0, &header, sizeof(header)), 0);
	assert_int_equal(header.magic, CHANNEL_MAGIC);
	assert_int_equal(io.write(&vm, 16, "word", 4), 0);
	assert_memory_equal(mapping + 16, "word", 4);
	/* Written once more, with what is new. */
	memset(mapping, 0, spec.channel_bytes);
	assert_int_equal(vm_storage_channel_renew(storage, &with_input, getpid()), 0);
	assert_memory_equal(mapping, &header, sizeof(header));
	assert_memory_equal(mapping + header.input_offset, "an input", 8);
	memset(mapping, 0, spec.channel_bytes);
	assert_int_equal(vm_storage_channel_renew(
				 storage, &(struct channel_region){ .ring_bytes = RING }, getpid()),
			 0);
	assert_memory_equal(mapping + header.input_offset, &zero, 8);
	assert_int_equal(((struct channel_header *)mapping)->magic, CHANNEL_MAGIC);
	assert_int_equal(vm_storage_channel_renew(
				 storage, &(struct channel_region){ .ring_bytes = 7 }, getpid()),
			 -EINVAL);
	spec.accel = VM_ACCEL_SIM;
	assert_int_equal(vm_storage_channel_io(storage, &spec, getpid(), &io), 0);
	assert_null(io.write);
	assert_int_equal(vm_storage_channel_io(storage, &spec, 0x7ffffff0, &io), -ENOENT);
	munmap(mapping, spec.channel_bytes);
}

/* ---- a guest's memory in QEMU's ---- */

static const char two_nodes[] = "FlatView #1\n AS \"memory\", root: system\n"
				"  0000000000000000-0000000000000fff (prio 0, ram): ram0\n"
				"  0000000000001000-0000000000001fff (prio 0, ram): ram1\n";

static void a_guests_memory_is_found_by_its_files(void **state)
{
	struct vm_memory m;
	char *maps[2], out[16] = {};

	(void)state;
	layout = two_nodes;
	assert_int_equal(vm_storage_boot(storage, &spec), 0);
	for (int i = 0; i < 2; i++) {
		assert_int_equal(ftruncate(storage->ram_fds[i], 4096), 0);
		maps[i] = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, storage->ram_fds[i],
			       0);
		assert_true(maps[i] != MAP_FAILED);
	}
	strcpy(maps[0] + 8, "zero");
	strcpy(maps[1] + 8, "one");
	assert_int_equal(vm_memory_open(&m, &vm), 0);
	assert_int_equal(m.pid, getpid());
	assert_int_equal(m.count, 2);
	assert_int_equal(m.extents[1].host, (uintptr_t)maps[1]);
	assert_int_equal(vm_memory_read(&m, 0x1008, out, 4), 0);
	assert_string_equal(out, "one");
	assert_int_equal(vm_memory_write(&m, 0x8, "nine", 4), 0);
	assert_string_equal(maps[0] + 8, "nine");
	assert_int_equal(vm_memory_write(&m, 0x1ffe, "nine", 4), -EFAULT);
	layout = NULL;
	assert_int_equal(vm_memory_open(&m, &vm), -EPIPE);
	layout = two_nodes;
	vm.child.pid = 0x7ffffff0;
	assert_int_equal(vm_memory_open(&m, &vm), -ENOENT);
	vm.child.pid = getpid();
	strcpy(storage->ram_paths[1], "/nonexistent");
	assert_int_equal(vm_memory_open(&m, &vm), -ENOENT);
	munmap(maps[0], 4096);
	munmap(maps[1], 4096);
}

#define MANY 600

static void many_reads_are_few_calls(void **state)
{
	static uint32_t data[MANY], out[MANY];
	struct vm_memory m = { .pid = getpid(),
			       .extents = { { 0x1000, sizeof(data), (uintptr_t)data },
					    { 0x100000, 64, 4096 } },
			       .count = 2 };
	struct vm_read reads[MANY];

	(void)state;
	for (uint32_t i = 0; i < MANY; i++) {
		data[i] = i + 1;
		reads[i] = (struct vm_read){ 0x1000 + 4 * (uint64_t)i, &out[i], 4 };
	}
	assert_int_equal(vm_memory_read_all(&m, reads, MANY), 0);
	assert_memory_equal(out, data, sizeof(data));
	assert_int_equal(calls, 3);
	assert_int_equal(vm_memory_read_all(&m, reads, 0), 0);
	assert_int_equal(calls, 3);
	/* The last word, and one byte more; what is in no extent; what QEMU has not. */
	reads[0] = (struct vm_read){ 0x1000 + sizeof(data) - 4, &out[0], 4 };
	assert_int_equal(vm_memory_read_all(&m, reads, 1), 0);
	assert_int_equal(out[0], MANY);
	reads[0].len = 5;
	assert_int_equal(vm_memory_read_all(&m, reads, 1), -EFAULT);
	reads[0] = (struct vm_read){ 0xfff, &out[0], 4 };
	assert_int_equal(vm_memory_read_all(&m, reads, 1), -EFAULT);
	reads[0] = (struct vm_read){ 0x100000, &out[0], 4 };
	assert_int_equal(vm_memory_read_all(&m, reads, MANY), -EFAULT);
	assert_int_equal(calls, 5);
	m.pid = 0x7ffffff0;
	assert_int_equal(vm_memory_read_all(&m, reads + 1, 1), -ESRCH);
	assert_int_equal(vm_memory_read(&m, 0x1000, out, 4), -ESRCH);
}

/* Under kernels and emulators without these calls, through the file of the process. */
static void memory_is_reached_without_these_calls(void **state)
{
	char data[32] = "some words of ours", out[32] = {};
	struct vm_memory m = { .pid = getpid(),
			       .extents = { { 0, sizeof(data), (uintptr_t)data } },
			       .count = 1 };
	const struct vm_read reads[] = { { 5, out, 5 }, { 0, out + 8, 4 } };
	_close_ int own = open("/proc/self/mem", O_RDWR | O_CLOEXEC);
	int real = dup(STDIN_FILENO);

	(void)state;
	if (own < 0)
		skip();
	call_error = ENOSYS;
	assert_int_equal(vm_process_read(getpid(), (uintptr_t)data, out, 4), 0);
	assert_memory_equal(out, "some", 4);
	assert_int_equal(vm_memory_read_all(&m, reads, 2), 0);
	assert_memory_equal(out, "words", 5);
	assert_memory_equal(out + 8, "some", 4);
	assert_int_equal(vm_process_write(getpid(), (uintptr_t)data, "SOME", 4), 0);
	assert_string_equal(data, "SOME words of ours");
	assert_int_equal(vm_process_read(getpid(), 4096, out, 4), -EIO);
	/* The file may have the number 0. */
	close(STDIN_FILENO);
	assert_int_equal(vm_process_read(getpid(), (uintptr_t)data, out, 4), 0);
	dup2(real, STDIN_FILENO);
	close(real);
	assert_int_equal(vm_process_read(0x7ffffff0, (uintptr_t)data, out, 4), -ENOENT);
}

/* Who may not look, or has nobody to look at, learns so; all else is a bad address. */
static void errors_of_reads_are_three(void **state)
{
	char data[4], out[4];
	struct vm_memory m = { .pid = getpid(),
			       .extents = { { 0, sizeof(data), (uintptr_t)data } },
			       .count = 1 };
	const struct vm_read reads = { 0, out, 4 };

	(void)state;
	call_error = EPERM;
	assert_int_equal(vm_memory_read(&m, 0, out, 4), -EPERM);
	assert_int_equal(vm_memory_write(&m, 0, out, 4), -EPERM);
	assert_int_equal(vm_memory_read_all(&m, &reads, 1), -EPERM);
	call_error = EINVAL;
	assert_int_equal(vm_memory_read(&m, 0, out, 4), -EFAULT);
	assert_int_equal(vm_memory_read_all(&m, &reads, 1), -EFAULT);
	assert_int_equal(vm_process_read(getpid(), (uintptr_t)data, out, 4), -EINVAL);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(nodes_have_files_of_their_own),
		TEST(huge_pages_are_for_all_nodes_or_for_none),
		TEST(it_works_without_stdin),
		TEST(memory_is_saved_with_its_holes),
		TEST(memory_that_cannot_be_saved_is_an_error),
		TEST(a_template_is_read_only),
		TEST(one_that_goes_on_writes_to_a_copy),
		TEST(a_channel_is_as_large_as_asked_for),
		TEST(a_channel_of_a_template_is_used_where_it_fits),
		TEST(a_booted_guests_channel_is_mapped),
		TEST(a_restored_guests_channel_is_read_in_qemu),
		TEST(a_guests_memory_is_found_by_its_files),
		TEST(many_reads_are_few_calls),
		TEST(memory_is_reached_without_these_calls),
		TEST(errors_of_reads_are_three),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
