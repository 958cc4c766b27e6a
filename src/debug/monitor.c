// SPDX-License-Identifier: GPL-2.0-only
/* Shows the current state of the guest as a failure dump does. */
#include "debug/parts.h"

/* ---- dump of the current state ---- */

struct now {
	struct guest_sample sample;
	struct moment_parts parts;
	struct arena arena;
	struct str text;
	const struct json_node *dump;
};

static void now_finish(struct now *n)
{
	free(n->sample.cpus);
	moment_parts_finish(&n->parts);
	arena_finish(&n->arena);
	str_finish(&n->text);
}

static int need_memory(const struct monitor *m)
{
	return m->space ? 0 : err_set(ENOENT, "the guest's memory cannot be read");
}

static int now_read(struct now *n, const struct monitor *m)
{
	struct moment moment = { .trigger = "debugger", .types = m->types };
	struct json j;
	int rc = need_memory(m);

	if (rc < 0)
		return rc;
	n->sample.cpu_count = m->cpu_count;
	n->sample.cpus = calloc(m->cpu_count, sizeof(*n->sample.cpus));
	rc = n->sample.cpus ? moment_read(&moment, &n->parts, &n->sample, m->space, true) :
			      err_no_memory();
	if (rc < 0)
		return rc;
	json_init(&j, &n->text, false);
	json_object(&j);
	moment_put_bpf(&moment, &j);
	moment_put_alone(&moment, &j);
	json_object_end(&j);
	if (str_check(&n->text) < 0)
		return -ENOMEM;
	n->dump = json_tree_read(&n->arena, n->text.s, n->text.len);
	return n->dump ? 0 : -EINVAL;
}

/* ---- commands ---- */

static void add_error(struct str *out, int rc)
{
	str_addf(out, "%s\n", err_text(rc));
	err_clear();
}

/* A section of the dump, by its title. */
static void add_section(const struct json_node *dump, const char *title, struct str *out)
{
	for (size_t i = 0; i < ARRAY_SIZE(dump_sections); i++)
		if (str_eq(dump_sections[i].title, title))
			dump_sections[i].add(dump, &dump_whole, out);
	if (!out->len)
		str_addf(out, "There are no %s now.\n", title);
}

static int tell_task(struct monitor *m, const char *word, struct str *out)
{
	_cleanup_(now_finish) struct now n = {};
	int rc = now_read(&n, m);
	uint64_t pid;

	if (rc < 0)
		return rc;
	if (!*word) {
		add_section(n.dump, "tasks", out);
		return 0;
	}
	if (parse_digits(&word, &pid) < 0 || *word)
		return err_set(EINVAL, "a task is named by its pid");
	return dump_add_task(n.dump, pid, out);
}

static int tell_map(struct monitor *m, const char *word, struct str *out)
{
	_cleanup_(now_finish) struct now n = {};
	int rc = now_read(&n, m);

	if (rc == 0 && *word)
		return dump_add_map(n.dump, word, out);
	if (rc == 0)
		add_section(n.dump, "maps", out);
	return rc;
}

/* gdb has no types: prints the gdb command that watches a variable, or a part of it. */
static int tell_variable(struct monitor *m, const char *word, struct str *out)
{
	static const char *const types[] = {
		[1] = "unsigned char", [2] = "unsigned short", [4] = "unsigned int", [8] = "unsigned long"
	};
	_cleanup_(maps_finish) struct maps maps = {};
	struct trace_watch w = {};
	int rc = need_memory(m) ?: maps_read(&maps, m->space, m->cpu_count);

	rc = rc ?: watchpoint_find(word, m->symbols, &maps, m->space, &w);
	if (rc < 0)
		return rc;
	if (w.bytes < ARRAY_SIZE(types) && types[w.bytes])
		str_addf(out, "watch -l *(%s *)0x%" PRIx64 "\n", types[w.bytes], w.address);
	else
		str_addf(out, "watch -l *(unsigned char (*)[%" PRIu64 "])0x%" PRIx64 "\n", w.bytes,
			 w.address);
	return 0;
}

