// SPDX-License-Identifier: GPL-2.0-only
/* `ktstr funify`. */
#include "cli/cli.h"
#include "stats/stats.h"

static int read_all(const char *path, struct str *out)
{
	char buffer[65536];
	ssize_t n;

	if (path)
		return file_read(path, out);
	while ((n = read(STDIN_FILENO, buffer, sizeof(buffer))) > 0)
		str_addn(out, buffer, (size_t)n);
	return n < 0 ? err_sys(errno, "read stdin") : str_check(out);
}

int cmd_funify(const struct cli_call *call)
{
	const char *path = cli_text(call, "file");
	_str_ struct str text = {}, out = {};
	int rc = read_all(path, &text);

	if (rc < 0)
		return rc;
	str_add(&text, "");
	if (!text.s)
		return err_set(EINVAL, "%s is empty", path ? path : "stdin");
	rc = funify(text.s, text.len, cli_number(call, "seed"), cli_flag(call, "pretty"), &out);
	return rc < 0 ? err_wrap(rc, "%s", path ? path : "stdin") : output_json(&out);
}
