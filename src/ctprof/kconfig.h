/* The options that the running kernel was built with, where they can be found. */
#ifndef KTSTR_CTPROF_KCONFIG_H
#define KTSTR_CTPROF_KCONFIG_H

#include "base/cleanup.h"
#include "base/str.h"

enum kconfig_value { KCONFIG_UNKNOWN, KCONFIG_OFF, KCONFIG_ON };

struct kconfig {
	struct str text;
	char *source; /* the file; NULL = none was found */
};

/*
 * Reads PROC/config.gz, or else BOOT/config-RELEASE with the release that PROC
 * tells. boot may be NULL. Only running out of memory is an error.
 */
int kconfig_read(struct kconfig *k, const char *proc, const char *boot);

/* name is "CONFIG_PSI". An option that a known configuration leaves out is off. */
enum kconfig_value kconfig_get(const struct kconfig *k, const char *name);

void kconfig_finish(struct kconfig *k);

#define _kconfig_ _cleanup_(kconfig_finish)

#endif
