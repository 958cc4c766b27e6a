/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * How much of what a guest sends the host keeps. The ring is emptied as the guest fills it, so
 * without a limit for each kind of frame a guest decides how much memory the host uses.
 */
#ifndef KTSTR_VM_FRAME_BUDGET_H
#define KTSTR_VM_FRAME_BUDGET_H

#include "base/str.h"
#include "channel/reader.h"

#define FRAME_BUDGET_KINDS 16

struct frame_budget {
	uint64_t sent[FRAME_BUDGET_KINDS]; /* bytes, in the order of the table */
};

/* The frame without what its kind has no room for any more; false = nothing of it is left. */
bool frame_budget_take(struct frame_budget *b, struct channel_frame *frame);

/* Appends a line for each kind of which something was left out. */
void frame_budget_describe(const struct frame_budget *b, struct str *out);

#endif
