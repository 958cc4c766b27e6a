/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Inspection of a guest from outside: layout of its kernel, its memory, and run queues, tasks,
 * programs and CPUs in it.
 */
#ifndef KTSTR_WATCH_GUEST_H
#define KTSTR_WATCH_GUEST_H

#include "base/btf.h"
#include "trace/trace.h"
#include "vm/memory.h"

/* layout.c: symbol addresses and member offsets of one kernel, see layout.def. */

enum watch_symbol {
#define SYMBOL(id, name, is_needed) SYM_##id,
#include "watch/layout.def"
	WATCH_SYMBOLS
};

enum watch_member {
#define MEMBER(type, id, path, other, is_needed) M_##id,
#include "watch/layout.def"
	WATCH_MEMBERS
};

enum watch_size {
#define SIZE(type, id) SIZE_##id,
#include "watch/layout.def"
	WATCH_SIZES
};

#define LAYOUT_ABSENT UINT32_MAX

struct watch_layout {
	uint64_t symbols[WATCH_SYMBOLS]; /* link-time addresses; 0 = missing */
	uint32_t members[WATCH_MEMBERS]; /* offsets in bytes, or LAYOUT_ABSENT */
	uint8_t bytes[WATCH_MEMBERS];	 /* size of a number: 1, 2, 4 or 8; 8 for others */
	uint32_t sizes[WATCH_SIZES];	 /* sizes of structs; 0 = missing */
};

/* -ENOENT with a message if something indispensable is missing. */
int layout_fill(struct watch_layout *l, const struct symbols *symbols, const struct btf *types);
/* The same from the files of a kernel whose symbols are in the cache. */
int layout_read(struct watch_layout *l, const char *kernel, const char *vmlinux);

static inline bool layout_has(const struct watch_layout *l, enum watch_member m)
{
	return l->members[m] != LAYOUT_ABSENT;
}

/*
 * Value of a numeric member, given the bytes of its struct (which must be complete); 0 if the
 * member is absent. Host and guest are little-endian.
 */
static inline uint64_t layout_number(const struct watch_layout *l, const char *data,
				     enum watch_member m)
{
	uint64_t value = 0;

	if (layout_has(l, m))
		memcpy(&value, data + l->members[m], l->bytes[m]);
	return value;
}

/*
 * space.c: virtual addresses of the guest kernel. Nothing in the guest is trusted: an invalid
 * pointer is just unreadable and counted. Differences between architectures are in space_x86.c and
 * space_arm64.c.
 */

#define SPACE_STRUCT_OPS 27 /* struct bpf_prog.type of a sched_ext scheduler's programs */

struct space_machine;

/* A virtual range that is physically contiguous. */
struct space_range {
	uint64_t base, bytes, physical;
};

struct space {
	const struct vm_memory *memory;
	const struct watch_layout *layout;
	const struct space_machine *machine;
	struct space_range image;  /* the kernel image */
	struct space_range linear; /* the direct map of all memory; bytes 0 = not found */
	uint64_t slide;		   /* KASLR offset from the link address */
	uint64_t top_table;	   /* physical address of the top-level page table; 0 = not found */
	unsigned int page_bits;	   /* number of offset bits within a page */
	unsigned int address_bits; /* number of bits that page tables translate */
	uint64_t unreadable;	   /* number of failed reads */
};

/*
 * Finds the kernel in memory, also if moved by KASLR. -ENOENT with a message if it is not there, or
 * not this kernel.
 */
int space_open(struct space *s, const struct vm_memory *memory, const struct watch_layout *layout);

/* False = not all of it could be read. */
bool space_read(struct space *s, uint64_t address, void *data, size_t len);
bool space_read_u64(struct space *s, uint64_t address, uint64_t *value);
bool space_read_u32(struct space *s, uint64_t address, uint32_t *value);

/*
 * Reads a numeric member of the struct at this address; false also if the kernel lacks the member.
 */
bool space_read_member(struct space *s, uint64_t address, enum watch_member m, uint64_t *value);

/* Physical address of the range, if it is contiguous; false = it is not, or not mapped. */
bool space_physical(struct space *s, uint64_t address, size_t len, uint64_t *physical);

/* Run-time address of a symbol; 0 = the kernel lacks it. */
uint64_t space_symbol(const struct space *s, enum watch_symbol symbol);

