// SPDX-License-Identifier: GPL-2.0-only
/*
 * The parser on a table of its own: this cli_root takes the place of the
 * program's, so that every kind of parameter is here and stays here.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/text.h"
#include "base/util.h"
#include "cli/cli.h"

static const char *const *colours(void)
{
	static const char *const list[] = { "red", "green", "blue", NULL };

	return list;
}

static const struct cli_param paint_params[] = {
	{ .name = "surface",
	  .is_arg = true,
	  .is_required = true,
	  .kind = CLI_FILE,
	  .value = "SURFACE",
	  .help = "what to paint" },
	{ .name = "tool",
	  .is_arg = true,
	  .is_repeatable = true,
	  .kind = CLI_STRING,
	  .value = "TOOL",
	  .help = "what to paint with" },
	{ .name = "output", .letter = 'o', .kind = CLI_FILE, .value = "PATH", .help = "picture" },
	{ .name = "colour",
	  .alias = "color",
	  .letter = 'c',
	  .kind = CLI_CHOICE,
	  .value = "COLOUR",
	  .choices = colours,
	  .fallback = "red",
	  .help = "colour" },
	{ .name = "mix", .kind = CLI_CHOICES, .value = "LIST", .choices = colours, .help = "mix" },
	{ .name = "coats",
	  .letter = 'n',
	  .kind = CLI_NUMBER,
	  .value = "N",
	  .min = 2,
	  .max = 5,
	  .fallback = "3",
	  .help = "coats" },
	{ .name = "any", .kind = CLI_NUMBER, .value = "N", .help = "unbounded" },
	{ .name = "dry", .kind = CLI_DURATION, .value = "DUR", .fallback = "1m30s", .help = "time" },
	{ .name = "layer",
	  .letter = 'l',
	  .kind = CLI_STRING,
	  .value = "L",
	  .is_repeatable = true,
	  .help = "layer" },
	{ .name = "gloss", .letter = 'g', .needs = "output", .help = "shiny" },
	{ .name = "matt", .letter = 'm', .excludes = "gloss", .help = "not shiny" },
	{},
};

static const struct cli_param sign_params[] = {
	{ .name = "as", .kind = CLI_STRING, .value = "NAME", .is_required = true, .help = "name" },
	{},
};

static int never_run(const struct cli_call *call)
{
	(void)call;
	return -1;
}

static const struct cli_cmd gallery_open = { .name = "open", .summary = "open", .run = never_run };
static const struct cli_cmd gallery_close = {
	.name = "close", .alias = "shut", .summary = "close", .run = never_run
};
static const struct cli_cmd *const gallery_commands[] = { &gallery_open, &gallery_close, NULL };

static const struct cli_cmd paint = {
	.name = "paint", .summary = "paint", .params = paint_params, .run = never_run
};
static const struct cli_cmd sign = {
	.name = "sign", .summary = "sign", .params = sign_params, .run = never_run
};
static const struct cli_cmd gallery = {
	.name = "gallery", .alias = "hall", .summary = "gallery", .subs = gallery_commands
};
static const struct cli_cmd forge = {
	.name = "forge", .summary = "forge", .is_hidden = true, .run = never_run
};
static const struct cli_cmd *const commands[] = { &paint, &sign, &gallery, &forge, NULL };

const char *cli_heading(const struct cli_cmd *cmd)
{
	(void)cmd;
	return NULL;
}

static const struct cli_param global_params[] = {
	{ .name = "verbose", .letter = 'v', .help = "say more" },
	{ .name = "quiet", .letter = 'q', .excludes = "verbose", .help = "say less" },
	{ .name = "help", .letter = 'h', .help = "help" },
	{ .name = "version", .letter = 'V', .help = "version" },
	{},
};

const struct cli_cmd cli_root = {
	.name = "ktstr", .summary = "art", .params = global_params, .subs = commands
};

#define MAX_WORDS 16

static struct cli_call call;
static char *complaint; /* what the parser wrote to stderr */

