// SPDX-License-Identifier: GPL-2.0-only
#include "base/bpf_call.h"

#include <errno.h>
#include <stdint.h>
#include <sys/syscall.h>
#include <unistd.h>

int bpf_call(enum bpf_cmd command, union bpf_attr *attr)
{
	int rc = (int)syscall(SYS_bpf, command, attr, sizeof(*attr));

	return rc < 0 ? -errno : rc;
}

int bpf_open_pinned(const char *path)
{
	union bpf_attr attr = { .pathname = (uintptr_t)path };

	return bpf_call(BPF_OBJ_GET, &attr);
}

unsigned int bpf_program_next(unsigned int id)
{
	union bpf_attr attr = { .start_id = id };

	return bpf_call(BPF_PROG_GET_NEXT_ID, &attr) == 0 ? attr.next_id : 0;
}

int bpf_program_info(unsigned int id, struct bpf_prog_info *info)
{
	union bpf_attr attr = { .prog_id = id };
	int fd = bpf_call(BPF_PROG_GET_FD_BY_ID, &attr), rc;

	if (fd < 0)
		return -1;
	*info = (struct bpf_prog_info){};
	attr = (union bpf_attr){ .info = { .bpf_fd = (unsigned int)fd,
					   .info_len = sizeof(*info),
					   .info = (uintptr_t)info } };
	rc = bpf_call(BPF_OBJ_GET_INFO_BY_FD, &attr);
	close(fd);
	return rc < 0 ? -1 : 0;
}
