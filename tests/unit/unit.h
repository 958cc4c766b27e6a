/* SPDX-License-Identifier: GPL-2.0-only */
/* What every unit test includes: cmocka and its prerequisites, in the order it wants. */
#ifndef KTSTR_TESTS_UNIT_H
#define KTSTR_TESTS_UNIT_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/util.h"

/* A temporary directory that unit_temp_finish() removes with all it holds. */
char *unit_temp_create(void);
void unit_temp_remove(char *path);

/* Writes dir/name with its parent directories; aborts the test when it cannot. */
void unit_write(const char *dir, const char *name, const char *text);

#endif
