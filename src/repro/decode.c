// SPDX-License-Identifier: GPL-2.0-only
/* Tables of the kernel's enumerators, see include/linux/sched/ext.h and kernel/sched/ext*.h. */
#include "repro/parts.h"

struct word {
	uint64_t value;
	const char *name;
};

#define DSQ_BUILTIN (1ULL << 63)
#define DSQ_LOCAL_ON (3ULL << 62)
#define DSQ_KIND ((uint64_t)3 << 62)
#define DSQ_CPU UINT32_MAX
#define TASK_STATE_SHIFT 8
#define TASK_STATE (3ULL << TASK_STATE_SHIFT)
#define SMALL 0xff
#define MASK_MOST 0xffff
#define POINTERS 0xff00000000000000ULL

static const struct word queues[] = {
	{ 0, "INVALID" }, { 1, "GLOBAL" }, { 2, "LOCAL" }, { 3, "BYPASS" }
};

static const struct word enq_flags[] = {
	{ 1ULL << 0, "WAKEUP" },      { 1ULL << 16, "HEAD" },	  { 1ULL << 20, "CPU_SELECTED" },
	{ 1ULL << 32, "PREEMPT" },    { 1ULL << 40, "REENQ" },	  { 1ULL << 41, "LAST" },
	{ 1ULL << 56, "CLEAR_OPSS" }, { 1ULL << 57, "DSQ_PRIQ" }, { 1ULL << 58, "NESTED" },
};

/* Wakeup flags that schedulers get. */
static const struct word wake_flags[] = {
	{ 0x2, "EXEC" },      { 0x4, "FORK" },	       { 0x8, "TTWU" },		{ 0x10, "SYNC" },
	{ 0x20, "MIGRATED" }, { 0x40, "CURRENT_CPU" }, { 0x80, "RQ_SELECTED" },
};

static const struct word kick_flags[] = { { 1, "IDLE" }, { 2, "PREEMPT" }, { 4, "WAIT" } };

static const struct word task_flags[] = {
	{ 1, "QUEUED" },
	{ 4, "RESET_RUNNABLE_AT" },
	{ 8, "DEQD_FOR_SLEEP" },
};

static const char *const task_states[] = { "NONE", "INIT", "READY", "ENABLED" };

static const struct word exit_kinds[] = {
	{ 0, "NONE" },	       { 1, "DONE" },		{ 64, "UNREG" },  { 65, "UNREG_BPF" },
	{ 66, "UNREG_KERN" },  { 67, "SYSRQ" },		{ 68, "PARENT" }, { 1024, "ERROR" },
	{ 1025, "ERROR_BPF" }, { 1026, "ERROR_STALL" },
};

static const char *find(const struct word *words, size_t count, uint64_t value)
{
	for (size_t i = 0; i < count; i++)
		if (words[i].value == value)
			return words[i].name;
	return NULL;
}

static void add_flags(const struct word *words, size_t count, uint64_t flags, struct str *out)
{
	const char *between = "";

	if (!flags)
		str_add(out, "NONE");
	for (size_t i = 0; i < count; i++)
		if (flags & words[i].value) {
			str_addf(out, "%s%s", between, words[i].name);
			flags &= ~words[i].value;
			between = "|";
		}
	if (flags)
		str_addf(out, "%s0x%" PRIx64, between, flags);
}

void decode_dsq(uint64_t id, struct str *out)
{
	const char *name = find(queues, ARRAY_SIZE(queues), id & ~DSQ_KIND);

	if ((id & DSQ_KIND) == DSQ_LOCAL_ON)
		str_addf(out, "SCX_DSQ_LOCAL_ON|%" PRIu64, id & DSQ_CPU);
	else if ((id & DSQ_KIND) != DSQ_BUILTIN)
		str_addf(out, "DSQ(0x%" PRIx64 ")", id);
	else if (name)
		str_addf(out, "SCX_DSQ_%s", name);
	else
		str_addf(out, "BUILTIN(%" PRIu64 ")", id & ~DSQ_KIND);
}

void decode_enq_flags(uint64_t flags, struct str *out)
{
	add_flags(enq_flags, ARRAY_SIZE(enq_flags), flags, out);
}

void decode_wake_flags(uint64_t flags, struct str *out)
{
	add_flags(wake_flags, ARRAY_SIZE(wake_flags), flags, out);
}

void decode_kick_flags(uint64_t flags, struct str *out)
{
	add_flags(kick_flags, ARRAY_SIZE(kick_flags), flags, out);
}

void decode_task_flags(uint64_t flags, struct str *out)
{
	uint64_t others = flags & ~TASK_STATE;

	if (others)
		add_flags(task_flags, ARRAY_SIZE(task_flags), others, out);
	str_addf(out, "%s%s", others ? "|" : "",
		 task_states[(flags & TASK_STATE) >> TASK_STATE_SHIFT]);
}

void decode_slice(uint64_t ns, struct str *out)
{
	if (ns == UINT64_MAX)
		str_add(out, "SCX_SLICE_INF");
	else
		str_addf(out, "%" PRIu64, ns);
}

void decode_exit_kind(uint64_t kind, struct str *out)
{
	const char *name = find(exit_kinds, ARRAY_SIZE(exit_kinds), kind);

	if (name)
		str_add(out, name);
	else
		str_addf(out, "UNKNOWN(%" PRIu64 ")", kind);
}

void decode_cpus(uint64_t mask, struct str *out)
{
	const char *between = "(";

	if (!mask) {
		str_add(out, "none");
		return;
	}
	str_addf(out, "0x%" PRIx64, mask);
	for (int i = 0; i < 64; i++) {
		int end = i;

		if (!(mask >> i & 1))
			continue;
		while (end < 63 && mask >> (end + 1) & 1)
			end++;
		str_addf(out, end > i ? "%s%d-%d" : "%s%d", between, i, end);
		between = ",";
		i = end;
	}
	str_addc(out, ')');
}

void decode_raw(uint64_t value, struct str *out)
{
	if (value == UINT64_MAX) {
		str_add(out, "int:-1");
	} else if (value == 1) {
		str_add(out, "bool:true");
	} else if (value > SMALL && value <= MASK_MOST && __builtin_popcountll(value) >= 2) {
		str_add(out, "mask:");
		decode_cpus(value, out);
	} else if (value <= MASK_MOST) {
		str_addf(out, "int:%" PRIu64, value);
	} else if (value > POINTERS) {
		str_addf(out, "ptr:%04" PRIx64, value & MASK_MOST);
	} else if (value >> 62 >= 2) {
		str_add(out, "dsq:");
		decode_dsq(value, out);
	} else {
		str_addf(out, "hex:0x%" PRIx64, value);
	}
}
