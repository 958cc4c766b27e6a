// SPDX-License-Identifier: GPL-2.0-only
/* Builds the guest kernel's command line: fixed words, words by accelerator, words by machine. */
#include "vm/machine.h"

/*
 * Guest programs access raw devices and load BPF, so restrictions are lifted. Words that only
 * shorten the boot are in boot_trims.
 */
static const char *const always[] = {
	"rdinit=/init",
	"initramfs_options=size=90%",
	"panic=-1",
	"nokaslr",
	"lockdown=none",
	"iomem=relaxed",
	"sysctl.kernel.unprivileged_bpf_disabled=0",
	"sysctl.kernel.sched_schedstats=1",
	"delayacct",
};

static const char *const x86_words[] = {
	"reboot=t",    "no_timer_check", "tsc=reliable",  "swiotlb=noforce", "i8042.noaux",
	"i8042.nomux", "i8042.nopnp",	 "i8042.dumbkbd", "8250.nr_uarts=2",
};

/* Shorten the boot without affecting scheduler, memory management and timers. */
static const char *const boot_trims[] = {
	"mitigations=off",
	"init_on_alloc=0",
	"cryptomgr.notests",
	"rcupdate.rcu_expedited=1",
	"audit=0",
	"apparmor=0",
	"selinux=0",
	"lsm=capability",
	"nowatchdog",
	"cpu_init_udelay=0",
	"damon_stat.enabled=0", /* a thread that samples memory 100 times a second */
	"initcall_blacklist=load_system_certificate_list,init_encrypted,jent_mod_init",
};

/*
 * Above this number of CPUs bring-up is serial: in parallel bring-up all waiting CPUs spin on the
 * one emulating thread, and the delay calibration of later CPUs fails.
 */
#define SERIAL_BRINGUP_ABOVE 64

static void add_words(struct str *out, const char *const *words, size_t count)
{
	for (size_t i = 0; i < count; i++)
		str_addf(out, " %s", words[i]);
}

static void add_accel_words(const struct vm_spec *s, struct str *out)
{
	if (s->accel == VM_ACCEL_KVM) {
		str_add(out, " random.trust_cpu=on");
		if (s->arch == VM_ARCH_X86_64)
			str_add(out, " clocksource=kvm-clock");
		return;
	}
	str_add(out, s->accel == VM_ACCEL_SIM ? " random.trust_cpu=off norandmaps" :
						" random.trust_cpu=on");
	if (vm_topology_cpus(&s->topology) > SERIAL_BRINGUP_ABOVE)
		str_add(out, " cpuhp.parallel=off lpj=10000000");
}

void vm_kernel_cmdline(const struct vm_spec *s, struct str *out)
{
	const struct vm_topology *t = &s->topology;

	str_add(out, s->arch == VM_ARCH_AARCH64 ? "console=ttyAMA0 earlycon" : "console=ttyS0");
	add_words(out, always, ARRAY_SIZE(always));
	if (s->arch == VM_ARCH_X86_64)
		add_words(out, x86_words, ARRAY_SIZE(x86_words));
	add_words(out, boot_trims, ARRAY_SIZE(boot_trims));
	/*
	 * On one CPU the kernel would patch all its lock prefixes, which is expensive under
	 * emulation.
	 */
	if (s->arch == VM_ARCH_X86_64 && vm_topology_cpus(t) == 1)
		str_add(out, " noreplace-smp");
	/* There are no modules, so the kernel need not look for modprobe. */
	if (!s->has_modules)
		str_add(out, " nomodule");
	add_accel_words(s, out);
	/* Not 0: then even a panic would print nothing. */
	str_add(out, s->is_verbose ? " earlyprintk=serial loglevel=7" : " loglevel=1");
	str_add(out, t->nodes > 1 ? " numa_balancing=enable" : " numa_balancing=0");
	str_addf(out, " KTSTR_MODE=%s KTSTR_TOPO=%u,%u,%u,%u KTSTR_ACCEL=%s", s->mode, t->nodes,
		 t->llcs, t->cores, t->threads, vm_accel_name(s->accel));
	vm_numa_settings(s, out);
	if (s->append && *s->append)
		str_addf(out, " %s", s->append);
}
