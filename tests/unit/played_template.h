/* SPDX-License-Identifier: GPL-2.0-only */
/* Guests and locks for templates: how they end and answer, and what was asked of them. */
#ifndef KTSTR_PLAYED_TEMPLATE_H
#define KTSTR_PLAYED_TEMPLATE_H

#include "unit.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/err.h"
#include "base/file.h"
#include "base/log.h"
#include "base/paths.h"
#include "base/tree.h"
#include "guest/protocol.h"
#include "host/lock_holders.h"
#include "vm/engine.h"
#include "vm/stock.h"
#include "vm/template.h"

#define RING 65536
#define CHANNEL 131072
#define BOOT_LIMIT_NS (100 * NSEC_PER_SEC)
#define SAVE_LIMIT_NS (60 * NSEC_PER_SEC)

/* What the guest of a test does. */
static struct {
	int start_rc, poll_rc, save_rc, stop_rc, interrupt_rc;
	int second_start_rc;   /* of those that go on from a template */
	unsigned int failures; /* how many of them fail; 0 = all */
	enum vm_end end;       /* at the third look */
	const char *control, *console, *reason;
	bool is_late;	  /* its control line comes with its end */
	uint64_t look_ns; /* the time that a look takes */
	uint64_t starved_ns;
} guest;

static struct {
	unsigned int boots, continued, polls, stops, trims, died, finished, saves, notes, sleeps;
	char *template_dir, *ram_dir;
	struct channel_region channel;
	uint64_t channel_bytes;
	bool has_initrd, is_restored;
} seen;

/* How locks answer. */
static struct {
	unsigned int refusals; /* of the exclusive one */
	int exclusive_rc;      /* and how; 0 = it is held */
	const char *only;      /* those whose path has this; NULL = all */
	int shared_rc;
	int sleep_rc;
	const char *remove;	 /* what vanishes before a shared lock */
	const char *come, *from; /* a template that somebody else builds meanwhile */
	const char *replace;	 /* what is another one when it is locked exclusively */
	const char *vanish;	 /* what is gone then */
	uint64_t exclusive_ns, shared_ns;
} locks;

static char *root;
static uint64_t now_ns;
static struct vm_qemu qemu;
static struct vm_spec spec;
static struct initramfs_base base;
static struct str input;

int __wrap_vm_start(struct vm *vm, const struct vm_spec *s, int initrd_fd,
		    const struct vm_start *start);
int __wrap_vm_poll(struct vm *vm, uint64_t timeout_ns);
void __wrap_vm_finish(struct vm *vm);
int __wrap_vm_died(struct vm *vm);
int __wrap_vm_read_console(struct vm *vm, struct str *out);
int __wrap_vm_read_control(struct vm *vm, struct str *out);
int __wrap_migration_save(struct qmp *q, const struct vm_spec *s, const char *dir,
			  uint64_t timeout_ns);
int __wrap_qmp_execute(struct qmp *q, const char *command, const char *args, uint64_t timeout_ns,
		       struct str *reply);
int __wrap_initramfs_suffix_add(const struct initramfs_run *run, struct str *out);
int __wrap_initramfs_open(const struct initramfs_base *b, const struct str *suffix);
uint64_t __wrap_clock_mono_ns(void);
int __wrap_clock_sleep_ns(uint64_t ns);
uint64_t __wrap_vm_starved_ns(pid_t pid);
int __wrap_interrupt_check(void);
void __wrap_stock_trim(void);
bool __wrap_lock_holders_describe_others(const char *path, struct str *out);
int __real_lockfile_take(const char *path, bool exclusive, uint64_t timeout_ns);
int __wrap_lockfile_take(const char *path, bool exclusive, uint64_t timeout_ns);

/* Where stdin is closed the first file that is opened has its number. */
static enum { ZERO_NONE, ZERO_INITRD, ZERO_EXCLUSIVE, ZERO_SHARED } zero;

static int as_zero(int kind, int fd)
{
	if (kind != (int)zero || fd < 0)
		return fd;
	assert_int_equal(dup2(fd, STDIN_FILENO), STDIN_FILENO);
	close(fd);
	fcntl(STDIN_FILENO, F_SETFD, FD_CLOEXEC);
	return STDIN_FILENO;
}

static void write_memory(const char *dir)
{
	unit_write(dir, "ram0", "memory");
}

static int start_rc(const struct vm_start *start)
{
	if (!start->template_dir)
		return guest.start_rc;
	if (guest.failures && seen.continued > guest.failures)
		return 0;
	return guest.second_start_rc;
}

