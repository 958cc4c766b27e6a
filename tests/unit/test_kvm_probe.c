// SPDX-License-Identifier: GPL-2.0-only
/* Hosts whose KVM works, is missing, forbidden, broken, busy or slow, played by scripts as QEMU. */
#include "unit.h"

#include <errno.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "base/log.h"
#include "base/str.h"
#include "vm/accel.h"

#define SHORT_NS (300 * NSEC_PER_MSEC)
#define LONG_NS (60 * NSEC_PER_SEC)

static char *root;
static char qemu_path[256];
static struct vm_qemu qemu = { .path = qemu_path };

static int setup(void **state)
{
	_free_ char *cache = NULL;

	(void)state;
	log_set_level(LOG_OFF);
	root = unit_temp_create();
	snprintf(qemu_path, sizeof(qemu_path), "%s/qemu", root);
	cache = str_fmt("%s/cache", root);
	setenv("KTSTR_CACHE_DIR", cache, 1);
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	unit_temp_remove(root);
	return 0;
}

/* Another inode each time: answers about the one before do not hold. */
static void make_qemu(const char *script)
{
	_free_ char *text = str_fmt("#!/bin/sh\necho asked >>%s/asked\n%s\n", root, script);

	unlink(qemu_path);
	unit_write(root, "asked", "");
	unit_write(root, "qemu", text);
	assert_int_equal(chmod(qemu_path, 0755), 0);
}

static off_t times_asked(void)
{
	_free_ char *path = str_fmt("%s/asked", root);
	struct stat st;

	assert_int_equal(stat(path, &st), 0);
	return st.st_size / (off_t)strlen("asked\n");
}

static void expect_twice(const char *script, uint64_t limit_ns, enum kvm_state state,
			 const char *says, off_t asked)
{
	make_qemu(script);
	for (int i = 0; i < 2; i++) {
		_str_ struct str why = {};

		assert_int_equal(vm_kvm_ask(&qemu, VM_ARCH_X86_64, limit_ns, &why), state);
		assert_string_equal(str_get(&why), says);
	}
	assert_int_equal(times_asked(), asked);
}

static void a_guest_that_ran_is_remembered(void **state)
{
	(void)state;
	expect_twice("exit 85", LONG_NS, KVM_WORKS, "", 1);
}

static void hard_errors_are_remembered(void **state)
{
	(void)state;
	expect_twice("echo 'KVM internal error. Suberror: 1' >&2; exec sleep 60", LONG_NS,
		     KVM_BROKEN,
		     "its test guest ended in an internal error; no hardware virtualisation?", 1);
	expect_twice("echo 'qemu-system-x86_64: failed to initialize kvm: No such device' >&2\n"
		     "exit 1",
		     LONG_NS, KVM_BROKEN,
		     "its test guest did not run: QEMU: failed to initialize kvm: No such device",
		     1);
	expect_twice("exit 3", LONG_NS, KVM_BROKEN,
		     "its test guest did not run: it ended with another status than it should", 1);
	expect_twice("kill -ABRT $$", LONG_NS, KVM_BROKEN,
		     "its test guest did not run: it ended with another status than it should", 1);
}

static void what_may_pass_is_asked_again(void **state)
{
	(void)state;
	expect_twice("exec sleep 60", SHORT_NS, KVM_SLOW, "its test guest did not end within 0 s",
		     2);
	expect_twice(
		"echo 'qemu: ioctl(KVM_CREATE_VM) failed: Device or resource busy' >&2; exit 1",
		LONG_NS, KVM_BUSY,
		"its test guest did not run: QEMU: ioctl(KVM_CREATE_VM) failed: Device or "
		"resource busy",
		2);
}

