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
	union bpf_attr attr = {};
	uint64_t ns = 0;

	while (bpf_call(BPF_PROG_GET_NEXT_ID, &attr) == 0) {
		unsigned int id = attr.next_id;

		ns += ns_of(id);
		attr = (union bpf_attr){ .start_id = id };
	}
	return ns;
}
