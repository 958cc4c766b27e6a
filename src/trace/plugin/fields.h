/* SPDX-License-Identifier: GPL-2.0-only */
/* Values of fields out of the guest's memory, of which each look at it costs a walk through tables. */
#ifndef KTSTR_TRACE_FIELDS_H
#define KTSTR_TRACE_FIELDS_H

#include <stddef.h>

#include "trace/format.h"

/* Of the struct at this address; what cannot be read is 0, behind a pointer all ones. */
void fields_read(uint64_t base, const struct trace_function_field *fields, size_t count,
		 uint64_t *values);

#endif