int __wrap_vm_start(struct vm *vm, const struct vm_spec *s, int initrd_fd,
		    const struct vm_start *start)
{
	int rc;

	*vm = (struct vm){ .spec = *s };
	vm_storage_init(&vm->storage);
	seen.channel = start->channel;
	seen.channel_bytes = start->channel_bytes;
	seen.polls = 0;
	if (start->template_dir) {
		seen.continued++;
		assert_int_equal(initrd_fd, -1);
		free(seen.template_dir);
		free(seen.ram_dir);
		seen.template_dir = strdup(start->template_dir);
		seen.ram_dir = strdup(start->ram_dir);
		vm->spec.is_restored = true;
		write_memory(start->ram_dir);
	} else {
		seen.boots++;
		seen.has_initrd = initrd_fd >= 0 && strncmp(s->initrd, "/proc/self/fd/", 14) == 0 &&
				  atoi(s->initrd + 14) == initrd_fd;
		vm->storage.ram_fds[0] = memfd_create("ram", MFD_CLOEXEC);
		assert_int_equal(write(vm->storage.ram_fds[0], "booted", 6), 6);
	}
	rc = start_rc(start);
	return rc < 0 ? err_set(-rc, "it does not start") : 0;
}

int __wrap_vm_poll(struct vm *vm, uint64_t timeout_ns)
{
	assert_int_equal(timeout_ns, 20 * NSEC_PER_MSEC);
	now_ns += guest.look_ns;
	if (++seen.polls < 3)
		return 0;
	vm->end = guest.end;
	snprintf(vm->shutdown_reason, sizeof(vm->shutdown_reason), "%s",
		 guest.reason ? guest.reason : "");
	return guest.poll_rc;
}

void __wrap_vm_finish(struct vm *vm)
{
	seen.finished++;
	vm_storage_finish(&vm->storage);
}

int __wrap_vm_died(struct vm *vm)
{
	(void)vm;
	seen.died++;
	return err_set(EIO, "QEMU died");
}

int __wrap_vm_read_console(struct vm *vm, struct str *out)
{
	(void)vm;
	str_add(out, guest.console ? guest.console : "");
	return 0;
}

int __wrap_vm_read_control(struct vm *vm, struct str *out)
{
	(void)vm;
	if (seen.polls == (guest.is_late ? 3 : 2) && guest.control)
		str_add(out, guest.control);
	return 0;
}

int __wrap_migration_save(struct qmp *q, const struct vm_spec *s, const char *dir,
			  uint64_t timeout_ns)
{
	_free_ char *path = str_fmt("%s/state", dir);

	(void)q;
	(void)s;
	assert_int_equal(timeout_ns, SAVE_LIMIT_NS);
	seen.saves++;
	assert_int_equal(file_replace(path, "devices", 7, 0600), 0);
	return guest.save_rc;
}

int __wrap_qmp_execute(struct qmp *q, const char *command, const char *args, uint64_t timeout_ns,
		       struct str *reply)
{
	(void)q;
	assert_string_equal(command, "stop");
	assert_null(args);
	assert_null(reply);
	assert_int_equal(timeout_ns, SAVE_LIMIT_NS);
	seen.stops++;
	return guest.stop_rc;
}

int __wrap_initramfs_suffix_add(const struct initramfs_run *run, struct str *out)
{
	(void)run;
	str_add(out, "suffix");
	return 0;
}

int __wrap_initramfs_open(const struct initramfs_base *b, const struct str *suffix)
{
	assert_ptr_equal(b, &base);
	assert_string_equal(str_get(suffix), "suffix");
	return as_zero(ZERO_INITRD, memfd_create("initrd", MFD_CLOEXEC));
}

uint64_t __wrap_clock_mono_ns(void)
{
	return now_ns;
}

int __wrap_clock_sleep_ns(uint64_t ns)
{
	assert_int_equal(ns, 200 * NSEC_PER_MSEC);
	seen.sleeps++;
	now_ns += ns;
	if (locks.come && seen.sleeps == 3)
		assert_int_equal(rename(locks.from, locks.come), 0);
	return locks.sleep_rc;
}

uint64_t __wrap_vm_starved_ns(pid_t pid)
{
	(void)pid;
	return guest.starved_ns;
}

int __wrap_interrupt_check(void)
{
	return guest.interrupt_rc;
}

void __wrap_stock_trim(void)
{
	seen.trims++;
}

bool __wrap_lock_holders_describe_others(const char *path, struct str *out)
{
	assert_non_null(strstr(path, ".lock"));
	str_add(out, "process 7");
	seen.notes++;
	return true;
}

static int take_exclusive(const char *path, uint64_t timeout_ns)
{
	locks.exclusive_ns = timeout_ns;
	if (locks.vanish)
		tree_remove(locks.vanish);
	if (locks.replace) {
		_free_ char *old = str_fmt("%s.old", locks.replace);

		assert_int_equal(rename(locks.replace, old), 0);
		assert_int_equal(mkdir(locks.replace, 0700), 0);
	}
	if (locks.only && !strstr(path, locks.only))
		return __real_lockfile_take(path, true, timeout_ns);
	if (locks.exclusive_rc)
		return err_set(-locks.exclusive_rc, "no lock");
	if (!locks.refusals)
		return as_zero(ZERO_EXCLUSIVE, __real_lockfile_take(path, true, timeout_ns));
	locks.refusals--;
	return err_set(EWOULDBLOCK, "it is held");
}

