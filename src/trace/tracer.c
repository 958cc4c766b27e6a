// SPDX-License-Identifier: GPL-2.0-only
/* Builds the plugin's arguments from a kernel's symbols and types. */
#include "trace/parts.h"

#include <sys/mman.h>

#include "kernel/btf.h"

struct run_tracer {
	struct vm_plugin plugin;
	struct str option;
};

/* clang-format off */
static const struct {
	const char *argument, *symbol;
	bool is_needed;
} addresses[] = {
	{ "fn_switch", "__switch_to", true },
	{ "fn_enqueue", "enqueue_task", false },
	{ "fn_dequeue", "dequeue_task", false },
	{ "fn_wakeup", "try_to_wake_up", false },
	{ "fn_migrate", "set_task_cpu", false },
	{ "runqueues", "runqueues", true },
	{ "cpu_number", "cpu_number", true },
};

/* The first path that exists in the kernel's BTF is used. */
static const struct {
	const char *argument, *paths[3];
	bool is_needed;
} members[] = {
	{ "rq_clock", { "rq.clock" }, true },
	{ "rq_cpu", { "rq.cpu" }, true },
	{ "rq_nr_running", { "rq.nr_running" }, false },
	{ "rq_local_nr", { "rq.scx.local_dsq.nr" }, false },
	{ "task_pid", { "task_struct.pid" }, true },
	{ "task_comm", { "task_struct.comm" }, true },
	{ "task_state", { "task_struct.__state", "task_struct.state" }, false },
	{ "task_cpu", { "task_struct.thread_info.cpu", "task_struct.cpu" }, false },
	{ "task_cgroups", { "task_struct.cgroups" }, false },
	{ "css_set_cgroup", { "css_set.dfl_cgrp" }, false },
	{ "cgroup_kn", { "cgroup.kn" }, false },
	{ "kn_name", { "kernfs_node.name" }, false },
	{ "kn_parent", { "kernfs_node.__parent", "kernfs_node.parent" }, false },
};

/* clang-format on */

static const struct {
	const char *symbol;
	int argument;
	const char *type, *path;
} calls[] = {
#define CALL(symbol, argument) { #symbol, argument, NULL, NULL },
#define CALL_BEHIND(symbol, type, member) { #symbol, 0, #type, #type "." #member },
#include "trace/calls.def"
#undef CALL
#undef CALL_BEHIND
};

const char *run_tracer_call_name(unsigned int index)
{
	return index < ARRAY_SIZE(calls) ? calls[index].symbol : NULL;
}

static int add_addresses(const struct symbols *s, struct str *option)
{
	for (size_t i = 0; i < ARRAY_SIZE(addresses); i++) {
		uint64_t address = symbols_find(s, addresses[i].symbol);

		if (address)
			str_addf(option, ",%s=%llx", addresses[i].argument, ULL(address));
		else if (addresses[i].is_needed)
			return err_set(ENOENT, "the kernel has no symbol %s: it cannot be traced",
				       addresses[i].symbol);
	}
	return 0;
}

static void add_call(const struct btf *b, size_t i, uint64_t address, struct str *option)
{
	const char *symbol = calls[i].symbol;
	size_t task, other;
	uint64_t offset;

	if (!calls[i].path) {
		str_addf(option, ",call=%zu:%d:%llx", i, calls[i].argument, ULL(address));
		return;
	}
	task = btf_find_parameter(b, symbol, "task_struct");
	other = btf_find_parameter(b, symbol, calls[i].type);
	if (task && other && btf_offset(b, calls[i].path, &offset) == 0)
		str_addf(option, ",call=%zu:%zu:%llx:%zu:%llx", i, task, ULL(address), other,
			 ULL(offset));
}

static void add_calls(const struct symbols *s, const struct btf *b, struct str *option)
{
	const char *names[ARRAY_SIZE(calls)];
	uint64_t found[ARRAY_SIZE(calls)];

	for (size_t i = 0; i < ARRAY_SIZE(calls); i++)
		names[i] = calls[i].symbol;
	symbols_find_all(s, names, ARRAY_SIZE(calls), found);
	for (size_t i = 0; i < ARRAY_SIZE(calls); i++)
		if (found[i])
			add_call(b, i, found[i], option);
}

static int add_member(const struct btf *b, size_t i, struct str *option)
{
	uint64_t offset;

	for (size_t k = 0; k < ARRAY_SIZE(members[i].paths) && members[i].paths[k]; k++)
		if (btf_offset(b, members[i].paths[k], &offset) == 0) {
			str_addf(option, ",%s=%llx", members[i].argument, ULL(offset));
			return 0;
		}
	return members[i].is_needed ?
		       err_set(ENOENT, "the kernel's types have no %s: it cannot be traced",
			       members[i].paths[0]) :
		       0;
}

