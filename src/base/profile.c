// SPDX-License-Identifier: GPL-2.0-only
/* The runtimes of gcov and clang, if the linker has included one. */
#include "base/child.h"

extern void __gcov_dump(void) __attribute__((weak));
extern int __llvm_profile_write_file(void) __attribute__((weak));
extern void __llvm_profile_reset_counters(void) __attribute__((weak));

void profile_begin_child(void)
{
	if (__llvm_profile_reset_counters)
		__llvm_profile_reset_counters();
}

void profile_write(void)
{
	if (__gcov_dump)
		__gcov_dump();
	if (__llvm_profile_write_file)
		__llvm_profile_write_file();
}
