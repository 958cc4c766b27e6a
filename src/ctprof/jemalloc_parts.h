/* SPDX-License-Identifier: GPL-2.0-only */
/* Finds and reads jemalloc of another process: parts of jemalloc.c; internal. */
#ifndef KTSTR_CTPROF_JEMALLOC_PARTS_H
#define KTSTR_CTPROF_JEMALLOC_PARTS_H

#include <pthread.h>
#include <semaphore.h>

#include "base/base.h"
#include "base/elf_view.h"

/* Failure tags, see jemalloc.h. */

#define TAG_NOT_FOUND "jemalloc-not-found"
#define TAG_READLINK "readlink-failure"
#define TAG_PID_MISSING "pid-missing"
#define TAG_MAPS_READ "maps-read-failure"
#define TAG_IN_DSO "jemalloc-in-dso"
#define TAG_UNTRUSTED "untrusted-library"
#define TAG_ARCH "arch-mismatch"
#define TAG_DWARF "dwarf-parse-failure"
#define TAG_SEIZE "ptrace-seize"
#define TAG_INTERRUPT "ptrace-interrupt"
#define TAG_WAITPID "waitpid"
#define TAG_REGSET "get-regset"
#define TAG_VM_READV "process-vm-readv"
#define TAG_TLS "tls-arithmetic"
#define TAG_BUDGET "stop-budget"
#define TAG_ONE_STOP "stop-limit"
#define TAG_UNBOUNDED "stop-unbounded"

/* Processes that are never attached to. */
#define TAG_KERNEL_THREAD "kernel-thread"
#define TAG_SELF "own-process"
#define TAG_DEAD "exited"

/* Returns whether the tag is an error; false = there is nothing to read. */
bool jemalloc_tag_is_failure(const char *tag);

/*
 * Symbols, relocations and notes of an ELF file of another process, by elf_view_open_file().
 */

/*
 * First defined symbol of this type with one of the names (terminated by NULL; "*end" matches any
 * name with this ending) in a table: SHT_SYMTAB or SHT_DYNSYM.
 */
bool elf_find_symbol(const struct elf_view *f, uint32_t table, unsigned char type,
		     const char *const *names, Elf64_Sym *out);

/* Symbol of the dynamic table by index. */
bool elf_dynamic_symbol(const struct elf_view *f, uint64_t index, Elf64_Sym *out);

/* Visits the relocations with addend of a 64-bit file until visit() returns true. */
void elf_each_reloc(const struct elf_view *f, bool (*visit)(const void *rela, void *context),
		    void *context);

/* Length of the build ID in bytes, 0 if there is none. */
#define ELF_BUILD_ID_MAX 64
size_t elf_build_id(const struct elf_view *f, unsigned char out[static ELF_BUILD_ID_MAX]);

/* The file name and checksum in .gnu_debuglink. */
bool elf_debuglink(const struct elf_view *f, char name[static 256], uint32_t *crc);

/* Finds separate debug information of an ELF file. */

/*
 * Opens a regular file by its path in the mount namespace of a process (tgid 0: ours). Or -errno.
 */
int elf_open_for(pid_t tgid, const char *path);

/*
 * Opens the debug file of f, which the process knows by path: by build ID below /usr/lib/debug,
 * else by .gnu_debuglink next to it, in .debug/ or below /usr/lib/debug, with the right checksum. A
 * descriptor, or -ENOENT.
 */
int elf_open_debug(const struct elf_view *f, pid_t tgid, const char *path);

/* Location of the counters in jemalloc's thread state, from debug information. */

/* Offsets of the two counters, from the start of the structure or of a TLS block. */
struct jemalloc_offsets {
	uint64_t allocated, deallocated;
};

/* Reads struct tsd_s in the file's DWARF. 0, or -ENOENT if it is not there. */
int jemalloc_dwarf_offsets(int fd, struct jemalloc_offsets *out);

