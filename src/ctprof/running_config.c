// SPDX-License-Identifier: GPL-2.0-only
/* Kernel configuration files. */
#include "ctprof/procfs_view.h"

#include <zlib.h>

#define MAX_BYTES (8u << 20) /* a configuration has a few hundred kilobytes */

/* Appends the contents of a file, compressed with gzip or not. */
static int read_gzip(const char *path, struct str *out)
{
	gzFile file = gzopen(path, "rbe");
	int n = 0, rc = 0;

	if (!file)
		return -ENOENT;
	do {
		if (!str_reserve(out, 65536)) {
			rc = -ENOMEM;
			break;
		}
		n = gzread(file, out->s + out->len, 65536);
		if (n > 0)
			out->len += (size_t)n;
	} while (n > 0 && out->len < MAX_BYTES);
	if (n < 0 || out->len >= MAX_BYTES)
		rc = -EBADMSG;
	gzclose(file);
	return rc;
}

/* Takes ownership of path. True if the file exists and is complete. */
static bool try_file(struct running_config *k, char *path)
{
	str_reset(&k->text);
	if (!path || read_gzip(path, &k->text) < 0 || k->text.len == 0) {
		free(path);
		return false;
	}
	k->text.s[k->text.len] = '\0';
	k->source = path;
	return true;
}

int running_config_read(struct running_config *k, const char *proc, const char *boot)
{
	_str_ struct str release = {};

	*k = (struct running_config){};
	if (!try_file(k, str_fmt("%s/config.gz", proc)) && boot &&
	    root_read_line(proc, &release, "sys/kernel/osrelease") == 0)
		try_file(k, str_fmt("%s/config-%s", boot, str_get(&release)));
	return str_check(&k->text);
}

enum config_option running_config_get(const struct running_config *k, const char *name)
{
	size_t len = strlen(name);

	if (!k->source)
		return OPTION_UNKNOWN;
	for (const char *line = str_get(&k->text); line; line = strchr(line, '\n')) {
		line += *line == '\n';
		if (strncmp(line, name, len) == 0 && line[len] == '=')
			return line[len + 1] == 'n' ? OPTION_OFF : OPTION_ON;
	}
	return OPTION_OFF;
}

static bool has_file(const char *proc, const char *name)
{
	_free_ char *path = str_fmt("%s/%s", proc, name);

	return path && access(path, F_OK) == 0;
}

bool kernel_counts_irq_time(const char *proc, const char *boot)
{
	_running_config_ struct running_config config = {};

	if (has_file(proc, "pressure/irq") || has_file(proc, "pressure/cpu"))
		return has_file(proc, "pressure/irq");
	if (running_config_read(&config, proc, boot) < 0)
		err_clear();
	return running_config_get(&config, needs[NEED_IRQ_TIME_ACCOUNTING].name) != OPTION_OFF;
}

void running_config_finish(struct running_config *k)
{
	str_finish(&k->text);
	free(k->source);
	*k = (struct running_config){};
}