/* Parses the words behind the program's name; they end with NULL. */
static int parse_as(const char *program, va_list words)
{
	FILE *terminal = stderr;
	char *argv[MAX_WORDS] = { (char *)program };
	size_t size = 0;
	int argc = 1, rc;

	while ((argv[argc] = va_arg(words, char *)))
		assert_true(++argc < MAX_WORDS);
	cli_call_finish(&call);
	free(complaint);
	complaint = NULL;
	stderr = open_memstream(&complaint, &size);
	assert_non_null(stderr);
	rc = cli_parse(&call, argc, argv);
	fclose(stderr);
	stderr = terminal;
	return rc;
}

static int __attribute__((sentinel)) parse(const char *program, ...)
{
	va_list words;
	int rc;

	va_start(words, program);
	rc = parse_as(program, words);
	va_end(words);
	return rc;
}

#define accept(...) assert_int_equal(parse("ktstr", __VA_ARGS__, NULL), 0)

/* The words are refused with exactly this message, and a way to find out more. */
#define refuse(message, path, ...)                                                   \
	do {                                                                         \
		assert_int_equal(parse("ktstr", __VA_ARGS__, NULL), EXIT_USAGE);     \
		assert_string_equal(complaint, "error: " message "\nTry 'ktstr" path \
					       " --help' for more information.\n");  \
	} while (0)

static void test_words_lead_to_commands(void **state)
{
	(void)state;
	accept("gallery", "open");
	assert_int_equal(call.depth, 3);
	assert_string_equal(cli_command(&call)->name, "open");
	accept("hall", "shut");
	assert_string_equal(cli_command(&call)->name, "close");
	accept("gallery");
	assert_string_equal(cli_command(&call)->name, "gallery");
	accept("forge");
	assert_string_equal(cli_command(&call)->name, "forge");
	assert_int_equal(parse("ktstr", NULL), 0);
	assert_ptr_equal(cli_command(&call), &cli_root);
}

static void test_no_argv_at_all(void **state)
{
	char *argv[] = { NULL };

	(void)state;
	cli_call_finish(&call);
	assert_int_equal(cli_parse(&call, 0, argv), 0);
	assert_string_equal(call.program, "ktstr");
}

static void test_unknown_commands(void **state)
{
	(void)state;
	refuse("unknown command 'pant'; did you mean 'paint'?", "", "pant");
	refuse("unknown command 'GALLERY'; did you mean 'gallery'?", "", "GALLERY");
	refuse("unknown command 'hal'; did you mean 'hall'?", "", "hal");
	refuse("unknown command 'shu'; did you mean 'shut'?", " gallery", "gallery", "shu");
	refuse("unknown command 'xyzzy'", "", "xyzzy");
	refuse("unknown command 'forg'", "", "forg"); /* hidden ones are not suggested */
	refuse("unknown command ''", "", "");
	refuse("unknown command '-'", "", "-");
}

static void test_option_forms(void **state)
{
	static const char *const forms[][4] = {
		{ "--output", "x", NULL }, { "--output=x", NULL }, { "-o", "x", NULL },
		{ "-ox", NULL },	   { "-o=x", NULL },	   { "-vox", NULL },
		{ "-vo", "x", NULL },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(forms); i++) {
		assert_int_equal(parse("ktstr", "paint", "wall", forms[i][0], forms[i][1], NULL),
				 0);
		assert_string_equal(cli_text(&call, "output"), "x");
		assert_string_equal(cli_text(&call, "surface"), "wall");
	}
	accept("paint", "wall", "--output=");
	assert_string_equal(cli_text(&call, "output"), "");
	accept("paint", "wall", "--output=a=b");
	assert_string_equal(cli_text(&call, "output"), "a=b");
	accept("paint", "wall", "-o=");
	assert_string_equal(cli_text(&call, "output"), "");
	accept("paint", "wall", "--output", "--gloss");
	assert_string_equal(cli_text(&call, "output"), "--gloss");
	assert_false(cli_flag(&call, "gloss"));
	accept("paint", "wall", "-o", "-");
	assert_string_equal(cli_text(&call, "output"), "-");
}

