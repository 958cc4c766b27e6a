// SPDX-License-Identifier: GPL-2.0-only
/* The thread of user_naps that decides: first come, first served, when it is awake. */
#include "loader.h"

#include <bpf/bpf.h>
#include <bpf/libbpf.h>

#define NAP_NS 20000000

long scheduler_round(struct bpf_object *object)
{
	int asked = bpf_object__find_map_fd_by_name(object, "asked");
	int decided = bpf_object__find_map_fd_by_name(object, "decided");
	int pid;

	while (bpf_map_lookup_and_delete_elem(asked, NULL, &pid) == 0)
		bpf_map_update_elem(decided, NULL, &pid, BPF_ANY);
	return NAP_NS;
}
