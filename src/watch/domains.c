// SPDX-License-Identifier: GPL-2.0-only
/* Reads the chain of domains by parent pointers; a limit ends forged chains. */
#include "watch/parts.h"

#define MAX_LEVELS 16
#define MAX_SPAN 2048 /* bytes of a domain to read at most */

struct domain_row {
	enum watch_member member;
	const char *name;
};

static const struct domain_row rows[DOMAIN_NUMBERS] = {
	{ M_SD_LEVEL, "level" },
	{ M_SD_FLAGS, "flags" },
	{ M_SD_WEIGHT, "span_weight" },
	{ M_SD_INTERVAL, "balance_interval" },
	{ M_SD_FAILED, "nr_balance_failed" },
	{ M_SD_NEWIDLE, "max_newidle_lb_cost" },
	{ M_SD_NEWIDLE_CALL, "newidle_call" },
	{ M_SD_NEWIDLE_SUCCESS, "newidle_success" },
	{ M_SD_NEWIDLE_RATIO, "newidle_ratio" },
	{ M_SD_ALB_COUNT, "alb_count" },
	{ M_SD_ALB_FAILED, "alb_failed" },
	{ M_SD_ALB_PUSHED, "alb_pushed" },
	{ M_SD_SBE_COUNT, "sbe_count" },
	{ M_SD_SBE_BALANCED, "sbe_balanced" },
	{ M_SD_SBE_PUSHED, "sbe_pushed" },
	{ M_SD_SBF_COUNT, "sbf_count" },
	{ M_SD_SBF_BALANCED, "sbf_balanced" },
	{ M_SD_SBF_PUSHED, "sbf_pushed" },
	{ M_SD_TTWU_WAKE_REMOTE, "ttwu_wake_remote" },
	{ M_SD_TTWU_MOVE_AFFINE, "ttwu_move_affine" },
	{ M_SD_TTWU_MOVE_BALANCE, "ttwu_move_balance" },
};

static const struct domain_row array_rows[DOMAIN_ARRAYS] = {
	{ M_SD_LB_COUNT, "lb_count" },
	{ M_SD_LB_FAILED, "lb_failed" },
	{ M_SD_LB_BALANCED, "lb_balanced" },
	{ M_SD_LB_IMBALANCE_LOAD, "lb_imbalance_load" },
	{ M_SD_LB_IMBALANCE_UTIL, "lb_imbalance_util" },
	{ M_SD_LB_IMBALANCE_TASK, "lb_imbalance_task" },
	{ M_SD_LB_IMBALANCE_MISFIT, "lb_imbalance_misfit" },
	{ M_SD_LB_GAINED, "lb_gained" },
	{ M_SD_LB_HOT_GAINED, "lb_hot_gained" },
	{ M_SD_LB_NOBUSYG, "lb_nobusyg" },
	{ M_SD_LB_NOBUSYQ, "lb_nobusyq" },
};

/* Number of bytes of a domain that contain all members; 0 = too many. */
static size_t span_of(const struct watch_layout *l)
{
	size_t span = 0;

	for (enum watch_member m = M_SD_PARENT; m <= M_SD_TTWU_MOVE_BALANCE; m++)
		if (layout_has(l, m))
			span = MAX(span,
				   l->members[m] + sizeof(((struct domain_view *)0)->arrays[0]));
	return span <= MAX_SPAN ? span : 0;
}

static void read_domain(struct space *space, uint64_t at, struct domain_view *d)
{
	const struct watch_layout *l = space->layout;
	size_t span = span_of(l);
	char data[MAX_SPAN];
	uint64_t name;
	bool is_read = span && space_read(space, at, data, span);

	for (size_t i = 0; i < DOMAIN_NUMBERS && is_read; i++) {
		d->is_known[i] = layout_has(l, rows[i].member);
		d->numbers[i] = layout_number(l, data, rows[i].member);
	}
	for (size_t i = 0; i < DOMAIN_ARRAYS && is_read; i++) {
		d->has_array[i] = layout_has(l, array_rows[i].member);
		if (d->has_array[i])
			memcpy(d->arrays[i], data + l->members[array_rows[i].member],
			       sizeof(d->arrays[i]));
	}
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

static void put_array(const struct domain_view *v, size_t k, struct json *j)
{
	if (!v->has_array[k]) {
		json_put_null(j, array_rows[k].name);
		return;
	}
	json_put_array(j, array_rows[k].name);
	for (size_t i = 0; i < DOMAIN_IDLE_TYPES; i++)
		json_u64(j, v->arrays[k][i]);
	json_array_end(j);
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
		for (size_t k = 0; k < DOMAIN_ARRAYS; k++)
			put_array(v, k, j);
		json_object_end(j);
	}
	json_array_end(j);
}
