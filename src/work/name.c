// SPDX-License-Identifier: GPL-2.0-only
/* Names of workers. The end of a name tells workers apart, so a long name loses its beginning. */
#include "work/worker.h"

char *worker_name(char *out, size_t size, const char *group, unsigned int index)
{
	char tail[16];
	size_t tail_len = (size_t)snprintf(tail, sizeof(tail), "/%u", index);
	size_t len = strlen(group), room = size - 1 - MIN(tail_len, size - 1);

	if (len > room)
		group += len - room;
	snprintf(out, size, "%s%s", group, tail);
	return out;
}
