// SPDX-License-Identifier: GPL-2.0-only
/* Parses command lines. */
#include "guest/sched.h"

#include "guest/protocol.h"

int sched_args_split(char *data, size_t len, char **argv, size_t max)
{
	size_t count = 0;

	if (len == 0 || data[0] == '\0')
		return err_set(EINVAL, GUEST_SCHED_ARGS " names no program");
	if (data[len - 1] != '\0')
		return err_set(EINVAL, GUEST_SCHED_ARGS " is cut off");
	for (char *p = data; p < data + len; p += strlen(p) + 1) {
		if (count + 1 >= max)
			return err_set(EINVAL, GUEST_SCHED_ARGS " has more than %zu arguments",
				       max - 1);
		argv[count++] = p;
	}
	argv[count] = NULL;
	return (int)count;
}
