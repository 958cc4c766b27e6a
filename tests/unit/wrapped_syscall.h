/* SPDX-License-Identifier: GPL-2.0-only */
/* Calls of syscall() as an array of arguments. */
#ifndef KTSTR_TESTS_WRAPPED_SYSCALL_H
#define KTSTR_TESTS_WRAPPED_SYSCALL_H

#include <stdarg.h>

#include "unit.h"

#define SYSCALL_ARGS 5 /* as many as are in registers: no call has to have more */

/* The test's own, for every call of the code under test. */
static long play_syscall(long number, const long args[SYSCALL_ARGS]);

long __wrap_syscall(long number, ...);
long __real_syscall(long number, ...);

long __wrap_syscall(long number, ...)
{
	long args[SYSCALL_ARGS];
	va_list rest;

	va_start(rest, number);
	for (size_t i = 0; i < SYSCALL_ARGS; i++)
		args[i] = va_arg(rest, long);
	va_end(rest);
	return play_syscall(number, args);
}

/* For calls that are not played. */
static inline long pass_syscall(long number, const long args[SYSCALL_ARGS])
{
	return __real_syscall(number, args[0], args[1], args[2], args[3], args[4]);
}

#endif
