// SPDX-License-Identifier: GPL-2.0-only
/* Which QEMU is taken, what it says of itself, and which accelerator a VM gets; sizes and limits. */
#include "unit.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/child.h"
#include "base/err.h"
#include "base/file.h"
#include "base/log.h"
#include "base/str.h"
#include "vm/accel.h"
#include "vm/machine.h"
#include "vm/turns.h"

static char *root, *path;
static enum kvm_state kvm;
static unsigned int looked;

/* A program that prints a version, as QEMU does. */
static struct {
	const char *text;
	int rc, second_rc;
	unsigned int asked;
	uint64_t limits[2];
	unsigned int probed;
	int sandbox_status;
} program;

enum kvm_state __wrap_kvm_look(const char *device, struct str *why);
enum kvm_state __wrap_kvm_probe(const char *qemu, enum vm_arch arch, uint64_t limit_ns,
				struct str *why);
int __wrap_child_output(const char *const *argv, uint64_t timeout_ns, struct str *out);
int __wrap_child_start(struct child *c, const struct child_opts *opts);
int __wrap_child_wait(struct child *c, uint64_t timeout_ns);

enum kvm_state __wrap_kvm_look(const char *device, struct str *why)
{
	assert_string_equal(device, "/dev/kvm");
	looked++;
	if (kvm == KVM_MISSING)
		str_add(why, "there is none");
	return kvm == KVM_MISSING ? KVM_MISSING : KVM_WORKS;
}

enum kvm_state __wrap_kvm_probe(const char *qemu, enum vm_arch arch, uint64_t limit_ns,
				struct str *why)
{
	(void)arch;
	assert_string_equal(qemu, path);
	assert_int_equal(limit_ns, 20 * NSEC_PER_SEC);
	if (kvm != KVM_WORKS)
		str_add(why, "it is broken");
	return kvm;
}

int __wrap_child_output(const char *const *argv, uint64_t timeout_ns, struct str *out)
{
	assert_string_equal(argv[0], path);
	assert_string_equal(argv[1], "--version");
	assert_null(argv[2]);
	assert_true(program.asked < 2);
	program.limits[program.asked++] = timeout_ns;
	str_add(out, program.asked > 1 || !program.second_rc ? program.text : "half a ve");
	return program.asked == 1 ? program.rc : program.second_rc;
}

int __wrap_child_start(struct child *c, const struct child_opts *opts)
{
	assert_string_equal(opts->argv[0], path);
	assert_string_equal(opts->argv[1], "-sandbox");
	assert_string_equal(opts->argv[2], VM_SANDBOX);
	assert_string_equal(opts->argv[3], "-machine");
	assert_string_equal(opts->argv[4], "help");
	assert_true(opts->stdout_fd > 2 && opts->stderr_fd == opts->stdout_fd);
	c->pid = 0;
	program.probed++;
	return program.sandbox_status < 0 ? program.sandbox_status : 0;
}

int __wrap_child_wait(struct child *c, uint64_t timeout_ns)
{
	(void)c;
	assert_int_equal(timeout_ns, 90 * NSEC_PER_SEC);
	return program.sandbox_status;
}

static int setup(void **state)
{
	_free_ char *cache = NULL;

	(void)state;
	log_set_level(LOG_OFF);
	root = unit_temp_create();
	path = str_fmt("%s/qemu", root);
	cache = str_fmt("%s/cache", root);
	setenv("KTSTR_CACHE_DIR", cache, 1);
	setenv("KTSTR_QEMU", path, 1);
	unsetenv("KTSTR_ACCEL");
	memset(&program, 0, sizeof(program));
	program.text = "QEMU emulator version 9.2.1 (Debian)\nCopyright\n";
	kvm = KVM_WORKS;
	looked = 0;
	unit_write(root, "qemu", "#!/bin/sh\n");
	chmod(path, 0755);
	err_clear();
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	unsetenv("KTSTR_QEMU");
	unsetenv("KTSTR_CACHE_DIR");
	unit_temp_remove(root);
	free(path);
	return 0;
}

/* ---- QEMU ---- */

