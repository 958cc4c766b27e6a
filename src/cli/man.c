// SPDX-License-Identifier: GPL-2.0-only
/*
 * The table as man(7) text. Pages carry version and date of the release: a rebuild gives the same
 * bytes.
 */
#include "cli/cli.h"

#include "ktstr/ktstr.h"

/* Date of the release, used in pages instead of the build date. */
#define RELEASE_DATE "2026-11-15"

/* Characters that troff would print differently from what can be copied. */
struct escape {
	char sign;
	const char *text;
};

static const struct escape escapes[] = {
	{ '\\', "\\e" },  { '-', "\\-" },   { '\'', "\\(aq" }, { '`', "\\(ga" },
	{ '^', "\\(ha" }, { '~', "\\(ti" }, { '"', "\\(dq" },
};

static const char *escape_of(char sign)
{
	for (size_t i = 0; i < ARRAY_SIZE(escapes); i++)
		if (escapes[i].sign == sign)
			return escapes[i].text;
	return NULL;
}

/* Appends text, escaped so that the page shows it literally. */
static void add_text(struct str *out, const char *text)
{
	bool line_start = out->len == 0 || out->s[out->len - 1] == '\n';

	for (; *text; text++) {
		const char *escape = escape_of(*text);

		if (line_start && (*text == '.' || *text == '\''))
			str_add(out, "\\&");
		line_start = *text == '\n';
		if (escape)
			str_add(out, escape);
		else
			str_addc(out, *text);
	}
}

/* Appends a sentence of the table, which has them in lower case and without a full stop. */
static void add_sentence(struct str *out, const char *text)
{
	char first[2] = { text[0], '\0' };

	if (first[0] >= 'a' && first[0] <= 'z')
		first[0] = (char)(first[0] - 'a' + 'A');
	add_text(out, first);
	add_text(out, text + 1);
	str_add(out, ".\n");
}

static void add_styled(struct str *out, char font, const char *text)
{
	str_addf(out, "\\f%c", font);
	add_text(out, text);
	str_add(out, "\\fR");
}

static void add_title(struct str *out, const char *name, const char *summary)
{
	_str_ struct str upper = {};

	for (const char *c = name; *c; c++)
		str_addc(&upper, *c >= 'a' && *c <= 'z' ? (char)(*c - 'a' + 'A') : *c);
	str_add(out, ".TH ");
	add_text(out, str_get(&upper));
	/* No hyphenation, and no justification. */
	str_addf(out, " 1 " RELEASE_DATE " \"ktstr %s\" \"ktstr manual\"\n.nh\n.ad l\n",
		 ktstr_version());
	str_add(out, ".SH NAME\n");
	add_text(out, name);
	str_add(out, " \\- ");
	add_text(out, summary);
	str_addc(out, '\n');
	out->failed |= upper.failed;
}

/* Paragraphs are separated by empty lines. */
static void add_paragraphs(struct str *out, const char *text)
{
	const char *end;

	while ((end = strstr(text, "\n\n"))) {
		_free_ char *paragraph = strndup(text, (size_t)(end - text));

		out->failed |= !paragraph;
		if (paragraph)
			add_text(out, paragraph);
		str_add(out, "\n.PP\n");
		text = end + 2;
	}
	add_text(out, text);
	str_addc(out, '\n');
}

static void add_about(struct str *out, const struct cli_cmd *cmd)
{
	if (cmd->about)
		add_paragraphs(out, cmd->about);
	else
		add_sentence(out, cmd->summary);
}

static void add_long_option(struct str *out, const struct cli_param *p)
{
	const char *value = cli_param_value(p);

	str_add(out, "\\fB\\-\\-");
	add_text(out, p->name);
	str_add(out, "\\fR");
	if (!value)
		return;
	str_addc(out, ' ');
	add_styled(out, 'I', value);
}

static void add_option_tag(struct str *out, const struct cli_param *p)
{
	if (p->letter)
		str_addf(out, "\\fB\\-%c\\fR, ", p->letter);
	add_long_option(out, p);
}

static void add_choices(struct str *out, const struct cli_param *p)
{
	const char *const *choices = p->choices();

	str_add(out, p->kind == CLI_CHOICES ? "Values: " : "One of: ");
	for (size_t i = 0; choices[i]; i++) {
		if (i)
			str_add(out, ", ");
		add_styled(out, 'B', choices[i]);
	}
	str_add(out, ".\n");
}

static void add_relations(struct str *out, const struct cli_param *p)
{
	if (p->needs) {
		str_add(out, "Requires \\fB\\-\\-");
		add_text(out, p->needs);
		str_add(out, "\\fR.\n");
	}
	if (p->excludes) {
		str_add(out, "Cannot be used with \\fB\\-\\-");
		add_text(out, p->excludes);
		str_add(out, "\\fR.\n");
	}
}

