// SPDX-License-Identifier: GPL-2.0-only
/*
 * From two snapshots to a report: the first byte chooses axis and format, the
 * rest is two JSON texts with a newline between them.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "ctprof/report.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static int parse(struct snapshot *s, const uint8_t *text, size_t len)
{
	char *copy = malloc(len + 1);
	int rc;

	if (!copy)
		abort();
	memcpy(copy, text, len);
	copy[len] = '\0';
	rc = snapshot_parse(s, copy, len);
	free(copy);
	return rc;
}

static void choose(struct report_options *o, uint8_t choice)
{
	options_init(o, false);
	o->axis = (enum axis)(choice % AXIS_COUNT);
	o->format = (enum output_format)(choice / AXIS_COUNT % 4);
	o->is_matched_by_tid = choice & 128;
	o->is_per_thread = choice & 64;
	o->limit = choice & 32 ? 3 : 0;
	o->wrap_width = choice & 32 ? 40 : 0;
}

static void compare(const struct snapshot_pair *pair, uint8_t choice)
{
	static const char *const paths[SIDES] = { "a", "b" };
	_report_options_ struct report_options o;
	_report_ struct report r = {};
	_notes_ struct notes notes = {};
	_str_ struct str out = {};

	choose(&o, choice);
	if (report_build(&r, pair, paths, &o) < 0)
		return;
	if (render_report(&r, &out) < 0 || notes_collect(&notes, &r) < 0)
		abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	_snapshot_ struct snapshot baseline = {}, candidate = {};
	struct snapshot_pair pair = { { &baseline, &candidate } };
	const uint8_t *gap = size > 1 ? memchr(data + 1, '\n', size - 1) : NULL;

	log_set_level(LOG_OFF);
	if (!gap || parse(&baseline, data + 1, (size_t)(gap - data) - 1) < 0 ||
	    parse(&candidate, gap + 1, size - (size_t)(gap - data) - 1) < 0)
		return 0;
	compare(&pair, data[0]);
	return 0;
}
