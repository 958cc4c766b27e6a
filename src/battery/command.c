// SPDX-License-Identifier: GPL-2.0-only
/* The shell command that repeats one run of a battery. */
#include "battery/battery.h"

void battery_add_command(const struct battery *b, size_t run, struct str *out)
{
	const struct battery_cell *cell = &b->facts.items[run].cell;
	const struct vm_topology *t = &b->places[cell->machine].knobs.topology;
	const struct battery_options *o = b->options;
	_str_ struct str filter = {};

	str_addf(out, "%s check", o->label);
	lab_add_word(out, o->scheduler ? o->scheduler : "--eevdf");
	str_addf(&filter, "test(=ktstr/%s)", battery_rows[cell->row].name);
	str_add(out, " -E");
	lab_add_word(out, str_get(&filter));
	str_addf(out, " --topology %u,%u,%u,%u --kernel", t->nodes, t->llcs, t->cores, t->threads);
	lab_add_word(out, battery_kernel(b, cell->kernel));
	str_addf(out, " --seed %llu --seeds 1", ULL(cell->seed));
	if (o->arg_count)
		str_add(out, " --");
	for (size_t i = 0; i < o->arg_count; i++)
		lab_add_word(out, o->args[i]);
}
