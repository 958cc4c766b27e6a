// SPDX-License-Identifier: GPL-2.0-only
/* The order of a battery's runs. */
#include "battery/battery.h"

static int add(const struct battery_shape *s, struct battery_cell cell, struct battery_cells *out)
{
	return s->is_wanted(s->ctx, cell.row, cell.kernel) ? vec_push(&out->items, cell) : 0;
}

int battery_plan_loads(const struct battery_shape *s, struct battery_cells *out)
{
	int rc = 0;

	for (size_t k = 0; k < s->kernels; k++)
		for (size_t m = 0; m < s->machines && rc == 0; m++)
			rc = add(s,
				 (struct battery_cell){ .row = BATTERY_LOADS,
							.machine = m,
							.kernel = k,
							.seed = s->first_seed },
				 out);
	return rc;
}

int battery_plan_step(const struct battery_shape *s, uint64_t step, struct battery_cells *out)
{
	int rc = 0;

	for (size_t k = 0; k < s->kernels; k++)
		for (size_t row = 0; row < battery_row_count() && rc == 0; row++) {
			struct battery_cell cell = {
				.row = row,
				.machine = (battery_rows[row].machine + step) % s->machines,
				.kernel = k,
				.seed = s->first_seed + step,
			};

			if (row != BATTERY_LOADS && s->is_loaded(s->ctx, cell.machine, k))
				rc = add(s, cell, out);
		}
	return rc;
}
