/* SPDX-License-Identifier: GPL-2.0-only */
/* Metrics of payloads and tests, which say themselves what is better. */
#ifndef KTSTR_STATS_OWN_METRIC_H
#define KTSTR_STATS_OWN_METRIC_H

#include "check/sidecar.h"

/* They have no noise floor that we know of: the relative gate decides. */
#define OWN_METRIC_ABS 1e-9
#define OWN_METRIC_REL 0.1

/* The same one of another record: by name, payload and run of the payload. Or NULL. */
const struct sidecar_metric *own_metric_find(const struct sidecar *s,
					     const struct sidecar_metric *like);

#endif
