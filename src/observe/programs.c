// SPDX-License-Identifier: GPL-2.0-only
#include "observe/observer.h"

#include "base/bpf_call.h"

static uint64_t ns_of(unsigned int id)
{
	struct bpf_prog_info info;

	if (bpf_program_info(id, &info) < 0 || info.type != BPF_PROG_TYPE_STRUCT_OPS)
		return 0;
	return info.run_time_ns;
}

uint64_t observe_programs_ns(void)
{
	unsigned int id = 0;
	uint64_t ns = 0;

	while ((id = bpf_program_next(id)) != 0)
		ns += ns_of(id);
	return ns;
}
