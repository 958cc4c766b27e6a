// SPDX-License-Identifier: GPL-2.0-only
/* The list of packages of an archive. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/str.h"
#include "kernel/build.h"
#include "kernel/distro.h"
#include "kernel/parts.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	_distro_list_ struct distro_list list = {};
	_free_ char *text = strndup((const char *)data, size);
	struct kernel_version version;
	char sum[65];

	if (!text)
		return 0;
	distro_list_parse(text, "amd64", &list);
	/* Other texts of others that are read line by line. */
	source_tree_parse_version(text, &version);
	tarball_find_sum(text, "linux-6.14.2.tar.xz", sum);
	kconfig_has_all(text, text);
	return 0;
}
