/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Functions of the kernel from their entry to their return: arguments, fields of the structs that
 * they point to, before and after, and the result. A return is seen where a function returns to,
 * with the stack pointer that belongs to it, so that it does not matter whether a function jumps to
 * another one at its end, sleeps, goes on elsewhere, or is entered again by an interrupt.
 */
#ifndef KTSTR_TRACE_FUNCTIONS_H
#define KTSTR_TRACE_FUNCTIONS_H

#include "trace/plugin/qemu_plugin.h"

/* functions=FILE of struct trace_function. False = another argument. */
bool functions_take_argument(const char *text);

/* A block is translated: calls may return to where it begins. */
void functions_watch_block(struct qemu_plugin_tb *tb);

/* An instruction of the kernel is translated: a function may begin there. */
void functions_watch(struct qemu_plugin_insn *insn, uint64_t address);

#endif