/*
 * Thread-local storage of another process: from a thread pointer to the TLS block of a module (the
 * executable or a library).
 *
 * The executable's block is at a fixed distance from the thread pointer, given by the ABI. A
 * library's is not, but the dynamic linker stores it for the library's own code: as a distance if
 * the block is part of the static TLS, else as a module number, to be looked up in the thread's
 * dynamic thread vector. The relocation table contains the address.
 */

/* EM_… of this machine; files for others cannot be probed. */
uint16_t tls_our_machine(void);

enum tls_slot_kind { TLS_SLOT_NONE, TLS_SLOT_DESCRIPTOR, TLS_SLOT_MODULE, TLS_SLOT_DISTANCE };

struct tls_slot {
	enum tls_slot_kind kind;
	uint64_t vaddr;	 /* before adding the load address */
	uint64_t offset; /* offset within the block */
};

/* The most direct slot by which a library finds its own block. False = none. */
bool tls_find_slot(const struct elf_view *f, struct tls_slot *out);

struct tls_place {
	bool is_module;
	int64_t distance; /* block - thread pointer */
	uint64_t module;  /* number in the dynamic thread vector */
};

/* For an executable. False for sizes and alignments that no linker produces. */
bool tls_place_executable(uint16_t machine, uint64_t size, uint64_t align, struct tls_place *out);

/* For a library whose slot is at this address of a process. NULL, or a tag. */
const char *tls_place_library(pid_t pid, const struct tls_slot *slot, uint64_t address,
			      uint64_t size, struct tls_place *out);

/* Address of the block; 0 = not allocated, because the thread never used it. NULL, or a tag. */
const char *tls_block(pid_t pid, const struct tls_place *place, uint64_t thread_pointer,
		      uint64_t *out);

/* Thread pointer of a running thread; 0 = the thread has to be stopped. */
uint64_t tls_running_thread_pointer(pid_t tid);

/* The thread pointer of a stopped tracee. NULL, or a tag. */
const char *tls_thread_pointer(pid_t tid, uint64_t *out);

/* Copies memory of a process. False = not all of it exists or is readable. */
bool process_read(pid_t pid, uint64_t address, void *out, size_t len);

/* The same for several ranges at once, in order. */
struct memory_part {
	uint64_t address;
	void *out;
	size_t len;
};
#define MAX_PARTS 2
bool process_read_parts(pid_t pid, const struct memory_part *parts, size_t count);

/* What an executable or library reveals about its jemalloc. */

struct jemalloc_layout {
	bool is_executable;
	uint64_t tls_size, tls_align;
	struct jemalloc_offsets counters; /* from the start of the TLS block */
	bool is_by_size; /* found by the size of the state only: to be verified when read */
	/* For libraries: */
	bool is_malloc; /* allocator of the whole process, not of one user only */
	struct tls_slot slot;
	Elf64_Phdr code; /* used to find the load address */
};

/* Offsets reported by a library, by build ID: copies of it need not be asked again. */
struct jemalloc_known {
	unsigned char id[ELF_BUILD_ID_MAX];
	size_t id_len;
	struct jemalloc_offsets counters;
};

struct jemalloc_lookup {
	int fd;
	pid_t tgid;	  /* a process that maps it */
	const char *path; /* in the namespace of that process */
	bool is_executable;
	/* Cache of answers; both callbacks must be thread-safe. */
	bool (*recall)(void *context, struct jemalloc_known *known);
	void (*remember)(void *context, const struct jemalloc_known *known);
	void *context;
};

/* NULL and the layout, or a tag. */
const char *jemalloc_examine(const struct jemalloc_lookup *lookup, struct jemalloc_layout *out);

/* Code that a process has mapped from files. */

/* A file in use by a process: its executable (without addresses), or a mapping of code. */
struct mapped_file {
	pid_t tgid;
	const char *path; /* in the namespace of the process */
	dev_t device;
	ino_t inode;
	uint64_t start, end, offset; /* 0, 0, 0: the executable */
	bool is_libc;		     /* glibc, by its name */
};

