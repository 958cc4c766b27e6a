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
