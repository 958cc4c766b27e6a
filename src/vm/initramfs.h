/* SPDX-License-Identifier: GPL-2.0-only */
/* What a guest finds in its file system. */
#ifndef KTSTR_VM_INITRAMFS_H
#define KTSTR_VM_INITRAMFS_H

#include "kernel/kernel.h"
#include "vm/elf_closure.h"

/*
 * include_files.c: Files that the user wants inside the guest (`-i`), and what they need to run:
 * the shared libraries of every program among them.
 */

struct include_file {
	const char *guest_path; /* below /include-files */
	const char *host_path;
	const char *argument; /* what the user wrote */
	mode_t mode;
	bool is_elf;
};

struct include_files {
	struct include_file *files; /* ascending by guest path */
	size_t count, cap;
	struct elf_closure libraries; /* of all of them */
	struct str warnings;	      /* one line each, without "warning: " */
	struct arena memory;
};

/* Resolves the arguments of -i, in the order given. A mistake is an error with its sentence. */
int include_files_resolve(struct include_files *f, const char *const *arguments, size_t count);

/* Whether kernel modules are among them, compressed or not, by their names. */
bool include_files_have_modules(const struct include_files *f);

/* Appends why each library was chosen: --explain-includes. */
void include_files_explain(const struct include_files *f, struct str *out);

void include_files_finish(struct include_files *f);

/*
 * initramfs.c: The guest's root file system: newc archives, made here byte by byte.
 *
 * There are two. The base holds what changes seldom (init, busybox, include
 * files with their libraries, the scheduler); it is a file in the cache, named by
 * a hash over all it holds, built once and shared by every run that wants the
 * same. The suffix holds what belongs to one run. A cold boot gets
 * both, one behind the other, as its initrd; a restored VM gets the suffix
 * through the channel's input area.
 *
 * Both are stored plain, not compressed: unpacking costs guest time, which under
 * TCG is dearer than the host's page cache.
 *
 * Archives are a function of their contents: order, times, owners and inode
 * numbers are fixed, because each of them would make another sim run.
 */

struct initramfs_base_spec {
	const struct include_files *includes; /* NULL = none */
	const char *scheduler;		      /* host path of /scheduler, or NULL */
	const struct kernel_image *kernel;    /* whose configuration goes in; NULL = none */
};

struct initramfs_base {
	char *path;	       /* the archive, below the cache directory */
	char *key;	       /* hash of what it holds: part of a run's identity */
	uint64_t packed_bytes; /* of the file */
	uint64_t unpacked_bytes;
	int lock_fd; /* the archive, open, with a shared lock; -1 = none */
};

/*
 * Finds the base in the cache or builds it; others who want the same one wait.
 * The program of a scheduler must have all its libraries. *out is zeroed or whole.
 */
int initramfs_base_get(const struct initramfs_base_spec *spec, struct initramfs_base *out);
void initramfs_base_finish(struct initramfs_base *b);

/* The directory of all bases, to be freed; NULL with a message. */
char *initramfs_root(void);

struct initramfs_file {
	const char *path;   /* in the guest, absolute */
	unsigned int mode;  /* permission bits; 0 = 0644 */
	const char *source; /* host path, or NULL: */
	const void *data;
	size_t len;
};

/* What belongs to one run. Strings may be NULL. */
struct initramfs_run {
	const char *settings;		      /* NAME=VALUE lines, guest/protocol.h */
	const char *exec_command;	      /* mode exec */
	const char *const *args;	      /* mode run: program and arguments, NULL-terminated */
	const char *const *environ;	      /* NAME=VALUE, NULL-terminated */
	const struct include_files *includes; /* where they are not in the base */
	bool has_includes;		      /* they are in the guest already */
	const struct initramfs_file *files;   /* whatever else */
	size_t file_count;
};

/* Appends the archive of a run, ending with the mark that it is complete. */
int initramfs_suffix_add(const struct initramfs_run *run, struct str *out);

/* How large that archive will be, without making it. */
int initramfs_suffix_measure(const struct initramfs_run *run, uint64_t *bytes);

/* A memfd with base and suffix, to be an initrd; closed on exec. Returns the descriptor. */
int initramfs_open(const struct initramfs_base *base, const struct str *suffix);

struct initramfs_memory {
	uint64_t unpacked_bytes; /* base and suffix */
	uint64_t packed_bytes;	 /* base and suffix */
	uint64_t kernel_bytes;	 /* init_size of the image */
	uint64_t channel_bytes;
};

/* The least memory in MiB with which a guest can boot and unpack. */
uint64_t initramfs_memory_floor_mib(const struct initramfs_memory *m);

/* The loader of the observer; *len is 0 where it could not be built (no BPF compiler). */
const void *observer_program(size_t *len);

#endif
