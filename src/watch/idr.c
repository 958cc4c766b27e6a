// SPDX-License-Identifier: GPL-2.0-only
/*
 * Walks an xarray, see include/linux/xarray.h. The shift of a node must be smaller than that of its
 * parent, so paths through forged nodes are short; the number of nodes is limited.
 */
#include "watch/parts.h"

#define SLOTS 64
#define SHIFT_LIMIT 64
#define MAX_NODES 1024
#define KIND_MASK 3ULL
#define KIND_POINTER 0ULL
#define KIND_INTERNAL 2ULL
#define FIRST_NODE 4096ULL /* smaller internal entries are not nodes */

struct walk {
	struct idr_objects *out;
	struct space *space;
	size_t nodes; /* remaining budget */
	int rc;
};

static bool is_node(uint64_t entry)
{
	return (entry & KIND_MASK) == KIND_INTERNAL && entry > FIRST_NODE;
}

static void take(struct walk *w, uint64_t entry)
{
	if (!entry || (entry & KIND_MASK) != KIND_POINTER)
		return;
	if (w->out->items.count == IDR_MAX_OBJECTS)
		w->out->is_cut = true;
	else
		w->rc = vec_push(&w->out->items, entry);
}

static void read_node(struct walk *w, uint64_t entry, uint64_t below)
{
	uint64_t node = entry & ~KIND_MASK, slots[SLOTS], shift;

	if (!w->nodes || !space_read_member(w->space, node, M_XA_SHIFT, &shift) || shift >= below ||
	    !space_read(w->space, node + w->space->layout->members[M_XA_SLOTS], slots,
			sizeof(slots))) {
		w->out->is_cut = true;
		return;
	}
	w->nodes--;
	for (size_t i = 0; i < SLOTS && w->rc == 0; i++) {
		if (is_node(slots[i]))
			read_node(w, slots[i], shift);
		else
			take(w, slots[i]);
	}
}

int idr_read(struct idr_objects *o, struct space *space, enum watch_symbol table)
{
	static const enum watch_member needed[] = { M_IDR_HEAD, M_XA_SHIFT, M_XA_SLOTS };
	struct walk w = { .out = o, .space = space, .nodes = MAX_NODES };
	uint64_t at = space_symbol(space, table), head;

	*o = (struct idr_objects){};
	if (!at || !layout_has_all(space->layout, needed, ARRAY_SIZE(needed)))
		return 0;
	if (!space_read_member(space, at, M_IDR_HEAD, &head))
		o->is_cut = true;
	else if (is_node(head))
		read_node(&w, head, SHIFT_LIMIT);
	else
		take(&w, head);
	if (w.rc < 0)
		idr_finish(o);
	return w.rc;
}

void idr_finish(struct idr_objects *o)
{
	free(o->items.items);
	*o = (struct idr_objects){};
}
