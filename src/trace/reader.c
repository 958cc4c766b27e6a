// SPDX-License-Identifier: GPL-2.0-only
/* Iterates over the records of a trace. */
#include "trace/parts.h"

#define MAX_CGROUPS 65536

static void reader_finish(struct trace_reader *r)
{
	vec_release(&r->cgroups, each, str_finish(each));
	free(r->tasks.items);
}

static int know_task(struct trace_reader *r, uint32_t pid)
{
	int rc = 0;

	while (rc == 0 && r->tasks.count <= pid)
		rc = vec_push(&r->tasks, (struct trace_task){ .cgroup = TRACE_NO_CGROUP });
	return rc;
}

static int take_name(struct trace_reader *r, const struct trace_record *e)
{
	int rc = know_task(r, e->pid);

	/* The byte behind the text is always 0. */
	if (rc == 0)
		memcpy(r->tasks.items[e->pid].name, e->text, TRACE_TEXT);
	return rc;
}

/* Names come in pieces, always for the newest cgroup. */
static int take_cgroup_name(struct trace_reader *r, const struct trace_record *e)
{
	int rc = 0;

	if (e->pid > r->cgroups.count || e->pid >= MAX_CGROUPS || e->pid + 1 < r->cgroups.count)
		return err_set(EINVAL, "not a trace: cgroups are out of order");
	if (e->pid == r->cgroups.count)
		rc = vec_push(&r->cgroups, (struct str){});
	if (rc == 0)
		str_addn(&r->cgroups.items[e->pid], e->text, strnlen(e->text, TRACE_TEXT));
	return rc;
}

static int check(const struct trace_record *e)
{
	if (e->type == 0 || e->type >= TRACE_TYPES)
		return err_set(EINVAL, "not a trace: a record is of no known type");
	if (e->pid > TRACE_MAX_PID || e->cpu >= TRACE_MAX_CPU)
		return err_set(EINVAL, "not a trace: a record names an impossible task or CPU");
	return 0;
}

static int take(struct trace_reader *r, const struct trace_record *e, trace_event_fn *fn, void *ctx)
{
	int rc = check(e);

	if (rc < 0)
		return rc;
	switch (e->type) {
	case TRACE_NAME:
		return take_name(r, e);
	case TRACE_CGROUP_NAME:
		return take_cgroup_name(r, e);
	case TRACE_CGROUP:
		rc = know_task(r, e->pid);
		if (rc == 0 && e->arg < r->cgroups.count)
			r->tasks.items[e->pid].cgroup = e->arg;
		break;
	default:
		break;
	}
	if (rc < 0)
		return rc;
	if (e->time_ns < r->time_ns)
		return err_set(EINVAL, "not a trace: an event is older than the one before it");
	r->time_ns = e->time_ns;
	return fn(ctx, r, e);
}

int trace_walk(const void *data, size_t len, trace_event_fn *fn, void *ctx)
{
	struct trace_reader r = {};
	struct trace_header h;
	size_t at = sizeof(h);
	int rc = 0;

	if (len < sizeof(h))
		return err_set(EINVAL, "not a trace: it has no header");
	memcpy(&h, data, sizeof(h));
	if (h.magic != TRACE_MAGIC || h.version != TRACE_VERSION ||
	    h.record_size != sizeof(struct trace_record))
		return err_set(EINVAL, "not a trace of this version");
	for (; rc == 0 && len - at >= sizeof(struct trace_record);
	     at += sizeof(struct trace_record)) {
		struct trace_record e;

		memcpy(&e, (const char *)data + at, sizeof(e));
		rc = take(&r, &e, fn, ctx);
	}
	reader_finish(&r);
	return rc;
}

const struct trace_task *trace_task(const struct trace_reader *r, uint32_t pid)
{
	static const struct trace_task unknown = { .cgroup = TRACE_NO_CGROUP };
	static const struct trace_task idle = { .name = "idle", .cgroup = TRACE_NO_CGROUP };

	if (pid == 0)
		return &idle;
	return pid < r->tasks.count ? &r->tasks.items[pid] : &unknown;
}

const char *trace_cgroup_name(const struct trace_reader *r, uint32_t cgroup)
{
	return cgroup < r->cgroups.count ? str_get(&r->cgroups.items[cgroup]) : NULL;
}
