/* SPDX-License-Identifier: GPL-2.0-only */
/* Declarations shared by the files of this directory only. */
#ifndef KTSTR_KERNEL_PARTS_H
#define KTSTR_KERNEL_PARTS_H

#include "kernel/build.h"
#include "kernel/cache.h"

/* vmlinux.c: facts from the uncompressed kernel, and a stripped copy of it. */

struct vmlinux_facts {
	enum kernel_answer has_scx;
	enum kernel_btf btf;
	uint32_t unsound_kfuncs;
};

/* -EINVAL with a message if it is not a 64-bit ELF file or its BTF is damaged. */
int vmlinux_look(const void *data, size_t len, struct vmlinux_facts *out);
int vmlinux_look_file(const char *path, struct vmlinux_facts *out);

/*
 * Checks by its headers that an ELF file is complete: the section header table is the last thing in
 * it. -ENOENT, -EINVAL and others with a message.
 */
int vmlinux_check_file(const char *path);

/* Writes a copy with symbols, BTF and read-only data, without code and debug information. */
int vmlinux_strip(const char *from, const char *to);

/* command.c: runs programs to completion with captured output: git, make, pahole. */

struct command {
	const char *const *argv;
	const char *directory; /* NULL = the current one */
	uint64_t timeout_ns;   /* 0 = none */
	const char *what;      /* shown on a terminal while it runs; NULL = nothing */
	bool merge_stderr;     /* capture stderr, too; otherwise it is dropped */
	bool show;	       /* print the output instead of capturing it */
};

/*
 * Returns the exit status, or a negative errno with a message. Appends the output to out (may be
 * NULL). If this process is killed, even by SIGKILL, the program and its descendants are ended.
 * Callers that defer signals (base/interrupt.h) get -EINTR.
 */
int command_run(const struct command *c, struct str *out);

/* archive.c: Archives and compressed data, through libarchive. */

/*
 * Appends the uncompressed data of a buffer: gzip, xz, zstd, lz4, lzma, bzip2 or lzo, detected by
 * magic. -EINVAL with a message unless the result has exactly `wanted` bytes.
 */
int archive_unpack_buffer(const void *data, size_t len, size_t wanted, struct str *out);

/*
 * Reads a compressed or plain text file piece by piece: take() gets complete lines without newline
 * and may return a negative errno to stop.
 */
int archive_read_lines(const char *path, int (*take)(void *context, char *line), void *context);

/* Appends a whole file, uncompressed; -EFBIG if that exceeds limit bytes. */
int archive_read_file(const char *path, size_t limit, struct str *out);

/* A member to extract from a package: the first whose name matches one of the patterns. */
struct archive_member {
	const char *patterns[2]; /* "./boot/vmlinuz-*"; the second may be NULL */
	const char *target;	 /* output file */
	bool found;
};

/* Extracts members from a Debian package. */
int archive_unpack_deb(const char *path, struct archive_member *members, size_t count);

/* Unpacks a tar archive into directory. All members must be below top/, as in kernel archives. */
int archive_unpack_tar(const char *path, const char *directory, const char *top);

/* image.c: kernel images outside of the cache: in a source tree, in /boot, anywhere. */

/* Path of the image below a tree, as built. */
const char *image_below_tree(void);

/*
 * The image in a source or build tree: at that path, or directly in the directory. -ENOENT with a
 * message.
 */
int image_in_tree(const char *tree, struct kernel_image *out);

/* A kernel image file, with the vmlinux next to it or in its tree. */
int image_from_file(const char *path, struct kernel_image *out);

/* Extracts vmlinux from an image without one, into the cache; errors are ignored. */
void image_unpack(struct kernel_image *k);

/*
 * bzimage.c: kernel images: the boot header of an x86 bzImage (Documentation/arch/x86/boot.rst) and
 * of an arm64 Image, and the ELF file inside a bzImage.
 */

#define BZIMAGE_RELEASE_SIZE 128

struct bzimage {
	const char *arch;      /* x86_64 or aarch64 */
	size_t payload_offset; /* the compressed vmlinux; length 0 on arm64 */
	size_t payload_length;
	char release[BZIMAGE_RELEASE_SIZE]; /* as reported by uname -r; "" if it is not included */
};

