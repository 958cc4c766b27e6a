/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A job whose guest a test plays: what it is given is noted, and what it says is up to the test.
 * For one file of a program that is linked with --wrap.
 */
#ifndef KTSTR_TESTS_MADE_JOB_H
#define KTSTR_TESTS_MADE_JOB_H

#include "unit.h"

#include <errno.h>
#include <stdio.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "base/err.h"
#include "channel/channel.h"
#include "guest/protocol.h"
#include "run/parts.h"
#include "vm/machine.h"
#include "vm/session.h"

#define S NSEC_PER_SEC

/* ---- the guest ---- */

static struct vm_session last; /* what was asked for */
static struct str packed;      /* "path mode source|text;" of every file */
static struct str args, settings, append, prelude;
static void (*say)(const struct vm_session *s, struct vm_result *out); /* or NULL: nothing */
static uint64_t floor_mib, now_ns;
static const char *missing_library, *unhashable;
static int session_rc;

uint64_t __wrap_clock_mono_ns(void);
int __wrap_vm_session_run(const struct vm_session *s, struct vm_result *out);
void __wrap_vm_fill_spec(struct vm_spec *spec, const struct vm_qemu *qemu, enum vm_accel accel,
			 const struct kernel_image *kernel, const struct vm_topology *topology);
int __wrap_vm_memory_floor(const struct kernel_image *kernel, const struct initramfs_base *base,
			   const struct initramfs_run *run, uint64_t *mib);
int __wrap_vm_machine_identity(const struct vm_spec *spec, uint64_t channel_bytes, struct str *out);
int __wrap_vm_machine_command(const struct vm_spec *spec, uint64_t channel_bytes, struct str *out);
int __wrap_initramfs_suffix_add(const struct initramfs_run *run, struct str *out);
int __wrap_include_files_resolve(struct include_files *f, const char *const *arguments,
				 size_t count);
int __wrap_elf_closure_add(struct elf_closure *c, const struct elf_search *s, const char *path);
int __wrap_file_hash(const char *path, char out[static SHA256_HEX_SIZE]);

uint64_t __wrap_clock_mono_ns(void)
{
	return now_ns;
}

static void note_file(const struct initramfs_file *f)
{
	str_addf(&packed, "%s %o ", f->path, f->mode);
	if (f->source)
		str_addf(&packed, "<%s;", f->source);
	else
		str_addf(&packed, "'%.*s';", (int)f->len, (const char *)f->data);
}

int __wrap_vm_session_run(const struct vm_session *s, struct vm_result *out)
{
	last = *s;
	*out = (struct vm_result){ .outcome = VM_OUTCOME_EXIT };
	for (size_t i = 0; i < s->run->file_count; i++)
		note_file(&s->run->files[i]);
	for (const char *const *arg = s->run->args; *arg; arg++)
		str_addf(&args, "%s ", *arg);
	str_add(&settings, s->run->settings);
	if (s->prelude) {
		const struct initramfs_run *first = &s->prelude->first, *rest = &s->prelude->rest;

		assert_null(first->args);
		assert_ptr_equal(rest->args, s->run->args);
		assert_true(rest->has_includes && !first->has_includes);
		assert_int_equal(first->file_count + rest->file_count, s->run->file_count);
		str_addf(&prelude, "%s: %s%zu files, %zu file follows: %s", s->prelude->scheduler,
			 first->settings, first->file_count, rest->file_count, rest->files[0].path);
	}
	str_add(&append, s->spec.append ? s->spec.append : "-");
	if (s->run->environ)
		str_addf(&settings, "ENV %s\n", s->run->environ[0]);
	if (say)
		say(s, out);
	now_ns += 3 * S;
	if (session_rc < 0)
		vm_result_finish(out);
	return session_rc < 0 ? err_set(-session_rc, "QEMU cannot be started") : 0;
}

void __wrap_vm_fill_spec(struct vm_spec *spec, const struct vm_qemu *qemu, enum vm_accel accel,
			 const struct kernel_image *kernel, const struct vm_topology *topology)
{
	(void)qemu;
	(void)accel;
	*spec = (struct vm_spec){ .kernel = kernel->image, .topology = *topology };
}

int __wrap_vm_memory_floor(const struct kernel_image *kernel, const struct initramfs_base *base,
			   const struct initramfs_run *run, uint64_t *mib)
{
	(void)kernel;
	(void)base;
	(void)run;
	*mib = floor_mib;
	return 0;
}

