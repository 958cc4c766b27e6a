// SPDX-License-Identifier: GPL-2.0-only
/* stat, schedstat, status, io and cgroup of a thread. */
#include "ctprof/proc_parse.h"

#include <pthread.h>

#define STAT_STATE 0
#define STAT_PARENT 1
#define STAT_FLAGS 6
#define STAT_CHILDREN_USER 13
#define STAT_CHILDREN_SYSTEM 14
#define STAT_NUM_THREADS 17
#define STAT_START_TIME 19
#define STAT_TOKENS 64 /* more than any kernel prints */
#define SCHEDSTAT_TOKENS 3
#define POLICIES 8

#define NOT_WANTED (-1)
#define CPUS_ALLOWED_LIST METRIC_COUNT /* a key of status that is not a metric */

/* Token number or key → metric, made once from the registry. */
static struct {
	int stat[STAT_TOKENS];
	int stat_last; /* index of the last token that is needed */
	int schedstat[SCHEDSTAT_TOKENS];
	struct key_table status, io;
	uint64_t status_mask[MEASURED_WORDS]; /* the metrics that status holds */
	char letters['z' + 1][2];	      /* states as strings, shared by all threads */
} sources;

static pthread_once_t sources_once = PTHREAD_ONCE_INIT;

static void add_source(int id)
{
	const struct metric *m = &metrics[id];

	if (m->source == METRIC_FROM_STAT && m->index < STAT_TOKENS) {
		sources.stat[m->index] = id;
		sources.stat_last = MAX(sources.stat_last, m->index);
	} else if (m->source == METRIC_FROM_SCHEDSTAT && m->index < SCHEDSTAT_TOKENS) {
		sources.schedstat[m->index] = id;
	} else if (m->source == METRIC_FROM_STATUS) {
		key_table_add(&sources.status, m->key, id);
		sources.status_mask[id / 64] |= 1ULL << (id % 64);
	} else if (m->source == METRIC_FROM_IO) {
		key_table_add(&sources.io, m->key, id);
	}
}

static void make_sources(void)
{
	for (size_t i = 0; i < STAT_TOKENS; i++)
		sources.stat[i] = NOT_WANTED;
	for (size_t i = 0; i < SCHEDSTAT_TOKENS; i++)
		sources.schedstat[i] = NOT_WANTED;
	sources.stat_last = STAT_START_TIME;
	for (int id = 0; id < METRIC_COUNT; id++)
		add_source(id);
	for (int c = 'A'; c <= 'z'; c++)
		sources.letters[c][0] = (char)c;
	key_table_add(&sources.status, "Cpus_allowed_list", CPUS_ALLOWED_LIST);
}

static const char *policy_name(uint64_t policy, struct arena *arena)
{
	static const char *const names[POLICIES] = {
		[0] = "SCHED_OTHER", [1] = "SCHED_FIFO",     [2] = "SCHED_RR",	[3] = "SCHED_BATCH",
		[5] = "SCHED_IDLE",  [6] = "SCHED_DEADLINE", [7] = "SCHED_EXT",
	};
	char text[48];
	int len;

	if (policy < POLICIES && names[policy])
		return names[policy];
	len = snprintf(text, sizeof(text), "SCHED_UNKNOWN(%llu)", ULL(policy));
	return arena_copy(arena, text, (size_t)len);
}

static bool is_letter(char c)
{
	return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z');
}

/* NULL if it is not a letter. */
static const char *state_name(char letter)
{
	return is_letter(letter) ? sources.letters[(unsigned char)letter] : NULL;
}

static void put_word(struct thread_record *t, int id, const char *word)
{
	if (!word)
		return;
	t->values[id].s = word;
	thread_set_measured(t, (enum metric_id)id);
}

static void put_stat_token(struct thread_record *t, int id, const char *token, struct arena *arena)
{
	uint64_t policy;

	if (metrics[id].kind != METRIC_WORD)
		thread_put_number(t, id, token);
	else if (text_take_u64(&token, &policy))
		put_word(t, id, policy_name(policy, arena));
}

static void add_children_ticks(struct proc_stat *out, const char *token)
{
	uint64_t ticks;

	if (!text_take_u64(&token, &ticks))
		return;
	out->children_ticks.is_known = true;
	out->children_ticks.value = add_saturating(out->children_ticks.value, ticks);
}

static void read_stat_token(int index, const char *token, struct arena *arena,
			    struct thread_record *t, struct proc_stat *out)
{
	if (sources.stat[index] != NOT_WANTED)
		put_stat_token(t, sources.stat[index], token, arena);
	/* State and number of threads are also in status, which need not be read for them. */
	if (index == STAT_STATE) {
		out->state = *token;
		put_word(t, M_state, state_name(*token));
	} else if (index == STAT_NUM_THREADS) {
		thread_put_number(t, M_nr_threads, token);
	} else if (index == STAT_CHILDREN_USER || index == STAT_CHILDREN_SYSTEM) {
		add_children_ticks(out, token);
	} else if (index == STAT_PARENT) {
		out->parent.is_known = text_take_u64(&token, &out->parent.value);
	} else if (index == STAT_FLAGS) {
		text_take_u64(&token, &out->flags);
	} else if (index == STAT_START_TIME) {
		t->start_ticks.is_known = text_take_u64(&token, &t->start_ticks.value);
	}
}

