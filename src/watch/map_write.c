// SPDX-License-Identifier: GPL-2.0-only
/* Reads the value back after writing it, to verify it. */
#include "watch/parts.h"

static int write_to(const char *name, const struct trace_watch *place, uint64_t value,
		    struct space *space)
{
	uint64_t physical, again = 0;

	if (place->bytes > sizeof(value) || place->bytes & (place->bytes - 1))
		return err_set(EINVAL, "'%s' has %llu bytes; 1, 2, 4 or 8 can be written", name,
			       ULL(place->bytes));
	if (place->bytes < sizeof(value) && value >> (8 * place->bytes))
		return err_set(EINVAL, "%llu does not fit into the %llu bytes of '%s'", ULL(value),
			       ULL(place->bytes), name);
	if (!space_physical(space, place->address, place->bytes, &physical) ||
	    vm_memory_write(space->memory, physical, &value, place->bytes) < 0 ||
	    vm_memory_read(space->memory, physical, &again, place->bytes) < 0 || again != value)
		return err_set(EFAULT, "'%s' cannot be written in the guest's memory", name);
	return 0;
}

int map_write(const char *wish, const struct maps *maps, struct space *space)
{
	const char *equals = strrchr(wish, '=');
	_free_ char *name = equals ? strndup(wish, (size_t)(equals - wish)) : NULL;
	struct trace_watch place;
	uint64_t value;
	int rc;

	if (!equals || parse_u64(equals + 1, &value) < 0)
		return err_set(EINVAL, "'%s' is not VARIABLE=NUMBER", wish);
	if (!name)
		return err_no_memory();
	rc = variable_place(name, maps, space, &place);
	return rc ?: write_to(name, &place, value, space);
}