/* Address of a CPU's copy of a per-CPU variable. False = that CPU has none. */
bool space_of_cpu(struct space *s, uint64_t address, unsigned int cpu, uint64_t *copy);

/* sample.c: a sample of all run queues of a guest. */

/* Counters of sched_ext, in the order of the reports; X(member of the layout, name in JSON). */
/* clang-format off */
#define SCX_COUNTER_ROWS(X) \
	X(EV_FALLBACK, select_cpu_fallback) \
	X(EV_OFFLINE, dispatch_local_dsq_offline) \
	X(EV_KEEP_LAST, dispatch_keep_last) \
	X(EV_SKIP_EXITING, enq_skip_exiting) \
	X(EV_SKIP_MIGRATION, enq_skip_migration_disabled) \
	X(EV_REENQ_IMMED, reenq_immed) \
	X(EV_REENQ_LOCAL, reenq_local_repeat) \
	X(EV_REFILL_SLICE, refill_slice_dfl) \
	X(EV_BYPASS_ACTIVATE, bypass_activate) \
	X(EV_BYPASS_DISPATCH, bypass_dispatch) \
	X(EV_BYPASS_DURATION, bypass_duration) \
	X(EV_NOT_OWNED, insert_not_owned) \
	X(EV_SUB_BYPASS, sub_bypass_dispatch)

/* The same for schedstat. */
#define SCHEDSTATS(X) \
	X(RQ_RUN_DELAY, run_delay) \
	X(RQ_PCOUNT, pcount) \
	X(RQ_SCHED_COUNT, sched_count) \
	X(RQ_YLD_COUNT, yld_count) \
	X(RQ_GOIDLE, sched_goidle) \
	X(RQ_TTWU_COUNT, ttwu_count) \
	X(RQ_TTWU_LOCAL, ttwu_local)
/* clang-format on */

enum scx_counter {
#define X(member, name) SCX_##member,
	SCX_COUNTER_ROWS(X)
#undef X
		SCX_COUNTERS,
};

enum schedstat {
#define X(member, name) STAT_##member,
	SCHEDSTATS(X)
#undef X
		SCHEDSTAT_COUNT,
};

struct cpu_sample {
	bool is_known; /* the run queue could be read */
	bool has_scx;  /* the kernel has sched_ext */
	uint32_t nr_running, scx_nr_running, local_dsq_depth, scx_flags;
	uint64_t clock_ns, switches;
	/*
	 * CPU time of the vCPU thread on the host; 0 = unknown. Read only if the run queue's clock
	 * stands still although there are runnable tasks, which may be caused by the host.
	 */
	uint64_t vcpu_ns;
	uint32_t known_events, known_stats; /* bits: which of the values below are valid */
	int64_t events[SCX_COUNTERS];
	uint64_t stats[SCHEDSTAT_COUNT];
};

struct guest_sample {
	uint64_t time_ns;   /* on the watcher's clock */
	bool has_scheduler; /* a sched_ext scheduler is loaded */
	size_t cpu_count;
	struct cpu_sample *cpus;
};

/* Reads cpu_count CPUs into s->cpus, allocated by the caller. Unreadable values are absent. */
void sample_take(struct guest_sample *s, struct space *space);

extern const char *const scx_counter_names[SCX_COUNTERS];
extern const char *const schedstat_names[SCHEDSTAT_COUNT];

/*
 * queues.c: the dispatch queues of a sched_ext scheduler with their tasks in order, and all
 * runnable tasks.
 */

#define QUEUES_COMM 16
#define QUEUES_CGROUP 128
#define QUEUES_MASK_WORDS 4

/* A task; fields that its kernel lacks are 0, see the layout. */
struct task_view {
	uint64_t address;
	uint32_t pid, tgid, state, cpu, policy, weight, scx_flags;
	char comm[QUEUES_COMM + 1];
	char cgroup[QUEUES_CGROUP];
	bool is_running, is_queued;
	bool is_moving; /* queued, but being moved between two run queues */
	bool has_dsq;
	uint64_t dsq_id, slice_ns, vtime;
	bool is_waiting; /* wait_ns is valid */
	uint64_t wait_ns;
	uint64_t mask[QUEUES_MASK_WORDS]; /* allowed CPUs */
};

