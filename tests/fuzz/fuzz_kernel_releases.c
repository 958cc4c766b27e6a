// SPDX-License-Identifier: GPL-2.0-only
/* The release index of kernel.org, as anything at all. */
#include <stdint.h>

#include "kernel/distro.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	_kernel_releases_ struct kernel_releases releases = {};
	struct kernel_version latest;
	_str_ struct str input = {};

	str_addn(&input, data, size);
	str_addc(&input, '\0');
	if (!input.failed && kernel_releases_parse(input.s, size, &releases) == 0) {
		kernel_releases_latest(&releases, &latest);
		kernel_releases_newest(&releases, &releases.items[0].version);
	}
	return 0;
}
