// SPDX-License-Identifier: GPL-2.0-only
/* The second run and its report. */
#include "repro/parts.h"

#include "kernel/btf.h"
#include "trace/trace.h"

#define DIGEST_SHOWN 16

struct second_run {
	const struct repro_request *request;
	const struct repro_plan *plan;
	struct story story;
};

static int take_records(void *ctx, const void *records, size_t len)
{
	struct second_run *r = ctx;
	size_t cpus = vm_topology_cpus(&r->request->session->spec.topology);

	return story_read(&r->story, r->plan, cpus, records, len);
}

static int run_again(struct second_run *r, struct vm_result *result)
{
	struct vm_session session = *r->request->session;
	struct vm_plugin plugin = { .fds = { -1, r->plan->places_fd }, .fd_count = 2 };
	_str_ struct str arguments = {};

	str_addf(&arguments, "places=/proc/self/fd/%d%s", r->plan->places_fd,
		 str_get(&r->plan->arguments));
	if (r->plan->functions_fd >= 0) {
		plugin.fds[plugin.fd_count++] = r->plan->functions_fd;
		str_addf(&arguments, ",functions=/proc/self/fd/%d", r->plan->functions_fd);
	}
	if (str_check(&arguments) < 0)
		return err_no_memory();
	plugin.arguments = str_get(&arguments);
	session.plugin = &plugin;
	session.watcher = NULL;
	session.on_frame = NULL; /* frames are compared by the digest */
	return run_tracer_collect(&session, r->request->vmlinux, take_records, r, result);
}

static int add_functions(const struct repro_request *q, struct repro_plan *p, struct str *dropped)
{
	struct symbols symbols = {};
	int rc = symbols_get(q->session, &symbols);

	rc = rc ?: repro_plan_add_functions(p, q->chain, &symbols, q->lines, dropped);
	symbols_finish(&symbols);
	return rc;
}

/* Number of functions of the chain that are recorded. */
static size_t count_functions(const struct repro_plan *p)
{
	size_t count = 0;

	vec_each(const struct plan_function, f, &p->functions)
		count += !f->is_caller;
	return count;
}

static void add_chain(const struct repro_request *q, struct str *out)
{
	if (q->chain && (q->is_given || q->chain->functions.count))
		str_addf(out, "%s: %zu functions of the kernel%s\n",
			 q->is_given ? "given" : "backtrace", q->chain->functions.count,
			 q->chain->is_cut ? " (there were more)" : "");
}

void repro_add_pipeline(const struct repro_request *q, const struct repro_plan *p,
			const struct story *s, const char *dropped, struct str *out)
{
	const struct prog_lines *all = &p->scene->programs;
	size_t functions = count_functions(p), count = 0, without = 0;

	vec_each(const struct prog_function, f, &all->functions) {
		count += prog_function_is_first(f);
		without += prog_function_is_first(f) && !f->count;
	}
	str_addf(out, "extracted: %zu BPF programs with %zu places of source lines%s\n", count,
		 all->lines.count, all->is_cut ? " (there are more)" : "");
	add_chain(q, out);
	str_addf(out, "traceable: %zu passed, %zu dropped%s%s", count + functions,
		 q->chain ? q->chain->functions.count - functions : 0, *dropped ? ": " : "",
		 dropped);
	if (without)
		str_addf(out, "; %zu BPF programs without line information", without);
	str_addf(out, "\nrecords: %zu", s->record_count);
	if (p->scene->time_ns)
		str_addf(out, " from %.6fs on", (double)p->from_ns / NSEC_PER_SEC);
	str_addf(out, "%s\n", s->has_exit || s->has_wait ? "" : ", without what was looked for");
}

static void add_digest(const struct repro_request *q, const char *digest, struct str *out)
{
	bool is_same = str_eq(q->digest, digest);

	str_addf(out, "digest: %.*s, %s (seed %llu)\n", DIGEST_SHOWN, digest,
		 is_same ? "the same run as the one that failed" :
			   "another run than the one that failed",
		 ULL(q->seed));
	if (!is_same)
		str_addf(out, "digest of the failed run: %.*s\n", DIGEST_SHOWN, q->digest);
}

void repro_add_end(const struct story *s, uint64_t exit_kind, struct str *out)
{
	double end_s = (double)s->end_ns / NSEC_PER_SEC;

	if (s->has_exit) {
		str_addf(out, REPRO_TOLD "scx_exit fired === at %.6fs on cpu%u, ", end_s,
			 s->end_cpu);
		decode_exit_kind(exit_kind, out);
		str_add(out, "\n\n");
	} else if (s->has_wait) {
		str_addf(out, REPRO_TOLD "longest wait === until %.6fs on cpu%u\n\n", end_s,
			 s->end_cpu);
	} else {
		str_add(out, "scheduler ran normally (crash did not reproduce)\n");
		return;
	}
	story_add_text(s, out);
}

static void describe(const struct repro_request *q, const struct story *s, const char *digest,
		     const char *dropped, struct repro_report *out)
{
	struct json j;

	repro_add_pipeline(q, s->plan, s, dropped, &out->pipeline);
	add_digest(q, digest, &out->text);
	repro_add_end(s, q->cause.exit_kind, &out->text);
	json_init(&j, &out->json, false);
	json_object(&j);
	json_put_string(&j, "digest", digest);
	json_put_bool(&j, "same_run", str_eq(q->digest, digest));
	json_key(&j, "story");
	story_to_json(s, &j);
	json_object_end(&j);
}

static int tell(const struct repro_request *q, const struct repro_plan *plan, const char *dropped,
		struct repro_report *out)
{
	struct second_run r = { .request = q, .plan = plan };
	struct vm_result result;
	int rc = run_again(&r, &result);

	if (rc == 0) {
		describe(q, &r.story, result.digest, dropped, out);
		vm_result_finish(&result);
		rc = str_check(&out->text);
	}
	story_finish(&r.story);
	return rc;
}

int repro_run(const struct repro_request *q, const struct repro_scene *scene,
	      struct repro_report *out)
{
	_btf_file_ struct btf_file file = {};
	struct repro_plan plan = { .places_fd = -1, .functions_fd = -1 };
	_str_ struct str dropped = {};
	int rc = btf_file_open(&file, q->vmlinux);

	rc = rc ?: repro_plan_make(&plan, scene, &file.types, &q->cause);
	if (rc < 0)
		return rc;
	rc = add_functions(q, &plan, &dropped) ?: tell(q, &plan, str_get(&dropped), out);
	repro_plan_finish(&plan);
	return rc;
}
