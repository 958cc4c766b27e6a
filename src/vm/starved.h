/* SPDX-License-Identifier: GPL-2.0-only */
/* How long the host kept a process waiting: what a limit on a guest must not count. */
#ifndef KTSTR_VM_STARVED_H
#define KTSTR_VM_STARVED_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

/*
 * How long the thread of it that waited longest was ready to run and had no CPU.
 * 0 where the kernel does not tell.
 */
uint64_t vm_starved_ns(pid_t pid);

/* How long one thread of it ran, and waited for a CPU. False where the kernel does not tell. */
bool vm_thread_time(pid_t pid, pid_t tid, uint64_t *run_ns, uint64_t *wait_ns);

#endif
