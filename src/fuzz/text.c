// SPDX-License-Identifier: GPL-2.0-only
/* Converts inputs to scenario files and to C, and scenario files, from any source, to inputs. */
#include "fuzz/input.h"
#include "fuzz/program/scenario.h"

#define SEED_LINE FUZZ_SEED_LINE
#define MACHINE_LINE "topology: "
#define STRATEGY_LINE "# strategy: " /* of delays, as for --strategy; no line = none */

static void add_op(const struct fuzz_op *op, enum fuzz_language language, struct str *out)
{
	const struct fuzz_row *row = &fuzz_rows[op->kind];
	unsigned int arg = 0;

	for (const char *c = row->formats[language]; *c; c++)
		if (*c == '%') {
			fuzz_type_add(row->types[arg], op->args[arg], language, out);
			arg++;
		} else {
			str_addc(out, *c);
		}
}

static bool is_step(const struct fuzz_input *in, size_t i)
{
	return i < in->count && in->ops[i].kind == FUZZ_OP_STEP;
}

/* ---- YAML ---- */

/* Lines without information of their own. */
static const char steps_line[] = "steps:", ops_line[] = "    ops:", groups_line[] = "cgroups:",
		  backdrop_line[] = "    allow_backdrop: true",
		  checks_line[] = "checks: { max_spread_pct: off }";

void fuzz_input_add_yaml(const struct fuzz_input *in, struct str *out)
{
	bool has_steps = false;

	str_addf(out, SEED_LINE "%u\n", in->seed);
	if (in->strategy)
		str_addf(out, STRATEGY_LINE "%s\n", fuzz_strategy(in->strategy));
	str_add(out, MACHINE_LINE);
	fuzz_type_add(FUZZ_TYPE_MACHINE, in->machine, FUZZ_YAML, out);
	str_addf(out, "\n%s\n%s\n", checks_line, groups_line);
	for (size_t i = 0; i < in->count; i++) {
		if (is_step(in, i) && !has_steps)
			str_addf(out, "%s\n", steps_line);
		has_steps |= is_step(in, i);
		add_op(&in->ops[i], FUZZ_YAML, out);
		str_addc(out, '\n');
		if (is_step(in, i) && i + 1 < in->count && !is_step(in, i + 1))
			str_addf(out, "%s\n%s\n", backdrop_line, ops_line);
	}
}

/* ---- C ---- */

/* Removes '/' and newlines, so that the text cannot end the comment. */
static void add_comment(const char *text, struct str *out)
{
	for (; *text; text++)
		str_addc(out, *text == '/' || *text == '\n' ? ' ' : *text);
}

static void add_literal(const char *text, struct str *out)
{
	str_addc(out, '"');
	for (; *text; text++)
		if (strchr("\"\\", *text) || (unsigned char)*text < ' ')
			str_addf(out, "\\%03o", (unsigned char)*text);
		else
			str_addc(out, *text);
	str_addc(out, '"');
}

static void add_head(const struct fuzz_input *in, unsigned int ms, const struct fuzz_program *p,
		     struct str *out)
{
	const char *slash = strrchr(p->scheduler, '/'), *strategy = fuzz_strategy(in->strategy);
	struct vm_topology t = {};

	fuzz_machine(in->machine, &t);
	str_add(out, "/* Written by `ktstr fuzz`: ");
	add_comment(p->why, out);
	str_add(out, " */\n#include <ktstr/ktstr.h>\n\nKTSTR_SCHEDULER(under_test, .name = ");
	add_literal(slash ? slash + 1 : p->scheduler, out);
	str_add(out, ",\n\t\t.binary_path = ");
	add_literal(p->scheduler, out);
	for (size_t i = 0; i < p->arg_count; i++) {
		str_add(out, i ? ", " : ",\n\t\t.sched_args = KTSTR_ARGS(");
		add_literal(p->args[i], out);
	}
	str_add(out, p->arg_count ? ")" : "");
	for (size_t i = 0; i < p->invariant_count; i++) {
		str_add(out, i ? ", " : ",\n\t\t.invariants = KTSTR_INVARIANT(");
		add_literal(p->invariants[i], out);
	}
	str_add(out, p->invariant_count ? ")" : "");
	str_add(out, p->ignores_weights ? ",\n\t\t.ignores_weights = true" : "");
	str_addf(
		out,
		");\n\nKTSTR_TEST(%s, .scheduler = &under_test, .numa_nodes = %u, .llcs = %u, "
		".cores = %u,\n\t   .threads = %u, .duration_ms = %u, .watchdog_timeout_s = %d, "
		".accel = \"sim\", .seed = %u,\n\t   %s%s%s.assert = { .max_spread_pct = KTSTR_OFF })\n{\n",
		p->name, t.nodes, t.llcs, t.cores, t.threads, ms, FUZZ_WATCHDOG_S, in->seed,
		strategy ? ".strategy = \"" : "", strategy ? strategy : "", strategy ? "\", " : "");
}

