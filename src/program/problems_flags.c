// SPDX-License-Identifier: GPL-2.0-only
/* Compares required and excluded flags with those of the scheduler. */
#include "program/parts.h"

static const struct ktstr_flag *find(const struct ktstr_sched *s, const char *name)
{
	for (size_t i = 0; s && s->flags && s->flags[i].name; i++)
		if (str_eq(s->flags[i].name, name))
			return &s->flags[i];
	return NULL;
}

static bool is_in(const char *const *list, const char *name)
{
	for (; list && *list; list++)
		if (str_eq(*list, name))
			return true;
	return false;
}

static void unknown_flag(struct problems *p, const struct ktstr_test *t, const char *field,
			 const char *name)
{
	const struct ktstr_sched *s = t->scheduler;
	_str_ struct str valid = {};

	for (size_t i = 0; s && s->flags && s->flags[i].name; i++)
		str_addf(&valid, "%s%s", i ? ", " : "", s->flags[i].name);
	if (!valid.len)
		problem_add(p, "%s: '%s', but scheduler '%s' has no flags", field, name,
			    s ? s->name : "eevdf");
	else
		problem_add(p, "%s: unknown flag '%s'. Scheduler '%s' has: %s", field, name,
			    s->name, str_get(&valid));
}

static void check_list(struct problems *p, const struct ktstr_test *t, const char *field,
		       const char *const *list)
{
	for (; list && *list; list++)
		if (!find(t->scheduler, *list))
			unknown_flag(p, t, field, *list);
}

/*
 * A flag that a required flag requires, directly or indirectly, must not be excluded: no
 * profile would be left. depth ends the recursion if flags require each other.
 */
static void check_reachable(struct problems *p, const struct ktstr_test *t, const char *required,
			    const char *name, int depth)
{
	const struct ktstr_flag *f = find(t->scheduler, name);

	for (size_t i = 0; f && depth && f->requires_flags && f->requires_flags[i]; i++) {
		if (is_in(t->excluded_flags, f->requires_flags[i]))
			problem_add(p,
				    "required_flags: '%s' requires '%s', which excluded_flags "
				    "excludes: no profile is left",
				    required, f->requires_flags[i]);
		else
			check_reachable(p, t, required, f->requires_flags[i], depth - 1);
	}
}

void problems_of_flags(struct problems *p, const struct ktstr_test *t)
{
	check_list(p, t, "required_flags", t->required_flags);
	check_list(p, t, "excluded_flags", t->excluded_flags);
	for (const char *const *f = t->required_flags; f && *f; f++) {
		if (is_in(t->excluded_flags, *f))
			problem_add(p, "flag '%s' is both in required_flags and in excluded_flags",
				    *f);
		check_reachable(p, t, *f, *f, 4);
	}
}
