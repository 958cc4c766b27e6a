/* SPDX-License-Identifier: GPL-2.0-only */
/* Where a member of a kernel struct is, from the kernel's own BTF. */
#ifndef KTSTR_GUEST_BTF_MEMBER_H
#define KTSTR_GUEST_BTF_MEMBER_H

#include <stddef.h>
#include <stdint.h>

/*
 * Looks for a member by name in the struct with this type id. 0 with its offset in
 * bytes and its type; -ENOENT when there is none, -EINVAL when the data make no
 * sense or the id is no struct.
 */
int btf_find_member(const void *btf, size_t len, uint32_t struct_id, const char *name,
		    uint32_t *offset, uint32_t *type_id);

/* Calls fn with the id of every struct whose name begins like this. -EINVAL as above. */
int btf_each_struct(const void *btf, size_t len, const char *prefix,
		    void (*fn)(void *ctx, uint32_t id), void *ctx);

#endif
