// SPDX-License-Identifier: GPL-2.0-only
/*
 * Tasks of kinds that workers are not by default: tasks of another user, threads that are
 * not the first of their process, programs after execve(), tasks that wait for I/O, and
 * tasks that were real-time for a moment. They compute for 1 ms and sleep for 15 ms;
 * functions named spin* never sleep. Tests of the checks include this file.
 */
#include <errno.h>
#include <linux/io_uring.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "kinds.h"

#define COMPUTE_NS 1000000
#define NAP_NS 15000000
#define USER 1000
#define THREADS 2
#define BUSY_THREADS 12
#define ENTRIES 4

static uint64_t now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec;
}

static void compute(void)
{
	uint64_t end = now_ns() + COMPUTE_NS;

	while (now_ns() < end)
		;
}

static void nap(void)
{
	usleep(NAP_NS / 1000);
}

static void rest(struct ktstr_worker *w)
{
	ktstr_worker_rested(w);
	ktstr_worker_did(w, 1);
}

static void work(struct ktstr_worker *w)
{
	while (!ktstr_worker_should_stop(w)) {
		compute();
		nap();
		rest(w);
	}
}

static void spin(struct ktstr_worker *w)
{
	while (!ktstr_worker_should_stop(w)) {
		compute();
		ktstr_worker_did(w, 1);
	}
}

/* If this fails, the worker does no work, so that it is reported as starved. */
static bool become_user(void)
{
	return setresuid(USER, USER, USER) == 0;
}

void work_as_user(struct ktstr_worker *w, void *arg)
{
	(void)arg;
	if (become_user())
		work(w);
}

void spin_as_user(struct ktstr_worker *w, void *arg)
{
	(void)arg;
	if (become_user())
		spin(w);
}

static bool return_from_realtime(void)
{
	const struct sched_param realtime = { .sched_priority = 1 }, normal = {};

	return sched_setscheduler(0, SCHED_FIFO, &realtime) == 0 &&
	       sched_setscheduler(0, SCHED_OTHER, &normal) == 0;
}

void work_after_realtime(struct ktstr_worker *w, void *arg)
{
	(void)arg;
	if (return_from_realtime())
		work(w);
}

void spin_after_realtime(struct ktstr_worker *w, void *arg)
{
	(void)arg;
	if (return_from_realtime())
		spin(w);
}

/* ---- threads ---- */

static void *nap_as_thread(void *arg)
{
	struct ktstr_worker *w = arg;

	while (!ktstr_worker_should_stop(w)) {
		compute();
		nap();
	}
	return NULL;
}

static void *spin_as_thread(void *arg)
{
	struct ktstr_worker *w = arg;

	while (!ktstr_worker_should_stop(w))
		compute();
	return NULL;
}

/* The worker's own thread does next to nothing. */
static void run_threads(struct ktstr_worker *w, unsigned int wanted, void *(*thread)(void *))
{
	pthread_t threads[BUSY_THREADS];
	unsigned int count = 0;

	while (count < wanted && pthread_create(&threads[count], NULL, thread, w) == 0)
		count++;
	while (count == wanted && !ktstr_worker_should_stop(w)) {
		nap();
		rest(w);
	}
	while (count > 0)
		pthread_join(threads[--count], NULL);
}

void work_in_threads(struct ktstr_worker *w, void *arg)
{
	(void)arg;
	run_threads(w, THREADS, nap_as_thread);
}

void spin_in_threads(struct ktstr_worker *w, void *arg)
{
	(void)arg;
	run_threads(w, BUSY_THREADS, spin_as_thread);
}

/* ---- programs ---- */

/* Only the program that work_in_program() starts has exactly this environment. */
#define EXECUTED "KTSTR_NAPS_AS_PROGRAM=1"

/* A worker executes its own binary; the program ends with the worker. */
__attribute__((constructor)) static void nap_where_executed(void)
{
	if (!environ || !environ[0] || strcmp(environ[0], EXECUTED) != 0 || environ[1])
		return;
	prctl(PR_SET_NAME, "program");
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	while (getppid() != 1) {
		compute();
		nap();
	}
	_exit(0);
}

