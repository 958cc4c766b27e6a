/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Guest state read by the host, for test code. Part of <ktstr/ktstr.h>: include that.
 *
 * Snapshots are taken of guests under a scheduler: by the operation KTSTR_CAPTURE_SNAPSHOT, by
 * ktstr_capture_snapshot(), by KTSTR_SNAPSHOT (not under kvm), and by the attributes
 * .num_snapshots and .watch_snapshots. They are stored on the host. A function of the test
 * evaluates them there after the VM has ended:
 *
 *	static int look(const struct ktstr_snapshots *all, struct ktstr_result *res)
 *	{
 *		const struct ktstr_snapshot *end = ktstr_snapshot_named(all, "end");
 *		uint64_t lost;
 *		int rc = ktstr_value_u64(ktstr_snapshot_var(end, "stats"), "lost", &lost);
 *
 *		if (rc < 0)
 *			return rc;	the test fails with the message
 *		if (lost)
 *			ktstr_result_fail(res, "%llu tasks lost", (unsigned long long)lost);
 *		return KTSTR_PASSED;
 *	}
 *
 *	KTSTR_TEST(loses_nobody, .scheduler = &mine, .post_vm = look) { ... }
 *
 * If something does not exist, the functions return NULL or a negative errno, with a message that
 * lists what exists. NULL may be passed on: the message is kept, so only the last call needs to
 * be checked.
 */
#ifndef KTSTR_SNAPSHOT_H
#define KTSTR_SNAPSHOT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- snapshots: guest state read by the host ---- */

struct ktstr_result;	/* verdict, details and statistics of a test */
struct ktstr_snapshots; /* all snapshots of a run, in the order in which they were taken */
struct ktstr_snapshot;	/* all BPF maps and variables of the scheduler at one moment */
struct ktstr_map;	/* a BPF map of a snapshot */
struct ktstr_value;	/* a variable, a member, an element, an entry of a map */

/*
 * Runs on the host after the VM has ended, and returns the same values as a body. .post_vm is
 * called only if the body did not fail.
 */
typedef int ktstr_post_vm_fn(const struct ktstr_snapshots *snapshots, struct ktstr_result *res);

/* By name; the last one if a name was used again. Numbers of KTSTR_SNAPSHOT are names, too. */
const struct ktstr_snapshot *ktstr_snapshot_named(const struct ktstr_snapshots *all,
						  const char *name);
/* Number of snapshots. */
size_t ktstr_snapshot_count(const struct ktstr_snapshots *all);
/* The snapshot with this index, from 0. */
const struct ktstr_snapshot *ktstr_snapshot_at(const struct ktstr_snapshots *all, size_t index);
/* Its name; NULL = s is NULL. */
const char *ktstr_snapshot_name(const struct ktstr_snapshot *s);
/* The guest's clock; 0 = s is NULL. */
uint64_t ktstr_snapshot_time_ns(const struct ktstr_snapshot *s);

/*
 * A global variable of the scheduler, in a .bss, .data or .rodata section, including static
 * variables. If several BPF objects of the guest have a variable with this name, that of the
 * attached scheduler is used.
 */
const struct ktstr_value *ktstr_snapshot_var(const struct ktstr_snapshot *s, const char *name);
/*
 * The same, but only of the scheduler that was attached at that time: a replaced scheduler that
 * is still loaded has variables with the same names. It is an error if no scheduler was attached.
 */
const struct ktstr_value *ktstr_snapshot_live_var(const struct ktstr_snapshot *s, const char *name);

/* By name, or by the end of its name: ".bss" is the map of that section. */
const struct ktstr_map *ktstr_snapshot_map(const struct ktstr_snapshot *s, const char *name);
/* Number of entries; array elements that are all 0 are not counted. */
size_t ktstr_map_count(const struct ktstr_map *map);
/* The entry with this index, from 0. */
const struct ktstr_value *ktstr_map_at(const struct ktstr_map *map, size_t index);
/* The entry with this number as its key; for an array also an element that is all 0. */
const struct ktstr_value *ktstr_map_key(const struct ktstr_map *map, uint64_t key);
/* The first entry for which the function returns true. */
const struct ktstr_value *ktstr_map_find(const struct ktstr_map *map,
					 bool (*is_it)(const struct ktstr_value *entry, void *ctx),
					 void *ctx);
/*
 * How many entries the function returns true for; the first max of them are stored in out, which
 * may be NULL if max is 0.
 */
size_t ktstr_map_filter(const struct ktstr_map *map,
			bool (*is_it)(const struct ktstr_value *entry, void *ctx), void *ctx,
			const struct ktstr_value **out, size_t max);
