/* SPDX-License-Identifier: GPL-2.0-only */
/* Types of a kernel with every struct that a plan knows, and functions that take them. */
#ifndef KTSTR_WHOLE_TYPES_H
#define KTSTR_WHOLE_TYPES_H

#include "unit.h"

#include "btf_maker.h"

static struct btf_maker maker;

static inline uint32_t add_struct(const char *title, uint32_t size, const char *member,
				  uint32_t type, uint32_t offset)
{
	uint32_t number = bm_record(&maker, BTF_STRUCT, title, size, 1);

	bm_member(&maker, member, type, offset);
	return bm_ptr(&maker, number);
}

static inline void make_whole_types(struct btf *types)
{
	uint32_t s32, u32, u64, truth, queue, init, info, group, mask, entity, task, box, proto,
		big;

	memset(&maker, 0, sizeof(maker));
	s32 = bm_int(&maker, "int", 4, BM_SIGNED);
	u32 = bm_int(&maker, "u32", 4, 0);
	u64 = bm_int(&maker, "u64", 8, 0);
	truth = bm_int(&maker, "bool", 1, 4U << 24);
	big = bm_type(&maker, "big", BTF_ENUM64 << 24 | 0, 16);
	queue = add_struct("scx_dispatch_q", 64, "id", u64, 24);
	init = add_struct("scx_init_task_args", 8, "fork", truth, 3);
	info = add_struct("scx_exit_info", 8, "kind", u32, 4);
	group = add_struct("scx_cgroup_init_args", 8, "weight", u32, 4);
	mask = add_struct("cpumask", 8, "bits", u64, 0);
	entity = bm_record(&maker, BTF_STRUCT, "sched_ext_entity", 64, 8);
	bm_member(&maker, "ddsp_dsq_id", u64, 0);
	bm_member(&maker, "ddsp_enq_flags", u64, 8);
	bm_member(&maker, "slice", u64, 16);
	bm_member(&maker, "dsq_vtime", u64, 24);
	bm_member(&maker, "weight", u32, 32);
	bm_member(&maker, "sticky_cpu", s32, 36);
	bm_member(&maker, "flags", u32, 40);
	bm_member(&maker, "dsq", queue, 48);
	task = bm_record(&maker, BTF_STRUCT, "task_struct", 256, 3);
	bm_member(&maker, "pid", s32, 16);
	bm_member(&maker, "cpus_ptr", mask, 24);
	bm_member(&maker, "scx", entity, 64);
	task = bm_ptr(&maker, task);
	/* One that nobody has described: what of it can be told? */
	box = bm_record(&maker, BTF_STRUCT, "crate", 64, 6);
	bm_word(&maker, bm_name(&maker, "odd"));
	bm_word(&maker, s32);
	bm_word(&maker, 4); /* not at a byte */
	bm_member(&maker, "", s32, 4);
	bm_member(&maker, "where", mask, 8);
	bm_member(&maker, "queue", queue, 16);
	bm_member(&maker, "wide", big, 24);
	bm_member(&maker, "inner", entity, 32);
	box = bm_ptr(&maker, box);
	proto = bm_proto(&maker, s32, 7);
	bm_parameter(&maker, "q", queue);
	bm_parameter(&maker, "i", init);
	bm_parameter(&maker, "e", info);
	bm_parameter(&maker, "g", group);
	bm_parameter(&maker, "m", mask);
	bm_parameter(&maker, "p", task);
	bm_parameter(&maker, "seventh", task);
	bm_of(&maker, BTF_FUNC, "look_at_all", proto);
	proto = bm_proto(&maker, 0, 2);
	bm_parameter(&maker, "p", task);
	bm_parameter(&maker, "other__nullable", task);
	bm_of(&maker, BTF_FUNC, "look_at_two", proto);
	proto = bm_proto(&maker, 0, 1);
	bm_parameter(&maker, "c", box);
	bm_of(&maker, BTF_FUNC, "look_at_crate", proto);
	proto = bm_proto(&maker, 0, 2);
	bm_parameter(&maker, "prev_cpu", s32);
	bm_parameter(&maker, "prev", task);
	bm_of(&maker, BTF_FUNC, "sched_ext_ops__dispatch", proto);
	assert_int_equal(btf_open(types, (char *)maker.blob, bm_end(&maker)), 0);
}

#endif
