/* SPDX-License-Identifier: GPL-2.0-only */
/* Finding QEMU, and choosing the accelerator: kvm, tcg or sim. */
#ifndef KTSTR_VM_ACCEL_H
#define KTSTR_VM_ACCEL_H

#include "vm/spec.h"

/* kvm_probe.c: a guest of a few instructions that shows whether KVM can run a kernel here. */

enum kvm_state {
	KVM_WORKS,
	KVM_MISSING,   /* no device file */
	KVM_FORBIDDEN, /* no permission to open it */
	KVM_BROKEN,    /* the guest cannot run */
	KVM_BUSY,      /* temporarily unavailable: another hypervisor uses the CPU's extensions */
	KVM_SLOW,      /* the guest did not end in time */
};

/* Generous: a busy host, or one that is itself emulated, is slow. */
#define KVM_PROBE_LIMIT_NS (20 * NSEC_PER_SEC)

/*
 * Returns whether the state is permanent until the next boot; permissions and slowness may change.
 */
bool kvm_state_is_lasting(enum kvm_state state);

/* KVM_WORKS if the device can be opened; otherwise appends the reason to why. */
enum kvm_state kvm_look(const char *device, struct str *why);

/* Translates the errno of open(); appends the reason to why. */
enum kvm_state kvm_explain_open(const char *device, int error, struct str *why);

/*
 * Runs the test guest; takes a fraction of a second with hardware support. Appends the reason (a
 * sentence without a full stop) to why, if it does not work.
 */
enum kvm_state kvm_probe(const char *qemu, enum vm_arch arch, uint64_t limit_ns, struct str *why);

/*
 * accel.c: finds QEMU, determines whether KVM works with it, and selects the accelerator of a VM.
 */

struct vm_qemu {
	char *path;
	unsigned int major, minor;
	char *version_text; /* as printed: distribution patches matter, too */
	bool has_sandbox;   /* built with seccomp */
};

enum vm_arch vm_arch_host(void);

/*
 * The QEMU for guests of this architecture: KTSTR_QEMU, else by name in PATH.
 * -ENOENT when there is none, -ENOTSUP when it is older than 7.2.
 */
int vm_qemu_find(enum vm_arch arch, struct vm_qemu *out);
void vm_qemu_finish(struct vm_qemu *q);

bool vm_qemu_is_from(const struct vm_qemu *q, unsigned int major, unsigned int minor);

/*
 * Version of the plugin API to declare in our plugins, which inspect guests of sim. QEMU 11.0
 * accepts up to 6, 11.1 nothing below 7. 0 = its plugins cannot read registers and memory.
 */
unsigned int vm_qemu_plugin_api(const struct vm_qemu *q);

#define KVM_DEVICE "/dev/kvm"

/*
 * Returns whether a guest runs under KVM; a device file alone does not prove that. Starts a tiny
 * guest on the first call after a boot; a permanent result is cached. If it does not work, why gets
 * the reason (a sentence without a full stop).
 */
enum kvm_state vm_kvm_state(const struct vm_qemu *qemu, enum vm_arch arch, struct str *why);

/* The same without opening the device first. */
enum kvm_state vm_kvm_ask(const struct vm_qemu *qemu, enum vm_arch arch, uint64_t limit_ns,
			  struct str *why);

/*
 * Selects the accelerator: `wanted` (from the user; if NULL: KTSTR_ACCEL), else kvm if it works,
 * else fallback with a line on stderr. Requesting kvm if it does not work is an error, and so is an
 * unknown name. The reason for a fallback is appended to no_kvm (may be NULL).
 */
int vm_accel_choose(const char *wanted, const struct vm_qemu *qemu, enum vm_arch arch,
		    enum vm_accel fallback, enum vm_accel *out, struct str *no_kvm);

/* Warns if an option of sim ("--sim-jitter") was given with another accelerator. */
void vm_accel_check_sim_option(enum vm_accel accel, const char *option);

#endif
