// SPDX-License-Identifier: GPL-2.0-only
/* Reads adjacent fields at once. */
#include "trace/plugin/plugin.h"

#define SPAN 2048

/* Reads the range from the first to the last field. */
static bool read_at_once(uint64_t base, const struct trace_function_field *fields, size_t count,
			 uint64_t *values)
{
	uint64_t low = UINT64_MAX, high = 0;
	uint8_t bytes[SPAN];

	for (size_t i = 0; i < count; i++) {
		uint64_t end = (uint64_t)fields[i].offset + fields[i].bytes;

		low = fields[i].offset < low ? fields[i].offset : low;
		high = end > high ? end : high;
	}
	if (!count || high - low > SPAN || !plugin_read(base + low, bytes, high - low))
		return false;
	for (size_t i = 0; i < count; i++) {
		values[i] = 0;
		memcpy(&values[i], bytes + fields[i].offset - low, fields[i].bytes);
	}
	return true;
}

void fields_read(uint64_t base, const struct trace_function_field *fields, size_t count,
		 uint64_t *values)
{
	bool is_done = base && read_at_once(base, fields, count, values);

	for (size_t i = 0; i < count; i++) {
		const struct trace_function_field *f = &fields[i];

		if (!is_done)
			values[i] = 0;
		if (!base || (!is_done && !plugin_read(base + f->offset, &values[i], f->bytes)))
			continue;
		if (f->is_pointer && (!values[i] || !plugin_read(values[i] + f->behind, &values[i],
								 sizeof(values[i]))))
			values[i] = UINT64_MAX;
	}
}
