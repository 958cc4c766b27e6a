// SPDX-License-Identifier: GPL-2.0-only
/*
 * Threads: a hundred members each, twenty thousand times. The key is guessed
 * from what followed the last one in the thread before, so that it has to be
 * compared only; strings and CPU lists are compared with those of the thread
 * before, which mostly are the same.
 */
#include <stdlib.h>
#include <string.h>

#include "base/cpulist.h"
#include "base/err.h"
#include "base/util.h"
#include "ctprof/snapshot_load.h"

enum key_kind {
	KEY_METRIC, /* index: enum metric_id */
	KEY_TID,
	KEY_TGID,
	KEY_TEXT, /* index: enum text_field */
	KEY_START,
	KEY_CHILDREN,
	KEY_SMAPS,
	KEY_FLAG, /* index: enum family_flag */
	KEY_KERNEL_THREAD,
	KEY_UNREAD,
	KEY_ZERO_FILLED, /* names of what is 0 only because it is absent */
	KEY_SLEEP_SUM,	 /* of host-state files: sleep with blocked time in it */
};

enum text_field { TEXT_PCOMM, TEXT_COMM, TEXT_CGROUP, TEXT_FIELDS };

/* Whether the kernel could have measured a family at all. */
enum family_flag {
	FLAG_TASKSTATS,
	FLAG_CPU_DELAY,
	FLAG_DELAY_BLOCK,
	FLAG_XACCT,
	FLAG_JEMALLOC,
	FAMILY_FLAGS
};

struct thread_key {
	const char *spelled; /* "\"tid\":" */
	uint8_t len;
	uint8_t kind, index;
};

#define KEY(name, kind, index)                                            \
	{                                                                 \
		"\"" name "\":", sizeof("\"" name "\":") - 1, kind, index \
	}

static const struct thread_key keys[] = {
	KEY("tid", KEY_TID, 0),
	KEY("tgid", KEY_TGID, 0),
	KEY("pcomm", KEY_TEXT, TEXT_PCOMM),
	KEY("comm", KEY_TEXT, TEXT_COMM),
	KEY("cgroup", KEY_TEXT, TEXT_CGROUP),
	KEY("start_time_clock_ticks", KEY_START, 0),
#define METRIC(name, ...) KEY(#name, KEY_METRIC, M_##name),
#include "ctprof/metrics.def"
#undef METRIC
	KEY("children_clock_ticks", KEY_CHILDREN, 0),
	KEY("smaps_rollup_kib", KEY_SMAPS, 0),
	KEY("taskstats_measured", KEY_FLAG, FLAG_TASKSTATS),
	KEY("cpu_delay_active", KEY_FLAG, FLAG_CPU_DELAY),
	KEY("delay_block_active", KEY_FLAG, FLAG_DELAY_BLOCK),
	KEY("xacct_active", KEY_FLAG, FLAG_XACCT),
	KEY("jemalloc_measured", KEY_FLAG, FLAG_JEMALLOC),
	KEY("is_kernel_thread", KEY_KERNEL_THREAD, 0),
	KEY("unread", KEY_UNREAD, 0),
	KEY("zero_filled", KEY_ZERO_FILLED, 0),
	KEY("sleep_sum", KEY_SLEEP_SUM, 0),
};

#define KEY_COUNT ARRAY_SIZE(keys)
#define KEY_SLOTS 256
#define NO_KEY UINT8_MAX

_Static_assert(KEY_COUNT < KEY_SLOTS / 2, "the key table needs more slots");

struct text_span {
	const char *s;
	size_t len;
};

struct thread_loader {
	uint8_t slots[KEY_SLOTS];	  /* by hash: index into keys */
	uint8_t next[KEY_COUNT + 1];	  /* which key followed; the last is for the start */
	struct text_span last[KEY_COUNT]; /* string of the same key before */
	struct text_span last_cpus;	  /* as it stands in the JSON */
	const char *last_cpu_list;
	VEC(unsigned int) cpus;
	uint64_t family[FAMILY_FLAGS][MEASURED_WORDS]; /* metrics that need the flag */
};

