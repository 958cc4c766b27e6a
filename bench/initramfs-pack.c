// SPDX-License-Identifier: GPL-2.0-only
/* Packs a program as `ktstr shell -i` does and prints where the archive is. */
#include <stdio.h>

#include "base/err.h"
#include "vm/initramfs.h"

int main(int argc, char **argv)
{
	struct include_files includes = {};
	struct initramfs_base base = {};
	int rc = include_files_resolve(&includes, (const char *const *)argv + 1, (size_t)argc - 1);

	if (rc == 0)
		rc = initramfs_base_get(&(struct initramfs_base_spec){ .includes = &includes },
					&base);
	if (rc == 0)
		puts(base.path);
	else
		fprintf(stderr, "error: %s\n", err_text(rc));
	initramfs_base_finish(&base);
	include_files_finish(&includes);
	return rc < 0;
}
