// SPDX-License-Identifier: GPL-2.0-only
/* A domain's parent is larger; chains of a forged guest end at a limit. */
#include "watch/domains.h"

#define MAX_LEVELS 16

static const struct {
	enum watch_member member;
	const char *name;
} rows[DOMAIN_NUMBERS] = {
	{ M_SD_LEVEL, "level" },
	{ M_SD_FLAGS, "flags" },
	{ M_SD_WEIGHT, "span_weight" },
	{ M_SD_INTERVAL, "balance_interval" },
	{ M_SD_FAILED, "nr_balance_failed" },
	{ M_SD_NEWIDLE, "max_newidle_lb_cost" },
};

static void read_domain(struct space *space, uint64_t at, struct domain_view *d)
{
	uint64_t name;

	for (size_t i = 0; i < DOMAIN_NUMBERS; i++)
		d->is_known[i] = space_read_member(space, at, rows[i].member, &d->numbers[i]);
	if (!space_read_member(space, at, M_SD_NAME, &name) || !name ||
	    !space_read(space, name, d->name, sizeof(d->name) - 1))
		d->name[0] = '\0';
}

int domains_read(struct domains *d, struct space *space, unsigned int cpu_count)
{
	int rc = 0;

	*d = (struct domains){};
	for (unsigned int i = 0; i < cpu_count && layout_has(space->layout, M_RQ_SD); i++) {
		uint64_t rq, at = 0;

		if (!space_of_cpu(space, space_symbol(space, SYM_RUNQUEUES), i, &rq) ||
		    !space_read_member(space, rq, M_RQ_SD, &at))
			continue;
		for (int level = 0; at && level < MAX_LEVELS && rc == 0; level++) {
			struct domain_view view = { .cpu = i };
			uint64_t parent;

			if (!space_read_member(space, at, M_SD_PARENT, &parent))
				break;
			read_domain(space, at, &view);
			rc = vec_push(&d->items, view);
			at = parent;
		}
	}
	if (rc < 0)
		domains_finish(d);
	return rc;
}

void domains_finish(struct domains *d)
{
	free(d->items.items);
	*d = (struct domains){};
}

void domains_put_json(const struct domains *d, unsigned int cpu, struct json *j)
{
	json_put_array(j, "sched_domains");
	vec_each(const struct domain_view, v, &d->items) {
		if (v->cpu != cpu)
			continue;
		json_object(j);
		json_put_string(j, "name", *v->name ? v->name : NULL);
		for (size_t k = 0; k < DOMAIN_NUMBERS; k++)
			json_put_known_u64(j, rows[k].name, v->is_known[k], v->numbers[k]);
		json_object_end(j);
	}
	json_array_end(j);
}
