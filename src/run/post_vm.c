// SPDX-License-Identifier: GPL-2.0-only
/*
 * post_vm: after the VM has ended, runs the test's program on the host to evaluate the snapshots.
 */
#include "run/parts.h"

#include "program/protocol.h"

#define LIMIT_NS (60 * NSEC_PER_SEC)

/* A missing result counts as a failure. */
static bool has_failed(const struct outcome *out)
{
	_cleanup_(result_finish) struct ktstr_result res;

	return !outcome_get_result(out, &res) || res.verdict == KTSTR_FAILED;
}

/* Returns a file with the snapshots for the program, or with the reason why there are none. */
static int open_snapshots(const struct job *job, const struct outcome *out, const char *problem)
{
	_str_ struct str text = {};
	struct json j;
	int fd;

	if (out->snapshots.len) {
		fd = memory_file("ktstr-snapshots", out->snapshots.s, out->snapshots.len);
		return fd < 0 ? err_sys(-fd, "hand over snapshots") : fd;
	}
	if (!job_has_snapshots(job))
		problem = "they are taken of guests under a scheduler only";
	else if ((!problem || !*problem) && !vm_has_plugin(vm_arch_host(), job_accel(job)))
		problem = "no snapshot was requested; KTSTR_SNAPSHOT() works in emulated x86-64 "
			  "guests only, ktstr_capture_snapshot() in all";
	else if (!problem || !*problem)
		problem = "no snapshot was requested";
	json_init(&j, &text, false);
	json_object(&j);
	json_put_array(&j, "snapshots");
	json_array_end(&j);
	json_put_string(&j, "snapshots_unavailable", problem);
	json_object_end(&j);
	if (str_check(&text) < 0)
		return -ENOMEM;
	fd = memory_file("ktstr-snapshots", text.s, text.len);
	return fd < 0 ? err_sys(-fd, "hand over snapshots") : fd;
}

/* Stores a failure as the result, for a program that did not write one. */
static void fail(struct outcome *out, const char *why)
{
	_cleanup_(result_finish) struct ktstr_result res = {};
	struct json j;

	result_init(&res);
	result_add(&res, DETAIL_OTHER, KTSTR_FAILED, "post_vm %s", why);
	str_reset(&out->post_vm);
	json_init(&j, &out->post_vm, false);
	result_to_json(&res, &j);
}

static void take_end(struct outcome *out, int status)
{
	_str_ struct str why = {};

	if (status == -ETIMEDOUT)
		str_addf(&why, "did not end within %llu s", ULL(LIMIT_NS / NSEC_PER_SEC));
	else if (status < 0)
		str_addf(&why, "could not be run: %s", err_text(status));
	else if (status > 128)
		str_addf(&why, "was killed by signal %d (%s)", status - 128,
			 strsignal(status - 128));
	else if (status || !out->post_vm.len)
		str_addf(&why, "ended with status %d and gave no result", status);
	if (why.len)
		fail(out, str_get(&why));
	err_clear();
}

int post_vm_judge(const struct job *job, const char *problem, struct outcome *out)
{
	_cleanup_(bounded_text_finish) struct bounded_text output = {};
	const struct probe_test *t = job->variant->test;
	bool is_left = has_failed(out);
	bool is_wanted = t->has_post_vm_unconditional || (t->has_post_vm && !is_left);
	_close_ int fd = is_wanted && job->variant->program ? open_snapshots(job, out, problem) :
							      -ENOENT;
	char path[64];
	const char *argv[9] = { job->variant->program ? job->variant->program->path : NULL,
				PROGRAM_POST_VM, t->name, "--snapshots", path };
	size_t count = 5;
	int rc;

	if (fd < 0)
		return fd == -ENOENT ? 0 : fd;
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	if (is_left)
		argv[count++] = "--failed";
	argv[count] = "--result";
	rc = job_run_program(argv, fd, clock_mono_ns() + LIMIT_NS, &output, &out->post_vm);
	if (rc == -EINTR)
		return rc;
	if (output.total)
		bounded_text_get(&output, &out->output);
	take_end(out, rc);
	return 0;
}
