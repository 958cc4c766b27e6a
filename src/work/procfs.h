/* SPDX-License-Identifier: GPL-2.0-only */
/* What the kernel counts about memory: pages by NUMA node, pages it moved. */
#ifndef KTSTR_WORK_PROCFS_H
#define KTSTR_WORK_PROCFS_H

#include <stdbool.h>
#include <stdint.h>

#include "work/report.h"

/* Pages that the kernel moved between NUMA nodes since boot. */
bool vmstat_read_migrated(uint64_t *pages);

/* More than one NUMA node is online. */
bool has_numa_nodes(void);

/*
 * The caller's resident pages by node. Where there is only one node the kernel
 * need not look at every page. False when the kernel does not say.
 */
bool numa_read_pages(bool has_nodes, uint64_t pages[static WORKER_MAX_NODES]);
/* Adds up the `N<node>=<pages>` of a numa_maps text. */
void numa_add_maps(const char *text, uint64_t pages[static WORKER_MAX_NODES]);

#endif
