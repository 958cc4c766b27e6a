/* SPDX-License-Identifier: GPL-2.0-only */
/* The test program stands for a vmlinux: it has debug information, too. */
#ifndef KTSTR_TESTS_OWN_LINES_H
#define KTSTR_TESTS_OWN_LINES_H

#include "kernel/kernel.h"

static inline int open_own_lines(struct source_lines *lines)
{
	char dir[] = "/tmp/ktstr-lines-XXXXXX";
	_free_ char *path = mkdtemp(dir) ? str_fmt("%s/vmlinux", dir) : NULL;
	int rc = path && symlink("/proc/self/exe", path) == 0 ? source_lines_open(lines, dir) :
								-EIO;

	if (path)
		unlink(path);
	rmdir(dir);
	return rc;
}

#endif