/* A host out of memory, processes or descriptors has another day: nobody loses KVM until a reboot. */
static void a_host_at_its_limits_is_asked_again(void **state)
{
	_free_ char *gone = str_fmt("%s/gone", root);
	struct vm_qemu absent = { .path = gone };
	_str_ struct str why = {};

	(void)state;
	expect_twice("kill -9 $$", LONG_NS, KVM_BUSY,
		     "its test guest did not run: QEMU was killed by signal 9", 2);
	expect_twice(
		"echo 'qemu: qemu_thread_create: Resource temporarily unavailable' >&2; exit 1",
		LONG_NS, KVM_BUSY,
		"its test guest did not run: QEMU: qemu_thread_create: Resource temporarily "
		"unavailable",
		2);
	expect_twice("echo 'qemu: pipe: Too many open files' >&2; exit 1", LONG_NS, KVM_BUSY,
		     "its test guest did not run: QEMU: pipe: Too many open files", 2);
	assert_int_equal(vm_kvm_ask(&absent, VM_ARCH_X86_64, LONG_NS, &why), KVM_BUSY);
	assert_string_equal(str_get(&why), "its test guest did not run: No such file or directory");
}

#define FIRMWARE_BYTES 65536

/* hex: what the firmware must hold at this place; the rest of it is zeros. */
static void expect_bytes(const struct str *firmware, size_t at, const char *hex, bool *is_known)
{
	for (size_t i = 0; hex[2 * i]; i++) {
		const char digits[] = { hex[2 * i], hex[2 * i + 1], '\0' };

		assert_int_equal((unsigned char)firmware->s[at + i], strtoul(digits, NULL, 16));
		is_known[at + i] = true;
	}
}

static void take_firmware(enum vm_arch arch, const char *status, struct str *firmware)
{
	_free_ char *script = str_fmt("while [ \"$1\" != -bios ]; do shift; done\n"
				      "cat \"$2\" >\"${0%%qemu}firmware\"; exit %s",
				      status);
	_free_ char *path = str_fmt("%s/firmware", root);
	_str_ struct str why = {};

	make_qemu(script);
	assert_int_equal(kvm_probe(qemu_path, arch, LONG_NS, &why), KVM_WORKS);
	assert_int_equal(file_read(path, firmware), 0);
	assert_int_equal(firmware->len, FIRMWARE_BYTES);
}

/*
 * As an assembler makes it: from the reset vector to 0xf000, lgdt, protected mode, a far jump, SSE
 * on, addps, and 42 to the port that ends QEMU; behind it three descriptors and their table.
 */
static void its_guest_is_these_instructions(void **state)
{
	static bool is_known[FIRMWARE_BYTES];
	_str_ struct str x86 = {}, arm = {};

	(void)state;
	take_firmware(VM_ARCH_X86_64, "85", &x86);
	expect_bytes(&x86, 0xfff0, "ea00f000f0", is_known);
	expect_bytes(&x86, 0xf000,
		     "fa2e660f011650f00f20c00c010f22c066ea18f00f000800"
		     "66b810008ed88ed00f20e00d000200000f22e00f58c0b02a66baf400eef46690"
		     "0000000000000000ffff0000009bcf00ffff00000093cf00"
		     "170038f00f00",
		     is_known);
	for (size_t i = 0; i < FIRMWARE_BYTES; i++)
		assert_true(is_known[i] || x86.s[i] == 0);
	take_firmware(VM_ARCH_AARCH64, "0", &arm);
	memset(is_known, 0, sizeof(is_known));
	expect_bytes(&arm, 0, "000180520080b072020000d4", is_known);
	for (size_t i = 0; i < FIRMWARE_BYTES; i++)
		assert_true(is_known[i] || arm.s[i] == 0);
}

/* Each architecture has its own sign that the guest ran. */
static void another_status_is_no_success(void **state)
{
	_str_ struct str why = {};

	(void)state;
	make_qemu("exit 0");
	assert_int_equal(kvm_probe(qemu_path, VM_ARCH_X86_64, LONG_NS, &why), KVM_BROKEN);
	make_qemu("exit 85");
	assert_int_equal(kvm_probe(qemu_path, VM_ARCH_AARCH64, LONG_NS, &why), KVM_BROKEN);
}

