// SPDX-License-Identifier: GPL-2.0-only
/* What the kernel counts about memory: pages by NUMA node, pages it moved. */
#include "work/procfs.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/parse.h"
#include "base/str.h"

#define MIGRATED_KEY "\nnuma_pages_migrated "

/* Absent in kernels without NUMA balancing. */
bool vmstat_read_migrated(uint64_t *pages)
{
	_str_ struct str text = {};
	const char *at;

	if (file_read_at(AT_FDCWD, "/proc/vmstat", &text) < 0)
		return false;
	at = strstr(str_get(&text), MIGRATED_KEY);
	if (!at)
		return false;
	at += strlen(MIGRATED_KEY);
	return parse_digits(&at, pages) == 0;
}
