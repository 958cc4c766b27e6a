/* SPDX-License-Identifier: GPL-2.0-only */
/* The plugin that QEMU loads, carried inside of this program so that it stays one file. */
#ifndef KTSTR_TRACE_PLUGIN_FILE_H
#define KTSTR_TRACE_PLUGIN_FILE_H

#include "vm/spec.h"

/* A memory file that holds it; a negative errno with a message, also where QEMU is too old. */
int plugin_file_open(const struct vm_spec *spec);

#endif
