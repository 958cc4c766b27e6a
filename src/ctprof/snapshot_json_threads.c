// SPDX-License-Identifier: GPL-2.0-only
/*
 * Writes threads as JSON: tens of thousands of them, with a hundred keys and two kilobytes each.
 * For speed this does not use the JSON writer: it reserves room for a whole thread once, and fills
 * it without further checks.
 */
#include <pthread.h>

#include "ctprof/snapshot_fields.h"

#define NUMBER_SIZE STR_DIGITS /* including the sign */
#define NAME_SIZE 64	       /* longest name of a metric, with quotes, colon and comma */
#define FIXED_SIZE 1024	       /* names and values of everything that is not a metric */

/* The text ,"name": of each metric, and its absent value with --zero-fill. */
static struct {
	char text[NAME_SIZE];
	size_t len;
	const char *zero;
} keys[METRIC_COUNT];

static pthread_once_t keys_once = PTHREAD_ONCE_INIT;

static const char *zero_of(int id)
{
	switch (metrics[id].kind) {
	case METRIC_BOOL:
		return "false";
	case METRIC_WORD:
		return id == M_state ? "\"~\"" : "\"\"";
	case METRIC_CPUSET:
		return "[]";
	default:
		return "0";
	}
}

static void make_keys(void)
{
	for (int id = 0; id < METRIC_COUNT; id++) {
		int len = snprintf(keys[id].text, NAME_SIZE, ",\"%s\":", metrics[id].name);

		keys[id].len = MIN((size_t)len, (size_t)NAME_SIZE - 1);
		keys[id].zero = zero_of(id);
	}
}

#define ROOM (METRIC_COUNT * (NAME_SIZE + NUMBER_SIZE) + FIXED_SIZE)

struct emitter {
	struct str *out;
	struct json json; /* for rare members, and those that may need escapes */
	bool zero_fill;
	/* CPU set of the previous thread: most threads have the same. */
	const char *cpus;
	struct str cpus_json;
};

static inline char *put_bytes(char *p, const char *bytes, size_t len)
{
	memcpy(p, bytes, len);
	return p + len;
}

#define PUT(p, literal) put_bytes(p, literal, sizeof(literal) - 1)

static inline char *put_u64(char *p, uint64_t value)
{
	if (value < 10) { /* the common case */
		*p = (char)('0' + value);
		return p + 1;
	}
	return str_put_digits(p, value);
}

static inline char *put_i64(char *p, int64_t value)
{
	if (value >= 0)
		return put_u64(p, (uint64_t)value);
	*p = '-';
	return put_u64(p + 1, 0 - (uint64_t)value);
}

static inline char *put_bool(char *p, bool value)
{
	return value ? PUT(p, "true") : PUT(p, "false");
}

/* "0-3,5" as [0,1,2,3,5]. */
static void render_cpus(struct str *out, const char *cpus)
{
	struct cpulist list;

	str_reset(out);
	if (cpulist_parse(cpus, &list) < 0) { /* the text is valid, so this is out of memory */
		out->failed = true;
		return;
	}
	str_addc(out, '[');
	for (size_t i = 0; i < list.count; i++)
		str_addf(out, "%s%u", i ? "," : "", list.cpus[i]);
	str_addc(out, ']');
	cpulist_finish(&list);
}

static char *put_value(const struct emitter *e, char *p, const struct thread_record *t, int id)
{
	const union metric_value *v = &t->values[id];

	switch (metrics[id].kind) {
	case METRIC_U64:
		return put_u64(p, v->u);
	case METRIC_I64:
		return put_i64(p, v->i);
	case METRIC_BOOL:
		return put_bool(p, v->u != 0);
	case METRIC_CPUSET:
		return put_bytes(p, str_get(&e->cpus_json), e->cpus_json.len);
	case METRIC_WORD: /* constants that need no escapes */
		*p++ = '"';
		p = put_bytes(p, v->s, strlen(v->s));
		*p++ = '"';
		return p;
	}
	return p;
}

static char *put_metrics(const struct emitter *e, char *p, const struct thread_record *t)
{
	for (int id = 0; id < METRIC_COUNT; id++) {
		if (id == M_thread_count)
			continue;
		/* A copy of constant length is fast; surplus bytes are overwritten. */
		memcpy(p, keys[id].text, NAME_SIZE);
		p += keys[id].len;
		if (thread_has(t, (enum metric_id)id))
			p = put_value(e, p, t, id);
		else if (e->zero_fill)
			p = put_bytes(p, keys[id].zero, strlen(keys[id].zero));
		else
			p = PUT(p, "null");
	}
	return p;
}

static char *put_flags(char *p, const struct thread_record *t)
{
	p = put_bool(PUT(p, ",\"taskstats_measured\":"), t->taskstats_measured);
	p = put_bool(PUT(p, ",\"cpu_delay_active\":"), t->cpu_delay_active);
	p = put_bool(PUT(p, ",\"delay_block_active\":"), t->delay_block_active);
	p = put_bool(PUT(p, ",\"xacct_active\":"), t->xacct_active);
	p = put_bool(PUT(p, ",\"jemalloc_measured\":"), t->jemalloc_measured);
	return put_bool(PUT(p, ",\"is_kernel_thread\":"), t->is_kernel_thread);
}