static int tell_section(struct monitor *m, const char *title, struct str *out)
{
	_cleanup_(now_finish) struct now n = {};
	int rc = now_read(&n, m);

	if (rc == 0)
		add_section(n.dump, title, out);
	return rc;
}

/* Sources of names for addresses. */
struct places {
	struct prog_lines programs;
	struct guest_names names;
};

static void places_finish(struct places *p)
{
	names_finish(&p->names);
	prog_lines_finish(&p->programs);
}

static int places_read(struct places *p, const struct monitor *m)
{
	int rc = need_memory(m) ?: prog_lines_of_schedulers(&p->programs, m->space);

	return rc ?: names_read(&p->names, m->symbols, m->space->slide, &p->programs);
}

/* Uses the kernel's own unwind tables: gdb has none for a kernel without debug information. */
static void add_stack(struct monitor *m, const struct places *p, struct vcpu *c, bool is_running,
		      const char *before, struct str *out)
{
	vcpu_unwind(c, m->space);
	for (size_t k = 0; k < c->frame_count; k++) {
		str_addf(out, "%s#%-2zu ", before, k);
		names_add(&p->names, c->frames[k], k == 0 && is_running, out);
		str_addc(out, '\n');
	}
}

static struct vcpu *find_cpu(struct monitor *m, uint64_t number)
{
	vec_each(struct vcpu, c, &m->cpus.items)
		if (c->number == number)
			return c;
	return NULL;
}

static int tell_stack(struct monitor *m, const char *word, struct str *out)
{
	_cleanup_(places_finish) struct places places = {};
	uint64_t wanted = m->stop->cpu;
	struct vcpu *c;
	int rc;

	if (*word && (parse_digits(&word, &wanted) < 0 || *word))
		return err_set(EINVAL, "a CPU is named by its number");
	rc = places_read(&places, m);
	c = find_cpu(m, wanted);
	if (rc == 0 && c)
		add_stack(m, &places, c, true, "", out);
	return rc;
}

/* "115 cg_0/3: sleeps", and its stack. */
static void add_task(struct monitor *m, const struct places *places, const struct task_view *t,
		     struct str *out)
{
	struct vcpu own, *c = t->is_running ? find_cpu(m, t->cpu) : NULL;

	str_addf(out, "%u ", t->pid);
	text_add_printable(out, t->comm);
	if (t->is_running)
		str_addf(out, ": runs on CPU %u\n", t->cpu);
	else
		str_addf(out, ": %s\n", t->is_queued ? "can run" : "sleeps");
	if (!t->is_running && vcpu_read_sleeper(&own, m->space, t->address))
		c = &own;
	if (c)
		add_stack(m, places, c, t->is_running, "  ", out);
}

static int tell_tasks(struct monitor *m, const char *word, struct str *out)
{
	_cleanup_(queues_finish) struct queues tasks = {};
	_cleanup_(places_finish) struct places places = {};
	uint64_t pid = 0;
	int rc;

	if (*word && (parse_digits(&word, &pid) < 0 || *word))
		return err_set(EINVAL, "a task is named by its pid");
	rc = places_read(&places, m) ?: queues_read_tasks(&tasks, m->space, m->stop->time_ns);
	for (size_t i = 0; i < tasks.runnable.count && rc == 0; i++)
		if (!pid || tasks.runnable.items[i].pid == pid)
			add_task(m, &places, &tasks.runnable.items[i], out);
	if (rc == 0 && !out->len)
		return err_set(ENOENT, "there is no such task");
	return rc;
}

