// SPDX-License-Identifier: GPL-2.0-only
/* Lists the rows of the battery, as a table and as JSON. */
#include "battery/battery.h"

static bool is_listed(struct filter *filter, const struct battery_row *row)
{
	_free_ char *name = str_fmt("ktstr/%s", row->name);
	struct filter_subject subject = { .test = name ? name : "",
					  .binary = "battery",
					  .binary_id = "battery" };

	return filter_matches(filter, &subject);
}

int battery_add_list(struct filter *filter, unsigned int width, struct str *out)
{
	_table_ struct table t = {};

	table_titles(&t, "TEST", "FIRST ON", "MS", "WHAT IT IS FOR");
	if (width)
		table_set_wrap(&t, width);
	for (const struct battery_row *row = battery_rows; row->name; row++) {
		if (!is_listed(filter, row))
			continue;
		table_texts(&t, row->name, battery_machines[row->machine].name);
		table_cellf(&t, 2, "%u", row->ms);
		table_cell(&t, 3, row->what);
	}
	return table_add(&t, out);
}

void battery_put_list(struct filter *filter, struct json *j)
{
	json_object(j);
	json_put_u64(j, "schema_version", 1);
	json_put_array(j, "tests");
	for (const struct battery_row *row = battery_rows; row->name; row++) {
		if (!is_listed(filter, row))
			continue;
		json_object(j);
		json_put_string(j, "name", row->name);
		json_put_string(j, "machine", battery_machines[row->machine].name);
		json_put_u64(j, "duration_ms", row->ms);
		json_put_string(j, "what", row->what);
		json_object_end(j);
	}
	json_array_end(j);
	json_object_end(j);
}
