// SPDX-License-Identifier: GPL-2.0-only
/* Analyses all functions of all objects. */
#include "watch/cast.h"

#define MAX_OBJECTS 64
#define MAX_ROUNDS 4
#define MAX_STEPS (16UL << 20) /* instructions, for all rounds and objects */

static int look_at_functions(struct evidence *e, size_t *steps)
{
	int rc = 0;

	vec_each_while(const struct bpf_function, f, &e->object->functions, rc == 0)
		rc = cast_flow_run(e, f, steps);
	return rc;
}

/*
 * Repeats the analysis: pointer targets found in one round reveal the types behind them in the
 * next.
 */
static int look_at_object(const struct bpf_object *o, const struct btf *kernel, size_t *steps,
			  struct casts *out)
{
	_evidence_ struct evidence e;
	int rc = evidence_open(&e, o, kernel);

	for (int i = 0; i < MAX_ROUNDS && rc == 0; i++) {
		rc = look_at_functions(&e, steps);
		if (rc == 0 && !evidence_judge(&e))
			break;
	}
	return rc ? rc : evidence_add(&e, out);
}

/* Moves the types to out: they outlive the object. */
static int keep_types(struct bpf_object *o, struct casts *out)
{
	int rc = vec_push(&out->types, o->types);

	if (rc == 0)
		o->types = (struct btf){};
	return rc;
}

static void remove_contradictions(struct casts *out)
{
	size_t kept = 0;

	vec_each(struct cast, c, &out->items) {
		if (*c->target) {
			out->items.items[kept++] = *c;
			continue;
		}
		free(c->owner);
		free(c->target);
	}
	out->items.count = kept;
}

int cast_analysis(const void *data, size_t len, const struct btf *kernel, struct casts *out)
{
	size_t at = 0, found, steps = MAX_STEPS;
	int rc = 0, objects = 0;

	*out = (struct casts){};
	while (rc == 0 && objects++ < MAX_OBJECTS && bpf_object_next(data, len, &at, &found)) {
		_bpf_object_ struct bpf_object o = {};

		rc = bpf_object_open(&o, (const uint8_t *)data + found, len - found);
		if (rc == -ENOMEM)
			break;
		if (rc == 0)
			rc = look_at_object(&o, kernel, &steps, out) ?: keep_types(&o, out);
		else
			rc = 0;
		err_clear();
	}
	if (rc < 0) {
		casts_finish(out);
		return rc;
	}
	remove_contradictions(out);
	casts_sort(out);
	return 0;
}
