// SPDX-License-Identifier: GPL-2.0-only
#include "stats/registry.h"

const struct named_metric *own_metric_find(const struct sidecar *s, const struct named_metric *like)
{
	array_each(const struct named_metric, m, s->metrics, s->metric_count) {
		if (str_eq(m->name, like->name) && m->run_index == like->run_index &&
		    (m->payload ? like->payload && str_eq(m->payload, like->payload) :
				  !like->payload))
			return m;
	}
	return NULL;
}
