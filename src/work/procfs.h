/* SPDX-License-Identifier: GPL-2.0-only */
/* What the kernel counts about memory: pages by NUMA node, pages it moved. */
#ifndef KTSTR_WORK_PROCFS_H
#define KTSTR_WORK_PROCFS_H

#include <stdbool.h>
#include <stdint.h>

/* Pages that the kernel moved between NUMA nodes since boot. */
bool vmstat_read_migrated(uint64_t *pages);

#endif
