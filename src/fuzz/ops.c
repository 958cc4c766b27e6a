// SPDX-License-Identifier: GPL-2.0-only
/* Operations as data, and which of them are possible where. */
#include <ktstr/work.h>

#include "fuzz/input.h"

#define T(id) FUZZ_TYPE_##id
#define OP(id, effect_, weight_, yaml, c, ...)       \
	[FUZZ_OP_##id] = { .formats = { yaml, c },   \
			   .effect = FUZZ_##effect_, \
			   .weight = (weight_),      \
			   .types = { __VA_ARGS__ } },
const struct fuzz_row fuzz_rows[FUZZ_OP_COUNT] = {
#include "fuzz/ops.def"
};
#undef OP
#undef T

unsigned int fuzz_row_args(const struct fuzz_row *row)
{
	unsigned int count = 0;

	for (const char *at = row->formats[FUZZ_YAML]; (at = strchr(at, '%')); at++)
		count++;
	return count;
}

/* ---- repairing ---- */

#define MAX_WORKERS 48 /* per scenario: more only take longer */
#define LONGEST_MS 100
#define LAST_MS 100U
#define TURN_MS 30U
/* With a limit of a fifth of a CPU, only few workers can have a turn in a step. */
#define LIMITED_AT_ONCE 2U
#define LIMITED_WORKERS 6U
#define MAX_STEPS 6
#define LONGEST_WAIT_MS 700U /* of tasks with a limited share */

/* The state of a scenario at an operation. */
struct state {
	unsigned int cpus;
	bool has_threads;		 /* several per core */
	uint32_t alive, frozen, stopped; /* groups */
	uint32_t local;			 /* groups of this step */
	uint32_t offline;
	bool has_limits; /* a CPU share is limited */
	unsigned int realtime_pct;
	unsigned int workers, steps;
	unsigned int weight, lightest; /* sum of all workers, and the lightest one */
	unsigned int unweighed;	       /* real-time and idle; their policy may change */
};

static bool has_type(const struct fuzz_row *row, enum fuzz_type type, unsigned int *index)
{
	unsigned int count = fuzz_row_args(row);

	for (*index = 0; *index < count; ++*index)
		if (row->types[*index] == type)
			return true;
	return false;
}

/* Workers with a limited share have their turns later. */
static bool has_limits(const struct fuzz_input *in)
{
	for (size_t i = 0; i < in->count; i++) {
		const struct fuzz_row *row = &fuzz_rows[in->ops[i].kind];
		unsigned int arg;

		if (has_type(row, FUZZ_TYPE_SHARE, &arg) ||
		    (has_type(row, FUZZ_TYPE_WITH_SHARE, &arg) && in->ops[i].args[arg]))
			return true;
	}
	return false;
}

static bool is_long(const struct fuzz_input *in)
{
	const struct fuzz_op *last = &in->ops[in->count - 1];

	return last->kind == FUZZ_OP_STEP && last->args[0] + 1 >= FUZZ_LONG_MS;
}

/* Real-time tasks that never sleep leave no CPU time to others, under any scheduler. */
#define RT_POLICY 4 /* the first real-time policy */
#define RT_WORK FUZZ_WORK(KTSTR_WORK_BURSTY, 1)

/*
 * In percent of a CPU: one such worker, a team of RtStarvation, and the maximum of all,
 * which may share a CPU with others.
 */
#define RT_WORK_PCT 33U
#define RT_TEAM_PCT 20U
#define RT_TEAM 2U
#define RT_MOST_PCT 60U

/*
 * By weights alone, a SCHED_IDLE task beside a busy one, or any task beside one of nice
 * -20, has a turn every few seconds. That is longer than the watchdog allows, under a
 * correct scheduler.
 */
#define IDLE_POLICY 2
#define IDLE_WEIGHT 1
#define NORMAL_WEIGHT 100
#define SLICE_MS 20
#define LONGEST_TURN_MS 1000

