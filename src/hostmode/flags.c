// SPDX-License-Identifier: GPL-2.0-only
/* The flags of the catalog on the command line. */
#include "hostmode/execute.h"
#include "scenario/catalog.h"

const struct profile_flags *host_flags(void)
{
	static struct profile_flags flags;

	if (flags.count)
		return &flags;
	for (const struct ktstr_flag *f = catalog_flags; f->name; f++)
		flags.items[flags.count++].name = f->name;
	for (const struct ktstr_flag *f = catalog_flags; f->name; f++)
		for (const char *const *needed = f->requires_flags; needed && *needed; needed++)
			flags.items[f - catalog_flags].needs |= profile_bit(&flags, *needed);
	return &flags;
}

int host_flags_unknown(const char *name)
{
	_str_ struct str valid = {};

	for (const struct ktstr_flag *f = catalog_flags; f->name; f++)
		str_addf(&valid, "%s%s", valid.len ? ", " : "", f->name);
	return err_set(EINVAL, "unknown flag: '%s'. valid flags: %s", name, str_get(&valid));
}

static int check_needs(uint64_t mask)
{
	const struct profile_flags *flags = host_flags();

	array_each(const struct profile_flag, f, flags->items, flags->count) {
		uint64_t missing = f->needs & ~mask;

		if (mask >> (f - flags->items) & 1 && missing)
			return err_set(EINVAL, "flag '%s' requires flag '%s': give both", f->name,
				       flags->items[__builtin_ctzll(missing)].name);
	}
	return 0;
}

int host_flags_parse(const char *text, uint64_t *mask)
{
	_free_ char *copy = strdup(text);
	char *rest = copy, *name;

	if (!copy)
		return err_no_memory();
	*mask = 0;
	while (*text && (name = strsep(&rest, ","))) {
		uint64_t bit = profile_bit(host_flags(), name);

		if (!bit)
			return host_flags_unknown(name);
		*mask |= bit;
	}
	return check_needs(*mask);
}
