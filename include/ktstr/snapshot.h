/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Guest state read by the host, for test code. Include <ktstr/ktstr.h>, not this header.
 *
 * The host takes snapshots of a guest that runs a scheduler: for the operation
 * KTSTR_CAPTURE_SNAPSHOT(), for ktstr_capture_snapshot(), for KTSTR_SNAPSHOT() (not under kvm), and
 * for the attributes .num_snapshots and .watch_snapshots. A function of the test evaluates them on
 * the host after the VM has ended:
 *
 *	static int look(const struct ktstr_snapshots *all, struct ktstr_result *res)
 *	{
 *		const struct ktstr_snapshot *end = ktstr_snapshot_named(all, "end");
 *		uint64_t lost;
 *		int rc = ktstr_value_u64(ktstr_snapshot_var(end, "stats"), "lost", &lost);
 *
 *		if (rc < 0)
 *			return rc;	(the test fails with the message)
 *		if (lost)
 *			ktstr_result_fail(res, "%llu tasks lost", (unsigned long long)lost);
 *		return KTSTR_PASSED;
 *	}
 *
 *	KTSTR_TEST(loses_nobody, .scheduler = &mine, .post_vm = look) { ... }
 *
 * If something does not exist, the functions return NULL or a negative errno, with a message that
 * lists what exists. All of them accept NULL for a snapshot, map or value and return an error in
 * turn, with the first message. So only the last call of a chain needs to be checked.
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

struct ktstr_result;	/* the verdict, details, statistics and metrics of a test */
struct ktstr_snapshots; /* all snapshots of a run, in the order in which they were taken */
struct ktstr_snapshot;	/* all BPF maps and global variables of the scheduler at one moment */
struct ktstr_map;	/* a BPF map of a snapshot */
struct ktstr_value;	/* a variable, a member, an element of an array, or an entry of a map */

/*
 * A function of a test that evaluates snapshots, for .post_vm and .post_vm_unconditional. It runs
 * on the host after the VM has ended and returns the same values as a body. Snapshots, maps, values
 * and strings are valid until it returns.
 */
typedef int ktstr_post_vm_fn(const struct ktstr_snapshots *snapshots, struct ktstr_result *res);

/*
 * Returns the snapshot with this name, or the last one if there are several. The name of a
 * KTSTR_SNAPSHOT() is its number. Returns NULL if there is none.
 */
const struct ktstr_snapshot *ktstr_snapshot_named(const struct ktstr_snapshots *all,
						  const char *name);
/* Returns the number of snapshots. */
size_t ktstr_snapshot_count(const struct ktstr_snapshots *all);
/* Returns the snapshot with this index, from 0, or NULL if there are not as many. */
const struct ktstr_snapshot *ktstr_snapshot_at(const struct ktstr_snapshots *all, size_t index);
/* Returns the name of a snapshot, or "" if s is NULL. */
const char *ktstr_snapshot_name(const struct ktstr_snapshot *s);
/* Returns the time of a snapshot by the guest's clock, in ns, or 0 if s is NULL. */
uint64_t ktstr_snapshot_time_ns(const struct ktstr_snapshot *s);

/*
 * Returns a global variable, static or not, in a .bss, .data or .rodata section of a BPF object of
 * the guest. If several objects have a variable with this name, it is that of the attached
 * scheduler. Returns NULL if the variable does not exist or is ambiguous.
 */
const struct ktstr_value *ktstr_snapshot_var(const struct ktstr_snapshot *s, const char *name);
/*
 * Returns a global variable of the scheduler that was attached when the snapshot was taken, and
 * not one of a replaced scheduler that is still loaded. Returns NULL if no scheduler was attached
 * or it has no such variable.
 */
const struct ktstr_value *ktstr_snapshot_live_var(const struct ktstr_snapshot *s, const char *name);

/*
 * Returns the map with this name, else the first one whose name ends with it: ".bss" is the map of
 * that section. Returns NULL if there is none.
 */
const struct ktstr_map *ktstr_snapshot_map(const struct ktstr_snapshot *s, const char *name);
/* Returns the number of entries of a map, without elements of an array that are all 0. */
size_t ktstr_map_count(const struct ktstr_map *map);
/* Returns the entry with this index, from 0, or NULL if there are not as many. */
const struct ktstr_value *ktstr_map_at(const struct ktstr_map *map, size_t index);
/* Returns the entry with this key, or NULL. Elements of an array that are all 0 are found, too. */
const struct ktstr_value *ktstr_map_key(const struct ktstr_map *map, uint64_t key);
/* Returns the first entry for which is_it(entry, ctx) returns true, or NULL. */
const struct ktstr_value *ktstr_map_find(const struct ktstr_map *map,
					 bool (*is_it)(const struct ktstr_value *entry, void *ctx),
					 void *ctx);
/*
 * Returns the number of entries for which is_it(entry, ctx) returns true, and stores the first max
 * of them in out. out may be NULL if max is 0.
 */
size_t ktstr_map_filter(const struct ktstr_map *map,
			bool (*is_it)(const struct ktstr_value *entry, void *ctx), void *ctx,
			const struct ktstr_value **out, size_t max);
/*
 * Returns the entry with the largest number at this path. Returns NULL if the map is empty or an
 * entry has no number there.
 */
const struct ktstr_value *ktstr_map_max_by(const struct ktstr_map *map, const char *path);

