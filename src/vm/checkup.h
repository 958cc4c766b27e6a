/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Checks whether this host can run VMs and build kernels. Facts are collected first; then a table
 * of checks, one function each, judges them.
 */
#ifndef KTSTR_VM_CHECKUP_H
#define KTSTR_VM_CHECKUP_H

#include "base/finding.h"
#include "host/context.h"
#include "vm/accel.h"

enum checkup_state {
	CHECKUP_OK,
	CHECKUP_WARN, /* degraded, or missing but not always needed */
	CHECKUP_FAIL, /* no VM can be run */
	CHECKUP_STATES,
};
extern const char *const checkup_state_names[CHECKUP_STATES];

/* Whose package names are used in messages; Debian's if unknown. */
enum checkup_system { CHECKUP_DEBIAN, CHECKUP_FEDORA, CHECKUP_ARCH, CHECKUP_SYSTEMS };

/* A program and its version. */
struct checkup_tool {
	char *text; /* first line of its output; NULL = not installed */
	int number; /* for pahole: 100 * major + minor, or -1 */
};

struct checkup_facts {
	enum vm_arch arch; /* of this host */
	struct vm_qemu qemu;
	char *qemu_error;   /* NULL = found */
	enum kvm_state kvm; /* valid if there is a QEMU */
	struct str kvm_why;
	char *busybox, *busybox_error;
	size_t kernels_usable, kernels_all;
	char *kernels_error;
	struct checkup_tool pahole, clang;
	struct str missing_tools; /* missing tools for kernel builds, separated by blanks */
	char *cache_dir;	  /* NULL with cache_error */
	char *cache_error;
	bool is_cache_writable;
	struct host_number cache_free_bytes;
	char *lock_error;   /* of the lock directory; NULL = usable */
	char *cgroup_error; /* NULL = a cpuset can be created */
	bool has_cgroup2;   /* the hierarchy is mounted, whether we may use it or not */
	bool is_root;
	enum checkup_system system;
	struct host_number hugepages_free, hugepages_total; /* of 2 MiB */
	struct host_number rtprio;			    /* RLIMIT_RTPRIO */
	bool can_nice;					    /* CAP_SYS_NICE */
	struct host_number cpus, memory_kib;
	struct host_number allowed_cpus, allowed_memory; /* by affinity and cgroup; in bytes */
};

/* Facts that cannot be determined stay unknown; only -ENOMEM is an error. */
int checkup_gather(struct checkup_facts *f, const struct roots *roots);
void checkup_facts_finish(struct checkup_facts *f);

#define CHECKUP_CHECKS 12

int checkup_judge(const struct checkup_facts *f, struct finding out[static CHECKUP_CHECKS]);

#define _checkup_facts_ _cleanup_(checkup_facts_finish)

#endif
