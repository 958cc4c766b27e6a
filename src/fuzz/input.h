/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What `ktstr fuzz` runs: a scenario as a small typed program, with the machine and the seed of its
 * run. Operations are rows of a table, and so are the types of their arguments; everything else
 * (making, changing, shrinking, printing, reading) goes by these tables.
 */
#ifndef KTSTR_FUZZ_INPUT_H
#define KTSTR_FUZZ_INPUT_H

#include "vm/spec.h"

/* ---- arguments ---- */

enum fuzz_type {
#define TYPE(id, ...) FUZZ_TYPE_##id,
#include "fuzz/types.def"
#undef TYPE
	FUZZ_TYPE_COUNT,
};

enum fuzz_language { FUZZ_YAML, FUZZ_C, FUZZ_LANGUAGES };

/* Values of a type count from 0, which is the simplest one. */
unsigned int fuzz_type_count(enum fuzz_type type);
/* Appends a value; nothing where it is what a scenario has without it. */
void fuzz_type_add(enum fuzz_type type, unsigned int value, enum fuzz_language language,
		   struct str *out);
/* The value that the longest beginning of *text spells in YAML; *text goes behind it. */
int fuzz_type_read(enum fuzz_type type, const char **text, unsigned int *value);

/* Work of this kind, with one of FUZZ_AMOUNTS scales of its parameters; 0 = the usual. */
#define FUZZ_AMOUNTS 4
#define FUZZ_WORK(kind, amount) (((kind)-KTSTR_WORK_CPU_SPIN) * FUZZ_AMOUNTS + (amount))

/* The divisor of the number of workers that do this work. */
unsigned int fuzz_work_group(unsigned int work);

/* ---- operations ---- */

#define FUZZ_MAX_ARGS 9
#define FUZZ_MAX_OPS 24

enum fuzz_op_kind {
#define OP(id, ...) FUZZ_OP_##id,
#include "fuzz/ops.def"
#undef OP
	FUZZ_OP_COUNT,
};

/* What an operation does to a scenario, so that only possible ones are made. */
enum fuzz_effect {
	FUZZ_PLAIN,
	FUZZ_MAKES_GROUP, /* that lives across all steps: stands before the first step */
	FUZZ_MAKES_STEP,
	FUZZ_MAKES_LOCAL, /* group of this step */
	FUZZ_REMOVES,
	FUZZ_FREEZES,
	FUZZ_THAWS,
	FUZZ_STOPS,
	FUZZ_CONTINUES,
	FUZZ_RECLASSES,
	FUZZ_RENICES,
	FUZZ_PAIRS_THREADS, /* of a core: not every machine has them */
	FUZZ_TAKES_CPU,
	FUZZ_GIVES_CPU,
};

struct fuzz_row {
	const char *formats[FUZZ_LANGUAGES]; /* an argument for each % */
	enum fuzz_effect effect;
	unsigned int weight; /* how often it is made */
	enum fuzz_type types[FUZZ_MAX_ARGS];
};

extern const struct fuzz_row fuzz_rows[FUZZ_OP_COUNT];

/* How many arguments it has. */
unsigned int fuzz_row_args(const struct fuzz_row *row);

struct fuzz_op {
	enum fuzz_op_kind kind;
	unsigned int args[FUZZ_MAX_ARGS];
};

/* ---- inputs ---- */

struct fuzz_input {
	unsigned int machine;  /* value of FUZZ_TYPE_MACHINE */
	unsigned int strategy; /* of FUZZ_TYPE_STRATEGY: how CPUs are delayed */
	uint32_t seed;
	size_t count;
	struct fuzz_op ops[FUZZ_MAX_OPS];
};

/* Machines have their notation as YAML. */
int fuzz_machine(unsigned int machine, struct vm_topology *out);

/* The strategy's name as sim knows it; NULL = none. */
const char *fuzz_strategy(unsigned int strategy);

