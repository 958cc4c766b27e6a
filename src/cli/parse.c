// SPDX-License-Identifier: GPL-2.0-only
/* Parses argv to struct cli_call, by the table. Every error names the word and suggests a fix. */
#include "cli/cli.h"

#define MAX_NAMES 128
#define MAX_QUOTED 120UL

static const char *quoted(const char *text, size_t len)
{
	static _Thread_local char shown[4 * MAX_QUOTED + sizeof("'...'")];
	_free_ char *start = strndup(text, MIN(len, MAX_QUOTED));
	_str_ struct str printable = {};

	text_add_printable(&printable, start ? start : "");
	snprintf(shown, sizeof(shown), "'%s%s'", str_get(&printable),
		 len > MAX_QUOTED ? "..." : "");
	return shown;
}

const char *cli_quoted(const char *text)
{
	return quoted(text, strlen(text));
}

const char *cli_param_value(const struct cli_param *param)
{
	if (param->kind == CLI_FLAG && !param->is_arg)
		return NULL;
	return param->value ? param->value : "VALUE";
}

/* --name, -l or NAME of a parameter, for messages. */
static const char *param_label(const struct cli_param *param)
{
	static _Thread_local char label[64];

	if (param->is_arg)
		snprintf(label, sizeof(label), "%s", cli_param_value(param));
	else
		snprintf(label, sizeof(label), "--%s", param->name);
	return label;
}

void cli_add_path(struct str *out, const struct cli_call *call)
{
	str_add(out, call->program);
	for (size_t i = 1; i < call->depth; i++)
		str_addf(out, " %s", call->path[i]->name);
}

int cli_usage_error(const struct cli_call *call, const char *fmt, ...)
{
	_str_ struct str path = {}, raw = {}, message = {};

	cli_add_path(&path, call);
	str_add_rest(&raw, fmt);
	/* Messages contain words of the user. */
	text_add_printable(&message, str_get(&raw));
	fprintf(stderr, "error: %s\nTry '%s --help' for more information.\n", str_get(&message),
		str_get(&path));
	return EXIT_USAGE;
}

static const struct cli_param *find_long(const struct cli_cmd *cmd, const char *name, size_t len)
{
	const struct cli_param *p;
	size_t state = 0;

	while ((p = cli_param_next(cmd, &state))) {
		if (p->is_arg)
			continue;
		if (strlen(p->name) == len && strncmp(p->name, name, len) == 0)
			return p;
		if (p->alias && strlen(p->alias) == len && strncmp(p->alias, name, len) == 0)
			return p;
	}
	return NULL;
}

static const struct cli_param *find_letter(const struct cli_cmd *cmd, char letter)
{
	const struct cli_param *p;
	size_t state = 0;

	while ((p = cli_param_next(cmd, &state)))
		if (!p->is_arg && p->letter == letter)
			return p;
	return NULL;
}

/* name is without the two dashes. */
static int unknown_option(const struct cli_call *call, const char *name, size_t len)
{
	const char *names[MAX_NAMES];
	const struct cli_param *p;
	size_t count = 0, state = 0;
	char word[64];
	const char *near;

	while ((p = cli_param_next(cli_command(call), &state)) && count < MAX_NAMES)
		if (!p->is_arg)
			names[count++] = p->name;
	snprintf(word, sizeof(word), "%.*s", (int)len, name);
	near = text_closest(word, names, count);
	if (near)
		return cli_usage_error(call, "unknown option %s; did you mean '--%s'?",
				       quoted(name - 2, len + 2), near);
	return cli_usage_error(call, "unknown option %s", quoted(name - 2, len + 2));
}

int cli_unknown_command(const struct cli_call *call, const char *name)
{
	const char *names[MAX_NAMES];
	size_t count = 0;
	const char *near;

	cli_each_sub(sub, cli_command(call)) {
		if (sub->is_hidden || count + 2 > MAX_NAMES)
			continue;
		names[count++] = sub->name;
		if (sub->alias)
			names[count++] = sub->alias;
	}
	near = text_closest(name, names, count);
	if (near)
		return cli_usage_error(call, "unknown command %s; did you mean '%s'?",
				       cli_quoted(name), near);
	return cli_usage_error(call, "unknown command %s", cli_quoted(name));
}

