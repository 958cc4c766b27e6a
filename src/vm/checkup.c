// SPDX-License-Identifier: GPL-2.0-only
/* Checks, one function per requirement of VMs and kernel builds. */
#include "vm/checkup.h"

#include "host/need.h"

#define MIB (1ULL << 20)
#define GIB (1ULL << 30)
#define DISK_FAIL (1 * GIB) /* not enough for a kernel and its template */
#define DISK_WARN (5 * GIB) /* not enough for a kernel build */
#define PAHOLE_FOR_BTF 116
#define PAHOLE_FOR_7_0 126
#define WANTED_HUGEPAGES 512
#define SMALL_MEMORY (3 * GIB)
#define WANTED_RTPRIO 2 /* vCPUs run at 1, the process that monitors them at 2 */

const char *const checkup_state_names[CHECKUP_STATES] = {
	[CHECKUP_OK] = "ok",
	[CHECKUP_WARN] = "warn",
	[CHECKUP_FAIL] = "fail",
};

static const char *const installers[CHECKUP_SYSTEMS] = {
	[CHECKUP_DEBIAN] = "apt-get install",
	[CHECKUP_FEDORA] = "dnf install",
	[CHECKUP_ARCH] = "pacman -S",
};

static const char *const qemu_packages[][CHECKUP_SYSTEMS] = {
	[VM_ARCH_X86_64] = { "qemu-system-x86", "qemu-system-x86-core", "qemu-system-x86" },
	[VM_ARCH_AARCH64] = { "qemu-system-arm", "qemu-system-aarch64-core",
			      "qemu-system-aarch64" },
};
static const char *const busybox_packages[CHECKUP_SYSTEMS] = {
	"busybox-static",
	"busybox",
	"busybox",
};
static const char *const pahole_packages[CHECKUP_SYSTEMS] = { "dwarves", "dwarves", "pahole" };

static void fix_by_package(const struct checkup_facts *f, struct finding *d,
			   const char *const names[static CHECKUP_SYSTEMS])
{
	finding_fix(d, "sudo %s %s", installers[f->system], names[f->system]);
}

static void judge_qemu(const struct checkup_facts *f, struct finding *d)
{
	if (!f->qemu_error && vm_qemu_plugin_api(&f->qemu)) {
		finding_set(d, CHECKUP_OK, "%s: %s", f->qemu.path, f->qemu.version_text);
		return;
	}
	if (!f->qemu_error) {
		finding_set(d, CHECKUP_WARN,
			    "%s: %s; in sim there are no traces, no explanations of failures and "
			    "no monitor before QEMU 9.2",
			    f->qemu.path, f->qemu.version_text);
		finding_fix(d, "QEMU 9.2 or newer; Debian 12 has one in bookworm-backports");
		return;
	}
	finding_set(d, CHECKUP_FAIL, "%s", f->qemu_error);
	finding_fix(d, "scripts/setup vm");
	fix_by_package(f, d, qemu_packages[f->arch]);
}

static const struct {
	const char *name;
	const char *fixes[2];
} kvm_troubles[] = {
	[KVM_MISSING] = { "KVM is missing",
			  { "sudo modprobe kvm_intel || sudo modprobe kvm_amd",
			    "in a container: pass the device on, as docker run --device /dev/kvm "
			    "does" } },
	[KVM_FORBIDDEN] = { "KVM is forbidden",
			    { "sudo usermod -aG kvm $USER, then log in again; ls -l /dev/kvm "
			      "tells whether kvm is its group",
			      "in a container: pass the device on and add the host's group kvm, as "
			      "docker run --device /dev/kvm --group-add does" } },
	[KVM_BROKEN] = { "KVM is broken",
			 { "run on a machine, or in a VM, with hardware virtualisation" } },
	[KVM_BUSY] = { "KVM is busy",
		       { "end the guests of other hypervisors, or what uses up memory and processes, "
			 "and ask again; this is not remembered" } },
	[KVM_SLOW] = { "KVM is slow",
		       { "ask again when this machine is less busy; this is not remembered" } },
};

static void judge_kvm(const struct checkup_facts *f, struct finding *d)
{
	if (f->qemu_error) {
		finding_set(d, CHECKUP_WARN, "VMs run in sim or tcg: not tried, there is no QEMU");
		finding_fix(d, "see qemu above");
		return;
	}
	if (f->kvm == KVM_WORKS) {
		finding_set(d, CHECKUP_OK, "a test guest runs");
		return;
	}
	finding_set(d, CHECKUP_WARN, "%s: %s; VMs run in sim or tcg", kvm_troubles[f->kvm].name,
		    str_get(&f->kvm_why));
	for (size_t i = 0; i < ARRAY_SIZE(kvm_troubles[0].fixes); i++)
		if (kvm_troubles[f->kvm].fixes[i])
			finding_fix(d, "%s", kvm_troubles[f->kvm].fixes[i]);
}

