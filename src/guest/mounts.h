/* SPDX-License-Identifier: GPL-2.0-only */
/* File systems of the guest and the links that programs expect in /dev. */
#ifndef KTSTR_GUEST_MOUNTS_H
#define KTSTR_GUEST_MOUNTS_H

#include "base/str.h"

/* /dev alone: until it is there nothing can be told to anybody. Negative errno. */
int mounts_make_dev(void);

/* /proc, where the settings are; then all others. One that is required and fails ends the guest. */
void mounts_make_proc(void);
void mounts_make_rest(void);

/* Appends the mount points that exist, blanks between them. */
void mounts_list(struct str *out);

#endif