/*
 * Parses the header. -EINVAL if it is not a kernel image, -ENODATA if it is truncated; both with a
 * message.
 */
int bzimage_parse(const void *data, size_t len, struct bzimage *out);

/* Appends the decompressed vmlinux, or its replacement on arm64. -EINVAL with a message. */
int bzimage_unpack(const void *data, size_t len, struct str *vmlinux);

/*
 * arm64_image.c: a replacement for vmlinux from an arm64 Image: its contents, with BTF as a
 * section. It cannot be booted.
 */
int arm64_image_unpack(const void *data, size_t len, struct str *vmlinux);

/* Reads the whole file and calls bzimage_parse(). */
int bzimage_check_file(const char *path, struct bzimage *out);

/*
 * Writes the vmlinux inside an image to a file. It can be booted directly (PVH), which saves the
 * decompression in the guest.
 */
int bzimage_extract(const char *image, const char *vmlinux);

/*
 * config_facts.c: derives configuration options from the image of a kernel.
 *
 * Without a .config a scheduler still needs some options: the loader of BPF programs sets every
 * `extern ... CONFIG_X __kconfig`, and fails to load the program if one is unknown. A row of the
 * table names a function, member or enumerator that exists only with an option; if the image has
 * it, the option is on. Its absence proves nothing.
 */

/* First line of texts made by config_facts_add(), up to the list of sources. */
#define CONFIG_FACTS_MARK "# Derived by ktstr from the kernel image; not the kernel's own .config."

/* Appends the configuration embedded in the image (CONFIG_IKCONFIG). -ENOENT: none. */
int config_embedded_add(const void *data, size_t len, struct str *out);

/* Appends lines CONFIG_X=y after the mark. A vmlinux without BTF still proves a few options. */
int config_facts_add(const void *vmlinux, size_t len, struct str *out);

/*
 * distro.c: common part of entries with prebuilt images. Extracts the vmlinux next to the image;
 * not an error if there is none: such an image still boots.
 */
int entry_look_inside(const char *entry, struct bzimage *image, struct vmlinux_facts *facts,
		      bool *has_vmlinux);
void kernel_meta_image(struct kernel_meta *meta, const struct bzimage *image,
		       const struct vmlinux_facts *facts);

/* discover.c: places that kernel_discover() searches; tests replace them. */

struct discover_places {
	const char *here;    /* "." */
	const char *modules; /* "/lib/modules" */
	const char *boot;    /* "/boot" */
	const char *release; /* as reported by uname -r */
};

int discover_in(const struct discover_places *places, struct kernel_image *out);

/* Identifier of the kernel that runs on this host. */
#define KERNEL_OF_HOST "host"

/* Finds its image where distributions install it. -ENOENT with a message that lists the places. */
int discover_running_in(const struct discover_places *places, struct kernel_image *out);
int discover_running(struct kernel_image *out);

/* cache_lock.c: locks of the cache: one file per entry and per source tree, below {root}/.locks. */

#define CACHE_READ_TIMEOUT_NS (10ULL * 1000000000)

/*
 * Takes {root}/.locks/{name}.lock, retrying every 100 ms. Returns a descriptor to be closed, or
 * -EWOULDBLOCK or another negative errno with a message.
 */
int cache_lock(const char *root, const char *name, bool exclusive, uint64_t timeout_ns);

/* 60 s or KTSTR_CACHE_STORE_LOCK_TIMEOUT; -EINVAL with a message if that is malformed. */
int cache_store_timeout(uint64_t *timeout_ns);

/* lookup.c: searches the cache for a version. */

/*
 * The best entry of a version or series: the newest version; our own builds before those of a
 * distribution. With only_usable stale builds and unsound images are ignored. NULL if there is
 * none.
 */
const struct cache_entry *lookup_version(const struct cache_list *list,
					 const struct kernel_version *wanted, bool only_usable);

/*
 * The usable entry with the highest version; if several, the one stored last. Entries without a
 * version come last. NULL if there is none.
 */
const struct cache_entry *lookup_highest(const struct cache_list *list);

