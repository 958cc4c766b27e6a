/* SPDX-License-Identifier: GPL-2.0-only */
/* A virtual machine as data, and the host CPU that its guest sees. */
#ifndef KTSTR_VM_SPEC_H
#define KTSTR_VM_SPEC_H

#include "base/base.h"

/*
 * host_cpu.c: The processor that KVM guests see. Linux finds out from vendor, family and model
 * where a CPU's last-level cache begins and ends, so those decide what -cpu needs.
 */

#define VM_CPU_VENDOR_SIZE 16

struct vm_host_cpu {
	char vendor[VM_CPU_VENDOR_SIZE]; /* "AuthenticAMD"; "" = not known */
	unsigned int family, model;
};

/* The first CPU of /proc/cpuinfo. */
void vm_host_cpu_read(const struct roots *roots, struct vm_host_cpu *out);

/* What -cpu host has to be followed by: "" or ",NAME=VALUE...". */
const char *vm_host_cpu_options(const struct vm_host_cpu *cpu);

/*
 * Appends what a saved guest's state depends on: the processor with its stepping, microcode and
 * features, and the kernel whose KVM it was. A line each; what the host does not tell is left out.
 */
void vm_host_cpu_identity(const struct roots *roots, struct str *out);

/*
 * spec.c: A virtual machine as data. Everything that boots one fills this in; the
 * command lines of QEMU and of the guest kernel are pure functions of it
 * (machine.h), and the engine (engine.h) starts, watches and ends it.
 */

enum vm_accel {
	VM_ACCEL_KVM,
	VM_ACCEL_TCG, /* one thread: parallel TCG and sched_ext's code patching do not go together */
	VM_ACCEL_SIM, /* one thread, time counted in instructions: repeatable */
};

enum vm_arch { VM_ARCH_X86_64, VM_ARCH_AARCH64 };

/* Whether a plugin of QEMU's code generator understands what the guest executes. */
static inline bool vm_has_plugin(enum vm_arch arch, enum vm_accel accel)
{
	return arch == VM_ARCH_X86_64 && accel != VM_ACCEL_KVM;
}

/* Nodes, LLCs in total, cores per LLC, threads per core. */
struct vm_topology {
	unsigned int nodes, llcs, cores, threads;
};

#define VM_MAX_CPUS 252
#define VM_MAX_NODES 8

/* In front of a node's memory; the numbers are those of the firmware's table. */
struct vm_memory_cache {
	unsigned int size_kib; /* 0 = there is none */
	unsigned int associativity, write_policy;
	unsigned int line_size; /* in bytes */
};

/* A NUMA node of a machine whose nodes differ. */
struct vm_node {
	unsigned int llcs; /* 0 = memory only */
	uint64_t memory_mib;
	unsigned int latency_ns,
		bandwidth_mbs; /* from the nearest CPUs; 0 = not told to the guest */
	struct vm_memory_cache cache;
};

/* As many nodes as the topology has; nothing given = all alike, 10 within and 20 between. */
struct vm_numa {
	bool has_nodes;
	struct vm_node nodes[VM_MAX_NODES];
	bool has_distances;
	unsigned int distances[VM_MAX_NODES][VM_MAX_NODES];
};

static inline unsigned int vm_topology_cpus(const struct vm_topology *t)
{
	return t->llcs * t->cores * t->threads;
}

/* What only sim has: how fast instructions count, and what the guest sees of chance. */
struct vm_sim {
	uint64_t seed;
	unsigned int shift; /* an instruction takes 2^shift ns */
	uint32_t slice_us;  /* vCPUs take turns at least this often; 0 = as the timers give it */
	bool has_jitter;    /* slice and delays from the seed */
	uint32_t delays;    /* at random times, a second; 0 = as the jitter has them */
	uint32_t wake_delay_us; /* some wakeups take up to so much longer */
	const char *strategy;	/* who goes first, see guest/order.h; NULL = nobody decides it */
	unsigned int depth;	/* of it */
	uint32_t events;	/* that a run of the test has; 0 = not known */
};