/* "invalid value 'x' for --count: must be at least 1" */
static int bad_value(const struct cli_call *call, const struct cli_given *g, const char *fmt, ...)
{
	_str_ struct str why = {};

	str_add_rest(&why, fmt);
	return cli_usage_error(call, "invalid value %s for %s: %s", cli_quoted(g->text),
			       param_label(g->param), str_get(&why));
}

static int bad_choice(const struct cli_call *call, const struct cli_given *g)
{
	const char *const *choices = g->param->choices();
	_str_ struct str list = {};
	const char *near;
	size_t count = 0;

	for (; choices[count]; count++)
		str_addf(&list, "%s%s", count ? ", " : "", choices[count]);
	near = text_closest(g->text, choices, count);
	if (near)
		return bad_value(call, g, "did you mean '%s'? Possible values: %s", near,
				 str_get(&list));
	return bad_value(call, g, "possible values: %s", str_get(&list));
}

static int read_number(const struct cli_call *call, struct cli_given *g)
{
	const struct cli_param *p = g->param;
	int rc = parse_u64(g->text, &g->number);

	if (rc == -ERANGE)
		return bad_value(call, g, "the number is too large");
	if (rc < 0)
		return bad_value(call, g, "expected a whole number");
	if (g->number < p->min)
		return bad_value(call, g, "must be at least %llu", ULL(p->min));
	if (p->max && g->number > p->max)
		return bad_value(call, g, "must be at most %llu", ULL(p->max));
	return 0;
}

static int read_duration(const struct cli_call *call, struct cli_given *g)
{
	int rc = parse_duration(g->text, &g->number);

	if (rc == -ERANGE)
		return bad_value(call, g, "the duration is too long");
	if (rc < 0)
		return bad_value(call, g,
				 "expected a number with a unit, such as 100ms, 30s, 5m or "
				 "1m30s");
	return 0;
}

static int read_choice(const struct cli_call *call, const struct cli_given *g)
{
	for (const char *const *c = g->param->choices(); *c; c++)
		if (str_eq(*c, g->text))
			return 0;
	return bad_choice(call, g);
}

static int check_value(const struct cli_call *call, struct cli_given *g)
{
	switch (g->param->kind) {
	case CLI_NUMBER:
		return read_number(call, g);
	case CLI_DURATION:
		return read_duration(call, g);
	case CLI_CHOICE:
		return read_choice(call, g);
	default:
		return 0;
	}
}

static int add_given(struct cli_call *call, const struct cli_param *p, const char *text)
{
	struct cli_given *g;
	int rc;

	if (!p->is_repeatable)
		for (size_t i = 0; i < call->given_count; i++)
			if (call->given[i].param == p)
				return cli_usage_error(call, "%s cannot be given twice",
						       param_label(p));
	rc = vec_grow((void **)&call->given, &call->given_cap, call->given_count + 1, sizeof(*g));
	if (rc < 0)
		return rc;
	g = &call->given[call->given_count++];
	*g = (struct cli_given){ .param = p, .text = text };
	if (p->kind == CLI_FLAG && str_eq(p->name, "help"))
		call->wants_help = true;
	if (p->kind == CLI_FLAG && str_eq(p->name, "version"))
		call->wants_version = true;
	return p->kind == CLI_FLAG ? 0 : check_value(call, g);
}

struct reader {
	struct cli_call *call;
	char *const *argv;
	int argc;
	int at;
};

/* Value of an option: attached to its name, or the next word. */
static int read_option(struct reader *r, const struct cli_param *p, const char *attached)
{
	if (p->kind == CLI_FLAG) {
		if (attached)
			return cli_usage_error(r->call, "%s takes no value", param_label(p));
		return add_given(r->call, p, NULL);
	}
	if (attached)
		return add_given(r->call, p, attached);
	if (r->at >= r->argc)
		return cli_usage_error(r->call, "%s needs a value: %s %s", param_label(p),
				       param_label(p), cli_param_value(p));
	return add_given(r->call, p, r->argv[r->at++]);
}