/* Parses a line of /proc/PID/maps in place. False if it is not mapped code of a file. */
bool maps_parse_line(char *line, struct mapped_file *out);

/* Visits them until visit() returns true. 0, or a negative errno if they cannot be read. */
int maps_each_code(pid_t tgid, bool (*visit)(const struct mapped_file *f, void *context),
		   void *context);

/* Opens exactly this file, even if deleted or inside a container. Or -errno. */
int maps_open(const struct mapped_file *f);

/*
 * Stops one thread of another process for a moment.
 *
 * A separate thread of ours does that, since ptrace is per thread: a tracee that does not stop in
 * time (a parent in vfork(), a thread that waits for a dead disk) cannot be detached, but the
 * kernel releases it when the tracing thread exits. So that thread exits, and a new one is started
 * for the next stop.
 *
 * A thread is held from its stop to its release. The time until it stops does not matter: it slept,
 * or waited for a CPU, as without us. The kernel reports when we see a stop, not when it happened;
 * the difference is the time that our thread waited for a CPU.
 */

struct thread_stop {
	pid_t tid;
	/* Called while the thread is stopped. NULL, or a tag. */
	const char *(*inspect)(pid_t tid, void *context);
	void *context;
	/*
	 * 0 = no limit. A thread that was held for longer is not inspected; without CAP_SYS_NICE
	 * none is stopped.
	 */
	uint64_t max_ns;
	const char *tag;  /* out */
	bool was_stopped; /* out */
	uint64_t stop_ns; /* out: how long it was held, or an upper bound */
};

struct tracer {
	pthread_t thread;
	bool is_running, has_ended, goes_first;
	sem_t asked, answered;
	struct thread_stop *stop; /* NULL ends the thread */
	int schedstat;		  /* of the thread; -1 = not available */
};

void tracer_init(struct tracer *t);
void tracer_finish(struct tracer *t);

/* Stops, inspects and releases the thread. Returns stop->tag: NULL, or why not. */
const char *tracer_stop(struct tracer *t, struct thread_stop *stop);

/*
 * A helper process for the two questions that are dangerous to answer here.
 *
 * - What does the DWARF of a program say? A large parser reads an untrusted file; a crash there
 * must not be ours.
 * - Where does this library keep its counters? Without debug information only the library knows, so
 * it is loaded and asked: its code runs.
 *
 * The helper is this same program, started again with a clean environment. It drops every privilege
 * before it opens the file: root becomes nobody, capabilities are dropped, and new ones cannot be
 * gained.
 */

enum jemalloc_question {
	JEMALLOC_ASK_DWARF,   /* offsets in struct tsd_s */
	JEMALLOC_ASK_LIBRARY, /* offsets in the library's TLS block */
};

/* The names under which a jemalloc offers mallctl(); NULL ends the list. */
extern const char *const jemalloc_mallctl_names[];

/*
 * Returns whether a library may be loaded and asked. A process can map any file, and we may be
 * root: code is only run if this path leads to the same file for us, and only root or the current
 * user could have put it there. Ownership by root alone proves nothing: root of a container may
 * have written it. A container's own files have no such path, or another file is there.
 */
bool jemalloc_may_ask(int fd, const char *path);

/* 0, or a negative errno if there was no answer. fd is the file. */
int jemalloc_ask(enum jemalloc_question question, int fd, struct jemalloc_offsets *out);

/*
 * Cache by file, so that each is inspected once, however many processes map it and however many
 * threads ask.
 */

struct jemalloc_cache;

struct jemalloc_cache *jemalloc_cache_create(void); /* NULL when out of memory */
void jemalloc_cache_destroy(struct jemalloc_cache *c);

/* NULL and the layout, which is valid as long as the cache, or a tag. Thread-safe. */
const char *jemalloc_cache_get(struct jemalloc_cache *c, const struct mapped_file *f,
			       const struct jemalloc_layout **out);

#endif
