// SPDX-License-Identifier: GPL-2.0-only
/*
 * A BPF program of some twenty instructions on the kernel's tracepoint sched_waking,
 * written out here: the guest's init is static and carries no loader.
 */
#include "guest/wake_delay.h"

#include <errno.h>
#include <linux/bpf.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/util.h"
#include "guest/seed.h"

/* Newer than the headers of older distributions: goes on until the kernel has had enough. */
#define MAY_GOTO 0xe0

/* The registers: R6 and up live through calls. */
#define STATE BPF_REG_6
#define UNTIL BPF_REG_7

/* clang-format off */
#define INSN(c, d, s, o, i) ((struct bpf_insn){ .code = (c), .dst_reg = (d), .src_reg = (s), \
						.off = (o), .imm = (i) })
#define MOVE(d, s)	INSN(BPF_ALU64 | BPF_MOV | BPF_X, d, s, 0, 0)
#define SET(d, i)	INSN(BPF_ALU64 | BPF_MOV | BPF_K, d, 0, 0, i)
#define ADD(d, s)	INSN(BPF_ALU64 | BPF_ADD | BPF_X, d, s, 0, 0)
#define XOR(d, s)	INSN(BPF_ALU64 | BPF_XOR | BPF_X, d, s, 0, 0)
#define LEFT(d, i)	INSN(BPF_ALU64 | BPF_LSH | BPF_K, d, 0, 0, i)
#define RIGHT(d, i)	INSN(BPF_ALU64 | BPF_RSH | BPF_K, d, 0, 0, i)
#define MODULO(d, i)	INSN(BPF_ALU64 | BPF_MOD | BPF_K, d, 0, 0, i)
#define LOAD(d, s)	INSN(BPF_LDX | BPF_MEM | BPF_DW, d, s, 0, 0)
#define STORE(d, s)	INSN(BPF_STX | BPF_MEM | BPF_DW, d, s, 0, 0)
#define CALL(f)		INSN(BPF_JMP | BPF_CALL, 0, 0, 0, f)
#define UNLESS_ZERO(d, o) INSN(BPF_JMP | BPF_JNE | BPF_K, d, 0, o, 0)
#define IF_LESS(d, s, o) INSN(BPF_JMP | BPF_JLT | BPF_X, d, s, o, 0)
#define ENOUGH(o)	INSN(BPF_JMP | MAY_GOTO, 0, 0, o, 0)
#define EXIT		INSN(BPF_JMP | BPF_EXIT, 0, 0, 0, 0)
/* clang-format on */

static int bpf(enum bpf_cmd command, union bpf_attr *attr)
{
	int rc = (int)syscall(SYS_bpf, command, attr, sizeof(*attr));

	return rc < 0 ? -errno : rc;
}

/* One word: where the sequence of numbers is. Zero would stay zero. */
static int make_state(uint64_t seed)
{
	uint64_t value = seed_next(&seed) | 1;
	uint32_t key = 0;
	union bpf_attr attr = { .map_type = BPF_MAP_TYPE_ARRAY,
				.key_size = sizeof(key),
				.value_size = sizeof(value),
				.max_entries = 1 };
	int fd = bpf(BPF_MAP_CREATE, &attr), rc;

	if (fd < 0)
		return fd;
	attr = (union bpf_attr){ .map_fd = (unsigned int)fd,
				 .key = (unsigned long)&key,
				 .value = (unsigned long)&value };
	rc = bpf(BPF_MAP_UPDATE_ELEM, &attr);
	if (rc < 0)
		close(fd);
	return rc < 0 ? rc : fd;
}

static int load(int state_fd, int32_t longest_ns)
{
	const struct bpf_insn program[] = {
		INSN(BPF_LD | BPF_IMM | BPF_DW, STATE, BPF_PSEUDO_MAP_VALUE, 0, state_fd),
		INSN(0, 0, 0, 0, 0),
		/* The next number, by shifts and exclusive ors. */
		LOAD(BPF_REG_1, STATE),
		MOVE(BPF_REG_2, BPF_REG_1),
		LEFT(BPF_REG_2, 13),
		XOR(BPF_REG_1, BPF_REG_2),
		MOVE(BPF_REG_2, BPF_REG_1),
		RIGHT(BPF_REG_2, 7),
		XOR(BPF_REG_1, BPF_REG_2),
		MOVE(BPF_REG_2, BPF_REG_1),
		LEFT(BPF_REG_2, 17),
		XOR(BPF_REG_1, BPF_REG_2),
		STORE(STATE, BPF_REG_1),
		/* Its high bits say whether, others for how long. */
		MOVE(UNTIL, BPF_REG_1),
		RIGHT(BPF_REG_1, 48),
		MODULO(BPF_REG_1, WAKE_DELAY_ONE_IN),
		UNLESS_ZERO(BPF_REG_1, 7),
		RIGHT(UNTIL, 8),
		MODULO(UNTIL, longest_ns),
		CALL(BPF_FUNC_ktime_get_ns),
		ADD(UNTIL, BPF_REG_0),
		ENOUGH(2),
		CALL(BPF_FUNC_ktime_get_ns),
		IF_LESS(BPF_REG_0, UNTIL, -3),
		SET(BPF_REG_0, 0),
		EXIT,
	};
	union bpf_attr attr = { .prog_type = BPF_PROG_TYPE_RAW_TRACEPOINT,
				.insns = (unsigned long)program,
				.insn_cnt = ARRAY_SIZE(program),
				.license = (unsigned long)"GPL",
				.prog_name = "wake_delay" };

	return bpf(BPF_PROG_LOAD, &attr);
}

int wake_delay_start(uint64_t seed, uint32_t longest_us)
{
	_close_ int state = -1, program = -1;
	union bpf_attr attr = {};

	if (longest_us == 0)
		return 0;
	if (longest_us > WAKE_DELAY_MAX_US)
		return -EINVAL;
	state = make_state(seed ^ 0x77616b6575700000); /* other numbers than the slice's */
	if (state < 0)
		return state;
	program = load(state, (int32_t)longest_us * 1000);
	if (program < 0)
		return program;
	attr.raw_tracepoint.name = (unsigned long)"sched_waking";
	attr.raw_tracepoint.prog_fd = (unsigned int)program;
	/* Left open: it ends with the process. */
	return MIN(bpf(BPF_RAW_TRACEPOINT_OPEN, &attr), 0);
}
