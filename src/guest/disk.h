/* SPDX-License-Identifier: GPL-2.0-only */
/* The disk of --disk, whatever bus it is on. */
#ifndef KTSTR_GUEST_DISK_H
#define KTSTR_GUEST_DISK_H

/*
 * Makes /dev/vda name the disk: loads its driver where that came as a module. Kernels for which
 * there is none get an NVMe, and a link. Waits a little, because drivers probe on their own.
 */
void disk_make(void);

#endif