/* The entry with the largest number at this path. */
const struct ktstr_value *ktstr_map_max_by(const struct ktstr_map *map, const char *path);

/* The key of an entry, as a value. */
const struct ktstr_value *ktstr_value_key(const struct ktstr_value *entry);
/* The value of one CPU in an entry of a per-CPU map. */
const struct ktstr_value *ktstr_value_cpu(const struct ktstr_value *entry, unsigned int cpu);
/*
 * A part of a value: "member", "a.b", "list[2].c"; NULL and "" are the value itself. A pointer that
 * the dump has followed stands for its target: "task.pid".
 */
const struct ktstr_value *ktstr_value_get(const struct ktstr_value *v, const char *path);

/* Unsigned number at a path. Returns 0, or a negative errno with a message, like the next four. */
int ktstr_value_u64(const struct ktstr_value *v, const char *path, uint64_t *out);
/* Signed number at a path. */
int ktstr_value_i64(const struct ktstr_value *v, const char *path, int64_t *out);
/* Any number at a path. */
int ktstr_value_f64(const struct ktstr_value *v, const char *path, double *out);
/* Whether the number at a path is not 0. */
int ktstr_value_bool(const struct ktstr_value *v, const char *path, bool *out);
/* An array of char, or the name of an enumerator; valid until .post_vm returns. */
int ktstr_value_str(const struct ktstr_value *v, const char *path, const char **out);

/* ---- series: a value over several snapshots ---- */

struct ktstr_series; /* a value for each snapshot, with its time */

/* Computes the value of a snapshot: returns 0 and *out, or a negative errno for a gap. */
typedef int ktstr_series_fn(const struct ktstr_snapshot *s, void *ctx, double *out);

/* Prefix of the names of the snapshots of .num_snapshots. */
#define KTSTR_PERIODIC "periodic_"
/*
 * Series of a variable or a part of it ("stats.lost"), from all snapshots whose names begin with
 * names; NULL = all snapshots. Snapshots in which it cannot be read are gaps; it is an error if
 * it cannot be read in any. Free it with ktstr_series_free().
 */
int ktstr_series_var(const struct ktstr_snapshots *all, const char *names, const char *path,
		     struct ktstr_series **out);
/*
 * The same with values that a function computes for each snapshot; `what` is its name in
 * messages.
 */
int ktstr_series_by(const struct ktstr_snapshots *all, const char *names, const char *what,
		    ktstr_series_fn *figure, void *ctx, struct ktstr_series **out);
/* Frees a series; NULL is allowed. */
void ktstr_series_free(struct ktstr_series *s);

/*
 * No value is smaller than the previous one. This and all following assertions judge the series,
 * add violations to the result, and return whether the assertion holds. Gaps are reported as
 * notes, but violate ktstr_series_always_true() and ktstr_series_each_*(). NaN violates every
 * assertion. A series that is too short is inconclusive. Times are guest times since the first
 * snapshot of the series.
 */
bool ktstr_series_nondecreasing(const struct ktstr_series *s, struct ktstr_result *res);
/* Each value is larger than the previous one. */
bool ktstr_series_strictly_increasing(const struct ktstr_series *s, struct ktstr_result *res);
/* The growth per second from each snapshot to the next is between low and high. */
bool ktstr_series_rate_within(const struct ktstr_series *s, double low, double high,
			      struct ktstr_result *res);
/* After the warm-up no value differs from the mean by more than this fraction: 0.1 = 10 %. */
bool ktstr_series_steady_within(const struct ktstr_series *s, uint64_t warmup_ms, double tolerance,
				struct ktstr_result *res);
/* Before the deadline, three consecutive values differ from the target by at most the tolerance. */
bool ktstr_series_converges_to(const struct ktstr_series *s, double target, double tolerance,
			       uint64_t deadline_ms, struct ktstr_result *res);
/* No value is 0. */
bool ktstr_series_always_true(const struct ktstr_series *s, struct ktstr_result *res);
/*
 * The ratio of s to other is between low and high in each snapshot; a divisor of 0 violates it.
 * Both series must be of the same snapshots.
 */
bool ktstr_series_ratio_within(const struct ktstr_series *s, const struct ktstr_series *other,
			       double low, double high, struct ktstr_result *res);
/* No value is smaller than low. */
bool ktstr_series_each_at_least(const struct ktstr_series *s, double low, struct ktstr_result *res);
/* No value is larger than high. */
bool ktstr_series_each_at_most(const struct ktstr_series *s, double high, struct ktstr_result *res);
/* All values are between low and high, inclusive. */
bool ktstr_series_each_between(const struct ktstr_series *s, double low, double high,
			       struct ktstr_result *res);

#ifdef __cplusplus
}
#endif

#endif
