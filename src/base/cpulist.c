// SPDX-License-Identifier: GPL-2.0-only
/* CPU lists as the kernel prints them. */
#include "base/cpulist.h"

#include "base/base.h"

struct range {
	uint64_t first, last, used, group; /* used: of every group CPUs, for strides */
};

static void skip_blanks(const char **p)
{
	while (**p == ' ' || **p == '\t' || **p == '\n')
		(*p)++;
}

static int parse_range(const char **p, struct range *r)
{
	int rc = parse_digits(p, &r->first);

	r->last = r->first;
	r->used = r->group = 1;
	if (rc == 0 && **p == '-') {
		(*p)++;
		rc = parse_digits(p, &r->last);
		if (rc == 0 && **p == ':') {
			(*p)++;
			rc = parse_digits(p, &r->used);
			if (rc == 0 && **p != '/')
				rc = -EINVAL;
			if (rc == 0) {
				(*p)++;
				rc = parse_digits(p, &r->group);
			}
		}
	}
	if (rc < 0 || r->last < r->first || r->last >= CPULIST_MAX || r->used == 0 ||
	    r->used > r->group)
		return -EINVAL;
	return 0;
}

static int parse_into(const char *text, bool *member)
{
	skip_blanks(&text);
	if (!*text)
		return 0;
	for (;;) {
		struct range r;
		int rc = parse_range(&text, &r);

		if (rc < 0)
			return rc;
		for (uint64_t cpu = r.first; cpu <= r.last; cpu++)
			member[cpu] |= (cpu - r.first) % r.group < r.used;
		skip_blanks(&text);
		if (!*text)
			return 0;
		if (*text != ',')
			return -EINVAL;
		text++;
		skip_blanks(&text);
	}
}

int cpulist_parse(const char *text, struct cpulist *out)
{
	bool member[CPULIST_MAX] = {};
	size_t count = 0;
	int rc = parse_into(text, member);

	*out = (struct cpulist){};
	if (rc < 0)
		return rc;
	for (size_t cpu = 0; cpu < CPULIST_MAX; cpu++)
		count += member[cpu];
	out->cpus = malloc((count ? count : 1) * sizeof(*out->cpus));
	if (!out->cpus)
		return -ENOMEM;
	for (unsigned int cpu = 0; cpu < CPULIST_MAX; cpu++)
		if (member[cpu])
			out->cpus[out->count++] = cpu;
	return 0;
}

void cpulist_format(const unsigned int *cpus, size_t count, struct str *out)
{
	for (size_t i = 0, end; i < count; i = end) {
		for (end = i + 1; end < count && cpus[end] == cpus[end - 1] + 1; end++)
			;
		str_addf(out, "%s%u", i ? "," : "", cpus[i]);
		if (end > i + 1)
			str_addf(out, "-%u", cpus[end - 1]);
	}
}

bool cpulist_has(const struct cpulist *l, unsigned int cpu)
{
	for (size_t i = 0; i < l->count; i++)
		if (l->cpus[i] == cpu)
			return true;
	return false;
}

void cpulist_finish(struct cpulist *l)
{
	free(l->cpus);
	*l = (struct cpulist){};
}