static void add_param(struct str *out, const struct cli_param *p)
{
	str_add(out, ".TP\n");
	if (p->is_arg)
		add_styled(out, 'I', cli_param_value(p));
	else
		add_option_tag(out, p);
	str_addc(out, '\n');
	add_sentence(out, p->help);
	if (cli_has_short_choices(p))
		add_choices(out, p);
	if (p->fallback) {
		str_add(out, "Default: ");
		add_styled(out, 'B', p->fallback);
		str_add(out, ".\n");
	}
	if (p->is_repeatable)
		str_add(out, "May be given several times.\n");
	add_relations(out, p);
}

/* Only the command's own parameters: global options are described once. */
static void add_own_params(struct str *out, const struct cli_cmd *cmd)
{
	for (const struct cli_param *p = cmd->params; p && p->name; p++)
		if (p->is_arg)
			add_param(out, p);
	for (const struct cli_param *p = cmd->params; p && p->name; p++)
		if (!p->is_arg)
			add_param(out, p);
	if (!cmd->rest)
		return;
	str_add(out, ".SS Options after \\-\\-\n");
	for (const struct cli_param *p = cmd->rest->params; p->name; p++)
		add_param(out, p);
}

static void add_synopsis_params(struct str *out, const struct cli_cmd *cmd)
{
	bool has_options = false;

	for (const struct cli_param *p = cmd->params; p && p->name; p++)
		has_options |= !p->is_arg && !p->is_required;
	if (has_options)
		str_add(out, " [\\fIoptions\\fR]");
	for (const struct cli_param *p = cmd->params; p && p->name; p++) {
		if (!p->is_arg && !p->is_required)
			continue;
		str_add(out, p->is_required ? " " : " [");
		if (p->is_arg)
			add_styled(out, 'I', cli_param_value(p));
		else
			add_long_option(out, p);
		if (p->is_repeatable)
			str_add(out, "...");
		if (!p->is_required)
			str_addc(out, ']');
	}
	if (cmd->rest)
		str_add(out, " [\\-\\- \\fIOPTION\\fR...]");
}

/* "ktstr ctprof capture [options] --output PATH" */
static void add_synopsis(struct str *out, const struct cli_cmd *group, const struct cli_cmd *sub)
{
	str_add(out, "\\fBktstr ");
	add_text(out, group->name);
	if (sub) {
		str_addc(out, ' ');
		add_text(out, sub->name);
	}
	str_add(out, "\\fR");
	add_synopsis_params(out, sub ? sub : group);
	str_addc(out, '\n');
}

static void add_examples(struct str *out, const struct cli_cmd *cmd)
{
	for (const struct cli_example *e = cmd->examples; e && e->command; e++) {
		str_add(out, ".TP\n\\fBktstr ");
		add_text(out, e->command);
		str_add(out, "\\fR\n");
		add_sentence(out, e->what);
	}
}

static bool has_examples(const struct cli_cmd *cmd)
{
	bool found = cmd->examples != NULL;

	cli_each_sub(sub, cmd)
		found |= !sub->is_hidden && has_examples(sub);
	return found;
}

static void add_all_examples(struct str *out, const struct cli_cmd *cmd)
{
	if (!cmd->is_hidden)
		add_examples(out, cmd);
	cli_each_sub(sub, cmd)
		if (!sub->is_hidden)
			add_all_examples(out, sub);
}

static void add_subcommand(struct str *out, const struct cli_cmd *group, const struct cli_cmd *sub)
{
	str_add(out, ".SS ");
	add_text(out, group->name);
	str_addc(out, ' ');
	add_text(out, sub->name);
	str_addc(out, '\n');
	add_synopsis(out, group, sub);
	str_add(out, ".PP\n");
	add_about(out, sub);
	if (sub->alias) {
		str_add(out, ".PP\nAlso called ");
		add_styled(out, 'B', sub->alias);
		str_add(out, ".\n");
	}
	add_own_params(out, sub);
}

static void add_group_body(struct str *out, const struct cli_cmd *group)
{
	str_add(out, ".SH COMMANDS\n");
	cli_each_sub(sub, group)
		if (!sub->is_hidden)
			add_subcommand(out, group, sub);
}

static void add_group_synopsis(struct str *out, const struct cli_cmd *group)
{
	bool is_first = true;

	cli_each_sub(sub, group) {
		if (sub->is_hidden)
			continue;
		if (!is_first)
			str_add(out, ".br\n");
		is_first = false;
		add_synopsis(out, group, sub);
	}
}

static const char common_exits[] = ".SH EXIT STATUS\n"
				   ".TP\n.B 0\nSuccess.\n"
				   ".TP\n.B 1\nFailure; a line on standard error that begins with\n"
				   ".B error:\nsays what was attempted and what to do about it.\n"
				   ".TP\n.B 2\nThe command line was not understood.\n";

