// SPDX-License-Identifier: GPL-2.0-only
/* Full screens, also on a terminal in raw mode. */
#include "base/screen.h"

#include <sys/ioctl.h>

#include "base/base.h"

#define CLEAR_SCREEN "\033[H\033[2J"

struct screen_size screen_size(void)
{
	struct winsize size;

	if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) < 0 || size.ws_row < 2 || size.ws_col < 2)
		return (struct screen_size){ .rows = 24, .columns = 80 };
	return (struct screen_size){ .rows = size.ws_row, .columns = size.ws_col };
}

/* The last row stays empty: a newline in it would scroll the screen. */
int screen_show(const char *text)
{
	struct screen_size size = screen_size();
	_str_ struct str out = {};
	int rc;

	str_add(&out, CLEAR_SCREEN);
	for (unsigned int row = 1; *text && row < size.rows; row++) {
		size_t len = strcspn(text, "\n");

		text_add_cut(&out, text, len, size.columns);
		str_add(&out, "\r\n");
		text += len + (text[len] == '\n');
	}
	rc = str_check(&out);
	if (rc == 0)
		fwrite(str_get(&out), 1, out.len, stdout);
	return rc;
}