static int read_long(struct reader *r, const char *name)
{
	size_t len = strcspn(name, "=");
	const struct cli_param *p = find_long(cli_command(r->call), name, len);

	if (!p)
		return unknown_option(r->call, name, len);
	return read_option(r, p, name[len] == '=' ? name + len + 1 : NULL);
}

static int unknown_letter(const struct cli_call *call, const char *letter)
{
	size_t len = text_utf8_len(letter);
	char option[8];

	snprintf(option, sizeof(option), "-%.*s", len ? (int)len : 1, letter);
	return cli_usage_error(call, "unknown option %s", cli_quoted(option));
}

/* Text after the letter in the same word, with or without =; NULL if there is none. */
static const char *attached_value(const char *letter)
{
	return letter[1] ? letter + 1 + (letter[1] == '=') : NULL;
}

static int read_letters(struct reader *r, const char *letters)
{
	for (; *letters; letters++) {
		const struct cli_param *p = find_letter(cli_command(r->call), *letters);
		int rc;

		if (!p)
			return unknown_letter(r->call, letters);
		if (p->kind != CLI_FLAG)
			return read_option(r, p, attached_value(letters));
		rc = read_option(r, p, NULL);
		if (rc)
			return rc;
	}
	return 0;
}

/* The parameter that gets the next argument: the first that is not filled or is repeatable. */
static const struct cli_param *next_argument(const struct cli_call *call)
{
	const struct cli_param *p;
	size_t state = 0;

	while ((p = cli_param_next(cli_command(call), &state)))
		if (p->is_arg && (p->is_repeatable || cli_count(call, p->name) == 0))
			return p;
	return NULL;
}

static int read_word(struct reader *r, const char *word)
{
	const struct cli_cmd *cmd = cli_command(r->call);
	const struct cli_param *p;

	if (cmd->subs) {
		const struct cli_cmd *sub = cli_find_sub(cmd, word);

		if (!sub || r->call->depth == CLI_MAX_DEPTH)
			return cli_unknown_command(r->call, word);
		r->call->path[r->call->depth++] = sub;
		return 0;
	}
	p = next_argument(r->call);
	if (!p)
		return cli_usage_error(r->call, "unexpected argument %s", cli_quoted(word));
	return add_given(r->call, p, word);
}

static void take_rest(struct reader *r)
{
	r->call->rest = r->argv + r->at;
	r->call->rest_count = r->argc - r->at;
	r->at = r->argc;
}

static int read_words(struct reader *r)
{
	bool only_words = false;
	int rc = 0;

	while (rc == 0 && r->at < r->argc) {
		const char *word = r->argv[r->at++];

		if (only_words || word[0] != '-' || word[1] == '\0')
			rc = read_word(r, word);
		else if (str_eq(word, "--") && cli_command(r->call)->rest)
			take_rest(r);
		else if (str_eq(word, "--"))
			only_words = true;
		else if (word[1] == '-')
			rc = read_long(r, word + 2);
		else
			rc = read_letters(r, word + 1);
	}
	return rc;
}

static int check_together(const struct cli_call *call)
{
	for (size_t i = 0; i < call->given_count; i++) {
		const struct cli_param *p = call->given[i].param;

		if (p->needs && !cli_is_given(call, p->needs))
			return cli_usage_error(call, "--%s requires --%s", p->name, p->needs);
		if (p->excludes && cli_is_given(call, p->excludes))
			return cli_usage_error(call, "--%s cannot be used with --%s", p->name,
					       p->excludes);
	}
	return 0;
}

static int check_required(const struct cli_call *call)
{
	const struct cli_param *p;
	size_t state = 0;

	while ((p = cli_param_next(cli_command(call), &state))) {
		if (!p->is_required || cli_is_given(call, p->name))
			continue;
		if (p->is_arg)
			return cli_usage_error(call, "missing argument %s", cli_param_value(p));
		return cli_usage_error(call, "missing option --%s %s", p->name, cli_param_value(p));
	}
	return 0;
}