static size_t hash_key(const char *s, size_t len)
{
	size_t hash = len;

	for (size_t i = 0; i < len; i++)
		hash = hash * 31 + (unsigned char)s[i];
	return hash % KEY_SLOTS;
}

/* The flag besides FLAG_TASKSTATS that a metric depends on, or FAMILY_FLAGS. */
static enum family_flag metric_flag(const struct metric *m)
{
	if (m->source == METRIC_FROM_JEMALLOC)
		return FLAG_JEMALLOC;
	if (m->source != METRIC_FROM_TASKSTATS)
		return FAMILY_FLAGS;
	if (m->gates & GATE_TASK_XACCT)
		return FLAG_XACCT;
	return str_eq(m->key, "cpu") ? FLAG_CPU_DELAY : FLAG_DELAY_BLOCK;
}

static struct thread_loader *thread_loader_new(void)
{
	struct thread_loader *t = calloc(1, sizeof(*t));

	if (!t)
		return NULL;
	memset(t->slots, NO_KEY, sizeof(t->slots));
	for (size_t i = 0; i < KEY_COUNT; i++) {
		size_t at = hash_key(keys[i].spelled + 1, keys[i].len - 3u);

		while (t->slots[at] != NO_KEY)
			at = (at + 1) % KEY_SLOTS;
		t->slots[at] = (uint8_t)i;
		t->next[i] = (uint8_t)((i + 1) % KEY_COUNT);
	}
	for (size_t m = 0; m < METRIC_COUNT; m++) {
		enum family_flag flag = metric_flag(&metrics[m]);

		if (flag < FAMILY_FLAGS)
			t->family[flag][m / 64] |= 1ULL << (m % 64);
		if (metrics[m].source == METRIC_FROM_TASKSTATS)
			t->family[FLAG_TASKSTATS][m / 64] |= 1ULL << (m % 64);
	}
	return t;
}

static uint8_t find_key(const struct thread_loader *t, const struct json_value *name)
{
	size_t at = hash_key(name->s, name->len);

	for (; t->slots[at] != NO_KEY; at = (at + 1) % KEY_SLOTS) {
		const struct thread_key *k = &keys[t->slots[at]];

		if (k->len - 3u == name->len && memcmp(k->spelled + 1, name->s, name->len) == 0)
			return t->slots[at];
	}
	return NO_KEY;
}

/* The pooled copy of a string; mostly that of the thread before. */
static const char *same_text(struct loader *l, size_t key, const struct json_value *v)
{
	struct text_span *last = &l->thread->last[key];

	if (last->s && last->len == v->len && memcmp(last->s, v->s, v->len) == 0)
		return last->s;
	*last = (struct text_span){ load_text(l, v->s, v->len), v->len };
	return last->s;
}

static void set_u64(struct thread_record *t, enum metric_id m, uint64_t value)
{
	t->values[m].u = value;
	thread_set_measured(t, m);
}

static void read_signed(struct loader *l, struct thread_record *t, enum metric_id m)
{
	struct json_value v;
	enum json_kind kind = json_read_value(&l->r, &v);

	if (kind == JSON_NEGATIVE || (kind == JSON_UNSIGNED && v.u <= INT64_MAX)) {
		t->values[m].i = v.i;
		thread_set_measured(t, m);
	} else if (kind == JSON_UNSIGNED || kind == JSON_UNFIT) {
		l->s->out_of_range++;
	} else if (kind != JSON_NULL) {
		load_wrong_type(l, kind, "a number");
	}
}

/* -1 for null. */
static int read_bool(struct loader *l)
{
	struct json_value v;
	enum json_kind kind = json_read_value(&l->r, &v);

	if (kind == JSON_TRUE || kind == JSON_FALSE)
		return kind == JSON_TRUE;
	if (kind != JSON_NULL)
		load_wrong_type(l, kind, "a boolean");
	return -1;
}

