// SPDX-License-Identifier: GPL-2.0-only
/* The palette. */
#include "ctprof/render_parts.h"

#include <math.h>

#define BOLD_WHITE "\033[1;37m"
#define BOLD_GREEN "\033[1;32m"
#define BOLD_RED "\033[1;31m"
#define GREEN "\033[32m"
#define YELLOW "\033[33m"
#define BOLD_YELLOW "\033[1;33m"
#define BLUE "\033[34m"
#define MAGENTA "\033[35m"
#define BOLD_MAGENTA "\033[1;35m"
#define CYAN "\033[36m"
#define GREY "\033[90m"

#define LARGE_PERCENT 50

const char *style_heading(size_t depth, bool is_cgroup)
{
	if (!is_cgroup)
		return BOLD_WHITE;
	if (depth == 0)
		return BOLD_GREEN;
	return depth == 1 ? CYAN : GREY;
}

static const char *change_style(const struct delta *d, bool is_percent)
{
	bool is_large = is_percent && fabs(d->percent) > LARGE_PERCENT;

	if (d->kind != DELTA_NUMBER || d->number == 0 || (is_percent && isnan(d->percent)))
		return NULL;
	if (d->number > 0)
		return is_large ? BOLD_YELLOW : YELLOW;
	return is_large ? BOLD_MAGENTA : MAGENTA;
}

static const char *style_uptime(double percent)
{
	if (isnan(percent))
		return NULL;
	if (percent >= 75)
		return GREEN;
	return percent >= 50 ? YELLOW : BOLD_RED;
}

const char *style_cell(const struct row_view *v, enum column column)
{
	bool is_primary = v->group && !measure_is_derived(v->measure);
	const char *found = NULL;

	if (column == COLUMN_DELTA || column == COLUMN_PERCENT)
		found = change_style(&v->cell.delta, column == COLUMN_PERCENT);
	else if (column == COLUMN_UPTIME && is_primary)
		found = style_uptime(report_uptime(v->report, v->group));
	return found || is_primary || v->fact ? found : BLUE;
}