/* Values of FUZZ_TYPE_NICE: 0, 5, 19, -5, -20, 1. */
static const unsigned int weights[] = { NORMAL_WEIGHT, 33, IDLE_WEIGHT, 305, 8668, 80 };

/* Adds count workers of this weight. Returns false if a task would then not have a turn in time. */
static bool take_weight(struct state *s, unsigned int count, unsigned int weight)
{
	unsigned int sum = s->weight + count * weight, lightest = MIN(s->lightest, weight);

	if (sum * SLICE_MS > lightest * LONGEST_TURN_MS)
		return false;
	s->weight = sum;
	s->lightest = lightest;
	return true;
}

/* Keeps the weight if possible, else uses the default weight, else the lightest one. */
static bool fix_weight(struct fuzz_op *op, unsigned int policy, unsigned int nice,
		       unsigned int count, struct state *s)
{
	bool is_unweighed = op->args[policy] == IDLE_POLICY || op->args[policy] >= RT_POLICY;
	unsigned int weight;

	/* Their nice value takes effect when they change to another policy. */
	if (is_unweighed)
		op->args[nice] = 0;
	weight = op->args[policy] == IDLE_POLICY ? IDLE_WEIGHT : weights[op->args[nice]];
	s->unweighed += is_unweighed ? count : 0;
	if (op->args[policy] >= RT_POLICY || take_weight(s, count, weight))
		return true;
	op->args[nice] = 0;
	op->args[policy] = 0;
	if (take_weight(s, count, NORMAL_WEIGHT))
		return true;
	op->args[policy] = IDLE_POLICY;
	s->unweighed += is_unweighed ? 0 : count;
	return take_weight(s, count, IDLE_WEIGHT);
}

/* Values of FUZZ_TYPE_OTHER_NICE: 5, -5, 1. */
static const unsigned int other_weights[] = { 33, 305, 80 };

/* Handles groups with two kinds of workers. */
static bool fix_unequal(const struct fuzz_row *row, struct fuzz_op *op, struct state *s)
{
	unsigned int some, others, nice, count;

	if (!has_type(row, FUZZ_TYPE_SOME, &some) || !has_type(row, FUZZ_TYPE_OTHERS, &others) ||
	    !has_type(row, FUZZ_TYPE_OTHER_NICE, &nice))
		return true;
	if (s->has_limits)
		op->args[some] = op->args[others] = 0;
	count = op->args[some] + op->args[others] + 2;
	s->workers += count;
	return s->workers <= (s->has_limits ? LIMITED_WORKERS : MAX_WORKERS) &&
	       take_weight(s, op->args[some] + 1, NORMAL_WEIGHT) &&
	       take_weight(s, op->args[others] + 1, other_weights[op->args[nice]]);
}

static bool is_work(unsigned int work, enum ktstr_work_kind kind)
{
	return work / FUZZ_AMOUNTS == FUZZ_WORK(kind, 0) / FUZZ_AMOUNTS;
}

/* Limits the number of real-time workers, so that others have time, too. */
static bool fix_realtime(bool has_policy, unsigned int work, unsigned int *count, struct state *s)
{
	bool is_team = is_work(work, KTSTR_WORK_RT_STARVATION);
	unsigned int teams = (RT_MOST_PCT - s->realtime_pct) / RT_TEAM_PCT;

	if (is_team) {
		*count = MIN(*count, teams * RT_TEAM);
		s->realtime_pct += *count / RT_TEAM * RT_TEAM_PCT;
	} else if (has_policy) {
		s->realtime_pct += *count * RT_WORK_PCT;
	}
	return *count && s->realtime_pct <= RT_MOST_PCT;
}

