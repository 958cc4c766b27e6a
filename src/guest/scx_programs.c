// SPDX-License-Identifier: GPL-2.0-only
/* Asking the kernel for its BPF programs: whoever loaded them. */
#include "guest/sched.h"

#include <linux/bpf.h>
#include <sys/syscall.h>

static int bpf(enum bpf_cmd command, union bpf_attr *attr)
{
	return (int)syscall(SYS_bpf, command, attr, sizeof(*attr));
}

unsigned int scx_programs_newest(unsigned int after)
{
	union bpf_attr attr = { .start_id = after };

	while (bpf(BPF_PROG_GET_NEXT_ID, &attr) == 0) {
		after = attr.next_id;
		attr = (union bpf_attr){ .start_id = after };
	}
	return after;
}

static int read_info(unsigned int id, struct bpf_prog_info *info)
{
	union bpf_attr attr = { .prog_id = id };
	_close_ int fd = bpf(BPF_PROG_GET_FD_BY_ID, &attr);

	if (fd < 0)
		return -1;
	*info = (struct bpf_prog_info){};
	attr = (union bpf_attr){ .info = { .bpf_fd = (unsigned int)fd,
					   .info_len = sizeof(*info),
					   .info = (unsigned long)info } };
	return bpf(BPF_OBJ_GET_INFO_BY_FD, &attr);
}

void scx_programs_read(struct sched_life *r)
{
	union bpf_attr attr = {};
	struct bpf_prog_info info;

	r->program_count = 0;
	while (r->program_count < SCHED_MAX_PROGRAMS && bpf(BPF_PROG_GET_NEXT_ID, &attr) == 0) {
		unsigned int id = attr.next_id;
		struct sched_life_program *p = &r->programs[r->program_count];

		attr = (union bpf_attr){ .start_id = id };
		if (read_info(id, &info) < 0 || info.type != BPF_PROG_TYPE_STRUCT_OPS)
			continue;
		snprintf(p->name, sizeof(p->name), "%s", info.name);
		p->verified_insns = info.verified_insns;
		r->program_count++;
	}
}
