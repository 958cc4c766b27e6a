// SPDX-License-Identifier: GPL-2.0-only
/* Consecutive sessions, and the plugin's orders in each. */
#include "debug/parts.h"

#include <poll.h>
#include <sys/mman.h>
#include <sys/socket.h>

/* A CPU's slice is rarely longer; otherwise the search starts at the beginning. */
#define NEAR_BLOCKS 65536

struct debug_order travel_order(void)
{
	return (struct debug_order){ .until = DEBUG_NOWHERE, .time_ns = DEBUG_NOWHERE };
}

/* ---- continuing ---- */

static void send_order(struct travel *t)
{
	t->shared->is_interrupted = 0;
	t->is_beginning = false;
	/* If the guest has ended, the session reports it. */
	(void)send(t->ours, &t->order, sizeof(t->order), MSG_NOSIGNAL);
}

static void start_again(struct travel *t)
{
	t->is_again = true;
}

static void return_to(struct travel *t, const struct debug_event *target)
{
	t->goal = TRAVEL_RETURN;
	t->target = *target;
	t->order = travel_order();
	t->order.until = target->position;
	t->expected_rip = target->reason == DEBUG_WATCH ? 0 : target->address;
	start_again(t);
}

static void search(struct travel *t, const struct debug_order *order, uint64_t from)
{
	t->goal = TRAVEL_SEARCH;
	t->order = *order;
	t->order.only_notes = true;
	t->order.notes_from = from;
	t->order.until = t->stop.event.position;
	t->order.time_ns = DEBUG_NOWHERE;
	t->expected_rip = t->stop.registers[DEBUG_rip];
	start_again(t);
}

void travel_forward(struct travel *t, const struct debug_order *order)
{
	t->goal = TRAVEL_FORWARD;
	t->order = *order;
	send_order(t);
}

void travel_back(struct travel *t, const struct debug_order *order)
{
	search(t, order, 0);
}

/* Within a block the previous instruction is known. */
void travel_step_back(struct travel *t, uint64_t cpu_base)
{
	uint64_t here = t->stop.event.position, block = here >> DEBUG_INDEX_BITS;
	struct debug_order order = travel_order();

	if (cpu_base == t->stop.cpu_base && here & ((1U << DEBUG_INDEX_BITS) - 1)) {
		return_to(t, &(struct debug_event){ here - 1, DEBUG_STEPPED, 0, 0 });
		return;
	}
	order.step_cpu = cpu_base;
	search(t, &order, block > NEAR_BLOCKS ? debug_position(block - NEAR_BLOCKS, 0) : 0);
}

void travel_interrupt(struct travel *t)
{
	if (t->shared)
		t->shared->is_interrupted = 1;
}

/* ---- arriving ---- */

static int refuse_other_run(struct travel *t)
{
	t->problem = err_set(EIO, "the run was another one when it was run again: it cannot be "
				  "gone through backwards");
	return t->problem;
}

/* The same position must have the same instruction. */
static bool is_as_expected(const struct travel *t)
{
	return t->stop.event.position == t->order.until &&
	       (!t->expected_rip || t->expected_rip == t->stop.registers[DEBUG_rip]);
}

static int stand(struct travel *t)
{
	int rc = t->driver.stands(t->driver.ctx, t);

	return rc < 0 || t->is_again ? -EINTR : 0;
}

static int end_search(struct travel *t)
{
	struct debug_event note = t->stop.note;

	if (!note.position && t->order.step_cpu && t->order.notes_from) {
		struct debug_order again = t->order;

		search(t, &again, 0);
		return -EINTR;
	}
	if (!note.position)
		note = (struct debug_event){ .position = DEBUG_BEGINNING, .reason = DEBUG_BEGINS };
	return_to(t, &note);
	return -EINTR;
}

static int end_return(struct travel *t)
{
	t->stop.event.reason = t->target.reason;
	if (t->target.reason == DEBUG_WATCH) {
		t->stop.event.address = t->target.address;
		t->stop.event.access = t->target.access;
	}
	t->is_beginning = t->target.reason == DEBUG_BEGINS;
	return stand(t);
}

static int arrive(struct travel *t)
{
	if (t->stop.event.reason == DEBUG_BEGINS) {
		send_order(t);
		return 0;
	}
	if (t->stop.event.reason == DEBUG_INTERRUPTED)
		return stand(t);
	if (t->goal != TRAVEL_FORWARD && !is_as_expected(t)) {
		refuse_other_run(t);
		return -EINTR;
	}
	switch (t->goal) {
	case TRAVEL_SEARCH:
		return end_search(t);
	case TRAVEL_RETURN:
		return end_return(t);
	default:
		return stand(t);
	}
}

