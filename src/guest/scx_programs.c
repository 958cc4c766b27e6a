// SPDX-License-Identifier: GPL-2.0-only
/* Queries all BPF programs of the kernel, by any loader. */
#include "guest/sched.h"

#include "base/bpf_call.h"

unsigned int scx_programs_newest(unsigned int after)
{
	for (unsigned int id = bpf_program_next(after); id; id = bpf_program_next(id))
		after = id;
	return after;
}

void scx_programs_read(struct sched_life *r)
{
	struct bpf_prog_info info;
	unsigned int id = 0;

	r->program_count = 0;
	while (r->program_count < SCHED_MAX_PROGRAMS && (id = bpf_program_next(id)) != 0) {
		struct sched_life_program *p = &r->programs[r->program_count];

		if (bpf_program_info(id, &info) < 0 || info.type != BPF_PROG_TYPE_STRUCT_OPS)
			continue;
		snprintf(p->name, sizeof(p->name), "%s", info.name);
		p->verified_insns = info.verified_insns;
		r->program_count++;
	}
}
