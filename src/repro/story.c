// SPDX-License-Identifier: GPL-2.0-only
/*
 * Two passes over the records: the first finds the end and the task of the story, the second keeps
 * what belongs to it. Records after the end are consequences.
 */
#include "repro/parts.h"

#include "trace/trace.h"

#define EXIT_CALL "scx_vexit"
#define ASK_CALL "do_enqueue_task"
#define QUEUE_CALL "dispatch_enqueue"
#define MAX_EVENTS 1024
#define MAX_LINES (1U << 20)
#define MAX_NAMES 1024
#define MAX_OPEN 4096	      /* calls of functions */
#define NEAR_NS NSEC_PER_MSEC /* between a program's call and the resulting error of the kernel */

const char *story_call_name(const struct story_event *e)
{
	const char *name = run_tracer_call_name(e->value);

	return name ? name : "a function of sched_ext";
}

const struct plan_function *story_function(const struct story *s, const struct story_event *e)
{
	return e->is_function ? &s->plan->functions.items[e->value] : NULL;
}

const struct prototype *story_prototype(const struct story *s, const struct story_event *e)
{
	const struct plan_function *f = story_function(s, e);

	return f ? &f->prototype : &s->plan->prototypes[e->value];
}

const char *story_entry_name(const struct story *s, const struct story_event *e)
{
	const struct plan_function *f = story_function(s, e);

	return f ? f->name : s->plan->scene->programs.functions.items[e->value].name;
}

/* Programs have the fields of their task. */
bool story_field_at(const struct story *s, const struct story_event *e, size_t i,
		    struct plan_field *out)
{
	const struct plan_function *f = story_function(s, e);
	const struct field_row *row;

	if (f) {
		*out = i < f->place.field_count ? f->fields[i] : (struct plan_field){};
		return i < f->place.field_count;
	}
	if (!e->has_fields || i >= s->plan->field_count)
		return false;
	row = &repro_fields[s->plan->fields[i]];
	*out = (struct plan_field){ row->name,
				    story_prototype(s, e)->task,
				    { row->kind, row->bytes, 0 } };
	return true;
}

static bool is_exit(const struct trace_record *e)
{
	const char *name = e->type == TRACE_CALL ? run_tracer_call_name(e->value) : NULL;

	return name && str_eq(name, EXIT_CALL);
}

/* Index of a program or of a line, as requested; false = another kind of place. */
static bool find_place(const struct story *s, const struct trace_record *e,
		       enum trace_place_kind kind, uint32_t *index)
{
	const struct repro_plan *p = s->plan;

	if (e->value >= p->places.count || p->places.items[e->value].place.kind != kind)
		return false;
	*index = p->places.items[e->value].index;
	return true;
}

/* A program, or a subprogram that the kernel has called. */
static bool find_program(const struct story *s, const struct trace_record *e, uint32_t *index)
{
	return find_place(s, e, TRACE_PLACE_PROGRAM, index) ||
	       find_place(s, e, TRACE_PLACE_CALLBACK, index);
}

/* ---- first pass ---- */

struct ending {
	struct story *story;
	size_t order;
	uint64_t now_ns;
	bool is_waiting; /* the task waits, since: */
	uint64_t since_ns;
	uint64_t left_ns; /* when it left a queue while it waited */
	struct {
		uint32_t pid;
		uint64_t time_ns;
		bool is_in_callback;
	} last[TRACE_MAX_CPU]; /* call of a program on this CPU */
};

/* A wait of the task is over, or the whole trace. Keeps the longest. */
static void end_wait(struct ending *end, uint16_t cpu)
{
	struct story *s = end->story;

	if (end->is_waiting &&
	    (!s->has_wait || end->now_ns - end->since_ns > s->end_ns - s->waits_from_ns)) {
		s->has_wait = true;
		s->waits_from_ns = end->since_ns;
		s->end_ns = end->now_ns;
		s->end_cpu = cpu;
		s->end_order = end->order;
	}
	end->is_waiting = false;
}

/* Leaving a queue briefly, or for that of another CPU, does not end a wait. */
static bool is_moved(const struct ending *end, const struct trace_record *e)
{
	return e->type == TRACE_ENQUEUE && end->left_ns && e->time_ns - end->left_ns <= NEAR_NS;
}

