/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A guest read from outside: where its kernel has what, its memory, and what lies there of run queues,
 * tasks, programs and CPUs.
 */
#ifndef KTSTR_WATCH_GUEST_H
#define KTSTR_WATCH_GUEST_H

#include "base/btf.h"
#include "trace/trace.h"
#include "vm/memory.h"

/* layout.c: One kernel's addresses and offsets, see layout.def. */

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
	uint64_t symbols[WATCH_SYMBOLS]; /* as the kernel was linked; 0 = there is none */
	uint32_t members[WATCH_MEMBERS]; /* in bytes, or LAYOUT_ABSENT */
	uint8_t bytes[WATCH_MEMBERS];	 /* of a number: 1, 2, 4 or 8; of others 8 */
	uint32_t sizes[WATCH_SIZES];	 /* of structs; 0 = there is none */
};

/* -ENOENT with a message when something is missing without which nothing can be read. */
int layout_fill(struct watch_layout *l, const struct symbols *symbols, const struct btf *types);
/* The same from the files of a kernel whose symbols are in the cache. */
int layout_read(struct watch_layout *l, const char *kernel, const char *vmlinux);

static inline bool layout_has(const struct watch_layout *l, enum watch_member m)
{
	return l->members[m] != LAYOUT_ABSENT;
}

/*
 * The number that a member is in these bytes of its struct, of which there are enough; 0 where
 * it is absent. Little-endian, as host and guest are.
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
 * space.c: The guest kernel's virtual addresses. Nothing that the guest holds is trusted: a pointer
 * that leads nowhere is unreadable, which is counted and never more than that. What differs between
 * machines is in space_x86.c and space_arm64.c.
 */

#define SPACE_STRUCT_OPS 27 /* of struct bpf_prog.type: what sched_ext schedulers consist of */

struct space_machine;

/* Addresses behind which memory lies in order. */
struct space_range {
	uint64_t base, bytes, physical;
};

struct space {
	const struct vm_memory *memory;
	const struct watch_layout *layout;
	const struct space_machine *machine;
	struct space_range image;  /* the kernel itself */
	struct space_range linear; /* all memory; no bytes = it was not found */
	uint64_t slide;		   /* the kernel lies so far above where it was linked */
	uint64_t top_table;	   /* of page tables, physical; 0 = not found */
	unsigned int page_bits;	   /* of an address inside of its page */
	unsigned int address_bits; /* that page tables translate */
	uint64_t unreadable;	   /* reads that failed */
};

/*
 * Finds the kernel in the memory, at its place or moved by KASLR. -ENOENT with a message when
 * it is not there, or not this kernel.
 */
int space_open(struct space *s, const struct vm_memory *memory, const struct watch_layout *layout);

/* False = not all of it could be read. */
bool space_read(struct space *s, uint64_t address, void *data, size_t len);
bool space_read_u64(struct space *s, uint64_t address, uint64_t *value);
bool space_read_u32(struct space *s, uint64_t address, uint32_t *value);

/* A number in the struct at this address; also false where the kernel has no such member. */
bool space_read_member(struct space *s, uint64_t address, enum watch_member m, uint64_t *value);

/* Where these bytes are in the guest's memory, in one piece; false = they are not. */
bool space_physical(struct space *s, uint64_t address, size_t len, uint64_t *physical);

/* Where a symbol is in this guest; 0 = the kernel has none. */
uint64_t space_symbol(const struct space *s, enum watch_symbol symbol);

/* A CPU's copy of what lies at this per-CPU address. False = that CPU has none. */
bool space_of_cpu(struct space *s, uint64_t address, unsigned int cpu, uint64_t *copy);

/* sample.c: One look at all run queues of a guest. */

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
	 * CPU time of the vCPU's thread on the host; 0 = not known. It is asked for only where the clock stands
	 * still beside work, which the host may be the reason of.
	 */
	uint64_t vcpu_ns;
	uint32_t known_events, known_stats; /* bits: which of those below are there */
	int64_t events[SCX_COUNTERS];
	uint64_t stats[SCHEDSTAT_COUNT];
};

