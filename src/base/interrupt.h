/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Being asked to stop. Commands that own something (VMs, locks, tracees) install
 * this, look at it wherever they wait, and unwind; the exit status is then 130.
 */
#ifndef KTSTR_BASE_INTERRUPT_H
#define KTSTR_BASE_INTERRUPT_H

/*
 * From now on SIGINT, SIGTERM and SIGHUP are remembered instead of ending us. Under nohup the
 * last one stays ignored.
 */
void interrupt_install(void);

/* -EINTR with "interrupted" when one is pending, else 0. */
int interrupt_check(void);

#endif
