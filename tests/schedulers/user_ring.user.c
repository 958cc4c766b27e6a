// SPDX-License-Identifier: GPL-2.0-only
/* The thread of user_ring that decides: it sleeps until somebody asks. */
#include "loader.h"

#include <bpf/bpf.h>
#include <bpf/libbpf.h>

#define NAP_MS 100

static int decided = -1;

static int decide(void *ctx, void *pid, size_t size)
{
	(void)ctx;
	(void)size;
	bpf_map_update_elem(decided, NULL, pid, BPF_ANY);
	return 0;
}

long scheduler_round(struct bpf_object *object)
{
	static struct ring_buffer *ring;

	if (!ring) {
		decided = bpf_object__find_map_fd_by_name(object, "decided");
		ring = ring_buffer__new(bpf_object__find_map_fd_by_name(object, "asked"), decide,
					NULL, NULL);
	}
	if (ring)
		ring_buffer__poll(ring, NAP_MS);
	return ring ? 1 : NAP_MS * 1000000L;
}
