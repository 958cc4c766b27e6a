/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A machine on paper that real processes compete for: 64 CPUs, four LLCs, two nodes. The locks
 * are real flocks in a directory of the test's own.
 */
#ifndef TESTS_UNIT_RESERVE_FIXTURE_H
#define TESTS_UNIT_RESERVE_FIXTURE_H

#include "base/clock.h"
#include "host/reserve.h"

#define LLCS 4
#define CPUS 64
#define LONG_NS (60 * NSEC_PER_SEC)

extern struct topology reserve_machine;
extern struct cpulist reserve_allowed;
extern char *reserve_dir;

int reserve_setup(void **state);
int reserve_teardown(void **state);

/* Of a machine with one node and one thread per core. */
struct reserve_request reserve_wanted(enum run_mode mode, size_t llcs, size_t cores);

/* A process that holds a reservation until it is told to end, or killed. */
struct peer {
	pid_t pid;
	int from; /* one byte when it has its reservation, 'X' when not */
	int to;
	size_t count;
	unsigned int cpus[CPUS];
};

struct peer peer_start(const struct reserve_request *wanted);
/* Whether the peer got what it wanted; its CPUs are known then. */
bool peer_is_served(struct peer *p);
void peer_end(struct peer *p, bool by_force);

/* Locks of any kind that this process holds below the directory. */
size_t locks_held_by_us(void);

#endif
