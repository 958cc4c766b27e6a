// SPDX-License-Identifier: GPL-2.0-only
/* What a campaign found, how far it came, and what it never reached. */
#include "fuzz/fuzz.h"
#include "stats/bpf_coverage.h"

#define LISTED 12 /* maximum number of functions, and of line ranges per file */

static bool is_reached(const struct cover_function *f)
{
	for (size_t i = 0; i < f->lines.count; i++)
		if (f->lines.items[i].count)
			return true;
	return false;
}

static size_t reached_functions(const struct fuzz *f)
{
	size_t count = 0;

	for (size_t i = 0; i < f->bpf.functions.count; i++)
		count += is_reached(&f->bpf.functions.items[i]);
	return count;
}

/* ---- lines that were not reached ---- */

typedef void stretch_fn(void *ctx, uint32_t first, uint32_t last);

/* Calls fn for each range of unreached lines. Lines without code do not end a range. */
static void walk_unreached(const struct bpf_source *s, stretch_fn *fn, void *ctx)
{
	uint32_t first = 0, last = 0;

	vec_each(const struct bpf_source_line, l, &s->lines) {
		if (!l->count) {
			first = first ? first : l->line;
			last = l->line;
			continue;
		}
		if (first)
			fn(ctx, first, last);
		first = 0;
	}
	if (first)
		fn(ctx, first, last);
}

struct stretches {
	struct str *out;
	size_t count;
};

static void add_stretch(void *ctx, uint32_t first, uint32_t last)
{
	struct stretches *s = ctx;

	if (s->count++ >= LISTED)
		return;
	str_addf(s->out, "%s%u", s->count == 1 ? " " : ", ", first);
	if (last != first)
		str_addf(s->out, "-%u", last);
}

static void put_stretch(void *ctx, uint32_t first, uint32_t last)
{
	struct json *j = ctx;

	json_array(j);
	json_u64(j, first);
	json_u64(j, last);
	json_array_end(j);
}

static void add_source(const struct bpf_source *s, struct str *out)
{
	struct stretches all = { .out = out };

	if (s->executed == s->lines.count)
		return;
	str_addf(out, "  %s:", s->file);
	walk_unreached(s, add_stretch, &all);
	if (all.count > LISTED)
		str_addf(out, " and %zu more", all.count - LISTED);
	str_addc(out, '\n');
}

static void add_functions(const struct fuzz *f, struct str *out)
{
	size_t left = 0;

	vec_each(const struct cover_function, c, &f->bpf.functions) {
		if (is_reached(c))
			continue;
		if (left++ < LISTED)
			str_addf(out, "%s%s", left == 1 ? "  functions: " : ", ", c->name);
	}
	if (left > LISTED)
		str_addf(out, " and %zu more", left - LISTED);
	str_add(out, left ? "\n" : "");
}

/* ---- text ---- */

static void add_command(const struct fuzz *f, const struct fuzz_failure *failure, struct str *out)
{
	str_addf(out, "%s test --kernel", f->options->label);
	lab_add_word(out, lab_kernel(&f->lab));
	lab_add_word(out, failure->file);
}

/* "3 runs", "1 run" */
static void add_count(struct str *out, uint64_t count, const char *what)
{
	str_addf(out, "%llu %s%s", ULL(count), what, count == 1 ? "" : "s");
}

static void add_failure(const struct fuzz *f, const struct fuzz_failure *failure, size_t number,
			struct str *out)
{
	str_addf(out, "\n  %zu. %s\n     ", number, failure->signature);
	add_count(out, failure->runs, "scenario");
	str_addf(out, ", the first was number %llu", ULL(failure->first_run));
	if (failure->is_known) {
		str_add(out, "; known or muted\n");
		return;
	}
	str_addf(out, "; shrunk by %u runs to %zu operations", failure->tries,
		 failure->input.count);
	if (failure->before.count) {
		str_add(out, ", behind ");
		add_count(out, failure->before.count, "other scenario");
	}
	str_addc(out, '\n');
	if (failure->is_put_off) {
		str_add(out,
			"     interrupted before a test was written; the next campaign with this "
			"corpus runs its scenario again\n");
		return;
	}
	if (!failure->file) {
		str_add(out, "     not confirmed: no test of its own fails in the same way\n");
		return;
	}
	str_addf(out, "     %s", failure->file);
	if (failure->explanation)
		str_addf(out, ", explained in %s", failure->explanation);
	if (failure->trace)
		str_addf(out, ", trace in %s", failure->trace);
	str_add(out, "\n     again: ");
	add_command(f, failure, out);
	str_addc(out, '\n');
}

