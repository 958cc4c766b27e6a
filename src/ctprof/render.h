/* SPDX-License-Identifier: GPL-2.0-only */
/* A report as text for people (tables, HTML) and for programs (JSON, CSV). */
#ifndef KTSTR_CTPROF_RENDER_H
#define KTSTR_CTPROF_RENDER_H

#include "ctprof/report.h"

/* In the format of the report's options. -ENOMEM with a message. */
int render_report(const struct report *r, struct str *out);

int render_table(const struct report *r, struct str *out);
int render_json(const struct report *r, struct str *out);
int render_csv(const struct report *r, struct str *out);
int render_html(const struct report *r, struct str *out);

#endif
