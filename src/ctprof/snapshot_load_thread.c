// SPDX-License-Identifier: GPL-2.0-only
/*
 * Reads threads: twenty thousand of them, with a hundred members each. For speed the next key is
 * guessed from the order in the previous thread and only compared; strings and CPU lists are
 * compared with those of the previous thread, which are usually the same.
 */
#include "ctprof/proc_parse.h"
#include "ctprof/snapshot_fields.h"

/* Flags: whether the kernel supports a family. */
enum family_flag {
	FLAG_TASKSTATS,
	FLAG_CPU_DELAY,
	FLAG_DELAY_BLOCK,
	FLAG_XACCT,
	FLAG_JEMALLOC,
	FAMILY_FLAGS
};

struct thread_key;
typedef void thread_reader(struct loader *l, const struct thread_key *k, struct thread_record *t);

/* A member: its key as in the text, and where its value is stored. */
struct thread_key {
	const char *spelled; /* "\"tid\":" */
	size_t len;
	const char *name;
	thread_reader *read;
	size_t place; /* an offset; for metrics and flags their number */
};

static thread_reader read_u32, read_opt, read_truth, read_list, read_name, read_metric, read_flag,
	read_sleep, read_unread, read_zero_filled;

#define KEY(name, kind, place)                                                         \
	{                                                                              \
		"\"" name "\":", sizeof("\"" name "\":") - 1, name, read_##kind, place \
	}
#define RECORD(name, kind, member) KEY(name, kind, offsetof(struct thread_record, member))

static const struct thread_key keys[] = {
	RECORD("tid", u32, tid),
	RECORD("tgid", u32, tgid),
	RECORD("pcomm", name, pcomm),
	RECORD("comm", name, comm),
	RECORD("cgroup", name, cgroup),
	RECORD("start_time_clock_ticks", opt, start_ticks),
#define METRIC(name, ...) KEY(#name, metric, M_##name),
#include "ctprof/metrics.def"
#undef METRIC
	RECORD("ppid", opt, parent),
	RECORD("children_clock_ticks", opt, children_ticks),
	RECORD("smaps_rollup_kib", list, smaps_kib),
	KEY("taskstats_measured", flag, FLAG_TASKSTATS),
	KEY("cpu_delay_active", flag, FLAG_CPU_DELAY),
	KEY("delay_block_active", flag, FLAG_DELAY_BLOCK),
	KEY("xacct_active", flag, FLAG_XACCT),
	KEY("jemalloc_measured", flag, FLAG_JEMALLOC),
	RECORD("is_kernel_thread", truth, is_kernel_thread),
	RECORD("unread", unread, unread_jemalloc),
	KEY("zero_filled", zero_filled, 0), /* names of values that are 0 because they are absent */
	KEY("sleep_sum", sleep, 0),	    /* in host-state files; includes blocked time */
};

#define KEY_COUNT ARRAY_SIZE(keys)
#define NO_KEY UINT8_MAX

_Static_assert(KEY_COUNT < KEY_TABLE_SLOTS / 2, "the key table needs more slots");
_Static_assert(KEY_COUNT < NO_KEY, "keys are numbered in bytes");

struct text_span {
	const char *s;
	size_t len;
};

/* Information in a thread's members besides the values. */
struct thread_notes {
	int flags[FAMILY_FLAGS]; /* -1 = not present */
	struct opt_u64 sleep_sum;
	uint64_t zero_filled[MEASURED_WORDS];
	bool is_start_zero_filled;
};

