/* SPDX-License-Identifier: GPL-2.0-only */
/* What is missing from a finished capture, and why. */
#ifndef KTSTR_CTPROF_CAPTURE_REASONS_H
#define KTSTR_CTPROF_CAPTURE_REASONS_H

#include "ctprof/capture.h"

/* Fills s->unread and the verdicts of s->parse. */
void capture_find_reasons(struct snapshot *s, const struct capture_opts *o);

#endif
