/* SPDX-License-Identifier: GPL-2.0-only */
/* What loader.c and the BPF side of each scheduler tell each other. */
#ifndef KTSTR_TESTS_MACHINE_H
#define KTSTR_TESTS_MACHINE_H

#define MAX_CPUS 64
#define MAX_LLCS 16

#define MACHINE_SECTION ".rodata.machine"
#define ENDING_SECTION ".data.ending"

/* Known before the scheduler is loaded. */
struct machine {
	unsigned int loader; /* its process */
	unsigned int cpu_count;
	unsigned int llc_count;
	unsigned int cpu_llc[MAX_CPUS];
};

/* Why the kernel has ended it; the kind is written last, 0 = it has not. */
struct ending {
	char reason[128];
	char message[512];
	unsigned int kind;
};

#endif
