// SPDX-License-Identifier: GPL-2.0-only
/* Asking the kernel for its BPF programs: whoever loaded them. */
#include "guest/sched.h"

#include "base/bpf_call.h"

unsigned int scx_programs_newest(unsigned int after)
{
	union bpf_attr attr = { .start_id = after };

	while (bpf_call(BPF_PROG_GET_NEXT_ID, &attr) == 0) {
		after = attr.next_id;
		attr = (union bpf_attr){ .start_id = after };
	}
	return after;
}

void scx_programs_read(struct sched_life *r)
{
	union bpf_attr attr = {};
	struct bpf_prog_info info;

	r->program_count = 0;
	while (r->program_count < SCHED_MAX_PROGRAMS &&
	       bpf_call(BPF_PROG_GET_NEXT_ID, &attr) == 0) {
		unsigned int id = attr.next_id;
		struct sched_life_program *p = &r->programs[r->program_count];

		attr = (union bpf_attr){ .start_id = id };
		if (bpf_program_info(id, &info) < 0 || info.type != BPF_PROG_TYPE_STRUCT_OPS)
			continue;
		snprintf(p->name, sizeof(p->name), "%s", info.name);
		p->verified_insns = info.verified_insns;
		r->program_count++;
	}
}
