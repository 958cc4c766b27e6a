/* SPDX-License-Identifier: GPL-2.0-only */
/* What the ways to a kernel share: for the files of this room only. */
#ifndef KTSTR_KERNEL_PARTS_H
#define KTSTR_KERNEL_PARTS_H

#include "kernel/build.h"
#include "kernel/cache.h"

/* vmlinux.c: The uncompressed kernel: what it says about itself, and a small copy of it. */

struct vmlinux_facts {
	enum kernel_answer has_scx;
	enum kernel_btf btf;
	uint32_t unsound_kfuncs;
};

/* -EINVAL with a message when it is no 64-bit ELF file or its BTF is damaged. */
int vmlinux_look(const void *data, size_t len, struct vmlinux_facts *out);
int vmlinux_look_file(const char *path, struct vmlinux_facts *out);

/*
 * Whether the file is a whole ELF file, by its headers alone: the last thing in it
 * is the table of sections. -ENOENT, -EINVAL and others with a message.
 */
int vmlinux_check_file(const char *path);

/*
 * Writes a copy in which symbols, BTF and read-only data are left and code and
 * debug information are not.
 */
int vmlinux_strip(const char *from, const char *to);

/* command.c: Programs that are run to their end with their output kept: git, make, pahole. */

struct command {
	const char *const *argv;
	const char *directory; /* NULL = ours */
	uint64_t timeout_ns;   /* 0 = none */
	const char *what;      /* shown while it runs, on a terminal; NULL = nothing */
	bool merge_stderr;     /* keep stderr too; it is dropped otherwise */
	bool show;	       /* let the output through instead of keeping it */
};

/*
 * The exit status, or a negative errno with a message. Appends the output to
 * out (may be NULL). A signal that ends us, SIGKILL included, ends it with its
 * descendants; who remembers signals (base/interrupt.h) gets -EINTR.
 */
int command_run(const struct command *c, struct str *out);

/* archive.c: Archives and compressed data, through libarchive. */

/*
 * Appends what a compressed buffer unpacks to: gzip, xz, zstd, lz4, lzma, bzip2 or
 * lzo, told by its first bytes. -EINVAL with a message unless it is exactly
 * wanted bytes.
 */
int archive_unpack_buffer(const void *data, size_t len, size_t wanted, struct str *out);

/*
 * Unpacks a compressed or plain text file piece by piece: take() gets whole
 * lines without their ends and may return a negative errno to stop.
 */
int archive_read_lines(const char *path, int (*take)(void *context, char *line), void *context);

/* Appends a whole file, unpacked where it is compressed; -EFBIG when that is more than limit bytes. */
int archive_read_file(const char *path, size_t limit, struct str *out);

/* A member of a package to take: the first whose name matches one of the patterns. */
struct archive_member {
	const char *patterns[2]; /* "./boot/vmlinuz-*"; the second may be NULL */
	const char *target;	 /* file to write */
	bool found;
};

/* Takes members out of a Debian package. */
int archive_unpack_deb(const char *path, struct archive_member *members, size_t count);

/*
 * Unpacks a tar archive below directory. Everything in it has to lie below
 * top/, which is what a kernel archive looks like.
 */
int archive_unpack_tar(const char *path, const char *directory, const char *top);

/* image.c: Kernel images outside of the cache: in a source tree, in /boot, anywhere. */

/* Where a tree's build leaves its image, below the tree. */
const char *image_below_tree(void);

/*
 * The image that a source or build tree holds: where the build leaves it, or
 * right in the directory. -ENOENT with a message.
 */
int image_in_tree(const char *tree, struct kernel_image *out);

/* A file that is a kernel image, with the vmlinux that lies beside it or in its tree. */
int image_from_file(const char *path, struct kernel_image *out);

/* Gives one that has no vmlinux that of its inside, unpacked into the cache; or leaves it without. */
void image_unpack(struct kernel_image *k);

/*
 * bzimage.c: Kernel images: the boot header of an x86 bzImage (Documentation/arch/x86/boot.rst)
 * and of an arm64 Image, and the ELF file inside of a bzImage.
 */

#define BZIMAGE_RELEASE_SIZE 128

