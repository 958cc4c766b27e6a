// SPDX-License-Identifier: GPL-2.0-only
/*
 * Binaries of schedulers: any bytes as an object, an object with any bytes in it, and a sound object with any
 * code. What is found is bounded, and names things that there are.
 */
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "bpf_object_maker.h"
#include "watch/cast.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void analyse(const void *data, size_t size)
{
	_casts_ struct casts casts = {};

	if (cast_analysis(data, size, NULL, &casts) < 0)
		abort();
	vec_each(const struct cast, c, &casts.items) {
		if (!*c->target || casts_find(&casts, c->kind, c->owner, c->offset) != c)
			abort();
		if (casts.items.count > casts.candidates)
			abort();
	}
	err_clear();
}

/* A function that has a task, a map's value and two numbers, and then does as the input says. */
static void run_code(const uint8_t *data, size_t size)
{
	static struct object_maker m;
	size_t len;

	om_begin(&m);
	om_load(&m, OM_U64, 6, 1, 0);
	om_address(&m, 1, OM_SYM_HOLDERS, 0);
	om_helper(&m, 1);
	om_move(&m, 7, 0);
	om_load(&m, OM_U64, 8, 7, 0);
	om_cast(&m, 9, 8);
	len = MIN(size & ~7UL, sizeof(m.code) - m.code_len - 8);
	memcpy(m.code + m.code_len, data, len);
	m.code_len += len;
	om_exit(&m);
	om_end(&m);
	analyse(m.file, m.file_len);
}

/* Four bytes each: a place, and what is there instead. */
static void damage_object(const uint8_t *data, size_t size)
{
	static struct object_maker m;

	om_begin(&m);
	om_load(&m, OM_U64, 6, 1, 0);
	om_address(&m, 1, OM_SYM_HOLDERS, 0);
	om_helper(&m, 1);
	om_store(&m, OM_U64, 0, 0, 6);
	om_load(&m, OM_U64, 1, 0, 8);
	om_cast(&m, 1, 1);
	om_load(&m, OM_U64, 2, 1, 0);
	om_by_name(&m, m.task, "0:1");
	om_load(&m, OM_U32, 2, 6, 4);
	om_exit(&m);
	om_end(&m);
	for (size_t i = 0; i + 4 <= size; i += 4) {
		uint16_t place, value;

		memcpy(&place, data + i, sizeof(place));
		memcpy(&value, data + i + 2, sizeof(value));
		memcpy(m.file + place % (m.file_len - 1), &value, sizeof(value));
	}
	analyse(m.file, m.file_len);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	if (!size)
		return 0;
	if (*data % 3 == 0)
		analyse(data + 1, size - 1);
	else if (*data % 3 == 1)
		run_code(data + 1, size - 1);
	else
		damage_object(data + 1, size - 1);
	return 0;
}
