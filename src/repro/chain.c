// SPDX-License-Identifier: GPL-2.0-only
/* Selects the functions of a stack that are worth recording. */
#include "repro/parts.h"

#define DUMP_MARK "sched_ext_dump:"
#define BACKTRACE_MARK "Backtrace:\n"
#define PROGRAM_MARK "bpf_prog_"
#define STUB_MARK "bpf__sched_ext_ops_" /* stub for an operation that the scheduler lacks */
#define NAME_CHARACTERS "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_."

/* All tasks pass through these, or they only produce the message. */
static const char *const skipped[] = {
	"schedule",
	"__schedule",
	"schedule_idle",
	"do_syscall_64",
	"__do_sys_sched_yield",
	"do_sched_yield",
	"__sys_bpf",
	"__x64_sys_bpf",
	"preempt_schedule_common",
	"preempt_schedule_irq",
	"scx_vexit",
	"scx_bpf_exit_bstr",
	"scx_dump_state",
	"scx_dump_task",
	"scx_exit",
	"scx_exit_reason",
	"dump_stack",
	"dump_stack_lvl",
	"stack_trace_save",
	"stack_trace_print",
	"show_stack",
};

static const char *const skipped_starts[] = {
	"_raw_spin_",	   "asm_",	    "entry_",
	"__sysvec_",	   "sysvec_",	    "__bpf_prog_enter",
	"__bpf_prog_exit", "scx_error_irq", "bpf_prog_test_run",
};

static bool is_skipped(const char *name)
{
	if (str_index(skipped, ARRAY_SIZE(skipped), name) >= 0)
		return true;
	for (size_t i = 0; i < ARRAY_SIZE(skipped_starts); i++)
		if (str_starts(name, skipped_starts[i]))
			return true;
	return false;
}

static int add(struct repro_chain *c, const char *at, size_t len)
{
	_free_ char *name = strndup(at, len);

	if (!name)
		return err_no_memory();
	if (!len || strspn(name, NAME_CHARACTERS) != len || texts_has(&c->functions, name))
		return 0;
	if (is_skipped(name)) {
		c->has_skipped = true;
		return 0;
	}
	c->program_count += str_starts(name, PROGRAM_MARK);
	if (str_starts(name, PROGRAM_MARK) || str_starts(name, STUB_MARK))
		return 0;
	if (c->functions.count == CHAIN_MAX) {
		c->is_cut = true;
		return 0;
	}
	return texts_take(&c->functions, take_ptr(&name));
}

/*
 * Start of the name before a '+': after blanks and log prefixes. "" = it is not an offset, and the
 * text before is more than a name.
 */
static const char *name_before(const char *line, const char *plus, const char *end)
{
	const char *at = plus;

	line += strspn(line, " \t");
	while (at > line && strchr(NAME_CHARACTERS, at[-1]))
		at--;
	if (at <= line)
		return line;
	return end - plus > 2 && plus[1] == '0' && plus[2] == 'x' ? at : plus;
}

int repro_chain_add_stack(struct repro_chain *c, const char *text)
{
	int rc = 0;

	for (const char *line = text; *line && rc == 0; line += *line == '\n') {
		const char *end = line + strcspn(line, "\n");
		const char *mark = memmem(line, (size_t)(end - line), DUMP_MARK, strlen(DUMP_MARK));
		const char *from = mark ? mark + strlen(DUMP_MARK) : line;
		const char *plus = memchr(from, '+', (size_t)(end - from));

		if (plus) {
			from = name_before(from, plus, end);
			rc = add(c, from, (size_t)(plus - from));
		}
		line = end;
	}
	return rc;
}

int repro_chain_add_dump(struct repro_chain *c, const char *dump)
{
	const char *from = strstr(dump, BACKTRACE_MARK), *end;
	_free_ char *text = NULL;

	if (!from)
		return 0;
	end = strstr(from, "\n\n");
	text = end ? strndup(from, (size_t)(end - from)) : strdup(from);
	return text ? repro_chain_add_stack(c, text) : err_no_memory();
}

/* "name", "name.part.0", "name.cold": with compiler suffixes, but not file suffixes. */
static bool is_name(const char *at, size_t len)
{
	static const char *const endings[] = { ".isra.", ".part.", ".constprop.", ".cold",
					       ".llvm.", ".lto_",  ".__uniq." };
	const char *dot = memchr(at, '.', len);

	if (!len || strspn(at, NAME_CHARACTERS) < len || (*at >= '0' && *at <= '9'))
		return false;
	for (size_t i = 0; dot && i < ARRAY_SIZE(endings); i++)
		if (str_starts(dot, endings[i]))
			return true;
	return !dot;
}

/* Parses names separated by commas or newlines; in a file a line of several words is ignored. */
static int add_list(struct repro_chain *c, const char *list, const char *file)
{
	int rc = 0;

	while (*list && rc == 0) {
		size_t len;

		list += strspn(list, " \t\r\n,");
		len = strcspn(list, file ? ",\n" : ", \t\n");
		while (len && strchr(" \t\r", list[len - 1]))
			len--;
		if (len && !is_name(list, len) && file)
			return err_set(EINVAL, "--probe-stack: %s has neither stacks nor names",
				       file);
		if (len && !is_name(list, len))
			return err_set(EINVAL,
				       "--probe-stack: '%.*s' is not a function name, and there "
				       "is no such file",
				       (int)len, list);
		rc = add(c, list, len);
		list += len;
	}
	return rc;
}

/* The file has stacks, or names. */
static int add_file(struct repro_chain *c, const char *path)
{
	size_t before = c->functions.count + c->program_count;
	_str_ struct str text = {};
	int rc = file_read_regular(path, &text);

	if (rc < 0)
		return err_set(-rc, "--probe-stack: %s cannot be read: %s", path,
			       rc == -EINVAL ? "it is not a regular file" : strerror(-rc));
	if (memchr(str_get(&text), '\0', text.len))
		return err_set(EINVAL, "--probe-stack: %s is not a text", path);
	rc = repro_chain_add_stack(c, str_get(&text));
	if (rc == 0 && c->functions.count + c->program_count == before)
		rc = add_list(c, str_get(&text), path);
	return rc;
}

int repro_chain_add_words(struct repro_chain *c, const char *words)
{
	int rc;

	if (access(words, F_OK) == 0)
		rc = add_file(c, words);
	else
		rc = strchr(words, '+') ? repro_chain_add_stack(c, words) :
					  add_list(c, words, NULL);
	if (rc == 0 && !c->functions.count)
		return err_set(EINVAL,
			       c->has_skipped ?
				       "--probe-stack: it has only functions that every task "
				       "passes through, such as schedule: name others" :
				       "--probe-stack: there is no function of the kernel in it");
	return rc;
}

void repro_chain_finish(struct repro_chain *c)
{
	texts_finish(&c->functions);
	*c = (struct repro_chain){};
}
