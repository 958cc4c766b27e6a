/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Stops for a debugger (trace/debug_format.h), at any instruction. Nothing is written into the
 * guest: every instruction has a call in front of it, which returns at once unless there may be a
 * stop in its block. (Conditional calls of QEMU 10.0 would be faster, but in front of every
 * instruction they break x86 guests.) Accesses to memory are told always, whether they are watched
 * or not: QEMU cuts blocks by the code that they become, so that only runs with the same calls
 * have the same positions. The guest executes the same instructions as without.
 */
#ifndef KTSTR_TRACE_PLUGIN_DEBUG_H
#define KTSTR_TRACE_PLUGIN_DEBUG_H

#include <stdbool.h>
#include <stdint.h>

#include "trace/plugin/qemu_plugin.h"

/*
 * debug_fd=NUMBER: a socket; debug_shared=NUMBER: memory for a struct debug_shared. Numbers are
 * hexadecimal. False = another argument.
 */
bool debug_take_argument(const char *text);

bool debug_is_wanted(void);

/* What a vCPU has. */
void debug_take_registers(GArray *all);

/* A block is translated. */
void debug_watch_block(struct qemu_plugin_tb *tb);

/* The guest is about to read its counter again: how far its clock was ahead of it is told now. */
void debug_note_clock(void);

/* The guest has read its counter. */
void debug_reached(void);

#endif
