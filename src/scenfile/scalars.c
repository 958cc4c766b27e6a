// SPDX-License-Identifier: GPL-2.0-only
/* Single values of a scenario file. */
#include <math.h>

#include <ktstr/ktstr.h>

#include "cgroup/cgroup.h"
#include "scenfile/fields.h"

static const char *label(const struct tree_node *node)
{
	return node->key ? node->key : "item";
}

static int expected(const struct scenfile_reader *r, const struct tree_node *node, const char *what)
{
	if (node->kind != TREE_SCALAR)
		return fail_at(r, node, "%s must be %s, not %s", label(node), what,
			       tree_kind_name(node->kind));
	return fail_at(r, node, "%s must be %s, not '%s'", label(node), what, node->text);
}

int read_text(const struct scenfile_reader *r, const struct tree_node *node, void *out)
{
	if (node->kind != TREE_SCALAR || !*node->text)
		return expected(r, node, "a text");
	*(const char **)out = node->text;
	return 0;
}

int read_u64(const struct scenfile_reader *r, const struct tree_node *node, void *out)
{
	if (node->kind != TREE_SCALAR || parse_u64(node->text, out) < 0)
		return expected(r, node, "a whole number");
	return 0;
}

int read_i64(const struct scenfile_reader *r, const struct tree_node *node, void *out)
{
	if (node->kind != TREE_SCALAR || parse_i64(node->text, out) < 0)
		return expected(r, node, "a whole number");
	return 0;
}

/* Reads a count: 0 is a mistake, and so is an absurdly large number. */
int read_u32(const struct scenfile_reader *r, const struct tree_node *node, void *out)
{
	uint64_t value;

	if (node->kind != TREE_SCALAR || parse_u64(node->text, &value) < 0 || value == 0 ||
	    value > 1000000)
		return expected(r, node, "a number from 1 to 1000000");
	*(uint32_t *)out = (uint32_t)value;
	return 0;
}

int read_int(const struct scenfile_reader *r, const struct tree_node *node, void *out)
{
	int64_t value;

	if (node->kind != TREE_SCALAR || parse_i64(node->text, &value) < 0 || value < INT_MIN ||
	    value > INT_MAX)
		return expected(r, node, "a whole number");
	*(int *)out = (int)value;
	return 0;
}

int read_double(const struct scenfile_reader *r, const struct tree_node *node, void *out)
{
	double value;
	char *end;

	if (node->kind != TREE_SCALAR || !*node->text)
		return expected(r, node, "a number");
	value = strtod(node->text, &end);
	if (*end || !isfinite(value))
		return expected(r, node, "a number");
	*(double *)out = value;
	return 0;
}

/* "50%" or 0.5. */
int read_share(const struct scenfile_reader *r, const struct tree_node *node, void *out)
{
	char *end = NULL;
	double value = 0;

	if (node->kind == TREE_SCALAR)
		value = strtod(node->text, &end);
	if (!end || end == node->text || (*end && !str_eq(end, "%")))
		return expected(r, node, "a share such as 50% or 0.5");
	if (*end)
		value /= 100;
	if (!isfinite(value) || value < 0)
		return expected(r, node, "a share that is not negative");
	*(double *)out = value;
	return 0;
}

static int read_switch(const struct tree_node *node)
{
	static const char *const words[] = { "off", "on", "false", "true", "no", "yes" };

	for (int i = 0; node->kind == TREE_SCALAR && i < (int)ARRAY_SIZE(words); i++)
		if (str_eq(node->text, words[i]))
			return i % 2;
	return -1;
}

int read_tri(const struct scenfile_reader *r, const struct tree_node *node, void *out)
{
	int is_on = read_switch(node);

	if (is_on < 0)
		return expected(r, node, "on or off");
	*(int *)out = is_on ? KTSTR_ON : KTSTR_OFF;
	return 0;
}

int read_bool(const struct scenfile_reader *r, const struct tree_node *node, void *out)
{
	int is_on = read_switch(node);

	if (is_on < 0)
		return expected(r, node, "on or off");
	*(bool *)out = is_on;
	return 0;
}

static int read_duration(const struct scenfile_reader *r, const struct tree_node *node,
			 uint64_t unit_ns, uint64_t *out)
{
	uint64_t ns;

	if (node->kind != TREE_SCALAR || parse_duration(node->text, &ns) < 0 || ns < unit_ns)
		return expected(r, node, "a time such as 100ms, 10s or 1m30s");
	*out = ns / unit_ns;
	return 0;
}

int read_duration_ms(const struct scenfile_reader *r, const struct tree_node *node, void *out)
{
	return read_duration(r, node, NSEC_PER_MSEC, out);
}

int read_duration_us(const struct scenfile_reader *r, const struct tree_node *node, void *out)
{
	return read_duration(r, node, 1000, out);
}

int read_duration_ns(const struct scenfile_reader *r, const struct tree_node *node, void *out)
{
	return read_duration(r, node, 1, out);
}

static int read_numbers(const struct scenfile_reader *r, const struct tree_node *node,
			const char *what, void *out)
{
	_cleanup_(cpulist_finish) struct cpulist list = {};

	if (node->kind != TREE_SCALAR || cpulist_parse(node->text, &list) < 0 || !list.count)
		return expected(r, node, what);
	*(const char **)out = node->text;
	return 0;
}

int read_cpus(const struct scenfile_reader *r, const struct tree_node *node, void *out)
{
	return read_numbers(r, node, "a list of CPUs such as 0-3,5", out);
}

int read_nodes(const struct scenfile_reader *r, const struct tree_node *node, void *out)
{
	return read_numbers(r, node, "a list of NUMA nodes such as 0-1", out);
}

int read_cgroup_name(const struct scenfile_reader *r, const struct tree_node *node, void *out)
{
	if (node->kind != TREE_SCALAR)
		return expected(r, node, "the name of a cgroup");
	if (cgroup_check_name(node->text) < 0)
		return fail_at(r, node, "%s", err_text(-EINVAL));
	*(const char **)out = node->text;
	return 0;
}

int read_texts(const struct scenfile_reader *r, const struct tree_node *node, void *out)
{
	return read_list(r, node, "a list of words", sizeof(const char *), read_text, out);
}
