/* SPDX-License-Identifier: GPL-2.0-only */
/* The dynamic linker's cache of library names, /etc/ld.so.cache. */
#ifndef KTSTR_VM_LD_CACHE_H
#define KTSTR_VM_LD_CACHE_H

#include <stddef.h>
#include <stdint.h>

#include "base/str.h"

/*
 * Appends the path that the cache gives for a library of this machine, the
 * variant for the plainest CPU: the guest's may lack what this one has. -ENOENT
 * when it has none; a damaged cache has none either.
 */
int ld_cache_find(const uint8_t *data, size_t size, const char *name, struct str *path);

#endif