/* Makes the count a multiple of the team size, and limits it. */
static bool fix_workers(const struct fuzz_row *row, struct fuzz_op *op, struct state *s)
{
	unsigned int workers, work, policy, nice, group, count;

	if (!has_type(row, FUZZ_TYPE_WORKERS, &workers) || !has_type(row, FUZZ_TYPE_WORK, &work) ||
	    !has_type(row, FUZZ_TYPE_POLICY, &policy) || !has_type(row, FUZZ_TYPE_NICE, &nice))
		return true;
	if (op->args[policy] >= RT_POLICY) {
		op->args[work] = RT_WORK;
		op->args[workers] = 0;
	}
	/* A worker that moves between cgroups must be in a cgroup of the test. */
	if (op->kind == FUZZ_OP_SPAWN_HOST &&
	    is_work(op->args[work], KTSTR_WORK_CGROUP_ATTACH_STORM))
		op->args[work] = FUZZ_WORK(KTSTR_WORK_CPU_SPIN, 0);
	if (s->has_limits)
		op->args[workers] = MIN(op->args[workers], LIMITED_AT_ONCE - 1);
	group = fuzz_work_group(op->args[work]);
	count = (op->args[workers] + group) / group * group;
	if (count > fuzz_type_count(FUZZ_TYPE_WORKERS))
		count -= group;
	if (!fix_realtime(op->args[policy] >= RT_POLICY, op->args[work], &count, s) ||
	    s->workers + count > MAX_WORKERS ||
	    (s->has_limits && s->workers && s->workers + count > LIMITED_WORKERS) ||
	    !fix_weight(op, policy, nice, count, s))
		return false;
	op->args[workers] = count - 1;
	s->workers += count;
	return true;
}

/* The group itself, or the next one in this set. */
static unsigned int next_group(uint32_t groups, unsigned int group)
{
	while (!(groups >> group & 1))
		group = (group + 1) % 32;
	return group;
}

static uint32_t usable(enum fuzz_effect effect, const struct state *s)
{
	switch (effect) {
	case FUZZ_THAWS:
		return s->frozen;
	case FUZZ_CONTINUES:
		return s->stopped & ~s->frozen;
	case FUZZ_STOPS:
		return ~s->frozen & ~s->stopped;
	default:
		return ~s->frozen;
	}
}

/* Ensures that every named group exists, is not frozen and is named only once; replaces others. */
static bool fix_groups(const struct fuzz_row *row, struct fuzz_op *op, const struct state *s)
{
	uint32_t left = s->alive & usable(row->effect, s);
	unsigned int count = fuzz_row_args(row);

	for (unsigned int i = 0; i < count; i++) {
		if (row->types[i] != FUZZ_TYPE_GROUP)
			continue;
		if (!left)
			return false;
		op->args[i] = next_group(left, op->args[i]);
		left &= ~(UINT32_C(1) << op->args[i]);
	}
	return true;
}

/* A first argument that does not name a group may be larger than 31. */
static uint32_t bit_of(unsigned int group)
{
	return UINT32_C(1) << group % 32;
}

static bool make_group(uint32_t *groups, unsigned int group)
{
	uint32_t bit = bit_of(group);
	bool is_new = !(*groups & bit);

	*groups |= bit;
	return is_new;
}

/* Workers without a weight of their own may have the default weight after a change of policy. */
static bool reclass(struct state *s)
{
	bool is_possible = take_weight(s, s->unweighed, NORMAL_WEIGHT);

	s->unweighed = 0;
	return is_possible;
}

/* Values of FUZZ_TYPE_NEW_NICE: 0, 5, -5, 1. */
static const unsigned int new_weights[] = { NORMAL_WEIGHT, 33, 305, 80 };

/*
 * Moved tasks may be in any group, so all workers count with the new weight, too. Workers
 * without a weight of their own keep nice 0, since that is their weight once they have
 * another policy.
 */
static bool renice(struct fuzz_op *op, struct state *s)
{
	if (s->unweighed)
		op->args[1] = 0;
	return take_weight(s, s->workers, new_weights[op->args[1]]);
}

/* CPU 0 always stays online. */
static bool change_cpu(struct fuzz_op *op, struct state *s, bool is_online)
{
	uint32_t bit;

	if (s->cpus < 2)
		return false;
	op->args[0] %= s->cpus - 1;
	bit = UINT32_C(1) << (op->args[0] + 1);
	if (!!(s->offline & bit) != is_online)
		return false;
	s->offline ^= bit;
	return true;
}