struct bzimage {
	const char *arch;      /* x86_64 or aarch64 */
	size_t payload_offset; /* the compressed vmlinux; length 0 on arm64 */
	size_t payload_length;
	char release[BZIMAGE_RELEASE_SIZE]; /* as uname -r says it; "" when it is not in there */
};

/*
 * Reads the header. -EINVAL when it is not a kernel image, -ENODATA when it is one
 * that was cut off; both with a message.
 */
int bzimage_parse(const void *data, size_t len, struct bzimage *out);

/* Appends the decompressed vmlinux, or what stands for it on arm64. -EINVAL with a message. */
int bzimage_unpack(const void *data, size_t len, struct str *vmlinux);

/*
 * arm64_image.c: what an Image gives instead of a vmlinux: its bytes, and its types as a section. It
 * cannot be booted.
 */
int arm64_image_unpack(const void *data, size_t len, struct str *vmlinux);

/* The whole file through bzimage_parse(). */
int bzimage_check_file(const char *path, struct bzimage *out);

/*
 * Writes the vmlinux inside of an image to a file: it can be booted directly
 * (PVH), which saves the guest the decompression.
 */
int bzimage_extract(const char *image, const char *vmlinux);

/*
 * config_facts.c: What the image of a kernel tells about the options that it was built with.
 *
 * Where there is no .config, a scheduler still wants to know some options: the
 * loader of BPF programs fills in every `extern ... CONFIG_X __kconfig`, and one
 * that it cannot find keeps the whole program from being loaded. A row says which
 * function, member or enumerator exists with an option only; when the image has
 * it, the option is on. Nothing follows from its absence.
 */

/* The first line of every text that config_facts_add() made, up to what made it. */
#define CONFIG_FACTS_MARK "# Derived by ktstr from the kernel image; not the kernel's own .config."

/* Appends the configuration that is embedded in the image (CONFIG_IKCONFIG). -ENOENT: none. */
int config_embedded_add(const void *data, size_t len, struct str *out);

/* Appends CONFIG_X=y lines behind the mark. A vmlinux without BTF proves little, but that. */
int config_facts_add(const void *vmlinux, size_t len, struct str *out);

/*
 * distro.c: What entries of ready-made images have in common. The vmlinux inside of the image is
 * put beside it, unless there is none: such an image still boots.
 */
int entry_look_inside(const char *entry, struct bzimage *image, struct vmlinux_facts *facts,
		      bool *has_vmlinux);
void kernel_meta_image(struct kernel_meta *meta, const struct bzimage *image,
		       const struct vmlinux_facts *facts);

/* discover.c: Where kernel_discover() looks on the machine, so that tests can move it. */

struct discover_places {
	const char *here;    /* "." */
	const char *modules; /* "/lib/modules" */
	const char *boot;    /* "/boot" */
	const char *release; /* as uname -r says it */
};

int discover_in(const struct discover_places *places, struct kernel_image *out);

/* The name under which the kernel that runs here is asked for. */
#define KERNEL_OF_HOST "host"

/* Where distributions keep its image. -ENOENT with a message that names the places. */
int discover_running_in(const struct discover_places *places, struct kernel_image *out);
int discover_running(struct kernel_image *out);

/* cache_lock.c: Locks of the cache: one file per entry and per source tree, below {root}/.locks. */

#define CACHE_READ_TIMEOUT_NS (10ULL * 1000000000)

/*
 * Takes {root}/.locks/{name}.lock, trying every 100 ms. A descriptor to be
 * closed, or -EWOULDBLOCK or another negative errno with a message.
 */
int cache_lock(const char *root, const char *name, bool exclusive, uint64_t timeout_ns);

/* 60 s or KTSTR_CACHE_STORE_LOCK_TIMEOUT; -EINVAL with a message when that is malformed. */
int cache_store_timeout(uint64_t *timeout_ns);

/* lookup.c: Looking for a version in the cache. */

/*
 * The best entry of a version or series: the newest version, one of our own
 * builds before a distribution's. With only_usable stale builds and unsound
 * images do not count. NULL when there is none.
 */
const struct cache_entry *lookup_version(const struct cache_list *list,
					 const struct kernel_version *wanted, bool only_usable);

/*
 * The usable entry of the highest version, of several the one that was stored last; those
 * that tell no version come after all others. NULL when there is none.
 */
