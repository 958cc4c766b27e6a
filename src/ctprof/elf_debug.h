/* SPDX-License-Identifier: GPL-2.0-only */
/* Finding the debug information that was split off an ELF file. */
#ifndef KTSTR_CTPROF_ELF_DEBUG_H
#define KTSTR_CTPROF_ELF_DEBUG_H

#include "ctprof/elf_file.h"

/* Opens a regular file by the name that it has for a process (tgid 0: for us). Or -errno. */
int elf_open_for(pid_t tgid, const char *path);

/*
 * The file of debug information that belongs to f, which the process knows by
 * the name path: by build-id below /usr/lib/debug, else by .gnu_debuglink
 * beside it, in .debug/ or below /usr/lib/debug, with the right checksum. A
 * descriptor, or -ENOENT. Needs sections of f.
 */
int elf_open_debug(const struct elf_file *f, pid_t tgid, const char *path);

#endif
