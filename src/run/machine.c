// SPDX-License-Identifier: GPL-2.0-only
/* Looking at the host once, for all tests of a run. */
#include "run/machine.h"

#include "base/err.h"
#include "base/roots.h"
#include "host/run_mode.h"

int run_machine_read(struct run_machine *m, bool no_perf_mode, struct run_world *w)
{
	int rc = topology_read(&m->topology, &roots_live);

	w->host = &m->topology;
	w->allowed = &m->allowed;
	w->no_perf_mode = no_perf_mode || run_mode_env_no_perf();
	if (rc == 0)
		rc = budget_read_allowed(&m->allowed, &roots_live);
	if (rc == 0)
		rc = cpu_cap_resolve(&w->cap, NULL, m->allowed.count);
	return rc < 0 ? rc : cpu_cap_check_mode(&w->cap, w->no_perf_mode);
}

int run_machine_prepare_vm(struct run_machine *m, const char *accel, struct run_world *w)
{
	struct initramfs_base_spec plain = {};
	int rc = vm_qemu_find(vm_arch_host(), &m->qemu);

	if (rc < 0)
		return rc;
	w->qemu = &m->qemu;
	rc = vm_accel_choose(accel, &m->qemu, vm_arch_host(), VM_ACCEL_SIM, &w->accel);
	if (rc < 0)
		return rc;
	if (w->accel != VM_ACCEL_KVM && !vm_kvm_works(&m->qemu, vm_arch_host(), &m->no_kvm))
		w->no_kvm = str_get(&m->no_kvm);
	rc = initramfs_base_get(&plain, &m->base);
	w->base = &m->base;
	return rc;
}

void run_machine_finish(struct run_machine *m)
{
	initramfs_base_finish(&m->base);
	vm_qemu_finish(&m->qemu);
	str_finish(&m->no_kvm);
	topology_finish(&m->topology);
	cpulist_finish(&m->allowed);
}