static int tell_place(struct monitor *m, const char *word _unused_, struct str *out)
{
	str_addf(out, "%.9fs on CPU %llu, block %llu, instruction %llu of it\n",
		 (double)m->stop->time_ns / NSEC_PER_SEC, ULL(m->stop->cpu),
		 ULL(m->stop->event.position >> DEBUG_INDEX_BITS),
		 (unsigned long long)(m->stop->event.position & ((1U << DEBUG_INDEX_BITS) - 1)));
	return 0;
}

static const struct {
	const char *name, *help;
	bool wants_registers;
	int (*tell)(struct monitor *m, const char *word, struct str *out);
	const char *section; /* without a function: section of a dump */
} rows[] = {
	{ "task", "Tasks that can run, or one of them by its pid.", false, tell_task },
	{ "tasks", "Every task with the kernel's stack of it, or one by its pid.", true,
	  tell_tasks },
	{ "rq", "The CPUs' run queues.", .section = "cpus" },
	{ "dsq", "Dispatch queues, with the tasks in them.", .section = "queues" },
	{ "map", "BPF maps and variables, or one map by its name.", false, tell_map },
	{ "var", "How to watch a variable of a BPF program: state, state.list[2].", false,
	  tell_variable },
	{ "bt", "The kernel's stack of this CPU, or of one by its number.", true, tell_stack },
	{ "where", "The virtual time, and the position in the run.", false, tell_place },
};

/* The word after a command's name; NULL = another command. */
static const char *word_after(const char *command, const char *name)
{
	size_t len = strlen(name);

	if (!str_starts(command, name) || (command[len] && command[len] != ' '))
		return NULL;
	command += len;
	while (*command == ' ')
		command++;
	return command;
}

bool monitor_wants_registers(const char *command)
{
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++)
		if (rows[i].wants_registers && word_after(command, rows[i].name))
			return true;
	return false;
}

void monitor_add_cpu(struct monitor *m, unsigned int cpu, const uint64_t *registers)
{
	struct vcpu c = { .number = cpu,
			  .registers = { [VCPU_RIP] = registers[DEBUG_rip],
					 [VCPU_RSP] = registers[DEBUG_rsp],
					 [VCPU_RBP] = registers[DEBUG_rbp] } };

	if (vec_push(&m->cpus.items, c) < 0)
		err_clear();
}

void monitor_answer(struct monitor *m, const char *command, struct str *out)
{
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		const char *word = word_after(command, rows[i].name);
		int rc = 0;

		if (word)
			rc = rows[i].tell ? rows[i].tell(m, word, out) :
					    tell_section(m, rows[i].section, out);
		if (rc < 0)
			add_error(out, rc);
		if (word)
			return;
	}
	str_add(out, "ktstr debug knows:\n");
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++)
		str_addf(out, "  monitor %-6s %s\n", rows[i].name, rows[i].help);
}

void monitor_finish(struct monitor *m)
{
	vcpus_finish(&m->cpus);
}

static void add_command(struct str *out, const char *command, const char *name, const char *help)
{
	str_addf(out,
		 "define %s\nif $argc == 0\nmonitor %s\nelse\nmonitor %s $arg0\nend\nend\n"
		 "document %s\n%s\nend\n",
		 command, name, name, command, help);
}

void monitor_add_script(struct str *out)
{
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		_free_ char *command = str_fmt("ktstr-%s", rows[i].name);

		if (command)
			add_command(out, command, rows[i].name, rows[i].help);
		/* gdb's own command "tasks" is for programs in Ada. */
		if (str_eq(rows[i].name, "tasks"))
			add_command(out, "info tasks", rows[i].name, rows[i].help);
	}
	/* ktstr-var answers with a gdb command, or why there is none. */
	str_add(out, "define ktstr-watch\n"
		     "python t = gdb.execute('monitor var $arg0', to_string=True).strip()\n"
		     "python gdb.execute(t) if t.startswith('watch ') else print(t)\n"
		     "end\ndocument ktstr-watch\n"
		     "Watch a variable of a BPF program: state, state.list[2].\nend\n");
}
