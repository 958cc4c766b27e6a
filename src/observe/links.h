/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Switches the observer on. Its programs were loaded and pinned by ktstr-observe; they
 * run from observe_attach() on until observe_detach(), or until the last process that
 * has the descriptors is gone.
 */
#ifndef KTSTR_OBSERVE_LINKS_H
#define KTSTR_OBSERVE_LINKS_H

#define OBSERVE_PROGRAMS 4
#define OBSERVE_DIR "/sys/fs/bpf/ktstr" /* in guests */

struct observe_links {
	int fds[OBSERVE_PROGRAMS]; /* a descriptor plus one; 0 = none */
};

/* 0, or a negative errno: -ENOENT when nothing is pinned there. */
int observe_attach(struct observe_links *links, const char *dir);
void observe_detach(struct observe_links *links);

#endif
