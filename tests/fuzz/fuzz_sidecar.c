// SPDX-License-Identifier: GPL-2.0-only
/* Sidecars: what is accepted is written and read again as the same. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "check/sidecar.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	_str_ struct str input = {}, text = {}, again = {}, name = {};
	_sidecar_ struct sidecar s, back;

	sidecar_init(&back);
	str_addn(&input, data, size);
	str_addc(&input, '\0');
	if (sidecar_parse(&s, input.s, size) < 0)
		return 0;
	sidecar_file_name(&s, &name);
	if (strchr(str_get(&name), '/'))
		abort();
	sidecar_to_json(&s, &text);
	str_add(&again, text.s);
	if (sidecar_parse(&back, again.s, again.len) < 0)
		abort();
	str_reset(&again);
	sidecar_to_json(&back, &again);
	if (strcmp(text.s, again.s) != 0)
		abort();
	return 0;
}