struct guest_sample {
	uint64_t time_ns;   /* of the clock that the watcher goes by */
	bool has_scheduler; /* a sched_ext scheduler was loaded */
	size_t cpu_count;
	struct cpu_sample *cpus;
};

/* Reads cpu_count CPUs into s->cpus, which the caller has. What cannot be read is absent. */
void sample_take(struct guest_sample *s, struct space *space);

extern const char *const scx_counter_names[SCX_COUNTERS];
extern const char *const schedstat_names[SCHEDSTAT_COUNT];

/*
 * queues.c: What waits where: the dispatch queues of a sched_ext scheduler with the tasks in them,
 * in order, and every task that can run.
 */

#define QUEUES_COMM 16
#define QUEUES_CGROUP 128
#define QUEUES_MASK_WORDS 4

/* A task; what its kernel does not have is 0, see the layout. */
struct task_view {
	uint64_t address;
	uint32_t pid, tgid, state, cpu, policy, weight, scx_flags;
	char comm[QUEUES_COMM + 1];
	char cgroup[QUEUES_CGROUP];
	bool is_running, is_queued;
	bool is_moving; /* queued, but on its way between two run queues, and in neither */
	bool has_dsq;
	uint64_t dsq_id, slice_ns, vtime;
	bool is_waiting; /* and since when is known */
	uint64_t wait_ns;
	uint64_t mask[QUEUES_MASK_WORDS]; /* CPUs that it may use */
};

enum queue_kind { QUEUE_LOCAL, QUEUE_GLOBAL, QUEUE_USER };

struct queue_view {
	enum queue_kind kind;
	unsigned int number; /* CPU of a local one, node of a global one */
	uint64_t id;
	uint64_t length;     /* as the kernel counts */
	bool is_cut;	     /* the list led nowhere, or did not end */
	size_t first, count; /* of queues.queued */
};

struct queues {
	VEC(struct queue_view) queues;
	VEC(struct task_view) queued;	/* in the queues, one queue after the other */
	VEC(struct task_view) runnable; /* all that run or could */
	bool is_cut;			/* there was more than is looked at */
};

/* now_ns: the guest's clock. -ENOMEM only; what cannot be read is not there. */
int queues_read(struct queues *q, struct space *space, unsigned int cpu_count, uint64_t now_ns);
/* Every task, also those that sleep, as runnable; no queues. */
int queues_read_tasks(struct queues *q, struct space *space, uint64_t now_ns);
void queues_finish(struct queues *q);

/*
 * programs.c: The BPF programs that sched_ext schedulers consist of, with what the verifier and the
 * kernel's statistics (kernel.bpf_stats_enabled) counted of them.
 */

#define PROGRAMS_NAME 16

struct program_view {
	char name[PROGRAMS_NAME + 1];
	uint32_t id, verified_insns;
	uint64_t start, end;	   /* of its code; both 0 = not known */
	bool has_insns, has_stats; /* the kernel counts, and all CPUs could be read */
	uint64_t calls, ns, misses;
	uint64_t stats; /* per-CPU address of the counters */
};

struct programs {
	VEC(struct program_view) items;
	bool is_cut; /* there are more, or one of them cannot be read */
};

/* -ENOMEM only; what cannot be read is not there, or not known. */
int programs_read(struct programs *p, struct space *space, unsigned int cpu_count);
void programs_finish(struct programs *p);

/*
 * The same again and again. As long as the scheduler is the same and no program was loaded only the
 * counters are read, and where they are is remembered.
 */
struct program_follow {
	struct programs now;
	uint64_t instance, next_id;   /* of the scheduler, and of the next program */
	VEC(struct vm_read) counters; /* of all CPUs, program by program; empty = not known */
	char *bytes;
};

/*
 * prog_lines.c: Where the BPF programs of a guest are in its memory after JIT compilation, and
 * which line of source each of their instructions comes from. Copied: it stays when the guest is
 * gone.
 */

/* Instructions from here to the next line's, or to the end of the function. */
struct prog_line {
	uint64_t address;
	const char *file, *text; /* as the compiler saw them; "" = not known */
	uint32_t line, column;	 /* from 1 on */
};

