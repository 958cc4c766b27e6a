// SPDX-License-Identifier: GPL-2.0-only
/* Kernel functions: arguments and results, and fields behind pointers, from BTF. */
#include "repro/parts.h"

#include "trace/trace.h"

#define INT_SIGNED 1 /* bit of an int's encoding in BTF */
#define INT_BOOL 4

/* Structs of which only some members are of interest; tasks also have the fields of programs. */
static const struct field_row known[] = {
	{ "pid", "task_struct.pid", NULL, FIELD_NUMBER, 4 },
	{ "cpu", "rq.cpu", NULL, FIELD_SIGNED, 4 },
	{ "dsq_id", "scx_dispatch_q.id", NULL, FIELD_DSQ, 8 },
	{ "fork", "scx_init_task_args.fork", NULL, FIELD_TRUTH, 1 },
	{ "exit_kind", "scx_exit_info.kind", NULL, FIELD_EXIT_KIND, 4 },
	{ "weight", "scx_cgroup_init_args.weight", NULL, FIELD_NUMBER, 4 },
	{ "cpus", "cpumask.bits", NULL, FIELD_CPUS, 8 },
};

/* Functions from which the kernel calls operations. */
static const char *const callers[] = {
	"do_enqueue_task",   "select_task_rq_scx", "balance_one",	   "set_next_task_scx",
	"put_prev_task_scx", "task_tick_scx",	   "set_cpus_allowed_scx", "scx_enable_task",
};

_Static_assert(CHAIN_MAX + ARRAY_SIZE(callers) <= TRACE_MAX_FUNCTIONS, "there is room for all");

/* ---- prototypes ---- */

static struct decode_form form_of(const struct btf *types, uint32_t type, const char *name)
{
	uint32_t number = btf_skip_modifiers(types, type), encoding;
	struct btf_type t = btf_type_at(types, number);

	switch (btf_kind_of(&t)) {
	case BTF_PTR:
		return (struct decode_form){ .kind = FIELD_POINTER };
	case BTF_ENUM:
	case BTF_ENUM64:
		return (struct decode_form){ FIELD_ENUM, MIN(t.size_or_type, 8), number };
	case BTF_INT:
		break;
	default:
		return (struct decode_form){ .kind = FIELD_NUMBER };
	}
	if (str_eq(name, "enq_flags") || str_eq(name, "core_enq_flags"))
		return (struct decode_form){ FIELD_ENQ_FLAGS, MIN(t.size_or_type, 8), 0 };
	if (str_eq(name, "wake_flags"))
		return (struct decode_form){ FIELD_WAKE_FLAGS, MIN(t.size_or_type, 8), 0 };
	if (t.size_or_type == sizeof(uint64_t) && str_eq(name, "dsq_id"))
		return (struct decode_form){ .kind = FIELD_DSQ };
	encoding = btf_word_at(types, number, 0) >> 24;
	return (struct decode_form){ encoding & INT_BOOL   ? FIELD_TRUTH :
				     encoding & INT_SIGNED ? FIELD_SIGNED :
							     FIELD_NUMBER,
				     MIN(t.size_or_type, 8) };
}

/* The struct that a pointer refers to; 0 = none. */
static uint32_t target_of(const struct btf *types, uint32_t type)
{
	struct btf_type t = btf_type_at(types, btf_skip_modifiers(types, type));
	uint32_t number = btf_kind_of(&t) == BTF_PTR ? btf_skip_modifiers(types, t.size_or_type) :
						       0;

	t = btf_type_at(types, number);
	return btf_kind_of(&t) == BTF_STRUCT ? number : 0;
}

static int read_argument(struct argument *a, struct arena *arena, const struct btf *types,
			 const struct btf_parameter *parameter)
{
	struct btf_type t = btf_type_at(types, btf_skip_modifiers(types, parameter->type));
	/* "prev__nullable" is an annotation for the verifier; "data__sz" is not "data". */
	const char *suffix = strstr(parameter->name, "__");
	size_t len = suffix && !str_starts(suffix, "__sz") ? (size_t)(suffix - parameter->name) :
							     strlen(parameter->name);

	a->name = arena_copy(arena, parameter->name, len);
	if (!a->name)
		return err_no_memory();
	a->form = form_of(types, parameter->type, a->name);
	a->kind = btf_points_to(types, parameter->type, "task_struct") ? ARGUMENT_TASK :
		  btf_kind_of(&t) == BTF_PTR			       ? ARGUMENT_POINTER :
									 ARGUMENT_NUMBER;
	t = btf_type_at(types, target_of(types, parameter->type));
	a->target = btf_name_at(types, t.name);
	return 0;
}

