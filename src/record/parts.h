/* SPDX-License-Identifier: GPL-2.0-only */
/* Shared by the files of this directory. */
#ifndef KTSTR_RECORD_PARTS_H
#define KTSTR_RECORD_PARTS_H

#include "record/sidecar.h"

/* The members of a sidecar as tables. */
extern const struct json_field sidecar_fields[];
extern const struct json_field sidecar_stats_fields[];

#endif
