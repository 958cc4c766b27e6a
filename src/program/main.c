// SPDX-License-Identifier: GPL-2.0-only
/*
 * The main() of test programs, as used by the runner and on the command line (protocol.h).
 * A program with its own main() keeps it.
 */
#include "program/parts.h"
#include "program/protocol.h"

/* 2 means inconclusive. */
#define EXIT_USAGE PROGRAM_FAILED

enum wish { WISH_HELP, WISH_LIST, WISH_PROBE, WISH_EXACT, WISH_BODY, WISH_POST_VM };

struct body_command {
	enum wish wish;
	const char *name; /* of a test */
	bool is_ignored;
	struct body_options body;
};

int main(int argc, char **argv);

/* Options with a value; the kind determines how the value is stored. */
enum option_kind { OPTION_U64, OPTION_UINT, OPTION_TEXT };

/* clang-format off */
static const struct {
	const char *name;
	enum option_kind kind;
	size_t offset;
} options[] = {
	{ "--seed", OPTION_U64, offsetof(struct body_command, body.seed) },
	{ "--duration-ms", OPTION_U64, offsetof(struct body_command, body.duration_ms) },
	{ "--workers", OPTION_UINT, offsetof(struct body_command, body.workers) },
	{ "--steps", OPTION_U64, offsetof(struct body_command, body.steps) },
	{ "--hold-percent", OPTION_UINT, offsetof(struct body_command, body.hold_percent) },
	{ "--look-ms", OPTION_U64, offsetof(struct body_command, body.look_ms) },
	{ "--work-type", OPTION_TEXT, offsetof(struct body_command, body.work_type) },
	{ "--flags", OPTION_TEXT, offsetof(struct body_command, body.flags) },
	{ "--scheduler-name", OPTION_TEXT, offsetof(struct body_command, body.scheduler_name) },
	{ "--result", OPTION_TEXT, offsetof(struct body_command, body.result_path) },
	{ "--snapshots", OPTION_TEXT, offsetof(struct body_command, body.snapshots_path) },
};

static const struct {
	const char *name;
	size_t offset;
} switches[] = {
	{ "--ignored", offsetof(struct body_command, is_ignored) },
	{ "--versus-eevdf", offsetof(struct body_command, body.is_versus) },
	{ "--quiet", offsetof(struct body_command, body.is_quiet) },
	{ "--repro", offsetof(struct body_command, body.is_repro) },
	{ "--sim", offsetof(struct body_command, body.is_sim) },
	{ "--has-snapshots", offsetof(struct body_command, body.has_snapshots) },
	{ "--asks-by-channel", offsetof(struct body_command, body.asks_by_channel) },
	{ "--release", offsetof(struct body_command, body.is_release) },
	{ "--failed", offsetof(struct body_command, body.has_failed) },
};
/* clang-format on */

static int usage(const char *fmt, const char *what)
{
	fputs("error: ", stderr);
	fprintf(stderr, fmt, what);
	fputs("\nTry --help.\n", stderr);
	return EXIT_USAGE;
}

static int set_option(struct body_command *c, size_t i, const char *text)
{
	void *at = (char *)c + options[i].offset;
	uint64_t value;

	if (options[i].kind == OPTION_TEXT) {
		*(const char **)at = text;
		return 0;
	}
	if (parse_u64(text, &value) < 0 || value == 0 ||
	    (options[i].kind == OPTION_UINT && value > UINT32_MAX))
		return usage("%s needs a number above 0", options[i].name);
	if (options[i].kind == OPTION_UINT)
		*(unsigned int *)at = (unsigned int)value;
	else
		*(uint64_t *)at = value;
	return 0;
}

/* Returns 1 if the argument is a switch. */
static int take_switch(struct body_command *c, const char *arg)
{
	for (size_t i = 0; i < ARRAY_SIZE(switches); i++) {
		if (!str_eq(arg, switches[i].name))
			continue;
		*(bool *)((char *)c + switches[i].offset) = true;
		return 1;
	}
	/* Output is never captured here. */
	return str_eq(arg, "--nocapture") || str_eq(arg, "--no-capture");
}

static bool take_wish(struct body_command *c, const char *arg)
{
	static const struct {
		const char *arg;
		enum wish wish;
	} wishes[] = {
		{ "--list", WISH_LIST },	   { PROGRAM_PROBE, WISH_PROBE },
		{ "--exact", WISH_EXACT },	   { PROGRAM_BODY, WISH_BODY },
		{ "--help", WISH_HELP },	   { "-h", WISH_HELP },
		{ PROGRAM_POST_VM, WISH_POST_VM },
	};

	for (size_t i = 0; i < ARRAY_SIZE(wishes); i++) {
		if (!str_eq(arg, wishes[i].arg))
			continue;
		c->wish = wishes[i].wish;
		return true;
	}
	return false;
}

