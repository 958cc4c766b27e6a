/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What the host has read out of a guest, for test code. Part of <ktstr/ktstr.h>: include that.
 *
 * Snapshots are taken of guests under a scheduler: by the operation KTSTR_CAPTURE_SNAPSHOT, by
 * ktstr_capture_snapshot() and, but for kvm, KTSTR_SNAPSHOT, and by the attributes
 * .num_snapshots and .watch_snapshots. They are on the host, so a function of the test that runs there looks at them
 * after the VM has ended:
 *
 *	static int look(const struct ktstr_snapshots *all, struct ktstr_result *res)
 *	{
 *		const struct ktstr_snapshot *end = ktstr_snapshot_named(all, "end");
 *		uint64_t lost;
 *		int rc = ktstr_value_u64(ktstr_snapshot_var(end, "stats"), "lost", &lost);
 *
 *		if (rc < 0)
 *			return rc;	the test fails with the sentence
 *		if (lost)
 *			ktstr_result_fail(res, "%llu tasks lost", (unsigned long long)lost);
 *		return KTSTR_PASSED;
 *	}
 *
 *	KTSTR_TEST(loses_nobody, .scheduler = &mine, .post_vm = look) { ... }
 *
 * What is not there is NULL or a negative errno, with a message that tells what is. NULL may be
 * handed on: the message stays, so that only the last call needs to be checked.
 */
#ifndef KTSTR_SNAPSHOT_H
#define KTSTR_SNAPSHOT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- snapshots: what the host has read out of a guest ---- */

struct ktstr_result;	/* verdict, details and statistics of a test */
struct ktstr_snapshots; /* of a run, in the order in which they were taken */
struct ktstr_snapshot;	/* all BPF maps and variables of the scheduler at one moment */
struct ktstr_map;	/* a BPF map of a snapshot */
struct ktstr_value;	/* a variable, a member, an element, an entry of a map */

/* On the host, after the VM; returns as a body does. A post_vm only after a body that did not fail. */
typedef int ktstr_post_vm_fn(const struct ktstr_snapshots *snapshots, struct ktstr_result *res);

/* By name; the last one where a name was used again. Numbers of KTSTR_SNAPSHOT are names, too. */
const struct ktstr_snapshot *ktstr_snapshot_named(const struct ktstr_snapshots *all,
						  const char *name);
/* How many there are. */
size_t ktstr_snapshot_count(const struct ktstr_snapshots *all);
/* The one of this number, from 0 on. */
const struct ktstr_snapshot *ktstr_snapshot_at(const struct ktstr_snapshots *all, size_t index);
/* Its name; NULL = s is NULL. */
const char *ktstr_snapshot_name(const struct ktstr_snapshot *s);
/* The guest's clock; 0 = s is NULL. */
uint64_t ktstr_snapshot_time_ns(const struct ktstr_snapshot *s);

/*
 * A global variable of the scheduler: of a .bss, .data or .rodata section, static ones included. Where
 * several BPF objects of the guest have one of this name, it is that of the attached scheduler.
 */
const struct ktstr_value *ktstr_snapshot_var(const struct ktstr_snapshot *s, const char *name);
/*
 * The same of the scheduler that was attached then, and of nothing else: a scheduler that was replaced
 * and is still loaded has variables of the same names. An error where none was attached.
 */
const struct ktstr_value *ktstr_snapshot_live_var(const struct ktstr_snapshot *s, const char *name);

/* By name, or by what it ends with: ".bss" is the map of that section. */
const struct ktstr_map *ktstr_snapshot_map(const struct ktstr_snapshot *s, const char *name);
/* Entries; elements of an array that are all 0 are none. */
size_t ktstr_map_count(const struct ktstr_map *map);
/* The entry of this number, from 0 on. */
const struct ktstr_value *ktstr_map_at(const struct ktstr_map *map, size_t index);
/* The entry with this number as its key; of an array also an element that is all 0. */
const struct ktstr_value *ktstr_map_key(const struct ktstr_map *map, uint64_t key);
/* The first entry for which the function returns true. */
const struct ktstr_value *ktstr_map_find(const struct ktstr_map *map,
					 bool (*is_it)(const struct ktstr_value *entry, void *ctx),
					 void *ctx);
/* The entry with the largest number at this path. */
const struct ktstr_value *ktstr_map_max_by(const struct ktstr_map *map, const char *path);