/* One that was slow once and works at the next look works from then on. */
static void a_slow_host_gets_kvm_when_it_is_less_busy(void **state)
{
	_str_ struct str why = {}, later = {};

	(void)state;
	make_qemu("[ $(wc -l <\"${0%qemu}asked\") -gt 1 ] || exec sleep 60; exit 85");
	assert_int_equal(vm_kvm_ask(&qemu, VM_ARCH_X86_64, SHORT_NS, &why), KVM_SLOW);
	assert_int_equal(vm_kvm_ask(&qemu, VM_ARCH_X86_64, LONG_NS, &later), KVM_WORKS);
	assert_int_equal(vm_kvm_ask(&qemu, VM_ARCH_X86_64, LONG_NS, &later), KVM_WORKS);
	assert_int_equal(times_asked(), 2);
}

static void devices_are_missing_or_forbidden(void **state)
{
	_free_ char *there = str_fmt("%s/device", root), *absent = str_fmt("%s/none", root);
	_str_ struct str none = {}, missing = {}, forbidden = {};
	enum kvm_state got;
	uid_t was;

	(void)state;
	unit_write(root, "device", "");
	assert_int_equal(kvm_look(there, &none), KVM_WORKS);
	assert_string_equal(str_get(&none), "");
	assert_int_equal(kvm_look(absent, &missing), KVM_MISSING);
	assert_non_null(strstr(str_get(&missing), "there is no /"));
	assert_int_equal(chmod(there, 0), 0);
	/* Root may open everything. */
	was = geteuid();
	assert_int_equal(seteuid(was ? was : 65534), 0);
	got = kvm_look(there, &forbidden);
	assert_int_equal(seteuid(was), 0);
	assert_int_equal(got, KVM_FORBIDDEN);
	assert_non_null(strstr(str_get(&forbidden), "no permission to open /"));
}

static void what_forbids_the_device_is_told(void **state)
{
	_str_ struct str mode = {}, rules = {}, none = {}, other = {};

	(void)state;
	assert_int_equal(kvm_explain_open("/d", EACCES, &mode), KVM_FORBIDDEN);
	assert_string_equal(str_get(&mode), "no permission to open /d");
	assert_int_equal(kvm_explain_open("/d", EPERM, &rules), KVM_FORBIDDEN);
	assert_string_equal(str_get(&rules),
			    "a container's or a cgroup's rules for devices forbid /d");
	assert_int_equal(kvm_explain_open("/d", ENODEV, &none), KVM_MISSING);
	assert_int_equal(kvm_explain_open("/d", EIO, &other), KVM_BROKEN);
	assert_string_equal(str_get(&other), "open /d: Input/output error");
}

/* 11.0 refuses a plugin that states 7, 11.1 one that states less. */
static void plugins_state_what_qemu_takes(void **state)
{
	static const struct {
		unsigned int major, minor, api;
	} cases[] = { { 7, 2, 0 },  { 9, 1, 0 },  { 9, 2, 4 },	{ 10, 0, 4 },
		      { 10, 2, 4 }, { 11, 0, 4 }, { 11, 1, 7 }, { 12, 0, 7 } };

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		const struct vm_qemu q = { .major = cases[i].major, .minor = cases[i].minor };

		assert_int_equal(vm_qemu_plugin_api(&q), cases[i].api);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_guest_that_ran_is_remembered),
		cmocka_unit_test(plugins_state_what_qemu_takes),
		cmocka_unit_test(hard_errors_are_remembered),
		cmocka_unit_test(what_may_pass_is_asked_again),
		cmocka_unit_test(a_host_at_its_limits_is_asked_again),
		cmocka_unit_test(its_guest_is_these_instructions),
		cmocka_unit_test(another_status_is_no_success),
		cmocka_unit_test(a_slow_host_gets_kvm_when_it_is_less_busy),
		cmocka_unit_test(what_forbids_the_device_is_told),
		cmocka_unit_test(devices_are_missing_or_forbidden),
	};

	return cmocka_run_group_tests(tests, setup, teardown);
}
