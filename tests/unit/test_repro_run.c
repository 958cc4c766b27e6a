// SPDX-License-Identifier: GPL-2.0-only
/* The second run in sim: what it is given, and what is told of it; plan and run are played. */
#include "story_fixture.h"

#include <errno.h>
#include <stdio.h>

#include "base/err.h"
#include "kernel/btf.h"
#include "repro/parts.h"
#include "trace/parts.h"

static struct vm_session seen;
static char arguments[256], digest[SHA256_HEX_SIZE];
static size_t fd_count, finished;
static int functions_fd, symbols_rc, plan_rc, run_rc;
static const char *dropped_names;

int __wrap_btf_file_open(struct btf_file *f, const char *path);
int __wrap_repro_plan_make(struct repro_plan *p, const struct repro_scene *scene,
			   const struct btf *types, const struct repro_cause *cause);
int __wrap_repro_plan_add_functions(struct repro_plan *p, const struct repro_chain *chain,
				    const struct symbols *symbols, const struct source_lines *lines,
				    struct str *dropped);
void __wrap_repro_plan_finish(struct repro_plan *p);
int __wrap_symbols_get(const struct vm_session *session, struct symbols *out);
int __wrap_run_tracer_collect(const struct vm_session *session, const char *vmlinux,
			      run_tracer_take_fn *take, void *ctx, struct vm_result *result);

int __wrap_btf_file_open(struct btf_file *f, const char *path)
{
	(void)f;
	assert_string_equal(path, "/k/vmlinux");
	return 0;
}

int __wrap_repro_plan_make(struct repro_plan *p, const struct repro_scene *scene,
			   const struct btf *types, const struct repro_cause *cause)
{
	(void)scene;
	(void)types;
	(void)cause;
	*p = rp_plan;
	p->places_fd = 41;
	p->functions_fd = -1;
	p->arguments = (struct str){};
	if (plan_rc < 0)
		return err_set(-plan_rc, "no moment");
	str_add(&p->arguments, ",pid=5");
	return 0;
}

int __wrap_repro_plan_add_functions(struct repro_plan *p, const struct repro_chain *chain,
				    const struct symbols *symbols, const struct source_lines *lines,
				    struct str *dropped)
{
	(void)chain;
	(void)symbols;
	(void)lines;
	p->functions_fd = functions_fd;
	str_add(dropped, dropped_names);
	return 0;
}

void __wrap_repro_plan_finish(struct repro_plan *p)
{
	str_finish(&p->arguments);
	finished++;
}

int __wrap_symbols_get(const struct vm_session *session, struct symbols *out)
{
	(void)session;
	*out = (struct symbols){};
	return symbols_rc < 0 ? err_set(-symbols_rc, "no symbols") : 0;
}

int __wrap_run_tracer_collect(const struct vm_session *session, const char *vmlinux,
			      run_tracer_take_fn *take, void *ctx, struct vm_result *result)
{
	assert_string_equal(vmlinux, "/k/vmlinux");
	seen = *session;
	snprintf(arguments, sizeof(arguments), "%s", session->plugin->arguments);
	fd_count = session->plugin->fd_count;
	assert_int_equal(session->plugin->fds[0], -1);
	assert_int_equal(session->plugin->fds[1], 41);
	if (fd_count > 2)
		assert_int_equal(session->plugin->fds[2], 42);
	*result = (struct vm_result){};
	snprintf(result->digest, sizeof(result->digest), "%s", digest);
	return run_rc < 0 ? err_set(-run_rc, "no run") : take(ctx, records.s, records.len);
}

/* ---- asking ---- */

#define SAME "0123456789abcdef0123"

static struct repro_report report;
static int hear(void *ctx, const struct channel_frame *frame)
{
	(void)ctx;
	(void)frame;
	return -EIO;
}

static const struct vm_session session = { .on_frame = hear,
					   .spec.topology = { 1, 1, RP_CPUS, 1 },
					   .watcher = (void *)&seen };

static int ask(const struct repro_chain *chain, bool is_given)
{
	const struct repro_request q = { .session = &session,
					 .vmlinux = "/k/vmlinux",
					 .digest = SAME,
					 .seed = 7,
					 .cause = { .exit_kind = 1025 },
					 .chain = chain,
					 .is_given = is_given };

	str_finish(&report.text);
	str_finish(&report.pipeline);
	str_finish(&report.json);
	report = (struct repro_report){};
	finished = 0;
	return repro_run(&q, &rp_scene, &report);
}

