// SPDX-License-Identifier: GPL-2.0-only
/* Converts the maps of the probes to a trace and a report. */
#include "observe_probes.h"

#include <sys/mman.h>

struct records {
	struct sorted {
		struct trace_record record;
		size_t order;
	} * items;
	size_t count, size;
};

static int add(struct records *r, const struct trace_record *record)
{
	if (r->count == r->size) {
		size_t size = r->size ? 2 * r->size : PROBE_RECORDS;
		struct sorted *items = realloc(r->items, size * sizeof(*items));

		if (!items)
			return -ENOMEM;
		r->items = items;
		r->size = size;
	}
	r->items[r->count].record = *record;
	r->items[r->count].order = r->count;
	r->count++;
	return 0;
}

static int by_time(const void *a, const void *b)
{
	const struct sorted *x = a, *y = b;

	if (x->record.time_ns != y->record.time_ns)
		return x->record.time_ns < y->record.time_ns ? -1 : 1;
	return x->order < y->order ? -1 : 1;
}

static int map_fd(const struct probes *p, const char *name)
{
	return bpf_map__fd(bpf_object__find_map_by_name(p->object, name));
}

/* ---- names, events ---- */

static int add_names(struct records *r, const struct probes *p)
{
	int fd = map_fd(p, "names"), rc = 0;

	for (__u32 i = 0; i < PROBE_NAMES && rc == 0; i++) {
		struct trace_record record = { .type = TRACE_NAME };
		struct probe_name name;

		if (bpf_map_lookup_elem(fd, &i, &name) < 0 || !name.pid)
			continue;
		record.pid = name.pid;
		memcpy(record.text, name.text, sizeof(record.text));
		rc = add(r, &record);
	}
	return rc;
}

static int add_events(struct records *r, const struct probes *p)
{
	size_t size = PROBE_RECORDS * sizeof(struct trace_record);
	__u64 head = p->control->head;
	const struct trace_record *all =
		mmap(NULL, size, PROT_READ, MAP_SHARED, map_fd(p, "records"), 0);
	int rc = 0;

	if (all == MAP_FAILED)
		return -errno;
	for (__u64 i = head > PROBE_RECORDS ? head - PROBE_RECORDS : 0; i < head && rc == 0; i++)
		if (all[i % PROBE_RECORDS].type)
			rc = add(r, &all[i % PROBE_RECORDS]);
	munmap((void *)all, size);
	return rc;
}

/* ---- calls ---- */

struct kept_call {
	struct probe_key key;
	struct probe_call call;
};

static int by_cpu(const void *a, const void *b)
{
	const struct probe_call *x = &((const struct kept_call *)a)->call,
				*y = &((const struct kept_call *)b)->call;

	if (x->cpu != y->cpu)
		return x->cpu < y->cpu ? -1 : 1;
	return (x->time_ns > y->time_ns) - (x->time_ns < y->time_ns);
}

static size_t read_calls(const struct probes *p, struct kept_call *out)
{
	int fd = map_fd(p, "calls");
	struct probe_key key, *before = NULL;
	size_t count = 0;

	while (count < PROBE_CALLS && bpf_map_get_next_key(fd, before, &key) == 0) {
		out[count].key = key;
		if (key.function < p->count && bpf_map_lookup_elem(fd, &key, &out[count].call) == 0)
			count++;
		before = &key;
	}
	qsort(out, count, sizeof(*out), by_cpu);
	return count;
}

static int add_numbers(struct records *r, struct trace_record *record, enum trace_type type,
		       const uint64_t *numbers, size_t count)
{
	int rc = 0;

	record->type = (uint16_t)type;
	for (size_t i = 0; i < count && rc == 0; i++) {
		record->value = (uint32_t)i;
		record->number = numbers[i];
		rc = add(r, record);
	}
	return rc;
}

/* Adds the fields that the call has changed. */
static int add_changes(struct records *r, struct trace_record *record, const struct probe_call *c)
{
	int rc = 0;

	record->type = TRACE_FIELD;
	for (uint32_t i = 0; i < PROBE_FIELDS && rc == 0; i++) {
		record->value = i;
		record->number = c->after[i];
		if (c->after[i] != c->before[i])
			rc = add(r, record);
	}
	return rc;
}

