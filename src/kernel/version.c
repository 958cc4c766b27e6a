// SPDX-License-Identifier: GPL-2.0-only
/* Parsing and ordering kernel versions. */
#include "kernel/ident.h"

int kernel_version_parse_start(const char *text, struct kernel_version *v, const char **end)
{
	const char *p = text;

	*v = (struct kernel_version){};
	if (parse_digits(&p, &v->major) < 0 || *p++ != '.' || parse_digits(&p, &v->minor) < 0)
		return -EINVAL;
	if (p[0] == '.' && p[1] >= '0' && p[1] <= '9') {
		p++;
		if (parse_digits(&p, &v->patch) < 0)
			return -EINVAL;
		v->has_patch = true;
	}
	if (str_starts(p, "-rc") && p[3] >= '0' && p[3] <= '9') {
		p += 3;
		if (parse_digits(&p, &v->rc) < 0)
			return -EINVAL;
		v->has_rc = true;
	}
	*end = p;
	return 0;
}

int kernel_version_parse(const char *text, struct kernel_version *v)
{
	const char *end;
	int rc = kernel_version_parse_start(text, v, &end);

	return rc == 0 && *end ? -EINVAL : rc;
}

int kernel_version_compare(const struct kernel_version *a, const struct kernel_version *b)
{
	int order = ORDER(a->major, b->major);

	if (!order)
		order = ORDER(a->minor, b->minor);
	if (!order)
		order = ORDER(a->patch, b->patch);
	if (!order)
		order = ORDER(!a->has_rc, !b->has_rc);
	return order ? order : ORDER(a->rc, b->rc);
}

bool kernel_version_is_series(const struct kernel_version *v)
{
	return !v->has_patch && !v->has_rc;
}

bool kernel_version_in_series(const struct kernel_version *v, const struct kernel_version *series)
{
	return v->major == series->major && v->minor == series->minor;
}

bool kernel_version_is_wanted(const struct kernel_version *v, const struct kernel_version *wanted)
{
	if (!wanted)
		return true;
	return kernel_version_is_series(wanted) ? kernel_version_in_series(v, wanted) :
						  kernel_version_compare(v, wanted) == 0;
}

bool kernel_version_in_range(const struct kernel_version *v, const struct kernel_version *start,
			     const struct kernel_version *end)
{
	if (kernel_version_compare(v, start) < 0)
		return false;
	if (kernel_version_is_series(end) && kernel_version_in_series(v, end))
		return true;
	return kernel_version_compare(v, end) <= 0;
}

void kernel_version_format(const struct kernel_version *v,
			   char out[static KERNEL_VERSION_TEXT_SIZE])
{
	int len =
		snprintf(out, KERNEL_VERSION_TEXT_SIZE, "%llu.%llu", ULL(v->major), ULL(v->minor));

	if (v->has_patch)
		len += snprintf(out + len, KERNEL_VERSION_TEXT_SIZE - (size_t)len, ".%llu",
				ULL(v->patch));
	if (v->has_rc)
		snprintf(out + len, KERNEL_VERSION_TEXT_SIZE - (size_t)len, "-rc%llu", ULL(v->rc));
}