/* cargo starts its plugins as `cargo-NAME NAME args`: the second word is skipped. */
static int skip_plugin_name(struct cli_call *call, int argc, char *const *argv)
{
	const char *base = argc > 0 ? basename(argv[0]) : "ktstr";

	call->is_cargo = str_eq(base, "cargo-ktstr");
	call->program = call->is_cargo ? "cargo ktstr" : "ktstr";
	return call->is_cargo && argc > 1 && str_eq(argv[1], "ktstr") ? 2 : 1;
}

int cli_parse(struct cli_call *call, int argc, char *const *argv)
{
	struct reader r = { .call = call, .argv = argv, .argc = argc };
	int rc;

	*call = (struct cli_call){ .path = { &cli_root }, .depth = 1 };
	r.at = skip_plugin_name(call, argc, argv);
	rc = read_words(&r);
	if (rc || call->wants_help || call->wants_version)
		return rc;
	if (cli_command(call)->subs)
		return 0;
	rc = check_required(call);
	return rc ? rc : check_together(call);
}

int cli_parse_rest(const struct cli_call *call, struct cli_call *rest)
{
	struct reader r = { .call = rest, .argv = call->rest, .argc = call->rest_count };
	int rc;

	*rest = (struct cli_call){ .program = call->program, .is_cargo = call->is_cargo };
	memcpy(rest->path, call->path, sizeof(rest->path));
	rest->depth = call->depth;
	rest->path[rest->depth - 1] = cli_command(call)->rest;
	rc = read_words(&r);
	return rc ? rc : check_together(rest);
}

void cli_call_finish(struct cli_call *call)
{
	free(call->given);
	*call = (struct cli_call){};
}

static const struct cli_param *param_by_name(const struct cli_call *call, const char *name)
{
	const struct cli_param *p;
	size_t state = 0;

	while ((p = cli_param_next(cli_command(call), &state)))
		if (str_eq(p->name, name))
			return p;
	fprintf(stderr, "ktstr: bug: '%s' has no parameter '%s'\n", cli_command(call)->name, name);
	abort();
}

/* The index-th value given for the name, or NULL. */
static const struct cli_given *given(const struct cli_call *call, const char *name, size_t index)
{
	const struct cli_param *p = param_by_name(call, name);

	for (size_t i = 0; i < call->given_count; i++)
		if (call->given[i].param == p && index-- == 0)
			return &call->given[i];
	return NULL;
}

bool cli_is_given(const struct cli_call *call, const char *name)
{
	return given(call, name, 0) != NULL;
}

bool cli_flag(const struct cli_call *call, const char *name)
{
	return cli_is_given(call, name);
}

const char *cli_text(const struct cli_call *call, const char *name)
{
	const struct cli_given *g = given(call, name, 0);

	return g ? g->text : param_by_name(call, name)->fallback;
}

uint64_t cli_number(const struct cli_call *call, const char *name)
{
	const struct cli_given *g = given(call, name, 0);
	const struct cli_param *p = param_by_name(call, name);
	uint64_t value = 0;

	if (g)
		return g->number;
	if (p->fallback && p->kind == CLI_DURATION)
		parse_duration(p->fallback, &value);
	else if (p->fallback)
		parse_u64(p->fallback, &value);
	return value;
}

size_t cli_count(const struct cli_call *call, const char *name)
{
	const struct cli_param *p = param_by_name(call, name);
	size_t count = 0;

	for (size_t i = 0; i < call->given_count; i++)
		count += call->given[i].param == p;
	return count;
}

const char *cli_nth(const struct cli_call *call, const char *name, size_t index)
{
	const struct cli_given *g = given(call, name, index);

	return g ? g->text : NULL;
}

int cli_collect(const struct cli_call *call, const char *name, const char ***items, size_t *count)
{
	*count = cli_count(call, name);
	*items = calloc(*count + 1, sizeof(**items));
	if (!*items)
		return err_no_memory();
	for (size_t i = 0; i < *count; i++)
		(*items)[i] = cli_nth(call, name, i);
	return 0;
}

struct roots cli_roots(const struct cli_call *call)
{
	return (struct roots){
		.proc = cli_text(call, "proc-root"),
		.sys = cli_text(call, "sys-root"),
		.cgroup = cli_text(call, "cgroup-root"),
	};
}
