/* SPDX-License-Identifier: GPL-2.0-only */
/* The last line of a terminal, which tells what is going on and is wiped before others. */
#ifndef KTSTR_RUN_LIVE_LINE_H
#define KTSTR_RUN_LIVE_LINE_H

#include "base/base.h"

struct live_line {
	bool is_on; /* stderr is a terminal, and nobody asked for quiet */
	bool is_shown;
};

void live_line_init(struct live_line *l, bool is_quiet);
void live_line_draw(struct live_line *l, const char *text);
void live_line_wipe(struct live_line *l);

#endif