/* ---- callbacks of the watcher ---- */

static void begin(void *ctx, struct vm *vm)
{
	struct travel *t = ctx;
	int rc = vm_memory_open(&t->memory, vm);

	t->vm = vm;
	if (rc == 0)
		rc = space_open(&t->space, &t->memory, t->layout);
	t->has_space = rc == 0;
	if (rc < 0) {
		log_debug("debug", "the guest's memory cannot be read: %s", err_text(rc));
		err_clear();
	}
}

static bool is_readable(int fd)
{
	struct pollfd p = { .fd = fd, .events = POLLIN };

	return fd >= 0 && poll(&p, 1, 0) > 0;
}

static bool is_due(void *ctx)
{
	const struct travel *t = ctx;

	return is_readable(t->ours) || is_readable(t->driver.fd);
}

static int look(void *ctx)
{
	struct travel *t = ctx;

	if (is_readable(t->ours) &&
	    recv(t->ours, &t->stop, sizeof(t->stop), MSG_DONTWAIT) == sizeof(t->stop))
		return arrive(t);
	if (is_readable(t->driver.fd) && t->driver.hear(t->driver.ctx, t) < 0)
		return -EINTR;
	return 0;
}

/* After the socket is closed the plugin lets the guest run, so that QEMU can quit. */
static void end(void *ctx)
{
	struct travel *t = ctx;

	shutdown(t->ours, SHUT_RDWR);
	t->vm = NULL;
	t->has_space = false;
}

/* ---- sessions ---- */

static void close_plugin(struct travel *t)
{
	for (size_t i = 0; i < t->plugin.fd_count; i++)
		cleanup_fd(&t->plugin.fds[i]);
	t->plugin.fd_count = 0;
	cleanup_fd(&t->ours);
	t->ours = -1;
	if (t->shared)
		munmap(t->shared, sizeof(*t->shared));
	t->shared = NULL;
	str_reset(&t->option);
}

static int open_shared(struct travel *t)
{
	int fd = memfd_create("ktstr-debug", MFD_CLOEXEC);

	if (fd < 0)
		return err_sys(errno, "create memory for the debugger");
	t->plugin.fds[t->plugin.fd_count++] = fd;
	if (ftruncate(fd, sizeof(*t->shared)) < 0)
		return err_sys(errno, "create memory for the debugger");
	t->shared = mmap(NULL, sizeof(*t->shared), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (t->shared == MAP_FAILED)
		t->shared = NULL;
	return t->shared ? 0 : err_sys(errno, "map memory for the debugger");
}

static int open_plugin(struct travel *t)
{
	int ends[2], file = plugin_file_open(&t->session.spec), rc;

	if (file < 0)
		return file;
	t->plugin.fds[t->plugin.fd_count++] = file;
	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) < 0)
		return err_sys(errno, "create a socket for stops of the guest");
	t->ours = ends[0];
	t->plugin.fds[t->plugin.fd_count++] = ends[1];
	rc = open_shared(t);
	if (rc < 0)
		return rc;
	str_addf(&t->option, "file=/proc/self/fd/%d,debug_fd=%x,debug_shared=%x%s", file,
		 (unsigned int)ends[1], (unsigned int)t->plugin.fds[2], t->arguments);
	t->plugin.option = str_get(&t->option);
	return str_check(&t->option);
}

static int run_once(struct travel *t, struct vm_result *result)
{
	int rc = open_plugin(t);

	t->is_again = false;
	if (rc == 0) {
		t->watcher = (struct vm_watcher){ .fd = t->ours,
						  .begin = begin,
						  .is_due = is_due,
						  .look = look,
						  .end = end,
						  .ctx = t };
		t->session.plugin = &t->plugin;
		t->session.watcher = &t->watcher;
		rc = vm_session_run(&t->session, result);
	}
	close_plugin(t);
	return rc;
}

int travel_run(struct travel *t, const struct debug_order *first, struct vm_result *result)
{
	int rc;

	t->goal = TRAVEL_FORWARD;
	t->order = *first;
	do {
		rc = run_once(t, result);
	} while (rc == -EINTR && t->is_again);
	if (t->problem)
		return t->problem;
	if (rc == 0 && t->goal != TRAVEL_FORWARD) {
		vm_result_finish(result);
		return refuse_other_run(t);
	}
	return rc;
}

void travel_init(struct travel *t, const struct vm_session *session,
		 const struct watch_layout *layout, const char *arguments,
		 const struct travel_driver *driver)
{
	*t = (struct travel){ .session = *session,
			      .layout = layout,
			      .driver = *driver,
			      .arguments = arguments,
			      .ours = -1 };
}

void travel_finish(struct travel *t)
{
	str_finish(&t->option);
}
