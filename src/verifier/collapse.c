// SPDX-License-Identifier: GPL-2.0-only
/*
 * Finds cycles in logs. Lines are compared by hash and blocks of lines by the difference of two
 * prefix hashes, so comparing blocks of any length takes constant time.
 */
#include "verifier/verifier.h"

#include <xxhash.h>

#define MIN_LINES 15
#define MIN_ANCHOR_LEN 10
#define MIN_ANCHORS 3
#define MIN_PERIOD 5
#define MIN_GAPS 2
#define MIN_REPEATS 3
#define MAX_STRIDE 3
#define MAX_PASSES 5
#define FACTOR 0x9e3779b97f4a7c15ULL /* odd, so that its powers never become 0 */

struct line {
	const char *text;
	size_t len;
	uint64_t hash;	     /* after normalisation */
	uint64_t block_hash; /* also without the instruction's number */
	uint32_t length;     /* after normalisation */
	uint32_t block_length;
};

struct lines {
	struct line *items;
	size_t count, cap;
};

struct collapse {
	struct lines lines, next;
	uint64_t *prefix, *power; /* of block hashes */
	struct arena markers;	  /* texts that are not part of the log */
};

struct cycle {
	size_t start, period, repeats;
};

/* ---- normalising lines ---- */

/* "12: R1=ctx() R10=fp0" and "12: frame1: R6=1" are states, not instructions. */
static bool is_state(const char *rest, size_t len)
{
	if (len >= 2 && rest[0] == 'R' && isdigit((unsigned char)rest[1]))
		return true;
	return len >= 5 && memcmp(rest, "frame", 5) == 0;
}

static size_t cut_comment(const char *s, size_t len)
{
	const char *p = s, *end = s + len;

	while ((p = memchr(p, ';', (size_t)(end - p)))) {
		size_t left = (size_t)(end - p);

		if (left > 1 && p[1] == ' ' && is_state(p + 2, left - 2))
			return (size_t)(p - s);
		p++;
	}
	return len;
}

/* After the target of a jump there is only the current state. */
static size_t cut_after_goto(const char *s, size_t len)
{
	const char *p = memmem(s, len, "goto pc", 7), *end = s + len;

	if (!p)
		return len;
	p += 7;
	if (p < end && (*p == '+' || *p == '-'))
		p++;
	while (p < end && isdigit((unsigned char)*p))
		p++;
	return (size_t)(p - s);
}

size_t collapse_normalise(const char **start, size_t len, bool is_block)
{
	const char *s = *start;
	size_t digits = 0, body;

	while (digits < len && isdigit((unsigned char)s[digits]))
		digits++;
	if (digits == 0 || digits == len || s[digits] != ':')
		return len;
	body = digits + 1;
	while (body < len && s[body] == ' ')
		body++;
	if (is_state(s + body, len - body)) {
		*start += is_block ? digits : 0;
		return is_block ? 1 : digits + 1;
	}
	len = cut_after_goto(s, cut_comment(s, len));
	while (len > body && s[len - 1] == ' ')
		len--;
	if (!is_block)
		return len;
	*start += MIN(body, len);
	return len - MIN(body, len);
}

static int add_line(struct lines *lines, const char *text, size_t len)
{
	struct line line = { .text = text, .len = len };
	const char *start = text;
	size_t n = collapse_normalise(&start, len, false);
	int rc = vec_reserve(lines, lines->count + 1);

	if (rc < 0)
		return rc;
	line.hash = XXH3_64bits(start, n);
	line.length = (uint32_t)MIN(n, UINT32_MAX);
	n = collapse_normalise(&start, len, true);
	line.block_hash = XXH3_64bits(start, n);
	line.block_length = (uint32_t)MIN(n, UINT32_MAX);
	lines->items[lines->count++] = line;
	return 0;
}

static int split(struct lines *lines, const char *text, size_t len)
{
	const char *end = text + len;
	int rc = 0;

	while (text < end && rc == 0) {
		const char *stop = memchr(text, '\n', (size_t)(end - text));

		stop = stop ? stop : end;
		rc = add_line(lines, text, (size_t)(stop - text));
		text = stop + 1;
	}
	return rc;
}

/* ---- blocks ---- */

static int reserve(struct collapse *c)
{
	size_t count = c->lines.count + 1;

	free(c->prefix);
	free(c->power);
	c->prefix = calloc(count, sizeof(*c->prefix));
	c->power = calloc(count, sizeof(*c->power));
	return c->prefix && c->power ? 0 : err_no_memory();
}