int proc_parse_stat(const char *text, size_t len, struct arena *arena, struct thread_record *t,
		    struct proc_stat *out)
{
	const char *open = memchr(text, '(', len);
	const char *close = memrchr(text, ')', len);
	const char *p;

	pthread_once(&sources_once, make_sources);
	*out = (struct proc_stat){};
	if (!open || !close || close < open)
		return -EBADMSG;
	out->comm = open + 1;
	out->comm_len = (size_t)(close - open - 1);
	p = close + 1;
	for (int index = 0; index <= sources.stat_last; index++) {
		while (*p == ' ')
			p++;
		if (*p == '\0' || *p == '\n')
			break;
		read_stat_token(index, p, arena, t, out);
		while (!text_is_end(*p))
			p++;
	}
	return 0;
}

/*
 * "cpu  USER NICE SYSTEM IDLE IOWAIT IRQ SOFTIRQ STEAL ...". If the kernel does not account
 * interrupt time separately, it is part of the time of interrupted threads.
 */
#define BUSY_FIELDS (1 << 0 | 1 << 1 | 1 << 2)
#define INTERRUPT_FIELDS (1 << 5 | 1 << 6)

int proc_parse_cpu_busy(const char *line, bool with_interrupts, uint64_t *ticks)
{
	*ticks = 0;
	if (!str_starts(line, "cpu "))
		return -EBADMSG;
	line += strlen("cpu");
	for (unsigned int left = BUSY_FIELDS | (with_interrupts ? INTERRUPT_FIELDS : 0); left;
	     left >>= 1) {
		uint64_t value;

		while (*line == ' ')
			line++;
		if (!text_take_u64(&line, &value))
			return -EBADMSG;
		if (left & 1)
			*ticks = add_saturating(*ticks, value);
	}
	return 0;
}

int proc_parse_schedstat(const char *text, struct thread_record *t)
{
	const char *p = text;

	pthread_once(&sources_once, make_sources);
	for (int index = 0; index < SCHEDSTAT_TOKENS; index++) {
		const char *token = p = text_skip_blanks(p);
		uint64_t v;

		if (!text_take_u64(&p, &v) || !text_is_end(*p))
			return -EBADMSG;
		if (sources.schedstat[index] != NOT_WANTED)
			thread_put_number(t, sources.schedstat[index], token);
	}
	return 0;
}

/* Stores the value after "key:" in the metric given by the table. */
static void put_keyed(struct thread_record *t, int id, const char *value, const char *end,
		      struct proc_slice *allowed)
{
	if (id == CPUS_ALLOWED_LIST)
		*allowed = (struct proc_slice){ value, (size_t)(end - value) };
	else if (metrics[id].kind == METRIC_WORD)
		put_word(t, id, state_name(*value));
	else
		thread_put_number(t, id, value);
}

/* Returns the number of known keys. */
static size_t parse_keyed(const char *text, size_t len, const struct key_table *keys,
			  struct thread_record *t, struct proc_slice *allowed)
{
	const char *end = text + len;
	size_t found = 0;

	for (const char *line = text; line < end;) {
		const char *line_end = text_line_end(line, end);
		const char *colon;
		int id;

		if (key_table_starts(keys, *line) &&
		    (colon = memchr(line, ':', (size_t)(line_end - line))) &&
		    (id = key_table_find(keys, line, (size_t)(colon - line))) >= 0) {
			put_keyed(t, id, text_skip_blanks(colon + 1), line_end, allowed);
			found++;
		}
		line = line_end + 1;
	}
	return found;
}

int proc_parse_status(const char *text, size_t len, struct thread_record *t,
		      struct proc_slice *allowed)
{
	pthread_once(&sources_once, make_sources);
	return parse_keyed(text, len, &sources.status, t, allowed) ? 0 : -EBADMSG;
}

bool proc_needs_status(const struct thread_record *t)
{
	pthread_once(&sources_once, make_sources);
	for (size_t i = 0; i < MEASURED_WORDS; i++)
		if (sources.status_mask[i] & ~t->measured[i])
			return true;
	return !thread_has(t, M_cpu_affinity);
}

int proc_parse_io(const char *text, size_t len, struct thread_record *t)
{
	struct proc_slice no_list;

	pthread_once(&sources_once, make_sources);
	return parse_keyed(text, len, &sources.io, t, &no_list) ? 0 : -EBADMSG;
}

int proc_parse_cgroup(const char *text, size_t len, struct proc_slice *path)
{
	const char *end = text + len;

	for (const char *line = text; line < end;) {
		const char *line_end = text_line_end(line, end);

		if (line_end - line >= 3 && memcmp(line, "0::", 3) == 0) {
			*path = (struct proc_slice){ line + 3, (size_t)(line_end - line - 3) };
			return 0;
		}
		line = line_end + 1;
	}
	return -ENODATA;
}
