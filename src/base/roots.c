// SPDX-License-Identifier: GPL-2.0-only
/* Reads formatted paths below a root. */
#include "base/roots.h"

#include "base/base.h"

const struct roots roots_live = { .proc = "/proc", .sys = "/sys", .cgroup = "/sys/fs/cgroup" };

bool roots_is_live(const struct roots *r)
{
	return str_eq(r->proc, roots_live.proc);
}

static int read_below(const char *base, struct str *out, const char *fmt, va_list ap)
{
	char path[PATH_MAX];
	int len = snprintf(path, sizeof(path), "%s/", base);
	int rest;

	if (len < 0 || (size_t)len >= sizeof(path))
		return -ENAMETOOLONG;
	rest = vsnprintf(path + len, sizeof(path) - (size_t)len, fmt, ap);
	if (rest < 0 || (size_t)(len + rest) >= sizeof(path))
		return -ENAMETOOLONG;
	return file_read_at(AT_FDCWD, path, out);
}

int root_read(const char *base, struct str *out, const char *fmt, ...)
{
	va_list ap;
	int rc;

	va_start(ap, fmt);
	rc = read_below(base, out, fmt, ap);
	va_end(ap);
	return rc;
}

static int read_line(const char *base, struct str *out, const char *fmt, va_list ap)
{
	int rc = read_below(base, out, fmt, ap);

	if (rc < 0)
		return rc;
	str_trim_end(out);
	return out->len ? 0 : -ENODATA;
}

int root_read_line(const char *base, struct str *out, const char *fmt, ...)
{
	va_list ap;
	int rc;

	va_start(ap, fmt);
	rc = read_line(base, out, fmt, ap);
	va_end(ap);
	return rc;
}

int root_read_u64(const char *base, uint64_t *value, const char *fmt, ...)
{
	_str_ struct str text = {};
	va_list ap;
	int rc;

	va_start(ap, fmt);
	rc = read_line(base, &text, fmt, ap);
	va_end(ap);
	return rc ?: parse_u64(str_get(&text), value);
}
