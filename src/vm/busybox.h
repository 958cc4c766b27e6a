/* SPDX-License-Identifier: GPL-2.0-only */
/* busybox, the guest's userland: where it is, and what it brings. */
#ifndef KTSTR_VM_BUSYBOX_H
#define KTSTR_VM_BUSYBOX_H

#include <stdbool.h>

#include "base/str.h"

/*
 * KTSTR_BUSYBOX_PATH, or the first static one of the usual places. Only a static
 * one will do: the guest has no libraries of its own. free() the path.
 */
int busybox_find(char **path);

/* The names of its applets, one per line, as it lists them itself. */
int busybox_list_applets(const char *path, struct str *out);

#endif
