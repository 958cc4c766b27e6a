// SPDX-License-Identifier: GPL-2.0-only
/*
 * What comes to us from around a VM: lines of QEMU's control protocol, guest
 * settings, topologies, and lines of a process's memory map. The first byte chooses.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/file.h"
#include "ctprof/jemalloc_parts.h"
#include "guest/parts.h"
#include "vm/engine.h"
#include "vm/session.h"
#include "vm/spec.h"

/* A QEMU that says these bytes and hangs up. */
static void fuzz_qmp(const uint8_t *data, size_t size)
{
	struct qmp_event event;
	struct qmp q;
	int ends[2];

	if (size > 60000 || socketpair(AF_UNIX, SOCK_STREAM, 0, ends) < 0)
		return;
	if (fd_write_all(ends[1], data, size) < 0)
		abort();
	close(ends[1]);
	qmp_init(&q, ends[0]);
	q.owed = 3;
	qmp_reply(&q, NSEC_PER_SEC, NULL);
	qmp_wait_event(&q, "MIGRATION", NSEC_PER_SEC, &event);
	while (qmp_next_event(&q, &event))
		;
	qmp_finish(&q);
}

/* The same as answers to what we ask for. */
static void fuzz_answers(const char *text, size_t size)
{
	_str_ struct str stats_reply = {}, threads_reply = {};
	struct vm_exit_stats stats;
	pid_t tids[4];

	str_addn(&stats_reply, text, size);
	str_addn(&threads_reply, text, size);
	vm_exit_stats_parse(&stats_reply, &stats);
	vm_vcpu_threads_parse(&threads_reply, tids, 4);
}

static void fuzz_settings(char *text, size_t size)
{
	struct settings s = {};
	char value[16];

	str_addn(&s.text, text, size);
	settings_get(&s, "KTSTR_MODE", value, sizeof(value));
	settings_is_set(&s, "KTSTR_TEMPLATE");
	str_finish(&s.text);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct vm_topology topology;
	char *text;

	if (size == 0)
		return 0;
	text = calloc(1, size);
	memcpy(text, data + 1, size - 1);
	switch (data[0] % 4) {
	case 0:
		fuzz_qmp(data + 1, size - 1);
		fuzz_answers(text, size - 1);
		break;
	case 1:
		fuzz_settings(text, size - 1);
		break;
	case 2:
		vm_topology_parse(text, &topology);
		break;
	default: {
		struct mapped_file line;

		maps_parse_line(text, &line);
		break;
	}
	}
	free(text);
	return 0;
}
