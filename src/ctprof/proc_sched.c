// SPDX-License-Identifier: GPL-2.0-only
/*
 * Parses /proc/PID/sched. Kernels use different prefixes of keys, so only the text after the last
 * dot counts. Times are printed as milliseconds, a dot, and the remaining nanoseconds.
 */
#include <pthread.h>

#include "ctprof/proc_parse.h"

#define NSEC_DIGITS 6
#define NSEC_PER_MS 1000000u

/* The line between the heading, which has the thread's name, and the values. */
#define RULE "\n--------------------------------"

static struct {
	struct key_table by_last; /* text after the last dot → metric */
	struct key_table whole;
	int sleep_less_block;
} keys;

#define SUM_SLEEP METRIC_COUNT /* a key that is not a metric, but needed for one */

static pthread_once_t keys_once = PTHREAD_ONCE_INIT;

static void make_keys(void)
{
	keys.sleep_less_block = -1;
	for (int id = 0; id < METRIC_COUNT; id++) {
		const struct metric *m = &metrics[id];

		if (m->source != METRIC_FROM_SCHED)
			continue;
		if (m->index == SCHED_SLEEP_LESS_BLOCK)
			keys.sleep_less_block = id;
		else if (m->index == SCHED_WHOLE_KEY)
			key_table_add(&keys.whole, m->key, id);
		else
			key_table_add(&keys.by_last, m->key, id);
	}
	key_table_add(&keys.by_last, "sum_sleep_runtime", SUM_SLEEP);
	/* Counters that have other names in status. */
	key_table_add(&keys.by_last, "nr_voluntary_switches", M_voluntary_csw);
	key_table_add(&keys.by_last, "nr_involuntary_switches", M_nonvoluntary_csw);
}

/* Up to six digits, padded with zeros on the right; further digits are ignored. */
static bool take_nanoseconds(const char **p, uint64_t *ns)
{
	const char *s = *p;
	uint64_t v = 0;
	int digits = 0;

	for (; *s >= '0' && *s <= '9'; s++)
		if (digits < NSEC_DIGITS) {
			v = v * 10 + (uint64_t)(*s - '0');
			digits++;
		}
	if (digits == 0)
		return false;
	for (; digits < NSEC_DIGITS; digits++)
		v *= 10;
	*p = s;
	*ns = v;
	return true;
}

int proc_parse_dotted(const char *text, uint64_t *ns)
{
	const char *p = text;
	uint64_t ms, rest;

	if (*p == '-')
		return -EDOM;
	if (!text_take_u64(&p, &ms))
		return -EINVAL;
	if (text_is_end(*p)) {
		*ns = ms;
		return 0;
	}
	if (*p++ != '.')
		return -EINVAL;
	if (*p == '-')
		return -EDOM;
	if (!take_nanoseconds(&p, &rest) || !text_is_end(*p))
		return -EINVAL;
	if (__builtin_mul_overflow(ms, NSEC_PER_MS, &ms) || __builtin_add_overflow(ms, rest, ns))
		return -EINVAL;
	return 0;
}

struct sched_state {
	struct thread_record *t;
	struct proc_negatives *negatives;
	struct opt_u64 sum_sleep;
};

static bool take_dotted(struct sched_state *s, int id, const char *value, uint64_t *ns)
{
	int rc = proc_parse_dotted(value, ns);

	if (rc == -EDOM && id >= 0)
		s->negatives->bits[id / 64] |= 1ULL << (id % 64);
	return rc == 0;
}

static void put_value(struct sched_state *s, int id, const char *value)
{
	uint64_t ns;

	if (id == SUM_SLEEP)
		s->sum_sleep.is_known =
			take_dotted(s, keys.sleep_less_block, value, &s->sum_sleep.value);
	else if (metrics[id].source != METRIC_FROM_SCHED || metrics[id].index != SCHED_DOTTED)
		thread_put_number(s->t, id, value);
	else if (take_dotted(s, id, value, &ns))
		thread_put_u64(s->t, id, ns);
}

static bool is_key_end(char c)
{
	return c == ' ' || c == '\t' || c == ':' || c == '\n' || c == '\0';
}

static int find_metric(const char *line, const char *last, const char *end)
{
	int id = key_table_starts(&keys.by_last, *last) ?
			 key_table_find(&keys.by_last, last, (size_t)(end - last)) :
			 -1;

	if (id < 0 && key_table_starts(&keys.whole, *line))
		id = key_table_find(&keys.whole, line, (size_t)(end - line));
	return id;
}

static void parse_line(struct sched_state *s, const char *line)
{
	const char *p = line, *last = line;
	int id;

	for (; !is_key_end(*p); p++)
		if (*p == '.')
			last = p + 1;
	id = find_metric(line, last, p);
	if (id < 0)
		return;
	p = text_skip_blanks(p);
	if (*p == ':')
		put_value(s, id, text_skip_blanks(p + 1));
}

/* The kernel includes blocked time in sleep time. */
static void put_voluntary_sleep(struct sched_state *s)
{
	uint64_t block = s->t->values[M_block_sum].u;

	if (keys.sleep_less_block < 0 || !s->sum_sleep.is_known || !thread_has(s->t, M_block_sum))
		return;
	thread_put_u64(s->t, keys.sleep_less_block,
		       s->sum_sleep.value > block ? s->sum_sleep.value - block : 0);
}

int proc_parse_sched(const char *text, size_t len, struct thread_record *t,
		     struct proc_negatives *negatives)
{
	struct sched_state s = { .t = t, .negatives = negatives };
	const char *end = text + len;
	const char *line = memmem(text, len, RULE, sizeof(RULE) - 1);

	pthread_once(&keys_once, make_keys);
	if (!line)
		return -EBADMSG;
	for (line = text_line_end(line + 1, end); line < end; line = text_line_end(line, end)) {
		line++;
		if (line < end)
			parse_line(&s, line);
	}
	put_voluntary_sleep(&s);
	return 0;
}