static void add_reach(const struct fuzz *f, const struct bpf_sources *s, struct str *out)
{
	str_addf(out,
		 "covered: %zu of %zu functions, %zu of %zu lines of BPF programs; the longest "
		 "wait was %.1f ms\n",
		 reached_functions(f), f->bpf.functions.count, s->executed, s->lines,
		 f->cover.worst_wait_us / 1000);
	if (!s->lines || s->executed == s->lines)
		return;
	str_add(out, "never reached:\n");
	add_functions(f, out);
	for (size_t i = 0; i < s->items.count; i++)
		add_source(&s->items.items[i], out);
}

static void add_totals(const struct fuzz *f, struct str *out)
{
	str_addf(out, "%s on kernel %s: ", f->options->scheduler, lab_kernel(&f->lab));
	add_count(out, f->runs, "scenario");
	str_addf(out, " in %.1f s (%.2f a second), %llu passed, %llu failed", f->seconds,
		 f->seconds > 0 ? (double)f->runs / f->seconds : 0.0, ULL(f->passed),
		 ULL(f->failed));
	if (f->skipped)
		str_addf(out, ", %llu skipped", ULL(f->skipped));
	if (f->invalid)
		str_addf(out, ", %llu could not be carried out", ULL(f->invalid));
	str_add(out, f->is_interrupted ? "; interrupted\n" : "\n");
	if (f->shrinking) {
		add_count(out, f->shrinking, "more run");
		str_add(out, " to confirm and shrink failures\n");
	}
	if (f->left_out & FUZZ_OP(OFFLINE))
		str_add(out,
			"the scheduler has no cpu_offline, so the kernel ends it when a CPU goes: "
			"CPUs stay\n");
	if (f->unconfirmed) {
		add_count(out, f->unconfirmed, "failure");
		str_add(out, " could not be repeated in a guest of its own\n");
	}
	add_count(out, f->corpus.entries.count, "input");
	str_addf(out, " in %s", f->corpus.dir);
	if (f->options->minimises)
		str_addf(out, ", %llu of them removed", ULL(f->removed));
	str_addc(out, '\n');
}

int fuzz_add_text(const struct fuzz *f, struct str *out)
{
	_bpf_sources_ struct bpf_sources s = {};
	int rc = bpf_sources_make(&s, &f->bpf, NULL);

	if (rc < 0)
		return rc;
	add_totals(f, out);
	add_reach(f, &s, out);
	if (!f->failures.count)
		str_add(out, "no failure was found\n");
	else
		str_addf(out, "\n%zu distinct failure%s:\n", f->failures.count,
			 f->failures.count == 1 ? "" : "s");
	for (size_t i = 0; i < f->failures.count; i++)
		add_failure(f, &f->failures.items[i], i + 1, out);
	return str_check(out);
}

/* ---- JSON ---- */

