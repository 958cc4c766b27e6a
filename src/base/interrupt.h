/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Deferred signals. Commands that own resources (VMs, locks, tracees) install this, check it
 * wherever they wait, and unwind; the exit status is then 130.
 */
#ifndef KTSTR_BASE_INTERRUPT_H
#define KTSTR_BASE_INTERRUPT_H

/*
 * From now on SIGINT, SIGTERM and SIGHUP are recorded instead of killing the process. Under nohup
 * SIGHUP stays ignored.
 */
void interrupt_install(void);

/* -EINTR with "interrupted" if a signal is pending, else 0. */
int interrupt_check(void);

#endif
