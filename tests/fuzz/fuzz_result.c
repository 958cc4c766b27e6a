// SPDX-License-Identifier: GPL-2.0-only
/*
 * Results out of a guest: what is accepted can be written and read again, and from
 * then on stays the same. (The first writing may change bytes that are not UTF-8.)
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "check/result.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Reads the text, which is changed, and appends what was understood. */
static bool read_and_write(struct str *text, struct str *out)
{
	_cleanup_(result_finish) struct ktstr_result r = {};
	_str_ struct str input = {}, stats = {};
	struct json j;

	str_addn(&input, text->s, text->len);
	str_addc(&input, '\0');
	if (input.failed || result_from_json(&r, input.s, input.len - 1) < 0)
		return false;
	result_add_stats_text(&r, &stats);
	json_init(&j, out, false);
	result_to_json(&r, &j);
	return true;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	_str_ struct str input = {}, first = {}, second = {}, third = {};

	str_addn(&input, data, size);
	if (input.failed || !read_and_write(&input, &first))
		return 0;
	if (!read_and_write(&first, &second) || !read_and_write(&second, &third))
		abort();
	if (strcmp(str_get(&second), str_get(&third)) != 0)
		abort();
	return 0;
}