static void follow_wait(struct ending *end, const struct trace_record *e)
{
	uint32_t pid = end->story->pid;
	bool is_put_off = e->type == TRACE_SWITCH && e->arg == pid && e->value == 0;

	if (is_put_off || (e->type == TRACE_ENQUEUE && e->pid == pid)) {
		end->since_ns = is_moved(end, e) ? end->since_ns : e->time_ns;
		end->is_waiting = true;
		end->left_ns = 0;
	} else if (e->type == TRACE_SWITCH && e->pid == pid) {
		end_wait(end, e->cpu);
	} else if (e->type == TRACE_DEQUEUE && e->pid == pid) {
		end->left_ns = end->is_waiting ? e->time_ns : 0;
		end->is_waiting = false;
	}
}

/*
 * Finds the task of an exit: errors are caused by a program, or by what the kernel does next with
 * its decision. Otherwise it is the running task.
 */
static void take_exit(struct ending *end, const struct trace_record *e)
{
	struct story *s = end->story;

	s->has_exit = true;
	s->has_wait = s->pid && end->is_waiting;
	s->waits_from_ns = end->since_ns;
	s->end_ns = e->time_ns;
	s->end_cpu = e->cpu;
	s->end_pid = e->pid;
	s->end_order = end->order;
	if (end->last[e->cpu].is_in_callback)
		return;
	if (!s->pid && e->time_ns - end->last[e->cpu].time_ns <= MAX(s->plan->apart_ns, NEAR_NS))
		s->pid = end->last[e->cpu].pid;
	else if (!s->pid)
		s->pid = e->pid;
}

/* A kernel function without a task does not say whose operation it belongs to. */
static bool is_of_nobody(const struct story *s, const struct trace_record *e)
{
	uint32_t index;

	return !e->pid && find_program(s, e, &index) &&
	       !*s->plan->scene->programs.functions.items[index].op;
}

/* A callback runs for no task: an error in it does not belong to the interrupted task. */
static void follow_callback(struct ending *end, const struct trace_record *e)
{
	uint32_t index;

	if (e->type == TRACE_ENTER && !e->arg)
		end->last[e->cpu].is_in_callback =
			find_place(end->story, e, TRACE_PLACE_CALLBACK, &index);
	else if (e->type == TRACE_LEAVE && !e->arg)
		end->last[e->cpu].is_in_callback = false;
}

/* If the scheduler was not ejected, its exit is a normal one. */
static int find_end(void *ctx, const struct trace_reader *r _unused_, const struct trace_record *e)
{
	struct ending *end = ctx;
	struct story *s = end->story;

	end->order++;
	end->now_ns = e->time_ns;
	if (s->has_exit)
		return 0;
	if (s->pid)
		follow_wait(end, e);
	follow_callback(end, e);
	if (e->type == TRACE_ENTER && !e->arg && !is_of_nobody(s, e)) {
		end->last[e->cpu].pid = e->pid;
		end->last[e->cpu].time_ns = e->time_ns;
	}
	if (is_exit(e) && s->plan->scene->time_ns)
		take_exit(end, e);
	return 0;
}

/* ---- second pass ---- */

struct telling {
	struct story *story;
	struct story_event *open;      /* by CPU: the active program; order 0 = none */
	VEC(struct story_event) calls; /* of functions; other = number of the call */
	uint32_t ended;		       /* call that has ended; 0 = none; its fields follow */
	size_t order;
	bool is_over;
};

/* Tasks may change their names: keeps the last one. */
static int know_name(struct story *s, const struct trace_reader *r, uint32_t pid)
{
	struct story_who who = { .pid = pid };

	if (pid > TRACE_MAX_PID)
		return 0;
	memcpy(who.name, trace_task(r, pid)->name, sizeof(who.name));
	for (size_t i = 0; i < s->names.count; i++)
		if (s->names.items[i].pid == pid) {
			s->names.items[i] = who;
			return 0;
		}
	return s->names.count < MAX_NAMES ? vec_push(&s->names, who) : 0;
}

/* Keeps the last events. */
static int keep(struct story *s, const struct story_event *e)
{
	if (s->events.count == MAX_EVENTS) {
		memmove(s->events.items, s->events.items + MAX_EVENTS / 2,
			MAX_EVENTS / 2 * sizeof(*e));
		s->events.count = MAX_EVENTS / 2;
		s->is_cut = true;
	}
	return vec_push(&s->events, *e);
}

/*
 * Keeps events of the task, and those active at the exit; functions of other tasks may just sleep
 * there.
 */
static bool is_told(const struct telling *t, const struct story_event *e)
{
	const struct story *s = t->story;

	return (s->pid && e->pid == s->pid) ||
	       ((!e->is_over || e->is_inside) && e->cpu == s->end_cpu && s->has_exit &&
		t->is_over && (!e->is_function || e->pid == s->end_pid));
}