static void judge_busybox(const struct checkup_facts *f, struct finding *d)
{
	if (!f->busybox_error) {
		finding_set(d, CHECKUP_OK, "%s", f->busybox);
		return;
	}
	finding_set(d, CHECKUP_FAIL, "%s", f->busybox_error);
	fix_by_package(f, d, busybox_packages);
}

static void judge_kernels(const struct checkup_facts *f, struct finding *d)
{
	if (f->kernels_error) {
		finding_set(d, CHECKUP_FAIL, "%s", f->kernels_error);
		finding_fix(d, "set KTSTR_CACHE_DIR to a directory of yours");
		return;
	}
	if (f->kernels_usable) {
		finding_set(d, CHECKUP_OK, "%zu of %zu in the cache can run sched_ext",
			    f->kernels_usable, f->kernels_all);
		return;
	}
	finding_set(d, CHECKUP_WARN, "%s",
		    f->kernels_all ? "none in the cache can run sched_ext" : "the cache is empty");
	finding_fix(d, "ktstr kernel fetch");
	finding_fix(d, "ktstr kernel build");
}

static void judge_disk(const struct checkup_facts *f, struct finding *d)
{
	double free_gib = (double)f->cache_free_bytes.value / (double)GIB;

	if (f->cache_error) {
		finding_set(d, CHECKUP_FAIL, "%s", f->cache_error);
		finding_fix(d, "set KTSTR_CACHE_DIR to a directory of yours");
		return;
	}
	if (!f->is_cache_writable) {
		finding_set(d, CHECKUP_FAIL, "%s cannot be written", f->cache_dir);
		finding_fix(d, "set KTSTR_CACHE_DIR to a directory of yours");
		return;
	}
	if (!f->cache_free_bytes.is_known) {
		finding_set(d, CHECKUP_WARN, "%s: the free space is unknown", f->cache_dir);
		return;
	}
	finding_set(d,
		    f->cache_free_bytes.value < DISK_FAIL ? CHECKUP_FAIL :
		    f->cache_free_bytes.value < DISK_WARN ? CHECKUP_WARN :
							    CHECKUP_OK,
		    "%s: %.1f GiB free%s", f->cache_dir, free_gib,
		    f->cache_free_bytes.value < DISK_WARN ? "; a kernel build needs 5 GiB" : "");
	if (d->state == CHECKUP_OK)
		return;
	finding_fix(d, "ktstr cache clean --older-than 7d");
	finding_fix(d, "set KTSTR_CACHE_DIR to a directory on a larger disk");
}

static void judge_locks(const struct checkup_facts *f, struct finding *d)
{
	if (!f->lock_error) {
		finding_set(d, CHECKUP_OK, "lock files can be made");
		return;
	}
	finding_set(d, CHECKUP_FAIL, "%s", f->lock_error);
	finding_fix(d, "set KTSTR_LOCK_DIR to a directory on a local file system");
}

static void judge_cgroup(const struct checkup_facts *f, struct finding *d)
{
	if (!f->cgroup_error) {
		finding_set(d, CHECKUP_OK, "a cpuset is available for --cpu-cap");
		return;
	}
	finding_set(d, CHECKUP_WARN, "%s; CPU budgets are kept by affinity only", f->cgroup_error);
	if (f->is_root || !f->has_cgroup2)
		finding_fix(d, FIX_CGROUP2 ", or mount cgroup2 on "
					   "/sys/fs/cgroup");
	else
		finding_fix(d, "systemd-run --user --scope -p Delegate=yes ktstr ...");
}

static void judge_hugepages(const struct checkup_facts *f, struct finding *d)
{
	if (!f->hugepages_total.is_known || !f->hugepages_free.is_known) {
		finding_set(d, CHECKUP_WARN,
			    "this kernel has no 2 MiB pages; performance mode uses "
			    "ordinary ones");
		return;
	}
	if (f->hugepages_free.value) {
		finding_set(d, CHECKUP_OK, "%llu of %llu pages of 2 MiB are free",
			    ULL(f->hugepages_free.value), ULL(f->hugepages_total.value));
		return;
	}
	finding_set(d, CHECKUP_WARN, "no free 2 MiB pages; performance mode uses ordinary ones");
	str_addf(&d->fix, "sudo sysctl vm.nr_hugepages=%llu",
		 ULL(f->hugepages_total.value) + WANTED_HUGEPAGES);
}

static void judge_rtprio(const struct checkup_facts *f, struct finding *d)
{
	if (f->can_nice || (f->rtprio.is_known && f->rtprio.value >= WANTED_RTPRIO)) {
		finding_set(d, CHECKUP_OK, "vCPUs may be real-time threads");
		return;
	}
	if (f->rtprio.is_known)
		finding_set(d, CHECKUP_WARN, "the limit is %llu; %s", ULL(f->rtprio.value),
			    needs[NEED_SYS_NICE].loss);
	else
		finding_set(d, CHECKUP_WARN, "the limit is unknown");
	finding_fix(d,
		    "echo \"$USER - rtprio 99\" | sudo tee /etc/security/limits.d/ktstr.conf, then "
		    "log in again");
	finding_fix(d, "%s", needs[NEED_SYS_NICE].fix);
}