struct thread_loader {
	struct key_table table;		  /* name → index into keys */
	uint8_t next[KEY_COUNT + 1];	  /* the key that followed; last entry: first key */
	struct text_span last[KEY_COUNT]; /* last string of each key */
	struct text_span last_cpus;	  /* as in the JSON text */
	const char *last_cpu_list;
	VEC(unsigned int) cpus;
	uint64_t family[FAMILY_FLAGS][MEASURED_WORDS]; /* metrics that need the flag */
	struct thread_notes notes;		       /* of the current thread */
};

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
	for (size_t i = 0; i < KEY_COUNT; i++) {
		key_table_add(&t->table, keys[i].name, (int)i);
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

/* Shared copy of a string; usually that of the previous thread. */
static const char *same_text(struct loader *l, const struct thread_key *k,
			     const struct json_value *v)
{
	struct text_span *last = &l->thread->last[k - keys];

	if (last->s && last->len == v->len && memcmp(last->s, v->s, v->len) == 0)
		return last->s;
	*last = (struct text_span){ load_text(l, v->s), v->len };
	return last->s;
}

static void set_u64(struct thread_record *t, enum metric_id m, uint64_t value)
{
	t->values[m].u = value;
	thread_set_measured(t, m);
}

/* In older files "~" and "" mean that the word could not be read. */
static void read_word(struct loader *l, struct thread_record *t, const struct thread_key *k)
{
	enum metric_id m = k->place;
	struct json_value v;

	if (!load_string(l, &v) || v.len == 0 || str_eq(v.s, "~"))
		return;
	t->values[m].s = same_text(l, k, &v);
	thread_set_measured(t, m);
}

/* Sorts the CPUs and removes duplicates. */
static void order_cpus(struct thread_loader *t)
{
	size_t kept = 0;

	if (t->cpus.count == 0)
		return;
	vec_sort(&t->cpus, order_u32);
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
	return load_text(l, str_get(&list));
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

/* Reading numbers does not modify the text, so the previous array can be compared as text. */
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

	if (is_last_array(l)) {
		l->r.at += own->last_cpus.len;
	} else {
		if (!load_enter_array(l))
			return;
		read_cpu_array(l);
		own->last_cpu_list = own->cpus.count ? cpus_to_list(l) : NULL;
		own->last_cpus = (struct text_span){ from, (size_t)(l->r.at - from) };
	}
	if (!own->last_cpu_list) /* without any CPU the thread could not run: invalid */
		return;
	t->values[m].s = own->last_cpu_list;
	thread_set_measured(t, m);
}

static void read_metric(struct loader *l, const struct thread_key *k, struct thread_record *t)
{
	enum metric_id m = k->place;
	uint64_t value;
	bool truth;

	switch (metrics[m].kind) {
	case METRIC_U64:
		if (json_read_u64(&l->r, &value) || load_unsigned(l, UINT64_MAX, &value))
			set_u64(t, m, value);
		break;
	case METRIC_I64:
		if (load_signed(l, &t->values[m].i))
			thread_set_measured(t, m);
		break;
	case METRIC_BOOL:
		if (load_bool(l, &truth))
			set_u64(t, m, truth);
		break;
	case METRIC_WORD:
		read_word(l, t, k);
		break;
	case METRIC_CPUSET:
		read_cpus(l, t, m);
		break;
	}
}

static void *member_of(const struct thread_key *k, struct thread_record *t)
{
	return (char *)t + k->place;
}

static void read_u32(struct loader *l, const struct thread_key *k, struct thread_record *t)
{
	uint64_t value;

	if (load_unsigned(l, UINT32_MAX, &value))
		*(uint32_t *)member_of(k, t) = (uint32_t)value;
}

static void read_opt(struct loader *l, const struct thread_key *k, struct thread_record *t)
{
	struct opt_u64 *opt = member_of(k, t);

	opt->is_known = load_unsigned(l, UINT64_MAX, &opt->value);
}

static void read_truth(struct loader *l, const struct thread_key *k, struct thread_record *t)
{
	load_bool(l, member_of(k, t));
}

static void read_list(struct loader *l, const struct thread_key *k, struct thread_record *t)
{
	if (load_enter(l))
		load_list(l, member_of(k, t));
}

static void read_name(struct loader *l, const struct thread_key *k, struct thread_record *t)
{
	struct json_value v;

	if (load_string(l, &v))
		*(const char **)member_of(k, t) = same_text(l, k, &v);
}

static void read_flag(struct loader *l, const struct thread_key *k,
		      struct thread_record *t _unused_)
{
	bool value;

	l->thread->notes.flags[k->place] = load_bool(l, &value) ? value : -1;
}

static void read_sleep(struct loader *l, const struct thread_key *k _unused_,
		       struct thread_record *t _unused_)
{
	struct opt_u64 *sum = &l->thread->notes.sleep_sum;

	sum->is_known = load_unsigned(l, UINT64_MAX, &sum->value);
}

static void read_zero_filled(struct loader *l, const struct thread_key *k _unused_,
			     struct thread_record *t _unused_)
{
	struct thread_notes *notes = &l->thread->notes;
	struct json_value name;

	if (!load_enter_array(l))
		return;
	while (json_read_item(&l->r)) {
		int key = load_string(l, &name) ?
				  key_table_find(&l->thread->table, name.s, name.len) :
				  -1;
		const struct thread_key *filled = key < 0 ? NULL : &keys[key];

		if (filled && filled->read == read_metric)
			notes->zero_filled[filled->place / 64] |= 1ULL << (filled->place % 64);
		notes->is_start_zero_filled |=
			filled && filled->place == offsetof(struct thread_record, start_ticks) &&
			filled->read == read_opt;
	}
}

/* Reasons for files are recorded by metric; only the one for jemalloc is read here. */
static void read_unread(struct loader *l, const struct thread_key *k, struct thread_record *t)
{
	struct json_value name;

	if (!load_enter(l))
		return;
	while (json_read_key(&l->r, &name)) {
		if (str_eq(name.s, "jemalloc"))
			read_name(l, k, t);
		else
			json_read_skip(&l->r);
	}
}

static void drop_family(const struct loader *l, struct thread_record *t, size_t flag)
{
	for (size_t w = 0; w < MEASURED_WORDS; w++)
		t->measured[w] &= ~l->thread->family[flag][w];
}

/* Without the flag, a 0 in a file of the older tool may mean that it was not measured. */
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

/* A value is measured only if its family is supported. */
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
	if (t->cgroup && !*t->cgroup) /* in files of the older tool: not read */
		t->cgroup = NULL;
	if (t->values[M_nr_threads].u == 0) /* in files of the older tool: not a leader */
		thread_clear_measured(t, M_nr_threads);
	thread_clear_measured(t, M_thread_count); /* only groups have it */
	if (notes->sleep_sum.is_known && thread_has(t, M_block_sum) &&
	    !thread_has(t, M_voluntary_sleep_ns))
		set_u64(t, M_voluntary_sleep_ns,
			notes->sleep_sum.value > blocked ? notes->sleep_sum.value - blocked : 0);
	apply_flags(l, t, notes);
}

