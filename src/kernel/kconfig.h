/* SPDX-License-Identifier: GPL-2.0-only */
/* The configuration that ktstr asks of a kernel it builds, and what became of it. */
#ifndef KTSTR_KERNEL_KCONFIG_H
#define KTSTR_KERNEL_KCONFIG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/str.h"

#define KCONFIG_HASH_SIZE 9

/* The fragment ktstr.kconfig as it was when this program was built. */
const char *kconfig_fragment(size_t *len);

/* Its CRC-32 in hexadecimal: the kc part of cache keys. */
const char *kconfig_hash(void);

void kconfig_hash_text(const char *text, size_t len, char out[static KCONFIG_HASH_SIZE]);

/* Whether every setting of the fragment stands in the .config, comments aside. */
bool kconfig_has_all(const char *config, const char *fragment);

/* The value of CONFIG_name in a .config: "y", "m", "1000"; false when it is not set. */
bool kconfig_value(const char *config, const char *name, struct str *value);

/*
 * Checks that the options without which nothing can be tested survived the
 * kernel's own rules. -EINVAL naming all that did not, each with a hint.
 */
int kconfig_check(const char *config);

#endif
