// SPDX-License-Identifier: GPL-2.0-only
/* What is told about a machine, fact by fact, at both sides of each limit. */
#include "unit.h"

#include <stdio.h>

#include "base/str.h"
#include "vm/checkup.h"

#define GIB (UINT64_C(1) << 30)
#define KNOWN(n) ((struct host_number){ true, (n) })

/* A machine that lacks nothing. */
static struct checkup_facts good(void)
{
	return (struct checkup_facts){
		.qemu = { .path = "/q", .version_text = "QEMU 10.0", .major = 10, .minor = 0 },
		.kvm = KVM_WORKS,
		.busybox = "/b",
		.kernels_usable = 2,
		.kernels_all = 3,
		.pahole = { "v1.26", 126 },
		.clang = { "clang version 19.1", 19 },
		.cache_dir = "/c",
		.is_cache_writable = true,
		.cache_free_bytes = KNOWN(5 * GIB),
		.has_cgroup2 = true,
		.hugepages_free = KNOWN(1),
		.hugepages_total = KNOWN(4),
		.rtprio = KNOWN(2),
		.cpus = KNOWN(2),
		.memory_kib = KNOWN(3 << 20),
	};
}

/* expect: what one of the checks says, as "STATE: WHY | WAY | WAY". */
static void expect(const struct checkup_facts *f, const char *name, const char *expected)
{
	struct finding list[CHECKUP_CHECKS];
	_str_ struct str text = {};
	bool is_there = false;

	assert_int_equal(checkup_judge(f, list), 0);
	for (size_t i = 0; i < CHECKUP_CHECKS; i++) {
		if (!str_eq(list[i].name, name))
			continue;
		is_there = true;
		str_addf(&text, "%s: %s", checkup_state_names[list[i].state],
			 str_get(&list[i].why));
		if (list[i].fix.len)
			str_addf(&text, " | %s", str_get(&list[i].fix));
	}
	for (size_t i = 0; i < text.len; i++)
		if (text.s[i] == '\n')
			text.s[i] = '|';
	findings_finish(list, CHECKUP_CHECKS);
	assert_true(is_there);
	assert_string_equal(str_get(&text), expected);
}

static void a_machine_that_lacks_nothing_is_told_to_be_fine(void **state)
{
	struct checkup_facts f = good();

	(void)state;
	expect(&f, "qemu", "ok: /q: QEMU 10.0");
	expect(&f, "kvm", "ok: a test guest runs");
	expect(&f, "busybox", "ok: /b");
	expect(&f, "kernels", "ok: 2 of 3 in the cache can run sched_ext");
	expect(&f, "disk", "ok: /c: 5.0 GiB free");
	expect(&f, "locks", "ok: lock files can be made");
	expect(&f, "cgroup", "ok: a cpuset is available for --cpu-cap");
	expect(&f, "hugepages", "ok: 1 of 4 pages of 2 MiB are free");
	expect(&f, "rtprio", "ok: vCPUs may be real-time threads");
	expect(&f, "pahole", "ok: v1.26");
	expect(&f, "compilers", "ok: clang version 19.1; gcc and make for kernels");
	expect(&f, "size", "ok: 2 CPUs, 3.0 GiB of memory");
}

static void a_qemu_that_is_old_or_missing_is_told(void **state)
{
	struct checkup_facts f = good();

	(void)state;
	f.qemu.major = 9;
	f.qemu.minor = 1;
	expect(&f, "qemu",
	       "warn: /q: QEMU 10.0; in sim there are no traces, no explanations of failures and no "
	       "monitor before QEMU 9.2 | QEMU 9.2 or newer; Debian 12 has one in bookworm-backports");
	f.qemu.minor = 2;
	expect(&f, "qemu", "ok: /q: QEMU 10.0");
	f.qemu_error = "no QEMU";
	expect(&f, "qemu", "fail: no QEMU | scripts/setup vm|sudo apt-get install qemu-system-x86");
	expect(&f, "kvm",
	       "warn: VMs run in sim or tcg: not tried, there is no QEMU | see qemu above");
	f.system = CHECKUP_FEDORA;
	expect(&f, "qemu",
	       "fail: no QEMU | scripts/setup vm|sudo dnf install qemu-system-x86-core");
	f.system = CHECKUP_ARCH;
	expect(&f, "qemu", "fail: no QEMU | scripts/setup vm|sudo pacman -S qemu-system-x86");
	f.arch = VM_ARCH_AARCH64;
	expect(&f, "qemu", "fail: no QEMU | scripts/setup vm|sudo pacman -S qemu-system-aarch64");
	f.system = CHECKUP_DEBIAN;
	expect(&f, "qemu", "fail: no QEMU | scripts/setup vm|sudo apt-get install qemu-system-arm");
}

