// SPDX-License-Identifier: GPL-2.0-only
/* Parses the plugin's arguments, and reads files that they name. */
#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "trace/plugin/plugin.h"

const char *plugin_value_of(const char *text, const char *name)
{
	size_t len = strlen(name);

	return strncmp(text, name, len) == 0 ? text + len : NULL;
}

bool plugin_take_number(const char *text, const char *name, uint64_t *value)
{
	const char *number = plugin_value_of(text, name);
	char *end;

	if (!number)
		return false;
	*value = strtoull(number, &end, 16);
	return !*end;
}

void *plugin_read_file(const char *path, size_t *size)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	void *data = NULL;
	struct stat st;

	if (fd < 0)
		return NULL;
	if (fstat(fd, &st) == 0 && st.st_size > 0)
		data = malloc((size_t)st.st_size);
	if (data && pread(fd, data, (size_t)st.st_size, 0) != st.st_size) {
		free(data);
		data = NULL;
	}
	*size = data ? (size_t)st.st_size : 0;
	close(fd);
	return data;
}
