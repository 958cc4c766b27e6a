// SPDX-License-Identifier: GPL-2.0-only
/* Texts of findings. */
#include "base/finding.h"

void finding_set(struct finding *d, unsigned int state, const char *fmt, ...)
{
	d->state = state;
	str_add_rest(&d->why, fmt);
}

void finding_fix(struct finding *d, const char *fmt, ...)
{
	if (d->fix.len)
		str_addc(&d->fix, '\n');
	str_add_rest(&d->fix, fmt);
}

int findings_check(struct finding *list, size_t count)
{
	int rc = 0;

	for (size_t i = 0; i < count && rc == 0; i++)
		rc = str_check(&list[i].why) ?: str_check(&list[i].fix);
	if (rc < 0)
		findings_finish(list, count);
	return rc;
}

void findings_finish(struct finding *list, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		str_finish(&list[i].why);
		str_finish(&list[i].fix);
	}
}
