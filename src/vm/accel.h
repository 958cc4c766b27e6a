/* SPDX-License-Identifier: GPL-2.0-only */
/* QEMU, and how it runs guests: kvm, tcg or sim. */
#ifndef KTSTR_VM_ACCEL_H
#define KTSTR_VM_ACCEL_H

#include "vm/spec.h"

/* kvm_probe.c: A guest of a few instructions that shows whether KVM can run a kernel here. */

enum kvm_state {
	KVM_WORKS,
	KVM_MISSING,   /* there is no device */
	KVM_FORBIDDEN, /* it may not be opened */
	KVM_BROKEN,    /* the guest cannot run */
	KVM_BUSY, /* it cannot run at the moment: somebody else has the processor's extensions */
	KVM_SLOW, /* it did not end in time */
};

/* A busy machine, or one that is emulated itself, takes its time: less says nothing. */
#define KVM_PROBE_LIMIT_NS (20 * NSEC_PER_SEC)

/* Whether a state is the same at the next look: what is forbidden or slow may not be. */
bool kvm_state_is_lasting(enum kvm_state state);

/* KVM_WORKS when the device can be opened; else with the reason appended to why. */
enum kvm_state kvm_look(const char *device, struct str *why);

/* What the errno of opening it says. */
enum kvm_state kvm_explain_open(const char *device, int error, struct str *why);

/*
 * Takes a fraction of a second where there is hardware for it. The reason (a sentence without a
 * full stop) is appended to why.
 */
enum kvm_state kvm_probe(const char *qemu, enum vm_arch arch, uint64_t limit_ns, struct str *why);

/* accel.c: Which QEMU there is, whether KVM works under it, and which accelerator a VM gets. */

struct vm_qemu {
	char *path;
	unsigned int major, minor;
	char *version_text; /* its own words: a distribution's patches count too */
	bool has_sandbox;   /* it was built with seccomp */
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
 * The version of the plugin interface that a plugin of ours states; what looks into guests of sim is
 * one. 11.0 takes up to 6, 11.1 none below 7. 0 = its plugins cannot read registers and memory.
 */
unsigned int vm_qemu_plugin_api(const struct vm_qemu *q);

#define KVM_DEVICE "/dev/kvm"

/*
 * Whether a guest runs under KVM: a device file alone does not say so. Starts a
 * tiny guest the first time after a boot; that it works, or cannot, is remembered.
 * Where it does not work the reason (a sentence without a full stop) is in why.
 */
enum kvm_state vm_kvm_state(const struct vm_qemu *qemu, enum vm_arch arch, struct str *why);

/* The same without a look at the device. */
enum kvm_state vm_kvm_ask(const struct vm_qemu *qemu, enum vm_arch arch, uint64_t limit_ns,
			  struct str *why);

/*
 * From what the user said (NULL = nothing; then KTSTR_ACCEL), or kvm where it works,
 * else fallback with one line on stderr. Asking for kvm where it does not work is an
 * error; so is a name that is none. Why it fell back is appended to no_kvm (may be NULL).
 */
int vm_accel_choose(const char *wanted, const struct vm_qemu *qemu, enum vm_arch arch,
		    enum vm_accel fallback, enum vm_accel *out, struct str *no_kvm);

/* An option of sim ("--sim-jitter") was given: a warning where it is none. */
void vm_accel_check_sim_option(enum vm_accel accel, const char *option);

#endif