static bool is_dispatch(const struct story *s, const struct story_event *e)
{
	return str_eq(s->plan->scene->programs.functions.items[e->value].op, "dispatch");
}

/* The first dispatch that ended within the wait could have run the task. */
static void note_dispatch(const struct story *s, struct story_cpu *c, const struct story_event *e)
{
	if (s->has_wait && !c->has_first && (!e->is_over || e->ended_ns >= s->waits_from_ns)) {
		c->has_first = true;
		c->first = *e;
	}
	c->has_last = true;
	c->last = *e;
}

/* A program has ended, or was active at the end of the story. */
static int close_program(struct telling *t, uint32_t cpu)
{
	struct story *s = t->story;
	struct story_event e = t->open[cpu];
	int rc = 0;

	t->open[cpu] = (struct story_event){};
	if (!e.order)
		return 0;
	if (cpu < s->cpu_count && is_dispatch(s, &e))
		note_dispatch(s, &s->cpus[cpu], &e);
	if (is_told(t, &e))
		rc = keep(s, &e);
	return rc;
}

static int open_program(struct telling *t, const struct trace_record *r)
{
	int rc = close_program(t, r->cpu);
	struct story_event e = { .time_ns = r->time_ns,
				 .order = t->order,
				 .type = r->type,
				 .cpu = r->cpu,
				 .pid = r->pid,
				 .first = t->story->lines.count };

	if (rc == 0 && find_program(t->story, r, &e.value))
		t->open[r->cpu] = e;
	return rc;
}

static void set_field(struct story *s, struct story_event *e, const struct trace_record *r)
{
	struct plan_field field;

	if (r->value >= TRACE_MAX_FIELDS)
		return;
	if (!e->is_over)
		e->before[r->value] = r->number;
	e->after[r->value] = r->number;
	e->has_fields = true;
	if (r->pid == s->pid && !e->is_function && story_field_at(s, e, r->value, &field) &&
	    field.form.kind == FIELD_CPUS)
		s->mask = r->number;
}

/* Lines of calls on several CPUs are interleaved: each switch starts a new range. */
static int add_line(struct telling *t, struct story_event *e, const struct trace_record *r)
{
	struct story *s = t->story;
	uint32_t line;

	if (!find_place(s, r, TRACE_PLACE_LINE, &line) || s->lines.count == MAX_LINES)
		return 0;
	if (e->first + e->count != s->lines.count) {
		int rc = vec_reserve(&s->lines, s->lines.count + e->count + 1);

		if (rc < 0 || s->lines.count + e->count >= MAX_LINES)
			return rc;
		memcpy(s->lines.items + s->lines.count, s->lines.items + e->first,
		       e->count * sizeof(line));
		e->first = s->lines.count;
		s->lines.count += e->count;
	}
	e->count++;
	return vec_push(&s->lines, line);
}

static int take_program(struct telling *t, const struct trace_record *r)
{
	struct story_event *e = &t->open[r->cpu];

	if (r->type == TRACE_ENTER)
		return open_program(t, r);
	if (!e->order)
		return 0;
	switch (r->type) {
	case TRACE_ARGUMENT:
		if (r->value < TRACE_MAX_ARGUMENTS)
			e->arguments[r->value] = r->number;
		break;
	case TRACE_FIELD:
		set_field(t->story, e, r);
		break;
	case TRACE_LINE:
		return add_line(t, e, r);
	default: /* TRACE_LEAVE; fields that have changed follow */
		e->is_over = true;
		e->result = r->number;
		e->ended_ns = r->time_ns;
		break;
	}
	return 0;
}

/* ---- kernel functions: many may be active at once ---- */

static struct story_event *find_call(struct telling *t, uint32_t number)
{
	for (size_t i = t->calls.count; i > 0; i--)
		if (t->calls.items[i - 1].other == number)
			return &t->calls.items[i - 1];
	return NULL;
}

static int close_call(struct telling *t, struct story_event *call)
{
	struct story_event e = *call;

	*call = t->calls.items[--t->calls.count];
	e.other = 0;
	return is_told(t, &e) ? keep(t->story, &e) : 0;
}

/* Records that belong to the end of a call are complete when another record follows. */
static int close_ended(struct telling *t, const struct trace_record *r)
{
	struct story_event *e = t->ended ? find_call(t, t->ended) : NULL;

	if (!e || (r && r->type == TRACE_FIELD && r->arg == t->ended))
		return 0;
	t->ended = 0;
	return close_call(t, e);
}

