// SPDX-License-Identifier: GPL-2.0-only
/* Reads properties of the host, once for all tests of a run. */
#include "run/parts.h"

int run_machine_read(struct run_machine *m, bool no_perf_mode, struct run_world *w)
{
	int rc = topology_read(&m->topology, &roots_live);

	w->host = &m->topology;
	w->allowed = &m->allowed;
	w->no_perf_mode = no_perf_mode || run_mode_env_no_perf();
	rc = rc ?: budget_read_allowed(&m->allowed, &roots_live);
	rc = rc ?: cpu_cap_resolve(&w->cap, NULL, m->allowed.count);
	return rc ?: cpu_cap_check_mode(&w->cap, w->no_perf_mode);
}

static int get_bases(struct run_kernels *kernels)
{
	int rc = 0;

	vec_each_while(struct run_kernel, k, &kernels->items, rc == 0) {
		rc = initramfs_base_get(&(struct initramfs_base_spec){ .kernel = &k->image },
					&k->base);
	}
	return rc;
}

int run_machine_prepare_vm(struct run_machine *m, const char *accel, struct run_kernels *kernels,
			   struct run_world *w)
{
	int rc = vm_qemu_find(vm_arch_host(), &m->qemu);

	if (rc < 0)
		return rc;
	w->qemu = &m->qemu;
	rc = vm_accel_choose(accel, &m->qemu, vm_arch_host(), VM_ACCEL_SIM, &w->accel, &m->no_kvm);
	if (rc < 0)
		return rc;
	if (w->accel != VM_ACCEL_KVM && !m->no_kvm.len)
		vm_kvm_state(&m->qemu, vm_arch_host(), &m->no_kvm);
	if (m->no_kvm.len)
		w->no_kvm = str_get(&m->no_kvm);
	return get_bases(kernels);
}

void run_machine_finish(struct run_machine *m)
{
	vm_qemu_finish(&m->qemu);
	str_finish(&m->no_kvm);
	topology_finish(&m->topology);
	cpulist_finish(&m->allowed);
}
