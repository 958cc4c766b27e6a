// SPDX-License-Identifier: GPL-2.0-only
/* `ktstr top`: shows a running guest, interactively on a terminal, or printed. */
#include <poll.h>

#include "base/screen.h"
#include "cli/table.h"
#include "vm/session.h"
#include "watch/watch.h"

#define CTRL_C 0x03
#define HEAD_LINES 2
#define FOOT_LINES 2 /* the last row of a screen stays empty */
#define MAX_DUMPS 1000

struct top_view {
	struct top top;
	uint64_t interval_ns, count; /* count 0 = until the end */
	enum top_section section;
	bool is_screen, has_keys, is_frozen, is_over;
	int state; /* of the last read: 0, or why there is nothing new to show */
	struct str message;
};

static void view_finish(struct top_view *v)
{
	terminal_restore();
	top_close(&v->top);
	str_finish(&v->message);
}

static void add_head(const struct top_view *v, struct str *out)
{
	const struct top *t = &v->top;

	text_add_printable(out, *t->notice.name ? t->notice.name : "a guest");
	str_addf(out, ": QEMU %d, %zu CPUs, guest's clock %.3f s, %s scheduler%s\n\n",
		 (int)t->notice.memory.pid, t->now.cpu_count,
		 (double)moment_clock(&t->now) / NSEC_PER_SEC,
		 t->now.has_scheduler ? "a sched_ext" : "the kernel's own",
		 v->is_frozen ? ", FROZEN" : "");
}

static int show_screen(struct top_view *v)
{
	size_t rows = screen_size().rows;
	_str_ struct str text = {};
	int rc;

	add_head(v, &text);
	rc = top_add_text(&v->top, v->section,
			  rows > HEAD_LINES + FOOT_LINES + 1 ? rows - HEAD_LINES - FOOT_LINES : 1,
			  &text);
	if (rc < 0)
		return rc;
	str_addf(&text, "s sort: %s  v view: %s  f %s  d dump  q quit  %s\n",
		 top_sort_names[v->top.sort], top_section_names[v->section],
		 v->is_frozen ? "go on" : "freeze", str_get(&v->message));
	rc = screen_show(str_get(&text));
	return rc < 0 ? rc : fflush(stdout) ? err_sys(errno, "write to standard output") : 0;
}

static int print(struct top_view *v, bool is_first)
{
	_str_ struct str text = {};
	int rc;

	if (!is_first)
		str_addc(&text, '\n');
	add_head(v, &text);
	rc = top_add_text(&v->top, v->section, 0, &text);
	return rc ?: output_text(&text);
}

/* A file name that does not exist yet; the guest's name cannot change the directory. */
static char *dump_path(const struct top_view *v)
{
	_free_ char *name = str_fmt("%s", basename(v->top.notice.name));

	for (char *c = name; c && *c; c++)
		if (!strchr("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-", *c))
			*c = '_';
	for (int i = 1; name && i < MAX_DUMPS; i++) {
		char *path = str_fmt("%s.top-%d.snapshots.json", *name ? name : "guest", i);

		if (!path || access(path, F_OK) < 0)
			return path;
		free(path);
	}
	return NULL;
}

static void dump(struct top_view *v)
{
	_free_ char *path = dump_path(v);
	_str_ struct str text = {};
	int rc = path ? top_dump(&v->top, &text) : err_set(EEXIST, "no name for a dump is free");

	rc = rc ?: file_replace(path, text.s, text.len, 0644);
	str_reset(&v->message);
	str_addf(&v->message, "| %s", rc < 0 ? err_text(rc) : path);
	err_clear();
}

static void take_key(struct top_view *v, unsigned char key)
{
	str_reset(&v->message);
	switch (key) {
	case 'q':
	case CTRL_C:
		v->is_over = true;
		break;
	case 's':
		top_set_sort(&v->top, (v->top.sort + 1) % TOP_SORTS);
		break;
	case 'v':
		v->section = (v->section + 1) % (TOP_SECTIONS + 1);
		break;
	case 'f':
	case ' ':
		v->is_frozen = !v->is_frozen;
		break;
	case 'd':
		dump(v);
		break;
	default:
		break;
	}
}

/* Waits until the time has come, or there is something else to show. */
static int await(struct top_view *v, uint64_t until_ns)
{
	struct pollfd p = { .fd = v->has_keys ? STDIN_FILENO : -1, .events = POLLIN };
	uint64_t now = clock_mono_ns();
	int left_ms = now < until_ns ? (int)((until_ns - now + NSEC_PER_MSEC - 1) / NSEC_PER_MSEC) :
				       0;
	unsigned char keys[16];
	ssize_t n = 0;

	if (poll(&p, 1, left_ms) > 0) {
		n = read(STDIN_FILENO, keys, sizeof(keys));
		v->is_over = n <= 0;
	}
	for (ssize_t i = 0; i < n; i++)
		take_key(v, keys[i]);
	return interrupt_check();
}

/* A guest that has ended, or cannot be read for a moment, stays visible. */
static int look(struct top_view *v)
{
	v->state = top_read(&v->top, clock_mono_ns());
	if (v->state == 0 || v->state == -EAGAIN || v->state == -ESRCH) {
		err_clear();
		return 0;
	}
	return v->state;
}