int __wrap_vm_machine_identity(const struct vm_spec *spec, uint64_t channel_bytes, struct str *out)
{
	(void)spec;
	assert_int_equal(channel_bytes, 0);
	str_add(out, "-smp 4\n");
	return 0;
}

int __wrap_vm_machine_command(const struct vm_spec *spec, uint64_t channel_bytes, struct str *out)
{
	(void)spec;
	assert_int_equal(channel_bytes, 0);
	str_add(out, "-smp 4\n");
	return 0;
}

int __wrap_initramfs_suffix_add(const struct initramfs_run *run, struct str *out)
{
	str_add(out, run->settings);
	return 0;
}

int __wrap_include_files_resolve(struct include_files *f, const char *const *arguments,
				 size_t count)
{
	(void)f;
	(void)arguments;
	(void)count;
	return 0;
}

int __wrap_elf_closure_add(struct elf_closure *c, const struct elf_search *s, const char *path)
{
	static struct elf_missing lacking;

	(void)s;
	if (str_eq(path, "/x/script"))
		return -ENOEXEC;
	lacking =
		(struct elf_missing){ .name = (char *)missing_library, .needed_by = (char *)path };
	c->missing.items = missing_library ? malloc(sizeof(lacking)) : NULL;
	if (c->missing.items)
		memcpy(c->missing.items, &lacking, sizeof(lacking));
	c->missing.count = c->missing.items != NULL;
	return 0;
}

int __wrap_file_hash(const char *path, char out[static SHA256_HEX_SIZE])
{
	if (unhashable && str_eq(path, unhashable))
		return err_set(EIO, "cannot read %s", path);
	snprintf(out, SHA256_HEX_SIZE, "hash of %s", path);
	return 0;
}

/* ---- a job ---- */

static struct {
	struct test_program program;
	struct probe_test test;
	struct probe_sched sched;
	struct variant variant;
	struct run_kernel kernel;
	struct run_kernels kernels;
	struct run_world world;
	struct run_knobs knobs;
	struct cpulist allowed;
	struct job job;
	struct outcome out;
} made;

static int start(void **state)
{
	static const struct run_knobs knobs = RUN_KNOBS_DEFAULT;

	(void)state;
	memset(&made, 0, sizeof(made));
	made.program.path = (char *)"/t/test";
	made.test =
		(struct probe_test){ .name = (char *)"race", .duration_ms = 5000, .observe = true };
	made.variant = (struct variant){ .program = &made.program,
					 .test = &made.test,
					 .topology = { 1, 1, 4, 1 } };
	made.kernel.image.image = (char *)"/k/bzImage";
	made.kernel.base.key = (char *)"base";
	made.kernels.items.items = &made.kernel;
	made.kernels.items.count = 1;
	made.knobs = knobs;
	made.allowed.count = 2;
	made.world = (struct run_world){ .accel = VM_ACCEL_KVM,
					 .kernels = &made.kernels,
					 .allowed = &made.allowed,
					 .slow_ns = 60 * S,
					 .slow_periods = 1 };
	made.job = (struct job){
		.world = &made.world, .variant = &made.variant, .knobs = &made.knobs, .event_fd = -1
	};
	say = NULL;
	missing_library = unhashable = NULL;
	session_rc = 0;
	floor_mib = 100;
	now_ns = 1000 * S;
	unsetenv("KTSTR_VERBOSE");
	unsetenv("RUST_BACKTRACE");
	return 0;
}

static void forget(void)
{
	outcome_finish(&made.out);
	str_finish(&packed);
	str_finish(&args);
	str_finish(&settings);
	str_finish(&prelude);
	str_finish(&append);
	packed = args = settings = append = (struct str){};
}

static int stop(void **state)
{
	(void)state;
	forget();
	return 0;
}

static void run(void)
{
	int rc;

	forget();
	rc = job_run_guest(&made.job, NULL, &made.out);
	if (rc < 0)
		fail_msg("%s", err_text(rc));
}

#define MADE(f) cmocka_unit_test_setup_teardown(f, start, stop)

/* ---- what it says ---- */

static void frame(const struct vm_session *s, uint32_t type, const char *text)
{
	const struct channel_frame f = { .type = type,
					 .length = (uint32_t)strlen(text),
					 .data = (const uint8_t *)text };

	assert_int_equal(s->on_frame(s->ctx, &f), 0);
}

#endif
