// SPDX-License-Identifier: GPL-2.0-only
/* Work under locks: a convoy, and a lock held by the worker of the lowest priority. */
#include "work/types.h"

#include <sys/resource.h>
#include <sys/syscall.h>

static bool take(_Atomic uint32_t *lock, uint32_t owner)
{
	uint32_t nobody = 0;

	return atomic_compare_exchange_strong(lock, &nobody, owner);
}

/* Returns false if the worker has to stop: then it does not hold the lock. */
static bool mutex_lock(struct ktstr_worker *w, _Atomic uint32_t *lock)
{
	uint64_t before_ns, now_ns;
	bool is_owned;

	if (take(lock, 1))
		return true;
	before_ns = worker_blocks(w);
	while (!(is_owned = take(lock, 1)) && !worker_should_stop(w))
		futex_wait_slice(lock, 1);
	now_ns = clock_mono_ns();
	worker_rested_at(w, now_ns);
	if (is_owned)
		worker_woke(w, now_ns - before_ns);
	return is_owned;
}

static void mutex_unlock(_Atomic uint32_t *lock)
{
	atomic_store(lock, 0);
	futex_wake(lock, 1);
}

void mutex_contention_iterate(struct ktstr_worker *w)
{
	_Atomic uint32_t *lock = &w->team->word;

	worker_spin(w, w->args[2]);
	if (!mutex_lock(w, lock))
		return;
	worker_spin(w, w->args[1]);
	mutex_unlock(lock);
}

/* ---- priority inversion ---- */

enum { LOW, MEDIUM, HIGH };

#define HIGH_SLEEP_NS NSEC_PER_MSEC

/* Only raises nice above that of the group, which needs no privilege. */
int priority_inversion_prepare(struct ktstr_worker *w)
{
	static const int lower[] = { [LOW] = 15, [MEDIUM] = 5, [HIGH] = 0 };
	int nice_value = MIN(w->spec->work->nice + lower[w->member], 19);

	if (lower[w->member] && setpriority(PRIO_PROCESS, 0, nice_value) < 0)
		worker_problem(w, errno, "nice %d", nice_value);
	else
		w->report->nice = nice_value;
	return 0;
}

static bool pi_lock(struct ktstr_worker *w, _Atomic uint32_t *lock)
{
	uint64_t before_ns, now_ns, until_ns;
	struct timespec until;
	bool is_owned = false;

	if (take(lock, (uint32_t)getpid()))
		return true;
	before_ns = worker_blocks(w);
	while (!is_owned && !worker_should_stop(w)) {
		/* This call is restarted after signals, so only its timeout ends it. */
		until_ns = clock_wall_ns() + WORKER_WAIT_SLICE_MS * NSEC_PER_MSEC;
		until = (struct timespec){ (time_t)(until_ns / NSEC_PER_SEC),
					   (long)(until_ns % NSEC_PER_SEC) };
		is_owned = syscall(SYS_futex, lock, FUTEX_LOCK_PI, 0, &until, NULL, 0) == 0;
		if (!is_owned && errno != ETIMEDOUT && errno != EAGAIN && errno != EINTR) {
			worker_problem(w, errno, "lock a priority-inheriting futex");
			return false;
		}
	}
	now_ns = clock_mono_ns();
	worker_rested_at(w, now_ns);
	if (is_owned)
		worker_woke(w, now_ns - before_ns);
	return is_owned;
}

static void pi_unlock(_Atomic uint32_t *lock)
{
	uint32_t self = (uint32_t)getpid();

	if (!atomic_compare_exchange_strong(lock, &self, 0))
		syscall(SYS_futex, lock, FUTEX_UNLOCK_PI, 0, NULL, NULL, 0);
}

static void hold_lock(struct ktstr_worker *w, uint64_t units)
{
	_Atomic uint32_t *lock = &w->team->word;
	bool is_pi = w->args[2] != 0;

	if (!(is_pi ? pi_lock(w, lock) : mutex_lock(w, lock)))
		return;
	worker_spin(w, units);
	if (is_pi)
		pi_unlock(lock);
	else
		mutex_unlock(lock);
}

/* The medium worker needs no lock, only the CPU that the low one needs to release it. */
void priority_inversion_iterate(struct ktstr_worker *w)
{
	if (w->member != MEDIUM)
		hold_lock(w, w->args[0]);
	if (w->member == HIGH)
		worker_rest_until(w, worker_blocks(w) + HIGH_SLEEP_NS);
	else
		worker_spin(w, w->args[1]);
}
