// SPDX-License-Identifier: GPL-2.0-only
/*
 * Host CPU time of looking at a guest: a sample, and a dump, of memories made by hand with as many
 * CPUs, tasks, maps and programs as asked for. Prints "WHAT MICROSECONDS" for each: the least of
 * many tries, as others on the machine only ever add.
 */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "../tests/unit/watch_chase_image.h"
#include "../tests/unit/watch_maps_image.h"
#include "../tests/unit/watch_queues_image.h"
#include "watch/parts.h"

#define MAPS 20
#define PROGRAMS 16
#define TASKS 1000
#define MOST_CPUS 252
#define FEW_CPUS 8
#define TRIES 50

/* Behind all that the images of the tests have. */
#define MANY_TASKS (20ULL << 20)
#define TASK_BYTES 0x400

static double cpu_us(void)
{
	struct timespec t;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return (double)t.tv_sec * 1e6 + (double)t.tv_nsec / 1e3;
}

/* All CPUs have their copies at one place: what is read costs the same. */
static void put_cpus(struct image *m)
{
	for (uint64_t i = 0; i < MOST_CPUS; i++)
		image_put(m, m->load + IMAGE_PER_CPU + 8 * i,
			  IMAGE_DIRECT + image_of_cpu(0, 0) - IMAGE_TEXT, 8);
	m->layout.members[M_RQ_SWITCHES] = 0x800;
	m->layout.members[M_SCHED_PCPU] = 0x40;
	for (enum watch_member i = M_EV_FALLBACK; i <= M_EV_SUB_BYPASS; i++)
		m->layout.members[i] = (uint32_t)(8 * (i - M_EV_FALLBACK));
	image_put(m, QI_SCHED + 0x40, IMAGE_TEXT + MI_PER_CPU + 0x400, 8);
	image_put(m, image_of_cpu(0, IMAGE_RUNQUEUES) + 8, 1000000, 8);
}

static uint64_t task_at(unsigned int i)
{
	return MANY_TASKS + (uint64_t)TASK_BYTES * i;
}

/* Copies of one that waits, all in one queue. */
static void put_tasks(struct image *m)
{
	uint64_t queue = QI_QUEUES + 0x100 + QI_DSQ_LIST;

	for (unsigned int i = 0; i < TASKS; i++) {
		uint64_t at = task_at(i), signal = at + 0x300;
		bool is_last = i + 1 == TASKS;

		memcpy(m->data + at, m->data + qi_task(1), 0x200);
		image_put(m, at + QI_PID, 1000 + i, 4);
		image_put(m, at + QI_SIGNAL, QI_VIRTUAL(signal), 8);
		image_put(m, signal + 8, QI_VIRTUAL(at + QI_THREAD), 8);
		image_put(m, at + QI_THREAD, QI_VIRTUAL(signal + 8), 8);
		image_put(m, at + QI_NEXT,
			  is_last ? IMAGE_TEXT + IMAGE_INIT_TASK + QI_NEXT :
				    QI_VIRTUAL(task_at(i + 1) + QI_NEXT),
			  8);
		image_put(m, at + QI_NODE, QI_VIRTUAL(is_last ? queue : task_at(i + 1) + QI_NODE),
			  8);
	}
	image_set(m, IMAGE_INIT_TASK + QI_NEXT, QI_VIRTUAL(task_at(0) + QI_NEXT), 8);
	image_put(m, queue, QI_VIRTUAL(task_at(0) + QI_NODE), 8);
}

static void put_bpf(struct image *m)
{
	for (unsigned int i = 0; i < PROGRAMS; i++)
		mi_put_program(m, i, "own_program", SPACE_STRUCT_OPS);
	for (unsigned int i = MI_RING + 1; i < MAPS; i++) {
		mi_put_map(m, (enum mi_map)i, "more", 2, 8, 256, MI_LINE);
		memset(m->data + mi_map((enum mi_map)i) + MI_ARRAY_VALUE, 1, 8 * 256);
		image_put(m, MI_LEAF + 40 + 8ULL * (i + 3), MI_VIRTUAL(mi_map((enum mi_map)i)), 8);
	}
}

/* What the monitor does every 100 ms. */
static void take_sample(struct space *space, struct guest_sample *sample)
{
	static struct program_follow calls;

	sample_take(sample, space);
	if (program_follow_read(&calls, space, (unsigned int)sample->cpu_count) < 0 ||
	    calls.now.items.count != PROGRAMS || !calls.now.items.items[0].has_stats ||
	    !sample->cpus[sample->cpu_count - 1].known_events)
		exit(1);
}

static void take_dump(struct space *space, struct guest_sample *sample)
{
	struct moment m = { .trigger = "bench" };
	struct moment_parts parts;
	struct str text = {};

	if (moment_read(&m, &parts, sample, space, true) < 0 ||
	    parts.queues.runnable.count != TASKS || parts.queues.queued.count != TASKS ||
	    parts.maps.maps.count != MAPS || moment_add_to_file(&m, &text) < 0)
		exit(1);
	moment_parts_finish(&parts);
	str_finish(&text);
}

/* The same with all pointers that a dump follows: every value of the maps is a list without an end. */
static void put_pointers(struct image *m)
{
	static struct btf_maker types;

	chase_image_fill(m, &types);
	mi_put_map(m, MI_ARRAY, "lines", 2, 8, 16, 1);
	for (unsigned int i = MI_RING + 1; i < MAPS; i++)
		mi_put_map(m, (enum mi_map)i, "nodes", 2, 24, 160, CI_NODE);
	for (uint64_t i = 0; i < MAPS; i++)
		image_put(m, MI_LEAF + 40 + 8 * (i + 3), MI_VIRTUAL(mi_map((enum mi_map)i)), 8);
	image_put(m, MI_LEAF + 40, 0, 8);
	image_put(m, MI_LEAF + 48, 0, 8);
	for (unsigned int i = MI_RING + 1; i < MAPS; i++)
		for (uint64_t k = 0; k < 160; k++)
			image_put(m, mi_map((enum mi_map)i) + MI_ARRAY_VALUE + 24 * k + 8,
				  CI_POINTER(24 * (k + 1)), 8);
	for (uint64_t i = 0; i < 1000; i++)
		ci_put_node(m, 24 * i, i, CI_POINTER(24 * (i + 1)), 0);
}

static void measure(const char *what, struct space *space, size_t cpus, int tries,
		    void (*look)(struct space *space, struct guest_sample *sample))
{
	static struct cpu_sample all[MOST_CPUS];
	struct guest_sample sample = { .cpus = all, .cpu_count = cpus };
	double least = 0;

	for (int i = 0; i < tries; i++) {
		double begin = cpu_us(), took;

		look(space, &sample);
		took = cpu_us() - begin;
		if (!i || took < least)
			least = took;
	}
	printf("%s %.1f\n", what, least);
}

int main(void)
{
	struct image image;
	struct space space;

	if (image_open(&image) < 0)
		return 1;
	maps_image_fill(&image);
	queues_image_fill(&image);
	put_cpus(&image);
	put_tasks(&image);
	put_bpf(&image);
	if (space_open(&space, &image.memory, &image.layout) < 0)
		return 1;
	measure("sample_8", &space, FEW_CPUS, 20 * TRIES, take_sample);
	measure("sample_252", &space, MOST_CPUS, TRIES, take_sample);
	measure("dump", &space, FEW_CPUS, TRIES / 5, take_dump);
	put_pointers(&image);
	measure("pointers", &space, FEW_CPUS, TRIES / 5, take_dump);
	return 0;
}
