// SPDX-License-Identifier: GPL-2.0-only
/* Derives spec, memory and boot timeout from kernel, accelerator and topology. */
#include "vm/machine.h"

#define MEMORY_STEP_MIB 128
#define SMALLEST_MEMORY_MIB 512
#define MEMORY_PER_CPU_MIB 16
#define BOOT_LIMIT_NS (120 * NSEC_PER_SEC)
#define BOOT_LIMIT_PER_CPU_NS (5 * NSEC_PER_SEC)
#define BOOT_LIMIT_VARIABLE "KTSTR_BOOT_TIMEOUT"
#define ATTACH_LIMIT_VARIABLE "KTSTR_ATTACH_TIMEOUT"
#define LONGEST_LIMIT_NS (UINT64_C(7) * 24 * 3600 * NSEC_PER_SEC)

/* The uncompressed kernel saves the decompression, if it can be booted. */
static const char *bootable_file(const struct kernel_image *kernel)
{
	bool is_whole = kernel->vmlinux && kernel->vmlinux_is_bootable;

	return is_whole && vm_arch_host() == VM_ARCH_X86_64 ? kernel->vmlinux : kernel->image;
}

void vm_fill_spec(struct vm_spec *spec, const struct vm_qemu *qemu, enum vm_accel accel,
		  const struct kernel_image *kernel, const struct vm_topology *topology)
{
	*spec = (struct vm_spec){
		.qemu = qemu->path,
		.arch = vm_arch_host(),
		.accel = accel,
		.has_smp_cache = vm_qemu_is_from(qemu, 10, 0),
		.has_sandbox = qemu->has_sandbox,
		.has_rom_option = vm_qemu_is_from(qemu, 8, 2),
		.has_file_migration = vm_qemu_is_from(qemu, 8, 2),
		.plugin_api = vm_qemu_plugin_api(qemu),
		.kernel = bootable_file(kernel),
		.topology = *topology,
		.sim = { .shift = VM_SIM_SHIFT, .slice_us = VM_SIM_SLICE_UNSET },
	};
	if (accel == VM_ACCEL_KVM)
		vm_host_cpu_read(&roots_live, &spec->host_cpu);
}

int vm_memory_floor(const struct kernel_image *kernel, const struct initramfs_base *base,
		    const struct initramfs_run *run, uint64_t *floor_mib)
{
	uint64_t suffix_bytes;
	struct stat st;
	int rc = initramfs_suffix_measure(run, &suffix_bytes);

	if (rc < 0)
		return rc;
	if (stat(kernel->vmlinux ? kernel->vmlinux : kernel->image, &st) < 0)
		return err_sys(errno, "look at the kernel %s", kernel->image);
	*floor_mib = initramfs_memory_floor_mib(&(struct initramfs_memory){
		.unpacked_bytes = base->unpacked_bytes + suffix_bytes,
		.packed_bytes = base->packed_bytes + suffix_bytes,
		.kernel_bytes = (uint64_t)st.st_size,
		.channel_bytes = 0, /* a PCI region, not guest memory */
	});
	return 0;
}

uint64_t vm_memory_default(uint64_t floor_mib, const struct vm_topology *topology)
{
	uint64_t mib = floor_mib + (uint64_t)MEMORY_PER_CPU_MIB * vm_topology_cpus(topology);

	mib = MAX(mib, SMALLEST_MEMORY_MIB);
	mib = MAX(mib, (uint64_t)MEMORY_STEP_MIB * 2 * topology->nodes);
	return (mib + MEMORY_STEP_MIB - 1) / MEMORY_STEP_MIB * MEMORY_STEP_MIB;
}

/* Warns once: every test of a run calls this. */
static void tell_bad_limit(const char *variable, const char *text, bool *is_told)
{
	if (!*is_told)
		log_note(
			"warning: %s is '%s', which is not a time such as 90s or 5m; it is ignored",
			variable, text);
	*is_told = true;
}

/*
 * Value of the variable in ns; 0 = unset or invalid, which gives a warning. Capped, because limits
 * are added up.
 */
static uint64_t limit_wished(const char *variable, bool *is_told)
{
	const char *text = env_get(variable);
	uint64_t ns;

	if (!text)
		return 0;
	if (parse_duration(text, &ns) == 0 && ns > 0)
		return MIN(ns, LONGEST_LIMIT_NS);
	tell_bad_limit(variable, text, is_told);
	return 0;
}

uint64_t vm_boot_limit_ns(const struct vm_topology *topology)
{
	static bool is_told;
	uint64_t wished = limit_wished(BOOT_LIMIT_VARIABLE, &is_told);

	if (wished)
		return wished;
	return BOOT_LIMIT_NS + BOOT_LIMIT_PER_CPU_NS * vm_topology_cpus(topology);
}

uint64_t vm_attach_limit_s(void)
{
	static bool is_told;

	return (limit_wished(ATTACH_LIMIT_VARIABLE, &is_told) + NSEC_PER_SEC - 1) / NSEC_PER_SEC;
}
