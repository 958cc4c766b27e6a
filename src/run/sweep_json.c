// SPDX-License-Identifier: GPL-2.0-only
/* A sweep as JSON. */
#include "run/parts.h"

static const char *known(const struct str *text)
{
	return text->len ? text->s : NULL;
}

static void put_programs(const struct sweep_cell *c, struct json *j)
{
	json_put_array(j, "programs");
	for (size_t i = 0; i < c->report.programs.count; i++) {
		json_object(j);
		json_put_string(j, "name", c->report.programs.items[i].name);
		json_put_u64(j, "verified_insns", c->report.programs.items[i].verified_insns);
		json_object_end(j);
	}
	json_array_end(j);
}

/* The kernel's reason for ejecting the scheduler. */
static void put_exit(const struct sweep_cell *c, struct json *j)
{
	if (!c->report.exit_reason || !c->problem.len) {
		json_put_null(j, "exit");
		return;
	}
	json_put_object(j, "exit");
	json_put_known_u64(j, "kind", c->report.exit_kind != 0, c->report.exit_kind);
	json_put_string(j, "reason", c->report.exit_reason);
	json_put_string(j, "message", c->report.exit_message);
	json_object_end(j);
}

static void put_figures(const struct verifier_figures *f, struct json *j)
{
	if (!f->has_processed) {
		json_put_null(j, "verifier");
		return;
	}
	json_put_object(j, "verifier");
	json_put_u64(j, "processed_insns", f->processed);
	json_put_u64(j, "total_states", f->total_states);
	json_put_u64(j, "peak_states", f->peak_states);
	json_put_known_u64(j, "time_us", f->has_time, f->time_us);
	json_put_string(j, "stack_depth", f->has_stack ? f->stack : NULL);
	json_object_end(j);
}

/* Unknown for a scheduler that died before it loaded its BPF programs. */
static void put_verified(const struct sweep_cell *c, struct json *j)
{
	if (c->is_rejected || c->is_attached)
		json_put_bool(j, "verified", !c->is_rejected);
	else
		json_put_null(j, "verified");
}

static void put_cell(const struct sweep_cell *c, struct json *j)
{
	json_object(j);
	json_put_string(j, "name", c->name);
	json_put_string(j, "scheduler", c->scheduler->name);
	json_put_string(j, "kernel", c->kernel);
	json_put_string(j, "preset", c->variant.preset->name);
	json_put_string(j, "topology", topology_text(&c->variant.topology));
	json_put_string(j, "profile", c->profile);
	json_put_bool(j, "passed", sweep_cell_is_good(c));
	put_verified(c, j);
	json_put_bool(j, "attached", c->is_attached);
	json_put_bool(j, "dispatched", c->has_run);
	json_put_string(j, "end", c->has_report ? c->report.end : NULL);
	json_put_string(j, "problem",
			c->has_ended || c->problem.len ? known(&c->problem) : "not run");
	put_exit(c, j);
	put_programs(c, j);
	put_figures(&c->figures, j);
	json_put_string(j, "log", c->problem.len ? known(&c->log) : NULL);
	json_put_string(j, "dump", known(&c->dump));
	json_object_end(j);
}

void sweep_put_json(const struct sweep *s, struct json *j)
{
	size_t bad = sweep_bad_count(s);

	json_object(j);
	json_put_u64(j, "schema_version", 1);
	json_put_u64(j, "passed", s->cells.count - bad);
	json_put_u64(j, "failed", bad);
	json_put_strings(j, "left_out", s->left_out.items, s->left_out.count);
	json_put_array(j, "cells");
	for (size_t i = 0; i < s->cells.count; i++)
		put_cell(&s->cells.items[i], j);
	json_array_end(j);
	json_object_end(j);
}
