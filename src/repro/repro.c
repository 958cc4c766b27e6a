// SPDX-License-Identifier: GPL-2.0-only
/* The second run, and what is said of it. */
#include "repro/repro.h"

#include "kernel/btf.h"
#include "repro/decode.h"
#include "repro/parts.h"
#include "trace/symbols.h"
#include "trace/tracer.h"

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

/* Frames are told by the digest. */
static int ignore_frame(void *ctx _unused_, const struct channel_frame *frame _unused_)
{
	return 0;
}

static int run_again(struct second_run *r, struct vm_result *result)
{
	struct vm_session session = *r->request->session;
	_free_ char *arguments = str_fmt("places=/proc/self/fd/%d%s", r->plan->places_fd,
					 str_get(&r->plan->arguments));
	struct vm_plugin plugin = { .arguments = arguments,
				    .fds = { -1, r->plan->places_fd },
				    .fd_count = 2 };

	if (!arguments)
		return err_no_memory();
	session.plugin = &plugin;
	session.watcher = NULL;
	session.on_frame = ignore_frame;
	return run_tracer_collect(&session, r->request->vmlinux, take_records, r, result);
}

static bool is_always_traced(const char *name)
{
	for (unsigned int i = 0; i < run_tracer_call_count(); i++)
		if (str_eq(run_tracer_call_name(i), name))
			return true;
	return false;
}

/* Those of the chain that this kernel has are calls behind the tracer's own. */
static int add_chain(const struct repro_request *q, const struct btf *types, struct repro_plan *p,
		     struct str *dropped)
{
	unsigned int index = run_tracer_call_count();
	struct symbols symbols = {};
	int rc = q->chain ? symbols_get(q->session, &symbols) : 0;

	p->chain = q->chain;
	p->is_given = q->is_given;
	for (size_t i = 0; q->chain && rc == 0 && i < q->chain->functions.count; i++, index++) {
		const char *name = q->chain->functions.items[i];
		uint64_t address = symbols_find(&symbols, name);

		if (is_always_traced(name))
			continue;
		if (address && index < RUN_TRACER_MAX_CALLS)
			str_addf(&p->arguments, ",call=%u:%zu:%" PRIx64, index,
				 btf_find_parameter(types, name, "task_struct"), address);
		else
			str_addf(dropped, "%s%s (%s)", dropped->len ? ", " : "", name,
				 address ? "there are too many" : "no such function");
	}
	symbols_finish(&symbols);
	return rc ?: str_check(&p->arguments);
}

static void add_pipeline(const struct repro_plan *p, const struct story *s, const char *dropped,
			 struct str *out)
{
	const struct prog_lines *all = &p->scene->programs;
	size_t count = 0, without = 0;

	for (size_t i = 0; i < all->functions.count; i++) {
		const struct prog_function *f = &all->functions.items[i];

		count += prog_function_is_first(f);
		without += prog_function_is_first(f) && !f->count;
	}
	str_addf(out, "extracted: %zu BPF programs with %zu places of source lines%s\n", count,
		 all->lines.count, all->is_cut ? " (there are more)" : "");
	if (p->chain && (p->is_given || p->chain->functions.count))
		str_addf(out, "%s: %zu functions of the kernel%s%s\n",
			 p->is_given ? "given" : "backtrace", p->chain->functions.count,
			 *dropped ? ", dropped: " : "", dropped);
	str_addf(out, "traceable: %zu passed, 0 dropped", count);
	if (without)
		str_addf(out, "; %zu of them without line information", without);
	str_addf(out, "\nrecords: %zu from %.6fs on%s\n", s->record_count,
		 (double)p->from_ns / NSEC_PER_SEC,
		 s->has_exit || s->has_wait ? "" : ", without what was looked for");
}

static void add_digest(const struct repro_request *q, const char *digest, struct str *out)
{
	bool is_same = str_eq(q->digest, digest);

	str_addf(out, "digest: %.*s, %s (seed %llu)\n", DIGEST_SHOWN, digest,
		 is_same ? "the same run as the one that failed" :
			   "another run than the one that failed",
		 (unsigned long long)q->seed);
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

	add_pipeline(s->plan, s, dropped, &out->pipeline);
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
	struct repro_plan plan = { .places_fd = -1 };
	_str_ struct str dropped = {};
	int rc = btf_file_open(&file, q->vmlinux);

	rc = rc ?: repro_plan_make(&plan, scene, &file.types, &q->cause);
	if (rc < 0)
		return rc;
	rc = add_chain(q, &file.types, &plan, &dropped);
	rc = rc ?: tell(q, &plan, str_get(&dropped), out);
	repro_plan_finish(&plan);
	return rc;
}
