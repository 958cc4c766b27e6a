// SPDX-License-Identifier: GPL-2.0-only
/* The program's command table against its own rules, row by row. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "base/parse.h"
#include "base/str.h"
#include "base/util.h"
#include "cli/cli.h"

/* Says which row is wrong before failing. */
#define check(condition, cmd, param, ...)                                                       \
	do {                                                                                    \
		if (!(condition)) {                                                             \
			print_error("command '%s', row '%s': ", (cmd)->name,                    \
				    (param) ? ((const struct cli_param *)(param))->name : "-"); \
			print_error(__VA_ARGS__);                                               \
			print_error("\n");                                                      \
			fail();                                                                 \
		}                                                                               \
	} while (0)

/* Visits hidden commands too: their rows have to be right as well. */
static void each_command(const struct cli_cmd *cmd, size_t depth,
			 void (*check_one)(const struct cli_cmd *cmd, size_t depth))
{
	check_one(cmd, depth);
	cli_each_sub(sub, cmd)
		each_command(sub, depth + 1, check_one);
}

/* Lower case unless it is a name such as JSON or LLCs; no full stop. */
static bool is_phrase(const char *text)
{
	size_t len = text ? strlen(text) : 0;
	bool is_capital = len && text[0] >= 'A' && text[0] <= 'Z';

	if (!len || text[len - 1] == '.' || text[len - 1] == ' ' || text[0] == ' ')
		return false;
	return !is_capital || (text[1] >= 'A' && text[1] <= 'Z') || str_starts(text, "Linux");
}

static bool is_word(const char *text, const char *others)
{
	for (const char *c = text; *c; c++)
		if (!((*c >= 'a' && *c <= 'z') || (*c >= '0' && *c <= '9') || strchr(others, *c)))
			return false;
	return text[0] != '\0' && text[0] != '-';
}

static void check_command(const struct cli_cmd *cmd, size_t depth)
{
	check(depth <= CLI_MAX_DEPTH, cmd, NULL, "deeper than the parser goes");
	check(is_word(cmd->name, "-"), cmd, NULL, "name is not a plain word");
	check(!cmd->alias || is_word(cmd->alias, "-"), cmd, NULL, "alias is not a plain word");
	check(is_phrase(cmd->summary), cmd, NULL, "summary is not a phrase: %s", cmd->summary);
	check(!cmd->about || cmd->about[strlen(cmd->about) - 1] == '.', cmd, NULL,
	      "about is not a sentence");
	check(cmd->subs || cmd->run, cmd, NULL, "neither subcommands nor a function");
	check(cmd == &cli_root || !cmd->subs || !cmd->params, cmd, NULL,
	      "a group's own options would be lost on its subcommands");
	for (const struct cli_example *e = cmd->examples; e && e->command; e++) {
		check(is_phrase(e->what), cmd, NULL, "example is not a phrase: %s", e->what);
		check(!str_starts(e->command, "ktstr"), cmd, NULL, "example names the program");
	}
}

static void test_commands_are_well_formed(void **state)
{
	(void)state;
	each_command(&cli_root, 1, check_command);
}

static bool answers_to(const struct cli_cmd *cmd, const char *name)
{
	return name && (str_eq(cmd->name, name) || (cmd->alias && str_eq(cmd->alias, name)));
}

static void check_siblings(const struct cli_cmd *group, size_t depth)
{
	(void)depth;
	cli_each_sub(a, group)
		for (const struct cli_cmd *const *b = a_at + 1; *b; b++)
			check(!answers_to(a, (*b)->name) && !answers_to(a, (*b)->alias), *b, NULL,
			      "shares a name with '%s'", a->name);
}

static void test_names_of_commands_are_unique(void **state)
{
	(void)state;
	each_command(&cli_root, 1, check_siblings);
}

static bool has_value(const struct cli_param *p)
{
	return p->is_arg || p->kind != CLI_FLAG;
}

static void check_choices(const struct cli_cmd *cmd, const struct cli_param *p)
{
	bool takes_choices = p->kind == CLI_CHOICE || p->kind == CLI_CHOICES;

	check(takes_choices == (p->choices != NULL), cmd, p, "choices and kind disagree");
	if (!p->choices)
		return;
	check(p->choices()[0], cmd, p, "no choices");
	for (const char *const *c = p->choices(); *c; c++) {
		/* Completion scripts rely on words that no shell needs quotes for. */
		check(is_word(*c, "-_.%"), cmd, p, "choice '%s' is not a plain word", *c);
		for (const char *const *other = p->choices(); other < c; other++)
			check(!str_eq(*c, *other), cmd, p, "choice '%s' comes twice", *c);
	}
}

static bool is_choice(const struct cli_param *p, const char *text)
{
	for (const char *const *c = p->choices(); *c; c++)
		if (str_eq(*c, text))
			return true;
	return false;
}

static bool is_valid_fallback(const struct cli_param *p)
{
	uint64_t number;

	switch (p->kind) {
	case CLI_FLAG:
		return false;
	case CLI_NUMBER:
		return parse_u64(p->fallback, &number) == 0 && number >= p->min &&
		       (!p->max || number <= p->max);
	case CLI_DURATION:
		return parse_duration(p->fallback, &number) == 0;
	case CLI_CHOICE:
		return is_choice(p, p->fallback);
	default:
		return p->fallback[0] != '\0';
	}
}