int __wrap_lockfile_take(const char *path, bool exclusive, uint64_t timeout_ns)
{
	if (exclusive)
		return take_exclusive(path, timeout_ns);
	locks.shared_ns = timeout_ns;
	if (locks.remove)
		tree_remove(locks.remove);
	if (locks.shared_rc)
		return err_set(-locks.shared_rc, "no lock");
	return as_zero(ZERO_SHARED, __real_lockfile_take(path, false, timeout_ns));
}

static int setup(void **state)
{
	static char kernel[PATH_MAX];
	_free_ char *cache = NULL;

	(void)state;
	root = unit_temp_create();
	cache = str_fmt("%s/cache", root);
	assert_int_equal(setenv("KTSTR_CACHE_DIR", cache, 1), 0);
	assert_int_equal(setenv("TMPDIR", root, 1), 0);
	log_set_level(LOG_OFF);
	memset(&guest, 0, sizeof(guest));
	memset(&seen, 0, sizeof(seen));
	memset(&locks, 0, sizeof(locks));
	zero = ZERO_NONE;
	guest.end = VM_PAUSED;
	guest.control = "some words\n" GUEST_LINE_READY "\n";
	guest.console = "Linux version 7.0\n";
	guest.look_ns = NSEC_PER_MSEC;
	now_ns = 1000 * NSEC_PER_SEC;
	unit_write(root, "7.0/vmlinux", "kernel");
	snprintf(kernel, sizeof(kernel), "%s/7.0/vmlinux", root);
	qemu = (struct vm_qemu){ .version_text = "QEMU 10" };
	base = (struct initramfs_base){ .key = "base" };
	spec = (struct vm_spec){ .qemu = "/usr/bin/qemu",
				 .arch = VM_ARCH_X86_64,
				 .accel = VM_ACCEL_TCG,
				 .kernel = kernel,
				 .topology = { 1, 2, 3, 4 },
				 .memory_mib = 64 };
	str_add(&input, "files");
	err_clear();
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	free(seen.template_dir);
	free(seen.ram_dir);
	str_finish(&input);
	unsetenv("KTSTR_CACHE_DIR");
	unsetenv("TMPDIR");
	unit_temp_remove(root);
	return 0;
}

static struct vm_template_request plain(void)
{
	return (struct vm_template_request){ .qemu = &qemu,
					     .spec = &spec,
					     .base = &base,
					     .channel_bytes = CHANNEL,
					     .ring_bytes = RING,
					     .boot_limit_ns = BOOT_LIMIT_NS };
}

static struct vm_template_request loaded(const struct vm_template_request *parent)
{
	struct vm_template_request r = plain();

	r.parent = parent;
	r.input = &input;
	r.scheduler = "scx_test";
	return r;
}

static char *get_key(const struct vm_template_request *r, bool was_built)
{
	struct vm_template t;
	char *key;

	assert_int_equal(vm_template_get(r, &t), 0);
	assert_int_equal(t.was_built, was_built);
	assert_true(t.lock_fd >= 0);
	key = strdup(t.key);
	vm_template_finish(&t);
	assert_true(!t.dir && !t.key && t.lock_fd == -1);
	return key;
}

static void build_it(const struct vm_template_request *r)
{
	_free_ char *key = get_key(r, true);

	assert_int_equal(strlen(key), 32);
}

static char *dir_of(const struct vm_template_request *r)
{
	struct vm_template t;
	char *dir;

	assert_int_equal(vm_template_get(r, &t), 0);
	dir = strdup(t.dir);
	vm_template_finish(&t);
	return dir;
}

static void expect_text(const char *dir, const char *name, const char *expected)
{
	_free_ char *path = str_fmt("%s/%s", dir, name);
	_str_ struct str text = {};

	assert_int_equal(file_read(path, &text), 0);
	assert_string_equal(str_get(&text), expected);
}

/* expect_failure: this message, and nothing is left behind. */
static void expect_failure(const struct vm_template_request *r, int rc, const char *text)
{
	_free_ char *templates = vm_template_root(), *pattern = NULL;
	struct vm_template t;

	assert_int_equal(vm_template_get(r, &t), rc);
	if (text)
		assert_string_equal(err_text(rc), text);
	assert_true(!t.dir && !t.key && t.lock_fd == -1);
	pattern = str_fmt("test -z \"$(ls '%s' | grep -v 'lock$')\"", templates);
	assert_int_equal(system(pattern), 0);
	assert_int_equal(seen.trims, 0);
}

#endif
