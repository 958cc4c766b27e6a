/* SPDX-License-Identifier: GPL-2.0-only */
/* Work of tasks of kinds that workers are not by default: sleepers, and tasks that spin. */
#ifndef KTSTR_BATTERY_PROGRAM_KINDS_H
#define KTSTR_BATTERY_PROGRAM_KINDS_H

#include <ktstr/ktstr.h>

ktstr_work_fn work_as_user, work_in_threads, work_in_program, work_with_io, work_after_realtime;
ktstr_work_fn spin_as_user, spin_in_threads, spin_after_realtime;

#endif
