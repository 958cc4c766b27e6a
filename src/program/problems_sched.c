// SPDX-License-Identifier: GPL-2.0-only
/* Checks a scheduler's declaration. */
#include "check/check.h"
#include "check/invariant.h"
#include "program/parts.h"

/* Words of the guest's command line that ktstr itself sets. */
static const char *const reserved_kargs[] = { "console=", "loglevel=", "init=", "rdinit=" };

/* Flag names are joined by '+' and become parts of test names. */
#define FLAG_LIMIT 32

static void check_name(struct problems *p, const struct ktstr_sched *s)
{
	if (!s->name || !s->name[0])
		problem_add(p, "name: it has none");
	else if (strpbrk(s->name, "/\\"))
		problem_add(p, "name: '/' and '\\' cannot be part of it");
}

static void check_source(struct problems *p, const struct ktstr_sched *s)
{
	bool is_builtin = s->kernel_builtin_enable || s->kernel_builtin_disable;
	int sources = !!s->binary + !!s->binary_path + is_builtin;

	if (sources != 1)
		problem_add(p,
			    "binary: give exactly one of binary, binary_path and "
			    "kernel_builtin_enable, not %d",
			    sources);
	if (is_builtin && (!s->kernel_builtin_enable || !s->kernel_builtin_disable))
		problem_add(p, "kernel_builtin_enable and kernel_builtin_disable need each other");
	if ((s->binary && !s->binary[0]) || (s->binary_path && !s->binary_path[0]))
		problem_add(p, "binary: it is empty");
	if (s->binary && strchr(s->binary, '/'))
		problem_add(p, "binary: '%s' is a path: that is binary_path", s->binary);
}

static void check_invariants(struct problems *p, const struct ktstr_sched *s)
{
	struct invariant ignored;
	size_t count = 0;

	for (; s->invariants && s->invariants[count]; count++)
		if (invariant_parse(s->invariants[count], &ignored) < 0) {
			problem_add(p, "invariants: %s", err_text(-EINVAL));
			err_clear();
		}
	if (count > INVARIANT_MAX)
		problem_add(p, "invariants: %zu are more than %d", count, INVARIANT_MAX);
	if (count && s->kernel_builtin_enable)
		problem_add(p, "invariants: a scheduler of the kernel has no BPF program");
}

static void check_topology(struct problems *p, const struct ktstr_sched *s)
{
	const struct {
		const char *name;
		uint32_t value;
	} parts[] = {
		{ "numa_nodes", s->topology.numa_nodes },
		{ "llcs", s->topology.llcs },
		{ "cores", s->topology.cores },
		{ "threads", s->topology.threads },
	};
	struct ktstr_topology t = sched_topology(s);
	bool has_any = false;

	for (size_t i = 0; i < ARRAY_SIZE(parts); i++)
		has_any |= parts[i].value != 0;
	for (size_t i = 0; has_any && i < ARRAY_SIZE(parts); i++)
		if (!parts[i].value)
			problem_add(p, "topology: %s is 0", parts[i].name);
	if (!s->nodes && t.llcs % t.numa_nodes)
		problem_add(p, "topology: %u LLCs cannot be spread evenly over %u NUMA nodes",
			    t.llcs, t.numa_nodes);
	problems_of_nodes(p, s->nodes);
}

static void check_kargs(struct problems *p, const struct ktstr_sched *s)
{
	for (size_t i = 0; s->kargs && s->kargs[i]; i++)
		for (size_t k = 0; k < ARRAY_SIZE(reserved_kargs); k++)
			if (str_starts(s->kargs[i], reserved_kargs[k]))
				problem_add(p, "kargs: '%s' would override %s of the harness",
					    s->kargs[i], reserved_kargs[k]);
}

static bool is_plain(const char *text)
{
	for (; *text; text++)
		if (isspace((unsigned char)*text) || *text == '=')
			return false;
	return true;
}

static void check_sysctls(struct problems *p, const struct ktstr_sched *s)
{
	for (size_t i = 0; s->sysctls && s->sysctls[i].key; i++) {
		const struct ktstr_sysctl *c = &s->sysctls[i];

		if (!c->key[0] || !is_plain(c->key))
			problem_add(p, "sysctls: '%s' is not a key", c->key);
		if (!c->value || !c->value[0] || !is_plain(c->value))
			problem_add(p, "sysctls: '%s' needs a value of one word", c->key);
	}
}

static const struct ktstr_flag *find_flag(const struct ktstr_sched *s, const char *name)
{
	for (size_t i = 0; s->flags && s->flags[i].name; i++)
		if (str_eq(s->flags[i].name, name))
			return &s->flags[i];
	return NULL;
}

static void check_flag(struct problems *p, const struct ktstr_sched *s, const struct ktstr_flag *f)
{
	if (!f->name[0] || strpbrk(f->name, "+/\\ "))
		problem_add(p,
			    "flags: '%s' is not a name: it must not be empty, nor contain '+', "
			    "'/', '\\' or blanks",
			    f->name);
	if (find_flag(s, f->name) != f)
		problem_add(p, "flags: '%s' is declared twice", f->name);
	for (size_t i = 0; f->requires_flags && f->requires_flags[i]; i++)
		if (!find_flag(s, f->requires_flags[i]))
			problem_add(p, "flags: '%s' requires '%s', which is not declared", f->name,
				    f->requires_flags[i]);
}

static void check_flags(struct problems *p, const struct ktstr_sched *s)
{
	size_t count = 0;

	for (; s->flags && s->flags[count].name; count++)
		check_flag(p, s, &s->flags[count]);
	if (count >= FLAG_LIMIT)
		problem_add(p, "flags: %zu of them; fewer than %d can be combined", count,
			    FLAG_LIMIT);
}

static void check_files(struct problems *p, const struct ktstr_sched *s)
{
	const char *const *def = s->config_file_def;

	if (s->cgroup_parent &&
	    (s->cgroup_parent[0] != '/' || !s->cgroup_parent[1] || strstr(s->cgroup_parent, "..")))
		problem_add(p, "cgroup_parent: '%s' is not a path of the form /name",
			    s->cgroup_parent);
	if (def && (!def[0] || !def[1] || def[2] || !strstr(def[0], "{file}")))
		problem_add(p, "config_file_def: needs an argument with {file} and a guest path");
	if (def && !s->config_file)
		problem_add(p, "config_file_def: requires config_file");
}

void problems_of_sched(struct problems *p, const struct ktstr_sched *s)
{
	struct ktstr_constraints constraints = sched_constraints(s);

	check_name(p, s);
	check_source(p, s);
	check_invariants(p, s);
	check_topology(p, s);
	check_kargs(p, s);
	check_sysctls(p, s);
	check_flags(p, s);
	check_files(p, s);
	problems_of_constraints(p, &constraints);
	if (assert_validate(&s->assert) < 0)
		problem_add(p, "%s", err_text(-EINVAL));
}