int repro_prototype_read(struct prototype *proto, struct arena *arena, const struct btf *types,
			 const char *name)
{
	uint32_t function = btf_find(types, BTF_FUNC, name, strlen(name));
	uint32_t result = btf_result_of(types, function);
	struct btf_parameter parameter;

	*proto = (struct prototype){ .task = TRACE_NO_ARGUMENT,
				     .has_result = result != 0,
				     .result = form_of(types, result, "") };
	while (proto->count < TRACE_MAX_ARGUMENTS &&
	       btf_parameter_at(types, function, proto->count, &parameter)) {
		struct argument *a = &proto->arguments[proto->count];
		int rc = read_argument(a, arena, types, &parameter);

		if (rc < 0)
			return rc;
		if (str_eq(name, "scx_bpf_kick_cpu") && str_eq(a->name, "flags"))
			a->form.kind = FIELD_KICK_FLAGS;
		if (a->kind == ARGUMENT_TASK && proto->task == TRACE_NO_ARGUMENT)
			proto->task = proto->count;
		proto->count++;
	}
	return 0;
}

/* ---- fields ---- */

static void add_field(struct plan_function *f, const struct plan_field *field, uint64_t offset,
		      bool is_pointer, uint64_t behind)
{
	struct trace_function *place = &f->place;

	if (place->field_count == TRACE_MAX_FIELDS || offset > UINT32_MAX || behind > UINT32_MAX)
		return;
	place->fields[place->field_count] = (struct trace_function_field){
		.offset = (uint32_t)offset,
		.behind = (uint32_t)behind,
		.argument = field->argument,
		.bytes = (uint8_t)(field->form.bytes ? field->form.bytes : sizeof(uint64_t)),
		.is_pointer = is_pointer,
	};
	f->fields[place->field_count++] = *field;
}

/* Adds the rows of this struct; false = there are none. */
static bool add_rows(struct plan_function *f, const struct btf *types, size_t argument,
		     const struct field_row *rows, size_t count)
{
	const char *target = f->prototype.arguments[argument].target;
	bool is_known = false;

	for (size_t i = 0; i < count; i++) {
		size_t len = strcspn(rows[i].path, ".");
		uint64_t offset, behind = 0;

		if (strncmp(rows[i].path, target, len) != 0 || target[len])
			continue;
		is_known = true;
		/* The task is already recorded with the call itself. */
		if (argument == f->prototype.task && str_eq(rows[i].name, "pid"))
			continue;
		if (btf_offset(types, rows[i].path, &offset) < 0 ||
		    (rows[i].behind && *rows[i].behind &&
		     btf_offset(types, rows[i].behind, &behind) < 0))
			continue;
		add_field(f,
			  &(struct plan_field){ rows[i].name,
						(uint8_t)argument,
						{ rows[i].kind, rows[i].bytes, 0 } },
			  offset, rows[i].behind, behind);
	}
	return is_known;
}

/* Adds numbers, enums and CPU masks of a struct without rows. */
static void discover_fields(struct plan_function *f, const struct btf *types, size_t argument,
			    uint32_t target)
{
	struct btf_type t = btf_type_at(types, target);
	bool has_bit_fields = t.info >> 31;

	for (size_t i = 0; i < btf_count_of(&t); i++) {
		struct btf_member m = btf_member_at(types, target, i);
		struct plan_field field = { btf_name_at(types, m.name), (uint8_t)argument, {} };
		struct btf_type type = btf_type_at(types, btf_skip_modifiers(types, m.type));
		bool is_mask = btf_points_to(types, m.type, "cpumask");

		field.form = form_of(types, m.type, field.name);
		if (is_mask)
			field.form.kind = FIELD_CPUS;
		if (!*field.name || (has_bit_fields && m.offset >> 24) || m.offset % 8)
			continue;
		if (is_mask || btf_kind_of(&type) == BTF_INT || btf_kind_of(&type) == BTF_ENUM ||
		    btf_kind_of(&type) == BTF_ENUM64)
			add_field(f, &field, (has_bit_fields ? m.offset & 0xffffff : m.offset) / 8,
				  is_mask, 0);
	}
}

