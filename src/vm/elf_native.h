/* SPDX-License-Identifier: GPL-2.0-only */
/* What programs and libraries of this machine are called, by machine. */
#ifndef KTSTR_VM_ELF_NATIVE_H
#define KTSTR_VM_ELF_NATIVE_H

#include <elf.h>

#if defined(__aarch64__)
#define ELF_NATIVE_MACHINE EM_AARCH64
#define ELF_NATIVE_CACHE_FLAGS 0x0a03 /* in ld.so.cache: this machine's libc 6 */
#define ELF_MULTIARCH "aarch64-linux-gnu"
#define ELF_USUAL_INTERPRETER "/lib/ld-linux-aarch64.so.1"
#define ELF_PLATFORM "aarch64"
#else
#define ELF_NATIVE_MACHINE EM_X86_64
#define ELF_NATIVE_CACHE_FLAGS 0x0303
#define ELF_MULTIARCH "x86_64-linux-gnu"
#define ELF_USUAL_INTERPRETER "/lib64/ld-linux-x86-64.so.2"
#define ELF_PLATFORM "x86_64"
#endif

#endif
