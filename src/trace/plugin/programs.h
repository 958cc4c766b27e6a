/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * BPF programs of a scheduler as they run on behalf of a task: their arguments, fields of the
 * task before and after, and which lines of their sources they went through. Where they are the
 * host has found out in an earlier run of the same seed.
 */
#ifndef KTSTR_TRACE_PROGRAMS_H
#define KTSTR_TRACE_PROGRAMS_H

#include "trace/plugin/qemu_plugin.h"

/*
 * places=FILE of struct trace_place; pid=NUMBER: only on its behalf where there is not much
 * room, unless after near=TIME;
 * field=OFFSET:BYTES[:OFFSET]: of a task, with the second one behind a pointer. Numbers are
 * hexadecimal. False = another argument.
 */
bool programs_take_argument(const char *text);

/* Whether this is not the task whose story it is, and not near the end of it either. */
bool programs_are_of_others(uint32_t pid, uint64_t time_ns);

/* An instruction of the kernel is translated: a program or a line may begin there, or end. */
void programs_watch(struct qemu_plugin_insn *insn, uint64_t address);

#endif
