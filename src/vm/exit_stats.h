/* SPDX-License-Identifier: GPL-2.0-only */
/* What KVM counted for a guest's vCPUs, asked of QEMU before it goes. */
#ifndef KTSTR_VM_EXIT_STATS_H
#define KTSTR_VM_EXIT_STATS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "vm/qmp.h"

enum vm_exit_stat {
	VM_EXITS,
	VM_HALT_EXITS,
	VM_HALT_POLLS_TRIED,
	VM_HALT_POLLS_OK,
	VM_HALT_WAIT_NS,
	VM_PREEMPTIONS,
	VM_SIGNAL_EXITS,
	VM_HYPERCALLS,
	VM_EXIT_STATS,
};

struct vm_exit_stats {
	size_t vcpus;		       /* that told; 0 = nobody did, as under tcg and sim */
	uint64_t sums[VM_EXIT_STATS];  /* over the vCPUs */
	size_t tellers[VM_EXIT_STATS]; /* how many of them told it: kernels differ */
};

/* Sums of nothing where QEMU has none; an error only where it does not answer sensibly. */
int vm_exit_stats_read(struct qmp *qmp, uint64_t timeout_ns, struct vm_exit_stats *stats);

/* The same from QEMU's reply. */
int vm_exit_stats_parse(struct str *reply, struct vm_exit_stats *stats);

#endif
