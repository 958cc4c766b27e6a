// SPDX-License-Identifier: GPL-2.0-only
/* Looks up settings. */
#include "guest/parts.h"

#include "guest/protocol.h"

static int add_file(struct settings *s, const char *root, const char *name)
{
	_free_ char *path = str_fmt("%s%s", root, name);
	int rc = path ? file_read_at(AT_FDCWD, path, &s->text) : -ENOMEM;

	if (rc == 0 && s->text.len && s->text.s[s->text.len - 1] != '\n')
		str_addc(&s->text, '\n');
	return rc == -ENOENT ? 0 : rc;
}

/* Words of the command line are separated by blanks; values of ktstr never contain one. */
static int add_command_line(struct settings *s, const char *root)
{
	size_t start = s->text.len;
	int rc = add_file(s, root, "/proc/cmdline");

	for (size_t i = start; rc == 0 && i < s->text.len; i++)
		if (s->text.s[i] == ' ')
			s->text.s[i] = '\n';
	return rc;
}

int settings_read(struct settings *s, const char *root)
{
	int rc;

	str_reset(&s->text);
	rc = add_file(s, root, GUEST_RUN_FILE) ?: add_file(s, root, GUEST_BASE_FILE);
	return rc ?: add_command_line(s, root);
}

const char *settings_get(const struct settings *s, const char *name, char *out, size_t size)
{
	size_t name_len = strlen(name);

	text_each_line(l, str_get(&s->text)) {
		if (l.len > name_len && strncmp(l.s, name, name_len) == 0 && l.s[name_len] == '=') {
			size_t value_len = MIN(l.len - name_len - 1, size - 1);

			memcpy(out, l.s + name_len + 1, value_len);
			out[value_len] = '\0';
			return out;
		}
	}
	return NULL;
}

bool settings_is_set(const struct settings *s, const char *name)
{
	char value[8];

	return settings_get(s, name, value, sizeof(value)) && str_eq(value, "1");
}
