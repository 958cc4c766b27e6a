// SPDX-License-Identifier: GPL-2.0-only
/* What a guest says about its scheduler: a program in there may have written it. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "run/parts.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *text = malloc(size + 1);
	struct sched_report r;

	memcpy(text, data, size);
	text[size] = '\0';
	if (sched_report_read(&r, text, size) == 0) {
		sched_report_is_bad(&r);
		sched_report_is_unstarted(&r);
		sched_report_finish(&r);
	}
	free(text);
	return 0;
}
