// SPDX-License-Identifier: GPL-2.0-only
/* Reads sched_ext's files in sysfs. */
#include "guest/sched.h"

static bool read_text(const char *root, const char *name, char *out, size_t size)
{
	_str_ struct str text = {};
	char path[256];

	out[0] = '\0';
	snprintf(path, sizeof(path), "%s/sys/kernel/sched_ext/%s", root, name);
	if (file_read_at(AT_FDCWD, path, &text) < 0)
		return false;
	str_trim_end(&text);
	snprintf(out, size, "%s", str_get(&text));
	return true;
}

static bool read_number(const char *root, const char *name, uint64_t *out)
{
	char text[32];

	return read_text(root, name, text, sizeof(text)) && parse_u64(text, out) == 0;
}

void scx_state_read(struct scx_state *s, const char *root)
{
	char state[32];

	*s = (struct scx_state){};
	s->is_there = read_text(root, "state", state, sizeof(state));
	s->is_active = s->is_there && !str_eq(state, "disabled");
	s->is_enabled = str_eq(state, "enabled");
	read_text(root, "root/ops", s->ops, sizeof(s->ops));
	s->has_rejected = read_number(root, "nr_rejected", &s->rejected);
	s->has_enable_seq = read_number(root, "enable_seq", &s->enable_seq);
}

bool scx_state_is_attached(const struct scx_state *s)
{
	return s->is_enabled && s->ops[0];
}