static int run_screen(struct top_view *v)
{
	uint64_t next = clock_mono_ns(), shown = 0;
	int rc = 0;

	while (rc == 0 && !v->is_over) {
		if (!v->is_frozen && clock_mono_ns() >= next) {
			rc = look(v);
			next = clock_mono_ns() + v->interval_ns;
			shown++;
		}
		if (v->state == -ESRCH || (v->count && shown > v->count))
			break;
		rc = rc ?: show_screen(v);
		rc = rc ?: await(v, v->is_frozen ? clock_mono_ns() + v->interval_ns : next);
	}
	return rc;
}

/* Rates need two reads: nothing is printed for the first. */
static int run_printed(struct top_view *v)
{
	uint64_t next = clock_mono_ns(), printed = 0;
	int rc = look(v);

	while (rc == 0 && printed < v->count && v->state != -ESRCH) {
		next += v->interval_ns;
		while (rc == 0 && clock_mono_ns() < next)
			rc = await(v, next);
		rc = rc ?: look(v);
		if (rc == 0 && v->state == 0)
			rc = print(v, printed++ == 0);
	}
	return rc;
}

static int choose(const struct cli_call *call, struct top_view *v)
{
	_cleanup_(notices_finish) struct notices notices = {};
	const char *wanted = cli_text(call, "vm");
	const struct notice *notice = NULL;
	int rc = notices_find(&notices, roots_live.proc);

	rc = rc ?: notices_choose(&notices, wanted ? wanted : cli_text(call, "run"), &notice);
	return rc ?: top_open(&v->top, notice);
}

static size_t index_of(const char *const *names, size_t count, const char *name)
{
	for (size_t i = 0; i < count; i++)
		if (str_eq(names[i], name))
			return i;
	return 0;
}

static int cmd_top_run(const struct cli_call *call)
{
	_cleanup_(view_finish) struct top_view v = {
		.interval_ns = cli_number(call, "interval"),
		.count = cli_number(call, "count"),
		.section = index_of(top_section_names, TOP_SECTIONS + 1, cli_text(call, "view")),
		.is_screen = term_knows_escapes(stdout),
	};
	int rc;

	if (!v.interval_ns)
		return cli_usage_error(call, "--interval takes a time longer than 0");
	if (cli_is_given(call, "vm") && cli_is_given(call, "run"))
		return cli_usage_error(call, "RUN and --vm both name a guest: give one of them");
	rc = choose(call, &v);
	if (rc < 0)
		return rc;
	v.top.sort = index_of(top_sort_names, TOP_SORTS, cli_text(call, "sort"));
	v.has_keys = v.is_screen && isatty(STDIN_FILENO);
	if (!v.is_screen && !v.count)
		v.count = 1;
	interrupt_install();
	if (v.has_keys)
		rc = terminal_raw();
	if (rc == 0)
		rc = v.is_screen ? run_screen(&v) : run_printed(&v);
	terminal_restore();
	if (rc == -EINTR)
		return EXIT_OK;
	if (rc == 0 && v.state == -ESRCH)
		fprintf(stderr, "the guest has ended\n");
	return rc;
}

/* clang-format off */
CLI_CHOICE_LIST(top_sorts, "wait", "cpu", "dsq", "vtime", "pid")

CLI_CHOICE_LIST(top_views, "all", "cpus", "queues", "tasks", "events", "programs")

const struct cli_cmd cmd_top = {
	.name = "top", .summary = "watch a guest while it runs",
	.about = "Shows CPUs, dispatch queues with their tasks, runnable tasks, sched_ext events "
		 "and the scheduler's programs with calls and ns per call, read from guest memory: "
		 "this works on a hung guest too, and the guest cannot detect it. Rates refer to "
		 "the guest clock. STILL FOR is how long, in host time, the clock of a busy CPU "
		 "has not advanced; waits are then printed with '>'. Keys: s sorts tasks, v "
		 "changes the view, f or space freezes the display (the guest continues), d writes "
		 "NAME.top-N.snapshots.json for show-dump, q quits. Works for tests and shells of "
		 "the same user.",
	.params = CLI_PARAMS(
		{ .name = "run", .is_arg = true, .kind = CLI_STRING, .value = "RUN",
		  .help = "name of a running test, or the pid of its QEMU [default: the only "
			  "guest]" },
		{ .name = "vm", .kind = CLI_NUMBER, .value = "PID", .max = INT32_MAX,
		  .help = "pid of a QEMU, instead of RUN" },
		{ .name = "interval", .letter = 'n', .kind = CLI_DURATION, .value = "DUR", .fallback = "1s",
		  .help = "time between two samples" },
		{ .name = "count", .kind = CLI_NUMBER, .value = "N", .min = 1,
		  .help = "exit after N samples [default: 1 if stdout is not a terminal]" },
		{ .name = "sort", .kind = CLI_CHOICE, .value = "KEY", .choices = top_sorts,
		  .fallback = "wait", .help = "sort order of tasks" },
		{ .name = "view", .kind = CLI_CHOICE, .value = "VIEW", .choices = top_views,
		  .fallback = "all", .help = "what to show" }),
	.examples = CLI_EXAMPLES(
		{ "top", "the only running guest" },
		{ "top my_test --view queues --sort vtime", "one of several running tests" },
		{ "top my_test --count 3 --interval 500ms", "three samples" }),
	.run = cmd_top_run,
};
/* clang-format on */
