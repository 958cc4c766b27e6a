/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Templates: guests that were booted to their ready point and saved, so that a run can continue
 * from there within a tenth of a second.
 *
 * A template is named by a hash over its inputs: kernel, initramfs, QEMU, machine and both command
 * lines. It is built once, under a lock, in the cache directory: ramN (the guest's memory, of which
 * each run has a private copy), state (the devices), console (messages of its kernel) and
 * template.json, which has the checksums of ramN and state.
 *
 * A second kind continues from the first: it gets the files of a scheduler, starts it, and is saved
 * again right before the scheduler registers (guest/protocol.h). Loading a scheduler takes most of
 * the time of a short run, and is the same in all its runs on a machine.
 */
#ifndef KTSTR_VM_TEMPLATE_H
#define KTSTR_VM_TEMPLATE_H

#include "vm/accel.h"
#include "vm/initramfs.h"

struct vm_template_request {
	const struct vm_qemu *qemu;
	const struct vm_spec *spec; /* as for a boot; files are filled in here */
	const struct initramfs_base *base;
	uint64_t channel_bytes; /* of the runs that will use it */
	uint64_t ring_bytes;
	uint64_t boot_limit_ns; /* wall-clock limit for reaching the ready point */
	/* The template to continue from, with `input` as its files; NULL = boot. */
	const struct vm_template_request *parent;
	const struct str *input;
	const char *scheduler; /* name of the scheduler in input, for messages */
};

struct vm_template {
	char *dir;
	char *key;
	int lock_fd; /* shared: prevents removal while in use */
	bool was_built;
	char *temporary; /* directory that holds it for this run only; NULL = it is in the cache */
};

/* Finds or builds the template; waits if another process is building it. */
int vm_template_get(const struct vm_template_request *r, struct vm_template *out);
void vm_template_finish(struct vm_template *t);

/* Appends the kernel's boot messages; many if it is verbose. */
int vm_template_console(const struct vm_template *t, struct str *out);

/* Removes a template that could not be restored, unless another process has done so. */
int vm_template_discard(struct vm_template *t);

/*
 * Appends a description of the template in dir: kernel, topology, accelerator, scheduler. Returns
 * whether it has a scheduler.
 */
bool vm_template_describe(const char *dir, struct str *out);

/* The directory of all templates, to be freed; NULL with a message. */
char *vm_template_root(void);

/*
 * template_files.c: files of a template and their checksums. A power failure, a full disk or a user
 * may have changed them since they were saved; a guest restored from such memory fails in
 * unpredictable ways, or hangs.
 */

#define TEMPLATE_JSON "template.json"

struct template_file {
	const char *name, *sum;
	uint64_t bytes;
};

/* Contents of template.json; strings may be NULL. */
struct template_text {
	const char *kernel, *topology, *accel, *scheduler;
	VEC(struct template_file) files;
	bool is_whole; /* false = damaged */
	struct arena arena;
};

/* False if there is no template.json. */
bool template_text_read(const char *dir, struct template_text *out);

static inline void template_text_finish(struct template_text *t)
{
	arena_finish(&t->arena);
}

/* Appends the member "files" with size and checksum of each file in dir. */
int template_files_put(struct json *j, const char *dir);

/*
 * Compares all files with their checksums: 0, or -EINVAL with the reason appended to why. A file
 * that was found intact is not read again until it changes.
 */
int template_files_check(const char *dir, struct str *why);

#endif