static void put_failure(const struct fuzz *f, const struct fuzz_failure *failure, struct json *j)
{
	_str_ struct str command = {}, scenario = {};

	if (failure->file)
		add_command(f, failure, &command);
	fuzz_input_add_yaml(&failure->input, &scenario);
	json_object(j);
	json_put_string(j, "signature", failure->signature);
	json_put_u64(j, "runs", failure->runs);
	json_put_u64(j, "first_run", failure->first_run);
	json_put_bool(j, "known", failure->is_known);
	json_put_bool(j, "put_off", failure->is_put_off);
	json_put_string(j, "file", failure->file);
	json_put_string(j, "trace", failure->trace);
	json_put_string(j, "explanation", failure->explanation);
	json_put_string(j, "command", failure->file ? str_get(&command) : NULL);
	json_put_u64(j, "operations", failure->input.count);
	json_put_u64(j, "before", failure->before.count);
	json_put_u64(j, "tries", failure->tries);
	json_put_string(j, "scenario", str_get(&scenario));
	json_put_string(j, "text", failure->text);
	json_object_end(j);
}

static void put_unreached(const struct fuzz *f, const struct bpf_sources *s, struct json *j)
{
	json_put_object(j, "never_reached");
	json_put_array(j, "functions");
	for (size_t i = 0; i < f->bpf.functions.count; i++)
		if (!is_reached(&f->bpf.functions.items[i]))
			json_string(j, f->bpf.functions.items[i].name);
	json_array_end(j);
	json_put_object(j, "lines");
	for (size_t i = 0; i < s->items.count; i++) {
		json_put_array(j, s->items.items[i].file);
		walk_unreached(&s->items.items[i], put_stretch, j);
		json_array_end(j);
	}
	json_object_end(j);
	json_object_end(j);
}

static void put_curve(const struct fuzz *f, struct json *j)
{
	json_put_array(j, "curve");
	vec_each(const struct fuzz_point, p, &f->curve) {
		json_object(j);
		json_put_double(j, "seconds", p->seconds);
		json_put_u64(j, "runs", p->runs);
		json_put_u64(j, "features", p->features);
		for (size_t k = 0; k < FUZZ_KINDS; k++)
			json_put_u64(j, fuzz_kind_names[k], p->kinds[k]);
		json_put_u64(j, "corpus", p->kept);
		json_put_u64(j, "failures", p->failures);
		json_object_end(j);
	}
	json_array_end(j);
}

int fuzz_put_json(const struct fuzz *f, struct json *j)
{
	_bpf_sources_ struct bpf_sources s = {};
	int rc = bpf_sources_make(&s, &f->bpf, NULL);

	if (rc < 0)
		return rc;
	json_object(j);
	json_put_u64(j, "schema_version", 1);
	json_put_string(j, "scheduler", f->options->scheduler);
	json_put_strings(j, "args", (const char *const *)f->options->args, f->options->arg_count);
	json_put_string(j, "kernel", lab_kernel(&f->lab));
	json_put_u64(j, "seed", f->options->seed);
	json_put_bool(j, "uniform", f->options->is_uniform);
	json_put_u64(j, "runs", f->runs);
	json_put_u64(j, "passed", f->passed);
	json_put_u64(j, "failed", f->failed);
	json_put_u64(j, "skipped", f->skipped);
	json_put_u64(j, "invalid", f->invalid);
	json_put_u64(j, "unconfirmed", f->unconfirmed);
	json_put_bool(j, "hotplug", !(f->left_out & FUZZ_OP(OFFLINE)));
	json_put_bool(j, "interrupted", f->is_interrupted);
	json_put_u64(j, "shrinking_runs", f->shrinking);
	json_put_double(j, "seconds", f->seconds);
	json_put_u64(j, "corpus", f->corpus.entries.count);
	json_put_u64(j, "removed", f->removed);
	json_put_u64(j, "features", f->cover.count);
	json_put_u64(j, "functions", f->bpf.functions.count);
	json_put_u64(j, "functions_reached", reached_functions(f));
	json_put_u64(j, "lines", s.lines);
	json_put_u64(j, "lines_reached", s.executed);
	json_put_double(j, "worst_wait_us", f->cover.worst_wait_us);
	put_curve(f, j);
	put_unreached(f, &s, j);
	json_put_array(j, "failures");
	for (size_t i = 0; i < f->failures.count; i++)
		put_failure(f, &f->failures.items[i], j);
	json_array_end(j);
	json_object_end(j);
	return 0;
}