/* "~" and "" are how older files say that the word could not be read. */
static void read_word(struct loader *l, struct thread_record *t, size_t key)
{
	enum metric_id m = keys[key].index;
	struct json_value v;

	if (!load_string(l, &v) || v.len == 0 || str_eq(v.s, "~"))
		return;
	t->values[m].s = same_text(l, key, &v);
	thread_set_measured(t, m);
}

static int compare_cpus(const void *a, const void *b)
{
	unsigned int x = *(const unsigned int *)a, y = *(const unsigned int *)b;

	return x < y ? -1 : x > y;
}

/* Brings the CPUs that were read into ascending order, without repeats. */
static void order_cpus(struct thread_loader *t)
{
	size_t kept = 0;

	if (t->cpus.count == 0)
		return;
	qsort(t->cpus.items, t->cpus.count, sizeof(*t->cpus.items), compare_cpus);
	for (size_t i = 1; i < t->cpus.count; i++)
		if (t->cpus.items[i] != t->cpus.items[kept])
			t->cpus.items[++kept] = t->cpus.items[i];
	t->cpus.count = kept + 1;
}

static const char *cpus_to_list(struct loader *l)
{
	struct thread_loader *t = l->thread;
	_str_ struct str list = {};

	order_cpus(t);
	cpulist_format(t->cpus.items, t->cpus.count, &list);
	if (str_check(&list) < 0) {
		load_stop(l, -ENOMEM);
		return NULL;
	}
	return load_text(l, str_get(&list), list.len);
}

static void read_cpu_array(struct loader *l)
{
	struct thread_loader *t = l->thread;

	t->cpus.count = 0;
	while (json_read_item(&l->r)) {
		uint64_t cpu;

		if (load_unsigned(l, CPULIST_MAX - 1, &cpu) &&
		    vec_push(&t->cpus, (unsigned int)cpu) < 0)
			load_stop(l, -ENOMEM);
	}
}

/* Numbers are not changed by reading, so the array before can be compared as text. */
static bool is_last_array(const struct loader *l)
{
	const struct text_span *last = &l->thread->last_cpus;

	return last->len && (size_t)(l->r.end - l->r.at) >= last->len &&
	       memcmp(l->r.at, last->s, last->len) == 0;
}

static void read_cpus(struct loader *l, struct thread_record *t, enum metric_id m)
{
	struct thread_loader *own = l->thread;
	const char *from = l->r.at;
	struct json_value v;

	if (is_last_array(l)) {
		l->r.at += own->last_cpus.len;
	} else {
		enum json_kind kind = json_read_value(&l->r, &v);

		if (kind != JSON_ARRAY) {
			if (kind != JSON_NULL)
				load_wrong_type(l, kind, "an array");
			return;
		}
		read_cpu_array(l);
		own->last_cpu_list = own->cpus.count ? cpus_to_list(l) : NULL;
		own->last_cpus = (struct text_span){ from, (size_t)(l->r.at - from) };
	}
	if (!own->last_cpu_list) /* no CPU at all: nobody could run */
		return;
	t->values[m].s = own->last_cpu_list;
	thread_set_measured(t, m);
}

static void read_metric(struct loader *l, struct thread_record *t, size_t key)
{
	enum metric_id m = keys[key].index;
	uint64_t value;
	int truth;

	switch (metrics[m].kind) {
	case METRIC_U64:
		if (json_read_u64(&l->r, &value) || load_unsigned(l, UINT64_MAX, &value))
			set_u64(t, m, value);
		break;
	case METRIC_I64:
		read_signed(l, t, m);
		break;
	case METRIC_BOOL:
		truth = read_bool(l);
		if (truth >= 0)
			set_u64(t, m, (uint64_t)truth);
		break;
	case METRIC_WORD:
		read_word(l, t, key);
		break;
	case METRIC_CPUSET:
		read_cpus(l, t, m);
		break;
	}
}

static void read_name(struct loader *l, struct thread_record *t, size_t key)
{
	const char **texts[TEXT_FIELDS] = { &t->pcomm, &t->comm, &t->cgroup };
	struct json_value v;

	if (load_string(l, &v))
		*texts[keys[key].index] = same_text(l, key, &v);
}

