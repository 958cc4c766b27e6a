/* SPDX-License-Identifier: GPL-2.0-only */
/* A scenario file that a test has as a text. */
#ifndef KTSTR_TESTS_SCENFILE_TEXT_H
#define KTSTR_TESTS_SCENFILE_TEXT_H

#include <string.h>

#include "base/arena.h"
#include "base/err.h"
#include "scenfile/scenfile.h"

static struct arena arena;

static inline int finish_arena(void **state)
{
	(void)state;
	arena_finish(&arena);
	arena = (struct arena){};
	return 0;
}

static inline int parse(const char *text, struct scenfile *file)
{
	err_clear();
	return scenfile_parse("f", text, strlen(text), &arena, file);
}

#endif
