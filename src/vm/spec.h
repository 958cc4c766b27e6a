/* SPDX-License-Identifier: GPL-2.0-only */
/* Description of a virtual machine, and of the host CPU that its guest sees. */
#ifndef KTSTR_VM_SPEC_H
#define KTSTR_VM_SPEC_H

#include "base/base.h"

/*
 * host_cpu.c: the CPU that KVM guests see. Linux derives the extent of last-level caches from
 * vendor, family and model, so these determine the options of -cpu.
 */

#define VM_CPU_VENDOR_SIZE 16

struct vm_host_cpu {
	char vendor[VM_CPU_VENDOR_SIZE]; /* "AuthenticAMD"; "" = unknown */
	unsigned int family, model;
};

/* Reads the first CPU of /proc/cpuinfo. */
void vm_host_cpu_read(const struct roots *roots, struct vm_host_cpu *out);

/* Options to append to -cpu host: "" or ",NAME=VALUE...". */
const char *vm_host_cpu_options(const struct vm_host_cpu *cpu);

/*
 * Appends what the saved state of a guest depends on, one item per line: the CPU with stepping,
 * microcode and features, and the host kernel. Unknown items are omitted.
 */
void vm_host_cpu_identity(const struct roots *roots, struct str *out);

/*
 * spec.c: description of a virtual machine. Callers fill it in; the command lines of QEMU and of
 * the guest kernel are pure functions of it (machine.h), and the engine (engine.h) starts, monitors
 * and ends it.
 */

enum vm_accel {
	VM_ACCEL_KVM,
	VM_ACCEL_TCG, /* one thread: parallel TCG does not work with sched_ext's code patching */
	VM_ACCEL_SIM, /* one thread, time counted in instructions: reproducible */
};

enum vm_arch { VM_ARCH_X86_64, VM_ARCH_AARCH64 };

/* Returns whether a TCG plugin can be used, which decodes the guest's instructions. */
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

/* Memory-side cache of a node; values as in the ACPI HMAT. */
struct vm_memory_cache {
	unsigned int size_kib; /* 0 = none */
	unsigned int associativity, write_policy;
	unsigned int line_size; /* in bytes */
};

/* A NUMA node of a machine with unequal nodes. */
struct vm_node {
	unsigned int llcs; /* 0 = memory only */
	uint64_t memory_mib;
	unsigned int latency_ns,
		bandwidth_mbs; /* from the nearest CPUs; 0 = not in the guest's HMAT */
	struct vm_memory_cache cache;
};

/* As many nodes as in the topology; unset = uniform nodes, distance 10 (local) and 20 (remote). */
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

/* Options of sim: speed of the virtual clock, and sources of nondeterminism for the guest. */
struct vm_sim {
	uint64_t seed;
	unsigned int shift;	/* an instruction takes 2^shift ns */
	uint32_t slice_us;	/* vCPUs switch at least this often; 0 = only by timers */
	bool has_jitter;	/* slice and delays are derived from the seed */
	uint32_t delays;	/* number per second at random times; 0 = by has_jitter */
	uint32_t wake_delay_us; /* some wakeups are delayed by up to this time */
	const char *strategy;	/* order of runnable tasks, see guest/order.h; or NULL */
	unsigned int depth;	/* parameter of the strategy */
	uint32_t events;	/* events in a run of the test; 0 = unknown */
};

#define VM_SIM_SHIFT 1
#define VM_SIM_MAX_SHIFT 4	      /* above this a scheduler's gaps become unrealistic */
#define VM_SIM_SLICE_UNSET UINT32_MAX /* guest init's default: fixed, or from the seed */
#define VM_SIM_MIN_SLICE_US 10
#define VM_SIM_MAX_SLICE_US 50000

/* Seccomp options: a guest that breaks out of QEMU cannot start processes or change users. */
#define VM_SANDBOX "on,obsolete=deny,elevateprivileges=deny,spawn=deny,resourcecontrol=deny"

/*
 * Files are given as paths. The engine uses /proc/self/fd/N of memory files that QEMU inherits, so
 * a VM leaves nothing on disk.
 */
struct vm_spec {
	const char *qemu; /* program */
	enum vm_arch arch;
	enum vm_accel accel;
	struct vm_host_cpu host_cpu; /* seen by a guest under kvm */
	bool has_smp_cache;	     /* QEMU has smp-cache, which places caches (10.0 and newer) */
	bool has_sandbox;	     /* QEMU supports -sandbox */
	bool has_rom_option;	     /* QEMU supports rom=off for read-only files (8.2) */
	bool has_file_migration;     /* also 8.2; others get a file descriptor */
	unsigned int plugin_api;     /* see vm_qemu_plugin_api() */
	const char *kernel;	     /* vmlinux with a PVH note, bzImage or Image */
	const char *initrd;
	const char *append; /* further words of the kernel command line, or NULL */
	struct vm_topology topology;
	struct vm_numa numa;
	uint64_t memory_mib;		     /* sum over all nodes */
	const char *ram_paths[VM_MAX_NODES]; /* one file per node */
	bool ram_is_private;		     /* a restored VM usually writes to a private copy */
	const char *channel_path;
	bool channel_is_kept; /* a file of the template, see vm_storage_channel() */
	uint64_t channel_bytes;
	const char *console_path; /* COM1 is written to this file */
	int control_fd;		  /* COM2: a socket; 0 = file control_path */
	const char *control_path;
	int qmp_fd;	       /* a socket */
	const char *disk_path; /* or NULL */
	bool disk_is_nvme;     /* if virtio_blk is not built into the kernel */
	bool has_modules;      /* kernel modules are included and may be loaded */
	bool is_restored;      /* restored from a template; its channel is a private copy */
	bool is_held;	       /* start paused, until QEMU gets "cont" */
	bool is_verbose;       /* verbose kernel console on COM1 */
	bool is_performance;   /* kvm only: dedicated CPUs, no exits on halt */
	bool has_hugepages;    /* back memory by 2 MiB pages; enough are free */
	char host_nodes[32];   /* bind memory to these NUMA nodes of the host; "" = none */
	const char *mode;      /* KTSTR_MODE for guest init */
	const char *plugin;    /* argument of -plugin, or NULL; not for templates */
	int gdb_fd;	       /* socket of the gdb stub; 0 = none; not for templates */
	struct vm_sim sim;
};

/* -1 if there is no such accelerator. */
int vm_accel_by_name(const char *name);
const char *vm_accel_name(enum vm_accel accel);

/*
 * KTSTR_VERBOSE=1 makes the guest's kernel verbose. RUST_BACKTRACE=1 or full does, too, but not in
 * sim: it is often set for other reasons, and would change the run.
 */
bool vm_env_is_verbose(enum vm_accel accel);

/* 0, or -EINVAL naming the option that is out of range. slice_us may be VM_SIM_SLICE_UNSET. */
int vm_sim_check(uint64_t shift, uint64_t slice_us);

/* Appends the settings of sim for guest init, as lines NAME=VALUE. */
void vm_sim_settings(const struct vm_sim *sim, struct str *out);

/* Parses "N,L,C,T". 0, or -EINVAL with a message that names the field. */
int vm_topology_parse(const char *text, struct vm_topology *out);

#endif