enum queue_kind { QUEUE_LOCAL, QUEUE_GLOBAL, QUEUE_USER };

struct queue_view {
	enum queue_kind kind;
	unsigned int number; /* CPU of a local DSQ, node of a global one */
	uint64_t id;
	uint64_t length;     /* as counted by the kernel */
	bool is_cut;	     /* the list is broken, or did not end */
	size_t first, count; /* range in queues.queued */
};

struct queues {
	VEC(struct queue_view) queues;
	VEC(struct task_view) queued;	/* in the DSQs, one DSQ after the other */
	VEC(struct task_view) runnable; /* all runnable tasks, running ones included */
	bool is_cut;			/* incomplete: limits were reached */
};

/* now_ns: guest clock. -ENOMEM only; unreadable parts are missing. */
int queues_read(struct queues *q, struct space *space, unsigned int cpu_count, uint64_t now_ns);
/* Reads all tasks, sleeping ones included, into `runnable`; no queues. */
int queues_read_tasks(struct queues *q, struct space *space, uint64_t now_ns);
void queues_finish(struct queues *q);

/*
 * programs.c: BPF programs of sched_ext schedulers, with figures of the verifier and of the
 * kernel's statistics (kernel.bpf_stats_enabled).
 */

#define PROGRAMS_NAME 16

struct program_view {
	char name[PROGRAMS_NAME + 1];
	uint32_t id, verified_insns;
	uint64_t start, end;	   /* of its code; both 0 = unknown */
	bool has_insns, has_stats; /* has_stats: the kernel counts, and all CPUs could be read */
	uint64_t calls, ns, misses;
	uint64_t stats; /* per-CPU address of the counters */
};

struct programs {
	VEC(struct program_view) items;
	bool is_cut; /* incomplete: there are more, or one could not be read */
};

/* -ENOMEM only; unreadable parts are missing or unknown. */
int programs_read(struct programs *p, struct space *space, unsigned int cpu_count);
void programs_finish(struct programs *p);

/*
 * Repeated reading. As long as the scheduler is the same and no program was loaded, only the
 * counters are read, at remembered addresses.
 */
struct program_follow {
	struct programs now;
	uint64_t instance, next_id;   /* address of the scheduler; ID of the next program */
	VEC(struct vm_read) counters; /* of all CPUs, by program; empty = unknown */
	char *bytes;
};

/*
 * prog_lines.c: addresses of the guest's JITed BPF programs, and the source line of each of their
 * instructions. All data is copied, so it stays valid after the guest has ended.
 */

/* Instructions from this address up to the next line's, or to the end of the function. */
struct prog_line {
	uint64_t address;
	const char *file, *text; /* as the compiler saw them; "" = unknown */
	uint32_t line, column;	 /* from 1 */
};

/* A program, or one of its subprograms, which have separate address ranges. */
struct prog_function {
	const char *program; /* "ktstr_enqueue" */
	const char *name;    /* of the function; equal to program for the first one */
	const char *op;	     /* "enqueue" for a scheduler's program; "" = none or unknown */
	uint32_t id;	     /* of the program; IDs are not reused */
	uint64_t start, end;
	bool has_frame;	     /* saves %rbp in its first instructions */
	uint16_t frame_at;   /* offset of that instruction from start */
	size_t first, count; /* range in prog_lines.lines, by address; 0 = no line info */
};

static inline bool prog_function_is_first(const struct prog_function *f)
{
	return f->name == f->program;
}

struct prog_lines {
	struct arena arena;
	VEC(struct prog_function) functions;
	VEC(struct prog_line) lines;
	bool is_cut; /* incomplete, or partly unreadable */
};

/* Adds the programs of all loaded sched_ext schedulers. */
int prog_lines_of_schedulers(struct prog_lines *p, struct space *space);
void prog_lines_finish(struct prog_lines *p);

#define _prog_lines_ _cleanup_(prog_lines_finish)

/* names.c: names for addresses in a guest's kernel and its BPF programs. */

struct name_row {
	uint64_t address;
	const char *name; /* inside the text of the symbols, up to the end of its line */
};

struct guest_names {
	VEC(struct name_row) rows; /* functions, ascending */
	uint64_t end;		   /* end of the kernel's text */
	const struct prog_lines *programs;
};

