// SPDX-License-Identifier: GPL-2.0-only
/* {"return": [{...}, {...}]} */
#include "vm/engine.h"

void qmp_each_object(struct json_reader *r, qmp_object_fn *take, void *ctx)
{
	struct json_value value;

	while (json_read_item(r)) {
		enum json_kind kind = json_read_value(r, &value);

		if (kind == JSON_OBJECT)
			take(r, ctx);
		else if (kind == JSON_ARRAY)
			json_read_leave(r);
	}
}

bool qmp_answer_objects(struct str *reply, qmp_object_fn *take, void *ctx)
{
	struct json_value key, value;
	struct json_reader r;

	if (!reply->len)
		return false;
	json_read_init(&r, reply->s, reply->len);
	if (json_read_value(&r, &value) != JSON_OBJECT)
		return false;
	while (json_read_key(&r, &key)) {
		enum json_kind kind = json_read_value(&r, &value);

		if (kind == JSON_ARRAY && str_eq(key.s, "return"))
			qmp_each_object(&r, take, ctx);
		else if (kind == JSON_ARRAY || kind == JSON_OBJECT)
			json_read_leave(&r);
	}
	return json_read_end(&r);
}
