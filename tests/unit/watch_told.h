/* SPDX-License-Identifier: GPL-2.0-only */
/* What the failure text says of a dump. */
#ifndef KTSTR_WATCH_TOLD_H
#define KTSTR_WATCH_TOLD_H

#include "watch/parts.h"

/* Appends a section of the dump with this JSON, or what is wrong with it. */
static inline void told_section(const struct str *json, const char *title, struct str *out)
{
	_cleanup_(arena_finish) struct arena arena = {};
	_str_ struct str copy = {};
	const struct json_node *dump;

	str_addn(&copy, json->s, json->len);
	dump = json_tree_read(&arena, copy.s, copy.len);
	for (size_t i = 0; i < sizeof(dump_sections) / sizeof(dump_sections[0]) && dump; i++)
		if (strcmp(dump_sections[i].title, title) == 0)
			dump_sections[i].add(dump, &dump_brief, out);
	if (!dump)
		str_add(out, err_text(-EINVAL));
}

#endif
