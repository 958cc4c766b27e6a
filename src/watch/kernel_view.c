// SPDX-License-Identifier: GPL-2.0-only
/* Structs with rows here show these members; others show numbers and short strings. */
#include "watch/parts.h"

#define SHORT 64 /* bytes of an array */

static const struct {
	const char *owner, *member;
	enum kernel_view view;
} rows[] = {
	{ "task_struct", "__state", VIEW_SHOWN },
	{ "task_struct", "flags", VIEW_SHOWN },
	{ "task_struct", "on_cpu", VIEW_SHOWN },
	{ "task_struct", "on_rq", VIEW_SHOWN },
	{ "task_struct", "prio", VIEW_SHOWN },
	{ "task_struct", "static_prio", VIEW_SHOWN },
	{ "task_struct", "scx", VIEW_SHOWN },
	{ "task_struct", "policy", VIEW_SHOWN },
	{ "task_struct", "nr_cpus_allowed", VIEW_SHOWN },
	{ "task_struct", "pid", VIEW_SHOWN },
	{ "task_struct", "tgid", VIEW_SHOWN },
	{ "task_struct", "comm", VIEW_SHOWN },
	{ "cgroup", "level", VIEW_SHOWN },
	{ "cgroup", "nr_descendants", VIEW_SHOWN },
	{ "cgroup", "kn", VIEW_FOLLOWED },
	{ "kernfs_node", "name", VIEW_FOLLOWED },
	{ "kernfs_node", "id", VIEW_SHOWN },
	{ "bpf_cpumask", "cpumask", VIEW_SHOWN },
	{ "cpumask", "bits", VIEW_SHOWN },
};

static bool is_plain(const struct btf *types, uint32_t type)
{
	struct btf_type t = btf_type_at(types, btf_skip_modifiers(types, type));

	switch (btf_kind_of(&t)) {
	case BTF_INT:
	case BTF_ENUM:
	case BTF_ENUM64:
	case BTF_FLOAT:
	case BTF_PTR:
		return true;
	case BTF_ARRAY:
		type = btf_word_at(types, btf_skip_modifiers(types, type), 0);
		t = btf_type_at(types, btf_skip_modifiers(types, type));
		return btf_kind_of(&t) == BTF_INT;
	default:
		return false;
	}
}

enum kernel_view kernel_view_of(const struct btf *types, const char *owner, const char *member,
				uint32_t type)
{
	bool has_rows = false;

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		if (!str_eq(rows[i].owner, owner))
			continue;
		has_rows = true;
		if (str_eq(rows[i].member, member))
			return rows[i].view;
	}
	return !has_rows && is_plain(types, type) && btf_size_of(types, type) <= SHORT ?
		       VIEW_SHOWN :
		       VIEW_NOT;
}
