// SPDX-License-Identifier: GPL-2.0-only
/* /dev/vda. */
#include "guest/disk.h"

#include <errno.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "guest/report.h"

#define VIRTIO_DISK "/dev/vda"
#define NVME_DISK "/dev/nvme0n1"
#define WAIT_STEPS 500
#define WAIT_STEP_NS 10000000 /* 10 ms */

void disk_link(void)
{
	const struct timespec step = { .tv_nsec = WAIT_STEP_NS };

	for (int i = 0; i < WAIT_STEPS; i++) {
		if (access(VIRTIO_DISK, F_OK) == 0)
			return;
		if (access(NVME_DISK, F_OK) == 0) {
			if (symlink(NVME_DISK, VIRTIO_DISK) < 0)
				report_log("link %s: %s", VIRTIO_DISK, strerror(errno));
			return;
		}
		nanosleep(&step, NULL);
	}
	report_log("no disk appeared: neither " VIRTIO_DISK " nor " NVME_DISK);
}
