// SPDX-License-Identifier: GPL-2.0-only
/* Checks all declarations. */
#include "program/parts.h"

void problem_add(struct problems *p, const char *fmt, ...)
{
	_str_ struct str text = {};

	if (p->what)
		str_addf(&text, "%s '%s' (%s:%d): ", p->what, p->name, p->file, p->line);
	str_add_rest(&text, fmt);
	p->failed_alloc |= texts_take(&p->sentences, str_take(&text)) < 0;
}

static void about(struct problems *p, const char *what, const char *name, const char *file,
		  int line)
{
	p->what = what;
	p->name = name ? name : "";
	p->file = file ? file : "?";
	p->line = line;
}

void problems_of_constraints(struct problems *p, const struct ktstr_constraints *c)
{
	const struct {
		const char *name;
		uint32_t min, max;
	} pairs[] = {
		{ "numa_nodes", c->min_numa_nodes, c->max_numa_nodes },
		{ "llcs", c->min_llcs, c->max_llcs },
		{ "cpus", c->min_cpus, c->max_cpus },
	};

	for (size_t i = 0; i < ARRAY_SIZE(pairs); i++)
		if (pairs[i].min > pairs[i].max)
			problem_add(p, "min_%s %u is above max_%s %u", pairs[i].name, pairs[i].min,
				    pairs[i].name, pairs[i].max);
	if (c->requires_even_cpus && c->min_cpus == c->max_cpus && c->min_cpus % 2)
		problem_add(p, "requires_even_cpus: min_cpus and max_cpus are both %u",
			    c->min_cpus);
}

static void find_equal_names(struct problems *p, const struct program_entries *e)
{
	for (size_t i = 0; i < e->test_count; i++) {
		const struct ktstr_test *t = e->tests[i];

		for (size_t k = 0; k < i && t->name; k++) {
			if (!e->tests[k]->name || !str_eq(t->name, e->tests[k]->name))
				continue;
			about(p, "test", t->name, t->file, t->line);
			problem_add(p, "name: there is another test of this name at %s:%d",
				    e->tests[k]->file, e->tests[k]->line);
			break;
		}
	}
	for (size_t i = 0; i < e->sched_count; i++) {
		const struct ktstr_sched *s = e->scheds[i];

		for (size_t k = 0; k < i && s->name; k++) {
			if (!e->scheds[k]->name || !str_eq(s->name, e->scheds[k]->name))
				continue;
			about(p, "scheduler", s->name, s->file, s->line);
			problem_add(p, "name: there is another scheduler of this name at %s:%d",
				    e->scheds[k]->file, e->scheds[k]->line);
			break;
		}
	}
}

void problems_find(struct problems *p, const struct program_entries *e)
{
	*p = (struct problems){};
	for (size_t i = 0; i < e->sched_count; i++) {
		const struct ktstr_sched *s = e->scheds[i];

		about(p, "scheduler", s->name, s->file, s->line);
		problems_of_sched(p, s);
	}
	for (size_t i = 0; i < e->test_count; i++) {
		const struct ktstr_test *t = e->tests[i];

		about(p, "test", t->name, t->file, t->line);
		problems_of_test(p, t);
	}
	find_equal_names(p, e);
}

void problems_finish(struct problems *p)
{
	texts_finish(&p->sentences);
	*p = (struct problems){};
}
