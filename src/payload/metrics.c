// SPDX-License-Identifier: GPL-2.0-only
/* Finds JSON documents in the output of programs, and their numbers. */
#include "payload/metrics.h"

/*
 * Searching for a document within other text may scan the same bytes once per opening
 * bracket. This limits the total number of bytes, in case of malicious output.
 */
#define SCAN_BUDGET (64 << 20)

struct walk {
	struct json_reader r;
	struct payload_metrics *to;
	const char *source, *stream;
	struct str path;
	size_t lengths[JSON_READ_MAX_DEPTH + 1]; /* length of the path at each depth */
	bool is_too_deep;
};

int metrics_add(struct payload_metrics *m, const char *name, double value, const char *source,
		const char *stream)
{
	struct payload_metric metric = { .value = value, .source = source, .stream = stream };
	int rc;

	if (m->count >= METRICS_MAX_COUNT) {
		m->is_cut = true;
		return 0;
	}
	metric.name = strdup(name);
	rc = metric.name ? vec_push(m, metric) : err_no_memory();
	if (rc < 0)
		free(metric.name);
	return rc;
}

/* Appends the step to the path of the next value. */
static void enter_step(struct walk *w, const char *step)
{
	size_t parent = w->lengths[w->r.depth - 1];

	w->path.len = parent;
	if (parent)
		str_addc(&w->path, '.');
	str_add(&w->path, step);
	w->lengths[w->r.depth] = w->path.len;
}

static int take_leaf(struct walk *w, const struct json_value *v)
{
	double number;

	if (!json_number(v, &number) || !w->path.len)
		return 0;
	if (w->r.depth > METRICS_MAX_DEPTH) {
		w->is_too_deep = true;
		return 0;
	}
	return metrics_add(w->to, str_get(&w->path), number, w->source, w->stream);
}

static bool next_step(struct walk *w)
{
	struct json_level *level = &w->r.levels[w->r.depth - 1];
	struct json_value key;
	char index[24];

	if (level->is_object) {
		if (!json_read_key(&w->r, &key))
			return false;
		enter_step(w, key.s);
		return true;
	}
	if (!json_read_item(&w->r))
		return false;
	snprintf(index, sizeof(index), "%zu", level->count - 1);
	enter_step(w, index);
	return true;
}

/* Depth first without recursion: the reader keeps track of the nesting. */
static int walk_document(struct walk *w)
{
	struct json_value v;
	int rc = 0;

	if (json_read_value(&w->r, &v) != JSON_OBJECT && v.kind != JSON_ARRAY)
		return -ENOENT; /* a bare number has no name */
	while (w->r.depth > 0 && !w->r.problem && rc == 0) {
		if (!next_step(w))
			continue;
		json_read_value(&w->r, &v);
		rc = take_leaf(w, &v);
	}
	if (rc < 0)
		return rc;
	if (!json_read_end(&w->r))
		return -ENOENT;
	if (w->is_too_deep)
		rc = metrics_add(w->to, METRICS_TRUNCATED, METRICS_MAX_DEPTH, w->source,
				 "synthesized");
	return rc ?: str_check(&w->path);
}

static void forget(struct payload_metrics *m, size_t count)
{
	while (m->count > count)
		free(m->items[--m->count].name);
	m->is_cut = false;
}

/* If these bytes are one document, adds its numbers. */
static int take_document(struct payload_metrics *m, const char *text, size_t len,
			 const char *source, const char *stream)
{
	struct walk w = { .to = m, .source = source, .stream = stream };
	_free_ char *copy = malloc(len + 1);
	size_t before = m->count;
	int rc;

	if (!copy)
		return err_no_memory();
	memcpy(copy, text, len);
	copy[len] = '\0';
	json_read_init(&w.r, copy, len);
	rc = walk_document(&w);
	str_finish(&w.path);
	if (rc < 0)
		forget(m, before);
	return rc;
}

