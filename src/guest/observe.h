/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The observer of scheduling events in a guest. Loading takes a while, so it is done
 * once, before a template is saved; it counts while a payload runs. What keeps it from
 * that is told to the payload in GUEST_OBSERVE_PROBLEM.
 */
#ifndef KTSTR_GUEST_OBSERVE_H
#define KTSTR_GUEST_OBSERVE_H

void observe_load(void);
void observe_start(void);

#endif
