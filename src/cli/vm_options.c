// SPDX-License-Identifier: GPL-2.0-only
/* Converts options to a VM's spec, memory, disk and host CPUs. */
#include "cli/options.h"

#include <sys/mman.h>

#include "guest/protocol.h"
#include "host/budget.h"
#include "host/topology.h"
#include "kernel/kernel.h"

#define QUEUE_LIMIT_NS (3600 * NSEC_PER_SEC)

int vm_disk_parse(struct vm_disk *d, const char *text)
{
	*d = (struct vm_disk){ .fd = -1 };
	if (!text)
		return 0;
	if (parse_size_iec(text, &d->bytes) < 0 || d->bytes == 0 || d->bytes > 1ULL << 44)
		return err_set(EINVAL,
			       "invalid size '%s' for --disk: expected 256mib, 1gib or the like",
			       text);
	return 0;
}

/* False if the configuration does not say so; the driver may still exist as a module. */
static bool has_virtio_built_in(const struct kernel_image *kernel)
{
	_str_ struct str config = {};

	return kernel->config && file_read_at(AT_FDCWD, kernel->config, &config) == 0 &&
	       strstr(str_get(&config), "CONFIG_VIRTIO_BLK=y\n");
}

/* Uses the built-in driver, or its module, or else NVMe, which every kernel image has. */
static int choose_driver(struct vm_disk *d, const struct kernel_image *kernel, struct vm_spec *spec)
{
	int rc;

	if (has_virtio_built_in(kernel))
		return 0;
	rc = kernel_module_get(kernel, "drivers/block/virtio_blk", log_label(), &d->driver);
	if (rc == -ENOMEM || rc == -EINTR)
		return rc;
	if (rc < 0) {
		log_note("%s: %s: the disk is an NVMe with a link /dev/vda", log_label(),
			 err_text(rc));
		spec->disk_is_nvme = true;
		return 0;
	}
	d->driver_file = (struct initramfs_file){ .path = GUEST_DISK_DRIVER,
						  .data = d->driver.s,
						  .len = d->driver.len };
	spec->has_modules = true;
	return 0;
}

int vm_disk_use(struct vm_disk *d, const struct kernel_image *kernel, struct vm_spec *spec)
{
	if (!d->bytes)
		return 0;
	d->fd = memfd_create("ktstr-disk", 0);
	if (d->fd < 0 || ftruncate(d->fd, (off_t)d->bytes) < 0)
		return err_sys(errno, "create the guest's disk");
	snprintf(d->path, sizeof(d->path), "/proc/self/fd/%d", d->fd);
	spec->disk_path = d->path;
	return choose_driver(d, kernel, spec);
}

void vm_disk_finish(struct vm_disk *d)
{
	cleanup_fd(&d->fd);
	str_finish(&d->driver);
	*d = (struct vm_disk){ .fd = -1 };
}

int vm_reservation_read(struct vm_reservation *r, const struct cli_call *call)
{
	int rc = budget_read_allowed(&r->allowed, &roots_live);

	r->no_perf_mode = cli_flag(call, "no-perf-mode") || run_mode_env_no_perf();
	rc = rc ?: cpu_cap_resolve(&r->cap, cli_text(call, "cpu-cap"), r->allowed.count);
	return rc ?: cpu_cap_check_mode(&r->cap, r->no_perf_mode);
}

int vm_reservation_take(struct vm_reservation *r, enum vm_accel accel,
			const struct vm_topology *topology)
{
	struct reserve_request request = { .is_single = accel != VM_ACCEL_KVM,
					   .shape = { topology->nodes, topology->llcs,
						      topology->cores, topology->threads },
					   .preference = PLAN_SPREAD,
					   .timeout_ns = QUEUE_LIMIT_NS,
					   .topology = &r->topology,
					   .allowed = &r->allowed };
	int rc;

	request.mode = run_mode_select(&(struct run_mode_wishes){
		.has_budget = r->cap.cpus > 0, .no_perf_mode = r->no_perf_mode });
	request.budget = r->cap.cpus;
	if (r->cap.cpus)
		request.preference = PLAN_CONSOLIDATE;
	if (request.mode == RUN_FREE || budget_is_bypassed())
		return 0;
	rc = topology_read(&r->topology, &roots_live);
	rc = rc ?: reservation_acquire(&r->reservation, &request);
	return rc ?: sandbox_enter_plan(&r->sandbox, &r->reservation.plan, r->cap.cpus > 0);
}

void vm_reservation_finish(struct vm_reservation *r)
{
	sandbox_leave(&r->sandbox);
	reservation_release(&r->reservation);
	topology_finish(&r->topology);
	cpulist_finish(&r->allowed);
}

void vm_print_warnings(const struct str *lines)
{
	text_each_line(l, str_get(lines))
		if (l.len)
			log_note("warning: %.*s", (int)l.len, l.s);
}

uint64_t vm_sim_slice_option(const struct cli_call *call)
{
	return cli_is_given(call, "sim-slice") ? cli_number(call, "sim-slice") : VM_SIM_SLICE_UNSET;
}

int vm_sim_options(const struct cli_call *call, struct vm_sim *out)
{
	uint64_t shift = cli_number(call, "sim-shift"), slice = vm_sim_slice_option(call);

	*out = (struct vm_sim){ .shift = (unsigned int)shift,
				.slice_us = (uint32_t)slice,
				.has_jitter = cli_flag(call, "sim-jitter"),
				.delays = (uint32_t)cli_number(call, "sim-delays"),
				.wake_delay_us = (uint32_t)cli_number(call, "sim-wake-delays") };
	return vm_sim_check(shift, slice);
}

void vm_sim_options_warn(const struct cli_call *call, enum vm_accel accel)
{
	static const char *const options[] = { "--seed",       "--sim-shift",  "--sim-slice",
					       "--sim-jitter", "--sim-delays", "--sim-wake-delays" };

	for (size_t i = 0; i < ARRAY_SIZE(options); i++)
		if (cli_is_given(call, options[i] + strlen("--")))
			vm_accel_check_sim_option(accel, options[i]);
}
