/* SPDX-License-Identifier: GPL-2.0-only */
/* The test program of the battery, carried inside of this one so that it stays one file. */
#ifndef KTSTR_BATTERY_PROGRAM_FILE_H
#define KTSTR_BATTERY_PROGRAM_FILE_H

/* Where it lies in the cache, to be freed; a negative errno with a message. */
int battery_program(char **path);

#endif
