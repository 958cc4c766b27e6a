/* SPDX-License-Identifier: GPL-2.0-only */
/* What the BPF side found out, for the loader to print. */
struct config_values {
	unsigned int hz, nr_cpus, smp, sched_class_ext, cgroups, fair_group_sched, sched_core,
		unknown;
};
