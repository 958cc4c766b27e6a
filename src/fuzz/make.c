// SPDX-License-Identifier: GPL-2.0-only
/* Makes random inputs, and changes and combines inputs. */
#include "fuzz/input.h"

#define TRIES 8
#define LONG 4 /* one of LONG inputs has a long last step */

/* splitmix64 */
uint64_t fuzz_random_next(struct fuzz_random *r)
{
	uint64_t z = r->state += 0x9e3779b97f4a7c15;

	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
	z = (z ^ z >> 27) * 0x94d049bb133111eb;
	return z ^ z >> 31;
}

unsigned int fuzz_random_below(struct fuzz_random *r, unsigned int limit)
{
	return (unsigned int)(fuzz_random_next(r) % limit);
}

static bool one_in(struct fuzz_random *r, unsigned int n)
{
	return fuzz_random_below(r, n) == 0;
}

/* ---- least used first ---- */

#define DRAWS 8

static unsigned int class_of(enum fuzz_type type, unsigned int value)
{
	unsigned int count = fuzz_type_count(type);

	if (type == FUZZ_TYPE_WORK)
		return value / FUZZ_AMOUNTS % FUZZ_CLASSES;
	return count > FUZZ_CLASSES ? value * FUZZ_CLASSES / count : value;
}

static unsigned int draw_value(enum fuzz_type type, struct fuzz_random *r)
{
	unsigned int count = fuzz_type_count(type), best = fuzz_random_below(r, count);
	uint32_t *uses = r->uses ? r->uses->values[type] : NULL;

	for (unsigned int i = 1; i < DRAWS && uses; i++) {
		unsigned int value = fuzz_random_below(r, count);

		if (uses[class_of(type, value)] < uses[class_of(type, best)])
			best = value;
	}
	if (uses)
		uses[class_of(type, best)]++;
	return best;
}

/* Half of the values are the simplest, so that relevant ones are not hidden in noise. */
static unsigned int make_value(enum fuzz_type type, struct fuzz_random *r)
{
	return one_in(r, 2) ? 0 : draw_value(type, r);
}

static void fill_args(struct fuzz_op *op, struct fuzz_random *r)
{
	const struct fuzz_row *row = &fuzz_rows[op->kind];
	unsigned int count = fuzz_row_args(row);

	for (unsigned int i = 0; i < count; i++)
		op->args[i] = make_value(row->types[i], r);
}

static enum fuzz_op_kind draw_kind(struct fuzz_random *r)
{
	unsigned int sum = 0, pick;
	enum fuzz_op_kind kind = 0;

	for (size_t i = 0; i < FUZZ_OP_COUNT; i++)
		sum += fuzz_rows[i].weight;
	for (pick = fuzz_random_below(r, sum); pick >= fuzz_rows[kind].weight; kind++)
		pick -= fuzz_rows[kind].weight;
	return kind;
}

/* Compares uses relative to the intended frequency. */
static bool is_used_less(const struct fuzz_uses *u, enum fuzz_op_kind a, enum fuzz_op_kind b)
{
	return (uint64_t)u->ops[a] * fuzz_rows[b].weight <
	       (uint64_t)u->ops[b] * fuzz_rows[a].weight;
}

static enum fuzz_op_kind make_kind(struct fuzz_random *r)
{
	enum fuzz_op_kind best = draw_kind(r);

	for (unsigned int i = 1; i < DRAWS && r->uses; i++) {
		enum fuzz_op_kind kind = draw_kind(r);

		if (is_used_less(r->uses, kind, best))
			best = kind;
	}
	if (r->uses)
		r->uses->ops[best]++;
	return best;
}

static struct fuzz_op make_op(struct fuzz_random *r)
{
	struct fuzz_op op = { .kind = make_kind(r) };

	fill_args(&op, r);
	return op;
}

static uint32_t make_seed(struct fuzz_random *r)
{
	return 1 + fuzz_random_below(r, UINT32_MAX - 1);
}

void fuzz_place_make(struct fuzz_input *in, struct fuzz_random *r)
{
	in->machine = make_value(FUZZ_TYPE_MACHINE, r);
	in->strategy = make_value(FUZZ_TYPE_STRATEGY, r);
}

unsigned int fuzz_place_count(void)
{
	return MIN(fuzz_type_count(FUZZ_TYPE_MACHINE) * fuzz_type_count(FUZZ_TYPE_STRATEGY),
		   (unsigned int)FUZZ_PLACES);
}

unsigned int fuzz_place_number(const struct fuzz_input *in)
{
	return (in->machine * fuzz_type_count(FUZZ_TYPE_STRATEGY) + in->strategy) %
	       fuzz_place_count();
}

void fuzz_place_set(struct fuzz_input *in, unsigned int number)
{
	in->machine = number / fuzz_type_count(FUZZ_TYPE_STRATEGY);
	in->strategy = number % fuzz_type_count(FUZZ_TYPE_STRATEGY);
}

bool fuzz_place_equal(const struct fuzz_input *a, const struct fuzz_input *b)
{
	return a->machine == b->machine && a->strategy == b->strategy;
}

void fuzz_input_make(struct fuzz_input *in, struct fuzz_random *r)
{
	*in = (struct fuzz_input){ .seed = make_seed(r),
				   .count = 3 + fuzz_random_below(r, FUZZ_MAX_OPS / 2) };
	fuzz_place_make(in, r);
	for (size_t i = 0; i < in->count; i++)
		in->ops[i] = make_op(r);
	if (one_in(r, LONG))
		in->ops[in->count++] =
			(struct fuzz_op){ .kind = FUZZ_OP_STEP, .args = { FUZZ_LONG_MS - 1 } };
	fuzz_input_repair(in);
}

