/* SPDX-License-Identifier: GPL-2.0-only */
/* A plan for two programs with two lines each and the callback of a timer, and records that a run with it could have left. */
#ifndef KTSTR_REPRO_PLAN_FIXTURE_H
#define KTSTR_REPRO_PLAN_FIXTURE_H

#include "base/util.h"
#include "repro/parts.h"
#include "trace/parts.h"

#define RP_VICTIM 115
#define RP_CPUS 2

/* The first function of a program has its name. */
static const char rp_enqueue[] = "demo_enqueue", rp_dispatch[] = "demo_dispatch";
static struct prog_function rp_programs[] = {
	{ .program = rp_enqueue, .name = rp_enqueue, .op = "enqueue", .first = 0, .count = 2 },
	{ .program = rp_dispatch, .name = rp_dispatch, .op = "dispatch", .first = 2, .count = 2 },
	{ .name = "ring", .op = "", .program = "demo_init", .first = 4, .count = 2 },
};
static struct prog_line rp_lines[] = {
	{ .line = 10, .file = "demo.bpf.c", .text = "void BPF_PROG(demo_enqueue)" },
	{ .line = 11, .file = "demo.bpf.c", .text = "if (is_lost(p))" },
	{ .line = 20, .file = "demo.bpf.c", .text = "void BPF_PROG(demo_dispatch)" },
	{ .line = 21, .file = "demo.bpf.c", .text = "pull(0);" },
	{ .line = 30, .file = "demo.bpf.c", .text = "kick(999);" },
	{ .line = 32, .file = "demo.bpf.c", .text = "	}" },
};
/* Places 0, 3 and 6 are programs and the callback, the others lines. */
static struct plan_place rp_places[] = {
	{ { .kind = TRACE_PLACE_PROGRAM }, 0 },	 { { .kind = TRACE_PLACE_LINE }, 0 },
	{ { .kind = TRACE_PLACE_LINE }, 1 },	 { { .kind = TRACE_PLACE_PROGRAM }, 1 },
	{ { .kind = TRACE_PLACE_LINE }, 2 },	 { { .kind = TRACE_PLACE_LINE }, 3 },
	{ { .kind = TRACE_PLACE_CALLBACK }, 2 }, { { .kind = TRACE_PLACE_LINE }, 4 },
	{ { .kind = TRACE_PLACE_LINE }, 5 },
};
enum rp_place {
	RP_ENQUEUE,
	RP_ENQUEUE_10,
	RP_ENQUEUE_11,
	RP_DISPATCH,
	RP_DISPATCH_20,
	RP_DISPATCH_21,
	RP_RING,
	RP_RING_30,
	RP_RING_32,
};
static struct prototype rp_prototypes[] = {
	{ { { "p", ARGUMENT_TASK }, { "enq_flags", ARGUMENT_NUMBER, { FIELD_ENQ_FLAGS } } },
	  2,
	  0,
	  true,
	  { FIELD_SIGNED, 4 } },
	{ { { "cpu", ARGUMENT_NUMBER }, { "prev", ARGUMENT_TASK } }, 2, 1, false },
	{ .task = TRACE_NO_ARGUMENT },
};
/* Of the kernel; the second is a caller of an operation. */
static struct plan_function rp_functions[] = {
	{ .name = "find_queue",
	  .prototype = { { { "rq", ARGUMENT_POINTER, { FIELD_POINTER }, "rq" },
			   { "p", ARGUMENT_TASK, { FIELD_POINTER }, "task_struct" },
			   { "is_head", ARGUMENT_NUMBER, { FIELD_TRUTH, 1 } },
			   { "cpu", ARGUMENT_NUMBER, { FIELD_SIGNED, 4 } } },
			 4,
			 1,
			 true,
			 { FIELD_SIGNED, 4 } },
	  .fields = { { "cpu", 0, { FIELD_SIGNED, 4 } }, { "slice", 1, { FIELD_SLICE } } },
	  .place = { .field_count = 2 } },
	{ .name = "do_enqueue_task", .is_caller = true },
};
enum rp_function { RP_FIND_QUEUE, RP_CALLER };
static struct task_view rp_victim = { .pid = RP_VICTIM, .mask = { 3 }, .wait_ns = 1000 };
static struct repro_scene rp_scene = {
	.time_ns = 9000,
	.programs = { .functions = { rp_programs, ARRAY_SIZE(rp_programs), 0 },
		      .lines = { rp_lines, ARRAY_SIZE(rp_lines), 0 } },
};
static struct repro_plan rp_plan = {
	.scene = &rp_scene,
	.places = { rp_places, ARRAY_SIZE(rp_places), 0 },
	.prototypes = rp_prototypes,
	.fields = { 1 }, /* dsq_id */
	.field_count = 1,
	.functions = { rp_functions, ARRAY_SIZE(rp_functions), 0 },
};

static inline uint32_t rp_call(const char *name)
{
	for (uint32_t i = 0; run_tracer_call_name(i); i++)
		if (str_eq(run_tracer_call_name(i), name))
			return i;
	return UINT32_MAX;
}

#endif
