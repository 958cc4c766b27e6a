/* SPDX-License-Identifier: GPL-2.0-only */
/* A scheduler, its queues and four tasks in an image. Addresses are physical. */
#ifndef KTSTR_WATCH_QUEUES_IMAGE_H
#define KTSTR_WATCH_QUEUES_IMAGE_H

#include <stdio.h>

#include "watch_image.h"

#define QI_VIRTUAL(physical) (IMAGE_DIRECT + (physical))
#define QI_LOCAL_ID 0x8000000000000002ULL
#define QI_GLOBAL_ID 0x8000000000000001ULL

enum qi_place {
	QI_SCHED = IMAGE_HEAP,
	QI_TABLE = IMAGE_HEAP + 0x1000,
	QI_GLOBALS = IMAGE_HEAP + 0x2000,
	QI_QUEUES = IMAGE_HEAP + 0x3000, /* 0x100 each: global, then of the scheduler */
	QI_SIGNALS = IMAGE_HEAP + 0x4000,
	QI_CSS_SET = IMAGE_HEAP + 0x5000,
	QI_CGROUP = IMAGE_HEAP + 0x5100,
	QI_LEAF = IMAGE_HEAP + 0x5200,
	QI_TOP = IMAGE_HEAP + 0x5300,
	QI_NAMES = IMAGE_HEAP + 0x5400,
	QI_TASKS = IMAGE_HEAP + 0x10000, /* 0x1000 each */
};

/* Offsets of members. */
enum qi_member {
	QI_DSQ_LIST = 16,
	QI_DSQ_NR = 40,
	QI_DSQ_ID = 48,
	QI_DSQ_HASH = 56,
	QI_TABLE_SIZE = 0,
	QI_TABLE_NEST = 4,
	QI_TABLE_FUTURE = 8,
	QI_TABLE_FIRST = 64,
	QI_PID = 0x10,
	QI_TGID = 0x14,
	QI_COMM = 0x20,
	QI_ON_RQ = 0x40,
	QI_ON_CPU = 0x44,
	QI_CPU = 0x48,
	QI_MASK = 0x50,
	QI_QUEUED = 0x80,
	QI_CGROUPS = 0x88,
	QI_NEXT = 0x90,
	QI_SIGNAL = 0xa0,
	QI_THREAD = 0xb0,
	QI_DSQ = 0xc0,
	QI_NODE = 0xd0,
	QI_NODE_FLAGS = 0xe0,
	QI_WEIGHT = 0xe8,
	QI_SLICE = 0xf0,
	QI_VTIME = 0xf8,
	QI_HOLDING = 0x100,
};

static inline uint64_t qi_task(unsigned int index)
{
	return QI_TASKS + 0x1000ULL * index;
}

static inline void qi_layout(struct watch_layout *l)
{
	static const struct {
		enum watch_member member;
		uint32_t offset;
	} rows[] = {
		{ M_RQ_NR_RUNNING, 0 },
		{ M_RQ_CLOCK, 8 },
		{ M_RQ_LOCAL_DSQ, 0x100 },
		{ M_SCHED_DSQ_HASH, 8 },
		{ M_SCHED_GLOBAL_DSQS, 16 },
		{ M_RHT_TABLE, 0 },
		{ M_BUCKETS_SIZE, QI_TABLE_SIZE },
		{ M_BUCKETS_NEST, QI_TABLE_NEST },
		{ M_BUCKETS_FUTURE, QI_TABLE_FUTURE },
		{ M_BUCKETS_FIRST, QI_TABLE_FIRST },
		{ M_DSQ_LIST, QI_DSQ_LIST },
		{ M_DSQ_NR, QI_DSQ_NR },
		{ M_DSQ_ID, QI_DSQ_ID },
		{ M_DSQ_HASH_NODE, QI_DSQ_HASH },
		{ M_TASK_PID, QI_PID },
		{ M_TASK_TGID, QI_TGID },
		{ M_TASK_COMM, QI_COMM },
		{ M_TASK_ON_RQ, QI_ON_RQ },
		{ M_TASK_ON_CPU, QI_ON_CPU },
		{ M_TASK_CPU, QI_CPU },
		{ M_TASK_MASK, QI_MASK },
		{ M_TASK_LAST_QUEUED, QI_QUEUED },
		{ M_TASK_CGROUPS, QI_CGROUPS },
		{ M_TASK_TASKS, QI_NEXT },
		{ M_TASK_SIGNAL, QI_SIGNAL },
		{ M_TASK_THREAD_NODE, QI_THREAD },
		{ M_TASK_SCX_DSQ, QI_DSQ },
		{ M_TASK_SCX_HOLDING, QI_HOLDING },
		{ M_TASK_SCX_NODE, QI_NODE },
		{ M_TASK_SCX_NODE_FLAGS, QI_NODE_FLAGS },
		{ M_TASK_SCX_WEIGHT, QI_WEIGHT },
		{ M_TASK_SCX_SLICE, QI_SLICE },
		{ M_TASK_SCX_VTIME, QI_VTIME },
		{ M_SIGNAL_THREADS, 8 },
		{ M_CSS_SET_CGROUP, 8 },
		{ M_CGROUP_NODE, 16 },
		{ M_NODE_NAME, 8 },
		{ M_NODE_PARENT, 16 },
	};

	static const enum watch_member shorts[] = { M_RQ_NR_RUNNING,   M_DSQ_NR,
						    M_BUCKETS_SIZE,    M_BUCKETS_NEST,
						    M_TASK_PID,	       M_TASK_TGID,
						    M_TASK_ON_RQ,      M_TASK_ON_CPU,
						    M_TASK_CPU,	       M_TASK_SCX_NODE_FLAGS,
						    M_TASK_SCX_WEIGHT, M_TASK_SCX_HOLDING };

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		l->members[rows[i].member] = rows[i].offset;
	for (size_t i = 0; i < sizeof(shorts) / sizeof(shorts[0]); i++)
		l->bytes[shorts[i]] = 4;
}

