/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Attributes with their defaults in place: what the test says, else its scheduler,
 * else the harness.
 */
#ifndef KTSTR_PROGRAM_RESOLVE_H
#define KTSTR_PROGRAM_RESOLVE_H

#include <ktstr/ktstr.h>

#define TEST_MEMORY_MIB 2048
#define TEST_DURATION_MS 2000
#define TEST_WATCHDOG_S 4
#define TEST_WORKERS 2

struct ktstr_topology test_topology(const struct ktstr_test *t);
struct ktstr_topology sched_topology(const struct ktstr_sched *s);

/* The nodes that differ, or NULL, and their number. */
const struct ktstr_node *test_nodes(const struct ktstr_test *t, size_t *count);
size_t node_count(const struct ktstr_node *nodes);

uint64_t test_duration_ms(const struct ktstr_test *t);
struct ktstr_assert test_assert(const struct ktstr_test *t);
struct ktstr_constraints test_constraints(const struct ktstr_test *t);
struct ktstr_constraints sched_constraints(const struct ktstr_sched *s);

#endif
