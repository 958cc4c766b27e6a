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
	struct scx_ktstr_config *config;     /* valid until the object is loaded */
	const struct scx_ktstr_state *state; /* mapped, once the object is loaded */
};

/* On error these print a message to stderr and return a negative errno. */
int loader_open(struct loader *l, bool is_verbose);
int loader_load(struct loader *l, unsigned int timeout_ms);
int loader_attach(struct loader *l);

/* Pins the link: the scheduler stays attached when this process exits. */
int loader_pin(struct loader *l);

/* Prints a line per program: its name and the number of verified instructions. */
void loader_print_programs(const struct loader *l);

/* Call before loading: the kernel then ends the scheduler on CPU hotplug. */
void loader_ignore_hotplug(struct loader *l);

/* Returns whether the scheduler has ended and asked to be started again. */
bool loader_must_restart(const struct loader *l);

bool loader_has_ended(const struct loader *l);

/* Detaches if necessary, prints the exit reason and the kernel's dump. Returns the exit kind. */
unsigned int loader_finish(struct loader *l);

/* Reads the CPUs of this machine, and which of them share a last-level cache. */
int loader_read_cpus(struct scx_ktstr_config *config, bool has_llcs);

#endif
