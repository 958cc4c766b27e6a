/* SPDX-License-Identifier: GPL-2.0-only */
/* Commands that show one screen after the other on the terminal that stdout is. */
#ifndef KTSTR_BASE_SCREEN_H
#define KTSTR_BASE_SCREEN_H

#include "base/str.h"

struct screen_size {
	unsigned int rows, columns;
};

/* 24 rows of 80 columns where nobody knows. */
struct screen_size screen_size(void);

/* Shows the text instead of what is there: as much as fits, no line takes two. */
int screen_show(const char *text);

#endif
