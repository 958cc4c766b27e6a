/* SPDX-License-Identifier: GPL-2.0-only */
/* A guest for sessions: what it says at each look, how it ends, and what was asked for it. */
#ifndef KTSTR_PLAYED_GUEST_H
#define KTSTR_PLAYED_GUEST_H

#include "unit.h"

#include <errno.h>
#include <stdio.h>
#include <unistd.h>

#include "base/err.h"
#include "base/interrupt.h"
#include "guest/protocol.h"
#include "vm/machine.h"
#include "vm/session.h"
#include "vm/template.h"

#define SECOND NSEC_PER_SEC

/* What the guest says at each look, and how it ends. */
static struct played {
	uint64_t now_ns, step_ns, starved_ns;
	unsigned int polls, ends_after;
	enum vm_end end;
	int start_rcs[2], starts, poll_rc, drain_rc, template_rc;
	const char *console, *control, *reason;
	uint32_t frame;
	const void *data;
	uint32_t length;
	struct vm_spec spec;
	struct vm_start start;
	char append[128], initrd[64], template_dir[64], settings[256], suffix[64];
	struct vm_template_request request;
	uint64_t channel_bytes;
	bool has_parent, was_built, is_hopeless, is_due, is_interrupted;
	unsigned int templates, discarded, finished, looks, watcher_ends, suffixes, times, stats;
	unsigned int requests[4], request_count, placements, serves;
	uint64_t request_at_ns;
	const char *template_console;
	bool console_is_killed;
	int console_rc;
} now;

static struct vm_session s;
static struct vm_result r;

uint64_t __wrap_clock_mono_ns(void);
uint64_t __wrap_clock_wall_ns(void);
int __wrap_vm_start(struct vm *vm, const struct vm_spec *spec, int initrd_fd,
		    const struct vm_start *start);
int __wrap_vm_poll(struct vm *vm, uint64_t timeout_ns);
void __wrap_vm_finish(struct vm *vm);
int __wrap_vm_died(struct vm *vm);
int __wrap_vm_read_console(struct vm *vm, struct str *out);
int __wrap_vm_read_control(struct vm *vm, struct str *out);
int __wrap_channel_reader_drain(struct channel_reader *reader, channel_frame_fn *fn, void *ctx);
int __wrap_channel_reader_request(struct channel_reader *reader, enum channel_request request);
uint64_t __wrap_vm_starved_ns(pid_t pid);
int __wrap_vm_template_get(const struct vm_template_request *request, struct vm_template *out);
int __wrap_vm_template_console(const struct vm_template *t, struct str *out);
int __wrap_vm_template_discard(struct vm_template *t);
int __wrap_initramfs_suffix_add(const struct initramfs_run *run, struct str *out);
int __wrap_initramfs_open(const struct initramfs_base *base, const struct str *suffix);
int __wrap_vm_machine_check(const struct vm_spec *spec);
void __wrap_vm_time_begin(struct vm_time_log *log, pid_t pid, struct qmp *qmp, size_t vcpus,
			  uint64_t timeout_ns);
int __wrap_vm_exit_stats_read(struct qmp *qmp, uint64_t timeout_ns, struct vm_exit_stats *stats);
void __wrap_vm_placement_prepare(struct vm_spec *spec, const struct plan *plan,
				 const struct roots *roots);
void __wrap_vm_placement_serve(const struct plan *plan);
int __wrap_interrupt_check(void);
int __wrap_terminal_raw(void);
int __wrap_terminal_attach(struct vm *vm, int (*look)(struct vm *vm, void *ctx), void *ctx,
			   bool *is_killed);

uint64_t __wrap_clock_mono_ns(void)
{
	return now.now_ns;
}

uint64_t __wrap_clock_wall_ns(void)
{
	return 1234;
}

int __wrap_vm_start(struct vm *vm, const struct vm_spec *spec, int initrd_fd,
		    const struct vm_start *start)
{
	int rc = now.starts < 2 ? now.start_rcs[now.starts] : 0;

	(void)initrd_fd;
	now.starts++;
	now.spec = *spec;
	now.start = *start;
	snprintf(now.initrd, sizeof(now.initrd), "%s", spec->initrd ? spec->initrd : "");
	snprintf(now.template_dir, sizeof(now.template_dir), "%s",
		 start->template_dir ? start->template_dir : "");
	*vm = (struct vm){ .spec = *spec, .watcher = start->watcher };
	vm->child.pid = 7;
	return rc ? err_set(-rc, "no start") : 0;
}

int __wrap_vm_poll(struct vm *vm, uint64_t timeout_ns)
{
	assert_int_equal(timeout_ns, 5 * NSEC_PER_MSEC);
	now.now_ns += now.step_ns;
	if (++now.polls >= now.ends_after) {
		vm->end = now.end;
		snprintf(vm->shutdown_reason, sizeof(vm->shutdown_reason), "%s",
			 now.reason ? now.reason : "");
	}
	return now.poll_rc;
}

