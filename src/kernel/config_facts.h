/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What the image of a kernel tells about the options that it was built with.
 *
 * Where there is no .config, a scheduler still wants to know some options: the
 * loader of BPF programs fills in every `extern ... CONFIG_X __kconfig`, and one
 * that it cannot find keeps the whole program from being loaded. A row says which
 * function, member or enumerator exists with an option only; when the image has
 * it, the option is on. Nothing follows from its absence.
 */
#ifndef KTSTR_KERNEL_CONFIG_FACTS_H
#define KTSTR_KERNEL_CONFIG_FACTS_H

#include <stddef.h>

#include "base/str.h"

/* The first line of every text that config_facts_add() made, up to what made it. */
#define CONFIG_FACTS_MARK "# Derived by ktstr from the kernel image; not the kernel's own .config."

/* Appends the configuration that is embedded in the image (CONFIG_IKCONFIG). -ENOENT: none. */
int config_embedded_add(const void *data, size_t len, struct str *out);

/* Appends CONFIG_X=y lines behind the mark. A vmlinux without BTF proves little, but that. */
int config_facts_add(const void *vmlinux, size_t len, struct str *out);

#endif
