/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Scope-bound ownership: a variable with one of these attributes releases its resource when it goes
 * out of scope. take_fd() and take_ptr() transfer ownership.
 */
#ifndef KTSTR_BASE_CLEANUP_H
#define KTSTR_BASE_CLEANUP_H

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static inline void cleanup_free(void *p)
{
	free(*(void **)p);
}

static inline void cleanup_fd(int *fd)
{
	if (*fd >= 0)
		close(*fd);
}

static inline void cleanup_file(FILE **f)
{
	if (*f)
		fclose(*f);
}

static inline void cleanup_dir(DIR **d)
{
	if (*d)
		closedir(*d);
}

#define _cleanup_(f) __attribute__((cleanup(f)))
#define _free_ _cleanup_(cleanup_free)
#define _close_ _cleanup_(cleanup_fd)
#define _fclose_ _cleanup_(cleanup_file)
#define _closedir_ _cleanup_(cleanup_dir)

static inline int take_fd(int *fd)
{
	int taken = *fd;

	*fd = -1;
	return taken;
}

#define take_ptr(p)                        \
	({                                 \
		__auto_type taken_ = *(p); \
		*(p) = NULL;               \
		taken_;                    \
	})

#endif