static int add_kernel(const struct symbols *s, const char *vmlinux, struct str *option)
{
	_btf_file_ struct btf_file file = {};
	int rc = btf_file_open(&file, vmlinux);

	if (rc < 0)
		return err_wrap(rc, "the kernel cannot be traced");
	add_calls(s, &file.types, option);
	for (size_t i = 0; i < ARRAY_SIZE(members) && rc == 0; i++)
		rc = add_member(&file.types, i, option);
	return rc;
}

/* Adds the arguments and files of another user of the plugin. */
static void add_others(struct run_tracer *t, const struct vm_plugin *other)
{
	if (!other)
		return;
	str_addf(&t->option, ",%s", other->arguments);
	/* The first file is the plugin itself. */
	for (size_t i = 1; i < other->fd_count && t->plugin.fd_count < ARRAY_SIZE(t->plugin.fds);
	     i++)
		t->plugin.fds[t->plugin.fd_count++] = other->fds[i];
}

static int open_files(struct run_tracer *t, const struct vm_session *session)
{
	t->plugin.fds[0] = plugin_file_open(&session->spec);
	if (t->plugin.fds[0] < 0)
		return t->plugin.fds[0];
	t->plugin.fds[1] = memfd_create("ktstr-trace", MFD_CLOEXEC);
	if (t->plugin.fds[1] < 0)
		return err_sys(errno, "create a file for the trace");
	t->plugin.fd_count = 2;
	str_addf(&t->option, "file=/proc/self/fd/%d,out=/proc/self/fd/%d", t->plugin.fds[0],
		 t->plugin.fds[1]);
	return 0;
}

static void tracer_finish(struct run_tracer *t)
{
	cleanup_fd(&t->plugin.fds[0]);
	cleanup_fd(&t->plugin.fds[1]);
	str_finish(&t->option);
}

static int tracer_open(struct run_tracer *t, const struct vm_session *session, const char *vmlinux)
{
	struct symbols symbols = {};
	int rc;

	*t = (struct run_tracer){ .plugin.fds = { -1, -1 } };
	if (session->spec.accel != VM_ACCEL_SIM)
		return err_set(EINVAL, "only sim runs can be traced: add --accel sim");
	if (session->spec.arch != VM_ARCH_X86_64)
		return err_set(ENOTSUP, "only x86-64 guests can be traced");
	rc = symbols_get(session, &symbols) ?: open_files(t, session);
	rc = rc ?: add_addresses(&symbols, &t->option);
	rc = rc ?: add_kernel(&symbols, vmlinux, &t->option);
	if (rc == 0)
		add_others(t, session->plugin);
	rc = rc ?: str_check(&t->option);
	t->plugin.option = str_get(&t->option);
	symbols_finish(&symbols);
	if (rc < 0)
		tracer_finish(t);
	return rc;
}

/* Selects the format by the suffix of the file name. */
static int write_trace(const struct run_tracer_file *file, const void *records, size_t size,
		       struct str *out)
{
	if (str_ends(file->path, ".txt"))
		return timeline_write(records, size, out);
	if (str_ends(file->path, ".svg"))
		return picture_write_svg(records, size, file->of, out);
	if (str_ends(file->path, ".html"))
		return picture_write_html(records, size, file->of, out);
	return perfetto_write(records, size, out);
}

static int save(void *ctx, const void *records, size_t size)
{
	const struct run_tracer_file *file = ctx;
	_str_ struct str out = {};
	int rc = write_trace(file, records, size, &out);

	return rc < 0 ? rc : file_replace(file->path, str_get(&out), out.len, 0644);
}

static int hand_over(const struct run_tracer *t, run_tracer_take_fn *take, void *ctx)
{
	off_t size = lseek(t->plugin.fds[1], 0, SEEK_END);
	void *records;
	int rc;

	if (size <= 0)
		return err_set(EIO, "the run left no trace");
	records = mmap(NULL, (size_t)size, PROT_READ, MAP_PRIVATE, t->plugin.fds[1], 0);
	if (records == MAP_FAILED)
		return err_sys(errno, "read the trace");
	rc = take(ctx, records, (size_t)size);
	munmap(records, (size_t)size);
	return rc;
}

int run_tracer_collect(const struct vm_session *session, const char *vmlinux,
		       run_tracer_take_fn *take, void *ctx, struct vm_result *result)
{
	struct vm_session traced = *session;
	struct run_tracer tracer;
	int rc = tracer_open(&tracer, session, vmlinux);

	if (rc < 0)
		return rc;
	traced.plugin = &tracer.plugin;
	rc = vm_session_run(&traced, result);
	if (rc == 0) {
		rc = hand_over(&tracer, take, ctx);
		if (rc < 0)
			vm_result_finish(result);
	}
	tracer_finish(&tracer);
	return rc;
}

int run_tracer_run(const struct vm_session *session, const char *vmlinux,
		   const struct run_tracer_file *file, struct vm_result *result)
{
	return run_tracer_collect(session, vmlinux, save, (void *)file, result);
}
