// SPDX-License-Identifier: GPL-2.0-only
/*
 * Preloaded into the QEMU of a sim run (LD_PRELOAD): makes QEMU's main thread and its vCPU thread
 * take turns at fixed points.
 *
 * With -icount the vCPU thread counts instructions and runs the timers of the virtual clock when
 * they expire. It then also wakes the main thread, which takes the big lock whenever the host lets
 * it, and runs all expired timers. On a busy host this may happen after a vCPU has used up its
 * slice and before the vCPU thread got the lock. The interrupt then comes from another thread and
 * ends the slices of all vCPUs: the same seed gives another run.
 *
 * So the main thread gets its turn only while the vCPU thread waits (all vCPUs are idle), or stops
 * at the end of a critical section under the big lock with no timer expired. After the vCPU thread
 * has woken the main thread, it stops there until the main thread has completed an iteration of its
 * loop. Both then see each other's work at the same instruction in every run.
 *
 * A guest runs without this, too: if QEMU's functions have other names, or a thread does not arrive
 * within a timeout, the threads run as they would without it.
 */
#include <dlfcn.h>
#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <time.h>
#include <unistd.h>

#include "vm/turns.h"

#define EXPORT __attribute__((visibility("default")))
#define QEMU_CLOCK_VIRTUAL 1
#define MAX_FDS 1024
#define ASKED_LIMIT_S 20  /* for wakeups requested by the vCPU thread */
#define FOREIGN_LIMIT_S 2 /* for commands from outside: the guest may hang */

struct io_uring; /* of liburing */

/* Callbacks by which QEMU makes a thread leave its RCU section; a list. */
struct notifier {
	void *notify;
	struct notifier *next, **prev;
};

/* QEMU's per-thread RCU reader; the same from 7.2 to 11.1. */
struct rcu_reader {
	unsigned long ctr;
	bool waiting;
	unsigned int depth;
	void *node[2];
	struct notifier *force_rcu;
};

static struct {
	int (*unlock)(pthread_mutex_t *);
	int (*wait)(pthread_cond_t *, pthread_mutex_t *);
	int (*broadcast)(pthread_cond_t *);
	int (*ppoll)(struct pollfd *, nfds_t, const struct timespec *, const sigset_t *);
	ssize_t (*write)(int, const void *, size_t);
	bool (*in_vcpu_thread)(void);
	bool (*clock_expired)(int);
	bool (*all_idle)(void);
	int64_t (*clock_ns)(int);
	struct rcu_reader *(*rcu_reader)(void);
	void (*remove_notifier)(struct notifier *);
} real;

enum place { RUNNING, STANDING, WAITING };

/* Everything below is protected by the gate, except atomics. */
static pthread_mutex_t gate = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t moved = PTHREAD_COND_INITIALIZER;
static enum place vcpus = WAITING; /* until they first run */
static pthread_cond_t *awaited;	   /* condition the vCPU thread waits for; NULL = none */
static bool has_turn;		   /* of the main thread */
static uint64_t turn_ns;	   /* virtual clock at the last turn requested by the vCPU thread */
static unsigned int refusals;
static atomic_uint asked, served; /* wakeups of the main thread by the vCPU thread */
static unsigned int answering;
static atomic_bool is_wanted, main_sleeps;
static atomic_uchar polled[MAX_FDS];

static pthread_mutex_t *_Atomic big_lock;
static vm_turns_fn *_Atomic slice_ended;
static __thread pthread_mutex_t *last_unlocked;
static __thread bool is_vcpu_thread;
static pthread_t main_thread;

static void *function(const char *name, const char *version)
{
	void *f = version ? dlvsym(RTLD_NEXT, name, version) : NULL;

	return f ? f : dlsym(RTLD_NEXT, name);
}

__attribute__((constructor)) static void find_functions(void)
{
	if (real.unlock)
		return;
	real.wait = function("pthread_cond_wait", "GLIBC_2.3.2");
	real.broadcast = function("pthread_cond_broadcast", "GLIBC_2.3.2");
	real.ppoll = function("ppoll", NULL);
	real.write = function("write", NULL);
	real.in_vcpu_thread = dlsym(RTLD_DEFAULT, "qemu_in_vcpu_thread");
	real.clock_expired = dlsym(RTLD_DEFAULT, "qemu_clock_expired");
	real.all_idle = dlsym(RTLD_DEFAULT, "all_cpu_threads_idle");
	real.clock_ns = dlsym(RTLD_DEFAULT, "qemu_clock_get_ns");
	real.rcu_reader = dlsym(RTLD_DEFAULT, "get_ptr_rcu_reader");
	real.remove_notifier = dlsym(RTLD_DEFAULT, "rcu_remove_force_rcu_notifier");
	main_thread = pthread_self();
	real.unlock = function("pthread_mutex_unlock", NULL);
}

