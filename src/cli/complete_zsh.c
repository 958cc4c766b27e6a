// SPDX-License-Identifier: GPL-2.0-only
/*
 * zsh: a function per command around _arguments, which handles options, values and what was already
 * given. The file works from $fpath and when it is sourced.
 */
#include "cli/complete.h"

/* Appends text with the special characters of a specification escaped. */
static void add_escaped(struct str *out, const char *text, const char *special)
{
	for (; *text; text++) {
		if (*text == '\\' || strchr(special, *text))
			str_addc(out, '\\');
		str_addc(out, *text);
	}
}

static void add_words(struct str *out, const struct cli_param *p)
{
	for (const char *const *choice = complete_choices(p); *choice; choice++) {
		if (choice != complete_choices(p))
			str_addc(out, ' ');
		add_escaped(out, *choice, ":()'\" ");
	}
}

/* ":PATH:_files": name of the value and its source. */
static void add_action(const struct complete *c, struct str *spec, const struct cli_param *p)
{
	str_addc(spec, ':');
	add_escaped(spec, cli_param_value(p), ":");
	switch (p->kind) {
	case CLI_FILE:
		str_add(spec, ":_files");
		break;
	case CLI_DIR:
		str_add(spec, ":_files -/");
		break;
	case CLI_CHOICE:
		str_add(spec, ":(");
		add_words(spec, p);
		str_addc(spec, ')');
		break;
	case CLI_CHOICES:
		str_add(spec, ":_sequence compadd - ");
		add_words(spec, p);
		break;
	case CLI_COMMAND:
		str_addf(spec, ": %s-any-command", c->prefix);
		break;
	default:
		str_add(spec, ": ");
	}
}

static void add_spec(const struct complete *c, const struct str *spec)
{
	str_add(c->out, " \\\n\t\t");
	complete_add_quoted(c->out, str_get(spec), QUOTE_BASH);
	c->out->failed |= spec->failed;
}

/* "(-o --output)": after one spelling was given, neither is offered again. */
static void add_spellings(struct str *out, const struct cli_param *p)
{
	str_addc(out, '(');
	if (p->letter)
		str_addf(out, "-%c ", p->letter);
	if (p->alias)
		str_addf(out, "--%s ", p->alias);
	str_addf(out, "--%s)", p->name);
}

enum spelling { LETTER, LONG, HIDDEN };

static void add_option(const struct complete *c, const struct cli_param *p, enum spelling as)
{
	bool has_value = cli_param_value(p) != NULL;
	_str_ struct str spec = {};

	if (as == HIDDEN)
		str_addc(&spec, '!');
	if (!p->is_repeatable)
		add_spellings(&spec, p);
	if (p->is_repeatable)
		str_addc(&spec, '*');
	if (as == LETTER)
		str_addf(&spec, "-%c%s", p->letter, has_value ? "+" : "");
	else
		str_addf(&spec, "--%s%s", as == LONG ? p->name : p->alias, has_value ? "=" : "");
	str_addc(&spec, '[');
	add_escaped(&spec, p->help, "[]");
	str_addc(&spec, ']');
	if (has_value)
		add_action(c, &spec, p);
	add_spec(c, &spec);
}

static void add_argument(const struct complete *c, const struct cli_param *p)
{
	_str_ struct str spec = {};

	if (p->is_repeatable)
		str_addc(&spec, '*');
	else if (!p->is_required)
		str_addc(&spec, ':');
	add_action(c, &spec, p);
	add_spec(c, &spec);
}

static void add_params(const struct complete *c, const struct cli_cmd *cmd)
{
	const struct cli_param *p;
	size_t state = 0;

	while ((p = cli_param_next(cmd, &state))) {
		if (p->is_arg) {
			add_argument(c, p);
			continue;
		}
		if (p->letter)
			add_option(c, p, LETTER);
		add_option(c, p, LONG);
		if (p->alias)
			add_option(c, p, HIDDEN);
	}
}

/* "_ktstr-ctprof-capture" */
static void add_function(const struct complete *c, const struct cli_walk *w)
{
	str_add(c->out, c->prefix);
	if (w->depth > 1)
		str_addc(c->out, '-');
	complete_add_path(c->out, w, '-');
}

