// SPDX-License-Identifier: GPL-2.0-only
/* A story without the scheduler's programs: only the wait matters. */
#include "repro/parts.h"

#include "trace/trace.h"

/* Parses the number after the first such mark; returns its position, or NULL. */
static const char *find_number(const char *message, const char *mark, uint32_t *found)
{
	uint64_t number;

	for (const char *at = message; (at = strstr(at, mark));) {
		bool is_word = at == message || at[-1] == '(' || at[-1] == ' ';

		at += strlen(mark);
		if (!is_word || parse_digits(&at, &number) < 0 || number > UINT32_MAX)
			continue;
		*found = (uint32_t)number;
		return at;
	}
	return NULL;
}

/* Tasks named later took the CPU, or are compared with it. */
uint32_t repro_task_in(const char *message)
{
	static const char *const marks[] = { "tid ", "pid ", "thread " };
	const char *first = NULL;
	uint32_t task = 0, found;

	array_each(const char *const, mark, marks, ARRAY_SIZE(marks)) {
		const char *at = find_number(message, *mark, &found);

		if (!at || (first && at > first))
			continue;
		first = at;
		task = found;
	}
	return task;
}

struct waiter {
	struct story story;
	struct repro_plan plan;
	struct repro_scene scene;
	size_t cpu_count;
};

static int take_records(void *ctx, const void *records, size_t len)
{
	struct waiter *w = ctx;

	return story_read(&w->story, &w->plan, w->cpu_count, records, len);
}

int repro_find_wait(const struct vm_session *session, const char *vmlinux, uint32_t pid,
		    uint64_t *from_ns)
{
	struct waiter w = { .plan = { .scene = &w.scene, .pid = pid },
			    .cpu_count = vm_topology_cpus(&session->spec.topology) };
	struct vm_session own = *session;
	struct vm_result result;
	int rc;

	own.watcher = NULL;
	own.plugin = NULL;
	own.on_frame = NULL;
	rc = run_tracer_collect(&own, vmlinux, take_records, &w, &result);
	if (rc < 0)
		return rc;
	vm_result_finish(&result);
	if (!w.story.has_wait)
		rc = err_set(ENOENT, "task %u did not wait for a CPU in this run", pid);
	*from_ns = w.story.waits_from_ns;
	story_finish(&w.story);
	return rc;
}
