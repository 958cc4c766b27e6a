/* SPDX-License-Identifier: GPL-2.0-only */
/* The ivshmem PCI function behind the channel, reached through sysfs: no driver needed. */
#ifndef KTSTR_GUEST_CHANNEL_DEVICE_H
#define KTSTR_GUEST_CHANNEL_DEVICE_H

#include "base/str.h"

/* Appends the function's directory below sysfs. -ENODEV: there is none. */
int channel_device_find(const char *sysfs, struct str *out);

/* Switches the function on and maps its memory. */
int channel_device_map(const char *device_dir, void **region, size_t *size);

#endif