static bool begin_step(struct state *s)
{
	s->local = 0;
	return s->steps++ < MAX_STEPS;
}

/* True if the operation is possible here; updates the state. */
static bool apply(const struct fuzz_row *row, struct fuzz_op *op, struct state *s)
{
	uint32_t bit;

	if (row->effect == FUZZ_MAKES_GROUP)
		return !s->steps && make_group(&s->alive, op->args[0]) && fix_workers(row, op, s) &&
		       fix_unequal(row, op, s);
	if (row->effect == FUZZ_MAKES_STEP)
		return begin_step(s);
	if (!s->steps || !fix_groups(row, op, s) || !fix_workers(row, op, s))
		return false;
	bit = bit_of(op->args[0]);
	switch (row->effect) {
	case FUZZ_MAKES_LOCAL:
		return make_group(&s->local, op->args[0]);
	case FUZZ_REMOVES:
		s->alive &= ~bit;
		return s->alive;
	case FUZZ_FREEZES:
		s->frozen |= bit;
		return true;
	case FUZZ_THAWS:
		s->frozen &= ~bit;
		return true;
	case FUZZ_STOPS:
		s->stopped |= bit;
		return true;
	case FUZZ_CONTINUES:
		s->stopped &= ~bit;
		return true;
	case FUZZ_RECLASSES:
		return reclass(s);
	case FUZZ_RENICES:
		return renice(op, s);
	case FUZZ_PAIRS_THREADS:
		return s->has_threads;
	case FUZZ_TAKES_CPU:
		return change_cpu(op, s, false);
	case FUZZ_GIVES_CPU:
		return change_cpu(op, s, true);
	default:
		return true;
	}
}

static void append(struct fuzz_input *in, const struct fuzz_op *op)
{
	if (in->count < FUZZ_MAX_OPS)
		in->ops[in->count++] = *op;
}

/* Moves groups before the first step; the order is otherwise kept. */
static void sort(struct fuzz_input *in)
{
	struct fuzz_input old = *in;

	in->count = 0;
	for (size_t i = 0; i < old.count; i++)
		if (fuzz_rows[old.ops[i].kind].effect == FUZZ_MAKES_GROUP)
			append(in, &old.ops[i]);
	if (!in->count)
		append(in, &(struct fuzz_op){ .kind = FUZZ_OP_GROUP, .args = { 0, 1 } });
	for (size_t i = 0; i < old.count; i++)
		if (fuzz_rows[old.ops[i].kind].effect != FUZZ_MAKES_GROUP)
			append(in, &old.ops[i]);
}

/* Limits values to the range of their types, since the text may come from anywhere. */
static void bound(struct fuzz_input *in)
{
	in->machine %= fuzz_type_count(FUZZ_TYPE_MACHINE);
	in->strategy %= fuzz_type_count(FUZZ_TYPE_STRATEGY);
	in->seed = in->seed ? in->seed : 1;
	in->count = MIN(in->count, (size_t)FUZZ_MAX_OPS);
	array_each(struct fuzz_op, op, in->ops, in->count) {
		const struct fuzz_row *row;
		unsigned int args;

		op->kind %= FUZZ_OP_COUNT;
		row = &fuzz_rows[op->kind];
		args = fuzz_row_args(row);
		for (unsigned int a = 0; a < FUZZ_MAX_ARGS; a++)
			op->args[a] = a < args ? op->args[a] % fuzz_type_count(row->types[a]) : 0;
	}
}

static unsigned int count_workers(const struct fuzz_input *in)
{
	unsigned int count = 0, arg;

	for (size_t i = 0; i < in->count; i++) {
		if (has_type(&fuzz_rows[in->ops[i].kind], FUZZ_TYPE_WORKERS, &arg))
			count += in->ops[i].args[arg] + 1;
		if (has_type(&fuzz_rows[in->ops[i].kind], FUZZ_TYPE_SOME, &arg))
			count += in->ops[i].args[arg] + in->ops[i].args[arg + 1] + 2;
	}
	return count;
}

