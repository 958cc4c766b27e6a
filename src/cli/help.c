/* --help, laid out for the terminal at hand. */
#include <string.h>

#include "base/text.h"
#include "base/util.h"
#include "cli/cli.h"

#define TEXT_COLUMN 26
#define NARROW 60 /* below this, descriptions go on a line of their own */
#define FALLBACK_WIDTH 80

struct layout {
	struct str *out;
	size_t width;
};

/* " left side            description, wrapped under itself" */
static void add_row(const struct layout *l, const char *left, const char *text)
{
	size_t column = l->width < NARROW ? 8 : TEXT_COLUMN;
	size_t used = text_width(left);

	str_add(l->out, left);
	if (used + 2 > column) {
		str_addc(l->out, '\n');
		used = 0;
	}
	str_repeat(l->out, ' ', column - used);
	text_wrap(l->out, text, column, l->width);
	str_addc(l->out, '\n');
}

static void add_left(struct str *left, const struct cli_param *p)
{
	const char *value = cli_param_value(p);

	if (p->is_arg) {
		str_addf(left, " %s%s", value, p->is_repeatable ? "..." : "");
		return;
	}
	if (p->letter)
		str_addf(left, " -%c, --%s", p->letter, p->name);
	else
		str_addf(left, "     --%s", p->name);
	if (value)
		str_addf(left, " %s", value);
}

static void add_choices(struct str *text, const struct cli_param *p)
{
	const char *const *c = p->choices();

	str_add(text, ": ");
	for (size_t i = 0; c[i]; i++)
		str_addf(text, "%s%s", i ? ", " : "", c[i]);
}

bool cli_has_short_choices(const struct cli_param *p)
{
	size_t count = 0;

	if (!p->choices)
		return false;
	while (p->choices()[count])
		count++;
	return count <= 16;
}

static void add_param(const struct layout *l, const struct cli_param *p)
{
	_str_ struct str left = {}, text = {};

	add_left(&left, p);
	str_add(&text, p->help);
	if (cli_has_short_choices(p))
		add_choices(&text, p);
	if (p->fallback)
		str_addf(&text, " [default: %s]", p->fallback);
	if (p->is_repeatable && !p->is_arg)
		str_add(&text, " (repeatable)");
	add_row(l, str_get(&left), str_get(&text));
}

static void add_params(const struct layout *l, const struct cli_cmd *cmd, bool args)
{
	const struct cli_param *p;
	size_t state = 0;
	bool titled = false;

	while ((p = cli_param_next(cmd, &state))) {
		if (p->is_arg != args)
			continue;
		if (!titled)
			str_add(l->out, args ? "\nArguments:\n" : "\nOptions:\n");
		titled = true;
		add_param(l, p);
	}
}

static void add_commands(const struct layout *l, const struct cli_cmd *group)
{
	str_add(l->out, "\nCommands:\n");
	for (const struct cli_cmd *sub = group->subs; sub->name; sub++) {
		_str_ struct str left = {};

		if (sub->is_hidden)
			continue;
		str_addf(&left, " %s%s%s", sub->name, sub->alias ? ", " : "",
			 sub->alias ? sub->alias : "");
		add_row(l, str_get(&left), sub->summary);
	}
}

static void add_usage(const struct layout *l, const struct cli_call *call)
{
	const struct cli_cmd *cmd = cli_command(call);
	const struct cli_param *p;
	size_t state = 0;

	str_add(l->out, "Usage:\n ");
	cli_add_path(l->out, call);
	str_add(l->out, cmd->subs ? " COMMAND [options]" : " [options]");
	while ((p = cli_param_next(cmd, &state))) {
		if (p->is_arg)
			str_addf(l->out, p->is_required ? " %s%s" : " [%s%s]", cli_param_value(p),
				 p->is_repeatable ? "..." : "");
		else if (p->is_required)
			str_addf(l->out, " --%s %s", p->name, cli_param_value(p));
	}
	str_addc(l->out, '\n');
}

static void add_examples(const struct layout *l, const struct cli_call *call)
{
	str_add(l->out, "\nExamples:\n");
	for (const struct cli_example *e = cli_command(call)->examples; e->command; e++) {
		str_addf(l->out, " %s %s\n", call->program, e->command);
		str_add(l->out, "     ");
		text_wrap(l->out, e->what, 5, l->width);
		str_addc(l->out, '\n');
	}
}

void cli_add_help(struct str *out, const struct cli_call *call, unsigned int width)
{
	const struct cli_cmd *cmd = cli_command(call);
	struct layout l = { .out = out, .width = width ? MIN(width, 100) : FALLBACK_WIDTH };

	add_usage(&l, call);
	str_addc(out, '\n');
	text_wrap(out, cmd->about ? cmd->about : cmd->summary, 0, l.width);
	str_addc(out, '\n');
	if (cmd->subs)
		add_commands(&l, cmd);
	add_params(&l, cmd, true);
	add_params(&l, cmd, false);
	if (cmd->examples)
		add_examples(&l, call);
}