static void test_clusters(void **state)
{
	(void)state;
	accept("paint", "wall", "-vmox");
	assert_true(cli_flag(&call, "verbose"));
	assert_true(cli_flag(&call, "matt"));
	assert_string_equal(cli_text(&call, "output"), "x");
	refuse("unknown option '-x'", " paint", "paint", "wall", "-vx");
	refuse("unknown option '-='", " paint", "paint", "wall", "-v=1");
	refuse("--verbose cannot be given twice", " paint", "paint", "wall", "-vv");
}

static void test_options_before_commands(void **state)
{
	(void)state;
	accept("-v", "paint", "wall");
	assert_true(cli_flag(&call, "verbose"));
	refuse("--verbose cannot be given twice", " paint", "-v", "paint", "-v", "wall");
	refuse("--quiet cannot be used with --verbose", " paint", "-q", "paint", "-v", "wall");
	refuse("unknown option '--output'", "", "--output", "x", "paint", "wall");
}

static void test_two_dashes_end_the_options(void **state)
{
	(void)state;
	accept("paint", "--", "-v", "--output", "--");
	assert_false(cli_flag(&call, "verbose"));
	assert_string_equal(cli_text(&call, "surface"), "-v");
	assert_int_equal(cli_count(&call, "tool"), 2);
	assert_string_equal(cli_nth(&call, "tool", 1), "--");
	accept("--", "paint", "wall");
	assert_string_equal(cli_command(&call)->name, "paint");
}

static void test_arguments(void **state)
{
	(void)state;
	accept("paint", "wall", "brush", "-v", "roller");
	assert_int_equal(cli_count(&call, "tool"), 2);
	assert_string_equal(cli_nth(&call, "tool", 0), "brush");
	assert_string_equal(cli_nth(&call, "tool", 1), "roller");
	assert_null(cli_nth(&call, "tool", 2));
	accept("paint", "");
	assert_string_equal(cli_text(&call, "surface"), "");
	accept("paint", "-");
	assert_string_equal(cli_text(&call, "surface"), "-");
	refuse("missing argument SURFACE", " paint", "paint");
	refuse("missing option --as NAME", " sign", "sign");
	refuse("unexpected argument 'x'", " sign", "sign", "--as", "me", "x");
	refuse("unexpected argument 'now'", " gallery open", "gallery", "open", "now");
}

static void test_repetition(void **state)
{
	(void)state;
	accept("paint", "wall", "-l", "a", "--layer=b", "-lc");
	assert_int_equal(cli_count(&call, "layer"), 3);
	assert_string_equal(cli_nth(&call, "layer", 2), "c");
	refuse("--output cannot be given twice", " paint", "paint", "wall", "-oa", "--output=a");
	refuse("--colour cannot be given twice", " paint", "paint", "wall", "-cred", "--color=red");
}

static void test_relations(void **state)
{
	(void)state;
	accept("paint", "wall", "-go", "x");
	accept("paint", "wall", "-o", "x", "--gloss");
	refuse("--gloss requires --output", " paint", "paint", "wall", "--gloss");
	refuse("--matt cannot be used with --gloss", " paint", "paint", "wall", "-ox", "-gm");
	refuse("--matt cannot be used with --gloss", " paint", "paint", "wall", "-ox", "-mg");
}

static void test_missing_and_needless_values(void **state)
{
	(void)state;
	refuse("--output needs a value: --output PATH", " paint", "paint", "wall", "--output");
	refuse("--output needs a value: --output PATH", " paint", "paint", "wall", "-vo");
	refuse("--gloss takes no value", " paint", "paint", "wall", "--gloss=yes");
	refuse("--gloss takes no value", " paint", "paint", "wall", "--gloss=");
}

static void test_unknown_options(void **state)
{
	(void)state;
	refuse("unknown option '--outptu'; did you mean '--output'?", " paint", "paint",
	       "--outptu=x");
	refuse("unknown option '--xyzzy'", " paint", "paint", "--xyzzy");
	refuse("unknown option '--'", " paint", "paint", "--=x");
	refuse("unknown option '--surface'", " paint", "paint", "--surface", "x");
	refuse("unknown option '-\\xff'", " paint", "paint", "-\xff");
	refuse("unknown option '-\xc3\xa9'", " paint", "paint", "-\xc3\xa9");
}