/* key.c: names of cache entries. The key contains everything that distinguishes kernels. */

/* To be freed; NULL if out of memory. extra_hash is that of --extra-kconfig, "" without. */
char *key_tarball(const char *version, const char *extra_hash);
char *key_git(const char *ref, const char *hash, const char *extra_hash);

/* config_hash is that of the .config, "" if there is none yet. */
char *key_local(const char *hash, const char *config_hash, const char *extra_hash);

/* For a tree that is not identified by a commit; such a kernel is never stored. */
char *key_local_unknown(const char *path, const char *extra_hash);

/* git_source.c: kernel sources from a git repository. */

/*
 * The commit that REF currently means, without cloning. -ENOENT if there is no such branch, tag or
 * commit, -EIO if the repository cannot be read.
 */
int git_source_tip(const struct kernel_id *id, char hash[static 41]);

/* Makes a shallow clone of the commit in the directory, which must be empty. */
int git_source_clone(const struct kernel_id *id, const char *hash, const char *directory,
		     const char *label);

/* tarball.c: kernel sources from kernel.org: URLs, download and verification. */

/* Appends the URL of a version's archive. */
void tarball_url(const struct kernel_version *v, struct str *out);

/* Finds the SHA-256 of a file in sha256sums.asc; false if it is not listed. */
bool tarball_find_sum(const char *sums, const char *file, char out[static 65]);

/*
 * The newest patch of a series: from the release index; for a series that is not listed there (end
 * of life) by probing one patch after the other.
 */
int tarball_newest(const struct kernel_version *series, const char *label,
		   struct kernel_version *out);

/*
 * Downloads, verifies and unpacks into directory; appends the path of the tree. -ENOENT if there is
 * no such version, -ENETUNREACH when offline.
 */
int tarball_fetch(const struct kernel_version *v, const char *directory, bool skip_sha256,
		  const char *label, struct str *tree);

/*
 * apt.c: accesses the Debian archive with a private apt: its own lists, cache and sources are below
 * {root}/.apt, so it neither changes the machine's apt nor needs privileges. The URL is that of the
 * machine's own sources, with other suites; apt verifies the signatures with Debian's keyring.
 */

struct apt {
	char *directory; /* {root}/.apt */
	char *url;	 /* of the archive */
	char *keyring;
};

/* -ENOTSUP with a message if there is no apt or it has no Debian archive. */
int apt_open(struct apt *a, const char *root);
void apt_finish(struct apt *a);

/* Drops the cached URL, if it seems to have changed; the next apt_open() searches it again. */
void apt_forget(const char *root);

/* Downloads the indexes of all suites. -ENETUNREACH if the archive does not respond. */
int apt_update(const struct apt *a, const char *label);

/* Lists the downloaded index files: lines `SUITE PATH`. */
int apt_indexes(const struct apt *a, struct str *out);

/*
 * Downloads one version of a package into the directory and appends the path of the file. what:
 * name in the progress bar.
 */
int apt_download(const struct apt *a, const char *package, const char *version, uint64_t size,
		 const char *directory, const char *what, struct str *path);

/* "amd64" or "arm64". */
const char *apt_arch(void);

#define _apt_ _cleanup_(apt_finish)

/* build_steps.c: steps shared by builds from all sources. */

/* A build in progress. */
struct build {
	const char *root;
	const struct kernel_build_opts *opts;
	struct str extra;		    /* text of --extra-kconfig */
	char extra_hash[KCONFIG_HASH_SIZE]; /* "" without one */
};

int build_init(struct build *b, const char *root, const struct kernel_build_opts *opts);
void build_finish(struct build *b);

/* Finds a cached kernel that was built with the current fragment; never with --force. */
bool build_find_cached(const struct build *b, const char *key, struct kernel_image *out);

/* Checks the tools, reserves CPUs, configures, compiles. */
int build_compile(const struct build *b, const struct source_tree *tree, bool persists);

/* Stores the compiled kernel in the cache. The caller sets the source in meta. */
int build_store(const struct build *b, const struct source_tree *tree, const char *key,
		struct kernel_meta *meta, struct kernel_image *out);

#define _build_ _cleanup_(build_finish)

#endif