static void a_qemu_tells_its_version(void **state)
{
	struct vm_qemu q;

	(void)state;
	memset(&q, 1, sizeof(q));
	assert_int_equal(vm_qemu_find(VM_ARCH_X86_64, &q), 0);
	assert_string_equal(q.path, path);
	assert_int_equal(q.major, 9);
	assert_int_equal(q.minor, 2);
	assert_string_equal(q.version_text, "QEMU emulator version 9.2.1 (Debian)");
	assert_true(q.has_sandbox);
	assert_int_equal(program.asked, 1);
	assert_int_equal(program.limits[0], 10 * NSEC_PER_SEC);
	vm_qemu_finish(&q);
	assert_true(!q.path && !q.version_text && !q.major);
}

static int find_with(const char *text)
{
	struct vm_qemu q;
	int rc;

	program.text = text;
	program.asked = 0;
	memset(&q, 1, sizeof(q));
	rc = vm_qemu_find(VM_ARCH_X86_64, &q);
	if (rc < 0)
		assert_null(q.path);
	vm_qemu_finish(&q);
	return rc;
}

static void old_ones_and_other_programs_are_refused(void **state)
{
	(void)state;
	assert_int_equal(find_with("version 7.2"), 0);
	assert_int_equal(find_with("version 8.0"), 0);
	assert_int_equal(find_with("version 1000.1000"), 0);
	assert_int_equal(find_with("version 7.1.9"), -ENOTSUP);
	assert_non_null(strstr(err_text(-ENOTSUP), "is version 7.1; 7.2 or newer is needed"));
	assert_int_equal(find_with("version 6.9"), -ENOTSUP);
	assert_int_equal(find_with(""), -ENOEXEC);
	assert_int_equal(find_with("busybox 1.2"), -ENOEXEC);
	assert_int_equal(find_with("version x.2"), -ENOEXEC);
	assert_int_equal(find_with("version 9-2"), -ENOEXEC);
	assert_int_equal(find_with("version 9.x"), -ENOEXEC);
	assert_int_equal(find_with("version 1001.2"), -ENOEXEC);
	assert_int_equal(find_with("version 9.1001"), -ENOEXEC);
	program.rc = 3;
	assert_int_equal(find_with("version 9.2"), -ENOEXEC);
	assert_non_null(
		strstr(err_text(-ENOEXEC), "does not tell its version: it ended with status 3"));
	program.rc = -EACCES;
	assert_int_equal(find_with("version 9.2"), -EACCES);
	assert_int_equal(program.asked, 1);
}

/* From a cold disk it takes its time, once. */
static void a_slow_one_is_asked_twice(void **state)
{
	struct vm_qemu q;

	(void)state;
	program.rc = -ETIMEDOUT;
	assert_int_equal(vm_qemu_find(VM_ARCH_X86_64, &q), 0);
	assert_int_equal(program.asked, 2);
	assert_int_equal(program.limits[1], 90 * NSEC_PER_SEC);
	vm_qemu_finish(&q);
	program.asked = 0;
	program.second_rc = -ETIMEDOUT;
	assert_int_equal(vm_qemu_find(VM_ARCH_X86_64, &q), -ETIMEDOUT);
	assert_int_equal(program.asked, 2);
}

static void a_sandbox_is_tried(void **state)
{
	struct vm_qemu q;

	(void)state;
	program.sandbox_status = 1;
	assert_int_equal(vm_qemu_find(VM_ARCH_X86_64, &q), 0);
	assert_false(q.has_sandbox);
	vm_qemu_finish(&q);
	program.asked = 0;
	program.sandbox_status = -ENOENT;
	assert_int_equal(vm_qemu_find(VM_ARCH_X86_64, &q), 0);
	assert_false(q.has_sandbox);
	vm_qemu_finish(&q);
	assert_int_equal(program.probed, 2);
}

/* Of a script nothing is remembered: it may start another one tomorrow. */
static void a_program_is_asked_once(void **state)
{
	struct vm_qemu q;

	(void)state;
	for (int i = 0; i < 2; i++) {
		program.asked = 0;
		assert_int_equal(vm_qemu_find(VM_ARCH_X86_64, &q), 0);
		assert_int_equal(program.asked, 1);
		vm_qemu_finish(&q);
	}
	assert_int_equal(program.probed, 2);
	for (int status = 0; status < 2; status++) {
		program.sandbox_status = status;
		unlink(path);
		unit_write(root, "qemu", status ? "\177ELF2" : "\177ELF");
		program.asked = program.probed = 0;
		for (int i = 0; i < 2; i++) {
			assert_int_equal(vm_qemu_find(VM_ARCH_X86_64, &q), 0);
			assert_int_equal(program.asked, 1);
			assert_int_equal(program.probed, 1);
			assert_int_equal(q.has_sandbox, !status);
			assert_int_equal(q.minor, 2);
			assert_string_equal(q.version_text, "QEMU emulator version 9.2.1 (Debian)");
			vm_qemu_finish(&q);
		}
	}
	/* Three letters are no program. */
	unlink(path);
	unit_write(root, "qemu", "\177EL");
	for (int i = 0; i < 2; i++) {
		program.asked = 0;
		assert_int_equal(vm_qemu_find(VM_ARCH_X86_64, &q), 0);
		assert_int_equal(program.asked, 1);
		vm_qemu_finish(&q);
	}
}