static void test_numbers(void **state)
{
	(void)state;
	accept("paint", "wall");
	assert_int_equal(cli_number(&call, "coats"), 3);
	assert_int_equal(cli_number(&call, "any"), 0);
	accept("paint", "wall", "-n5");
	assert_int_equal(cli_number(&call, "coats"), 5);
	accept("paint", "wall", "--any=18446744073709551615");
	assert_true(cli_number(&call, "any") == UINT64_MAX);
	refuse("invalid value '1' for --coats: must be at least 2", " paint", "paint", "w", "-n1");
	refuse("invalid value '6' for --coats: must be at most 5", " paint", "paint", "w", "-n6");
	refuse("invalid value '18446744073709551616' for --any: the number is too large", " paint",
	       "paint", "w", "--any=18446744073709551616");
	for (const char *const *bad = (const char *const[]){ "", "-1", "+1", "0x2", " 2", "2 ",
							     "2k", "two", "2.0", NULL };
	     *bad; bad++)
		assert_int_equal(parse("ktstr", "paint", "w", "--any", *bad, NULL), EXIT_USAGE);
}

static void test_durations(void **state)
{
	(void)state;
	accept("paint", "wall");
	assert_true(cli_number(&call, "dry") == 90000000000);
	accept("paint", "wall", "--dry=100ms");
	assert_true(cli_number(&call, "dry") == 100000000);
	refuse("invalid value '5' for --dry: expected a number with a unit, such as 100ms, 30s, 5m "
	       "or 1m30s",
	       " paint", "paint", "w", "--dry", "5");
	refuse("invalid value '999999999d' for --dry: the duration is too long", " paint", "paint",
	       "w", "--dry", "999999999d");
}

static void test_choices(void **state)
{
	(void)state;
	accept("paint", "wall");
	assert_string_equal(cli_text(&call, "colour"), "red");
	assert_false(cli_is_given(&call, "colour"));
	accept("paint", "wall", "--color", "blue");
	assert_string_equal(cli_text(&call, "colour"), "blue");
	refuse("invalid value 'gren' for --colour: did you mean 'green'? Possible values: red, "
	       "green, blue",
	       " paint", "paint", "w", "-cgren");
	refuse("invalid value '' for --colour: possible values: red, green, blue", " paint",
	       "paint", "w", "--colour=");
	refuse("invalid value 'RED' for --colour: did you mean 'red'? Possible values: red, green, "
	       "blue",
	       " paint", "paint", "w", "--colour=RED");
	accept("paint", "wall", "--mix", "red,blue,no-such-colour"); /* the command's business */
	assert_string_equal(cli_text(&call, "mix"), "red,blue,no-such-colour");
}

static void test_help_and_version_win_over_what_is_missing(void **state)
{
	(void)state;
	accept("paint", "--help");
	assert_true(call.wants_help);
	assert_string_equal(cli_command(&call)->name, "paint");
	accept("-h", "gallery", "open");
	assert_true(call.wants_help);
	assert_string_equal(cli_command(&call)->name, "open");
	accept("paint", "--gloss", "-h");
	assert_true(call.wants_help);
	accept("sign", "-V");
	assert_true(call.wants_version);
	accept("paint", "--output", "--help", "wall");
	assert_false(call.wants_help);
}

static void test_cargo_plugin(void **state)
{
	(void)state;
	assert_int_equal(parse("cargo-ktstr", "ktstr", "sign", "--as=x", NULL), 0);
	assert_string_equal(cli_command(&call)->name, "sign");
	assert_string_equal(call.program, "cargo ktstr");
	assert_true(call.is_cargo);
	assert_int_equal(parse("/opt/bin/cargo-ktstr", "sign", "--as=x", NULL), 0);
	assert_true(call.is_cargo);
	assert_int_equal(parse("cargo-ktstr", "ktstr", "ktstr", NULL), EXIT_USAGE);
	assert_string_equal(complaint, "error: unknown command 'ktstr'\n"
				       "Try 'cargo ktstr --help' for more information.\n");
	assert_int_equal(parse("ktstr", "ktstr", "sign", NULL), EXIT_USAGE);
	assert_int_equal(parse("cargo-ktstr/ktstr", "sign", "--as=x", NULL), 0);
	assert_false(call.is_cargo);
	assert_int_equal(parse("cargo-ktstr", NULL), 0);
}

