// SPDX-License-Identifier: GPL-2.0-only
/* Output of programs and requests for extraction: names are unique, values finite. */
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/str.h"
#include "payload/payload.h"
#include "payload/metrics.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_metrics(const uint8_t *data, size_t size)
{
	struct payload_metrics m = {};

	if (metrics_from_json(&m, (const char *)data, size, "json", "stdout", false) < 0 && m.count)
		abort();
	for (size_t i = 0; i < m.count && i < 200; i++)
		if (!isfinite(m.items[i].value) || metrics_find(&m, m.items[i].name) != &m.items[i])
			abort();
	metrics_finish(&m);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	_str_ struct str input = {};
	struct extraction e;

	unsetenv("KTSTR_LLM_CMD");
	check_metrics(data, size);
	str_addn(&input, data, size);
	str_addc(&input, '\0');
	if (extraction_run(input.s, size, "/model", &e) < 0)
		return 0;
	if (!e.judgement.undecided)
		abort();
	extraction_finish(&e);
	return 0;
}
