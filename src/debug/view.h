/* SPDX-License-Identifier: GPL-2.0-only */
/* A guest that stands still, as the server asks for it. */
#ifndef KTSTR_DEBUG_VIEW_H
#define KTSTR_DEBUG_VIEW_H

#include "debug/server.h"
#include "debug/travel.h"
#include "trace/symbols.h"
#include "watch/known_types.h"
#include "watch/vcpu.h"

struct view {
	struct travel *travel;
	const struct symbols *symbols;
	const char *vmlinux, *scheduler; /* files of the host, or NULL */
	struct known_types known;
	struct server_guest guest;
	struct vcpus others; /* of the CPUs that it does not stand in, once they were asked for */
};

void view_init(struct view *v, struct travel *t, const struct symbols *symbols);

/* It stands somewhere else now. */
void view_reset(struct view *v);

/* gs_base of a CPU while it is in the kernel; 0 = not known. */
uint64_t view_cpu_base(struct view *v, unsigned int cpu);

#endif
