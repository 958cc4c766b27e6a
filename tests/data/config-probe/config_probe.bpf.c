// SPDX-License-Identifier: GPL-2.0-only
/* A scheduler that wants to know how its kernel was configured, as many do. */
#include "kernel.h"

#include <bpf/bpf_helpers.h>
#include <bpf/bpf_tracing.h>

#include "config_probe.h"

char program_license[] SEC("license") = "GPL";

/* Each of these keeps the object from being loaded when nobody can tell its value. */
extern unsigned int CONFIG_HZ __kconfig;
extern int CONFIG_NR_CPUS __kconfig;
extern bool CONFIG_SMP __kconfig;
extern bool CONFIG_SCHED_CLASS_EXT __kconfig;
extern enum libbpf_tristate CONFIG_CGROUPS __kconfig;
#ifdef WITH_UNKNOWN
extern bool CONFIG_NO_SUCH_OPTION __kconfig;
#else
extern bool CONFIG_NO_SUCH_OPTION __kconfig __weak;
#endif
extern bool CONFIG_FAIR_GROUP_SCHED __kconfig __weak;
extern bool CONFIG_SCHED_CORE __kconfig __weak;

struct config_values values SEC(".bss.values") = {};

SEC("struct_ops.s/init")
int BPF_PROG(probe_init)
{
	values.hz = CONFIG_HZ;
	values.nr_cpus = CONFIG_NR_CPUS;
	values.smp = CONFIG_SMP;
	values.sched_class_ext = CONFIG_SCHED_CLASS_EXT;
	values.cgroups = CONFIG_CGROUPS == TRI_YES;
	values.fair_group_sched = CONFIG_FAIR_GROUP_SCHED;
	values.sched_core = CONFIG_SCHED_CORE;
	values.unknown = CONFIG_NO_SUCH_OPTION;
	return 0;
}

struct sched_ext_ops {
	s32 (*init)(void);
	char name[128];
};

SEC(".struct_ops.link")
struct sched_ext_ops probe_ops = { .init = (void *)probe_init, .name = "config_probe" };
