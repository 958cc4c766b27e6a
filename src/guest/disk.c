// SPDX-License-Identifier: GPL-2.0-only
/* Makes the disk available as /dev/vda. */
#include "guest/parts.h"

#include <sys/syscall.h>

#include "guest/protocol.h"

#define VIRTIO_DISK "/dev/vda"
#define NVME_DISK "/dev/nvme0n1"
#define WAIT_STEPS 500
#define WAIT_STEP_NS 10000000 /* 10 ms */

static void load_driver(void)
{
	_close_ int fd = open(GUEST_DISK_DRIVER, O_RDONLY | O_CLOEXEC);

	if (fd >= 0 && syscall(SYS_finit_module, fd, "", 0) < 0)
		report_log("load " GUEST_DISK_DRIVER ": %s", strerror(errno));
}

void disk_make(void)
{
	load_driver();
	for (int i = 0; i < WAIT_STEPS; i++) {
		if (access(VIRTIO_DISK, F_OK) == 0)
			return;
		if (access(NVME_DISK, F_OK) == 0) {
			if (symlink(NVME_DISK, VIRTIO_DISK) < 0)
				report_log("link %s: %s", VIRTIO_DISK, strerror(errno));
			return;
		}
		clock_sleep_ns(WAIT_STEP_NS);
	}
	report_log("no disk appeared: neither " VIRTIO_DISK " nor " NVME_DISK);
}
