// SPDX-License-Identifier: GPL-2.0-only
/* `ktstr funify`. */
#include "cli/table.h"
#include "stats/stats.h"

static int cmd_funify_run(const struct cli_call *call)
{
	const char *path = cli_text(call, "file");
	_str_ struct str text = {}, out = {};
	int rc = file_read(path, &text);

	if (rc < 0)
		return rc;
	str_add(&text, "");
	if (!text.s)
		return err_set(EINVAL, "%s is empty", path ? path : "stdin");
	rc = funify(text.s, text.len, cli_number(call, "seed"), cli_flag(call, "pretty"), &out);
	return rc < 0 ? err_wrap(rc, "%s", path ? path : "stdin") : output_json(&out);
}

/* clang-format off */
const struct cli_cmd cmd_funify = {
	.name = "funify", .alias = "costume",
	.summary = "replace the strings in a JSON document with stable names",
	.about = "Prints the document with every string replaced by an adjective and an animal. "
		 "The same string gets the same name, also in other documents with the same "
		 "--seed; a number is appended if the name is already taken. Keys, numbers and "
		 "metric names are kept. Use it to share figures without revealing names; it "
		 "does not protect against guessing.",
	.params = CLI_PARAMS(
		{ .name = "file", .is_arg = true, .kind = CLI_FILE, .value = "FILE",
		  .help = "JSON, such as a record or a snapshot [default: stdin]" },
		{ .name = "seed", .kind = CLI_NUMBER, .value = "S", .fallback = "0",
		  .help = "number that selects another set of names" },
		{ .name = "pretty", .help = "print with line breaks and indentation" }),
	.examples = CLI_EXAMPLES(
		{ "funify target/ktstr/7.0.13-1a2b3c4/pp-0123456789abcdef.ktstr.json", "a record "
			"without the names in it" }),
	.run = cmd_funify_run,
};
/* clang-format on */