static void without_a_wish_it_is_looked_for_by_name(void **state)
{
	_free_ char *places = strdup(getenv("PATH"));
	struct vm_qemu q;

	(void)state;
	unsetenv("KTSTR_QEMU");
	setenv("PATH", root, 1);
	assert_int_equal(vm_qemu_find(VM_ARCH_AARCH64, &q), -ENOENT);
	assert_non_null(strstr(err_text(-ENOENT), "qemu-system-aarch64 is not installed"));
	assert_int_equal(vm_qemu_find(VM_ARCH_X86_64, &q), -ENOENT);
	assert_non_null(strstr(err_text(-ENOENT), "qemu-system-x86_64 is not installed"));
	setenv("PATH", places, 1);
}

static void versions_are_compared_as_pairs(void **state)
{
	const struct vm_qemu q = { .major = 9, .minor = 2 };

	(void)state;
	assert_true(vm_qemu_is_from(&q, 9, 2) && vm_qemu_is_from(&q, 9, 1));
	assert_true(vm_qemu_is_from(&q, 8, 9));
	assert_false(vm_qemu_is_from(&q, 9, 3) || vm_qemu_is_from(&q, 10, 0));
}

/* ---- accelerators ---- */

static int choose(const char *wanted, enum vm_arch arch, enum vm_accel fallback, int expected,
		  const char *no_kvm)
{
	const struct vm_qemu q = { .path = path };
	_str_ struct str why = {};
	enum vm_accel accel = 77;
	int rc = vm_accel_choose(wanted, &q, arch, fallback, &accel, &why);

	if (expected >= 0)
		assert_int_equal(accel, expected);
	assert_string_equal(str_get(&why), no_kvm);
	return rc;
}

static void what_is_asked_for_is_had_or_an_error(void **state)
{
	enum vm_arch host = vm_arch_host();

	(void)state;
	assert_int_equal(choose("tcg", host, VM_ACCEL_SIM, VM_ACCEL_TCG, ""), 0);
	assert_int_equal(choose("sim", VM_ARCH_X86_64, VM_ACCEL_TCG, VM_ACCEL_SIM, ""), 0);
	assert_int_equal(choose("sim", VM_ARCH_AARCH64, VM_ACCEL_TCG, -1, ""), -ENOTSUP);
	assert_int_equal(choose("xen", host, VM_ACCEL_TCG, -1, ""), -EINVAL);
	assert_int_equal(looked, 0);
	assert_int_equal(choose("kvm", host, VM_ACCEL_TCG, VM_ACCEL_KVM, ""), 0);
	assert_int_equal(looked, 1);
	kvm = KVM_MISSING;
	assert_int_equal(choose("kvm", host, VM_ACCEL_TCG, -1, ""), -ENOTSUP);
	assert_string_equal(err_text(-ENOTSUP), "KVM does not work here: there is none");
	setenv("KTSTR_ACCEL", "kvm", 1);
	assert_int_equal(choose(NULL, host, VM_ACCEL_TCG, -1, ""), -ENOTSUP);
	setenv("KTSTR_ACCEL", "tcg", 1);
	assert_int_equal(choose(NULL, host, VM_ACCEL_SIM, VM_ACCEL_TCG, ""), 0);
	assert_int_equal(choose("sim", VM_ARCH_X86_64, VM_ACCEL_SIM, VM_ACCEL_SIM, ""), 0);
}

