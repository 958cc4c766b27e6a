// SPDX-License-Identifier: GPL-2.0-only
/* Asks on stderr, reads the answer from the terminal. */
#include "cli/options.h"

bool confirm(const char *question)
{
	char answer[16] = "";

	fprintf(stderr, "%s? [y/N] ", question);
	return fgets(answer, sizeof(answer), stdin) && (answer[0] == 'y' || answer[0] == 'Y') &&
	       answer[1] == '\n';
}

int confirm_removal(size_t count)
{
	_free_ char *question = str_fmt("remove %zu entries", count);

	if (!isatty(STDIN_FILENO))
		return err_set(EINVAL, "standard input is not a terminal, so ktstr cannot ask; use "
				       "--force");
	if (!question)
		return err_no_memory();
	if (confirm(question))
		return 1;
	fprintf(stderr, "nothing was removed\n");
	return 0;
}
