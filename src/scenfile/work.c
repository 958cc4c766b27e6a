// SPDX-License-Identifier: GPL-2.0-only
/* Reads what workers do: { Bursty: { burst_ms: 50 } }, Mixed, { Sequence: [...] }. */
#include <ktstr/ktstr.h>

#include "scenfile/fields.h"
#include "work/workers.h"

/* Finds a kind by name, including those that --work-type does not accept. */
static int kind_by_name(const struct scenfile_reader *r, const struct tree_node *node,
			const char *name, enum ktstr_work_kind *kind)
{
	const char *names[KTSTR_WORK_COUNT + 1] = {};
	size_t count = 0;

	for (enum ktstr_work_kind k = KTSTR_WORK_CPU_SPIN; k < KTSTR_WORK_COUNT; k++) {
		const struct work_type_info *info = work_type_info(k);

		if (!info || k == KTSTR_WORK_CUSTOM)
			continue;
		*kind = k;
		if (str_eq(info->name, name))
			return 0;
		names[count++] = info->name;
	}
	if (str_eq(name, "SpinWait")) {
		*kind = KTSTR_WORK_CPU_SPIN;
		return 0;
	}
	if (str_eq(name, "Custom"))
		return fail_at(r, node, "work Custom needs a function: write the test in C");
	return unknown_word(r, node, "work", name, names);
}

static int read_phase(const struct scenfile_reader *r, const struct tree_node *node, void *out)
{
	static const char *const keys[] = { "spin", "sleep", "yield", "io", NULL };
	struct ktstr_phase *phase = out;
	const struct tree_node *member;
	int rc = read_single(r, node, "a phase", &member);

	if (rc < 0)
		return rc;
	for (int i = 0; keys[i]; i++)
		if (str_eq(keys[i], member->key)) {
			phase->kind = i;
			return read_duration_us(r, member, &phase->us);
		}
	return unknown_word(r, member, "phase", member->key, keys);
}

static int read_phases(const struct scenfile_reader *r, const struct tree_node *node,
		       struct ktstr_work_type *type)
{
	struct ktstr_phase *phases;
	int rc = read_list(r, node, "the phases of a Sequence", sizeof(*phases), read_phase,
			   (void **)&phases);

	if (rc < 0)
		return rc;
	if (!node->count || node->count > KTSTR_MAX_PHASES)
		return fail_at(r, node, "a Sequence has 1 to %d phases, not %zu", KTSTR_MAX_PHASES,
			       node->count);
	memcpy(type->phases, phases, node->count * sizeof(*phases));
	return 0;
}

/* 0 means the default, so an explicit 0 is only possible if the default is 0. */
static bool has_zero_default(const struct work_type_info *info, const char *name)
{
	for (size_t i = 0; i < KTSTR_WORK_ARGS && info->parameters[i].name; i++)
		if (str_eq(info->parameters[i].name, name))
			return info->parameters[i].value == 0;
	return false;
}

static int read_parameters(const struct scenfile_reader *r, const struct tree_node *node,
			   struct ktstr_work_type *type)
{
	const struct work_type_info *info = work_type_info(type->kind);
	struct scenfile_field fields[KTSTR_WORK_ARGS + 1] = {};
	int rc;

	for (size_t i = 0; i < KTSTR_WORK_ARGS && info->parameters[i].name; i++)
		fields[i] = (struct scenfile_field){
			.key = info->parameters[i].name,
			.read = read_u64,
			.offset =
				offsetof(struct ktstr_work_type, args) + i * sizeof(type->args[0]),
		};
	if (!fields[0].key)
		return fail_at(r, node, "work %s has no parameters", info->name);
	rc = read_fields(r, node, fields, type, info->name);
	for (const struct tree_node *m = node->first; rc == 0 && m; m = m->next)
		if (str_eq(m->text, "0") && !has_zero_default(info, m->key))
			rc = fail_at(r, m, "%s of %s cannot be 0", m->key, info->name);
	return rc;
}

int read_work_type(const struct scenfile_reader *r, const struct tree_node *node, void *out)
{
	struct ktstr_work_type *type = out;
	const struct tree_node *member;
	int rc;

	if (node->kind == TREE_SCALAR) {
		rc = kind_by_name(r, node, node->text, &type->kind);
		if (rc == 0 && type->kind == KTSTR_WORK_SEQUENCE)
			rc = fail_at(r, node,
				     "work Sequence needs phases: { Sequence: [{ spin: 1ms }] }");
		return rc;
	}
	rc = read_single(r, node, "work", &member);
	rc = rc ?: kind_by_name(r, member, member->key, &type->kind);
	if (rc < 0)
		return rc;
	return type->kind == KTSTR_WORK_SEQUENCE ? read_phases(r, member, type) :
						   read_parameters(r, member, type);
}

int read_nice(const struct scenfile_reader *r, const struct tree_node *node, void *out)
{
	int rc = read_int(r, node, out);

	if (rc == 0 && (*(int *)out < -20 || *(int *)out > 19))
		rc = fail_at(r, node, "nice must be from -20 to 19");
	return rc;
}

static const struct scenfile_field work_fields[] = {
	FIELD(ktstr_work, workers, "workers", read_u32),
	FIELD(ktstr_work, work_type, "work", read_work_type),
	FIELD(ktstr_work, sched_policy, "policy", read_policy),
	FIELD(ktstr_work, affinity, "affinity", read_affinity),
	FIELD(ktstr_work, mem_policy, "memory", read_mem_policy),
	FIELD(ktstr_work, mpol_flags, "memory_flags", read_mpol_flags),
	FIELD(ktstr_work, nice, "nice", read_nice),
	FIELD(ktstr_work, comm, "comm", read_text),
	FIELD(ktstr_work, uclamp_min, "uclamp_min", read_u32),
	FIELD(ktstr_work, uclamp_max, "uclamp_max", read_u32),
	{},
};

/*
 * Without this check, a number of workers that does not fit would only be reported during
 * the run.
 */
int check_group(const struct scenfile_reader *r, const struct tree_node *node,
		const struct ktstr_work_type *type, uint32_t workers)
{
	unsigned int group = work_type_group(type);

	if (!workers || workers % group == 0)
		return 0;
	return fail_at(r, node, "%s requires num_workers divisible by %u, got %u",
		       work_type_info(type->kind)->name, group, workers);
}

static int read_work(const struct scenfile_reader *r, const struct tree_node *node, void *out)
{
	const struct ktstr_work *work = out;
	int rc = read_fields(r, node, work_fields, out, "a work");

	return rc < 0 ? rc : check_group(r, node, &work->work_type, work->workers);
}

int read_works(const struct scenfile_reader *r, const struct tree_node *node, void *out)
{
	struct ktstr_work *works;
	int rc = read_list(r, node, "works", sizeof(*works), read_work, (void **)&works);

	if (rc < 0)
		return rc;
	if (!node->count)
		return fail_at(r, node, "works is empty; leave it out for the default");
	works[node->count].workers = UINT32_MAX;
	*(const struct ktstr_work **)out = works;
	return 0;
}