static void without_a_wish_kvm_is_taken_where_it_works(void **state)
{
	enum vm_arch host = vm_arch_host();
	enum vm_arch other = host == VM_ARCH_X86_64 ? VM_ARCH_AARCH64 : VM_ARCH_X86_64;
	bool is_x86 = host == VM_ARCH_X86_64;

	(void)state;
	assert_int_equal(choose(NULL, host, VM_ACCEL_SIM, VM_ACCEL_KVM, ""), 0);
	kvm = KVM_MISSING;
	assert_int_equal(choose(NULL, host, VM_ACCEL_SIM, is_x86 ? VM_ACCEL_SIM : VM_ACCEL_TCG,
				"there is none"),
			 0);
	assert_int_equal(choose(NULL, host, VM_ACCEL_TCG, VM_ACCEL_TCG, "there is none"), 0);
	kvm = KVM_WORKS;
	/* Other architectures have no sim, and KVM is for one's own. */
	assert_int_equal(choose(NULL, other, VM_ACCEL_SIM, is_x86 ? VM_ACCEL_TCG : VM_ACCEL_SIM,
				"the guest has another architecture"),
			 0);
}

/* The device alone does not say so. */
static void a_device_is_tried(void **state)
{
	const struct vm_qemu q = { .path = path };
	_str_ struct str why = {};

	(void)state;
	kvm = KVM_SLOW;
	assert_int_equal(vm_kvm_state(&q, VM_ARCH_X86_64, &why), KVM_SLOW);
	assert_string_equal(str_get(&why), "it is broken");
}

/* ---- sizes and limits ---- */

static void a_machine_has_memory_for_its_processors(void **state)
{
	struct vm_topology t = { 1, 1, 1, 1 };

	(void)state;
	assert_int_equal(vm_memory_default(0, &t), 512);
	assert_int_equal(vm_memory_default(512 - 16, &t), 512);
	assert_int_equal(vm_memory_default(512 - 15, &t), 640);
	t = (struct vm_topology){ 1, 2, 4, 2 };
	assert_int_equal(vm_memory_default(512, &t), 512 + 256);
	assert_int_equal(vm_memory_default(513, &t), 512 + 384);
	/* Each node has two steps. */
	t = (struct vm_topology){ 4, 4, 1, 1 };
	assert_int_equal(vm_memory_default(100, &t), 1024);
}

static void a_boot_has_its_time(void **state)
{
	const struct vm_topology t = { 1, 2, 4, 2 };

	(void)state;
	unsetenv("KTSTR_BOOT_TIMEOUT");
	assert_int_equal(vm_boot_limit_ns(&t), (120 + 16 * 5) * NSEC_PER_SEC);
	setenv("KTSTR_BOOT_TIMEOUT", "7s", 1);
	assert_int_equal(vm_boot_limit_ns(&t), 7 * NSEC_PER_SEC);
	setenv("KTSTR_BOOT_TIMEOUT", "200h", 1);
	assert_int_equal(vm_boot_limit_ns(&t), 7 * 24 * 3600 * NSEC_PER_SEC);
	setenv("KTSTR_BOOT_TIMEOUT", "0s", 1);
	assert_int_equal(vm_boot_limit_ns(&t), 200 * NSEC_PER_SEC);
	setenv("KTSTR_BOOT_TIMEOUT", "soon", 1);
	assert_int_equal(vm_boot_limit_ns(&t), 200 * NSEC_PER_SEC);
	unsetenv("KTSTR_BOOT_TIMEOUT");
	unsetenv("KTSTR_ATTACH_TIMEOUT");
	assert_int_equal(vm_attach_limit_s(), 0);
	setenv("KTSTR_ATTACH_TIMEOUT", "3s", 1);
	assert_int_equal(vm_attach_limit_s(), 3);
	setenv("KTSTR_ATTACH_TIMEOUT", "3001ms", 1);
	assert_int_equal(vm_attach_limit_s(), 4);
	unsetenv("KTSTR_ATTACH_TIMEOUT");
}

static unsigned int count_lines(const char *value)
{
	int real = dup(STDERR_FILENO), to = memfd_create("stderr", MFD_CLOEXEC);
	const struct vm_topology t = { 1, 1, 1, 1 };
	_str_ struct str text = {};
	unsigned int lines = 0;

	setenv("KTSTR_ATTACH_TIMEOUT", value, 1);
	dup2(to, STDERR_FILENO);
	for (int i = 0; i < 3; i++)
		vm_attach_limit_s();
	vm_boot_limit_ns(&t);
	dup2(real, STDERR_FILENO);
	close(real);
	lseek(to, 0, SEEK_SET);
	assert_int_equal(fd_read_all(to, &text), 0);
	close(to);
	for (const char *p = str_get(&text); (p = strstr(p, "KTSTR_ATTACH_TIMEOUT is 'soon'")); p++)
		lines++;
	unsetenv("KTSTR_ATTACH_TIMEOUT");
	return lines;
}