static struct story_event event_of(const struct telling *t, const struct trace_record *r)
{
	return (struct story_event){ .time_ns = r->time_ns,
				     .order = t->order,
				     .type = r->type,
				     .cpu = r->cpu,
				     .pid = r->pid,
				     .other = r->arg,
				     .value = r->value };
}

static int open_call(struct telling *t, const struct trace_record *r)
{
	struct story_event e = event_of(t, r);

	if (r->value >= t->story->plan->functions.count || t->calls.count == MAX_OPEN)
		return 0;
	e.is_function = true;
	return vec_push(&t->calls, e);
}

static void end_call(struct telling *t, struct story_event *e, const struct trace_record *r)
{
	e->is_over = true;
	e->is_unseen = r->value == TRACE_UNSEEN;
	e->result = r->number;
	e->ended_ns = r->time_ns;
	t->ended = r->arg;
}

static int take_call(struct telling *t, const struct trace_record *r)
{
	struct story_event *e = find_call(t, r->arg);

	if (r->type == TRACE_ENTER)
		return e ? 0 : open_call(t, r);
	if (e && r->type == TRACE_ARGUMENT && r->value < TRACE_MAX_ARGUMENTS)
		e->arguments[r->value] = r->number;
	else if (e && r->type == TRACE_FIELD)
		set_field(t->story, e, r);
	else if (e && r->type == TRACE_LEAVE)
		end_call(t, e, r);
	return 0;
}

static bool is_of_program(const struct trace_record *r)
{
	return r->type >= TRACE_ENTER && r->type <= TRACE_LEAVE;
}

/* Returns whether the record belongs to the return of a call. */
static bool is_of_end(const struct trace_record *r)
{
	return r->type == TRACE_LEAVE || r->type == TRACE_FIELD;
}

/* Includes functions called by a program that runs for the task. */
static bool is_of_story(const struct telling *t, const struct trace_record *r)
{
	const struct story_event *open = &t->open[r->cpu];
	uint32_t pid = t->story->pid;

	if (!pid || r->type == TRACE_LENGTH || r->type == TRACE_CGROUP)
		return false;
	if (r->type == TRACE_CALL && open->order && !open->is_over && open->pid == pid)
		return true;
	return r->pid == pid || (r->type == TRACE_SWITCH && r->arg == pid);
}

static int finish_programs(struct telling *t)
{
	int rc = 0;

	for (uint32_t cpu = 0; cpu < TRACE_MAX_CPU && rc == 0; cpu++)
		rc = close_program(t, cpu);
	vec_each(struct story_event, call, &t->calls)
		call->is_inside = !call->is_over;
	return rc;
}

/* Functions that were active at the end may have returned since. */
static int finish_calls(struct telling *t)
{
	int rc = 0;

	while (t->calls.count && rc == 0)
		rc = close_call(t, &t->calls.items[0]);
	return rc;
}

/* A move to another CPU at the very end of a wait must not hide where the task was before. */
static void leave_queue(struct story *s, uint64_t now_ns)
{
	if (s->is_in_queue && s->has_wait && now_ns > s->waits_from_ns &&
	    now_ns - s->queued_ns > s->stay.to_ns - s->stay.from_ns) {
		s->stay.queue = s->queue;
		s->stay.from_ns = s->queued_ns;
		s->stay.to_ns = now_ns;
	}
	s->is_in_queue = false;
}

/* A running task is in no DSQ, nor is one that is being enqueued again. */
static void note_queue(struct story *s, const struct story_event *e)
{
	const char *call = e->type == TRACE_CALL ? story_call_name(e) : "";

	if (str_eq(call, QUEUE_CALL)) {
		leave_queue(s, e->time_ns);
		s->is_in_queue = true;
		s->queue = e->number;
		s->queued_ns = e->time_ns;
	} else if (str_eq(call, ASK_CALL) || e->type == TRACE_DEQUEUE ||
		   (e->type == TRACE_SWITCH && e->pid == s->pid)) {
		leave_queue(s, e->time_ns);
	}
}