static inline void qi_put_queue(struct image *m, uint64_t at, uint64_t id)
{
	image_put(m, at + QI_DSQ_ID, id, 8);
	image_put(m, at + QI_DSQ_LIST, QI_VIRTUAL(at + QI_DSQ_LIST), 8);
}

/* Process number i of four, one thread each; the list of all ends at the first task. */
static inline void qi_put_task(struct image *m, unsigned int i)
{
	uint64_t task = qi_task(i), signal = QI_SIGNALS + 0x100ULL * i;
	uint64_t head = IMAGE_TEXT + IMAGE_INIT_TASK + QI_NEXT;

	image_put(m, task + QI_PID, 100 + i, 4);
	image_put(m, task + QI_TGID, 100 + i, 4);
	snprintf(m->data + task + QI_COMM, 16, "task%u", 100 + i);
	image_put(m, task + QI_ON_RQ, i < 3, 4);
	image_put(m, task + QI_ON_CPU, i == 0, 4);
	image_put(m, task + QI_CPU, 1, 4);
	image_put(m, task + QI_MASK, 0xff3, 8);
	image_put(m, task + QI_MASK + 8, UINT64_MAX, 8);
	image_put(m, task + QI_QUEUED, 1000 + 10ULL * i, 8);
	image_put(m, task + QI_CGROUPS, QI_VIRTUAL(QI_CSS_SET), 8);
	image_put(m, task + QI_WEIGHT, 100, 4);
	image_put(m, task + QI_HOLDING, UINT32_MAX, 4);
	image_put(m, task + QI_SLICE, 5, 8);
	image_put(m, task + QI_VTIME, 1000 + 10ULL * i, 8);
	image_put(m, task + QI_SIGNAL, QI_VIRTUAL(signal), 8);
	image_put(m, signal + 8, QI_VIRTUAL(task + QI_THREAD), 8);
	image_put(m, task + QI_THREAD, QI_VIRTUAL(signal + 8), 8);
	image_put(m, task + QI_NEXT, i < 3 ? QI_VIRTUAL(qi_task(i + 1) + QI_NEXT) : head, 8);
}

static inline void qi_put_cgroup(struct image *m)
{
	image_put(m, QI_CSS_SET + 8, QI_VIRTUAL(QI_CGROUP), 8);
	image_put(m, QI_CGROUP + 16, QI_VIRTUAL(QI_LEAF), 8);
	image_put(m, QI_LEAF + 8, QI_VIRTUAL(QI_NAMES), 8);
	image_put(m, QI_LEAF + 16, QI_VIRTUAL(QI_TOP), 8);
	image_put(m, QI_TOP + 8, QI_VIRTUAL(QI_NAMES + 8), 8);
	memcpy(m->data + QI_NAMES, "leaf", 5);
	memcpy(m->data + QI_NAMES + 8, "top", 4);
}

/* Queue 0x77 holds task 102, then 101; 0x78 is empty and in the same bucket. */
static inline void queues_image_fill(struct image *m)
{
	uint64_t first = QI_QUEUES + 0x100, second = QI_QUEUES + 0x200;

	qi_layout(&m->layout);
	image_set(m, IMAGE_SCX_ROOT, QI_VIRTUAL(QI_SCHED), 8);
	image_put(m, QI_SCHED + 8, QI_VIRTUAL(QI_TABLE), 8);
	image_put(m, QI_SCHED + 16, QI_VIRTUAL(QI_GLOBALS), 8);
	image_put(m, QI_GLOBALS, QI_VIRTUAL(QI_QUEUES), 8);
	qi_put_queue(m, QI_QUEUES, QI_GLOBAL_ID);
	qi_put_queue(m, first, 0x77);
	qi_put_queue(m, second, 0x78);
	for (unsigned int i = 0; i < IMAGE_CPUS; i++)
		qi_put_queue(m, image_of_cpu(i, IMAGE_RUNQUEUES) + 0x100, QI_LOCAL_ID);
	image_put(m, QI_TABLE + QI_TABLE_SIZE, 4, 4);
	image_put(m, QI_TABLE + QI_TABLE_FIRST + 16, QI_VIRTUAL(first + QI_DSQ_HASH) | 1, 8);
	image_put(m, first + QI_DSQ_HASH, QI_VIRTUAL(second + QI_DSQ_HASH), 8);
	image_put(m, second + QI_DSQ_HASH, QI_VIRTUAL(QI_TABLE) | 1, 8);
	for (unsigned int i = 0; i < 4; i++)
		qi_put_task(m, i);
	qi_put_cgroup(m);
	image_set(m, IMAGE_INIT_TASK + QI_NEXT, QI_VIRTUAL(qi_task(0) + QI_NEXT), 8);
	image_put(m, first + QI_DSQ_NR, 2, 4);
	image_put(m, first + QI_DSQ_LIST, QI_VIRTUAL(qi_task(2) + QI_NODE), 8);
	image_put(m, qi_task(2) + QI_NODE, QI_VIRTUAL(qi_task(1) + QI_NODE), 8);
	image_put(m, qi_task(1) + QI_NODE, QI_VIRTUAL(first + QI_DSQ_LIST), 8);
	image_put(m, qi_task(1) + QI_DSQ, QI_VIRTUAL(first), 8);
	image_put(m, qi_task(2) + QI_DSQ, QI_VIRTUAL(first), 8);
}

#endif
