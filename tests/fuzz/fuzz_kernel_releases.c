/* The release index of kernel.org, as anything at all. */
#include <stdint.h>

#include "kernel/releases.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	_kernel_releases_ struct kernel_releases releases = {};
	struct kernel_version latest;

	if (kernel_releases_parse((const char *)data, size, &releases) == 0) {
		kernel_releases_latest(&releases, &latest);
		kernel_releases_newest(&releases, &releases.items[0].version);
	}
	return 0;
}