/* Returns the key of an entry of a map, as a value. */
const struct ktstr_value *ktstr_value_key(const struct ktstr_value *entry);
/* Returns the value of one CPU in an entry of a per-CPU map. */
const struct ktstr_value *ktstr_value_cpu(const struct ktstr_value *entry, unsigned int cpu);
/*
 * Returns a part of a value. path is such as "member", "a.b" or "list[2].c"; NULL or "" = the value
 * itself. A path goes through a pointer as through a member, as in "task.pid", if the snapshot
 * contains the target of the pointer.
 */
const struct ktstr_value *ktstr_value_get(const struct ktstr_value *v, const char *path);

/*
 * The following five functions read the value at a path, as in ktstr_value_get(), and store it in
 * *out. They return 0, or a negative errno with a message if there is no such value or it has
 * another type.
 */

/* Reads a number as unsigned. A negative number is an error (-ERANGE). */
int ktstr_value_u64(const struct ktstr_value *v, const char *path, uint64_t *out);
/* Reads a number as signed. A number above INT64_MAX is an error (-ERANGE). */
int ktstr_value_i64(const struct ktstr_value *v, const char *path, int64_t *out);
/* Reads any number. */
int ktstr_value_f64(const struct ktstr_value *v, const char *path, double *out);
/* Reads whether a number is not 0. */
int ktstr_value_bool(const struct ktstr_value *v, const char *path, bool *out);
/* Reads an array of char, or the name of an enumerator. */
int ktstr_value_str(const struct ktstr_value *v, const char *path, const char **out);

/* ---- series: a value over several snapshots ---- */

struct ktstr_series; /* the value of each of several snapshots, with its time */

/*
 * Computes the value of a snapshot and stores it in *out. Returns 0, or a negative errno if the
 * snapshot has no value: it is a gap of the series then.
 */
typedef int ktstr_series_fn(const struct ktstr_snapshot *s, void *ctx, double *out);

/* Prefix of the names of the snapshots that .num_snapshots takes. */
#define KTSTR_PERIODIC "periodic_"
/*
 * Creates the series of a global variable, or of a part of one such as "stats.lost", and sets *out.
 * The series has the snapshots whose names begin with names; NULL = all snapshots. A snapshot in
 * which the value cannot be read is a gap. Returns 0, or a negative errno with a message and *out
 * set to NULL if no snapshot has the value. Free the series with ktstr_series_free().
 */
int ktstr_series_var(const struct ktstr_snapshots *all, const char *names, const char *path,
		     struct ktstr_series **out);
/*
 * Creates the series of the values that figure(snapshot, ctx, &value) computes. what is the name of
 * the value in messages. The rest is as for ktstr_series_var().
 */
int ktstr_series_by(const struct ktstr_snapshots *all, const char *names, const char *what,
		    ktstr_series_fn *figure, void *ctx, struct ktstr_series **out);
/* Frees a series. NULL is allowed. */
void ktstr_series_free(struct ktstr_series *s);

/*
 * The following functions check a series and add the result to res. They return true if the
 * condition holds. The first violation is reported. A gap is reported as a note, but violates
 * ktstr_series_always_true() and ktstr_series_each_*(). NaN violates every condition. A series with
 * too few values makes the result inconclusive: they need two values, ktstr_series_converges_to()
 * three, and ktstr_series_always_true(), ktstr_series_ratio_within() and ktstr_series_each_*() one.
 * A series that is NULL fails the result. Bounds are inclusive. Times are in ms of the guest's
 * clock since the first value of the series.
 */

/* No value is smaller than the previous one. */
bool ktstr_series_nondecreasing(const struct ktstr_series *s, struct ktstr_result *res);
/* Each value is larger than the previous one. */
bool ktstr_series_strictly_increasing(const struct ktstr_series *s, struct ktstr_result *res);
/* The growth per second from each value to the next is between low and high. */
bool ktstr_series_rate_within(const struct ktstr_series *s, double low, double high,
			      struct ktstr_result *res);
/*
 * From warmup_ms on, no value differs from the mean of these values by more than the fraction
 * tolerance of the mean: 0.1 is 10 %.
 */
bool ktstr_series_steady_within(const struct ktstr_series *s, uint64_t warmup_ms, double tolerance,
				struct ktstr_result *res);
/* Up to deadline_ms, three consecutive values differ from target by tolerance at most. */
bool ktstr_series_converges_to(const struct ktstr_series *s, double target, double tolerance,
			       uint64_t deadline_ms, struct ktstr_result *res);
/* No value is 0. */
bool ktstr_series_always_true(const struct ktstr_series *s, struct ktstr_result *res);
/*
 * In each snapshot that both series have, the ratio of s to other is between low and high. A value
 * of 0 in other violates the condition. If no snapshot is in both, the result is inconclusive.
 */
bool ktstr_series_ratio_within(const struct ktstr_series *s, const struct ktstr_series *other,
			       double low, double high, struct ktstr_result *res);
/* No value is smaller than low. */
bool ktstr_series_each_at_least(const struct ktstr_series *s, double low, struct ktstr_result *res);
/* No value is larger than high. */
bool ktstr_series_each_at_most(const struct ktstr_series *s, double high, struct ktstr_result *res);
/* All values are between low and high. */
bool ktstr_series_each_between(const struct ktstr_series *s, double low, double high,
			       struct ktstr_result *res);

#ifdef __cplusplus
}
#endif

#endif
