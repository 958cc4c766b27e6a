// SPDX-License-Identifier: GPL-2.0-only
/* Netlink replies: any bytes as a message, and any payload of it as struct taskstats. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "ctprof/taskstats.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const struct taskstats_gates open = { true, true, true, true };
	struct thread_record t = {};
	struct taskstats_reply reply;
	uint8_t *message = malloc(size + !size);

	memcpy(message, data, size);
	if (taskstats_parse_reply(message, size, &reply) == 0 && !reply.error) {
		const uint8_t *payload = reply.payload;

		if (payload < message || payload + reply.len > message + size)
			abort();
		taskstats_fill(payload, reply.len, &open, &t);
	}
	taskstats_fill(message, size, &open, &t);
	taskstats_fill_schedstat(message, size, &t);
	free(message);
	return 0;
}