/* Each state has ways of its own, one or two. */
static void a_kvm_that_does_not_work_is_told_with_what_helps(void **state)
{
	struct checkup_facts f = good();

	(void)state;
	str_add(&f.kvm_why, "reason");
	f.kvm = KVM_MISSING;
	expect(&f, "kvm",
	       "warn: KVM is missing: reason; VMs run in sim or tcg | sudo modprobe kvm_intel || sudo "
	       "modprobe kvm_amd|in a container: pass the device on, as docker run --device /dev/kvm "
	       "does");
	f.kvm = KVM_BROKEN;
	expect(&f, "kvm",
	       "warn: KVM is broken: reason; VMs run in sim or tcg | run on a machine, or in a VM, with "
	       "hardware virtualisation");
	f.kvm = KVM_SLOW;
	expect(&f, "kvm",
	       "warn: KVM is slow: reason; VMs run in sim or tcg | ask again when this machine is less "
	       "busy; this is not remembered");
	str_finish(&f.kvm_why);
}

static void kernels_and_busybox_are_asked_for(void **state)
{
	struct checkup_facts f = good();

	(void)state;
	f.busybox_error = "busybox not found";
	expect(&f, "busybox", "fail: busybox not found | sudo apt-get install busybox-static");
	f.system = CHECKUP_ARCH;
	expect(&f, "busybox", "fail: busybox not found | sudo pacman -S busybox");
	f.kernels_usable = 0;
	expect(&f, "kernels",
	       "warn: none in the cache can run sched_ext | ktstr kernel fetch|ktstr kernel build");
	f.kernels_all = 0;
	expect(&f, "kernels", "warn: the cache is empty | ktstr kernel fetch|ktstr kernel build");
	f.kernels_error = "no home";
	expect(&f, "kernels", "fail: no home | set KTSTR_CACHE_DIR to a directory of yours");
}

static void little_room_in_the_cache_is_told(void **state)
{
	struct checkup_facts f = good();

	(void)state;
	f.cache_free_bytes.value = 5 * GIB - 1;
	expect(&f, "disk",
	       "warn: /c: 5.0 GiB free; a kernel build needs 5 GiB | ktstr cache clean --older-than "
	       "7d|set KTSTR_CACHE_DIR to a directory on a larger disk");
	f.cache_free_bytes.value = GIB;
	expect(&f, "disk",
	       "warn: /c: 1.0 GiB free; a kernel build needs 5 GiB | ktstr cache clean --older-than "
	       "7d|set KTSTR_CACHE_DIR to a directory on a larger disk");
	f.cache_free_bytes.value = GIB - 1;
	expect(&f, "disk",
	       "fail: /c: 1.0 GiB free; a kernel build needs 5 GiB | ktstr cache clean --older-than "
	       "7d|set KTSTR_CACHE_DIR to a directory on a larger disk");
	f.cache_free_bytes.is_known = false;
	expect(&f, "disk", "warn: /c: the free space is unknown");
	f.is_cache_writable = false;
	expect(&f, "disk",
	       "fail: /c cannot be written | set KTSTR_CACHE_DIR to a directory of yours");
	f.cache_error = "HOME is not set";
	expect(&f, "disk", "fail: HOME is not set | set KTSTR_CACHE_DIR to a directory of yours");
}

