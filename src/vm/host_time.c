// SPDX-License-Identifier: GPL-2.0-only
/* Samples schedstat of the vCPU threads ten times a second. */
#include "vm/session.h"

#define MAX_SAMPLES 2048 /* then every other sample is dropped */
#define LONGEST_NS (VM_TIME_SHORTEST_NS << (VM_TIME_WINDOWS - 1))

double vm_dilation(const struct vm_thread_time *t)
{
	return t->run_ns ? 1 + (double)t->wait_ns / (double)t->run_ns : 1;
}

int vm_host_time_worst(const struct vm_host_time *t)
{
	int worst = -1;

	for (unsigned int i = 0; i < t->count; i++)
		if (worst < 0 || t->threads[i].wait_ns > t->threads[worst].wait_ns)
			worst = (int)i;
	return worst;
}

static unsigned int window_of(uint64_t ns)
{
	unsigned int i = 0;

	while (i + 1 < VM_TIME_WINDOWS && VM_TIME_SHORTEST_NS << i < ns)
		i++;
	return i;
}

uint64_t vm_time_window_ns(uint64_t ns)
{
	return MAX(VM_TIME_SHORTEST_NS << window_of(ns), ns);
}

uint64_t vm_host_time_within(const struct vm_host_time *t, uint64_t ns)
{
	if (!t->count)
		return 0;
	if (ns > LONGEST_NS)
		return MIN(t->threads[vm_host_time_worst(t)].wait_ns, ns);
	return t->within_ns[window_of(ns)];
}

static bool is_known(const struct vm_time_log *log, pid_t tid)
{
	for (unsigned int i = 0; i < log->count; i++)
		if (log->tids[i] == tid)
			return true;
	return false;
}

void vm_time_begin_threads(struct vm_time_log *log, pid_t pid, const pid_t *tids, size_t count)
{
	*log = (struct vm_time_log){ .pid = pid, .step_ns = VM_TIME_SHORTEST_NS };
	for (size_t i = 0; i < count && log->count < ARRAY_SIZE(log->tids); i++) {
		struct vm_thread_time *t = &log->begin[log->count];

		if (!is_known(log, tids[i]) &&
		    vm_thread_time(pid, tids[i], &t->run_ns, &t->wait_ns))
			log->tids[log->count++] = tids[i];
	}
}

void vm_time_begin(struct vm_time_log *log, pid_t pid, struct qmp *qmp, size_t vcpus,
		   uint64_t timeout_ns)
{
	pid_t tids[VM_MAX_CPUS];

	if (vcpus <= ARRAY_SIZE(tids) && vm_vcpu_threads(qmp, tids, vcpus, timeout_ns) == 0)
		vm_time_begin_threads(log, pid, tids, vcpus);
	else
		log_debug("vm", "no threads of vCPUs are known");
}

static void thin_out(struct vm_time_log *log)
{
	size_t kept = 0;

	for (size_t i = 0; i < log->samples.count; i++) {
		if (i % 2)
			free(log->samples.items[i].waits);
		else
			log->samples.items[kept++] = log->samples.items[i];
	}
	log->samples.count = kept;
	log->step_ns *= 2;
}

static void add_sample(struct vm_time_log *log, uint64_t now_ns)
{
	struct vm_time_sample s = { .at_ns = now_ns,
				    .waits = calloc(log->count, sizeof(*s.waits)) };
	uint64_t run_ns;

	for (unsigned int i = 0; s.waits && i < log->count; i++)
		if (!vm_thread_time(log->pid, log->tids[i], &run_ns, &s.waits[i]))
			s.waits[i] = log->samples.count ?
					     log->samples.items[log->samples.count - 1].waits[i] :
					     log->begin[i].wait_ns;
	if (!s.waits || vec_push(&log->samples, s) < 0)
		free(s.waits);
	else if (log->samples.count >= MAX_SAMPLES)
		thin_out(log);
}

void vm_time_look(struct vm_time_log *log, uint64_t now_ns)
{
	size_t n = log->samples.count;

	if (log->count && (!n || now_ns - log->samples.items[n - 1].at_ns >= log->step_ns))
		add_sample(log, now_ns);
}

/* Uses at least two adjacent samples, even if they are further apart than the window. */
uint64_t vm_time_most(const struct vm_time_sample *samples, size_t count, unsigned int thread,
		      uint64_t window_ns)
{
	uint64_t most = 0;

	for (size_t first = 0, last = 1; last < count; last++) {
		while (first + 1 < last && samples[last].at_ns - samples[first].at_ns > window_ns)
			first++;
		most = MAX(most, samples[last].waits[thread] - samples[first].waits[thread]);
	}
	return MIN(most, window_ns);
}

void vm_time_end(struct vm_time_log *log, uint64_t now_ns, struct vm_host_time *out)
{
	*out = (struct vm_host_time){ .count = log->count };
	if (log->count)
		add_sample(log, now_ns);
	for (unsigned int i = 0; i < log->count; i++) {
		struct vm_thread_time *t = &out->threads[i], now = log->begin[i];

		vm_thread_time(log->pid, log->tids[i], &now.run_ns, &now.wait_ns);
		t->run_ns = now.run_ns - log->begin[i].run_ns;
		t->wait_ns = now.wait_ns - log->begin[i].wait_ns;
		for (unsigned int w = 0; w < VM_TIME_WINDOWS; w++)
			out->within_ns[w] = MAX(out->within_ns[w],
						vm_time_most(log->samples.items, log->samples.count,
							     i, VM_TIME_SHORTEST_NS << w));
	}
}

void vm_time_finish(struct vm_time_log *log)
{
	vec_release(&log->samples, each, free(each->waits));
	*log = (struct vm_time_log){};
}
