/* SPDX-License-Identifier: GPL-2.0-only */
/* What the plugin lends to its parts: registers and memory of the guest, and its records. */
#ifndef KTSTR_TRACE_LENT_H
#define KTSTR_TRACE_LENT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "trace/format.h"

#define PLUGIN_MAX_CPUS 256

/* The register of an argument, from 0, and of a function's result. */
uint64_t plugin_argument(unsigned int index);
uint64_t plugin_result(void);

uint64_t plugin_stack(void);

/* The task that runs on a CPU; 0 = it idles, or nobody knows yet. */
uint32_t plugin_running(uint32_t cpu);

/* Whether records of this time are too early to be kept. */
bool plugin_is_early(uint64_t time_ns);

/* All of a file, which is memory to be freed; NULL = it cannot be read. */
void *plugin_read_file(const char *path, size_t *size);

/* What tells CPUs apart without reading memory. */
uint64_t plugin_gs_base(void);

/* False = not all of it is mapped. */
bool plugin_read(uint64_t address, void *out, size_t len);

/* The CPU that executes, below PLUGIN_MAX_CPUS, and the time of its clock unless NULL. */
uint32_t plugin_cpu(uint64_t *time_ns);

/* The same where this is its gs_base, which is another one while it is in user space. */
uint32_t plugin_cpu_at(uint64_t gs, uint64_t *time_ns);

/* The time that was read last: that of now or a moment before. */
uint64_t plugin_last_time(void);

uint32_t plugin_pid(uint64_t task);

/* Tells the name of a task of which nothing was told yet. */
void plugin_introduce(uint32_t pid, uint64_t task, uint64_t time_ns, uint32_t cpu);

/* The pid of a task, whose name has been told then. */
uint32_t plugin_describe(uint64_t task, uint64_t time_ns, uint32_t cpu);

/* Whether less than a half of what may be told has been told. */
bool plugin_has_room(void);

/* What follows the name, "NAME="; NULL = another argument. */
const char *plugin_value_of(const char *text, const char *name);

/* The number of NAME=NUMBER, in hexadecimal; false = another argument. */
bool plugin_take_number(const char *text, const char *name, uint64_t *value);

void plugin_emit(const struct trace_record *r);

#endif