static void test_messages_are_printable(void **state)
{
	char word[1001];

	(void)state;
	refuse("unknown command 'a\\x0ab\\xff\\x1b[31m'", "", "a\nb\xff\x1b[31m");
	refuse("unexpected argument '\\xfe'", " sign", "sign", "--as=x", "\xfe");
	refuse("invalid value '\\x80' for --any: expected a whole number", " paint", "paint", "w",
	       "--any=\x80");
	memset(word, 'x', sizeof(word) - 1);
	word[sizeof(word) - 1] = '\0';
	assert_int_equal(parse("ktstr", word, NULL), EXIT_USAGE);
	assert_true(strlen(complaint) < 300);
	assert_non_null(strstr(complaint, "xxx...'"));
	memcpy(word, "--", 2);
	assert_int_equal(parse("ktstr", word, NULL), EXIT_USAGE);
	assert_true(strlen(complaint) < 300);
}

static void test_walk_visits_what_is_shown(void **state)
{
	static const char *const expected[] = {
		"ktstr", "paint", "sign", "gallery", "open", "close"
	};
	static const size_t depths[] = { 1, 2, 2, 2, 3, 3 };
	struct cli_walk w = {};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(expected); i++) {
		const struct cli_cmd *cmd = cli_walk_next(&w);

		assert_non_null(cmd);
		assert_string_equal(cmd->name, expected[i]);
		assert_int_equal(w.depth, depths[i]);
		assert_ptr_equal(w.path[w.depth - 1], cmd);
	}
	assert_null(cli_walk_next(&w));
}

/* Lines of the help are wider than the terminal only where one word is. */
static void test_help_fits_the_width(void **state)
{
	static const unsigned int widths[] = { 1, 10, 20, 39, 40, 59, 60, 80, 100, 200, 0 };

	(void)state;
	accept("paint", "-h");
	for (size_t i = 0; i < ARRAY_SIZE(widths); i++) {
		size_t limit = widths[i] == 0 ? 80 : MIN(widths[i], 100);
		_str_ struct str help = {};

		cli_add_help(&help, &call, widths[i]);
		assert_int_equal(str_check(&help), 0);
		for (char *line = strtok(help.s, "\n"); line; line = strtok(NULL, "\n")) {
			const char *word = line + strspn(line, " ");

			if (text_width(line) > limit)
				assert_null(strchr(word, ' '));
		}
	}
}

static int finish(void **state)
{
	(void)state;
	cli_call_finish(&call);
	free(complaint);
	return 0;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_words_lead_to_commands),
		cmocka_unit_test(test_no_argv_at_all),
		cmocka_unit_test(test_unknown_commands),
		cmocka_unit_test(test_option_forms),
		cmocka_unit_test(test_clusters),
		cmocka_unit_test(test_options_before_commands),
		cmocka_unit_test(test_two_dashes_end_the_options),
		cmocka_unit_test(test_arguments),
		cmocka_unit_test(test_repetition),
		cmocka_unit_test(test_relations),
		cmocka_unit_test(test_missing_and_needless_values),
		cmocka_unit_test(test_unknown_options),
		cmocka_unit_test(test_numbers),
		cmocka_unit_test(test_durations),
		cmocka_unit_test(test_choices),
		cmocka_unit_test(test_help_and_version_win_over_what_is_missing),
		cmocka_unit_test(test_cargo_plugin),
		cmocka_unit_test(test_messages_are_printable),
		cmocka_unit_test(test_walk_visits_what_is_shown),
		cmocka_unit_test(test_help_fits_the_width),
	};

	return cmocka_run_group_tests(tests, NULL, finish);
}
