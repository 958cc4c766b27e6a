// SPDX-License-Identifier: GPL-2.0-only
/* Printing what a command has built. */
#include "cli/output.h"

#include <stdio.h>

#include "base/err.h"

int output_text(const struct str *text)
{
	int rc = str_check(text);

	if (rc < 0)
		return rc;
	/* The reason is known here only; what stays in the buffer is checked at exit. */
	if (fwrite(str_get(text), 1, text->len, stdout) != text->len)
		return err_sys(errno, "write to standard output");
	return 0;
}

int output_json(struct str *text)
{
	str_addc(text, '\n');
	return output_text(text);
}

int output_flush(void)
{
	return fflush(stdout) == 0 ? 0 : err_sys(errno, "write to standard output");
}
