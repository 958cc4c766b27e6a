// SPDX-License-Identifier: GPL-2.0-only
/* The answer is text in JSON. */
#include "vm/engine.h"

/* {"return": "TEXT"} */
static int take_text(struct str *reply, struct str *out)
{
	struct json_value key, value;
	struct json_reader r;

	json_read_init(&r, reply->s, reply->len);
	if (!reply->len || json_read_value(&r, &value) != JSON_OBJECT)
		return err_set(EPROTO, "QEMU's answer is no object");
	while (json_read_key(&r, &key)) {
		enum json_kind kind = json_read_value(&r, &value);

		if (kind == JSON_STRING && str_eq(key.s, "return"))
			str_add(out, value.s);
		else if (kind == JSON_ARRAY || kind == JSON_OBJECT)
			json_read_leave(&r);
	}
	return str_check(out);
}

int vm_ask(struct vm *vm, const char *line, uint64_t limit_ns, struct str *out)
{
	_str_ struct str args = {}, reply = {};
	int rc;

	str_addf(&args, "{\"command-line\": \"%s\"}", line);
	rc = qmp_execute(&vm->qmp, "human-monitor-command", str_get(&args), limit_ns, &reply);
	return rc ?: take_text(&reply, out);
}