/* A program, or one of its subprograms, which lie elsewhere. */
struct prog_function {
	const char *program; /* "ktstr_enqueue" */
	const char *name;    /* of the function; the first of a program has the same */
	const char *op;	     /* "enqueue" of a scheduler's program; "" = none, or not known */
	uint32_t id;	     /* of the program; numbers are not used twice */
	uint64_t start, end;
	bool has_frame;	     /* it saves %rbp in its first instructions */
	uint16_t frame_at;   /* where, in bytes behind its start */
	size_t first, count; /* of prog_lines.lines, by address; 0 = it has no line info */
};

static inline bool prog_function_is_first(const struct prog_function *f)
{
	return f->name == f->program;
}

struct prog_lines {
	struct arena arena;
	VEC(struct prog_function) functions;
	VEC(struct prog_line) lines;
	bool is_cut; /* there was more, or a part of it cannot be read */
};

/* Adds those of all sched_ext schedulers that are loaded. */
int prog_lines_of_schedulers(struct prog_lines *p, struct space *space);
void prog_lines_finish(struct prog_lines *p);

#define _prog_lines_ _cleanup_(prog_lines_finish)

/* names.c: Addresses in a guest's kernel and its BPF programs by name. */

struct name_row {
	uint64_t address;
	const char *name; /* in the text of the symbols, to the end of its line */
};

struct names {
	VEC(struct name_row) rows; /* of functions, ascending */
	uint64_t end;		   /* nothing of the kernel lies behind it */
	const struct prog_lines *programs;
};

/* slide: how far the kernel is from where it was linked. Both are used as long as n is. */
int names_read(struct names *n, const struct symbols *symbols, uint64_t slide,
	       const struct prog_lines *programs);
void names_finish(struct names *n);

/*
 * "schedule+0x1a", "ktstr_dispatch+0x40 [bpf]", also of a subprogram, or the address. A return address may lie behind
 * the function that called.
 */
void names_add(const struct names *n, uint64_t address, bool is_exact, struct str *out);

/*
 * vcpu.c: Where each vCPU of a guest stands: its registers, and the functions that led there. QEMU
 * has the registers; the stack is in the guest's memory. On x86-64 the kernel's own tables (ORC)
 * say how to read it; BPF programs, which those tables do not know, and all of arm64 keep frame
 * pointers.
 */

#define VCPU_MAX_FRAMES 48

/* X(as QEMU spells it, name in JSON) */
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
	bool is_arm64;	/* by what QEMU said */
	bool is_halted; /* of x86-64 only */
	uint64_t registers[MAX((int)VCPU_REGISTER_COUNT, (int)VCPU_ARM_REGISTER_COUNT)];
	size_t frame_count;
	uint64_t frames[VCPU_MAX_FRAMES]; /* where it stands, then return addresses */
};

struct vcpus {
	VEC(struct vcpu) items;
};

/* Asks QEMU; false = it does not answer, which is no loss. */
bool vcpus_ask(struct vcpus *v, struct vm *vm);
void vcpus_finish(struct vcpus *v);

/* The registers of a task that does not run, as it will find them; false = they cannot be read. */
bool vcpu_read_sleeper(struct vcpu *v, struct space *space, uint64_t task);

/* Fills in the frames. */
void vcpu_unwind(struct vcpu *v, struct space *space);

/* domains.c: The scheduling domains of each CPU, from the smallest to the whole machine. */

#define DOMAINS_NAME 16

/* Numbers in the order of the rows of domains.c. */
#define DOMAIN_NUMBERS 21
#define DOMAIN_ARRAYS 11
#define DOMAIN_IDLE_TYPES 3 /* enum cpu_idle_type of the kernel */

struct domain_view {
	unsigned int cpu;
	char name[DOMAINS_NAME]; /* "SMT", "MC", "PKG"; "" = not known */
	bool is_known[DOMAIN_NUMBERS];
	uint64_t numbers[DOMAIN_NUMBERS];
	bool has_array[DOMAIN_ARRAYS];
	uint32_t arrays[DOMAIN_ARRAYS][DOMAIN_IDLE_TYPES];
};

struct domains {
	VEC(struct domain_view) items; /* CPU by CPU */
};

#endif
