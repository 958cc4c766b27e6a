// SPDX-License-Identifier: GPL-2.0-only
/* Places, prototypes, fields and times for the second run. */
#include "repro/parts.h"

#include "guest/scx_exit.h"

#define BEFORE_WAIT_NS (20U * NSEC_PER_MSEC)
#define BEFORE_EXIT_NS (50 * NSEC_PER_MSEC)
#define MAX_RECORDS (1U << 20)

const struct field_row repro_fields[REPRO_FIELDS] = {
	{ "cpus_ptr", "task_struct.cpus_ptr", "", FIELD_CPUS, 8 },
	{ "dsq_id", "task_struct.scx.ddsp_dsq_id", NULL, FIELD_DSQ, 8 },
	{ "enq_flags", "task_struct.scx.ddsp_enq_flags", NULL, FIELD_ENQ_FLAGS, 8 },
	{ "slice", "task_struct.scx.slice", NULL, FIELD_SLICE, 8 },
	{ "vtime", "task_struct.scx.dsq_vtime", NULL, FIELD_NUMBER, 8 },
	{ "weight", "task_struct.scx.weight", NULL, FIELD_NUMBER, 4 },
	{ "sticky_cpu", "task_struct.scx.sticky_cpu", NULL, FIELD_CPU, 4 },
	{ "scx_flags", "task_struct.scx.flags", NULL, FIELD_TASK_FLAGS, 4 },
	{ "queue", "task_struct.scx.dsq", "scx_dispatch_q.id", FIELD_DSQ, 8 },
};

static void add_fields(struct repro_plan *p, const struct btf *types)
{
	for (size_t i = 0; i < REPRO_FIELDS; i++) {
		const struct field_row *f = &repro_fields[i];
		uint64_t offset, behind = 0;

		if (btf_offset(types, f->path, &offset) < 0 ||
		    (f->behind && *f->behind && btf_offset(types, f->behind, &behind) < 0))
			continue;
		str_addf(&p->arguments, ",field=%llx:%x", ULL(offset), f->bytes);
		if (f->behind)
			str_addf(&p->arguments, ":%llx", ULL(behind));
		p->fields[p->field_count++] = (uint8_t)i;
	}
}

/*
 * For each operation the kernel has an empty stub function with its prototype; other programs are
 * looked up by name.
 */
static int find_prototype(struct repro_plan *p, size_t i)
{
	const struct prog_function *f = &p->scene->programs.functions.items[i];
	_str_ struct str name = {};
	int rc;

	/*
	 * A subprogram's name does not identify a prototype: the kernel may have another function
	 * of this name.
	 */
	if (f->program && !prog_function_is_first(f)) {
		p->prototypes[i] = (struct prototype){ .task = TRACE_NO_ARGUMENT };
		return 0;
	}
	str_addf(&name, *f->op ? "sched_ext_ops__%s" : "%s", *f->op ? f->op : f->name);
	rc = repro_prototype_read(&p->prototypes[i], &p->arena, p->types, str_get(&name));
	/* The stub names this argument prev_cpu, which is wrong. */
	if (rc == 0 && str_eq(f->op, "dispatch") && p->prototypes[i].count)
		p->prototypes[i].arguments[0].name = "cpu";
	return rc;
}

static int compare_places(const void *a, const void *b)
{
	const struct trace_place *x = &((const struct plan_place *)a)->place,
				 *y = &((const struct plan_place *)b)->place;

	if (x->address != y->address)
		return x->address < y->address ? -1 : 1;
	return x->kind - y->kind;
}

static int add_places(struct repro_plan *p)
{
	const struct prog_lines *all = &p->scene->programs;
	int rc = 0;

	for (size_t i = 0; i < all->functions.count && rc == 0; i++) {
		const struct prog_function *f = &all->functions.items[i];
		struct plan_place place = { .place = { .address = f->start,
						       .bytes = (uint32_t)(f->end - f->start),
						       .kind = prog_function_is_first(f) ?
								       TRACE_PLACE_PROGRAM :
								       TRACE_PLACE_CALLBACK,
						       .is_for_all = str_eq(f->op, "dispatch"),
						       .arguments = p->prototypes[i].count,
						       .task_argument = p->prototypes[i].task },
					    .index = (uint32_t)i };

		rc = vec_push(&p->places, place);
	}
	for (size_t i = 0; i < all->lines.count && rc == 0; i++)
		rc = vec_push(&p->places, (struct plan_place){
						  .place = { .address = all->lines.items[i].address,
							     .kind = TRACE_PLACE_LINE },
						  .index = (uint32_t)i });
	if (rc == 0)
		vec_sort(&p->places, compare_places);
	return rc;
}