static void locks_and_cpusets_that_cannot_be_had_are_told(void **state)
{
	static const char mount[] =
		"warn: no cpuset; CPU budgets are kept by affinity only | boot with "
		"systemd.unified_cgroup_hierarchy=1, or mount cgroup2 on /sys/fs/cgroup";
	struct checkup_facts f = good();

	(void)state;
	f.lock_error = "not here";
	expect(&f, "locks",
	       "fail: not here | set KTSTR_LOCK_DIR to a directory on a local file system");
	f.cgroup_error = "no cpuset";
	expect(&f, "cgroup",
	       "warn: no cpuset; CPU budgets are kept by affinity only | systemd-run --user --scope -p "
	       "Delegate=yes ktstr ...");
	f.is_root = true;
	expect(&f, "cgroup", mount);
	f.is_root = f.has_cgroup2 = false;
	expect(&f, "cgroup", mount);
}

static void huge_pages_are_asked_for_beyond_those_in_use(void **state)
{
	static const char none[] =
		"warn: this kernel has no 2 MiB pages; performance mode uses ordinary ones";
	struct checkup_facts f = good();

	(void)state;
	f.hugepages_free.value = 0;
	expect(&f, "hugepages",
	       "warn: no free 2 MiB pages; performance mode uses ordinary ones | sudo sysctl "
	       "vm.nr_hugepages=516");
	f.hugepages_free.is_known = false;
	expect(&f, "hugepages", none);
	f.hugepages_free.is_known = true;
	f.hugepages_total.is_known = false;
	expect(&f, "hugepages", none);
}

static void real_time_priority_is_by_right_or_by_limit(void **state)
{
	static const char ways[] =
		"echo \"$USER - rtprio 99\" | sudo tee /etc/security/limits.d/ktstr.conf, then log in "
		"again|sudo setcap cap_sys_nice+eip $(which ktstr)";
	struct checkup_facts f = good();
	char expected[512];

	(void)state;
	f.rtprio.value = 1;
	snprintf(expected, sizeof(expected),
		 "warn: the limit is 1; vCPUs of performance mode run at ordinary priority | %s",
		 ways);
	expect(&f, "rtprio", expected);
	f.rtprio = (struct host_number){ false, 2 };
	snprintf(expected, sizeof(expected), "warn: the limit is unknown | %s", ways);
	expect(&f, "rtprio", expected);
	f.can_nice = true;
	expect(&f, "rtprio", "ok: vCPUs may be real-time threads");
}

static void pahole_has_to_be_as_new_as_the_kernels(void **state)
{
	static const char newer[] =
		"install dwarves 1.26 or newer, from a later release of this system or from "
		"source|ktstr kernel fetch gets kernels ready-made";
	struct checkup_facts f = good();
	char expected[512];

	(void)state;
	f.pahole = (struct checkup_tool){ "v1.25", 125 };
	snprintf(expected, sizeof(expected),
		 "warn: v1.25; Linux 7.0 and later need 1.26 to be built | %s", newer);
	expect(&f, "pahole", expected);
	f.pahole = (struct checkup_tool){ "v1.16", 116 };
	snprintf(expected, sizeof(expected),
		 "warn: v1.16; Linux 7.0 and later need 1.26 to be built | %s", newer);
	expect(&f, "pahole", expected);
	f.pahole = (struct checkup_tool){ "v1.15", 115 };
	snprintf(expected, sizeof(expected),
		 "warn: v1.15; `kernel build` needs 1.16 or newer for BTF | %s", newer);
	expect(&f, "pahole", expected);
	f.pahole = (struct checkup_tool){ NULL, -1 };
	f.system = CHECKUP_ARCH;
	expect(&f, "pahole",
	       "warn: not installed; `kernel build` needs it for BTF | sudo pacman -S pahole|ktstr "
	       "kernel fetch gets kernels ready-made");
}

