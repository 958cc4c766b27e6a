// SPDX-License-Identifier: GPL-2.0-only
/* A question on stderr, an answer from the terminal. */
#include "cli/confirm.h"

#include <stdio.h>
#include <unistd.h>

#include "base/err.h"

int confirm_removal(size_t count)
{
	char answer[16] = "";

	if (!isatty(STDIN_FILENO))
		return err_set(EINVAL, "standard input is no terminal, so nobody can be asked; use "
				       "--force");
	fprintf(stderr, "remove %zu entries? [y/N] ", count);
	if (fgets(answer, sizeof(answer), stdin) && (answer[0] == 'y' || answer[0] == 'Y') &&
	    answer[1] == '\n')
		return 1;
	fprintf(stderr, "nothing was removed\n");
	return 0;
}
