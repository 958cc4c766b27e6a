/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A guest as a core file, for gdb and crash: all its memory, at the addresses at which its kernel has it,
 * and the registers of its vCPUs as threads. It has the form that a kernel's own crash dump has
 * (/proc/vmcore), with the kernel's note about itself. It is made from memory that is read, and not by
 * QEMU: that would have to stop the guest first, which a sim run does not survive unchanged.
 */
#ifndef KTSTR_WATCH_CORE_FILE_H
#define KTSTR_WATCH_CORE_FILE_H

#include "watch/vcpu.h"

/* Where nothing was written the file has a hole. Of a file that cannot be written nothing is left. */
int core_file_write(const char *path, struct space *space, const struct vcpus *vcpus);

#endif
