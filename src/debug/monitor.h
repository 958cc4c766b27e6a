/* SPDX-License-Identifier: GPL-2.0-only */
/* "monitor" commands of gdb: what scheduler developers ask a guest that stands still. */
#ifndef KTSTR_DEBUG_MONITOR_H
#define KTSTR_DEBUG_MONITOR_H

#include "base/base.h"
#include "trace/debug_format.h"
#include "trace/symbols.h"
#include "watch/chase.h"
#include "watch/vcpu.h"

struct monitor {
	const struct debug_stop *stop;
	struct space *space; /* NULL = the guest's memory cannot be read */
	const struct symbols *symbols;
	const struct chase_types *types; /* for pointers; NULL = nothing is known */
	unsigned int cpu_count;
	struct vcpus cpus; /* of a command that wants registers */
};

bool monitor_wants_registers(const char *command);
void monitor_add_cpu(struct monitor *m, unsigned int cpu, const uint64_t *registers);

/* Text for the user, also where the command is not known. */
void monitor_answer(struct monitor *m, const char *command, struct str *out);
void monitor_finish(struct monitor *m);

/* Commands of gdb's own language that are short for them. */
void monitor_add_script(struct str *out);

#endif
