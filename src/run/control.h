/* SPDX-License-Identifier: GPL-2.0-only */
/* What a guest without a channel has left on its second serial port. */
#ifndef KTSTR_RUN_CONTROL_H
#define KTSTR_RUN_CONTROL_H

#include "base/str.h"

/*
 * The text between the last pair of result lines; nothing when the last one that
 * begins has no end: an earlier pair may be what a test has printed.
 */
void control_result(const char *control, struct str *out);

#endif
