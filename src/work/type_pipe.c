// SPDX-License-Identifier: GPL-2.0-only
/* Work that wakes others through files: pipes between pairs, queues, event storms. */
#include "work/types.h"

#include <poll.h>
#include <sys/epoll.h>

#define CACHE_STRIDE 64

/* Each member of a pair reads the pipe of its own index. */
static void exchange_bytes(struct ktstr_worker *w)
{
	int own = w->fds[(size_t)2 * w->member], partner = w->fds[(size_t)2 * (1 - w->member) + 1];
	uint64_t before_ns = clock_mono_ns();
	char byte = 0;

	if (write(partner, &byte, 1) < 0)
		worker_problem(w, errno, "write to the partner");
	if (!worker_wait_file(w, own, POLLIN))
		return;
	if (read(own, &byte, 1) == 1)
		worker_woke_since(w, before_ns, clock_mono_ns());
}

void pipe_io_iterate(struct ktstr_worker *w)
{
	worker_spin(w, w->args[0]);
	exchange_bytes(w);
}

int cache_pipe_prepare(struct ktstr_worker *w)
{
	return cache_create(w, w->args[0], CACHE_STRIDE);
}

void cache_pipe_iterate(struct ktstr_worker *w)
{
	cache_touch(w, w->args[1]);
	exchange_bytes(w);
}

/* ---- producers and consumers in unequal numbers ---- */

/* A short queue: with a long one, producers never wait for room. */
#define QUEUE_BYTES 4096

int producer_consumer_prepare(struct ktstr_worker *w)
{
	if (w->member == 0)
		fcntl(w->fds[1], F_SETPIPE_SZ, QUEUE_BYTES);
	return 0;
}

static void produce(struct ktstr_worker *w)
{
	uint64_t stamp_ns = clock_mono_ns();

	while (write(w->fds[1], &stamp_ns, sizeof(stamp_ns)) < 0) {
		if (errno != EAGAIN)
			worker_problem(w, errno, "write to the queue");
		if (errno != EAGAIN || !worker_wait_file(w, w->fds[1], POLLOUT))
			return;
	}
	w->work_units++;
}

static void consume(struct ktstr_worker *w)
{
	uint64_t stamp_ns;

	while (read(w->fds[0], &stamp_ns, sizeof(stamp_ns)) != sizeof(stamp_ns))
		if (!worker_wait_file(w, w->fds[0], POLLIN))
			return;
	worker_woke_since(w, stamp_ns, clock_mono_ns());
	worker_progress(w, 1);
	worker_spin(w, w->args[2]);
}

void producer_consumer_iterate(struct ktstr_worker *w)
{
	if (w->member < w->args[0])
		produce(w);
	else
		consume(w);
}

/* ---- one writer, many waiters for the same events ---- */

struct epoll_waiter {
	int epoll_fd;
};

/* Each waiter has its own epoll, so that every event wakes all of them. */
int epoll_storm_prepare(struct ktstr_worker *w)
{
	struct epoll_waiter *s = worker_state(w, sizeof(*s));

	if (!s)
		return -ENOMEM;
	if (w->member == 0)
		return 0;
	s->epoll_fd = epoll_create1(EPOLL_CLOEXEC);
	if (s->epoll_fd < 0)
		return worker_problem(w, errno, "make an epoll");
	for (unsigned int i = 0; i < w->type->events; i++) {
		struct epoll_event event = { .events = EPOLLIN, .data.fd = w->fds[i] };

		if (epoll_ctl(s->epoll_fd, EPOLL_CTL_ADD, w->fds[i], &event) < 0)
			return worker_problem(w, errno, "add an event to an epoll");
	}
	return 0;
}

/* Raises a round of events; the next one follows when all of them were consumed. */
static void raise_events(struct ktstr_worker *w)
{
	static const uint64_t one = 1;
	_Atomic uint32_t *pending = &w->team->word;
	uint32_t left;

	atomic_store(&w->team->stamp_ns, clock_mono_ns());
	atomic_store(pending, w->type->events);
	for (unsigned int i = 0; i < w->type->events; i++)
		if (write(w->fds[i], &one, sizeof(one)) < 0)
			worker_problem(w, errno, "raise an event");
	worker_progress(w, w->type->events);
	worker_spin(w, w->args[1]);
	while ((left = atomic_load(pending)) != 0 && !worker_should_stop(w))
		worker_await_change(w, pending, left);
}

static void take_event(struct ktstr_worker *w, int fd, uint64_t now_ns)
{
	uint64_t value;

	if (read(fd, &value, sizeof(value)) != sizeof(value))
		return; /* another waiter was faster */
	worker_woke_since(w, atomic_load(&w->team->stamp_ns), now_ns);
	w->work_units++;
	if (atomic_fetch_sub(&w->team->word, 1) == 1)
		futex_wake(&w->team->word, 1);
}

static void take_events(struct ktstr_worker *w)
{
	struct epoll_waiter *s = w->state;
	struct epoll_event events[WORKER_MAX_FDS];
	uint64_t now_ns;
	int count = 0;

	worker_blocks(w);
	while (count <= 0 && !worker_should_stop(w))
		count = epoll_wait(s->epoll_fd, events, WORKER_MAX_FDS, WORKER_WAIT_SLICE_MS);
	now_ns = clock_mono_ns();
	worker_rested_at(w, now_ns);
	for (int i = 0; i < count; i++)
		take_event(w, events[i].data.fd, now_ns);
}

void epoll_storm_iterate(struct ktstr_worker *w)
{
	if (w->member == 0)
		raise_events(w);
	else
		take_events(w);
}