static void judge_pahole(const struct checkup_facts *f, struct finding *d)
{
	if (f->pahole.number >= PAHOLE_FOR_7_0) {
		finding_set(d, CHECKUP_OK, "%s", f->pahole.text);
		return;
	}
	if (!f->pahole.text)
		finding_set(d, CHECKUP_WARN, "not installed; `kernel build` needs it for BTF");
	else if (f->pahole.number < PAHOLE_FOR_BTF)
		finding_set(d, CHECKUP_WARN, "%s; `kernel build` needs 1.16 or newer for BTF",
			    f->pahole.text);
	else
		finding_set(d, CHECKUP_WARN, "%s; Linux 7.0 and later need 1.26 to be built",
			    f->pahole.text);
	if (f->pahole.text)
		finding_fix(d,
			    "install %s 1.26 or newer, from a later release of this system or "
			    "from source",
			    pahole_packages[f->system]);
	else
		fix_by_package(f, d, pahole_packages);
	finding_fix(d, "ktstr kernel fetch gets kernels ready-made");
}

/* Older versions do not support 64-bit enums in BTF, which sched_ext uses. */
#define CLANG_FOR_SCX 15

static void judge_compilers(const struct checkup_facts *f, struct finding *d)
{
	bool is_old = f->clang.text && f->clang.number >= 0 && f->clang.number < CLANG_FOR_SCX;

	if (f->clang.text && !is_old && !f->missing_tools.len) {
		finding_set(d, CHECKUP_OK, "%s; gcc and make for kernels", f->clang.text);
		return;
	}
	if (!f->clang.text)
		finding_set(d, CHECKUP_WARN, "clang is missing: no BPF scheduler can be compiled");
	if (is_old)
		finding_set(d, CHECKUP_WARN, "%s; BPF schedulers need clang %d or newer",
			    f->clang.text, CLANG_FOR_SCX);
	if (f->missing_tools.len)
		finding_set(d, CHECKUP_WARN, "%sfor `kernel build` there is no %s",
			    d->why.len ? "; " : "", str_get(&f->missing_tools));
	str_addf(&d->fix, "sudo %s%s%s%s", installers[f->system],
		 is_old && f->system == CHECKUP_DEBIAN ? " clang-19" :
		 is_old || !f->clang.text	       ? " clang" :
							 "",
		 f->missing_tools.len ? " " : "", str_get(&f->missing_tools));
}

static uint64_t at_most(uint64_t all, const struct host_number *allowed)
{
	return allowed->is_known ? MIN(all, allowed->value) : all;
}

/* Everything works on a small machine; reports what takes longer and what does not fit. */
static void judge_size(const struct checkup_facts *f, struct finding *d)
{
	uint64_t cpus = at_most(f->cpus.value, &f->allowed_cpus);
	uint64_t all = f->memory_kib.value * 1024, memory = at_most(all, &f->allowed_memory);

	if (!f->cpus.is_known || !f->memory_kib.is_known) {
		finding_set(d, CHECKUP_WARN, "CPUs and memory are unknown");
		return;
	}
	finding_set(d, CHECKUP_OK, "%llu", ULL(cpus));
	if (cpus < f->cpus.value)
		finding_set(d, CHECKUP_OK, " of %llu", ULL(f->cpus.value));
	finding_set(d, CHECKUP_OK, " CPU%s, %.1f", f->cpus.value == 1 ? "" : "s",
		    (double)memory / (double)GIB);
	if (memory < all)
		finding_set(d, CHECKUP_OK, " of %.1f", (double)all / (double)GIB);
	finding_set(d, CHECKUP_OK, " GiB of memory");
	if (cpus == 1)
		finding_set(d, CHECKUP_WARN,
			    "; one VM at a time, and no performance mode, which "
			    "needs a CPU besides those of the vCPUs");
	if (memory < SMALL_MEMORY)
		finding_set(d, CHECKUP_WARN,
			    "; too little for large presets, and a kernel build may "
			    "run out of it");
	if (d->state == CHECKUP_WARN)
		finding_fix(d, "sim and tcg need one CPU: go on, with fewer tests at once "
			       "(--test-threads 1)");
}

static const struct {
	const char *name;
	void (*judge)(const struct checkup_facts *f, struct finding *d);
} checks[CHECKUP_CHECKS] = {
	{ "qemu", judge_qemu },		  { "kvm", judge_kvm },
	{ "busybox", judge_busybox },	  { "kernels", judge_kernels },
	{ "disk", judge_disk },		  { "locks", judge_locks },
	{ "cgroup", judge_cgroup },	  { "hugepages", judge_hugepages },
	{ "rtprio", judge_rtprio },	  { "pahole", judge_pahole },
	{ "compilers", judge_compilers }, { "size", judge_size },
};

int checkup_judge(const struct checkup_facts *f, struct finding out[static CHECKUP_CHECKS])
{
	return findings_judge(out, checks, f);
}