static int take_value(struct body_command *c, const char *arg, const char *value)
{
	for (size_t i = 0; i < ARRAY_SIZE(options); i++) {
		if (!str_eq(arg, options[i].name))
			continue;
		return value ? set_option(c, i, value) : usage("%s needs a value", arg);
	}
	if (str_eq(arg, "--format"))
		return value && str_eq(value, "terse") ? 0 : usage("%s knows only 'terse'", arg);
	return usage("unknown option '%s'", arg);
}

static int parse(struct body_command *c, int argc, char **argv)
{
	int rc;

	for (int i = 1; i < argc; i++) {
		if (take_wish(c, argv[i]) || take_switch(c, argv[i]))
			continue;
		if (argv[i][0] != '-' && !c->name) {
			c->name = argv[i];
			continue;
		}
		rc = argv[i][0] == '-' ? take_value(c, argv[i], argv[i + 1]) :
					 usage("unexpected argument '%s'", argv[i]);
		if (rc)
			return rc;
		i++;
	}
	if (c->wish >= WISH_EXACT && !c->name)
		return usage("%s", "the name of a test is missing");
	return 0;
}

static int print_help(const struct program_entries *e)
{
	printf("A ktstr test program with %zu tests and %zu schedulers.\n\n"
	       "Run it with:\n"
	       "  ktstr test PROGRAM\n\n"
	       "It understands:\n"
	       "  --list [--format terse] [--ignored]    names of its tests\n"
	       "  --exact NAME [--nocapture] [--ignored] runs one, through 'ktstr test'\n"
	       "  " PROGRAM_PROBE "                          what it declares, as JSON\n"
	       "  " PROGRAM_BODY " NAME [OPTION...]           runs the body in this process:\n"
	       "      --seed N --duration-ms N --workers N --work-type NAME --flags A+B\n"
	       "      --steps BITS --hold-percent N --look-ms N --scheduler-name NAME\n"
	       "      --versus-eevdf --repro --release --sim --has-snapshots\n"
	       "      --asks-by-channel --quiet --result FILE\n"
	       "  " PROGRAM_POST_VM " NAME --snapshots FILE    runs its post_vm in this process\n",
	       e->test_count, e->sched_count);
	return 0;
}

static int print_probe(const struct probe *p)
{
	_str_ struct str text = {};
	struct json j;
	int rc;

	json_init(&j, &text, false);
	probe_to_json(p, &j);
	str_addc(&text, '\n');
	rc = str_check(&text);
	if (rc == 0)
		fputs(text.s, stdout);
	return rc;
}

static int refuse(const struct probe *p)
{
	for (size_t i = 0; i < p->problems.count; i++)
		fprintf(stderr, "error: %s\n", p->problems.items[i]);
	return 1;
}

static int print_list(const struct probe *p, bool is_ignored)
{
	for (size_t i = 0; i < p->tests.count; i++)
		if (!is_ignored || p->tests.items[i].ignore)
			printf("ktstr/%s: test\n", p->tests.items[i].name);
	return 0;
}

static int unknown_test(const struct probe *p, const char *name)
{
	VEC(const char *) names = {};
	const char *near;

	for (size_t i = 0; i < p->tests.count; i++)
		if (vec_push(&names, p->tests.items[i].name) < 0)
			break;
	near = text_closest(name, names.items, names.count);
	err_set(ENOENT, "no test '%s' in this program%s%s%s", name, near ? ". Did you mean '" : "",
		near ? near : "", near ? "'?" : "");
	free(names.items);
	return -ENOENT;
}

static int run_test(const struct body_command *c, const struct program_entries *e,
		    const struct probe *p)
{
	const struct ktstr_test *t = program_find_test(e, c->name);

	if (!t)
		return unknown_test(p, c->name);
	if (c->wish == WISH_EXACT)
		return exact_run(t->name, c->is_ignored);
	return c->wish == WISH_BODY ? body_run(t, &c->body) : post_vm_run(t, &c->body);
}

static int fulfil(const struct body_command *c)
{
	_cleanup_(probe_finish) struct probe p = {};
	struct program_entries e;
	int rc;

	program_entries(&e);
	if (c->wish == WISH_HELP)
		return print_help(&e);
	rc = describe_program(&p, &e);
	if (rc < 0)
		return rc;
	if (c->wish == WISH_PROBE)
		return print_probe(&p);
	if (p.problems.count)
		return refuse(&p);
	return c->wish == WISH_LIST ? print_list(&p, c->is_ignored) : run_test(c, &e, &p);
}

__attribute__((weak)) int main(int argc, char **argv)
{
	struct body_command c = {};
	int rc;

	log_init();
	rc = parse(&c, argc, argv);
	if (rc)
		return rc;
	rc = fulfil(&c);
	if (rc < 0) {
		fprintf(stderr, "error: %s\n", err_text(rc));
		return PROGRAM_FAILED;
	}
	if (fflush(stdout) != 0) {
		fprintf(stderr, "error: write stdout: %s\n", strerror(errno));
		return PROGRAM_FAILED;
	}
	return rc;
}