/* What a thread's members said besides the values. */
struct thread_notes {
	int flags[FAMILY_FLAGS]; /* -1 = not said */
	struct opt_u64 sleep_sum;
	uint64_t zero_filled[MEASURED_WORDS];
	bool is_start_zero_filled;
};

static void read_zero_filled(struct loader *l, struct thread_notes *notes)
{
	struct json_value name;

	if (!load_enter_array(l))
		return;
	while (json_read_item(&l->r)) {
		uint8_t key = load_string(l, &name) ? find_key(l->thread, &name) : NO_KEY;

		if (key == NO_KEY)
			continue;
		if (keys[key].kind == KEY_METRIC)
			notes->zero_filled[keys[key].index / 64] |= 1ULL << (keys[key].index % 64);
		notes->is_start_zero_filled |= keys[key].kind == KEY_START;
	}
}

/* Why files are missing is told by metric; why jemalloc is, only here. */
static void read_unread(struct loader *l, struct thread_record *t, size_t key)
{
	struct json_value name, tag;

	if (!load_enter(l))
		return;
	while (json_read_key(&l->r, &name)) {
		if (!str_eq(name.s, "jemalloc"))
			json_read_skip(&l->r);
		else if (load_string(l, &tag))
			t->unread_jemalloc = same_text(l, key, &tag);
	}
}

static void read_member(struct loader *l, struct thread_record *t, struct thread_notes *notes,
			size_t key)
{
	uint64_t id;

	switch ((enum key_kind)keys[key].kind) {
	case KEY_METRIC:
		read_metric(l, t, key);
		break;
	case KEY_TID:
		if (load_unsigned(l, UINT32_MAX, &id))
			t->tid = (uint32_t)id;
		break;
	case KEY_TGID:
		if (load_unsigned(l, UINT32_MAX, &id))
			t->tgid = (uint32_t)id;
		break;
	case KEY_TEXT:
		read_name(l, t, key);
		break;
	case KEY_START:
		t->start_ticks.is_known = load_unsigned(l, UINT64_MAX, &t->start_ticks.value);
		break;
	case KEY_CHILDREN:
		t->children_ticks.is_known = load_unsigned(l, UINT64_MAX, &t->children_ticks.value);
		break;
	case KEY_SMAPS:
		t->smaps_kib = load_list(l);
		break;
	case KEY_FLAG:
		notes->flags[keys[key].index] = read_bool(l);
		break;
	case KEY_KERNEL_THREAD:
		t->is_kernel_thread = read_bool(l) == 1;
		break;
	case KEY_UNREAD:
		read_unread(l, t, key);
		break;
	case KEY_ZERO_FILLED:
		read_zero_filled(l, notes);
		break;
	case KEY_SLEEP_SUM:
		notes->sleep_sum.is_known = load_unsigned(l, UINT64_MAX, &notes->sleep_sum.value);
		break;
	}
}

static void drop_family(const struct loader *l, struct thread_record *t, size_t flag)
{
	for (size_t w = 0; w < MEASURED_WORDS; w++)
		t->measured[w] &= ~l->thread->family[flag][w];
}

/* Without the flag, a zero in a file of the older tool may mean anything. */
static void drop_family_zeros(const struct loader *l, struct thread_record *t, size_t flag)
{
	for (size_t m = 0; m < METRIC_COUNT; m++)
		if (l->thread->family[flag][m / 64] >> (m % 64) & 1 && t->values[m].u == 0)
			thread_clear_measured(t, m);
}

static bool has_family(const struct loader *l, const struct thread_record *t, size_t flag)
{
	uint64_t any = 0;

	for (size_t w = 0; w < MEASURED_WORDS; w++)
		any |= t->measured[w] & l->thread->family[flag][w];
	return any != 0;
}