/* Number of bytes up to the matching closing bracket; 0 = it is never closed. */
static size_t balanced_length(const char *text, size_t len, size_t *scanned)
{
	size_t depth = 0, i;
	bool is_string = false;

	for (i = 0; i < len; i++) {
		char c = text[i];

		if (is_string) {
			if (c == '\\')
				i++;
			else if (c == '"')
				is_string = false;
			continue;
		}
		if (c == '"')
			is_string = true;
		else if (c == '{' || c == '[')
			depth++;
		else if ((c == '}' || c == ']') && --depth == 0)
			break;
	}
	*scanned += i;
	return i < len ? i + 1 : 0;
}

static int find_document(struct payload_metrics *m, const char *text, size_t len,
			 const char *source, const char *stream)
{
	size_t scanned = 0;

	for (size_t i = 0; i < len && scanned < SCAN_BUDGET; i++) {
		size_t size;
		int rc;

		if (text[i] != '{' && text[i] != '[')
			continue;
		size = balanced_length(text + i, len - i, &scanned);
		if (!size)
			continue;
		scanned += size;
		rc = take_document(m, text + i, size, source, stream);
		if (rc != -ENOENT)
			return rc;
	}
	return -ENOENT;
}

struct order {
	const struct payload_metrics *m;
	size_t index;
};

static int compare_orders(const void *a, const void *b)
{
	const struct order *x = a, *y = b;
	int by_name = strcmp(x->m->items[x->index].name, y->m->items[y->index].name);

	return by_name ? by_name : ORDER(x->index, y->index);
}

/* Keeps the last one of equal names, at its place. */
static int drop_duplicates(struct payload_metrics *m)
{
	_free_ struct order *orders = calloc(m->count + 1, sizeof(*orders));
	size_t kept = 0;

	if (!orders)
		return err_no_memory();
	for (size_t i = 0; i < m->count; i++)
		orders[i] = (struct order){ m, i };
	qsort(orders, m->count, sizeof(*orders), compare_orders);
	for (size_t i = 0; i + 1 < m->count; i++) {
		struct payload_metric *earlier = &m->items[orders[i].index];

		if (str_eq(earlier->name, m->items[orders[i + 1].index].name))
			free(take_ptr(&earlier->name));
	}
	for (size_t i = 0; i < m->count; i++)
		if (m->items[i].name)
			m->items[kept++] = m->items[i];
	m->count = kept;
	return 0;
}

int metrics_from_json(struct payload_metrics *m, const char *text, size_t len, const char *source,
		      const char *stream, bool keep_duplicates)
{
	int rc = take_document(m, text, len, source, stream);

	if (rc == -ENOENT)
		rc = find_document(m, text, len, source, stream);
	if (rc < 0 || keep_duplicates)
		return rc;
	return drop_duplicates(m);
}

int metrics_from_output(struct payload_metrics *m, const struct str *out, const struct str *err)
{
	int rc = metrics_from_json(m, str_get(out), out->len, "json", "stdout", false);

	if ((rc == 0 && m->count) || (rc < 0 && rc != -ENOENT) || !err->len)
		return rc == -ENOENT ? 0 : rc;
	rc = metrics_from_json(m, str_get(err), err->len, "json", "stderr", false);
	return rc == -ENOENT ? 0 : rc;
}

void metrics_apply_hints(struct payload_metrics *m, const struct ktstr_metric_hint *hints)
{
	for (size_t h = 0; hints && hints[h].name; h++) {
		for (size_t i = 0; i < m->count; i++) {
			if (!str_eq(m->items[i].name, hints[h].name))
				continue;
			m->items[i].polarity = hints[h].polarity;
			m->items[i].target = hints[h].target;
			m->items[i].unit = hints[h].unit;
		}
	}
}

struct payload_metric *metrics_find(const struct payload_metrics *m, const char *name)
{
	return vec_find(m, name, name);
}

void metrics_finish(struct payload_metrics *m)
{
	vec_release(m, each, free(each->name));
	*m = (struct payload_metrics){};
}

void metrics_add_number(struct str *out, double value)
{
	char text[40];

	for (int digits = 15; digits <= 17; digits++) {
		snprintf(text, sizeof(text), "%.*g", digits, value);
		if (strtod(text, NULL) == value)
			break;
	}
	str_add(out, text);
}
