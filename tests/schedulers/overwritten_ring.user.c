// SPDX-License-Identifier: GPL-2.0-only
/* The thread of overwritten_ring: who comes when all places are taken overwrites who waits longest. */
#include "loader.h"

#include <bpf/bpf.h>
#include <bpf/libbpf.h>

#define PLACES 24
#define NAP_NS 1000000

static int ring[PLACES];
static unsigned int head, tail;

long scheduler_round(struct bpf_object *object)
{
	int asked = bpf_object__find_map_fd_by_name(object, "asked");
	int decided = bpf_object__find_map_fd_by_name(object, "decided");
	int pid;

	while (bpf_map_lookup_and_delete_elem(asked, NULL, &pid) == 0)
		ring[head++ % PLACES] = pid;
	if (head - tail > PLACES)
		tail = head - PLACES;
	while (tail != head)
		bpf_map_update_elem(decided, NULL, &ring[tail++ % PLACES], BPF_ANY);
	return NAP_NS;
}