static int start(void **state)
{
	(void)state;
	functions_fd = -1;
	symbols_rc = plan_rc = run_rc = 0;
	dropped_names = "";
	snprintf(digest, sizeof(digest), SAME);
	begin(&rp_victim);
	add(TRACE_ENQUEUE, 0, RP_VICTIM, 0, 1, 0);
	add_call(0, 7, "scx_vexit", 0);
	return 0;
}

static int stop(void **state)
{
	str_finish(&report.text);
	str_finish(&report.pipeline);
	str_finish(&report.json);
	report = (struct repro_report){};
	return tear_down(state);
}

#define PLAYED(f) cmocka_unit_test_setup_teardown(f, start, stop)

static void expect_part(const struct str *text, const char *part)
{
	if (!strstr(str_get(text), part))
		fail_msg("expected '%s' in '%s'", part, str_get(text));
}

static void the_run_is_looked_at_by_the_plugin_alone(void **state)
{
	(void)state;
	assert_int_equal(ask(NULL, false), 0);
	assert_string_equal(arguments, "places=/proc/self/fd/41,pid=5");
	assert_int_equal(fd_count, 2);
	assert_null(seen.watcher);
	assert_null(seen.on_frame);
	assert_int_equal(finished, 1);
	functions_fd = 42;
	assert_int_equal(ask(NULL, false), 0);
	assert_string_equal(arguments, "places=/proc/self/fd/41,pid=5,functions=/proc/self/fd/42");
	assert_int_equal(fd_count, 3);
}

static void it_is_told_whether_it_was_the_same_run(void **state)
{
	(void)state;
	assert_int_equal(ask(NULL, false), 0);
	expect_part(&report.text,
		    "digest: 0123456789abcdef, the same run as the one that failed (seed "
		    "7)\n=== AUTO-PROBE: scx_exit fired === at ");
	expect_part(&report.text, "ERROR_BPF\n\n");
	expect_part(&report.json, "{\"digest\":\"" SAME "\",\"same_run\":true,\"story\":{");
	assert_null(strstr(str_get(&report.text), "digest of the failed run"));
	snprintf(digest, sizeof(digest), "fedcba9876543210ffff");
	assert_int_equal(ask(NULL, false), 0);
	expect_part(&report.text,
		    "digest: fedcba9876543210, another run than the one that failed (seed 7)\n"
		    "digest of the failed run: 0123456789abcdef\n");
	expect_part(&report.json, "\"same_run\":false");
}

static void what_was_looked_at_is_counted(void **state)
{
	static char *names[] = { "one", "two", "three" };
	struct repro_chain chain = { .functions = { names, 3, 0 }, .is_cut = true };

	(void)state;
	dropped_names = "two (gone)";
	assert_int_equal(ask(&chain, false), 0);
	expect_part(&report.pipeline, "backtrace: 3 functions of the kernel (there were more)\n");
	expect_part(&report.pipeline, " dropped: two (gone)");
	chain.is_cut = false;
	assert_int_equal(ask(&chain, true), 0);
	expect_part(&report.pipeline, "given: 3 functions of the kernel\n");
	chain.functions.count = 0;
	assert_int_equal(ask(&chain, false), 0);
	assert_null(strstr(str_get(&report.pipeline), "functions of the kernel"));
}

static void what_did_not_happen_again_is_told(void **state)
{
	(void)state;
	begin(NULL);
	assert_int_equal(ask(NULL, false), 0);
	expect_part(&report.text, "scheduler ran normally (crash did not reproduce)\n");
	expect_part(&report.pipeline, ", without what was looked for\n");
}

static void what_cannot_be_run_is_an_error(void **state)
{
	(void)state;
	plan_rc = -ENOENT;
	assert_int_equal(ask(NULL, false), -ENOENT);
	plan_rc = 0;
	symbols_rc = -EIO;
	assert_int_equal(ask(NULL, false), -EIO);
	assert_string_equal(err_text(-EIO), "no symbols");
	assert_int_equal(finished, 1);
	symbols_rc = 0;
	run_rc = -EIO;
	assert_int_equal(ask(NULL, false), -EIO);
	assert_string_equal(err_text(-EIO), "no run");
	assert_string_equal(str_get(&report.text), "");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		PLAYED(the_run_is_looked_at_by_the_plugin_alone),
		PLAYED(it_is_told_whether_it_was_the_same_run),
		PLAYED(what_was_looked_at_is_counted),
		PLAYED(what_did_not_happen_again_is_told),
		PLAYED(what_cannot_be_run_is_an_error),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
