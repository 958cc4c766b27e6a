/* SPDX-License-Identifier: GPL-2.0-only */
/* Shared by the files of the probes: attaching them, and writing what they recorded. */
#ifndef KTSTR_BPF_OBSERVE_PROBES_H
#define KTSTR_BPF_OBSERVE_PROBES_H

#include <bpf/bpf.h>
#include <bpf/btf.h>
#include <bpf/libbpf.h>
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "probe_layout.h"
#include "observe.h"

#define MAX_DROPPED 128

/* A recorded function: a program of the scheduler, or a kernel function. */
struct function {
	char name[128], op[48], file[256];
	unsigned int line; /* line where it begins; 0 = unknown */
	unsigned int arguments;
	__u32 id; /* ID of the program; 0 = a kernel function */
};

struct probes {
	struct bpf_object *object;
	struct btf *kernel;
	struct probe_control *control;
	struct function functions[PROBE_FUNCTIONS];
	size_t count;
	struct {
		char name[128], reason[96];
	} dropped[MAX_DROPPED];
	size_t dropped_count;
};

void probes_drop(struct probes *p, const char *name, const char *reason, int rc);

/* Attaches a copy of this program to a function of a BPF program (target), or of the kernel (0). */
int probes_attach_copy(const struct probes *p, const char *name, int target, __u32 function,
		       __u64 cookie);

/* Number of the parameter that is a pointer to this struct, or this enum; from 1, 0 = none. */
unsigned int probes_parameter(const struct btf *types, const struct btf_type *prototype,
			      const char *name);

/* observe_programs.c: attaches to programs of schedulers loaded since the last call. */
void programs_attach(struct probes *p);

/* observe_records.c: writes DIR/records and DIR/report.json. */
int probes_write(struct probes *p, const char *dir);

#endif
