// SPDX-License-Identifier: GPL-2.0-only
/*
 * fish: a `complete` line per option, with the condition that the cursor is at its command. The
 * functions in complete/fish.fish evaluate that with the tables of this file.
 */
#include "cli/complete.h"

static void add_path_case(struct str *out, const struct cli_walk *w)
{
	str_add(out, "\tcase '");
	complete_add_path(out, w, ' ');
	str_add(out, "'\n");
}

static void add_subcommands(const struct complete *c)
{
	const struct cli_cmd *cmd;
	struct cli_walk w = {};

	complete_add_code(c, "\n# Prints the subcommands of a command, described.\n"
			     "function _ktstr_commands\n\tswitch \"$argv\"\n");
	while ((cmd = cli_walk_next(&w))) {
		if (!cmd->subs)
			continue;
		add_path_case(c->out, &w);
		cli_each_sub(sub, cmd) {
			if (sub->is_hidden)
				continue;
			str_addf(c->out, "\t\tprintf '%%s\\t%%s\\n' %s ", sub->name);
			complete_add_quoted(c->out, sub->summary, QUOTE_FISH);
			if (sub->alias) {
				str_addf(c->out, " %s ", sub->alias);
				complete_add_quoted(c->out, sub->summary, QUOTE_FISH);
			}
			str_addc(c->out, '\n');
		}
	}
	str_add(c->out, "\tend\nend\n");
}

/* Path of a subcommand, given the path of its group and its name; or nothing. */
static void add_descend(const struct complete *c)
{
	static const struct complete_steps steps = { "\tcase '", "/", "' '", "'\n\t\techo '",
						     "'\n" };

	complete_add_code(c, "\n# Prints the command that a word behind a command leads to.\n"
			     "function _ktstr_descend\n\tswitch \"$argv[1]/$argv[2]\"\n");
	complete_add_steps(c, &steps);
	str_add(c->out, "\tcase '*'\n\t\treturn 1\n\tend\nend\n");
}

static void add_spellings(struct str *out, const struct cli_param *p)
{
	str_addf(out, " --%s", p->name);
	if (p->letter)
		str_addf(out, " -%c", p->letter);
	if (p->alias)
		str_addf(out, " --%s", p->alias);
}

static void add_takes_value(const struct complete *c)
{
	const struct cli_cmd *cmd;
	struct cli_walk w = {};

	complete_add_code(c, "\n# Whether the option of a command takes a value.\n"
			     "function _ktstr_takes_value\n\tswitch $argv[1]\n");
	while ((cmd = cli_walk_next(&w))) {
		const struct cli_param *p;
		size_t state = 0;

		add_path_case(c->out, &w);
		str_add(c->out, "\t\tcontains -- $argv[2]");
		while ((p = cli_param_next(cmd, &state)))
			if (!p->is_arg && p->kind != CLI_FLAG)
				add_spellings(c->out, p);
		str_addc(c->out, '\n');
	}
	str_add(c->out, "\tcase '*'\n\t\treturn 1\n\tend\nend\n");
}

/* Values come from -a; -x excludes files. */
static void add_values(const struct complete *c, const struct cli_param *p)
{
	_str_ struct str values = {};

	for (const char *const *choice = complete_choices(p); *choice; choice++)
		str_addf(&values, " %s", *choice);
	c->out->failed |= values.failed;
	switch (p->kind) {
	case CLI_FILE:
		str_add(c->out, " -F");
		return;
	case CLI_DIR:
		str_add(c->out, " -f -a '(");
		complete_add_code(c, "_ktstr_directories)'");
		return;
	case CLI_CHOICE:
		str_addf(c->out, " -f -a '%s'", str_get(&values) + 1);
		return;
	case CLI_CHOICES:
		str_addf(c->out, " -f -a '(%s_list%s)'", c->prefix, str_get(&values));
		return;
	case CLI_COMMAND:
		str_addf(c->out, " -f -a '(%s_any_command)'", c->prefix);
		return;
	default:
		str_add(c->out, " -f");
	}
}

static void add_option(const struct complete *c, const char *path, const struct cli_param *p)
{
	str_addf(c->out, "complete -c %s -n \"%s_at '%s'\"", c->binary, c->prefix, path);
	if (!p->is_repeatable) {
		str_addf(c->out, " -n 'not %s_has", c->prefix);
		add_spellings(c->out, p);
		str_addc(c->out, '\'');
	}
	if (p->letter)
		str_addf(c->out, " -s %c", p->letter);
	str_addf(c->out, " -l %s", p->name);
	if (p->kind != CLI_FLAG) {
		str_add(c->out, " -r");
		add_values(c, p);
	}
	str_add(c->out, " -d ");
	complete_add_quoted(c->out, p->help, QUOTE_FISH);
	str_addc(c->out, '\n');
}

/* An argument by its position; a repeatable one matches that and all later positions. */
static void add_argument(const struct complete *c, const char *path, const struct cli_param *p,
			 size_t place)
{
	if (p->kind != CLI_FILE && p->kind != CLI_DIR && p->kind != CLI_COMMAND && !p->choices)
		return;
	str_addf(c->out, "complete -c %s -n \"%s_at '%s' %zu%s\"", c->binary, c->prefix, path,
		 place, p->is_repeatable ? " on" : "");
	add_values(c, p);
	str_addc(c->out, '\n');
}

static void add_command(const struct complete *c, const struct cli_walk *w)
{
	const struct cli_param *p;
	_str_ struct str path = {};
	size_t state = 0, place = 0;

	complete_add_path(&path, w, ' ');
	while ((p = cli_param_next(w->path[w->depth - 1], &state))) {
		if (p->is_arg)
			add_argument(c, str_get(&path), p, place++);
		else
			add_option(c, str_get(&path), p);
	}
	c->out->failed |= path.failed;
}

static void add_completions(const struct complete *c)
{
	struct cli_walk w = {};

	str_addf(c->out, "\ncomplete -c %s -n %s_is_ours -f\n", c->binary, c->prefix);
	str_addf(c->out, "complete -c %s -n %s_is_ours -a '(%s_subcommands)'\n", c->binary,
		 c->prefix, c->prefix);
	while (cli_walk_next(&w))
		add_command(c, &w);
}

void complete_fish(const struct complete *c)
{
	struct complete plugin = *c;

	complete_add_code(c, complete_code_fish);
	add_subcommands(c);
	add_descend(c);
	add_takes_value(c);
	add_completions(c);
	if (!c->is_cargo)
		return;
	str_add(c->out, "\ncomplete -c cargo -n __fish_use_subcommand -a ktstr -d ");
	complete_add_quoted(c->out, cli_root.summary, QUOTE_FISH);
	str_addc(c->out, '\n');
	plugin.binary = "cargo-ktstr";
	add_completions(&plugin);
}
