// SPDX-License-Identifier: GPL-2.0-only
/* Converts knobs to options of `ktstr test`, and back. */
#include "run/parts.h"

#include "guest/order.h"

enum knob_kind {
	KNOB_FLAG,
	KNOB_UNSIGNED,
	KNOB_U32,
	KNOB_MS,
	KNOB_TOPOLOGY,
	KNOB_PROFILE,
	KNOB_STRATEGY,
	KNOB_STEPS,
	KNOB_TEXT,
	KNOB_REST /* takes all words that follow */
};

/* clang-format off */
#define KNOB(word, k, member) { word, k, offsetof(struct run_knobs, member) }
static const struct knob {
	const char *word;
	enum knob_kind kind;
	size_t offset;
} knobs[] = {
	KNOB("--sim-shift", KNOB_UNSIGNED, shift),
	KNOB("--sim-slice", KNOB_U32, slice_us),
	KNOB("--sim-jitter", KNOB_FLAG, has_jitter),
	KNOB("--sim-delays", KNOB_U32, delays),
	KNOB("--sim-wake-delays", KNOB_U32, wake_delay_us),
	KNOB("--strategy", KNOB_STRATEGY, strategy),
	KNOB("--depth", KNOB_UNSIGNED, depth),
	KNOB("--events", KNOB_U32, events),
	KNOB("--cold", KNOB_FLAG, is_cold),
	KNOB("--release", KNOB_FLAG, is_release),
	KNOB("--versus-eevdf", KNOB_FLAG, versus_eevdf),
	KNOB(RUN_WORD_VERBOSE, KNOB_FLAG, is_verbose),
	KNOB("--nextest-profile", KNOB_PROFILE, profile),
	KNOB("--duration", KNOB_MS, duration_ms),
	KNOB("--workers", KNOB_UNSIGNED, workers),
	KNOB("--topology", KNOB_TOPOLOGY, topology),
	KNOB("--steps", KNOB_STEPS, steps),
	KNOB("--hold-percent", KNOB_UNSIGNED, hold_percent),
	KNOB("--eevdf", KNOB_FLAG, is_eevdf),
	KNOB("--scheduler-name", KNOB_TEXT, scheduler),
	KNOB("--", KNOB_REST, scheduler_arg_count),
};
/* clang-format on */

static void *member_of(const struct run_knobs *k, const struct knob *knob)
{
	return (char *)(uintptr_t)k + knob->offset;
}

static uint64_t number_of(const struct run_knobs *k, const struct knob *knob)
{
	const void *p = member_of(k, knob);

	switch (knob->kind) {
	case KNOB_FLAG:
		return *(const bool *)p;
	case KNOB_UNSIGNED:
		return *(const unsigned int *)p;
	case KNOB_U32:
		return *(const uint32_t *)p;
	case KNOB_MS:
	case KNOB_STEPS:
		return *(const uint64_t *)p;
	case KNOB_TOPOLOGY:
		return ((const struct vm_topology *)p)->llcs;
	case KNOB_REST:
		return *(const size_t *)p;
	case KNOB_PROFILE:
	case KNOB_STRATEGY:
	case KNOB_TEXT:
		return *(const char *const *)p != NULL;
	}
	return 0;
}

const char *const *run_strategy_names(void)
{
	static const char *const names[] = { RUN_STRATEGY_RANDOM, ORDER_WALK, ORDER_PCT, NULL };

	return names;
}

int run_strategy_parse(const char *text, const char **out)
{
	for (const char *const *name = run_strategy_names(); *name; name++)
		if (str_eq(*name, text)) {
			*out = *name;
			return 0;
		}
	return err_set(EINVAL, "there is no strategy '%s'", text);
}

int run_strategy_check(const struct run_knobs *k)
{
	bool is_pct = k->strategy && str_eq(k->strategy, ORDER_PCT);

	if (!is_pct && (k->depth || k->events))
		return err_set(EINVAL, "--depth and --events are for --strategy " ORDER_PCT);
	if (is_pct && (k->depth < 1 || k->depth > ORDER_MAX_DEPTH))
		return err_set(EINVAL, "--depth must be 1 to %d", ORDER_MAX_DEPTH);
	return 0;
}

/* Steps are numbered from 1. */
int run_steps_parse(const char *text, uint64_t *out)
{
	struct cpulist list = {};
	int rc = cpulist_parse(text, &list);

	*out = 0;
	for (size_t i = 0; rc == 0 && i < list.count; i++)
		if (list.cpus[i] >= 1 && list.cpus[i] <= RUN_MAX_STEPS)
			*out |= UINT64_C(1) << (list.cpus[i] - 1);
		else
			rc = -EINVAL;
	cpulist_finish(&list);
	if (rc == -ENOMEM)
		return err_no_memory();
	return rc == 0 && *out ? 0 :
				 err_set(EINVAL,
					 "'%s' is not a list of steps from 1 to %d, such as "
					 "1,3-5",
					 text, RUN_MAX_STEPS);
}

