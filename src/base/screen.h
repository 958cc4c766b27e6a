/* SPDX-License-Identifier: GPL-2.0-only */
/* Full-screen output on the terminal on stdout. */
#ifndef KTSTR_BASE_SCREEN_H
#define KTSTR_BASE_SCREEN_H

#include "base/str.h"

struct screen_size {
	unsigned int rows, columns;
};

/* 24 rows of 80 columns if unknown. */
struct screen_size screen_size(void);

/* Replaces the screen by the text: as much as fits, lines are truncated. */
int screen_show(const char *text);

#endif
