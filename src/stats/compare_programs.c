// SPDX-License-Identifier: GPL-2.0-only
/* `stats compare`: the builds of a scheduler on each side. */
#include "stats/parts.h"

static bool has_program(const struct comparison *c, int side, const struct compare_program *p)
{
	vec_each(const struct compare_program, other, &c->programs[side])
		if (str_eq(other->hash, p->hash) && str_eq(other->scheduler, p->scheduler))
			return true;
	return false;
}

int compare_add_programs(struct comparison *c, int side, const record_list *records)
{
	int rc = 0;

	for (size_t i = 0; i < records->count && rc == 0; i++) {
		const struct sidecar *s = records->items[i].s;
		struct compare_program p = { .scheduler = s->scheduler,
					     .version = s->scheduler_version,
					     .hash = s->scheduler_hash };

		if (p.hash && !has_program(c, side, &p))
			rc = vec_push(&c->programs[side], p);
	}
	return rc;
}

void compare_programs_text(const struct comparison *c, struct str *out)
{
	for (int side = 0; side < 2; side++) {
		vec_each(const struct compare_program, p, &c->programs[side]) {
			str_addf(out, "scheduler program (%c): ", 'A' + side);
			text_add_printable(out, p->scheduler);
			str_add(out, ", version ");
			text_add_printable(out, p->version ? p->version : "unknown");
			str_add(out, ", SHA-256 ");
			text_add_printable(out, p->hash);
			str_addc(out, '\n');
		}
	}
}

void compare_programs_json(const struct comparison *c, int side, struct json *j)
{
	json_put_array(j, "programs");
	vec_each(const struct compare_program, p, &c->programs[side]) {
		json_object(j);
		json_put_string(j, "scheduler", p->scheduler);
		json_put_string(j, "version", p->version);
		json_put_string(j, "hash", p->hash);
		json_object_end(j);
	}
	json_array_end(j);
}
