// SPDX-License-Identifier: GPL-2.0-only
/* Dependency files, which any build may leave: words of rules, no more than the text has. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/err.h"
#include "delta/affected.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	_cleanup_(dependencies_finish) struct dependencies d = {};
	_free_ char *text = strndup((const char *)data, size);

	if (!text)
		return 0;
	if (dependencies_parse(&d, text, "/top") < 0)
		abort();
	for (size_t i = 0; i < d.items.count; i++)
		if (strpbrk(d.items.items[i].target, "/.") ||
		    strlen(d.items.items[i].source) > size)
			abort();
	return 0;
}
