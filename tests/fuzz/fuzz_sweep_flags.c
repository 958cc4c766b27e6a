// SPDX-License-Identifier: GPL-2.0-only
/* What a scheduler prints for --ktstr-list-flags: what is taken is whole. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "run/parts.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static bool is_declared(const struct probe_sched *sched, const char *name)
{
	for (size_t i = 0; i < sched->flags.count; i++)
		if (strcmp(sched->flags.items[i].name, name) == 0)
			return true;
	return false;
}

static void check_flag(const struct probe_sched *sched, const struct probe_flag *flag)
{
	if (!flag->name || flag->args.count > PROFILE_MAX_FLAGS)
		abort();
	for (size_t i = 0; i < flag->args.count; i++)
		if (!flag->args.items[i])
			abort();
	for (size_t i = 0; i < flag->requires_flags.count; i++)
		if (!is_declared(sched, flag->requires_flags.items[i]))
			abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct probe_sched sched = {};
	struct arena arena = {};
	char *text = malloc(size + 1);

	memcpy(text, data, size);
	text[size] = '\0';
	if (sweep_flags_read(text, size, &arena, &sched) == 0)
		for (size_t i = 0; i < sched.flags.count; i++)
			check_flag(&sched, &sched.flags.items[i]);
	arena_finish(&arena);
	free(text);
	return 0;
}
