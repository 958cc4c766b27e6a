/* SPDX-License-Identifier: GPL-2.0-only */
/* What a scheduler and the kernel printed about its end, as part of a report. */
#ifndef KTSTR_RUN_SCHED_TEXT_H
#define KTSTR_RUN_SCHED_TEXT_H

#include "base/str.h"

/* Loaders print the kernel's dump as well: their log without it, if it is the same. */
void sched_text_drop_dump(const struct str *log, const struct str *dump, struct str *out);

/* TITLE, then the text with every line marked; nothing for an empty one. */
void sched_text_add_section(struct str *out, const char *title, const struct str *text);

#endif