static void compilers_are_told_with_what_to_install(void **state)
{
	struct checkup_facts f = good();

	(void)state;
	f.clang = (struct checkup_tool){ "clang version 15.0", 15 };
	expect(&f, "compilers", "ok: clang version 15.0; gcc and make for kernels");
	f.clang = (struct checkup_tool){ "clang version 0", 0 };
	expect(&f, "compilers",
	       "warn: clang version 0; BPF schedulers need clang 15 or newer | sudo apt-get install "
	       "clang-19");
	f.clang = (struct checkup_tool){ "clang version 14.0", 14 };
	expect(&f, "compilers",
	       "warn: clang version 14.0; BPF schedulers need clang 15 or newer | sudo apt-get install "
	       "clang-19");
	f.system = CHECKUP_FEDORA;
	expect(&f, "compilers",
	       "warn: clang version 14.0; BPF schedulers need clang 15 or newer | sudo dnf install "
	       "clang");
	/* One that does not tell its version may be a new one. */
	f.clang = (struct checkup_tool){ "clang", -1 };
	expect(&f, "compilers", "ok: clang; gcc and make for kernels");
	str_add(&f.missing_tools, "bc flex");
	expect(&f, "compilers",
	       "warn: for `kernel build` there is no bc flex | sudo dnf install bc flex");
	f.clang = (struct checkup_tool){ NULL, -1 };
	expect(&f, "compilers",
	       "warn: clang is missing: no BPF scheduler can be compiled; for `kernel build` there is "
	       "no bc flex | sudo dnf install clang bc flex");
	str_finish(&f.missing_tools);
	expect(&f, "compilers",
	       "warn: clang is missing: no BPF scheduler can be compiled | sudo dnf install clang");
}

static void a_small_machine_is_told_what_will_not_fit(void **state)
{
	static const char way[] =
		"sim and tcg need one CPU: go on, with fewer tests at once (--test-threads 1)";
	struct checkup_facts f = good();
	char expected[512];

	(void)state;
	/* More than there is does not count. */
	f.allowed_cpus = KNOWN(64);
	f.allowed_memory = KNOWN(64 * GIB);
	expect(&f, "size", "ok: 2 CPUs, 3.0 GiB of memory");
	f.allowed_cpus = KNOWN(2);
	f.allowed_memory = KNOWN(3 * GIB);
	expect(&f, "size", "ok: 2 CPUs, 3.0 GiB of memory");
	f.memory_kib = KNOWN(8 << 20);
	expect(&f, "size", "ok: 2 CPUs, 3.0 of 8.0 GiB of memory");
	f.allowed_memory = KNOWN(2 * GIB);
	snprintf(
		expected, sizeof(expected),
		"warn: 2 CPUs, 2.0 of 8.0 GiB of memory; too little for large presets, and a kernel "
		"build may run out of it | %s",
		way);
	expect(&f, "size", expected);
	f.allowed_memory = KNOWN(4 * GIB);
	f.allowed_cpus = KNOWN(1);
	snprintf(
		expected, sizeof(expected),
		"warn: 1 of 2 CPUs, 4.0 of 8.0 GiB of memory; one VM at a time, and no performance "
		"mode, which needs a CPU besides those of the vCPUs | %s",
		way);
	expect(&f, "size", expected);
	f.cpus = KNOWN(1);
	snprintf(
		expected, sizeof(expected),
		"warn: 1 CPU, 4.0 of 8.0 GiB of memory; one VM at a time, and no performance mode, "
		"which needs a CPU besides those of the vCPUs | %s",
		way);
	expect(&f, "size", expected);
	f.cpus.is_known = false;
	expect(&f, "size", "warn: CPUs and memory are unknown");
	f.cpus.is_known = true;
	f.memory_kib.is_known = false;
	expect(&f, "size", "warn: CPUs and memory are unknown");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_machine_that_lacks_nothing_is_told_to_be_fine),
		cmocka_unit_test(a_qemu_that_is_old_or_missing_is_told),
		cmocka_unit_test(a_kvm_that_does_not_work_is_told_with_what_helps),
		cmocka_unit_test(kernels_and_busybox_are_asked_for),
		cmocka_unit_test(little_room_in_the_cache_is_told),
		cmocka_unit_test(locks_and_cpusets_that_cannot_be_had_are_told),
		cmocka_unit_test(huge_pages_are_asked_for_beyond_those_in_use),
		cmocka_unit_test(real_time_priority_is_by_right_or_by_limit),
		cmocka_unit_test(pahole_has_to_be_as_new_as_the_kernels),
		cmocka_unit_test(compilers_are_told_with_what_to_install),
		cmocka_unit_test(a_small_machine_is_told_what_will_not_fit),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
