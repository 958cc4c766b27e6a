/* Printing what a command has built. */
#include "cli/output.h"

#include <stdio.h>

int output_text(const struct str *text)
{
	int rc = str_check(text);

	if (rc == 0)
		fwrite(str_get(text), 1, text->len, stdout);
	return rc;
}

int output_json(struct str *text)
{
	str_addc(text, '\n');
	return output_text(text);
}
