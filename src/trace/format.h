/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The trace of a sim run as the plugin inside QEMU writes it: one header, then
 * records of one size, in the order of execution. Everything is little-endian, as
 * host and guest are.
 */
#ifndef KTSTR_TRACE_FORMAT_H
#define KTSTR_TRACE_FORMAT_H

#ifndef KTSTR_BPF_TYPES_H
#include <stdbool.h>
#include <stdint.h>
#endif

/* The memory file that QEMU loads the plugin from, with the version that it states (plugin_file.c). */
#define PLUGIN_FILE_PREFIX "ktstr-trace-"

#define TRACE_MAGIC 0x4352544b /* "KTRC" */
#define TRACE_VERSION 1
#define TRACE_TEXT 16 /* bytes of a name in a record */

struct trace_header {
	uint32_t magic, version, record_size, reserved;
};

enum trace_type {
	TRACE_SWITCH = 1,  /* pid comes in; arg = pid that leaves; value = its state */
	TRACE_ENQUEUE,	   /* pid becomes runnable on cpu; arg = cpu that did it; value = flags */
	TRACE_DEQUEUE,	   /* pid is no longer runnable there */
	TRACE_WAKEUP,	   /* somebody wakes pid; arg = who */
	TRACE_MIGRATE,	   /* pid goes from cpu to arg */
	TRACE_CALL,	   /* a function of sched_ext, value = its index, on behalf of pid */
	TRACE_LENGTH,	   /* arg tasks are runnable on cpu, value of them in the local DSQ */
	TRACE_NAME,	   /* text is the name of pid */
	TRACE_CGROUP,	   /* pid is in cgroup number arg */
	TRACE_CGROUP_NAME, /* the next 16 bytes of the name of cgroup number pid */
	/*
	 * A BPF program, value = its place, works on behalf of pid. With arg, which is the number
	 * of the call, it is a function of the kernel, value = its index; what follows has the same.
	 */
	TRACE_ENTER,
	TRACE_ARGUMENT, /* of it, value = which */
	TRACE_FIELD,	/* of pid, value = which; after TRACE_LEAVE those that have changed */
	TRACE_LINE,	/* it executes the line at place value */
	TRACE_LEAVE,	/* it returns number; value = TRACE_UNSEEN: how it ended was not seen */
	TRACE_TYPES,
};

/* time_ns is the guest's own clock; it never falls from record to record. */
struct trace_record {
	uint64_t time_ns;
	uint16_t type, cpu;
	uint32_t pid;
	union {
		struct {
			uint32_t arg, value;
			uint64_t number; /* of a call: the argument behind its task */
		};
		char text[TRACE_TEXT]; /* not terminated when full */
	};
};

/*
 * Where BPF programs begin and where the lines of their sources do, in a file for the plugin:
 * ascending by address, and a program in front of its first line.
 */
enum trace_place_kind {
	TRACE_PLACE_PROGRAM,
	TRACE_PLACE_CALLBACK, /* a subprogram: told where the kernel calls it, as a timer does */
	TRACE_PLACE_LINE,
};

#define TRACE_MAX_ARGUMENTS 6
#define TRACE_NO_ARGUMENT 0xff

struct trace_place {
	uint64_t address;
	uint32_t bytes; /* of a program or subprogram */
	uint8_t kind;
	bool is_for_all; /* it is told also where it works for another task than that of the story */
	uint8_t arguments, task_argument; /* of a program; which of them is its task */
};

/*
 * A function of the kernel that is told from its entry to its return, in another file for the
 * plugin: ascending by address.
 */
#define TRACE_MAX_FUNCTIONS 80
#define TRACE_MAX_FIELDS 16
#define TRACE_UNSEEN UINT32_MAX

struct trace_function {
	uint64_t address;
	uint8_t arguments, task_argument, field_count, reserved[5];
	struct trace_function_field {
		uint32_t offset, behind;	     /* behind: in what the pointer leads to */
		uint8_t argument, bytes, is_pointer; /* argument: points to the struct */
		uint8_t reserved;
	} fields[TRACE_MAX_FIELDS];
};

/* Why the guest stands still, see plugin/stops.c. */
enum trace_stop_reason {
	TRACE_STOP_TIME,    /* the counter has reached what was asked for */
	TRACE_STOP_CALL,    /* a function was entered; argument = its first */
	TRACE_STOP_REQUEST, /* the guest executed TRACE_REQUEST_CODE; argument = of its own */
	TRACE_STOP_PROGRAM, /* a BPF program comes or goes; argument = its struct bpf_prog */
	TRACE_STOP_WATCH,   /* the kernel has written to a place; argument = its number */
};

#define TRACE_STOP_NAME 48 /* bytes that are read of a name */

struct trace_stop {
	uint64_t counter; /* as the guest saw it last */
	uint64_t reason, argument;
	uint64_t request;	    /* of the guest: enum trace_request */
	char name[TRACE_STOP_NAME]; /* the same; "" = none */
};

/* What the plugin is told then. */
#define TRACE_MAX_WATCHES 3

struct trace_watch {
	uint64_t address, bytes;
};

struct trace_answer {
	uint64_t next; /* counter at which to stop; UINT64_MAX = nobody wants stops any more */
	uint64_t watch_count;
	struct trace_watch watches[TRACE_MAX_WATCHES];
};

enum trace_request {
	TRACE_REQUEST_SNAPSHOT,
	TRACE_REQUEST_BEGIN, /* of what a test does: periodic snapshots are counted from here */
};

/*
 * nopl 0x6b747374(%rax): nothing to any CPU. Its argument is in %rdi, the address of a name in %rsi
 * (0 = none), and what is wanted in %rdx.
 */
#define TRACE_REQUEST_CODE                               \
	{                                                \
		0x0f, 0x1f, 0x80, 0x74, 0x73, 0x74, 0x6b \
	}

/*
 * Blocks of JITed code that were executed, in memory that plugin and host share: each is a
 * straight run of instructions that is executed as a whole. The host may name parts of the kernel
 * that are counted, too.
 */
#define TRACE_MAX_BLOCKS (1U << 17)
#define TRACE_MAX_RANGES 512

struct trace_block {
	uint64_t address;
	uint32_t bytes;
	uint32_t programs; /* stops of TRACE_STOP_PROGRAM before it was translated; 0 = kernel */
	uint64_t count;	   /* of executions */
	uint64_t target;   /* of the conditional jump at its end; 0 = there is none */
	uint32_t jump;	   /* where in the block that jump begins */
	bool is_taken, is_passed;
	bool is_return; /* at its end a function of a program returns */
};

/*
 * One CPU was inside of a program, having executed the first of these blocks last, when another
 * CPU executed the second: 1 + their indices. They lie in a hash table, 0 = free.
 */
#define TRACE_MAX_PAIRS 4096 /* a power of two */

struct trace_pair {
	uint32_t first, second;
};

struct trace_blocks {
	struct trace_range {
		uint64_t start, end;
	} ranges[TRACE_MAX_RANGES]; /* by address */
	uint32_t range_count;
	uint32_t count;
	bool is_full; /* there were more */
	struct trace_block blocks[TRACE_MAX_BLOCKS];
	struct trace_pair pairs[TRACE_MAX_PAIRS];
};

_Static_assert(sizeof(struct trace_record) == 32, "part of the format");
_Static_assert(sizeof(struct trace_place) == 16, "part of the format");
_Static_assert(sizeof(struct trace_function) == 208, "part of the format");

#endif