/* ---- changes ---- */

/* Number of bits of a value's number. */
static unsigned int bits_of(enum fuzz_type type)
{
	return 32 - (unsigned int)__builtin_clz(fuzz_type_count(type));
}

/* An argument with many values is changed more often than one with few. */
static unsigned int draw_arg(const struct fuzz_row *row, unsigned int count, struct fuzz_random *r)
{
	unsigned int bits = 0, arg = 0, at;

	for (unsigned int i = 0; i < count; i++)
		bits += bits_of(row->types[i]);
	for (at = fuzz_random_below(r, MAX(bits, 1U)); at >= bits_of(row->types[arg]); arg++)
		at -= bits_of(row->types[arg]);
	return arg;
}

/* New arguments are mostly the simplest value; changed ones are drawn from all values. */
static void change_arg(struct fuzz_input *in, size_t at, struct fuzz_random *r)
{
	struct fuzz_op *op = &in->ops[at];
	const struct fuzz_row *row = &fuzz_rows[op->kind];
	unsigned int count = fuzz_row_args(row), arg;

	if (!count)
		return;
	arg = draw_arg(row, count, r);
	op->args[arg] = draw_value(row->types[arg], r);
}

static size_t first_step(const struct fuzz_input *in)
{
	size_t at = 0;

	while (at < in->count && in->ops[at].kind != FUZZ_OP_STEP)
		at++;
	return at;
}

/* Inserts within a step: repairing moves groups before the first step, and drops all else there. */
static void insert(struct fuzz_input *in, size_t at, struct fuzz_random *r)
{
	if (in->count == FUZZ_MAX_OPS)
		in->count--;
	at = first_step(in);
	if (at < in->count)
		at += 1 + fuzz_random_below(r, (unsigned int)(in->count - at));
	memmove(&in->ops[at + 1], &in->ops[at], (in->count - at) * sizeof(in->ops[0]));
	in->ops[at] = make_op(r);
	in->count++;
}

void fuzz_input_enrich(struct fuzz_input *in, struct fuzz_random *r)
{
	while (in->count < FUZZ_MAX_OPS)
		insert(in, 0, r);
	fuzz_input_repair(in);
}

static void drop(struct fuzz_input *in, size_t at, struct fuzz_random *r)
{
	(void)r;
	in->count--;
	memmove(&in->ops[at], &in->ops[at + 1], (in->count - at) * sizeof(in->ops[0]));
}

static void swap(struct fuzz_input *in, size_t at, struct fuzz_random *r)
{
	size_t other = fuzz_random_below(r, (unsigned int)in->count);
	struct fuzz_op op = in->ops[at];

	in->ops[at] = in->ops[other];
	in->ops[other] = op;
}

static void change(struct fuzz_input *in, struct fuzz_random *r)
{
	static void (*const changes[])(struct fuzz_input *, size_t, struct fuzz_random *) = {
		change_arg, change_arg, change_arg, insert, insert, insert, drop, swap,
	};
	unsigned int count = 1 + fuzz_random_below(r, 4);

	while (count--) {
		/* A change may have no effect: for example, the last step always exists. */
		size_t at = fuzz_random_below(r, (unsigned int)in->count);

		if (in->count > 1)
			changes[fuzz_random_below(r, ARRAY_SIZE(changes))](in, at, r);
	}
	fuzz_input_repair(in);
}

static bool has_same_ops(const struct fuzz_input *a, const struct fuzz_input *b)
{
	return a->count == b->count && memcmp(a->ops, b->ops, a->count * sizeof(a->ops[0])) == 0;
}

/* An impossible change has no effect: then tries another one. */
void fuzz_input_mutate(struct fuzz_input *in, struct fuzz_random *r)
{
	const struct fuzz_input was = *in;

	for (unsigned int i = 0; i < TRIES && has_same_ops(in, &was); i++)
		change(in, r);
	in->seed = make_seed(r);
}

static size_t random_step(const struct fuzz_input *in, struct fuzz_random *r)
{
	size_t first = first_step(in), at = first;

	if (in->count > first)
		at += fuzz_random_below(r, (unsigned int)(in->count - first));
	while (at > first && in->ops[at].kind != FUZZ_OP_STEP)
		at--;
	return at;
}

static void append(struct fuzz_input *in, const struct fuzz_input *other, size_t from, size_t to)
{
	for (size_t i = from; i < to && in->count < FUZZ_MAX_OPS; i++)
		in->ops[in->count++] = other->ops[i];
}

/*
 * If both inputs have a group, that of the first one stays. The first steps of the one are
 * followed by the last steps of the other.
 */
void fuzz_input_splice(struct fuzz_input *in, const struct fuzz_input *other, struct fuzz_random *r)
{
	const struct fuzz_input was = *in;
	/* Takes all steps but the last one, in which nothing happens, or some of them. */
	size_t end = one_in(r, 2) ? was.count - 1 : random_step(&was, r);

	in->count = first_step(&was);
	append(in, other, 0, first_step(other));
	append(in, &was, first_step(&was), end);
	append(in, other, random_step(other, r), other->count);
	fuzz_input_repair(in);
}
