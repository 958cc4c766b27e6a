// SPDX-License-Identifier: GPL-2.0-only
#include "observe/observer.h"

#include "base/bpf_call.h"

static void add_program(unsigned int id, struct observe_programs *sum)
{
	struct bpf_prog_info info;

	if (bpf_program_info(id, &info) < 0 || info.type != BPF_PROG_TYPE_STRUCT_OPS)
		return;
	sum->ns += info.run_time_ns;
	sum->calls = MAX(sum->calls, info.run_cnt);
}

struct observe_programs observe_programs_read(void)
{
	struct observe_programs sum = {};
	unsigned int id = 0;

	while ((id = bpf_program_next(id)) != 0)
		add_program(id, &sum);
	return sum;
}
