/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Inputs of `ktstr fuzz`: a scenario as a small typed program, with the machine and the
 * seed of its run. Operations and the types of their arguments are rows of tables; making,
 * changing, shrinking, printing and reading are driven by these tables.
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

/* Values of a type are numbered from 0, which is the simplest one. */
unsigned int fuzz_type_count(enum fuzz_type type);
/* Appends the text of a value; nothing if it is the default of a scenario. */
void fuzz_type_add(enum fuzz_type type, unsigned int value, enum fuzz_language language,
		   struct str *out);
/* Reads the longest prefix of *text that is a value in YAML, and moves *text past it. */
int fuzz_type_read(enum fuzz_type type, const char **text, unsigned int *value);

/* A kind of work with one of FUZZ_AMOUNTS scales of its parameters; 0 = the default. */
#define FUZZ_AMOUNTS 4
#define FUZZ_WORK(kind, amount) (((kind)-KTSTR_WORK_CPU_SPIN) * FUZZ_AMOUNTS + (amount))

/* The number of workers must be a multiple of this. */
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
	FUZZ_MAKES_GROUP, /* lives across all steps, so it comes before the first step */
	FUZZ_MAKES_STEP,
	FUZZ_MAKES_LOCAL, /* a group of this step */
	FUZZ_REMOVES,
	FUZZ_FREEZES,
	FUZZ_THAWS,
	FUZZ_STOPS,
	FUZZ_CONTINUES,
	FUZZ_RECLASSES,
	FUZZ_RENICES,
	FUZZ_PAIRS_THREADS, /* needs several threads per core, which not every machine has */
	FUZZ_TAKES_CPU,
	FUZZ_GIVES_CPU,
};

struct fuzz_row {
	const char *formats[FUZZ_LANGUAGES]; /* one argument for each % */
	enum fuzz_effect effect;
	unsigned int weight; /* relative frequency */
	enum fuzz_type types[FUZZ_MAX_ARGS];
};

extern const struct fuzz_row fuzz_rows[FUZZ_OP_COUNT];

unsigned int fuzz_row_args(const struct fuzz_row *row);

struct fuzz_op {
	enum fuzz_op_kind kind;
	unsigned int args[FUZZ_MAX_ARGS];
};

/* ---- inputs ---- */

struct fuzz_input {
	unsigned int machine;  /* value of FUZZ_TYPE_MACHINE */
	unsigned int strategy; /* value of FUZZ_TYPE_STRATEGY: how CPUs are delayed */
	uint32_t seed;
	size_t count;
	struct fuzz_op ops[FUZZ_MAX_OPS];
};

/* The notation of a machine is its YAML text. */
int fuzz_machine(unsigned int machine, struct vm_topology *out);

/* The strategy's name in the simulator; NULL = none. */
const char *fuzz_strategy(unsigned int strategy);

/* A random place of a guest: machine and strategy; half of them are the simplest. */
struct fuzz_random;
void fuzz_place_make(struct fuzz_input *in, struct fuzz_random *r);
/* Places are numbered. */
#define FUZZ_PLACES 32
unsigned int fuzz_place_number(const struct fuzz_input *in);
unsigned int fuzz_place_count(void);
void fuzz_place_set(struct fuzz_input *in, unsigned int number);
bool fuzz_place_equal(const struct fuzz_input *a, const struct fuzz_input *b);

/*
 * How often inputs used each operation and each value of arguments (for work: its kinds).
 * What was used least is preferred: purely random choices take long to cover the last
 * unused ones.
 */
#define FUZZ_CLASSES 64
struct fuzz_uses {
	uint32_t ops[FUZZ_OP_COUNT];
	uint32_t values[FUZZ_TYPE_COUNT][FUZZ_CLASSES];
};

/* A random number generator: the same seed gives the same inputs. */
struct fuzz_random {
	uint64_t state;
	struct fuzz_uses *uses; /* NULL = no preference */
};
uint64_t fuzz_random_next(struct fuzz_random *r);
unsigned int fuzz_random_below(struct fuzz_random *r, unsigned int limit);

/* Length of the last step in ms: longer than a task may wait, and enough to judge shares. */
#define FUZZ_LONG_MS 1100

/*
 * Drops what is not possible and puts the rest in order. The result is always valid, and
 * has a group and a last step in which every task may have a turn.
 */
void fuzz_input_repair(struct fuzz_input *in);

/* Bit of a kind of operation, for sets of kinds. */
#define FUZZ_OP(id) (UINT32_C(1) << FUZZ_OP_##id)
/* Removes operations of these kinds and repairs the rest. */
void fuzz_input_drop(struct fuzz_input *in, uint32_t kinds);
bool fuzz_input_has(const struct fuzz_input *in, uint32_t kinds);

/* Gives a repaired input a long last step: a task that does not run even in that is starved. */
void fuzz_input_lengthen(struct fuzz_input *in);

void fuzz_input_make(struct fuzz_input *in, struct fuzz_random *r);
/* Adds operations to its steps. */
void fuzz_input_enrich(struct fuzz_input *in, struct fuzz_random *r);
void fuzz_input_mutate(struct fuzz_input *in, struct fuzz_random *r);
/* Combines the beginning of one input with the end of the other. */
void fuzz_input_splice(struct fuzz_input *in, const struct fuzz_input *other,
		       struct fuzz_random *r);

/* How long its steps last. */
unsigned int fuzz_input_ms(const struct fuzz_input *in);

/* ---- text ---- */

/* A scenario file of `ktstr run --file`, and the inverse. */
void fuzz_input_add_yaml(const struct fuzz_input *in, struct str *out);
/* Returns -EINVAL with "NAME:LINE: why" on errors. The input is repaired. */
int fuzz_input_parse(const char *name, const char *text, struct fuzz_input *in);

/* Further parts of a test program. */
struct fuzz_program {
	const char *name;      /* of the test */
	const char *scheduler; /* path */
	char *const *args;
	size_t arg_count;
	const char *const *invariants; /* of the scheduler */
	size_t invariant_count;
	bool ignores_weights; /* declared by the user */
	const char *why;      /* reason why it was written, for a comment */
};
/* Scenarios that run one after the other, on the machine and with the seed of the last one. */
void fuzz_inputs_add_c(const struct fuzz_input *inputs, size_t count, const struct fuzz_program *p,
		       struct str *out);

/* Watchdog timeout of the scheduler, in written tests and in the campaign. */
#define FUZZ_WATCHDOG_S 2

/* ---- shrinking ---- */

/*
 * Stores the n-th smaller form: fewer operations first, then smaller machines, fewer
 * workers, simpler arguments, less time. Returns false if there are no more.
 */
bool fuzz_input_smaller(const struct fuzz_input *in, unsigned int n, struct fuzz_input *out);

/* True if a is really smaller: repairing may have added what b did not need. */
bool fuzz_input_is_smaller(const struct fuzz_input *a, const struct fuzz_input *b);

#endif
