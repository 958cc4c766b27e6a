// SPDX-License-Identifier: GPL-2.0-only
/* Any bytes as a failure dump: what is printed of it has no control characters. */
#include <stdint.h>
#include <stdlib.h>

#include "base/err.h"
#include "base/util.h"
#include "watch/parts.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	_cleanup_(arena_finish) struct arena arena = {};
	_str_ struct str text = {}, out = {};
	const struct json_node *dump;

	str_addn(&text, data, size);
	dump = text.s ? json_tree_read(&arena, text.s, text.len) : NULL;
	for (size_t i = 0; i < ARRAY_SIZE(dump_sections) && dump; i++) {
		dump_sections[i].add(dump, &dump_brief, &out);
		dump_sections[i].add(dump, &dump_whole, &out);
	}
	(void)dump_add_map(dump, "s", &out);
	(void)dump_add_task(dump, 102, &out);
	for (size_t i = 0; i < out.len; i++)
		if (((unsigned char)out.s[i] < ' ' && out.s[i] != '\n') || out.s[i] == 0x7f)
			abort();
	err_clear();
	return 0;
}