static void a_bad_limit_is_told_once(void **state)
{
	(void)state;
	log_set_level(LOG_INFO);
	assert_int_equal(count_lines("2s"), 0);
	assert_int_equal(count_lines("soon"), 1);
	assert_int_equal(count_lines("soon"), 0);
}

static void a_spec_follows_from_its_parts(void **state)
{
	struct kernel_image kernel = { .image = "/boot/image", .vmlinux = "/boot/vmlinux" };
	struct vm_qemu q = { .path = path, .major = 8, .minor = 2, .has_sandbox = true };
	const struct vm_topology t = { 1, 2, 3, 4 };
	struct vm_host_cpu cpu;
	struct vm_spec spec;

	(void)state;
	vm_fill_spec(&spec, &q, VM_ACCEL_SIM, &kernel, &t);
	assert_string_equal(spec.qemu, path);
	assert_true(spec.has_rom_option && spec.has_file_migration && spec.has_sandbox);
	assert_false(spec.has_smp_cache);
	assert_int_equal(spec.plugin_api, 0);
	assert_string_equal(spec.kernel, "/boot/image");
	assert_int_equal(spec.topology.cores, 3);
	assert_int_equal(spec.sim.shift, 1);
	assert_int_equal(spec.sim.slice_us, VM_SIM_SLICE_UNSET);
	kernel.vmlinux_is_bootable = true;
	q.minor = 1;
	vm_fill_spec(&spec, &q, VM_ACCEL_TCG, &kernel, &t);
	assert_false(spec.has_rom_option || spec.has_file_migration);
	assert_string_equal(spec.kernel,
			    vm_arch_host() == VM_ARCH_X86_64 ? "/boot/vmlinux" : "/boot/image");
	kernel.vmlinux = NULL;
	q.major = 10;
	q.minor = 0;
	vm_fill_spec(&spec, &q, VM_ACCEL_TCG, &kernel, &t);
	assert_true(spec.has_smp_cache);
	assert_int_equal(spec.plugin_api, 4);
	assert_string_equal(spec.kernel, "/boot/image");
	/* Only under KVM the guest has the CPU of this machine. */
	vm_host_cpu_read(&roots_live, &cpu);
	assert_string_equal(spec.host_cpu.vendor, "");
	vm_fill_spec(&spec, &q, VM_ACCEL_KVM, &kernel, &t);
	assert_string_equal(spec.host_cpu.vendor, cpu.vendor);
	assert_int_equal(spec.host_cpu.model, cpu.model);
}

static void the_least_memory_holds_kernel_and_files(void **state)
{
	struct kernel_image kernel = { .image = path };
	const struct initramfs_base base = { .unpacked_bytes = 1 << 30, .packed_bytes = 1 << 29 };
	const struct initramfs_run run = {};
	uint64_t floor_mib = 0, suffix = 0;
	struct stat st;

	(void)state;
	assert_int_equal(stat(path, &st), 0);
	assert_int_equal(initramfs_suffix_measure(&run, &suffix), 0);
	assert_true(suffix > 0);
	assert_int_equal(vm_memory_floor(&kernel, &base, &run, &floor_mib), 0);
	assert_int_equal(floor_mib, initramfs_memory_floor_mib(&(struct initramfs_memory){
					    .unpacked_bytes = base.unpacked_bytes + suffix,
					    .packed_bytes = base.packed_bytes + suffix,
					    .kernel_bytes = (uint64_t)st.st_size }));
	kernel.vmlinux = "/nonexistent";
	assert_int_equal(vm_memory_floor(&kernel, &base, &run, &floor_mib), -ENOENT);
}

/* ---- sim ---- */

static void options_of_sim_have_limits(void **state)
{
	(void)state;
	assert_int_equal(vm_sim_check(4, 0), 0);
	assert_int_equal(vm_sim_check(5, 0), -EINVAL);
	assert_int_equal(vm_sim_check(0, 10), 0);
	assert_int_equal(vm_sim_check(0, 9), -EINVAL);
	assert_int_equal(vm_sim_check(0, 50000), 0);
	assert_int_equal(vm_sim_check(0, 50001), -EINVAL);
	assert_int_equal(vm_sim_check(0, VM_SIM_SLICE_UNSET), 0);
}

