// SPDX-License-Identifier: GPL-2.0-only
/* Text of benchmarks: names are unique, values finite, and a line more never loses a figure. */
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/str.h"
#include "payload/metrics.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check(const struct payload_metrics *m, int rc)
{
	if ((rc == 0) != (m->count > 0) || m->count > TEXT_MAX_METRICS)
		abort();
	for (size_t i = 0; i < m->count && i < 200; i++)
		if (!isfinite(m->items[i].value) ||
		    metrics_find(m, m->items[i].name) != &m->items[i])
			abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	_str_ struct str more = {};
	struct payload_metrics m = {}, with_more = {};
	int rc = metrics_from_text(&m, (const char *)data, size, "stdout");

	check(&m, rc);
	str_addn(&more, data, size);
	str_add(&more, "\naverage rps: 1\n");
	check(&with_more, metrics_from_text(&with_more, str_get(&more), more.len, "stdout"));
	for (size_t i = 0; i < m.count; i++)
		if (!metrics_find(&with_more, m.items[i].name))
			abort();
	metrics_finish(&m);
	metrics_finish(&with_more);
	return 0;
}
