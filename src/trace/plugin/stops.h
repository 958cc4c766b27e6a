/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Stops for somebody outside: when the guest's counter passes a value, the thread that
 * emulates it tells so and waits for the value of the next stop. The guest executes the same
 * instructions as without, so that a sim run stays what it was.
 */
#ifndef KTSTR_TRACE_STOPS_H
#define KTSTR_TRACE_STOPS_H

#include <stdbool.h>
#include <stdint.h>

#include "trace/format.h"
#include "trace/plugin/qemu_plugin.h"

/*
 * stop_fd=NUMBER, in hexadecimal: a socket. stop_threads=1: vCPUs are threads of their own, as they
 * are in tcg; only requests of the guest stop it then. stop_watch=1: writes of the kernel may be
 * watched. stop_call=ADDRESS: stop there, too;
 * stop_program=ADDRESS: the same, where BPF programs come and go. False = another argument.
 */
bool stops_take_argument(const char *text);

/* Whether there are any. */
bool stops_are_wanted(void);

/* Whether vCPUs are threads: nothing else in this plugin is prepared for that. */
bool stops_have_threads(void);

/* With the last argument. */
void stops_begin(void);

/* The guest has read its counter. */
void stops_reached(uint64_t counter);

/* An instruction is translated: it may be one to stop at. */
void stops_watch(struct qemu_plugin_insn *insn, uint64_t address);

/* How often it has stopped for a BPF program. */
uint32_t stops_of_programs(void);

#endif