/* Passes the words to the subcommand's function, with its name first. */
static void add_dispatch(const struct complete *c, struct cli_walk w, const struct cli_cmd *group)
{
	str_add(c->out, " \\\n\t\t'(-)1: : ");
	complete_add_code(c, "_ktstr-commands \"");
	complete_add_path(c->out, &w, ' ');
	str_add(c->out, "\"' \\\n\t\t'(-)*:: :->rest' && ret=0\n"
			"\t[[ $state == rest ]] || return ret\n"
			"\tcase $line[1] in\n");
	w.depth++;
	cli_each_sub(sub, group) {
		if (sub->is_hidden)
			continue;
		w.path[w.depth - 1] = sub;
		str_addf(c->out, "\t%s%s%s) ", sub->name, sub->alias ? "|" : "",
			 sub->alias ? sub->alias : "");
		add_function(c, &w);
		str_add(c->out, " && ret=0 ;;\n");
	}
	str_add(c->out, "\tesac\n\treturn ret\n}\n");
}

static void add_command(const struct complete *c, const struct cli_walk *w)
{
	const struct cli_cmd *cmd = w->path[w->depth - 1];

	str_addc(c->out, '\n');
	add_function(c, w);
	str_add(c->out, "() {\n");
	if (w->depth == 1)
		str_add(c->out, "\t# cargo starts its plugins with their name as an extra word.\n"
				"\tif [[ ${words[1]:t} == cargo-ktstr && $words[2] == ktstr ]] && "
				"(( CURRENT > 2 )); then\n"
				"\t\tshift words\n"
				"\t\t(( CURRENT-- ))\n"
				"\tfi\n");
	if (cmd->subs)
		str_add(c->out, "\tlocal curcontext=$curcontext state state_descr line ret=1\n"
				"\tlocal -A opt_args\n\n");
	str_add(c->out, cmd->subs ? "\t_arguments -C -s -S" : "\t_arguments -s -S");
	add_params(c, cmd);
	if (cmd->subs)
		add_dispatch(c, *w, cmd);
	else
		str_add(c->out, "\n}\n");
}

static void add_described(struct str *out, const char *name, const char *help)
{
	_str_ struct str text = {};

	str_addf(&text, "%s:%s", name, help);
	str_add(out, "\n\t\t\t");
	complete_add_quoted(out, str_get(&text), QUOTE_BASH);
	out->failed |= text.failed;
}

static void add_group(const struct complete *c, const struct cli_walk *w)
{
	str_add(c->out, "\t'");
	complete_add_path(c->out, w, ' ');
	str_add(c->out, "')\n\t\tcommands=(");
	cli_each_sub(sub, w->path[w->depth - 1]) {
		if (sub->is_hidden)
			continue;
		add_described(c->out, sub->name, sub->summary);
		if (sub->alias)
			add_described(c->out, sub->alias, sub->summary);
	}
	str_add(c->out, ") ;;\n");
}

static void add_groups(const struct complete *c)
{
	const struct cli_cmd *cmd;
	struct cli_walk w = {};

	complete_add_code(c, "\n# Offers the subcommands of the command $1.\n"
			     "_ktstr-commands() {\n\tlocal -a commands\n\n\tcase $1 in\n");
	while ((cmd = cli_walk_next(&w)))
		if (cmd->subs)
			add_group(c, &w);
	str_add(c->out, "\tesac\n\t_describe -t commands command commands\n}\n");
}

/* Makes `help` follow the names before the cursor down the tree. */
static void add_any_command(const struct complete *c)
{
	static const struct complete_steps steps = { "\t\t'", " ", "'|'", "') at='", "' ;;\n" };

	complete_add_code(c, "\n# Offers the subcommands of the command that the arguments name.\n"
			     "_ktstr-any-command() {\n\tlocal at word\n\n"
			     "\tfor word in ${words[2,CURRENT-1]:#-*}; do\n"
			     "\t\tcase \"$at $word\" in\n");
	complete_add_steps(c, &steps);
	complete_add_code(c,
			  "\t\t*) return 1 ;;\n\t\tesac\n\tdone\n\t_ktstr-commands \"$at\"\n}\n");
}

void complete_zsh(const struct complete *c)
{
	struct cli_walk w = {};

	str_addf(c->out, "#compdef %s\n", c->is_cargo ? "cargo-ktstr" : c->binary);
	while (cli_walk_next(&w))
		add_command(c, &w);
	add_groups(c);
	add_any_command(c);
	if (c->is_cargo) {
		complete_add_code(c, complete_code_zsh_cargo);
		return;
	}
	complete_add_code(c, "\nif [[ $zsh_eval_context[-1] == (loadautofunc|shfunc) ]]; then\n"
			     "\t_ktstr \"$@\"\n"
			     "elif (( $+functions[compdef] )); then\n"
			     "\tcompdef _ktstr ");
	str_addf(c->out, "%s\nfi\n", c->binary);
}
