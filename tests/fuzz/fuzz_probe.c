// SPDX-License-Identifier: GPL-2.0-only
/*
 * What a test program says of itself: what is accepted can be written and read again, and from
 * then on stays the same. (The first writing may change bytes that are not UTF-8.)
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "program/probe.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Reads the text, which is changed, and appends what was understood. */
static bool read_and_write(struct str *text, struct str *out)
{
	_cleanup_(probe_finish) struct probe p = {};
	_str_ struct str input = {};
	struct json j;

	str_addn(&input, text->s, text->len);
	str_addc(&input, '\0');
	if (input.failed || probe_from_json(&p, input.s, input.len - 1) < 0)
		return false;
	json_init(&j, out, false);
	probe_to_json(&p, &j);
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
