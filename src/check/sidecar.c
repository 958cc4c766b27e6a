// SPDX-License-Identifier: GPL-2.0-only
/* Sidecars in memory. */
#include "check/sidecar.h"

#include <string.h>

void sidecar_init(struct sidecar *s)
{
	*s = (struct sidecar){ .outcome = KTSTR_SKIPPED };
}

void sidecar_finish(struct sidecar *s)
{
	arena_finish(&s->arena);
	host_context_finish(&s->read_host);
	sidecar_init(s);
}

const char *sidecar_copy(struct sidecar *s, const char *text)
{
	return text ? arena_copy(&s->arena, text, strlen(text)) : NULL;
}
