// SPDX-License-Identifier: GPL-2.0-only
/* The guest's PID 1, and its built-in payload. */
#include "guest/parts.h"
#include "guest/protocol.h"

int main(int argc, char **argv)
{
	if (getpid() == 1)
		guest_live();
	if (argc == 3 && str_eq(argv[1], GUEST_SPIN))
		return spin_run(argv[2]);
	fputs("ktstr-guest: the init of ktstr guests; not to be started by hand\n", stderr);
	return 1;
}
