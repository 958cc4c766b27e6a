/* SPDX-License-Identifier: GPL-2.0-only */
/* The BPF side of scx-ktstr: open, configure, load, attach, explain the end. */
#ifndef KTSTR_BPF_LOADER_H
#define KTSTR_BPF_LOADER_H

#include <stdbool.h>

#include "scx_ktstr.h"

struct bpf_object;
struct bpf_link;
struct bpf_map;

struct loader {
	struct bpf_object *object;
	struct bpf_map *ops;
	struct bpf_link *link;
	struct scx_ktstr_config *config;     /* until it is loaded */
	const struct scx_ktstr_state *state; /* the kernel's own, once it is loaded */
};

/* Each says on stderr what went wrong and returns a negative errno. */
int loader_open(struct loader *l, bool is_verbose);
int loader_load(struct loader *l, unsigned int timeout_ms);
int loader_attach(struct loader *l);

/* Leaves it to the kernel: nothing is detached any more. */
int loader_pin(struct loader *l);

/* A line per program: its name and how many instructions the verifier looked at. */
void loader_print_programs(const struct loader *l);

/* Before it is loaded: the kernel ends it whenever a CPU comes or goes. */
void loader_ignore_hotplug(struct loader *l);

/* Whether it has ended because it shall be started again. */
bool loader_must_restart(const struct loader *l);

bool loader_has_ended(const struct loader *l);

/* Detaches if need be, and prints why it ended and the kernel's dump. Its exit kind. */
unsigned int loader_finish(struct loader *l);

/* The CPUs of this machine and which share their last cache. */
int loader_read_cpus(struct scx_ktstr_config *config, bool has_llcs);

#endif