static bool is_known_qemu(void)
{
	return real.in_vcpu_thread && real.clock_expired && real.all_idle;
}

static bool is_main(void)
{
	return pthread_equal(pthread_self(), main_thread);
}

static struct timespec time_limit(time_t seconds)
{
	struct timespec t;

	clock_gettime(CLOCK_REALTIME, &t);
	t.tv_sec += seconds;
	return t;
}

static void say_missed(void)
{
	static const char words[] = VM_TURNS_MISSED "\n";

	if (real.write(STDERR_FILENO, words, sizeof(words) - 1) < 0)
		return;
}

/* For a stopped vCPU thread: the main thread would only run its own work. */
static bool may_interrupt(void)
{
	return !real.clock_expired(QEMU_CLOCK_VIRTUAL) && !real.all_idle();
}

/* Called by the main thread after its sleep, without the big lock. */
static void take_turn(void)
{
	bool is_foreign;
	struct timespec limit;

	pthread_mutex_lock(&gate);
	answering = atomic_load(&asked);
	is_foreign = answering == atomic_load(&served);
	limit = time_limit(is_foreign ? FOREIGN_LIMIT_S : ASKED_LIMIT_S);
	atomic_store(&is_wanted, true);
	for (;;) {
		if (vcpus == WAITING || (vcpus == STANDING && may_interrupt()))
			break;
		if (vcpus == STANDING) {
			refusals++;
			vcpus = RUNNING;
			real.broadcast(&moved);
		}
		if (pthread_cond_timedwait(&moved, &gate, &limit) == ETIMEDOUT) {
			if (!is_foreign)
				say_missed();
			break;
		}
	}
	atomic_store(&is_wanted, false);
	/*
	 * Only if the vCPU thread is stopped: in a slice the instruction count is not up to date.
	 */
	if (!is_foreign && vcpus == STANDING && real.clock_ns)
		turn_ns = (uint64_t)real.clock_ns(QEMU_CLOCK_VIRTUAL);
	has_turn = true;
	real.unlock(&gate);
}

static void end_turn(void)
{
	pthread_mutex_lock(&gate);
	if (has_turn) {
		has_turn = false;
		atomic_store(&served, answering);
		real.broadcast(&moved);
	}
	real.unlock(&gate);
}

/* Stops the vCPU thread; called without the big lock. */
static void stand(void)
{
	struct timespec limit = time_limit(ASKED_LIMIT_S);
	vm_turns_fn *tell = atomic_load(&slice_ended);
	unsigned int seen;
	uint64_t now_ns;

	pthread_mutex_lock(&gate);
	seen = refusals;
	vcpus = STANDING;
	real.broadcast(&moved);
	while (!atomic_load(&main_sleeps) && seen == refusals &&
	       (has_turn || atomic_load(&is_wanted) || atomic_load(&asked) != atomic_load(&served)))
		if (pthread_cond_timedwait(&moved, &gate, &limit) == ETIMEDOUT) {
			atomic_store(&served, atomic_load(&asked));
			say_missed();
			break;
		}
	vcpus = RUNNING;
	now_ns = turn_ns;
	real.unlock(&gate);
	if (tell && now_ns)
		tell(now_ns);
}

EXPORT void ktstr_turns_tell(vm_turns_fn *tell);

EXPORT void ktstr_turns_tell(vm_turns_fn *tell)
{
	atomic_store(&slice_ended, tell);
}

static void set_place(enum place p, pthread_cond_t *condition)
{
	pthread_mutex_lock(&gate);
	vcpus = p;
	awaited = condition;
	real.broadcast(&moved);
	real.unlock(&gate);
}

/*
 * From QEMU 10.2 on the RCU thread ends the slice of a vCPU if many objects wait to be freed, or
 * after 50 ms of host time. Removing the notifier is safe: a slice ends soon anyway.
 */