static void add_step(const struct fuzz_input *in, size_t *i, struct str *out)
{
	bool has_ops = *i + 1 < in->count && !is_step(in, *i + 1);

	add_op(&in->ops[*i], FUZZ_C, out);
	if (has_ops)
		str_add(out, ", .allow_backdrop = true, .ops = KTSTR_OPS(");
	while (*i + 1 < in->count && !is_step(in, *i + 1)) {
		++*i;
		str_add(out, "\n\t\t\t\t");
		add_op(&in->ops[*i], FUZZ_C, out);
		str_add(out, is_step(in, *i + 1) || *i + 1 == in->count ? ")" : ",");
	}
	str_add(out, " }");
}

static void add_scenario(const struct fuzz_input *in, const char *before, struct str *out)
{
	size_t i = 0;

	str_addf(out,
		 "\t%sktstr_run_scenario(ctx, res, &(struct ktstr_scenario_run){\n"
		 "\t\t.backdrop = { .defs = KTSTR_CGROUPS(",
		 before);
	for (; i < in->count && !is_step(in, i); i++) {
		str_add(out, i ? ",\n\t\t\t" : "\n\t\t\t");
		add_op(&in->ops[i], FUZZ_C, out);
	}
	str_add(out, ") },\n\t\t.steps = KTSTR_STEPS(");
	for (bool is_first = true; i < in->count; i++, is_first = false) {
		str_add(out, is_first ? "\n\t\t\t" : ",\n\t\t\t");
		add_step(in, &i, out);
	}
	str_add(out, ") });\n");
}

void fuzz_inputs_add_c(const struct fuzz_input *inputs, size_t count, const struct fuzz_program *p,
		       struct str *out)
{
	unsigned int ms = 0;

	for (size_t i = 0; i < count; i++)
		ms += fuzz_input_ms(&inputs[i]);
	add_head(&inputs[count - 1], ms, p, out);
	for (size_t i = 0; i < count; i++)
		add_scenario(&inputs[i], i + 1 < count ? "" : "return ", out);
	str_add(out, "}\n");
}

/* ---- reading ---- */

/* True if the line is an operation of this row. */
static bool read_op(const char *line, enum fuzz_op_kind kind, struct fuzz_op *out)
{
	const struct fuzz_row *row = &fuzz_rows[kind];
	unsigned int arg = 0;

	*out = (struct fuzz_op){ .kind = kind };
	for (const char *c = row->formats[FUZZ_YAML]; *c; c++) {
		if (*c != '%') {
			if (*line++ != *c)
				return false;
			continue;
		}
		if (fuzz_type_read(row->types[arg], &line, &out->args[arg]) < 0)
			return false;
		arg++;
	}
	return *line == '\0';
}

static bool is_known(const char *line)
{
	static const char *const lines[] = { steps_line, ops_line, groups_line, backdrop_line,
					     checks_line };

	for (size_t i = 0; i < ARRAY_SIZE(lines); i++)
		if (str_eq(line, lines[i]))
			return true;
	return *line == '\0';
}

static int read_any_op(const char *line, struct fuzz_input *in)
{
	struct fuzz_op op;

	for (enum fuzz_op_kind kind = 0; kind < FUZZ_OP_COUNT; kind++) {
		if (!read_op(line, kind, &op))
			continue;
		if (in->count == FUZZ_MAX_OPS)
			return err_set(EINVAL, "more than %d operations", FUZZ_MAX_OPS);
		in->ops[in->count++] = op;
		return 0;
	}
	return err_set(EINVAL, "no line of a scenario of `ktstr fuzz`");
}

static int read_line(const char *line, struct fuzz_input *in)
{
	uint64_t seed;
	const char *machine = line + strlen(MACHINE_LINE);

	if (is_known(line))
		return 0;
	if (str_starts(line, SEED_LINE)) {
		if (parse_u64(line + strlen(SEED_LINE), &seed) < 0 || !seed || seed > UINT32_MAX)
			return err_set(EINVAL, "the seed is not a number from 1 to %u", UINT32_MAX);
		in->seed = (uint32_t)seed;
		return 0;
	}
	if (str_starts(line, STRATEGY_LINE)) {
		line += strlen(STRATEGY_LINE);
		if (fuzz_type_read(FUZZ_TYPE_STRATEGY, &line, &in->strategy) < 0 || *line)
			return err_set(EINVAL, "there is no such strategy");
		return 0;
	}
	if (!str_starts(line, MACHINE_LINE))
		return read_any_op(line, in);
	if (fuzz_type_read(FUZZ_TYPE_MACHINE, &machine, &in->machine) < 0 || *machine)
		return err_set(EINVAL, "the topology is none of those that are tried");
	return 0;
}

int fuzz_input_parse(const char *name, const char *text, struct fuzz_input *in)
{
	unsigned int number = 1;
	int rc = 0;

	*in = (struct fuzz_input){};
	for (; *text && rc == 0; number++) {
		size_t len = strcspn(text, "\n");
		_free_ char *line = strndup(text, len);

		rc = line ? read_line(line, in) : err_no_memory();
		if (rc < 0)
			return err_wrap(rc, "%s:%u", name, number);
		text += len + (text[len] == '\n');
	}
	if (!in->count || !in->seed)
		return err_set(EINVAL, "%s: no scenario of `ktstr fuzz`", name);
	fuzz_input_repair(in);
	return 0;
}