static void add_fields(struct plan_function *f, const struct btf *types)
{
	uint32_t function = btf_find(types, BTF_FUNC, f->name, strlen(f->name));
	struct btf_parameter parameter;

	for (size_t i = 0; i < f->prototype.count; i++) {
		bool is_known = add_rows(f, types, i, known, ARRAY_SIZE(known));

		is_known |= add_rows(f, types, i, repro_fields, REPRO_FIELDS);
		if (!is_known && btf_parameter_at(types, function, i, &parameter))
			discover_fields(f, types, i, target_of(types, parameter.type));
	}
}

/* ---- selecting functions ---- */

static int add_function(struct repro_plan *p, const char *name, uint64_t address, bool is_caller)
{
	struct plan_function f = { .name = arena_copy(&p->arena, name, strlen(name)),
				   .is_caller = is_caller,
				   .place.address = address };
	int rc = f.name ? repro_prototype_read(&f.prototype, &p->arena, p->types, name) :
			  err_no_memory();

	if (rc < 0)
		return rc;
	f.place.arguments = f.prototype.count;
	f.place.task_argument = f.prototype.task;
	add_fields(&f, p->types);
	return vec_push(&p->functions, f);
}

static int compare_functions(const void *a, const void *b)
{
	const struct plan_function *x = a, *y = b;

	return ORDER(x->place.address, y->place.address);
}

static int write_functions(struct repro_plan *p)
{
	_str_ struct str bytes = {};

	vec_sort(&p->functions, compare_functions);
	vec_each(const struct plan_function, f, &p->functions)
		str_addn(&bytes, &f->place, sizeof(f->place));
	return bytes.len ? repro_write_table(&bytes, &p->functions_fd) : str_check(&bytes);
}

static void add_lines(struct repro_plan *p, const struct source_lines *lines)
{
	const char *names[TRACE_MAX_FUNCTIONS];
	struct source_line found[TRACE_MAX_FUNCTIONS];
	size_t count = MIN(p->functions.count, ARRAY_SIZE(names));

	for (size_t i = 0; i < count; i++)
		names[i] = p->functions.items[i].name;
	source_lines_find(lines, names, count, found);
	for (size_t i = 0; i < count; i++)
		p->functions.items[i].where = (struct prog_line){
			.file = found[i].file,
			.text = "",
			.line = found[i].line,
		};
}

/* Symbols of kernel functions are between these. */
static const char *const bounds[] = { "_stext", "_etext" };

static bool is_code(uint64_t address, const uint64_t *bound)
{
	return !bound[0] || !bound[1] || (address >= bound[0] && address < bound[1]);
}

static void drop(const char *name, const char *reason, struct str *dropped)
{
	str_addf(dropped, "%s%s (%s)", dropped->len ? ", " : "", name, reason);
}

int repro_plan_add_functions(struct repro_plan *p, const struct repro_chain *chain,
			     const struct symbols *symbols, const struct source_lines *lines,
			     struct str *dropped)
{
	size_t given = chain ? chain->functions.count : 0, count = given + ARRAY_SIZE(callers);
	const char *names[CHAIN_MAX + ARRAY_SIZE(callers) + ARRAY_SIZE(bounds)];
	uint64_t found[ARRAY_SIZE(names)];
	int rc = 0;

	for (size_t i = 0; i < given; i++)
		names[i] = chain->functions.items[i];
	memcpy(names + given, callers, sizeof(callers));
	memcpy(names + count, bounds, sizeof(bounds));
	symbols_find_all(symbols, names, count + ARRAY_SIZE(bounds), found);
	for (size_t i = 0; i < count && rc == 0; i++) {
		bool is_usable = found[i] && is_code(found[i], found + count);

		if (is_usable && !vec_find(&p->functions, name, names[i]))
			rc = add_function(p, names[i], found[i], i >= given);
		else if (!is_usable && i < given)
			drop(names[i],
			     found[i] ? "not a function" :
					"the kernel has no such function, or several",
			     dropped);
	}
	if (rc == 0 && lines)
		add_lines(p, lines);
	return rc ?: write_functions(p);
}
