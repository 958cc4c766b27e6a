/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A person at a guest's console: our terminal in raw mode, every key sent on,
 * everything the guest prints shown. Ctrl-A X ends the VM, Ctrl-A Ctrl-A sends one
 * Ctrl-A.
 */
#ifndef KTSTR_VM_TERMINAL_H
#define KTSTR_VM_TERMINAL_H

#include <stdbool.h>

#include "vm/engine.h"

/* 0, or -ENOTTY with a sentence when stdin is no terminal. */
int terminal_check(void);

/* Raw mode on. It is undone by terminal_restore() and by every signal that can be caught. */
int terminal_raw(void);
void terminal_restore(void);

/*
 * Carries bytes until the guest ends, QEMU dies or the user asks for the end
 * (*is_killed). look is called many times a second, for all else the guest says.
 */
int terminal_attach(struct vm *vm, int (*look)(struct vm *vm, void *ctx), void *ctx,
		    bool *is_killed);

#endif