/* Where a guest runs: machine and strategy; every second is the simplest. */
struct fuzz_random;
void fuzz_place_make(struct fuzz_input *in, struct fuzz_random *r);
/* Each has a number. */
#define FUZZ_PLACES 32
unsigned int fuzz_place_number(const struct fuzz_input *in);
unsigned int fuzz_place_count(void);
void fuzz_place_set(struct fuzz_input *in, unsigned int number);
bool fuzz_place_equal(const struct fuzz_input *a, const struct fuzz_input *b);

/*
 * What inputs were made of so far: operations, and values of arguments (of work its kinds). What was
 * taken least comes first: at random the last ones of many that no input had yet take long to come.
 */
#define FUZZ_CLASSES 64
struct fuzz_uses {
	uint32_t ops[FUZZ_OP_COUNT];
	uint32_t values[FUZZ_TYPE_COUNT][FUZZ_CLASSES];
};

/* A generator of numbers: the same seed, the same inputs. */
struct fuzz_random {
	uint64_t state;
	struct fuzz_uses *uses; /* NULL = all are alike */
};
uint64_t fuzz_random_next(struct fuzz_random *r);
unsigned int fuzz_random_below(struct fuzz_random *r, unsigned int limit);

/* Longer than a task may wait, and long enough to judge shares: only such a last step shows all. */
#define FUZZ_LONG_MS 1100

/*
 * Drops what is not possible and puts the rest in order: whatever it was, it is valid then, has a
 * group and a last step in which everybody may have a turn.
 */
void fuzz_input_repair(struct fuzz_input *in);

/* Sets of kinds of operations. */
#define FUZZ_OP(id) (UINT32_C(1) << FUZZ_OP_##id)
/* Without operations of these kinds. What is left is repaired. */
void fuzz_input_drop(struct fuzz_input *in, uint32_t kinds);
bool fuzz_input_has(const struct fuzz_input *in, uint32_t kinds);

/* Gives a repaired one the long last step: who is not served in that either is starved. */
void fuzz_input_lengthen(struct fuzz_input *in);

void fuzz_input_make(struct fuzz_input *in, struct fuzz_random *r);
/* More operations, inside of its steps. */
void fuzz_input_enrich(struct fuzz_input *in, struct fuzz_random *r);
void fuzz_input_mutate(struct fuzz_input *in, struct fuzz_random *r);
/* The beginning of one and the end of the other. */
void fuzz_input_splice(struct fuzz_input *in, const struct fuzz_input *other,
		       struct fuzz_random *r);

/* How long its steps last. */
unsigned int fuzz_input_ms(const struct fuzz_input *in);

/* ---- text ---- */

/* A scenario file of `ktstr run --file`, and the inverse. */
void fuzz_input_add_yaml(const struct fuzz_input *in, struct str *out);
/* -EINVAL with "NAME:LINE: why". What was read is repaired. */
int fuzz_input_parse(const char *name, const char *text, struct fuzz_input *in);

/* What a test program needs besides. */
struct fuzz_program {
	const char *name;      /* of the test */
	const char *scheduler; /* path */
	char *const *args;
	size_t arg_count;
	const char *const *invariants; /* of the scheduler */
	size_t invariant_count;
	bool ignores_weights; /* the scheduler does */
	const char *why;      /* it was written */
};
/* Scenarios that run one after the other, on the machine and with the seed of the last. */
void fuzz_inputs_add_c(const struct fuzz_input *inputs, size_t count, const struct fuzz_program *p,
		       struct str *out);

/* Runs of such programs, in C and in ours, have this in common. */
#define FUZZ_WATCHDOG_S 2

/* ---- shrinking ---- */

/*
 * The n-th smaller form: fewer operations first, then smaller machines, fewer workers, simpler
 * arguments, less time. False = there are no more.
 */
bool fuzz_input_smaller(const struct fuzz_input *in, unsigned int n, struct fuzz_input *out);

/* Whether a is really smaller: repairing may have added what b did not need. */
bool fuzz_input_is_smaller(const struct fuzz_input *a, const struct fuzz_input *b);

#endif
