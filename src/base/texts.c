// SPDX-License-Identifier: GPL-2.0-only
/* Lists of texts. */
#include "base/texts.h"

#include "base/base.h"

int texts_take(struct texts *t, char *text)
{
	int rc = text ? vec_push(t, text) : err_no_memory();

	if (rc < 0)
		free(text);
	return rc;
}

int texts_add(struct texts *t, const char *text)
{
	return texts_take(t, strdup(text));
}

int texts_add_once(struct texts *t, const char *text)
{
	return texts_has(t, text) ? 0 : texts_add(t, text);
}

bool texts_has(const struct texts *t, const char *text)
{
	return str_index((const char *const *)t->items, t->count, text) >= 0;
}

static int by_versions(const void *a, const void *b)
{
	return strverscmp(*(char *const *)a, *(char *const *)b);
}

void texts_sort(struct texts *t)
{
	vec_sort(t, order_texts);
}

void texts_sort_versions(struct texts *t)
{
	vec_sort(t, by_versions);
}

void texts_finish(struct texts *t)
{
	for (size_t i = 0; i < t->count; i++)
		free(t->items[i]);
	free(t->items);
	*t = (struct texts){};
}
