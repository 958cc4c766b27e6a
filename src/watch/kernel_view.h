/* SPDX-License-Identifier: GPL-2.0-only */
/* What is shown of the kernel's own structs, of which some have hundreds of members. */
#ifndef KTSTR_WATCH_KERNEL_VIEW_H
#define KTSTR_WATCH_KERNEL_VIEW_H

#include "base/btf.h"

enum kernel_view {
	VIEW_NOT,
	VIEW_SHOWN,
	VIEW_FOLLOWED, /* a pointer that is followed */
};

/* Of a member with this name and type of the kernel's struct. */
enum kernel_view kernel_view_of(const struct btf *types, const char *owner, const char *member,
				uint32_t type);

#endif
