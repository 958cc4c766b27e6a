/* SPDX-License-Identifier: GPL-2.0-only */
/* The disk of --disk, whatever bus it is on. */
#ifndef KTSTR_GUEST_DISK_H
#define KTSTR_GUEST_DISK_H

/*
 * Makes /dev/vda name the disk: kernels without a built-in virtio_blk get it as
 * an NVMe one, and a link. Waits a little, because drivers probe on their own.
 */
void disk_link(void);

#endif
