// SPDX-License-Identifier: GPL-2.0-only
/*
 * Probes for automatic reproduction, until SIGTERM:
 *
 *	ktstr-observe --probes DIRECTORY [FUNCTION,...]
 *
 * Records scheduling events of the kernel, calls of sched_ext, the given kernel functions, and
 * the programs of all sched_ext schedulers that are loaded meanwhile. Creates DIRECTORY, then
 * DIRECTORY/ready when the kernel's functions are attached, and DIRECTORY/attached when the
 * programs of a scheduler are. At the end it writes records and report.json there.
 */
#include "../src/base/embed.h"
#include "observe_probes.h"

#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/stat.h>

#define LOOK_MS 100

EMBED(probe_object, PROBE_OBJECT);

static volatile sig_atomic_t is_ending;

static void end(int signal)
{
	(void)signal;
	is_ending = 1;
}

void probes_drop(struct probes *p, const char *name, const char *reason, int rc)
{
	size_t i = p->dropped_count;

	if (i == MAX_DROPPED)
		return;
	snprintf(p->dropped[i].name, sizeof(p->dropped[i].name), "%s", name);
	snprintf(p->dropped[i].reason, sizeof(p->dropped[i].reason), "%s%s%s", reason,
		 rc ? ": " : "", rc ? strerror(-rc) : "");
	p->dropped_count++;
}

int probes_attach_copy(const struct probes *p, const char *name, int target, __u32 function,
		       __u64 cookie)
{
	struct bpf_program *from = bpf_object__find_program_by_name(p->object, name);
	enum bpf_attach_type type = bpf_program__expected_attach_type(from);
	LIBBPF_OPTS(bpf_prog_load_opts, load, .expected_attach_type = type,
		    .attach_btf_id = function, .attach_prog_fd = (__u32)target);
	LIBBPF_OPTS(bpf_link_create_opts, link, .tracing.cookie = cookie);
	int fd = bpf_prog_load(BPF_PROG_TYPE_TRACING, name, "GPL", bpf_program__insns(from),
			       bpf_program__insn_cnt(from), &load);
	int rc = fd < 0 ? fd : bpf_link_create(fd, 0, type, &link);

	if (fd >= 0)
		close(fd);
	return rc; /* the link stays open until the process exits */
}

unsigned int probes_parameter(const struct btf *types, const struct btf_type *prototype,
			      const char *name)
{
	const struct btf_param *parameters = btf_params(prototype);

	for (unsigned int i = 0; i < btf_vlen(prototype); i++) {
		const struct btf_type *t =
			btf__type_by_id(types, (__u32)btf__resolve_type(types, parameters[i].type));

		if (t && btf_is_ptr(t))
			t = btf__type_by_id(types, (__u32)btf__resolve_type(types, t->type));
		if (t && (btf_is_struct(t) || btf_is_any_enum(t)) &&
		    strcmp(btf__name_by_offset(types, t->name_off), name) == 0)
			return i + 1;
	}
	return 0;
}

/* ---- functions of the kernel ---- */

static const struct btf_type *kernel_prototype(const struct probes *p, const char *name, __u32 *id)
{
	__s32 found = btf__find_by_name_kind(p->kernel, name, BTF_KIND_FUNC);

	if (found < 0)
		return NULL;
	*id = (__u32)found;
	return btf__type_by_id(p->kernel, btf__type_by_id(p->kernel, *id)->type);
}

/* Attaches to a function without a trampoline by its address, if the kernel allows that. */
static int attach_address(const struct probes *p, const char *name, __u64 cookie)
{
	struct bpf_program *program = bpf_object__find_program_by_name(p->object, "probe_address");
	LIBBPF_OPTS(bpf_kprobe_opts, options, .bpf_cookie = cookie);

	if (bpf_program__fd(program) < 0)
		return -EOPNOTSUPP;
	return bpf_program__attach_kprobe_opts(program, name, &options) ? 0 : -errno;
}

static bool attach_entry(struct probes *p, const char *name, __u32 id, __u64 cookie)
{
	int rc = id ? probes_attach_copy(p, "probe_enter", 0, id, cookie) : -ENOENT;

	if (rc < 0)
		rc = attach_address(p, name, cookie);
	if (rc < 0)
		probes_drop(p, name, id ? "cannot be attached to" : "no such function", rc);
	return rc >= 0;
}

static __u64 place(unsigned int index, unsigned int task, unsigned int number, enum trace_type type)
{
	return index | (__u64)task << 16 | (__u64)number << 20 | (__u64)type << 24;
}

static void attach_events(struct probes *p)
{
	static const struct {
		const char *name;
		enum trace_type type;
		unsigned int task;
	} rows[] = {
		{ "enqueue_task", TRACE_ENQUEUE, 2 },
		{ "dequeue_task", TRACE_DEQUEUE, 2 },
		{ "try_to_wake_up", TRACE_WAKEUP, 1 },
		{ "set_task_cpu", TRACE_MIGRATE, 1 },
	};
	struct bpf_program *program = bpf_object__find_program_by_name(p->object, "probe_switch");
	__u32 id = 0;

	if (!bpf_program__attach(program))
		probes_drop(p, "sched_switch", "cannot be attached to", -errno);
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		id = 0;
		kernel_prototype(p, rows[i].name, &id);
		attach_entry(p, rows[i].name, id, place(0, rows[i].task, 0, rows[i].type));
	}
}

