// SPDX-License-Identifier: GPL-2.0-only
/* Whatever gdb, or somebody in its place, sends to ktstr debug. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "watch/parts.h"
#include "debug/parts.h"

#define CPUS 3

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void need_cpu(unsigned int cpu)
{
	if (cpu >= CPUS)
		abort();
}

static bool fake_registers(void *ctx, unsigned int cpu, uint64_t out[DEBUG_REGISTER_COUNT])
{
	(void)ctx;
	need_cpu(cpu);
	memset(out, 0x5a, DEBUG_REGISTER_COUNT * sizeof(*out));
	return true;
}

static size_t fake_memory(void *ctx, unsigned int cpu, uint64_t address, void *out, size_t len)
{
	(void)ctx;
	need_cpu(cpu);
	memset(out, (int)address, len);
	return len;
}

static void fake_name(void *ctx, unsigned int cpu, struct str *out)
{
	(void)ctx;
	need_cpu(cpu);
	str_addf(out, "CPU %u", cpu);
}

static void fake_monitor(void *ctx, const char *command, struct str *out)
{
	(void)ctx;
	str_add(out, command);
}

/* A reply is one packet that comes back as it was. */
static void check_reply(const struct str *reply)
{
	_cleanup_(packets_finish) struct packets p = {};
	_str_ struct str wire = {}, again = {};

	if (reply->len > PACKET_MAX)
		return;
	packet_add(&wire, str_get(reply), reply->len);
	packets_add(&p, wire.s, wire.len);
	if (packets_next(&p, &again) != PACKET_DATA || again.len != reply->len ||
	    (reply->len && memcmp(again.s, reply->s, reply->len) != 0))
		abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const struct server_guest guest = { .cpu_count = CPUS,
						   .registers = fake_registers,
						   .memory = fake_memory,
						   .cpu_name = fake_name,
						   .monitor = fake_monitor };
	struct debug_stop stop = { .event = { 1 << 20, DEBUG_PLACE, 0, 0 }, .cpu = 1 };
	struct server s = { .guest = &guest };
	_cleanup_(packets_finish) struct packets p = {};
	_str_ struct str packet = {}, reply = {};
	enum packet_kind kind;

	server_set_stop(&s, &stop, false);
	packets_add(&p, data, size);
	while ((kind = packets_next(&p, &packet)) != PACKET_NONE) {
		if (kind == PACKET_DATA) {
			server_answer(&s, str_get(&packet), packet.len, &reply);
			need_cpu(s.asked_cpu);
			need_cpu(s.step_cpu);
			check_reply(&reply);
		}
		str_reset(&packet);
		str_reset(&reply);
	}
	return 0;
}