/* Finds the next known key and skips unknown ones; NO_KEY at the end of the thread. */
static uint8_t next_key(struct loader *l, size_t after)
{
	struct thread_loader *t = l->thread;
	const struct thread_key *guess = &keys[t->next[after]];
	struct json_value name;

	if (json_read_key_is(&l->r, guess->spelled, guess->len))
		return t->next[after];
	while (json_read_key(&l->r, &name)) {
		int key = key_table_find(&t->table, name.s, name.len);

		if (key >= 0)
			return t->next[after] = (uint8_t)key;
		json_read_skip(&l->r);
	}
	return NO_KEY;
}

static void read_thread(struct loader *l, struct thread_record *t)
{
	struct thread_notes *notes = &l->thread->notes;
	uint8_t key = KEY_COUNT;

	*t = (struct thread_record){};
	*notes = (struct thread_notes){ .flags = { -1, -1, -1, -1, -1 } };
	while ((key = next_key(l, key)) != NO_KEY)
		keys[key].read(l, &keys[key], t);
	finish_thread(l, t, notes);
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

bool load_threads(struct json_load *load, const struct json_value *v, void *member _unused_)
{
	struct loader *l = (struct loader *)load;

	if (v->kind != JSON_ARRAY) {
		load_wrong_type(l, v->kind, "an array");
		return true;
	}
	l->thread = thread_loader_new();
	if (!l->thread) {
		load_stop(l, err_no_memory());
		return true;
	}
	read_items(l);
	free(l->thread->cpus.items);
	l->thread->cpus.items = NULL;
	return true;
}