const struct cache_entry *lookup_highest(const struct cache_list *list);

/* key.c: Names of cache entries. Everything that makes a kernel another kernel is in its key. */

/*
 * To be freed; NULL when out of memory. extra_hash is that of --extra-kconfig,
 * "" without.
 */
char *key_tarball(const char *version, const char *extra_hash);
char *key_git(const char *ref, const char *hash, const char *extra_hash);

/* config_hash is that of the .config, "" when there is none yet. */
char *key_local(const char *hash, const char *config_hash, const char *extra_hash);

/* Of a tree that no commit names; such a kernel is never stored. */
char *key_local_unknown(const char *path, const char *extra_hash);

/* git_source.c: Kernel sources from a git repository. */

/*
 * The commit that REF means now, without cloning. -ENOENT when there is no such
 * branch, tag or commit, -EIO when the repository cannot be read.
 */
int git_source_tip(const struct kernel_id *id, char hash[static 41]);

/* A shallow clone of the commit in the directory, which must be empty. */
int git_source_clone(const struct kernel_id *id, const char *hash, const char *directory,
		     const char *label);

/* tarball.c: Kernel sources from kernel.org: where they are, getting and checking them. */

/* Appends the address of a version's archive. */
void tarball_url(const struct kernel_version *v, struct str *out);

/* Finds the SHA-256 of a file in the text of sha256sums.asc; false when it is not there. */
bool tarball_find_sum(const char *sums, const char *file, char out[static 65]);

/*
 * The newest patch of a series: from the release index, and for a series that is
 * not listed there (end of life) by asking for one patch after the other.
 */
int tarball_newest(const struct kernel_version *series, const char *label,
		   struct kernel_version *out);

/*
 * Downloads, checks and unpacks into directory; appends the path of the tree.
 * -ENOENT when there is no such version, -ENETUNREACH when offline.
 */
int tarball_fetch(const struct kernel_version *v, const char *directory, bool skip_sha256,
		  const char *label, struct str *tree);

/*
 * apt.c: The Debian archive through a private apt: its own lists, cache and sources
 * below {root}/.apt, so that nothing of the machine's apt changes and no rights
 * are needed. The address is that of the machine's own sources, with other
 * suites; apt checks the signatures with Debian's keyring.
 */

struct apt {
	char *directory; /* {root}/.apt */
	char *url;	 /* of the archive */
	char *keyring;
};

/* -ENOTSUP with a sentence where there is no apt or it knows no Debian archive. */
int apt_open(struct apt *a, const char *root);
void apt_finish(struct apt *a);

/* Looks for the archive again the next time, where the address seems to have changed. */
void apt_forget(const char *root);

/* Gets the indexes of all suites. -ENETUNREACH when the archive does not answer. */
int apt_update(const struct apt *a, const char *label);

/* The index files that are there: one line `SUITE PATH` each. */
int apt_indexes(const struct apt *a, struct str *out);

/*
 * Downloads one version of a package into the directory and appends the path
 * of the file. what names it in the progress bar.
 */
int apt_download(const struct apt *a, const char *package, const char *version, uint64_t size,
		 const char *directory, const char *what, struct str *path);

/* "amd64" or "arm64". */
const char *apt_arch(void);

#define _apt_ _cleanup_(apt_finish)

/* build_steps.c: The steps that builds from every source share. */

/* One build on its way. */
struct build {
	const char *root;
	const struct kernel_build_opts *opts;
	struct str extra;		    /* text of --extra-kconfig */
	char extra_hash[KCONFIG_HASH_SIZE]; /* "" without one */
};

int build_init(struct build *b, const char *root, const struct kernel_build_opts *opts);
void build_finish(struct build *b);

/* A cached kernel that was built with today's fragment; never with --force. */
bool build_find_cached(const struct build *b, const char *key, struct kernel_image *out);

/* Checks the tools, reserves CPUs, configures, compiles. */
int build_compile(const struct build *b, const struct source_tree *tree, bool persists);

/* Puts what was compiled into the cache. The source in meta is the caller's to fill in. */
int build_store(const struct build *b, const struct source_tree *tree, const char *key,
		struct kernel_meta *meta, struct kernel_image *out);

#define _build_ _cleanup_(build_finish)

#endif
