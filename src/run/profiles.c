// SPDX-License-Identifier: GPL-2.0-only
/* Enumerates the sets of optional flags of a scheduler. */
#include "run/parts.h"

/* 2^15 profiles per test are more than enough. */
#define MAX_OPTIONAL 15

uint64_t profile_bit(const struct profile_flags *flags, const char *name)
{
	const struct profile_flag *f = array_find(flags->items, flags->count, name, name);

	return f ? UINT64_C(1) << (f - flags->items) : 0;
}

uint64_t profile_mask(const struct profile_flags *flags, const struct probe_texts *names)
{
	uint64_t mask = 0;

	for (size_t i = 0; i < names->count; i++)
		mask |= profile_bit(flags, names->items[i]);
	return mask;
}

int profile_flags_read(struct profile_flags *out, const struct probe_sched *s)
{
	out->count = 0;
	if (s->flags.count > PROFILE_MAX_FLAGS)
		return err_set(EINVAL, "scheduler '%s' declares %zu flags; at most %d are possible",
			       s->name, s->flags.count, PROFILE_MAX_FLAGS);
	for (size_t i = 0; i < s->flags.count; i++)
		out->items[out->count++].name = s->flags.items[i].name;
	for (size_t i = 0; i < s->flags.count; i++)
		out->items[i].needs = profile_mask(out, &s->flags.items[i].requires_flags);
	return 0;
}

static bool is_closed(const struct profile_flags *flags, uint64_t mask)
{
	for (size_t i = 0; i < flags->count; i++)
		if (mask >> i & 1 && flags->items[i].needs & ~mask)
			return false;
	return true;
}

int profiles_list(const struct profile_flags *flags, uint64_t required, uint64_t excluded,
		  struct arena *arena, uint64_t **masks, size_t *count)
{
	uint64_t optional[PROFILE_MAX_FLAGS];
	size_t optional_count = 0;

	*count = 0;
	for (size_t i = 0; i < flags->count; i++)
		if (!((required | excluded) >> i & 1))
			optional[optional_count++] = UINT64_C(1) << i;
	if (optional_count > MAX_OPTIONAL)
		return err_set(EINVAL, "%zu optional flags are too many to combine: at most %d",
			       optional_count, MAX_OPTIONAL);
	*masks = arena_alloc(arena, sizeof(**masks) << optional_count);
	if (!*masks)
		return err_no_memory();
	for (uint64_t choice = 0; choice < UINT64_C(1) << optional_count; choice++) {
		uint64_t mask = required;

		for (size_t i = 0; i < optional_count; i++)
			if (choice >> i & 1)
				mask |= optional[i];
		if (is_closed(flags, mask))
			(*masks)[(*count)++] = mask;
	}
	if (*count == 0)
		return err_set(
			EINVAL,
			"no set of flags is possible: a required flag needs an excluded one");
	return 0;
}

const char *profile_name(const struct profile_flags *flags, uint64_t mask, struct arena *arena)
{
	_str_ struct str name = {};

	for (size_t i = 0; i < flags->count; i++)
		if (mask >> i & 1)
			str_addf(&name, "%s%s", name.len ? "+" : "", flags->items[i].name);
	if (!name.len)
		str_add(&name, "default");
	return str_check(&name) == 0 ? arena_copy(arena, name.s, name.len) : NULL;
}
