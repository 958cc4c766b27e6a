/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Which blocks of JITed BPF programs are executed, and which way their conditional jumps go.
 * The guest executes the same instructions as without.
 */
#ifndef KTSTR_TRACE_BLOCKS_H
#define KTSTR_TRACE_BLOCKS_H

#include <stdbool.h>

#include "trace/plugin/qemu_plugin.h"

/* blocks_fd=NUMBER, in hexadecimal: memory for a struct trace_blocks. False = another argument. */
bool blocks_take_argument(const char *text);

/* A block is translated. */
void blocks_watch(struct qemu_plugin_tb *tb);

#endif