static void hash_prefixes(struct collapse *c)
{
	c->power[0] = 1;
	for (size_t i = 0; i < c->lines.count; i++) {
		c->prefix[i + 1] = c->prefix[i] * FACTOR + c->lines.items[i].block_hash;
		c->power[i + 1] = c->power[i] * FACTOR;
	}
}

static uint64_t block_hash(const struct collapse *c, size_t start, size_t len)
{
	return c->prefix[start + len] - c->prefix[start] * c->power[len];
}

/* Number of consecutive equal blocks from here on; there must be room for at least one. */
static size_t count_repeats(const struct collapse *c, size_t start, size_t period)
{
	uint64_t first = block_hash(c, start, period);
	size_t repeats = 0, at = start;

	while (at + period <= c->lines.count && block_hash(c, at, period) == first) {
		repeats++;
		at += period;
	}
	return repeats;
}

/* ---- counting values ---- */

struct counter {
	struct count_slot {
		uint64_t value;
		uint32_t count, first; /* 0 = free; position of the first occurrence */
	} * slots;
	size_t mask;
};

static int counter_init(struct counter *k, size_t values)
{
	size_t size = 64;

	while (size < values * 2)
		size *= 2;
	k->slots = calloc(size, sizeof(*k->slots));
	k->mask = size - 1;
	return k->slots ? 0 : err_no_memory();
}

static void counter_finish(struct counter *k)
{
	free(k->slots);
}

static void counter_add(struct counter *k, uint64_t value, size_t position)
{
	size_t i = value & k->mask; /* of a hash, or of a distance */

	while (k->slots[i].count && k->slots[i].value != value)
		i = (i + 1) & k->mask;
	if (!k->slots[i].count)
		k->slots[i] = (struct count_slot){ .value = value, .first = (uint32_t)position };
	k->slots[i].count++;
}

/* The most frequent value; of equal ones the first. NULL = none reaches at_least. */
static const struct count_slot *counter_top(const struct counter *k, uint32_t at_least)
{
	const struct count_slot *best = NULL;

	for (size_t i = 0; i <= k->mask; i++) {
		const struct count_slot *s = &k->slots[i];

		if (s->count < at_least)
			continue;
		if (!best || s->count > best->count ||
		    (s->count == best->count && s->first < best->first))
			best = s;
	}
	return best;
}

/* ---- finding one cycle ---- */

struct anchors {
	uint32_t *at;
	size_t count;
};

/* Positions of the most frequent line; none is not an error. */
static int find_anchors(const struct collapse *c, bool is_block, struct anchors *out)
{
	_cleanup_(counter_finish) struct counter k = {};
	const struct count_slot *top;
	int rc = counter_init(&k, c->lines.count);

	if (rc < 0)
		return rc;
	for (size_t i = 0; i < c->lines.count; i++) {
		const struct line *l = &c->lines.items[i];

		if ((is_block ? l->block_length : l->length) >= MIN_ANCHOR_LEN)
			counter_add(&k, is_block ? l->block_hash : l->hash, i);
	}
	top = counter_top(&k, MIN_ANCHORS);
	out->count = 0;
	for (size_t i = 0; top && i < c->lines.count; i++) {
		const struct line *l = &c->lines.items[i];

		if ((is_block ? l->block_hash : l->hash) == top->value)
			out->at[out->count++] = (uint32_t)i;
	}
	return 0;
}

/* The most common distance between an anchor and the stride-th one after it; 0 = none. */
static int find_period(const struct anchors *a, size_t stride, size_t *period)
{
	_cleanup_(counter_finish) struct counter k = {};
	const struct count_slot *top;
	int rc = counter_init(&k, a->count);

	if (rc < 0)
		return rc;
	for (size_t i = 0; i + stride < a->count; i++) {
		uint32_t gap = a->at[i + stride] - a->at[i];

		if (gap >= MIN_PERIOD)
			counter_add(&k, gap, i);
	}
	top = counter_top(&k, MIN_GAPS);
	*period = top ? (size_t)top->value : 0;
	return 0;
}

/* A cycle may start before the anchor: chooses the start with the most repeats. */
static struct cycle best_start(const struct collapse *c, size_t anchor, size_t period)
{
	size_t first = anchor >= period - 1 ? anchor - (period - 1) : 0;
	struct cycle best = { .period = period };

	for (size_t start = first; start <= anchor; start++) {
		size_t repeats = count_repeats(c, start, period);

		if (repeats > best.repeats) {
			best.start = start;
			best.repeats = repeats;
		}
	}
	return best;
}

static struct cycle find_with_period(const struct collapse *c, const struct anchors *a,
				     size_t period)
{
	for (size_t i = 0; i < a->count; i++) {
		size_t at = a->at[i];

		if (at + 2 * period <= c->lines.count &&
		    block_hash(c, at, period) == block_hash(c, at + period, period))
			return best_start(c, at, period);
	}
	return (struct cycle){};
}