#define VM_SIM_SHIFT 1
#define VM_SIM_MAX_SHIFT 4	      /* above that a scheduler's gaps become unreal */
#define VM_SIM_SLICE_UNSET UINT32_MAX /* guest init's own: fixed, or with jitter from the seed */
#define VM_SIM_MIN_SLICE_US 10
#define VM_SIM_MAX_SLICE_US 50000

/* A guest that breaks out of QEMU finds a process that cannot start others or change users. */
#define VM_SANDBOX "on,obsolete=deny,elevateprivileges=deny,spawn=deny,resourcecontrol=deny"

/*
 * Files are given as paths; the engine uses /proc/self/fd/N for memory files that
 * QEMU inherits, so a VM leaves nothing on disk.
 */
struct vm_spec {
	const char *qemu; /* program */
	enum vm_arch arch;
	enum vm_accel accel;
	struct vm_host_cpu host_cpu; /* what a guest under kvm sees */
	bool has_smp_cache;	     /* this QEMU can place caches by name (9.2 and newer) */
	bool has_sandbox;	     /* and can give up system calls that it does not need */
	bool has_rom_option;	 /* and can have writable memory from a file that is not (8.2) */
	bool has_file_migration; /* also 8.2; others are given the file */
	unsigned int plugin_api; /* as vm_qemu_plugin_api() */
	const char *kernel;	 /* vmlinux with a PVH note, bzImage or Image */
	const char *initrd;
	const char *append; /* further words for the kernel, or NULL */
	struct vm_topology topology;
	struct vm_numa numa;
	uint64_t memory_mib;		     /* of all nodes together */
	const char *ram_paths[VM_MAX_NODES]; /* one file per node */
	bool ram_is_private;		     /* a restored VM writes to a copy, as a rule */
	const char *channel_path;
	bool channel_is_kept; /* a file of the template, see vm_storage_channel() */
	uint64_t channel_bytes;
	const char *console_path; /* COM1 is written to this file */
	int control_fd;		  /* COM2: a socket; 0 = a file at control_path */
	const char *control_path;
	int qmp_fd;	       /* a socket */
	const char *disk_path; /* or NULL */
	bool disk_is_nvme;     /* the kernel has no virtio_blk built in */
	bool has_modules;      /* kernel modules are brought along, and may be loaded */
	bool is_restored;      /* the state comes from a template; its channel is a private copy */
	bool is_held;	       /* it does not run before QEMU is told to */
	bool is_verbose;       /* the kernel talks on COM1 */
	bool is_performance;   /* kvm only: dedicated CPUs, no exits on halt */
	bool has_hugepages;    /* and memory of 2 MiB pages, of which enough are free */
	char host_nodes[32];   /* memory is bound to these NUMA nodes of the host; "" = to none */
	const char *mode;      /* KTSTR_MODE for guest init */
	const char *plugin;    /* of -plugin, or NULL; no part of a template */
	int gdb_fd;	       /* a socket for the gdb stub; 0 = it has none; the same */
	struct vm_sim sim;
};

/* -1 when there is no such accelerator. */
int vm_accel_by_name(const char *name);
const char *vm_accel_name(enum vm_accel accel);

/*
 * KTSTR_VERBOSE=1: the guest's kernel talks. RUST_BACKTRACE=1 or full does the same, but not
 * in sim: it is set for other reasons, and would make another run of it.
 */
bool vm_env_is_verbose(enum vm_accel accel);

/* 0, or -EINVAL naming the option that is out of range. slice_us may be unset. */
int vm_sim_check(uint64_t shift, uint64_t slice_us);

/* What guest init has to know of it, as NAME=VALUE lines. */
void vm_sim_settings(const struct vm_sim *sim, struct str *out);

/* "N,L,C,T". 0, or -EINVAL with a message that names the field. */
int vm_topology_parse(const char *text, struct vm_topology *out);

#endif
