/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The observer of scheduling events for runs on this machine. Its maps are pinned in a
 * bpf file system that is mounted nowhere: it goes away with us, however we end.
 */
#ifndef KTSTR_HOSTMODE_OBSERVE_H
#define KTSTR_HOSTMODE_OBSERVE_H

#include "base/str.h"
#include "observe/links.h"

struct host_observer {
	int mount; /* a descriptor plus one; 0 = none */
	struct observe_links links;
	char dir[64];	    /* "" = events are not recorded */
	struct str problem; /* why not */
};

/* Never fails: where events cannot be recorded, results say so. */
void host_observer_start(struct host_observer *o);
void host_observer_finish(struct host_observer *o);

#endif
