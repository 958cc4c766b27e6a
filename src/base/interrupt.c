// SPDX-License-Identifier: GPL-2.0-only
/* Deferred signals. */
#include "base/interrupt.h"

#include <signal.h>

#include "base/base.h"

static volatile sig_atomic_t pending;

static void remember(int signal_number)
{
	pending = signal_number;
}

void interrupt_install(void)
{
	/* No SA_RESTART: blocking calls must return. */
	struct sigaction action = { .sa_handler = remember }, old;

	sigaction(SIGINT, &action, NULL);
	sigaction(SIGTERM, &action, NULL);
	if (sigaction(SIGHUP, NULL, &old) == 0 && old.sa_handler != SIG_IGN)
		sigaction(SIGHUP, &action, NULL);
}

int interrupt_check(void)
{
	return pending ? err_set(EINTR, "interrupted") : 0;
}
