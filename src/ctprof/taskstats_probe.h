/* SPDX-License-Identifier: GPL-2.0-only */
/* One question to taskstats about ourselves: does it answer at all? */
#ifndef KTSTR_CTPROF_TASKSTATS_PROBE_H
#define KTSTR_CTPROF_TASKSTATS_PROBE_H

/*
 * 0 and the version of the kernel's struct; -ENOENT when the kernel has no
 * taskstats, -EPERM without CAP_NET_ADMIN, or another negative errno. No message.
 */
int taskstats_probe_self(int *version);

#endif
