// SPDX-License-Identifier: GPL-2.0-only
/* The tables of rows and machines. */
#include "battery/battery.h"

enum {
#define MACHINE(id, what, nodes_, llcs_, cores_, threads_) MACHINE_##id,
#include "battery/machines.def"
#undef MACHINE
};

const struct battery_machine battery_machines[] = {
#define MACHINE(id, what, nodes_, llcs_, cores_, threads_) \
	{ what, { .nodes = nodes_, .llcs = llcs_, .cores = cores_, .threads = threads_ } },
#include "battery/machines.def"
	{}
};

/* The workload is used only by the program that runs the rows. */
const struct battery_row battery_rows[] = {
#define ROW(row, machine, ms_, what_, ...) { #row, MACHINE_##machine, ms_, what_, false },
#define ROW_UNEQUAL ROW
#define ROW_UNEVEN ROW
#define ROW_COARSE ROW
#define ROW_OPTIONAL(row, machine, ms_, what_, ...) { #row, MACHINE_##machine, ms_, what_, true },
#include "battery/rows.def"
	{}
};

size_t battery_row_count(void)
{
	return ARRAY_SIZE(battery_rows) - 1;
}

size_t battery_machine_count(void)
{
	return ARRAY_SIZE(battery_machines) - 1;
}
