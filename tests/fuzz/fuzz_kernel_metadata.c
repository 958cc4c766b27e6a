// SPDX-License-Identifier: GPL-2.0-only
/* metadata.json: what is accepted survives being written and read again. */
#include <stdint.h>
#include <stdlib.h>

#include "kernel/cache.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	_kernel_meta_ struct kernel_meta meta = {}, back = {};
	_str_ struct str input = {}, reason = {}, text = {};

	str_addn(&input, data, size);
	str_addc(&input, '\0');
	if (input.failed)
		return 0;
	if (kernel_meta_parse(input.s, size, &meta, &reason) != CACHE_OK) {
		if (!reason.len)
			abort();
		return 0;
	}
	kernel_meta_write(&meta, &text);
	if (kernel_meta_parse(text.s, text.len, &back, &reason) != CACHE_OK)
		abort();
	return 0;
}