static int find_among(const struct collapse *c, const struct anchors *a, struct cycle *out)
{
	for (size_t stride = 1; stride <= MAX_STRIDE; stride++) {
		size_t period;
		int rc = find_period(a, stride, &period);

		if (rc < 0)
			return rc;
		if (!period)
			continue;
		*out = find_with_period(c, a, period);
		if (out->repeats >= MIN_REPEATS)
			return 0;
	}
	*out = (struct cycle){};
	return 0;
}

static int find_cycle(struct collapse *c, struct cycle *out)
{
	_free_ uint32_t *positions = NULL;
	struct anchors anchors;
	int rc = 0;

	*out = (struct cycle){};
	if (c->lines.count < MIN_LINES || c->lines.count > UINT32_MAX)
		return 0;
	rc = reserve(c);
	if (rc < 0)
		return rc;
	hash_prefixes(c);
	positions = calloc(c->lines.count, sizeof(*positions));
	if (!positions)
		return err_no_memory();
	anchors.at = positions;
	for (int is_block = 0; is_block <= 1 && rc == 0 && !out->repeats; is_block++) {
		rc = find_anchors(c, is_block, &anchors) ?: find_among(c, &anchors, out);
	}
	return rc;
}

/* ---- replacing a cycle ---- */

static int add_marker(struct collapse *c, const char *format, size_t a, size_t b)
	__attribute__((format(printf, 2, 0)));

/*
 * Adds a marker line; it stays valid as long as the log, because later passes see it. Markers are
 * excluded from the search: they repeat, too, and would hide other cycles.
 */
static int add_marker(struct collapse *c, const char *format, size_t a, size_t b)
{
	char text[96];
	int len = snprintf(text, sizeof(text), format, a, b);
	const char *kept = arena_copy(&c->markers, text, (size_t)len);
	int rc = kept ? add_line(&c->next, kept, (size_t)len) : err_no_memory();

	if (rc == 0)
		c->next.items[c->next.count - 1].length =
			c->next.items[c->next.count - 1].block_length = 0;
	return rc;
}

static int copy_lines(struct collapse *c, size_t start, size_t count)
{
	int rc = vec_reserve(&c->next, c->next.count + count);

	if (rc < 0)
		return rc;
	if (count)
		memcpy(c->next.items + c->next.count, c->lines.items + start,
		       count * sizeof(*c->next.items));
	c->next.count += count;
	return 0;
}

static int replace_cycle(struct collapse *c, const struct cycle *y)
{
	size_t end = y->start + y->period * y->repeats;
	struct lines old;
	int rc;

	c->next.count = 0;
	rc = copy_lines(c, 0, y->start);
	rc = rc ?: add_marker(c, "--- %zux of the following %zu lines ---", y->repeats, y->period);
	rc = rc ?: copy_lines(c, y->start, y->period);
	rc = rc ?: add_marker(c, "--- %zu identical iterations omitted ---", y->repeats - 2, 0);
	rc = rc ?: copy_lines(c, end - y->period, y->period);
	rc = rc ?: add_marker(c, "--- end repeat ---", 0, 0);
	rc = rc ?: copy_lines(c, end, c->lines.count - end);
	old = c->lines;
	c->lines = c->next;
	c->next = old;
	return rc;
}

static void collapse_finish(struct collapse *c)
{
	free(c->lines.items);
	free(c->next.items);
	free(c->prefix);
	free(c->power);
	arena_finish(&c->markers);
}

static void put_lines(const struct lines *lines, bool has_last_newline, struct str *out)
{
	size_t start = out->len;

	for (size_t i = 0; i < lines->count; i++) {
		str_addn(out, lines->items[i].text, lines->items[i].len);
		if (i + 1 < lines->count || has_last_newline)
			str_addc(out, '\n');
	}
	for (size_t i = start; i < out->len; i++)
		if (out->s[i] == '\0')
			out->s[i] = '?';
}

int collapse_log(const char *text, size_t len, struct str *out)
{
	_cleanup_(collapse_finish) struct collapse c = {};
	struct cycle cycle;
	int found = 0, rc = split(&c.lines, text, len);

	while (rc == 0 && found < MAX_PASSES) {
		rc = find_cycle(&c, &cycle);
		if (rc < 0 || !cycle.repeats)
			break;
		rc = replace_cycle(&c, &cycle);
		found++;
	}
	if (rc < 0)
		return rc;
	put_lines(&c.lines, len && text[len - 1] == '\n', out);
	rc = str_check(out);
	return rc ?: found;
}