/* Exit codes of one command; on the page of a group they name the command. */
static void add_exits(struct str *out, const struct cli_cmd *cmd, bool is_named)
{
	for (const struct cli_exit *e = cmd->exits; e && e->when; e++) {
		str_addf(out, ".TP\n.B %s\n", e->code);
		if (is_named) {
			add_styled(out, 'B', cmd->name);
			str_add(out, ": ");
			add_text(out, e->when);
			str_add(out, ".\n");
		} else {
			add_sentence(out, e->when);
		}
	}
}

static void add_all_exits(struct str *out, const struct cli_cmd *cmd)
{
	str_add(out, common_exits);
	add_exits(out, cmd, false);
	cli_each_sub(sub, cmd)
		if (!sub->is_hidden)
			add_exits(out, sub, true);
}

void man_add_command(struct str *out, const struct cli_cmd *cmd)
{
	_str_ struct str name = {};

	str_addf(&name, "ktstr-%s", cmd->name);
	add_title(out, str_get(&name), cmd->summary);
	str_add(out, ".SH SYNOPSIS\n");
	if (cmd->subs)
		add_group_synopsis(out, cmd);
	else
		add_synopsis(out, cmd, NULL);
	str_add(out, ".SH DESCRIPTION\n");
	add_about(out, cmd);
	if (cmd->alias) {
		str_add(out, ".PP\nAlso called \\fBktstr ");
		add_text(out, cmd->alias);
		str_add(out, "\\fR.\n");
	}
	if (cmd->subs) {
		add_group_body(out, cmd);
	} else if (cmd->params && cmd->params->name) {
		str_add(out, ".SH OPTIONS\n");
		add_own_params(out, cmd);
	}
	str_add(out, ".PP\nThe options that all commands share are described in\n"
		     ".BR ktstr (1).\n");
	add_all_exits(out, cmd);
	if (has_examples(cmd)) {
		str_add(out, ".SH EXAMPLES\n");
		add_all_examples(out, cmd);
	}
	str_add(out, ".SH SEE ALSO\n.BR ktstr (1)\n");
	out->failed |= name.failed;
}

static void add_command_list(struct str *out)
{
	const struct cli_cmd *cmd;
	struct cli_walk w = {};

	str_add(out, ".SH COMMANDS\n");
	while ((cmd = cli_walk_next(&w))) {
		if (w.depth == 1)
			continue;
		if (cli_heading(cmd))
			str_addf(out, ".SS %s\n", cli_heading(cmd));
		str_add(out, ".TP\n\\fB");
		for (size_t i = 1; i < w.depth; i++) {
			if (i > 1)
				str_addc(out, ' ');
			add_text(out, w.path[i]->name);
		}
		str_add(out, "\\fR");
		if (cmd->alias) {
			str_add(out, ", ");
			add_styled(out, 'B', cmd->alias);
		}
		str_addc(out, '\n');
		add_sentence(out, cmd->summary);
	}
}

static void add_notes(struct str *out, const char *title, const struct cli_note *notes)
{
	str_addf(out, ".SH %s\n", title);
	for (const struct cli_note *e = notes; e->name; e++) {
		str_add(out, ".TP\n");
		add_styled(out, 'B', e->name);
		str_addc(out, '\n');
		add_text(out, e->help);
		str_addc(out, '\n');
	}
}

static void add_see_also(struct str *out)
{
	const struct cli_cmd *cmd;
	struct cli_walk w = {};
	bool is_first = true;

	str_add(out, ".SH SEE ALSO\n");
	while ((cmd = cli_walk_next(&w))) {
		if (w.depth != 2)
			continue;
		if (!is_first)
			str_add(out, ",\n");
		is_first = false;
		str_add(out, "\\fBktstr\\-");
		add_text(out, cmd->name);
		str_add(out, "\\fR(1)");
	}
	str_addc(out, '\n');
}

void man_add_overview(struct str *out)
{
	add_title(out, cli_root.name, cli_root.summary);
	str_add(out, ".SH SYNOPSIS\n"
		     ".B ktstr\n\\fICOMMAND\\fR [\\fIoptions\\fR]\n.br\n"
		     ".B cargo ktstr\n\\fICOMMAND\\fR [\\fIoptions\\fR]\n"
		     ".SH DESCRIPTION\n");
	add_paragraphs(out, cli_root.about);
	str_add(out,
		".PP\nData goes to standard output; progress, notes and warnings go to standard "
		"error.\nDurations have units, as in 100ms, 30s or 1m30s.\n");
	add_command_list(out);
	str_add(out, ".SH OPTIONS\nEvery command takes these.\n");
	add_own_params(out, &cli_root);
	str_add(out, common_exits);
	str_add(out, ".PP\nCommands with further codes list them in their own page.\n");
	add_notes(out, "ENVIRONMENT", cli_environment);
	add_notes(out, "FILES", cli_files);
	str_add(out, ".SH EXAMPLES\n");
	add_all_examples(out, &cli_root);
	add_see_also(out);
}
