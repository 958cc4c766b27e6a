// SPDX-License-Identifier: GPL-2.0-only
/* Numbers, durations, sizes and CPU lists: the first byte picks, the rest is the text. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/cpulist.h"
#include "base/parse.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* A list that was accepted comes back from its own text form. */
static void check_cpulist(const char *text)
{
	struct cpulist list = {}, again = {};
	_str_ struct str formatted = {};

	if (cpulist_parse(text, &list) < 0)
		return;
	for (size_t i = 0; i < list.count; i++)
		if (list.cpus[i] >= CPULIST_MAX || (i && list.cpus[i] <= list.cpus[i - 1]) ||
		    !cpulist_has(&list, list.cpus[i]))
			abort();
	cpulist_format(list.cpus, list.count, &formatted);
	if (cpulist_parse(str_get(&formatted), &again) < 0 || again.count != list.count ||
	    (list.count && memcmp(again.cpus, list.cpus, list.count * sizeof(*list.cpus)) != 0))
		abort();
	cpulist_finish(&list);
	cpulist_finish(&again);
}

/* Rejected texts leave the value alone, accepted ones start with a digit. */
static void check_number(int (*parse)(const char *text, uint64_t *value), const char *text)
{
	uint64_t value = 0x5a5a5a5a5a5a5a5a;
	int rc = parse(text, &value);

	if (rc < 0 && value != 0x5a5a5a5a5a5a5a5a && parse != parse_size_iec)
		abort();
	if (rc == 0 && (text[0] < '0' || text[0] > '9'))
		abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *text;
	int64_t number;

	if (size == 0)
		return 0;
	text = strndup((const char *)data + 1, size - 1);
	if (!text)
		return 0;
	switch (data[0] % 5) {
	case 0:
		check_number(parse_duration, text);
		break;
	case 1:
		check_number(parse_size_iec, text);
		break;
	case 2:
		check_number(parse_u64, text);
		break;
	case 3:
		parse_i64(text, &number);
		break;
	default:
		check_cpulist(text);
	}
	free(text);
	return 0;
}