/* Time in ms in which every worker runs, even if all share a CPU. */
static unsigned int turn_ms(const struct fuzz_input *in)
{
	return has_limits(in) ? LONGEST_WAIT_MS : MIN(TURN_MS * count_workers(in), LONGEST_WAIT_MS);
}

/* Workers of a step end with it. */
static bool starts_workers(const struct fuzz_input *in, size_t step)
{
	unsigned int arg;

	for (size_t i = step + 1; i < in->count && in->ops[i].kind != FUZZ_OP_STEP; i++)
		if (has_type(&fuzz_rows[in->ops[i].kind], FUZZ_TYPE_WORKERS, &arg))
			return true;
	return false;
}

static void hold(struct fuzz_input *in, size_t step, unsigned int least_ms, unsigned int most_ms)
{
	unsigned int *arg = &in->ops[step].args[0];

	*arg = MAX(*arg % most_ms, least_ms - 1);
}

/* Makes all steps short but the last one, in which nothing else happens. */
static void end(struct fuzz_input *in, bool stays_long)
{
	unsigned int turn;

	if (in->ops[in->count - 1].kind == FUZZ_OP_STEP || in->count == FUZZ_MAX_OPS)
		in->count--;
	turn = turn_ms(in);
	for (size_t i = 0; i < in->count; i++)
		if (in->ops[i].kind == FUZZ_OP_STEP)
			hold(in, i, starts_workers(in, i) ? turn : 1, LONGEST_MS);
	in->ops[in->count] = (struct fuzz_op){ .kind = FUZZ_OP_STEP };
	hold(in, in->count++, stays_long ? FUZZ_LONG_MS : MAX(turn, LAST_MS), LONGEST_MS);
}

void fuzz_input_lengthen(struct fuzz_input *in)
{
	in->ops[in->count - 1].args[0] = FUZZ_LONG_MS - 1;
}

static void repair(struct fuzz_input *in)
{
	struct state s = { .lightest = NORMAL_WEIGHT };
	struct vm_topology t = {};
	size_t left = 0;
	bool stays_long = in->count && is_long(in);

	sort(in);
	s.has_limits = has_limits(in);
	s.cpus = fuzz_machine(in->machine, &t) == 0 ? vm_topology_cpus(&t) : 1;
	s.has_threads = t.threads > 1;
	for (size_t i = 0; i < in->count; i++) {
		struct state before = s;

		if (apply(&fuzz_rows[in->ops[i].kind], &in->ops[i], &s))
			in->ops[left++] = in->ops[i];
		else
			s = before;
	}
	in->count = left;
	memset(&in->ops[left], 0, (FUZZ_MAX_OPS - left) * sizeof(in->ops[0]));
	end(in, stays_long);
}

/* Repeats, because a limit may belong to an operation that is dropped: then it does not count. */
void fuzz_input_repair(struct fuzz_input *in)
{
	bool had_limits;

	bound(in);
	do {
		had_limits = has_limits(in);
		repair(in);
	} while (has_limits(in) != had_limits);
}

_Static_assert(FUZZ_OP_COUNT <= 32, "kinds of operations are bits of a word");

bool fuzz_input_has(const struct fuzz_input *in, uint32_t kinds)
{
	for (size_t i = 0; i < in->count; i++)
		if (kinds >> in->ops[i].kind & 1)
			return true;
	return false;
}

void fuzz_input_drop(struct fuzz_input *in, uint32_t kinds)
{
	size_t left = 0;

	for (size_t i = 0; i < in->count; i++)
		if (!(kinds >> in->ops[i].kind & 1))
			in->ops[left++] = in->ops[i];
	in->count = left;
	fuzz_input_repair(in);
}

unsigned int fuzz_input_ms(const struct fuzz_input *in)
{
	unsigned int ms = 0;

	for (size_t i = 0; i < in->count; i++)
		if (in->ops[i].kind == FUZZ_OP_STEP)
			ms += in->ops[i].args[0] + 1;
	return ms;
}