int repro_write_table(const struct str *bytes, int *fd)
{
	int rc = str_check(bytes);

	if (rc < 0)
		return rc;
	*fd = memory_file("ktstr-places", str_get(bytes), bytes->len);
	return *fd < 0 ? err_sys(-*fd, "write down what is to be looked at") : 0;
}

static int write_places(struct repro_plan *p)
{
	_str_ struct str bytes = {};

	for (size_t i = 0; i < p->places.count; i++)
		str_addn(&bytes, &p->places.items[i].place, sizeof(struct trace_place));
	return repro_write_table(&bytes, &p->places_fd);
}

/* Names of tasks may contain brackets. */
uint32_t repro_stalled_task(const char *message)
{
	const char *end = message ? strstr(message, "] failed to run for") : NULL, *at = end;

	while (at && at > message && *at != '[')
		at--;
	return at && *at == '[' ? (uint32_t)strtoul(at + 1, NULL, 10) : 0;
}

/*
 * The task named by the kernel; if only the watchdog itself was late, the one with the longest
 * wait.
 */
static const struct task_view *find_victim(const struct repro_scene *s, const char *message)
{
	uint32_t pid = repro_stalled_task(message);
	const struct task_view *longest = NULL;

	vec_each(const struct task_view, t, &s->runnable) {
		if (pid ? t->pid == pid :
			  t->is_waiting && (!longest || t->wait_ns > longest->wait_ns))
			longest = t;
	}
	return longest;
}

static uint64_t before(uint64_t time_ns, uint64_t ns)
{
	return time_ns > ns ? time_ns - ns : 0;
}

/* Without an exit the time of the wait is unknown: the second run determines it. */
static void set_times(struct repro_plan *p)
{
	p->near_ns = p->scene->time_ns ? before(p->scene->time_ns, BEFORE_EXIT_NS) : UINT64_MAX;
	p->from_ns = p->scene->time_ns ? p->near_ns : 0;
	if (p->victim) {
		p->from_ns = before(p->scene->time_ns, p->victim->wait_ns + BEFORE_WAIT_NS);
		p->from_ns = MIN(p->from_ns, p->near_ns);
	}
	if (p->pid)
		str_addf(&p->arguments, ",pid=%x", p->pid);
	if (!p->scene->time_ns)
		str_addf(&p->arguments, ",window=%x,window_pid=%x", (unsigned int)BEFORE_WAIT_NS,
			 p->pid);
}

/* Determines the task of the story. */
static int set_task(struct repro_plan *p, const struct repro_cause *cause)
{
	if (!p->scene->programs.functions.count)
		return err_set(ENOENT, "the guest's memory shows no BPF program of the scheduler");
	if (cause->exit_kind == SCX_KIND_STALL)
		p->victim = find_victim(p->scene, cause->message);
	p->pid = p->victim ? p->victim->pid : cause->pid;
	if (!p->scene->time_ns && !p->pid)
		return err_set(ENOENT, "the kernel did not take the scheduler down, and no task "
				       "waited too long: there is no moment to look at");
	return 0;
}

int repro_plan_read_kernel(struct repro_plan *p, const struct btf *types)
{
	int rc = 0;

	p->types = types;
	p->prototypes = calloc(MAX(p->scene->programs.functions.count, 1), sizeof(*p->prototypes));
	if (!p->prototypes)
		return err_no_memory();
	for (size_t i = 0; i < p->scene->programs.functions.count && rc == 0; i++)
		rc = find_prototype(p, i);
	if (rc == 0)
		add_fields(p, types);
	return rc;
}

int repro_plan_make(struct repro_plan *p, const struct repro_scene *scene, const struct btf *types,
		    const struct repro_cause *cause)
{
	int rc;

	*p = (struct repro_plan){ .scene = scene, .places_fd = -1, .functions_fd = -1 };
	rc = set_task(p, cause);
	if (rc < 0)
		return rc;
	rc = repro_plan_read_kernel(p, types) ?: add_places(p);
	rc = rc ?: write_places(p);
	set_times(p);
	str_addf(&p->arguments, ",near=%llx,from=%llx,limit=%x", ULL(p->near_ns), ULL(p->from_ns),
		 MAX_RECORDS);
	rc = rc ?: str_check(&p->arguments);
	if (rc < 0)
		repro_plan_finish(p);
	return rc;
}

void repro_plan_finish(struct repro_plan *p)
{
	cleanup_fd(&p->places_fd);
	cleanup_fd(&p->functions_fd);
	free(p->functions.items);
	free(p->places.items);
	free(p->prototypes);
	arena_finish(&p->arena);
	str_finish(&p->arguments);
	*p = (struct repro_plan){ .places_fd = -1, .functions_fd = -1 };
}