/* A value counts as measured only if its family was. */
static void apply_flags(const struct loader *l, struct thread_record *t,
			const struct thread_notes *notes)
{
	bool *flags[FAMILY_FLAGS] = {
		&t->taskstats_measured, &t->cpu_delay_active,  &t->delay_block_active,
		&t->xacct_active,	&t->jemalloc_measured,
	};

	for (size_t i = 0; i < FAMILY_FLAGS; i++) {
		if (notes->flags[i] == 0)
			drop_family(l, t, i);
		else if (notes->flags[i] < 0 && !l->s->schema_version.is_known)
			drop_family_zeros(l, t, i);
	}
	for (size_t i = 0; i < FAMILY_FLAGS; i++)
		*flags[i] = notes->flags[i] < 0 ? has_family(l, t, i) : notes->flags[i];
}

static void drop_zero_filled(struct thread_record *t, const struct thread_notes *notes)
{
	for (size_t w = 0; w < MEASURED_WORDS; w++)
		t->measured[w] &= ~notes->zero_filled[w];
	if (notes->is_start_zero_filled)
		t->start_ticks = (struct opt_u64){};
}

static void finish_thread(const struct loader *l, struct thread_record *t,
			  const struct thread_notes *notes)
{
	uint64_t blocked = t->values[M_block_sum].u;

	drop_zero_filled(t, notes);
	if (!t->pcomm)
		t->pcomm = "";
	if (!t->comm)
		t->comm = "";
	if (t->cgroup && !*t->cgroup) /* the older tool's way to say unread */
		t->cgroup = NULL;
	if (t->values[M_nr_threads].u == 0) /* which it writes for all but leaders */
		thread_clear_measured(t, M_nr_threads);
	thread_clear_measured(t, M_thread_count); /* a group has it, no thread does */
	if (notes->sleep_sum.is_known && thread_has(t, M_block_sum) &&
	    !thread_has(t, M_voluntary_sleep_ns))
		set_u64(t, M_voluntary_sleep_ns,
			notes->sleep_sum.value > blocked ? notes->sleep_sum.value - blocked : 0);
	apply_flags(l, t, notes);
}

/* The next known key, or NO_KEY at the end of the thread. Others are passed over. */
static uint8_t next_key(struct loader *l, size_t after)
{
	struct thread_loader *t = l->thread;
	const struct thread_key *guess = &keys[t->next[after]];
	struct json_value name;

	if (json_read_key_is(&l->r, guess->spelled, guess->len))
		return t->next[after];
	while (json_read_key(&l->r, &name)) {
		uint8_t key = find_key(t, &name);

		if (key != NO_KEY) {
			t->next[after] = key;
			return key;
		}
		json_read_skip(&l->r);
	}
	return NO_KEY;
}

static void read_thread(struct loader *l, struct thread_record *t)
{
	struct thread_notes notes = { .flags = { -1, -1, -1, -1, -1 } };
	uint8_t key = KEY_COUNT;

	*t = (struct thread_record){};
	while ((key = next_key(l, key)) != NO_KEY)
		read_member(l, t, &notes, key);
	finish_thread(l, t, &notes);
}

static void read_items(struct loader *l)
{
	struct json_value v;

	l->threads.count = 0;
	while (json_read_item(&l->r)) {
		if (json_read_value(&l->r, &v) != JSON_OBJECT) {
			load_wrong_type(l, v.kind, "an object");
			return;
		}
		if (vec_reserve(&l->threads, l->threads.count + 1) < 0) {
			load_stop(l, -ENOMEM);
			return;
		}
		read_thread(l, &l->threads.items[l->threads.count++]);
	}
}

void load_threads(struct loader *l, const struct load_field *f, void *base)
{
	(void)f;
	(void)base;
	if (!load_enter_array(l))
		return;
	if (!l->thread)
		l->thread = thread_loader_new();
	if (!l->thread) {
		load_stop(l, err_set(ENOMEM, "out of memory"));
		return;
	}
	read_items(l);
	free(l->thread->cpus.items);
	l->thread->cpus.items = NULL;
	l->thread->cpus.count = l->thread->cpus.cap = 0;
}
