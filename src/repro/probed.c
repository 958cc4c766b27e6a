// SPDX-License-Identifier: GPL-2.0-only
/* Makes a plan from the report of the probes, and a story from their records. */
#include "repro/parts.h"

#include "base/json_tree.h"
#include "guest/scx_exit.h"

#define MAX_FUNCTIONS 64
#define APART_NS (20 * NSEC_PER_MSEC) /* real machines have delays */

struct probed {
	const struct repro_probed *request;
	struct arena arena;
	const struct json_node *report;
	struct repro_scene scene;
	struct repro_plan plan;
	struct story story;
};

static void probed_finish(struct probed *p)
{
	story_finish(&p->story);
	repro_plan_finish(&p->plan);
	repro_scene_finish(&p->scene);
	arena_finish(&p->arena);
}

/* ---- the report ---- */

static const char *text_of(const struct json_node *node, const char *key)
{
	const char *text = json_get_text(node, key);

	return text ? text : "";
}

static int add_function(struct probed *p, const struct json_node *node)
{
	struct prog_lines *all = &p->scene.programs;
	struct prog_function f = { .name = text_of(node, "name"),
				   .op = text_of(node, "op"),
				   .first = all->lines.count };
	struct prog_line line = { .file = text_of(node, "file"), .text = "" };
	struct plan_place place = { .place = { .kind = TRACE_PLACE_PROGRAM },
				    .index = (uint32_t)all->functions.count };
	uint64_t number;
	int rc = 0;

	f.program = f.name;
	json_get_u64(node, "line", &number);
	line.line = (uint32_t)number;
	if (*line.file && line.line) {
		f.count = 1;
		rc = vec_push(&all->lines, line);
	}
	rc = rc ?: vec_push(&all->functions, f);
	return rc ?: vec_push(&p->plan.places, place);
}

/* For kernel functions: programs have reported theirs. */
static int add_lines(struct probed *p)
{
	struct prog_lines *all = &p->scene.programs;
	const char *names[MAX_FUNCTIONS];
	struct source_line found[MAX_FUNCTIONS];
	size_t count = all->functions.count;
	int rc = 0;

	for (size_t i = 0; i < count; i++)
		names[i] = all->functions.items[i].name;
	source_lines_find(p->request->lines, names, count, found);
	for (size_t i = 0; i < count && rc == 0; i++) {
		struct prog_function *f = &all->functions.items[i];
		struct prog_line line = { .file = found[i].file,
					  .text = "",
					  .line = found[i].line };

		if (f->op[0] || !line.file)
			continue;
		f->first = all->lines.count;
		f->count = 1;
		rc = vec_push(&all->lines, line);
	}
	return rc;
}

static int read_report(struct probed *p)
{
	char *text = arena_copy(&p->arena, str_get(p->request->report), p->request->report->len);
	const char *problem;
	int rc = 0;

	if (!text)
		return err_no_memory();
	p->report = json_tree_read(&p->arena, text, p->request->report->len);
	if (!p->report)
		return err_wrap(-EINVAL, "the report of the probes");
	problem = json_get_text(p->report, "problem");
	if (problem)
		return err_set(EIO, "probes: %s", problem);
	json_get_u64(p->report, "exit_ns", &p->scene.time_ns);
	for (const struct json_node *n = json_get_first(p->report, "functions");
	     n && rc == 0 && p->plan.places.count < MAX_FUNCTIONS; n = n->next)
		rc = add_function(p, n);
	return rc || !p->request->lines ? rc : add_lines(p);
}

/* ---- the plan ---- */

static int make_plan(struct probed *p)
{
	const struct repro_cause *cause = &p->request->cause;

	p->plan.apart_ns = APART_NS;
	p->plan.pid = cause->exit_kind == SCX_KIND_STALL ? repro_stalled_task(cause->message) :
							   cause->pid;
	if (cause->exit_kind == SCX_KIND_STALL && !p->plan.pid)
		p->plan.pid = repro_longest_waiter(p->request->records);
	return repro_plan_read_kernel(&p->plan, p->request->types);
}

/* ---- the records ---- */

/* Probes number fields by row, a story by the fields that this kernel has. */
static bool renumber(const struct repro_plan *plan, struct trace_record *r)
{
	if (r->type != TRACE_FIELD)
		return true;
	for (uint32_t i = 0; i < plan->field_count; i++)
		if (plan->fields[i] == r->value) {
			r->value = i;
			return true;
		}
	return false;
}

static int read_records(struct probed *p)
{
	const struct str *from = p->request->records;
	size_t at = sizeof(struct trace_header);
	_str_ struct str records = {};
	int rc;

	if (from->len < at)
		return err_set(ENODATA, "the records of the probes are lost");
	str_addn(&records, from->s, at);
	for (; from->len - at >= sizeof(struct trace_record); at += sizeof(struct trace_record)) {
		struct trace_record r;

		memcpy(&r, from->s + at, sizeof(r));
		if (renumber(&p->plan, &r))
			str_addn(&records, &r, sizeof(r));
	}
	rc = str_check(&records);
	return rc ?: story_read(&p->story, &p->plan, p->request->cpu_count, records.s, records.len);
}

/* ---- text ---- */

static void add_dropped(const struct probed *p, struct str *out)
{
	const char *between = ": ";
	size_t count = 0;

	for (const struct json_node *n = json_get_first(p->report, "dropped"); n; n = n->next)
		count++;
	str_addf(out, "traceable: %zu passed, %zu dropped", p->plan.places.count, count);
	for (const struct json_node *n = json_get_first(p->report, "dropped"); n; n = n->next) {
		str_add(out, between);
		text_add_printable(out, text_of(n, "name"));
		str_add(out, " (");
		text_add_printable(out, text_of(n, "reason"));
		str_addc(out, ')');
		between = ", ";
	}
	str_addc(out, '\n');
}

static void add_pipeline(const struct probed *p, struct str *out)
{
	uint64_t all;

	json_get_u64(p->report, "records", &all);
	add_dropped(p, out);
	str_addf(out, "records: %zu of %" PRIu64 " events and the last calls%s\n",
		 p->story.record_count, all,
		 p->story.has_exit || p->story.has_wait ? "" : ", without what was looked for");
}

static void add_json(const struct probed *p, struct str *out)
{
	struct json j;

	json_init(&j, out, false);
	json_object(&j);
	json_put_bool(&j, "same_run", false);
	json_key(&j, "story");
	story_to_json(&p->story, &j);
	json_object_end(&j);
}

uint64_t repro_probed_exit(const struct str *report)
{
	_cleanup_(arena_finish) struct arena arena = {};
	char *text = arena_copy(&arena, str_get(report), report->len);
	uint64_t kind = 0;

	if (text)
		json_get_u64(json_tree_read(&arena, text, report->len), "exit_kind", &kind);
	err_clear();
	return kind;
}

int repro_probed_tell(const struct repro_probed *q, struct repro_report *out)
{
	_cleanup_(probed_finish) struct probed p = {
		.request = q, .plan = { .scene = &p.scene, .places_fd = -1, .functions_fd = -1 }
	};
	int rc = read_report(&p) ?: make_plan(&p) ?: read_records(&p);

	if (rc < 0)
		return rc;
	add_pipeline(&p, &out->pipeline);
	if (!p.story.has_exit && !p.story.has_wait)
		return 0;
	repro_add_end(&p.story, q->cause.exit_kind, &out->text);
	add_json(&p, &out->json);
	return str_check(&out->text) ?: 1;
}