/* The key of an entry, as a value. */
const struct ktstr_value *ktstr_value_key(const struct ktstr_value *entry);
/* The value of one CPU, of an entry of a map that has one per CPU. */
const struct ktstr_value *ktstr_value_cpu(const struct ktstr_value *entry, unsigned int cpu);
/* A part: "member", "a.b", "list[2].c"; NULL and "" are the value itself. */
const struct ktstr_value *ktstr_value_get(const struct ktstr_value *v, const char *path);

/* A number without a sign at a path. 0, or a negative errno with a message; so do the next four. */
int ktstr_value_u64(const struct ktstr_value *v, const char *path, uint64_t *out);
/* A number with a sign at a path. */
int ktstr_value_i64(const struct ktstr_value *v, const char *path, int64_t *out);
/* Any number at a path. */
int ktstr_value_f64(const struct ktstr_value *v, const char *path, double *out);
/* Whether the number at a path is other than 0. */
int ktstr_value_bool(const struct ktstr_value *v, const char *path, bool *out);
/* An array of char, or the name of an enumerator; valid until the function ends. */
int ktstr_value_str(const struct ktstr_value *v, const char *path, const char **out);

/* ---- series: one figure over several snapshots ---- */

struct ktstr_series; /* the figure of each snapshot, with its time */

/* The figure of a snapshot: 0 and *out, or a negative errno, which makes it a gap. */
typedef int ktstr_series_fn(const struct ktstr_snapshot *s, void *ctx, double *out);

/* With this the names of the snapshots of .num_snapshots begin. */
#define KTSTR_PERIODIC "periodic_"
/*
 * A variable or a part of it ("stats.lost"), of all snapshots whose names begin so; NULL: of all.
 * Snapshots in which it cannot be read are gaps; an error when it is in none of them. Free it with
 * ktstr_series_free().
 */
int ktstr_series_var(const struct ktstr_snapshots *all, const char *names, const char *path,
		     struct ktstr_series **out);
/* The same of what a function makes of each snapshot; messages call it `what`. */
int ktstr_series_by(const struct ktstr_snapshots *all, const char *names, const char *what,
		    ktstr_series_fn *figure, void *ctx, struct ktstr_series **out);
/* Frees it; NULL is fine. */
void ktstr_series_free(struct ktstr_series *s);

/*
 * None is smaller than the one before. It and all assertions that follow: each judges the series, adds to the result what is wrong, and returns whether it
 * holds. Gaps are notes, but break ktstr_series_always_true() and ktstr_series_each_*(). NaN holds
 * nowhere. A series that is too short is inconclusive. Times are of the guest, since the first
 * snapshot of the series.
 */
bool ktstr_series_nondecreasing(const struct ktstr_series *s, struct ktstr_result *res);
/* Each is larger than the one before. */
bool ktstr_series_strictly_increasing(const struct ktstr_series *s, struct ktstr_result *res);
/* Growth per second, from each snapshot to the next. */
bool ktstr_series_rate_within(const struct ktstr_series *s, double low, double high,
			      struct ktstr_result *res);
/* After the warm-up none is further from their mean than this part of it: 0.1 = 10 %. */
bool ktstr_series_steady_within(const struct ktstr_series *s, uint64_t warmup_ms, double tolerance,
				struct ktstr_result *res);
/* Three in a row, before the deadline, are no further from the target than this. */
bool ktstr_series_converges_to(const struct ktstr_series *s, double target, double tolerance,
			       uint64_t deadline_ms, struct ktstr_result *res);
/* None is 0. */
bool ktstr_series_always_true(const struct ktstr_series *s, struct ktstr_result *res);
/* Of each snapshot, s by other; a divisor of 0 breaks it. Both are of the same snapshots. */
bool ktstr_series_ratio_within(const struct ktstr_series *s, const struct ktstr_series *other,
			       double low, double high, struct ktstr_result *res);
/* None is smaller. */
bool ktstr_series_each_at_least(const struct ktstr_series *s, double low, struct ktstr_result *res);
/* None is larger. */
bool ktstr_series_each_at_most(const struct ktstr_series *s, double high, struct ktstr_result *res);
/* All are in between, or equal to one of the two. */
bool ktstr_series_each_between(const struct ktstr_series *s, double low, double high,
			       struct ktstr_result *res);

#ifdef __cplusplus
}
#endif

#endif