void work_in_program(struct ktstr_worker *w, void *arg)
{
	char program[] = "/proc/self/exe", variable[] = EXECUTED;
	char *argv[] = { program, NULL }, *envp[] = { variable, NULL };
	pid_t pid = fork();

	(void)arg;
	if (pid == 0) {
		execve(program, argv, envp);
		_exit(1);
	}
	while (pid > 0 && waitpid(pid, NULL, WNOHANG) == 0 && !ktstr_worker_should_stop(w)) {
		nap();
		rest(w);
	}
	if (pid > 0 && kill(pid, SIGKILL) == 0)
		waitpid(pid, NULL, 0);
}

/* ---- I/O ---- */

/* The kernel accounts waiting for io_uring completions as waiting for I/O, so no disk is needed. */
struct ring {
	int fd;
	void *queue;
	struct io_uring_sqe *entries;
	_Atomic uint32_t *tail, *done_head;
	const _Atomic uint32_t *done_tail;
};

static void ring_close(struct ring *r, size_t size)
{
	if (r->entries != MAP_FAILED)
		munmap(r->entries, ENTRIES * sizeof(*r->entries));
	if (r->queue != MAP_FAILED)
		munmap(r->queue, size);
	if (r->fd >= 0)
		close(r->fd);
}

static void *ring_map(const struct ring *r, size_t size, off_t what)
{
	return mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, r->fd, what);
}

/* Returns the size of the mapped queues; 0 = io_uring is not available. */
static size_t ring_open(struct ring *r)
{
	struct io_uring_params p = {};
	uint32_t *order;
	size_t size;

	*r = (struct ring){ .queue = MAP_FAILED, .entries = MAP_FAILED };
	r->fd = (int)syscall(SYS_io_uring_setup, ENTRIES, &p);
	if (r->fd < 0)
		return 0;
	size = p.sq_off.array + ENTRIES * sizeof(*order);
	if (size < p.cq_off.cqes + p.cq_entries * sizeof(struct io_uring_cqe))
		size = p.cq_off.cqes + p.cq_entries * sizeof(struct io_uring_cqe);
	r->queue = ring_map(r, size, IORING_OFF_SQ_RING);
	r->entries = ring_map(r, ENTRIES * sizeof(*r->entries), IORING_OFF_SQES);
	if (r->queue == MAP_FAILED || r->entries == MAP_FAILED) {
		ring_close(r, size);
		return 0;
	}
	order = (uint32_t *)((char *)r->queue + p.sq_off.array);
	for (uint32_t i = 0; i < ENTRIES; i++)
		order[i] = i;
	r->tail = (_Atomic uint32_t *)((char *)r->queue + p.sq_off.tail);
	r->done_head = (_Atomic uint32_t *)((char *)r->queue + p.cq_off.head);
	r->done_tail = (_Atomic uint32_t *)((char *)r->queue + p.cq_off.tail);
	return size;
}

static int ring_nap(struct ring *r)
{
	struct __kernel_timespec t = { .tv_nsec = NAP_NS };
	uint32_t tail = *r->tail;

	r->entries[tail % ENTRIES] = (struct io_uring_sqe){ .opcode = IORING_OP_TIMEOUT,
							    .addr = (uintptr_t)&t,
							    .len = 1 };
	*r->tail = tail + 1;
	while (*r->done_head == *r->done_tail) {
		uint32_t submitted = *r->tail - tail;

		if (syscall(SYS_io_uring_enter, r->fd, submitted, 1, IORING_ENTER_GETEVENTS, NULL,
			    0) < 0 &&
		    errno != EINTR)
			return -errno;
		tail = *r->tail;
	}
	*r->done_head = *r->done_tail;
	return 0;
}

/* If io_uring is not allowed, this is a sleeper like the others. */
void work_with_io(struct ktstr_worker *w, void *arg)
{
	struct ring r;
	size_t size = ring_open(&r);

	(void)arg;
	while (!ktstr_worker_should_stop(w)) {
		compute();
		if (!size || ring_nap(&r) < 0)
			nap();
		rest(w);
	}
	if (size)
		ring_close(&r, size);
}