static void keep_slice(void)
{
	struct rcu_reader *r = real.rcu_reader ? real.rcu_reader() : NULL;

	if (r && real.remove_notifier && r->force_rcu && r->force_rcu->prev == &r->force_rcu &&
	    !r->force_rcu->next)
		real.remove_notifier(r->force_rcu);
}

EXPORT int pthread_mutex_unlock(pthread_mutex_t *m)
{
	int rc;

	if (!real.unlock)
		find_functions();
	rc = real.unlock(m);
	last_unlocked = m;
	if (m != atomic_load_explicit(&big_lock, memory_order_relaxed))
		return rc;
	if (!is_vcpu_thread && real.in_vcpu_thread()) {
		is_vcpu_thread = true;
		keep_slice();
		set_place(RUNNING, NULL);
	}
	if (is_vcpu_thread &&
	    (atomic_load(&asked) != atomic_load(&served) || atomic_load(&is_wanted)))
		stand();
	return rc;
}

EXPORT int pthread_cond_wait(pthread_cond_t *c, pthread_mutex_t *m)
{
	bool is_vcpus;
	int rc;

	if (!real.unlock)
		find_functions();
	is_vcpus = is_vcpu_thread && m == atomic_load_explicit(&big_lock, memory_order_relaxed);
	if (is_vcpus) {
		set_place(WAITING, c);
	} else if (is_main()) {
		/* The main thread waits for the vCPU thread, which must continue. */
		atomic_store(&main_sleeps, true);
		end_turn();
	}
	rc = real.wait(c, m);
	if (is_vcpus) {
		set_place(RUNNING, NULL);
	} else if (is_main()) {
		atomic_store(&main_sleeps, false);
	}
	return rc;
}

/*
 * The vCPU thread runs as soon as it gets the big lock. The main thread must not take another turn
 * before that: its turn would overlap with the execution of instructions.
 */
EXPORT int pthread_cond_broadcast(pthread_cond_t *c)
{
	if (!real.unlock)
		find_functions();
	pthread_mutex_lock(&gate);
	if (c == awaited) {
		vcpus = RUNNING;
		awaited = NULL;
	}
	real.unlock(&gate);
	return real.broadcast(c);
}

static void note_polled(const struct pollfd *fds, nfds_t count, unsigned char value)
{
	for (nfds_t i = 0; i < count; i++)
		if (fds[i].fd >= 0 && fds[i].fd < MAX_FDS)
			atomic_store_explicit(&polled[fds[i].fd], value, memory_order_relaxed);
}

EXPORT int ppoll(struct pollfd *fds, nfds_t count, const struct timespec *limit,
		 const sigset_t *signals)
{
	int rc, error;

	if (!real.unlock)
		find_functions();
	/* With a timeout of 0 the main thread does not sleep and keeps lock and turn. */
	if (!is_known_qemu() || !is_main() || (limit && !limit->tv_sec && !limit->tv_nsec))
		return real.ppoll(fds, count, limit, signals);
	if (!atomic_load(&big_lock))
		atomic_store(&big_lock, last_unlocked);
	note_polled(fds, count, 1);
	end_turn();
	rc = real.ppoll(fds, count, limit, signals);
	error = errno;
	note_polled(fds, count, 0);
	take_turn();
	errno = error;
	return rc;
}

/* The vCPU thread wakes the main thread by writing to a file that it polls. */
EXPORT ssize_t write(int fd, const void *bytes, size_t len)
{
	if (!real.unlock)
		find_functions();
	if (is_vcpu_thread && fd >= 0 && fd < MAX_FDS && len == sizeof(uint64_t) &&
	    atomic_load(&polled[fd]))
		atomic_fetch_add(&asked, 1);
	return real.write(fd, bytes, len);
}

EXPORT int io_uring_queue_init(unsigned int entries, struct io_uring *ring, unsigned int flags);

/*
 * From QEMU 10.2 on the main thread waits for an io_uring instead of the files themselves, so
 * writes of the vCPU thread could not be recognized. Without io_uring QEMU polls the files.
 */
EXPORT int io_uring_queue_init(unsigned int entries, struct io_uring *ring, unsigned int flags)
{
	(void)entries;
	(void)ring;
	(void)flags;
	return -ENOSYS;
}
