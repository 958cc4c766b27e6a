// SPDX-License-Identifier: GPL-2.0-only
/* Handles fatal signals of PID 1. */
#include "guest/parts.h"

#include <signal.h>
#include <ucontext.h>

static const struct {
	int number;
	const char *name;
} fatal[] = {
	{ SIGSEGV, "SIGSEGV" }, { SIGBUS, "SIGBUS" },	{ SIGILL, "SIGILL" }, { SIGFPE, "SIGFPE" },
	{ SIGABRT, "SIGABRT" }, { SIGTRAP, "SIGTRAP" }, { SIGSYS, "SIGSYS" },
};

/* Text is assembled by hand: libc's formatting must not be used in a signal handler. */
struct text {
	char bytes[160];
	size_t len;
};

static void add(struct text *t, const char *s)
{
	size_t len = MIN(strlen(s), sizeof(t->bytes) - t->len);

	memcpy(t->bytes + t->len, s, len);
	t->len += len;
}

static void add_hex(struct text *t, uint64_t value)
{
	char digits[19] = "0x";
	int at = 2;

	for (int shift = 60; shift >= 0; shift -= 4) {
		unsigned int digit = value >> shift & 15;

		if (digit || at > 2 || shift == 0)
			digits[at++] = "0123456789abcdef"[digit];
	}
	digits[at] = '\0';
	add(t, digits);
}

static uint64_t instruction_pointer(const ucontext_t *context _unused_)
{
#if defined(__x86_64__)
	return (uint64_t)context->uc_mcontext.gregs[REG_RIP];
#elif defined(__aarch64__)
	return context->uc_mcontext.pc;
#else
	return 0;
#endif
}

static void on_fatal(int number, siginfo_t *info, void *context)
{
	struct text t = {};

	add(&t, "guest init: ");
	for (size_t i = 0; i < ARRAY_SIZE(fatal); i++)
		if (fatal[i].number == number)
			add(&t, fatal[i].name);
	if (info->si_code <= 0) { /* sent by a process, not by the kernel */
		add(&t, " sent by another process");
	} else {
		add(&t, " at ");
		add_hex(&t, instruction_pointer(context));
		add(&t, ", address ");
		add_hex(&t, (uint64_t)(uintptr_t)info->si_addr);
	}
	report_crash(t.bytes, t.len);
	report_reboot();
}

void crash_install(void)
{
	static char stack[16384];
	const stack_t alternative = { .ss_sp = stack, .ss_size = sizeof(stack) };
	struct sigaction action = { .sa_sigaction = on_fatal,
				    .sa_flags = SA_SIGINFO | SA_ONSTACK | SA_RESETHAND };

	sigaltstack(&alternative, NULL);
	sigfillset(&action.sa_mask);
	for (size_t i = 0; i < ARRAY_SIZE(fatal); i++)
		sigaction(fatal[i].number, &action, NULL);
}