static void check_param(const struct cli_cmd *cmd, const struct cli_param *p)
{
	check(is_word(p->name, "-"), cmd, p, "name is not a plain word");
	check(is_phrase(p->help), cmd, p, "help is not a phrase: %s", p->help);
	check(!has_value(p) || p->value, cmd, p, "value has no placeholder");
	check(has_value(p) || !p->value, cmd, p, "a flag has no value");
	check(!p->is_arg || (p->kind != CLI_FLAG && !p->letter && !p->alias), cmd, p,
	      "an argument is neither a flag nor called by name");
	check(!p->letter || (p->letter >= 'a' && p->letter <= 'z') ||
		      (p->letter >= 'A' && p->letter <= 'Z'),
	      cmd, p, "letter is not a letter");
	check(p->kind == CLI_NUMBER || (!p->min && !p->max), cmd, p, "only numbers have bounds");
	check(!p->max || p->min <= p->max, cmd, p, "bounds cross");
	check(!p->fallback || is_valid_fallback(p), cmd, p, "fallback '%s' is not valid",
	      p->fallback);
	check(!p->fallback || !p->is_required, cmd, p, "required, so the fallback is never used");
	check(p->kind != CLI_COMMAND || p->is_arg, cmd, p, "only arguments name commands");
	check_choices(cmd, p);
}

static bool is_option_of(const struct cli_cmd *cmd, const char *name)
{
	const struct cli_param *p;
	size_t state = 0;

	while ((p = cli_param_next(cmd, &state)))
		if (!p->is_arg && str_eq(p->name, name))
			return true;
	return false;
}

static bool share_a_name(const struct cli_param *a, const struct cli_param *b)
{
	return str_eq(a->name, b->name) || (a->alias && str_eq(a->alias, b->name)) ||
	       (b->alias && str_eq(a->name, b->alias)) ||
	       (a->alias && b->alias && str_eq(a->alias, b->alias));
}

/* Each parameter against those before it. */
static void check_against_earlier(const struct cli_cmd *cmd, const struct cli_param *p,
				  size_t count)
{
	bool takes_the_rest = false;

	for (size_t state = 0, i = 0; i < count; i++) {
		const struct cli_param *other = cli_param_next(cmd, &state);

		check(!share_a_name(p, other), cmd, p, "shares a name with '%s'", other->name);
		check(!p->letter || p->letter != other->letter, cmd, p, "shares -%c with '%s'",
		      p->letter, other->name);
		if (p->is_arg && other->is_arg) {
			takes_the_rest |= other->is_repeatable;
			check(other->is_required || !p->is_required, cmd, p,
			      "required behind the optional '%s'", other->name);
		}
	}
	check(!takes_the_rest, cmd, p, "an argument before it takes all words");
}

static void check_params(const struct cli_cmd *cmd, size_t depth)
{
	const struct cli_param *p;
	size_t state = 0, count = 0;

	(void)depth;
	while ((p = cli_param_next(cmd, &state))) {
		check_param(cmd, p);
		check(!p->needs || is_option_of(cmd, p->needs), cmd, p, "needs an unknown '%s'",
		      p->needs);
		check(!p->excludes || is_option_of(cmd, p->excludes), cmd, p,
		      "excludes an unknown '%s'", p->excludes);
		check_against_earlier(cmd, p, count++);
	}
}

static void test_parameters_are_well_formed(void **state)
{
	(void)state;
	each_command(&cli_root, 1, check_params);
}

static void test_notes_are_sentences(void **state)
{
	const struct cli_note *const lists[] = { cli_environment, cli_files };

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(lists); i++) {
		assert_non_null(lists[i]->name);
		for (const struct cli_note *n = lists[i]; n->name; n++)
			check(n->help && n->help[0] >= 'A' && n->help[0] <= 'Z' &&
				      n->help[strlen(n->help) - 1] == '.',
			      &cli_root, NULL, "%s: '%s' is not a sentence", n->name, n->help);
	}
}

/* The next word of a shell line: blanks separate, single quotes hold together. */
static char *next_word(char **rest)
{
	char *word = *rest + strspn(*rest, " "), *out = word, *in = word;
	bool is_quoted = false;

	if (!*word)
		return NULL;
	for (; *in && (is_quoted || *in != ' '); in++) {
		if (*in == '\'')
			is_quoted = !is_quoted;
		else
			*out++ = *in;
	}
	*rest = *in ? in + 1 : in;
	*out = '\0';
	return word;
}

/* Examples are parsed as a shell would hand them over, up to a redirection. */
static void check_examples(const struct cli_cmd *cmd, size_t depth)
{
	(void)depth;
	for (const struct cli_example *e = cmd->examples; e && e->command; e++) {
		char line[512], *argv[32] = { (char *)"ktstr" }, *rest = line, *word;
		struct cli_call call;
		int argc = 1, rc;

		snprintf(line, sizeof(line), "%s", e->command);
		while ((word = next_word(&rest)) && !str_eq(word, ">"))
			argv[argc++] = word;
		rc = cli_parse(&call, argc, argv);
		check(rc == 0 && cli_command(&call)->run, cmd, NULL, "example '%s' does not parse",
		      e->command);
		cli_call_finish(&call);
	}
}

static void test_examples_parse(void **state)
{
	(void)state;
	each_command(&cli_root, 1, check_examples);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_commands_are_well_formed),
		cmocka_unit_test(test_names_of_commands_are_unique),
		cmocka_unit_test(test_parameters_are_well_formed),
		cmocka_unit_test(test_notes_are_sentences),
		cmocka_unit_test(test_examples_parse),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