/* slide: KASLR offset. symbols and programs must stay valid as long as n. */
int names_read(struct guest_names *n, const struct symbols *symbols, uint64_t slide,
	       const struct prog_lines *programs);
void names_finish(struct guest_names *n);

/*
 * Appends "schedule+0x1a", "ktstr_dispatch+0x40 [bpf]" (subprograms, too), or the address.
 * is_exact: false for a return address, which may be past the end of the calling function.
 */
void names_add(const struct guest_names *n, uint64_t address, bool is_exact, struct str *out);

/*
 * vcpu.c: state of each vCPU: registers and stack trace. QEMU provides the registers; the stack is
 * in guest memory. On x86-64 the kernel's ORC tables describe how to unwind it; BPF programs, which
 * are not in these tables, and all of arm64 use frame pointers.
 */

#define VCPU_MAX_FRAMES 48

/* X(QEMU's name, name in JSON) */
/* clang-format off */
#define VCPU_REGISTERS(X) \
	X(RAX, rax) X(RBX, rbx) X(RCX, rcx) X(RDX, rdx) X(RSI, rsi) X(RDI, rdi) X(RBP, rbp) \
	X(RSP, rsp) X(R8, r8) X(R9, r9) X(R10, r10) X(R11, r11) X(R12, r12) X(R13, r13) \
	X(R14, r14) X(R15, r15) X(RIP, rip) X(RFL, rflags) X(CR2, cr2) X(CR3, cr3)
#define VCPU_ARM_REGISTERS(X) \
	X(X00, x0) X(X01, x1) X(X02, x2) X(X03, x3) X(X04, x4) X(X05, x5) X(X06, x6) X(X07, x7) \
	X(X08, x8) X(X09, x9) X(X10, x10) X(X11, x11) X(X12, x12) X(X13, x13) X(X14, x14) \
	X(X15, x15) X(X16, x16) X(X17, x17) X(X18, x18) X(X19, x19) X(X20, x20) X(X21, x21) \
	X(X22, x22) X(X23, x23) X(X24, x24) X(X25, x25) X(X26, x26) X(X27, x27) X(X28, x28) \
	X(X29, x29) X(X30, x30) X(SP, sp) X(PC, pc) X(PSTATE, pstate)
/* clang-format on */

#define X(spelled, name) VCPU_##spelled,
enum vcpu_register { VCPU_REGISTERS(X) VCPU_REGISTER_COUNT };
enum vcpu_arm_register { VCPU_ARM_REGISTERS(X) VCPU_ARM_REGISTER_COUNT };
#undef X

struct vcpu {
	unsigned int number;
	bool is_arm64;	/* according to QEMU's output */
	bool is_halted; /* x86-64 only */
	uint64_t registers[MAX((int)VCPU_REGISTER_COUNT, (int)VCPU_ARM_REGISTER_COUNT)];
	size_t frame_count;
	uint64_t frames[VCPU_MAX_FRAMES]; /* instruction pointer, then return addresses */
};

struct vcpus {
	VEC(struct vcpu) items;
};

/* Queries QEMU; false = no answer. */
bool vcpus_ask(struct vcpus *v, struct vm *vm);
void vcpus_finish(struct vcpus *v);

/* Saved registers of a task that does not run; false = unreadable. */
bool vcpu_read_sleeper(struct vcpu *v, struct space *space, uint64_t task);

/* Fills in the frames. */
void vcpu_unwind(struct vcpu *v, struct space *space);

/* domains.c: scheduling domains of each CPU, from the smallest to the whole machine. */

#define DOMAINS_NAME 16

/* Values in the order of the rows in domains.c. */
#define DOMAIN_NUMBERS 21
#define DOMAIN_ARRAYS 11
#define DOMAIN_IDLE_TYPES 3 /* enum cpu_idle_type of the kernel */

struct domain_view {
	unsigned int cpu;
	char name[DOMAINS_NAME]; /* "SMT", "MC", "PKG"; "" = unknown */
	bool is_known[DOMAIN_NUMBERS];
	uint64_t numbers[DOMAIN_NUMBERS];
	bool has_array[DOMAIN_ARRAYS];
	uint32_t arrays[DOMAIN_ARRAYS][DOMAIN_IDLE_TYPES];
};

struct domains {
	VEC(struct domain_view) items; /* ordered by CPU */
};

#endif
