// SPDX-License-Identifier: GPL-2.0-only
/* Writes the records of a battery as the page of `ktstr report`. */
#include "battery/battery.h"
#include "stats/stats.h"

int battery_write_html(const struct battery *b, const char *path)
{
	return html_report_write(NULL, (const char *const *)b->campaign.dir_names,
				 b->campaign.dir_name_count, path);
}
