/* SPDX-License-Identifier: GPL-2.0-only */
/* The guest's file system. */
#ifndef KTSTR_VM_INITRAMFS_H
#define KTSTR_VM_INITRAMFS_H

#include "kernel/kernel.h"
#include "vm/elf_closure.h"

/*
 * include_files.c: files that the user wants in the guest (`-i`), and the shared libraries of all
 * programs among them.
 */

struct include_file {
	const char *guest_path; /* below /include-files */
	const char *host_path;
	const char *argument; /* as given by the user */
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

/* Resolves the arguments of -i, in order. An invalid argument is an error with a message. */
int include_files_resolve(struct include_files *f, const char *const *arguments, size_t count);

/* Returns whether there are kernel modules among them, compressed or not; judged by file names. */
bool include_files_have_modules(const struct include_files *f);

/* Appends why each library was included (--explain-includes). */
void include_files_explain(const struct include_files *f, struct str *out);

void include_files_finish(struct include_files *f);

/*
 * initramfs.c: the guest's root file system: newc archives, written by ktstr itself.
 *
 * There are two. The base holds what seldom changes (init, busybox, include files with their
 * libraries, the scheduler). It is a file in the cache, named by a hash of its contents, built once
 * and shared by all runs with the same contents. The suffix holds the files of one run. A cold boot
 * gets both, concatenated, as its initrd; a restored VM gets the suffix through the channel's input
 * area.
 *
 * Both are uncompressed: decompression costs guest time, which under TCG is more expensive than the
 * host's page cache.
 *
 * Archives depend on their contents only: order, times, owners and inode numbers are fixed, because
 * any difference would give another sim run.
 */

struct initramfs_base_spec {
	const struct include_files *includes; /* NULL = none */
	const char *scheduler;		      /* host path of /scheduler, or NULL */
	const struct kernel_image *kernel;    /* its configuration is included; NULL = none */
};

struct initramfs_base {
	char *path;	       /* the archive, below the cache directory */
	char *key;	       /* hash of its contents: part of a run's identity */
	uint64_t packed_bytes; /* of the file */
	uint64_t unpacked_bytes;
	int lock_fd; /* the open archive with a shared lock; -1 = none */
};

/*
 * Finds the base in the cache or builds it; other processes that need the same base wait. All
 * libraries of a scheduler must exist. On error *out is zeroed.
 */
int initramfs_base_get(const struct initramfs_base_spec *spec, struct initramfs_base *out);
void initramfs_base_finish(struct initramfs_base *b);

/* The directory of all bases, to be freed; NULL with a message. */
char *initramfs_root(void);

struct initramfs_file {
	const char *path;   /* in the guest, absolute */
	unsigned int mode;  /* permission bits; 0 = 0644 */
	const char *source; /* host path; NULL = data and len */
	const void *data;
	size_t len;
};

/* Files of one run. Strings may be NULL. */
struct initramfs_run {
	const char *settings;		      /* NAME=VALUE lines, guest/protocol.h */
	const char *exec_command;	      /* mode exec */
	const char *const *args;	      /* mode run: program and arguments, NULL-terminated */
	const char *const *environ;	      /* NAME=VALUE, NULL-terminated */
	const struct include_files *includes; /* if they are not in the base */
	bool has_includes;		      /* the guest already has them */
	const struct initramfs_file *files;   /* further files */
	size_t file_count;
};

/* Appends the archive of a run, which ends with a mark that it is complete. */
int initramfs_suffix_add(const struct initramfs_run *run, struct str *out);

/* Size of that archive in bytes, without building it. */
int initramfs_suffix_measure(const struct initramfs_run *run, uint64_t *bytes);

/* Returns a memfd (close-on-exec) with base and suffix, for use as initrd. */
int initramfs_open(const struct initramfs_base *base, const struct str *suffix);

struct initramfs_memory {
	uint64_t unpacked_bytes; /* base and suffix */
	uint64_t packed_bytes;	 /* base and suffix */
	uint64_t kernel_bytes;	 /* init_size of the image */
	uint64_t channel_bytes;
};

/* Minimum memory in MiB for a guest to boot and unpack. */
uint64_t initramfs_memory_floor_mib(const struct initramfs_memory *m);

/* The program that loads the observer's BPF; *len is 0 if it was not built (no BPF compiler). */
const void *observer_program(size_t *len);

#endif
