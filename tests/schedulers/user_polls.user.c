// SPDX-License-Identifier: GPL-2.0-only
/* The process of user_polls looks for something to do without a pause. */
#include "loader.h"

long scheduler_round(struct bpf_object *object)
{
	(void)object;
	return 0;
}
