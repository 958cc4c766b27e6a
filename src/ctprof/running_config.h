/* SPDX-License-Identifier: GPL-2.0-only */
/* The options that the running kernel was built with, where they can be found. */
#ifndef KTSTR_CTPROF_RUNNING_CONFIG_H
#define KTSTR_CTPROF_RUNNING_CONFIG_H

#include "base/cleanup.h"
#include "base/str.h"

enum config_option { OPTION_UNKNOWN, OPTION_OFF, OPTION_ON };

struct running_config {
	struct str text;
	char *source; /* the file; NULL = none was found */
};

/*
 * Reads PROC/config.gz, or else BOOT/config-RELEASE with the release that PROC
 * tells. boot may be NULL. Only running out of memory is an error.
 */
int running_config_read(struct running_config *k, const char *proc, const char *boot);

/* name is "CONFIG_PSI". An option that a known configuration leaves out is off. */
enum config_option running_config_get(const struct running_config *k, const char *name);

/*
 * Whether interrupt time is charged to tasks: the kernel has a pressure file for
 * it then. Where it has no pressure files at all, its configuration tells; what
 * cannot be told counts as present.
 */
bool kernel_counts_irq_time(const char *proc, const char *boot);

void running_config_finish(struct running_config *k);

#define _running_config_ _cleanup_(running_config_finish)

#endif