/* A call that contains another one ends at once: readers support one call per CPU at a time. */
static int add_call(struct records *r, const struct probes *p, const struct kept_call *k,
		    bool has_inner)
{
	struct trace_record record = { .time_ns = k->call.time_ns,
				       .type = TRACE_ENTER,
				       .cpu = (uint16_t)k->call.cpu,
				       .pid = k->key.pid,
				       .value = k->key.function };
	size_t fields = k->key.pid ? PROBE_FIELDS : 0;
	int rc = add(r, &record);

	if (rc == 0)
		rc = add_numbers(r, &record, TRACE_ARGUMENT, k->call.arguments,
				 p->functions[k->key.function].arguments);
	if (rc == 0)
		rc = add_numbers(r, &record, TRACE_FIELD, k->call.before, fields);
	if (rc < 0 || !k->call.is_over)
		return rc;
	if (!has_inner)
		record.time_ns = k->call.ended_ns;
	record.type = TRACE_LEAVE;
	record.value = k->key.function;
	record.number = k->call.result;
	rc = add(r, &record);
	return rc < 0 || !fields ? rc : add_changes(r, &record, &k->call);
}

static int add_calls(struct records *r, const struct probes *p)
{
	struct kept_call *all = calloc(PROBE_CALLS, sizeof(*all));
	size_t count = all ? read_calls(p, all) : 0;
	int rc = all ? 0 : -ENOMEM;

	for (size_t i = 0; i < count && rc == 0; i++)
		rc = add_call(r, p, &all[i],
			      i + 1 < count && all[i + 1].call.cpu == all[i].call.cpu &&
				      all[i + 1].call.time_ns < all[i].call.ended_ns);
	free(all);
	return rc;
}

/* ---- files ---- */

static int write_records(const struct records *r, const char *path)
{
	const struct trace_header header = { TRACE_MAGIC, TRACE_VERSION,
					     sizeof(struct trace_record), 0 };
	FILE *f = fopen(path, "w");

	if (!f)
		return -errno;
	fwrite(&header, sizeof(header), 1, f);
	for (size_t i = 0; i < r->count; i++)
		fwrite(&r->items[i].record, sizeof(r->items[i].record), 1, f);
	return fclose(f) ? -errno : 0;
}

/* Writes names of kernel functions and of files; characters that need escapes are dropped. */
static void put_string(FILE *f, const char *name, const char *text)
{
	fprintf(f, "\"%s\":\"", name);
	for (; *text; text++)
		if (*text >= ' ' && *text <= '~' && *text != '"' && *text != '\\')
			fputc(*text, f);
	fputc('"', f);
}

static int write_report(const struct probes *p, const char *path)
{
	const struct probe_control *c = p->control;
	FILE *f = fopen(path, "w");

	if (!f)
		return -errno;
	fprintf(f, "{\"exit_ns\":%llu,\"exit_kind\":%llu,\"records\":%llu,\"lost_calls\":%llu,",
		(unsigned long long)c->exit_ns, (unsigned long long)c->exit_kind,
		(unsigned long long)c->head, (unsigned long long)c->lost_calls);
	fputs("\"functions\":[", f);
	for (size_t i = 0; i < p->count; i++) {
		fputs(i ? ",{" : "{", f);
		put_string(f, "name", p->functions[i].name);
		fputc(',', f);
		put_string(f, "op", p->functions[i].op);
		fputc(',', f);
		put_string(f, "file", p->functions[i].file);
		fprintf(f, ",\"line\":%u,\"program\":%u}", p->functions[i].line,
			p->functions[i].id);
	}
	fputs("],\"dropped\":[", f);
	for (size_t i = 0; i < p->dropped_count; i++) {
		fputs(i ? ",{" : "{", f);
		put_string(f, "name", p->dropped[i].name);
		fputc(',', f);
		put_string(f, "reason", p->dropped[i].reason);
		fputc('}', f);
	}
	fputs("]}\n", f);
	return fclose(f) ? -errno : 0;
}

int probes_write(struct probes *p, const char *dir)
{
	struct records r = {};
	char path[4096];
	int rc = add_names(&r, p);

	if (rc == 0)
		rc = add_events(&r, p);
	if (rc == 0)
		rc = add_calls(&r, p);
	if (rc == 0 && r.count)
		qsort(r.items, r.count, sizeof(*r.items), by_time);
	snprintf(path, sizeof(path), "%s/records", dir);
	if (rc == 0)
		rc = write_records(&r, path);
	snprintf(path, sizeof(path), "%s/report.json", dir);
	if (rc == 0)
		rc = write_report(p, path);
	free(r.items);
	return rc;
}