/* argument: as in calls.def; type: of the struct with the number to record, or NULL. */
static void attach_call(struct probes *p, unsigned int index, const char *name,
			unsigned int argument, const char *type)
{
	__u32 id = 0;
	const struct btf_type *prototype = kernel_prototype(p, name, &id);
	__u64 cookie = place(index, argument, argument + 1, TRACE_CALL);

	if (type && prototype)
		cookie = place(index, probes_parameter(p->kernel, prototype, "task_struct"),
			       probes_parameter(p->kernel, prototype, type), TRACE_CALL) |
			 PROBE_IS_QUEUE;
	if (strcmp(name, "scx_vexit") == 0 && prototype)
		cookie = place(index, 0, probes_parameter(p->kernel, prototype, "scx_exit_kind"),
			       TRACE_CALL) |
			 PROBE_IS_EXIT;
	if (prototype)
		attach_entry(p, name, id, cookie);
	else
		probes_drop(p, name, "no such function", 0);
}

static void attach_calls(struct probes *p)
{
	static const struct {
		const char *name;
		unsigned int argument;
		const char *type;
	} rows[] = {
#define CALL(symbol, argument) { #symbol, argument, NULL },
#define CALL_BEHIND(symbol, type, member) { #symbol, 0, #type },
#include "../src/trace/calls.def"
#undef CALL
#undef CALL_BEHIND
	};

	for (unsigned int i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		attach_call(p, i, rows[i].name, rows[i].argument, rows[i].type);
}

static void attach_function(struct probes *p, const char *name)
{
	struct function *f = &p->functions[p->count];
	__u32 id = 0;
	const struct btf_type *prototype = kernel_prototype(p, name, &id);
	unsigned int count = prototype ? btf_vlen(prototype) : TRACE_MAX_ARGUMENTS;
	__u64 cookie = place((unsigned int)p->count,
			     prototype ? probes_parameter(p->kernel, prototype, "task_struct") : 0,
			     0, TRACE_ENTER);

	if (p->count == PROBE_FUNCTIONS) {
		probes_drop(p, name, "there are too many", 0);
		return;
	}
	count = count < TRACE_MAX_ARGUMENTS ? count : TRACE_MAX_ARGUMENTS;
	if (!attach_entry(p, name, id, cookie))
		return;
	if (id)
		probes_attach_copy(p, "probe_leave", 0, id, cookie);
	snprintf(f->name, sizeof(f->name), "%s", name);
	f->arguments = count;
	p->count++;
}

static void attach_functions(struct probes *p, const char *list)
{
	char *copy = strdup(list ? list : ""), *save = NULL;

	for (char *name = strtok_r(copy, ",", &save); name; name = strtok_r(NULL, ",", &save))
		attach_function(p, name);
	free(copy);
}

/* ---- life ---- */

static int load(struct probes *p)
{
	LIBBPF_OPTS(bpf_object_open_opts, options, .object_name = "ktstr_probe");
	struct bpf_map *control;
	void *at;
	int rc;

	p->object = bpf_object__open_mem(probe_object_start, EMBEDDED_SIZE(probe_object), &options);
	if (!p->object)
		return -errno;
#ifndef __x86_64__
	bpf_program__set_autoload(bpf_object__find_program_by_name(p->object, "probe_address"),
				  false);
#endif
	rc = bpf_object__load(p->object);
	if (rc < 0)
		return rc;
	p->kernel = btf__load_vmlinux_btf();
	if (!p->kernel)
		return -errno;
	control = bpf_object__find_map_by_name(p->object, "control");
	at = mmap(NULL, sizeof(*p->control), PROT_READ | PROT_WRITE, MAP_SHARED,
		  bpf_map__fd(control), 0);
	p->control = at;
	return at == MAP_FAILED ? -errno : 0;
}

static void say(const char *dir, const char *what)
{
	char path[4096];
	FILE *f;

	snprintf(path, sizeof(path), "%s/%s", dir, what);
	f = fopen(path, "w");
	if (f)
		fclose(f);
}

/* The probes must work even if the scheduler starves this process. */
static void set_up(void)
{
	struct sched_param parameters = { .sched_priority = 1 };
	struct sigaction action = { .sa_handler = end };

	sched_setscheduler(0, SCHED_FIFO, &parameters);
	sigaction(SIGTERM, &action, NULL);
	sigaction(SIGINT, &action, NULL);
}

int probes_main(const char *dir, const char *functions)
{
	static struct probes p;
	size_t before;
	int rc;

	set_up();
	if (mkdir(dir, 0700) < 0 && errno != EEXIST)
		return observe_fail(dir, -errno);
	rc = load(&p);
	if (rc < 0)
		return observe_fail("load the probes", rc);
	attach_functions(&p, functions);
	attach_events(&p);
	attach_calls(&p);
	say(dir, "ready");
	before = p.count;
	while (!is_ending) {
		programs_attach(&p);
		if (p.count > before)
			say(dir, "attached");
		poll(NULL, 0, LOOK_MS);
	}
	p.control->is_over = 1;
	observe_clear();
	rc = probes_write(&p, dir);
	return rc < 0 ? observe_fail(dir, rc) : 0;
}
