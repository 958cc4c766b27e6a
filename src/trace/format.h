/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Trace of a sim run as written by the plugin in QEMU: a header, then records of fixed size in the
 * order of execution. Everything is little-endian, as host and guest are.
 */
#ifndef KTSTR_TRACE_FORMAT_H
#define KTSTR_TRACE_FORMAT_H

#ifndef KTSTR_BPF_TYPES_H
#include <stdbool.h>
#include <stdint.h>
#endif

/*
 * Name of the memory file with the plugin, followed by the API version to declare (plugin_file.c).
 */
#define PLUGIN_FILE_PREFIX "ktstr-trace-"

#define TRACE_MAGIC 0x4352544b /* "KTRC" */
#define TRACE_VERSION 1
#define TRACE_TEXT 16 /* bytes of a name in a record */

struct trace_header {
	uint32_t magic, version, record_size, reserved;
};

enum trace_type {
	TRACE_SWITCH = 1,  /* pid is switched in; arg = pid switched out; value = its state */
	TRACE_ENQUEUE,	   /* pid becomes runnable on cpu; arg = enqueuing CPU; value = flags */
	TRACE_DEQUEUE,	   /* pid is no longer runnable there */
	TRACE_WAKEUP,	   /* pid is woken; arg = waker */
	TRACE_MIGRATE,	   /* pid moves from cpu to CPU arg */
	TRACE_CALL,	   /* function of sched_ext with index value, on behalf of pid */
	TRACE_LENGTH,	   /* arg tasks are runnable on cpu, value of them in the local DSQ */
	TRACE_NAME,	   /* text is the name of pid */
	TRACE_CGROUP,	   /* pid is in cgroup number arg */
	TRACE_CGROUP_NAME, /* the next 16 bytes of the name of cgroup number pid */
	/*
	 * A BPF program starts on behalf of pid; value = its place. With arg = number of the call:
	 * a kernel function, value = its index; the following records of the call have the same
	 * arg.
	 */
	TRACE_ENTER,
	TRACE_ARGUMENT, /* argument number value of the call */
	TRACE_FIELD,	/* field number value of pid; after TRACE_LEAVE only changed fields */
	TRACE_LINE,	/* executes the line at place value */
	TRACE_LEAVE,	/* returns number; value = TRACE_UNSEEN: its end was not seen */
	TRACE_TYPES,
};

/* time_ns is the guest's clock; it never decreases from record to record. */
struct trace_record {
	uint64_t time_ns;
	uint16_t type, cpu;
	uint32_t pid;
	union {
		struct {
			uint32_t arg, value;
			uint64_t number; /* for a call: the argument after its task */
		};
		char text[TRACE_TEXT]; /* not terminated when full */
	};
};

/*
 * Start addresses of BPF programs and of their source lines, in a file for the plugin: ascending by
 * address, a program before its first line.
 */
enum trace_place_kind {
	TRACE_PLACE_PROGRAM,
	TRACE_PLACE_CALLBACK, /* a subprogram: recorded if called by the kernel, as by a timer */
	TRACE_PLACE_LINE,
};

#define TRACE_MAX_ARGUMENTS 6
#define TRACE_NO_ARGUMENT 0xff

struct trace_place {
	uint64_t address;
	uint32_t bytes; /* of a program or subprogram */
	uint8_t kind;
	bool is_for_all; /* recorded also if it runs for a task other than the traced one */
	uint8_t arguments, task_argument; /* of a program: number of arguments; index of its task */
};

/*
 * A kernel function that is recorded from its entry to its return, in another file for the plugin:
 * ascending by address.
 */
#define TRACE_MAX_FUNCTIONS 80
#define TRACE_MAX_FIELDS 16
#define TRACE_UNSEEN UINT32_MAX

struct trace_function {
	uint64_t address;
	uint8_t arguments, task_argument, field_count, reserved[5];
	struct trace_function_field {
		uint32_t offset, behind;	     /* behind: offset in the pointer's target */
		uint8_t argument, bytes, is_pointer; /* argument: which one is the struct */
		uint8_t reserved;
	} fields[TRACE_MAX_FIELDS];
};

/* Why the guest is stopped, see plugin/stops.c. */
enum trace_stop_reason {
	TRACE_STOP_TIME,    /* the counter has reached the requested value */
	TRACE_STOP_CALL,    /* a function was entered; argument = its first argument */
	TRACE_STOP_REQUEST, /* the guest executed TRACE_REQUEST_CODE; argument = its operand */
	TRACE_STOP_PROGRAM, /* a BPF program is loaded or freed; argument = struct bpf_prog */
	TRACE_STOP_WATCH,   /* the kernel wrote to a watched place; argument = its index */
};

#define TRACE_STOP_NAME 48 /* maximum length of a name */

struct trace_stop {
	uint64_t counter; /* as last read by the guest */
	uint64_t reason, argument;
	uint64_t request;	    /* by the guest: enum trace_request */
	char name[TRACE_STOP_NAME]; /* likewise; "" = none */
};

/* The answer to a stop. */
#define TRACE_MAX_WATCHES 3

struct trace_watch {
	uint64_t address, bytes;
};

struct trace_answer {
	uint64_t next; /* counter at which to stop next; UINT64_MAX = no more stops */
	uint64_t watch_count;
	struct trace_watch watches[TRACE_MAX_WATCHES];
};

enum trace_request {
	TRACE_REQUEST_SNAPSHOT,
	TRACE_REQUEST_BEGIN, /* start of the test's work: periodic snapshots count from here */
};

/*
 * nopl 0x6b747374(%rax): a no-op on any CPU. The operand is in %rdi, the address of a name in %rsi
 * (0 = none), and the request in %rdx.
 */
#define TRACE_REQUEST_CODE                               \
	{                                                \
		0x0f, 0x1f, 0x80, 0x74, 0x73, 0x74, 0x6b \
	}

/*
 * Executed translation blocks of JITed code, in memory shared by plugin and host: each is a linear
 * sequence of instructions that is executed as a whole. The host may add ranges of the kernel to
 * count.
 */
#define TRACE_MAX_BLOCKS (1U << 17)
#define TRACE_MAX_RANGES 512

struct trace_block {
	uint64_t address;
	uint32_t bytes;
	uint32_t programs; /* TRACE_STOP_PROGRAM stops before its translation; 0 = kernel */
	uint64_t count;	   /* number of executions */
	uint64_t target;   /* of the conditional jump at its end; 0 = none */
	uint32_t jump;	   /* offset of that jump in the block */
	bool is_taken, is_passed;
	bool is_return; /* a function of a program returns at its end */
};

/*
 * One CPU was inside a program, with the first of these blocks executed last, when another CPU
 * executed the second: 1 + their indices. Stored in a hash table, 0 = free.
 */
#define TRACE_MAX_PAIRS 4096 /* a power of two */

struct trace_pair {
	uint32_t first, second;
};

struct trace_blocks {
	struct trace_range {
		uint64_t start, end;
	} ranges[TRACE_MAX_RANGES]; /* ordered by address */
	uint32_t range_count;
	uint32_t count;
	bool is_full; /* some did not fit */
	struct trace_block blocks[TRACE_MAX_BLOCKS];
	struct trace_pair pairs[TRACE_MAX_PAIRS];
};

_Static_assert(sizeof(struct trace_record) == 32, "part of the format");
_Static_assert(sizeof(struct trace_place) == 16, "part of the format");
_Static_assert(sizeof(struct trace_function) == 208, "part of the format");

#endif
