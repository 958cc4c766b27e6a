/* SPDX-License-Identifier: GPL-2.0-only */
/* The rows and machines of the battery, as `ktstr check` uses them. */
#ifndef KTSTR_BATTERY_TABLE_H
#define KTSTR_BATTERY_TABLE_H

#include "vm/spec.h"

struct battery_machine {
	const char *name; /* "two LLCs" */
	struct vm_topology topology;
};

struct battery_row {
	const char *name;
	size_t machine; /* index of the machine on which it runs first */
	unsigned int ms;
	const char *what; /* purpose of the row */
	bool is_optional; /* a scheduler may ignore the shares that it asks for */
};

/* Both end with an entry without a name. */
extern const struct battery_machine battery_machines[];
extern const struct battery_row battery_rows[];

/* Index of the row that shows whether the scheduler loads. */
#define BATTERY_LOADS 0

size_t battery_row_count(void);
size_t battery_machine_count(void);

#endif