void __wrap_vm_finish(struct vm *vm)
{
	(void)vm;
	now.finished++;
}

int __wrap_vm_died(struct vm *vm)
{
	(void)vm;
	return err_set(ECHILD, "QEMU died");
}

static int give(const char **text, struct str *out)
{
	if (*text)
		str_add(out, *text);
	*text = NULL;
	return 0;
}

int __wrap_vm_read_console(struct vm *vm, struct str *out)
{
	(void)vm;
	return give(&now.console, out);
}

int __wrap_vm_read_control(struct vm *vm, struct str *out)
{
	(void)vm;
	return give(&now.control, out);
}

int __wrap_channel_reader_drain(struct channel_reader *reader, channel_frame_fn *fn, void *ctx)
{
	const struct channel_frame frame = { .type = now.frame,
					     .length = now.length,
					     .data = now.data };

	(void)reader;
	if (!now.data)
		return now.drain_rc;
	now.data = NULL;
	return fn(ctx, &frame) ?: now.drain_rc;
}

int __wrap_channel_reader_request(struct channel_reader *reader, enum channel_request request)
{
	(void)reader;
	now.requests[now.request_count++ % 4] = request;
	now.request_at_ns = now.now_ns;
	return 0;
}

uint64_t __wrap_vm_starved_ns(pid_t pid)
{
	assert_int_equal(pid, 7);
	return now.starved_ns;
}

int __wrap_vm_template_get(const struct vm_template_request *request, struct vm_template *out)
{
	now.templates++;
	now.request = *request;
	now.channel_bytes = request->channel_bytes;
	now.has_parent = request->parent != NULL;
	snprintf(now.append, sizeof(now.append), "%s", request->spec->append);
	assert_null(request->spec->plugin);
	assert_int_equal(request->spec->sim.seed, 0);
	if (now.template_rc)
		return err_set(-now.template_rc, "no template");
	*out = (struct vm_template){ .dir = strdup("/templates/x"),
				     .key = strdup("x"),
				     .lock_fd = -1,
				     .was_built = now.was_built };
	return 0;
}

int __wrap_vm_template_console(const struct vm_template *t, struct str *out)
{
	(void)t;
	str_add(out, now.template_console ? now.template_console : "");
	return 0;
}

int __wrap_vm_template_discard(struct vm_template *t)
{
	assert_string_equal(t->dir, "/templates/x");
	now.discarded++;
	return 0;
}

int __wrap_initramfs_suffix_add(const struct initramfs_run *run, struct str *out)
{
	now.suffixes++;
	snprintf(now.settings, sizeof(now.settings), "%s", run->settings ? run->settings : "");
	str_addf(out, "suffix %u", now.suffixes);
	return 0;
}

int __wrap_initramfs_open(const struct initramfs_base *base, const struct str *suffix)
{
	assert_ptr_equal(base, s.base);
	snprintf(now.suffix, sizeof(now.suffix), "%s", str_get(suffix));
	return open("/dev/null", O_RDONLY | O_CLOEXEC);
}

int __wrap_vm_machine_check(const struct vm_spec *spec)
{
	return spec->memory_mib == 1 ? err_set(EINVAL, "too little") : 0;
}

void __wrap_vm_time_begin(struct vm_time_log *log, pid_t pid, struct qmp *qmp, size_t vcpus,
			  uint64_t timeout_ns)
{
	(void)log;
	(void)qmp;
	assert_int_equal(pid, 7);
	assert_int_equal(vcpus, 2);
	assert_int_equal(timeout_ns, SECOND);
	now.times++;
}

int __wrap_vm_exit_stats_read(struct qmp *qmp, uint64_t timeout_ns, struct vm_exit_stats *stats)
{
	(void)qmp;
	assert_int_equal(timeout_ns, SECOND);
	stats->vcpus = 2;
	now.stats++;
	return 0;
}

void __wrap_vm_placement_prepare(struct vm_spec *spec, const struct plan *plan,
				 const struct roots *roots)
{
	(void)spec;
	(void)roots;
	assert_ptr_equal(plan, s.plan);
	now.placements++;
}

void __wrap_vm_placement_serve(const struct plan *plan)
{
	assert_ptr_equal(plan, s.plan);
	now.serves++;
}

int __wrap_interrupt_check(void)
{
	return now.is_interrupted ? -EINTR : 0;
}

int __wrap_terminal_raw(void)
{
	return 0;
}

int __wrap_terminal_attach(struct vm *vm, int (*look)(struct vm *vm, void *ctx), void *ctx,
			   bool *is_killed)
{
	int rc = look(vm, ctx);

	now.now_ns += now.step_ns;
	rc = rc ?: look(vm, ctx);
	vm->end = now.end;
	*is_killed = now.console_is_killed;
	return rc ?: now.console_rc;
}

#endif
