/* SPDX-License-Identifier: GPL-2.0-only */
/* The kernel's tables of numbered objects: struct idr, which is an xarray. */
#ifndef KTSTR_WATCH_IDR_H
#define KTSTR_WATCH_IDR_H

#include "watch/space.h"

#define IDR_MAX_OBJECTS 4096

struct idr_objects {
	VEC(uint64_t) items; /* addresses in the order of their numbers */
	bool is_cut;	     /* there was more, or a part of it cannot be read */
};

/* -ENOMEM only. A kernel without the table has no objects. */
int idr_read(struct idr_objects *o, struct space *space, enum watch_symbol table);
void idr_finish(struct idr_objects *o);

#define _idr_objects_ _cleanup_(idr_finish)

#endif