static int tell(void *ctx, const struct trace_reader *reader, const struct trace_record *r)
{
	struct telling *t = ctx;
	struct story *s = t->story;
	struct story_event e;
	int rc = 0;

	rc = close_ended(t, r);
	if (t->is_over)
		return rc ?: (r->arg && is_of_end(r) ? take_call(t, r) : 0);
	t->is_over = ++t->order == s->end_order;
	if (rc == 0 && t->is_over && s->has_exit)
		return finish_programs(t);
	if (rc == 0 && r->type == TRACE_ENTER)
		rc = know_name(s, reader, r->pid);
	if (is_of_program(r))
		return rc ?: (r->arg ? take_call : take_program)(t, r);
	/* Records that belong to its end are complete now. */
	if (rc == 0 && t->open[r->cpu].is_over)
		rc = close_program(t, r->cpu);
	story_cpus_take(s, r);
	/* Also for switches of other tasks: the previous task ran there until now. */
	if (r->type == TRACE_SWITCH || is_of_story(t, r))
		rc = rc ?: know_name(s, reader, r->pid) ?: know_name(s, reader, r->arg);
	if (rc < 0 || !is_of_story(t, r))
		return rc;
	e = event_of(t, r);
	e.number = r->number;
	if (!t->is_over)
		note_queue(s, &e);
	rc = rc ?: keep(s, &e);
	return rc < 0 || !t->is_over ? rc : finish_programs(t);
}

static int compare_events(const void *a, const void *b)
{
	const struct story_event *x = a, *y = b;

	return ORDER(x->order, y->order);
}

static int walk_twice(struct story *s, const void *records, size_t len)
{
	struct ending *end = calloc(1, sizeof(*end));
	struct telling t = { .story = s, .open = calloc(TRACE_MAX_CPU, sizeof(*t.open)) };
	int rc = end && t.open ? 0 : err_no_memory();

	if (rc == 0) {
		end->story = s;
		rc = trace_walk(records, len, find_end, end);
		s->record_count = end->order;
		if (!s->has_exit)
			end_wait(end, 0);
	}
	rc = rc ?: trace_walk(records, len, tell, &t);
	if (rc == 0 && !t.is_over)
		rc = finish_programs(&t);
	rc = rc ?: finish_calls(&t);
	free(end);
	free(t.calls.items);
	free(t.open);
	return rc;
}

int story_read(struct story *s, const struct repro_plan *plan, size_t cpu_count,
	       const void *records, size_t len)
{
	int rc;

	*s = (struct story){ .plan = plan,
			     .pid = plan->pid,
			     .mask = plan->victim ? plan->victim->mask[0] : 0,
			     .cpu_count = cpu_count,
			     .cpus = calloc(cpu_count, sizeof(*s->cpus)) };
	rc = s->cpus ? walk_twice(s, records, len) : err_no_memory();
	if (rc < 0) {
		story_finish(s);
		return rc;
	}
	/* Programs are added when they end; sorts them by their start. */
	vec_sort(&s->events, compare_events);
	story_cpus_finish(s);
	return 0;
}

void story_finish(struct story *s)
{
	free(s->events.items);
	free(s->lines.items);
	free(s->names.items);
	free(s->cpus);
	*s = (struct story){};
}

const char *story_name(const struct story *s, uint32_t pid)
{
	const struct task_view *victim = s->plan->victim;

	/* Its name at the end, which the kernel uses in messages. */
	if (victim && victim->pid == pid && *victim->comm)
		return victim->comm;
	for (size_t i = 0; i < s->names.count; i++)
		if (s->names.items[i].pid == pid && *s->names.items[i].name)
			return s->names.items[i].name;
	vec_each(const struct task_view, t, &s->plan->scene->runnable)
		if (pid && t->pid == pid && *t->comm)
			return t->comm;
	return pid ? "task" : "idle";
}

/* The end of a subprogram decides nothing. */
static bool is_brace(const struct prog_line *l)
{
	return str_eq(l->text + strspn(l->text, " \t"), "}");
}

const struct prog_line *story_last_line(const struct story *s, const struct story_event *e)
{
	const struct prog_line *all = s->plan->scene->programs.lines.items, *head;
	size_t i = e->first + e->count;

	if (e->is_function) {
		head = &story_function(s, e)->where;
		return head->file ? head : NULL;
	}
	if (!e->count) {
		const struct prog_function *f = &s->plan->scene->programs.functions.items[e->value];

		return f->count ? &all[f->first] : NULL;
	}
	/* A program ends on the line of its declaration. */
	head = &all[s->lines.items[i - 1]];
	while (e->is_over && i > e->first + 1 &&
	       (all[s->lines.items[i - 1]].line == head->line ||
		is_brace(&all[s->lines.items[i - 1]])))
		i--;
	return &all[s->lines.items[i - 1]];
}
