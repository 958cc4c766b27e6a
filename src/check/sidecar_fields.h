/* SPDX-License-Identifier: GPL-2.0-only */
/* The members of a sidecar as tables. */
#ifndef KTSTR_CHECK_SIDECAR_FIELDS_H
#define KTSTR_CHECK_SIDECAR_FIELDS_H

#include "base/json_fields.h"
#include "check/sidecar.h"

extern const struct json_field sidecar_fields[];
extern const struct json_field sidecar_stats_fields[];

#endif