static void add_rest(struct str *out, const struct run_knobs *k)
{
	for (size_t i = 0; i < k->scheduler_arg_count; i++)
		str_addf(out, "%s\n", k->scheduler_args[i]);
}

static void add_steps(struct str *out, uint64_t steps)
{
	unsigned int numbers[RUN_MAX_STEPS];
	size_t count = 0;

	for (unsigned int i = 0; i < RUN_MAX_STEPS; i++)
		if (steps >> i & 1)
			numbers[count++] = i + 1;
	cpulist_format(numbers, count, out);
	str_addc(out, '\n');
}

void run_knobs_add_words(const struct run_knobs *k, struct str *out)
{
	const struct run_knobs usual = RUN_KNOBS_DEFAULT;
	const struct vm_topology *t = &k->topology;

	for (size_t i = 0; i < ARRAY_SIZE(knobs); i++) {
		unsigned long long value = number_of(k, &knobs[i]);

		if (value == number_of(&usual, &knobs[i]))
			continue;
		str_addf(out, "%s\n", knobs[i].word);
		if (knobs[i].kind == KNOB_TOPOLOGY)
			str_addf(out, "%u,%u,%u,%u\n", t->nodes, t->llcs, t->cores, t->threads);
		else if (knobs[i].kind == KNOB_STEPS)
			add_steps(out, value);
		else if (knobs[i].kind == KNOB_PROFILE || knobs[i].kind == KNOB_STRATEGY ||
			 knobs[i].kind == KNOB_TEXT)
			str_addf(out, "%s\n", *(const char *const *)member_of(k, &knobs[i]));
		else if (knobs[i].kind == KNOB_REST)
			add_rest(out, k);
		else if (knobs[i].kind != KNOB_FLAG)
			str_addf(out, "%llu%s\n", value, knobs[i].kind == KNOB_MS ? "ms" : "");
	}
}

void run_knobs_check_accel(const struct run_knobs *k, enum vm_accel accel)
{
	const struct run_knobs usual = RUN_KNOBS_DEFAULT;

	for (size_t i = 0; i < ARRAY_SIZE(knobs); i++)
		if ((str_starts(knobs[i].word, "--sim-") || knobs[i].kind == KNOB_STRATEGY) &&
		    number_of(k, &knobs[i]) != number_of(&usual, &knobs[i]))
			vm_accel_check_sim_option(accel, knobs[i].word);
}

static int set(struct run_knobs *k, const struct knob *knob, const char *text)
{
	void *p = member_of(k, knob);
	const struct run_profile *profile;
	uint64_t value = 0;
	int rc;

	if (knob->kind == KNOB_TOPOLOGY)
		return vm_topology_parse(text, p);
	if (knob->kind == KNOB_STEPS)
		return run_steps_parse(text, p);
	if (knob->kind == KNOB_STRATEGY)
		return run_strategy_parse(text, p);
	if (knob->kind == KNOB_TEXT) {
		*(const char **)p = text;
		return 0;
	}
	if (knob->kind == KNOB_PROFILE) {
		profile = run_profile_by_name(text);
		*(const char **)p = profile ? profile->name : NULL;
		return profile ? 0 : err_set(EINVAL, "there is no profile '%s'", text);
	}
	rc = knob->kind == KNOB_MS ? parse_duration(text, &value) : parse_u64(text, &value);
	if (rc < 0 || (knob->kind != KNOB_MS && value > UINT32_MAX))
		return err_set(EINVAL, "'%s' is not a value of %s", text, knob->word);
	if (knob->kind == KNOB_MS)
		*(uint64_t *)p = value / 1000000;
	else if (knob->kind == KNOB_U32)
		*(uint32_t *)p = (uint32_t)value;
	else
		*(unsigned int *)p = (unsigned int)value;
	return 0;
}

static const struct knob *find(const char *word)
{
	if (str_eq(word, "--verbose")) /* in older records, in which it was an option */
		word = RUN_WORD_VERBOSE;
	return array_find(knobs, ARRAY_SIZE(knobs), word, word);
}

int run_knobs_parse(struct run_knobs *k, const char *const *words, size_t count)
{
	int rc = 0;

	*k = RUN_KNOBS_DEFAULT;
	for (size_t i = 0; i < count && rc == 0; i++) {
		const struct knob *knob = find(words[i]);

		if (!knob)
			return err_set(EINVAL,
				       "'%s' is not an option that a run can be repeated with",
				       words[i]);
		if (knob->kind == KNOB_REST) {
			k->scheduler_args = words + i + 1;
			k->scheduler_arg_count = count - i - 1;
			break;
		}
		if (knob->kind == KNOB_FLAG)
			*(bool *)member_of(k, knob) = true;
		else if (++i < count)
			rc = set(k, knob, words[i]);
		else
			rc = err_set(EINVAL, "%s lacks its value", knob->word);
	}
	rc = rc ?: run_strategy_check(k);
	return rc ?: vm_sim_check(k->shift, k->slice_us);
}
