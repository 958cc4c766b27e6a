// SPDX-License-Identifier: GPL-2.0-only
/* One message per stop in each direction: struct trace_stop and struct trace_answer. */
#include "trace/plugin/plugin.h"

#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <sys/socket.h>

#include "vm/turns.h"

#define SILENCE_NS 1000000000ULL
#define SILENCE_SLICES \
	100 /* a CPU that wakes up after a long sleep reads the counter in its first */

static int fd = -1;
static struct trace_answer order; /* at first: stop when the guest first reads its counter */
static uint64_t counter, call_address, program_address, has_threads, has_watches;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static uint32_t programs;

bool stops_take_argument(const char *text)
{
	uint64_t number;

	if (plugin_take_number(text, "stop_call=", &call_address) ||
	    plugin_take_number(text, "stop_program=", &program_address) ||
	    plugin_take_number(text, "stop_threads=", &has_threads) ||
	    plugin_take_number(text, "stop_watch=", &has_watches))
		return true;
	if (!plugin_take_number(text, "stop_fd=", &number))
		return false;
	fd = (int)number;
	return true;
}

bool stops_are_wanted(void)
{
	return fd >= 0;
}

bool stops_have_threads(void)
{
	return has_threads;
}

/* After the host has closed the socket there are no more stops. */
static void tell(const struct trace_stop *s)
{
	ssize_t n;

	if (fd < 0 || send(fd, s, sizeof(*s), MSG_NOSIGNAL) != sizeof(*s))
		return;
	do
		n = recv(fd, &order, sizeof(order), 0);
	while (n < 0 && errno == EINTR);
	if (n == sizeof(order) && order.next != UINT64_MAX &&
	    order.watch_count <= TRACE_MAX_WATCHES)
		return;
	fd = -1;
	order.watch_count = 0;
}

/*
 * If vCPUs take turns no lock is needed; it would be one more point at which QEMU's other threads
 * get their turn, and the run would depend on their timing.
 */
static void stop_with(struct trace_stop s)
{
	s.counter = counter;
	if (has_threads)
		pthread_mutex_lock(&lock);
	tell(&s);
	if (has_threads)
		pthread_mutex_unlock(&lock);
}

static void stop(enum trace_stop_reason reason, uint64_t argument)
{
	stop_with((struct trace_stop){ .reason = reason, .argument = argument });
}

void stops_reached(uint64_t now)
{
	counter = now;
	if (counter >= order.next)
		stop(TRACE_STOP_TIME, 0);
}

/*
 * If all CPUs run with interrupts disabled the guest does not read its counter, and a hang would go
 * unnoticed: after a second of virtual time with many slices it is stopped between two slices. Both
 * are derived from instruction counts, so each run of a seed has the same stops.
 */
static void on_slice(uint64_t virtual_ns)
{
	static uint64_t seen, since_ns, slices;

	if (counter != seen || virtual_ns < since_ns) {
		seen = counter;
		since_ns = virtual_ns;
		slices = 0;
	}
	if (++slices < SILENCE_SLICES || virtual_ns - since_ns < SILENCE_NS || !counter)
		return;
	counter += virtual_ns - since_ns;
	seen = counter;
	since_ns = virtual_ns;
	slices = 0;
	if (counter >= order.next)
		stop(TRACE_STOP_TIME, 0);
}

void stops_begin(void)
{
	void (*set)(vm_turns_fn *) = fd >= 0 && !has_threads ? dlsym(RTLD_DEFAULT, VM_TURNS_TELL) :
							       NULL;

	if (set)
		set(on_slice);
}

static void on_call(unsigned int vcpu, void *data)
{
	(void)vcpu;
	(void)data;
	stop(TRACE_STOP_CALL, plugin_argument(0));
}

static void on_program(unsigned int vcpu, void *data)
{
	(void)vcpu;
	(void)data;
	if (fd < 0)
		return;
	programs++;
	stop(TRACE_STOP_PROGRAM, plugin_argument(0));
}

uint32_t stops_of_programs(void)
{
	return programs;
}

static void on_request(unsigned int vcpu, void *data)
{
	struct trace_stop s = { .reason = TRACE_STOP_REQUEST,
				.argument = plugin_argument(0),
				.request = plugin_argument(2) };

	(void)vcpu;
	(void)data;
	/* An unreadable name counts as none. */
	if (!plugin_read(plugin_argument(1), s.name, sizeof(s.name)))
		s.name[0] = '\0';
	s.name[sizeof(s.name) - 1] = '\0';
	stop_with(s);
}

/* Called after the bytes have been written. */
static void on_store(unsigned int vcpu, uint32_t info, uint64_t address, void *data)
{
	uint64_t size = 1ULL << qemu_plugin_mem_size_shift(info);

	(void)vcpu;
	(void)data;
	for (uint64_t i = 0; i < order.watch_count; i++)
		if (address < order.watches[i].address + order.watches[i].bytes &&
		    order.watches[i].address < address + size)
			stop(TRACE_STOP_WATCH, i);
}

void stops_watch(struct qemu_plugin_insn *insn, uint64_t address)
{
	static const uint8_t request[] = TRACE_REQUEST_CODE;
	uint8_t code[sizeof(request)];

	if (fd < 0)
		return;
	/* Kernel addresses only. */
	if (has_watches && address >> 63)
		qemu_plugin_register_vcpu_mem_cb(insn, on_store, QEMU_PLUGIN_CB_NO_REGS,
						 QEMU_PLUGIN_MEM_W, NULL);
	if (address == call_address && !has_threads)
		qemu_plugin_register_vcpu_insn_exec_cb(insn, on_call, QEMU_PLUGIN_CB_R_REGS, NULL);
	if (address == program_address && !has_threads)
		qemu_plugin_register_vcpu_insn_exec_cb(insn, on_program, QEMU_PLUGIN_CB_R_REGS,
						       NULL);
	if (qemu_plugin_insn_size(insn) == sizeof(code) &&
	    qemu_plugin_insn_data(insn, code, sizeof(code)) == sizeof(code) &&
	    memcmp(code, request, sizeof(code)) == 0)
		qemu_plugin_register_vcpu_insn_exec_cb(insn, on_request, QEMU_PLUGIN_CB_R_REGS,
						       NULL);
}