static void add_identity(struct emitter *e, const struct thread_record *t)
{
	char text[96], *p = PUT(text, "{\"tid\":");

	p = put_u64(p, t->tid);
	p = put_u64(PUT(p, ",\"tgid\":"), t->tgid);
	p = PUT(p, ",\"pcomm\":");
	str_addn(e->out, text, (size_t)(p - text));
	json_string(&e->json, t->pcomm);
	str_add(e->out, ",\"comm\":");
	json_string(&e->json, t->comm);
	str_add(e->out, ",\"cgroup\":");
	json_string(&e->json, t->cgroup);
	p = PUT(text, ",\"start_time_clock_ticks\":");
	if (t->start_ticks.is_known || e->zero_fill)
		p = put_u64(p, t->start_ticks.value);
	else
		p = PUT(p, "null");
	str_addn(e->out, text, (size_t)(p - text));
}

static void add_smaps(struct emitter *e, const struct thread_record *t)
{
	str_add(e->out, ",\"smaps_rollup_kib\":");
	if (!t->smaps_kib.count) {
		str_add(e->out, "null");
		return;
	}
	json_object(&e->json);
	for (size_t i = 0; i < t->smaps_kib.count; i++)
		json_put_u64(&e->json, t->smaps_kib.items[i].name, t->smaps_kib.items[i].value);
	json_object_end(&e->json);
}

static void add_relatives(struct emitter *e, const struct thread_record *t)
{
	char text[128], *p = text;

	if (t->parent.is_known)
		p = put_u64(PUT(p, ",\"ppid\":"), t->parent.value);
	if (t->children_ticks.is_known)
		p = put_u64(PUT(p, ",\"children_clock_ticks\":"), t->children_ticks.value);
	str_addn(e->out, text, (size_t)(p - text));
}

static bool has_unread(const struct thread_record *t)
{
	for (size_t i = 0; i < SNAPSHOT_FILES; i++)
		if (t->unread[i])
			return true;
	return t->unread_taskstats || t->unread_jemalloc;
}

/* Adds why sources of the thread are missing, if any are. */
static void add_unread(struct emitter *e, const struct thread_record *t)
{
	if (!has_unread(t))
		return;
	str_add(e->out, ",\"unread\":");
	json_object(&e->json);
	for (size_t i = 0; i < SNAPSHOT_FILES; i++)
		if (t->unread[i])
			json_put_string(&e->json, snapshot_file_names[i], strerror(t->unread[i]));
	if (t->unread_taskstats)
		json_put_string(&e->json, "taskstats", strerror(t->unread_taskstats));
	if (t->unread_jemalloc)
		json_put_string(&e->json, "jemalloc", t->unread_jemalloc);
	json_object_end(&e->json);
}

static void add_metrics(struct emitter *e, const struct thread_record *t)
{
	const char *cpus = thread_has(t, M_cpu_affinity) ? t->values[M_cpu_affinity].s : NULL;
	const char *policy = thread_has(t, M_policy) ? t->values[M_policy].s : "";
	char *p;

	if (cpus && cpus != e->cpus) {
		render_cpus(&e->cpus_json, cpus);
		e->cpus = cpus;
	}
	if (!str_reserve(e->out, ROOM + e->cpus_json.len + strlen(policy)))
		return;
	p = e->out->s + e->out->len;
	p = put_flags(put_metrics(e, p, t), t);
	*p = '\0';
	e->out->len = (size_t)(p - e->out->s);
}

static void add_zero(struct emitter *e, bool *is_first, const char *name)
{
	str_addf(e->out, "%s\"%s\"", *is_first ? ",\"zero_filled\":[" : ",", name);
	*is_first = false;
}

/* Adds the names of values that are written as 0 because they are absent, if any are. */
static void add_zero_filled(struct emitter *e, const struct thread_record *t)
{
	bool is_first = true;

	if (!e->zero_fill)
		return;
	if (!t->start_ticks.is_known)
		add_zero(e, &is_first, "start_time_clock_ticks");
	for (int id = 0; id < METRIC_COUNT; id++)
		if (id != M_thread_count && !thread_has(t, (enum metric_id)id))
			add_zero(e, &is_first, metrics[id].name);
	if (!is_first)
		str_addc(e->out, ']');
}

void snapshot_json_threads(const struct snapshot *s, size_t first, size_t end, bool zero_fill,
			   struct str *out)
{
	struct emitter e = { .out = out, .zero_fill = zero_fill };

	json_init(&e.json, out, false);
	pthread_once(&keys_once, make_keys);
	for (size_t i = first; i < end; i++) {
		const struct thread_record *t = &s->threads[i];

		if (i)
			str_addc(out, ',');
		add_identity(&e, t);
		add_metrics(&e, t);
		add_relatives(&e, t);
		add_smaps(&e, t);
		add_unread(&e, t);
		add_zero_filled(&e, t);
		str_addc(out, '}');
	}
	if (e.cpus_json.failed)
		out->failed = true;
	str_finish(&e.cpus_json);
}
