/* SPDX-License-Identifier: GPL-2.0-only */
/* What the host asks of a running guest, by bytes in the channel's header. */
#ifndef KTSTR_GUEST_REQUESTS_H
#define KTSTR_GUEST_REQUESTS_H

#include <stdbool.h>

#include "channel/channel.h"

#define REQUESTS_PERIOD_MS 50
#define REQUESTS_SYSRQ "/proc/sysrq-trigger"

/* Whether anybody can ask: never in sim, where the host writes nothing to a running guest. */
bool requests_are_possible(const struct channel_header *h);

/*
 * Does what was asked and clears it. Returns whether what runs shall end. The two
 * files are GUEST_STALL_FILE and the kernel's sysrq-trigger.
 */
struct requests_files {
	const char *stall, *sysrq;
};
bool requests_serve(struct channel_header *h, const struct requests_files *files);

#endif
