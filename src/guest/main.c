// SPDX-License-Identifier: GPL-2.0-only
/* The guest's PID 1. */
#include <stdio.h>
#include <unistd.h>

#include "guest/life.h"

int main(void)
{
	if (getpid() != 1) {
		fputs("ktstr-guest: this is the init of a ktstr guest and nothing to be started by hand\n",
		      stderr);
		return 1;
	}
	guest_live();
}
