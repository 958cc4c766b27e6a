/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Templates: a guest that was booted once to its ready point and saved, so that
 * every run can go on from there in a tenth of a second.
 *
 * A template is named by a hash over all that made it: kernel, initramfs, QEMU,
 * machine and both command lines. It is built once, under a lock, in the cache
 * directory: ramN (the guest's memory, of which each run has a private copy),
 * state (the devices), console (what its kernel said) and template.json, which has the
 * checksums of ramN and state.
 *
 * A second kind goes on from the first: it gets the files of a scheduler, starts that, and is
 * saved again right before it registers (guest/protocol.h). Loading a scheduler takes most of
 * the time of a short run, and is the same in all runs of it on a machine.
 */
#ifndef KTSTR_VM_TEMPLATE_H
#define KTSTR_VM_TEMPLATE_H

#include "vm/accel.h"
#include "vm/initramfs.h"

struct vm_template_request {
	const struct vm_qemu *qemu;
	const struct vm_spec *spec; /* as for a boot; its files are filled in here */
	const struct initramfs_base *base;
	uint64_t channel_bytes; /* of the runs that will use it */
	uint64_t ring_bytes;
	uint64_t boot_limit_ns; /* wall clock for reaching the ready point */
	/* The template to go on from, with these files; NULL = it boots. */
	const struct vm_template_request *parent;
	const struct str *input;
	const char *scheduler; /* that is in them, for people */
};

struct vm_template {
	char *dir;
	char *key;
	int lock_fd; /* shared: nobody removes it while we start from it */
	bool was_built;
	char *temporary; /* the directory that holds it, for this run only; NULL = it is in the cache */
};

/* Finds the template or builds it; whoever wants the same one meanwhile waits. */
int vm_template_get(const struct vm_template_request *r, struct vm_template *out);
void vm_template_finish(struct vm_template *t);

/* Appends what its kernel said while it booted: much where it is verbose. */
int vm_template_console(const struct vm_template *t, struct str *out);

/* Removes one that could not be restored from, unless somebody has done so meanwhile. */
int vm_template_discard(struct vm_template *t);

/*
 * Appends what the template in dir is of, in words: kernel, topology, accelerator, scheduler. Returns
 * whether it has one.
 */
bool vm_template_describe(const char *dir, struct str *out);

/* The directory of all templates, to be freed; NULL with a message. */
char *vm_template_root(void);

/*
 * template_files.c:
 * The files of a template and their checksums: a power cut, a full disk or somebody's hand may
 * have changed them since they were saved, and a guest that goes on from such memory fails in any
 * way, or never answers.
 */

#define TEMPLATE_JSON "template.json"

struct template_file {
	const char *name, *sum;
	uint64_t bytes;
};

/* What the file says that is read back; texts may be NULL. */
struct template_text {
	const char *kernel, *topology, *accel, *scheduler;
	VEC(struct template_file) files;
	bool is_whole; /* false = it is damaged */
	struct arena arena;
};

/* False when there is none. */
bool template_text_read(const char *dir, struct template_text *out);

static inline void template_text_finish(struct template_text *t)
{
	arena_finish(&t->arena);
}

/* Appends the member "files" with size and checksum of each file in dir. */
int template_files_put(struct json *j, const char *dir);

/*
 * Whether all files are as they were saved: 0, or -EINVAL with the reason appended. A file whose
 * checksum was found right once is not read again until it changes.
 */
int template_files_check(const char *dir, struct str *why);

#endif