static void settings_of_sim_are_lines(void **state)
{
	struct vm_sim sim = { .seed = 7, .slice_us = VM_SIM_SLICE_UNSET };
	_str_ struct str few = {}, all = {};

	(void)state;
	vm_sim_settings(&sim, &few);
	assert_non_null(strstr(str_get(&few), "=7\n"));
	assert_ptr_equal(strchr(str_get(&few), '\n'), str_get(&few) + few.len - 1);
	sim = (struct vm_sim){ .seed = 7,
			       .slice_us = 0,
			       .has_jitter = true,
			       .delays = 11,
			       .wake_delay_us = 12,
			       .strategy = "pct",
			       .depth = 13,
			       .events = 14 };
	vm_sim_settings(&sim, &all);
	for (const char *const *value = (const char *const[]){ "=0\n", "=1\n", "=11\n", "=12\n",
							       "=pct\n", "=13\n", "=14\n", NULL };
	     *value; value++)
		assert_non_null(strstr(str_get(&all), *value));
}

static void variables_make_a_guest_talk(void **state)
{
	(void)state;
	unsetenv("RUST_BACKTRACE");
	unsetenv("KTSTR_VERBOSE");
	assert_false(vm_env_is_verbose(VM_ACCEL_TCG));
	setenv("KTSTR_VERBOSE", "0", 1);
	assert_false(vm_env_is_verbose(VM_ACCEL_TCG));
	setenv("KTSTR_VERBOSE", "1", 1);
	assert_true(vm_env_is_verbose(VM_ACCEL_SIM));
	unsetenv("KTSTR_VERBOSE");
	setenv("RUST_BACKTRACE", "0", 1);
	assert_false(vm_env_is_verbose(VM_ACCEL_TCG));
	setenv("RUST_BACKTRACE", "1", 1);
	assert_true(vm_env_is_verbose(VM_ACCEL_TCG));
	assert_false(vm_env_is_verbose(VM_ACCEL_SIM));
	setenv("RUST_BACKTRACE", "full", 1);
	assert_true(vm_env_is_verbose(VM_ACCEL_KVM));
	unsetenv("RUST_BACKTRACE");
}

/* What the user has QEMU load stays, behind ours, and so does the rest of the environment. */
static void qemu_loads_what_the_user_wants_too(void **state)
{
	struct vm_turns turns;
	char expected[64];
	size_t count = 0, ours = 0;

	(void)state;
	setenv("LD_PRELOAD", "theirs.so", 1);
	assert_int_equal(vm_turns_open(&turns), 0);
	while (environ[ours])
		ours++;
	snprintf(expected, sizeof(expected), "LD_PRELOAD=/proc/self/fd/%d:theirs.so", turns.fd);
	while (turns.envp[count])
		count++;
	assert_int_equal(count, ours);
	assert_string_equal(turns.envp[count - 1], expected);
	for (size_t i = 0; i + 1 < count; i++)
		assert_int_not_equal(strncmp(turns.envp[i], "LD_PRELOAD=", 11), 0);
	vm_turns_finish(&turns);
	assert_true(turns.fd == -1 && !turns.envp && !turns.setting);
	unsetenv("LD_PRELOAD");
	assert_int_equal(vm_turns_open(&turns), 0);
	snprintf(expected, sizeof(expected), "LD_PRELOAD=/proc/self/fd/%d", turns.fd);
	assert_string_equal(turns.envp[ours - 1], expected);
	assert_null(turns.envp[ours]);
	vm_turns_finish(&turns);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(a_qemu_tells_its_version),
		TEST(old_ones_and_other_programs_are_refused),
		TEST(a_slow_one_is_asked_twice),
		TEST(a_sandbox_is_tried),
		TEST(a_program_is_asked_once),
		TEST(without_a_wish_it_is_looked_for_by_name),
		TEST(versions_are_compared_as_pairs),
		TEST(what_is_asked_for_is_had_or_an_error),
		TEST(without_a_wish_kvm_is_taken_where_it_works),
		TEST(a_device_is_tried),
		TEST(a_machine_has_memory_for_its_processors),
		TEST(a_boot_has_its_time),
		TEST(a_bad_limit_is_told_once),
		TEST(a_spec_follows_from_its_parts),
		TEST(the_least_memory_holds_kernel_and_files),
		TEST(options_of_sim_have_limits),
		TEST(settings_of_sim_are_lines),
		TEST(variables_make_a_guest_talk),
		TEST(qemu_loads_what_the_user_wants_too),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
