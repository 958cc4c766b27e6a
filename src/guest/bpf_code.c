// SPDX-License-Identifier: GPL-2.0-only
/* Assembles, loads and attaches small BPF programs. */
#include "guest/bpf_code.h"

#include "base/bpf_call.h"

size_t bpf_code_add(struct bpf_code *c, struct bpf_insn insn)
{
	if (c->count < BPF_CODE_MAX)
		c->insns[c->count] = insn;
	return c->count++;
}

void bpf_code_add_value(struct bpf_code *c, int reg, int map_fd)
{
	bpf_code_add(c, BPF_INSN(BPF_LD | BPF_IMM | BPF_DW, reg, BPF_PSEUDO_MAP_VALUE, 0, map_fd));
	bpf_code_add(c, BPF_INSN(0, 0, 0, 0, 0));
}

void bpf_code_land(struct bpf_code *c, size_t jump)
{
	if (jump < BPF_CODE_MAX)
		c->insns[jump].off = (int16_t)(c->count - jump - 1);
}

void bpf_code_add_back(struct bpf_code *c, struct bpf_insn jump, size_t target)
{
	jump.off = (int16_t)((ptrdiff_t)target - (ptrdiff_t)c->count - 1);
	bpf_code_add(c, jump);
}

/* xorshift. */
void bpf_code_add_random(struct bpf_code *c, int reg, int other, int base, int16_t offset)
{
	const struct bpf_insn insns[] = {
		LOAD(reg, base, offset), MOVE(other, reg),	   LEFT(other, 13),
		XOR(reg, other),	 MOVE(other, reg),	   RIGHT(other, 7),
		XOR(reg, other),	 MOVE(other, reg),	   LEFT(other, 17),
		XOR(reg, other),	 STORE(base, reg, offset),
	};

	for (size_t i = 0; i < ARRAY_SIZE(insns); i++)
		bpf_code_add(c, insns[i]);
}

int bpf_value_make(const void *value, uint32_t size)
{
	uint32_t key = 0;
	union bpf_attr attr = { .map_type = BPF_MAP_TYPE_ARRAY,
				.key_size = sizeof(key),
				.value_size = size,
				.max_entries = 1 };
	int fd = bpf_call(BPF_MAP_CREATE, &attr), rc;

	if (fd < 0)
		return fd;
	attr = (union bpf_attr){ .map_fd = (unsigned int)fd,
				 .key = (unsigned long)&key,
				 .value = (unsigned long)value };
	rc = bpf_call(BPF_MAP_UPDATE_ELEM, &attr);
	if (rc < 0)
		close(fd);
	return rc < 0 ? rc : fd;
}

int bpf_value_read(int map_fd, void *value)
{
	uint32_t key = 0;
	union bpf_attr attr = { .map_fd = (unsigned int)map_fd,
				.key = (unsigned long)&key,
				.value = (unsigned long)value };

	return bpf_call(BPF_MAP_LOOKUP_ELEM, &attr);
}

int bpf_code_load(const struct bpf_code *c, enum bpf_prog_type type, const char *name,
		  enum bpf_attach_type attach_type)
{
	union bpf_attr attr = { .prog_type = type,
				.insns = (unsigned long)c->insns,
				.insn_cnt = (uint32_t)c->count,
				.license = (unsigned long)"GPL",
				.expected_attach_type = attach_type };

	if (c->count > BPF_CODE_MAX)
		return -E2BIG;
	snprintf(attr.prog_name, sizeof(attr.prog_name), "%s", name);
	return bpf_call(BPF_PROG_LOAD, &attr);
}

int bpf_attach_tracepoint(int program, const char *tracepoint)
{
	union bpf_attr attr = {};
	int rc;

	attr.raw_tracepoint.name = (unsigned long)tracepoint;
	attr.raw_tracepoint.prog_fd = (unsigned int)program;
	rc = bpf_call(BPF_RAW_TRACEPOINT_OPEN, &attr);
	return rc < 0 ? rc : 0; /* left open: it ends with the process */
}
