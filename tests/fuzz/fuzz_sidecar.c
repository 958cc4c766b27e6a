// SPDX-License-Identifier: GPL-2.0-only
/* Sidecars: what is accepted is written and read again as the same. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "record/sidecar.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* A byte that is not UTF-8 becomes a character by being written, so the second text counts. */
static void write_again(const struct sidecar *s, struct str *text)
{
	_sidecar_ struct sidecar back;
	_str_ struct str first = {};

	sidecar_to_json(s, &first);
	if (sidecar_parse(&back, first.s, first.len) < 0)
		abort();
	sidecar_to_json(&back, text);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	_str_ struct str input = {}, text = {}, copy = {}, again = {}, name = {};
	_sidecar_ struct sidecar s, back;

	sidecar_init(&back);
	str_addn(&input, data, size);
	str_addc(&input, '\0');
	if (sidecar_parse(&s, input.s, size) < 0)
		return 0;
	sidecar_file_name(&s, &name);
	if (strchr(str_get(&name), '/'))
		abort();
	write_again(&s, &text);
	str_add(&copy, text.s);
	if (sidecar_parse(&back, copy.s, copy.len) < 0)
		abort();
	sidecar_to_json(&back, &again);
	if (strcmp(text.s, again.s) != 0)
		abort();
	return 0;
}
