/* SPDX-License-Identifier: GPL-2.0-only */
/* The rows of the battery and its machines, as `ktstr check` sees them. */
#ifndef KTSTR_BATTERY_TABLE_H
#define KTSTR_BATTERY_TABLE_H

#include "vm/spec.h"

struct battery_machine {
	const char *name; /* "two LLCs" */
	struct vm_topology topology;
};

struct battery_row {
	const char *name;
	size_t machine; /* index: where it runs first */
	unsigned int ms;
	const char *what; /* it is for */
	bool is_optional; /* a scheduler need not give the shares that it asks for */
};

/* The last ones have no name. */
extern const struct battery_machine battery_machines[];
extern const struct battery_row battery_rows[];

/* The row that says whether the scheduler loads: index of battery_rows. */
#define BATTERY_LOADS 0

size_t battery_row_count(void);
size_t battery_machine_count(void);

#endif
