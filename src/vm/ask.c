// SPDX-License-Identifier: GPL-2.0-only
/* Queries of QEMU's human monitor; the answer is a string in JSON. */
#include "vm/engine.h"

/* {"return": "TEXT"} */
static int take_text(struct str *reply, struct str *out)
{
	struct arena arena = {};
	const struct json_node *answer = qmp_answer(&arena, reply);

	if (answer && answer->value.kind == JSON_STRING)
		str_add(out, answer->value.s);
	arena_finish(&arena);
	return answer ? str_check(out) : err_set(EPROTO, "QEMU's answer has nothing in it");
}

int vm_ask(struct vm *vm, const char *line, uint64_t limit_ns, struct str *out)
{
	_str_ struct str args = {}, reply = {};
	int rc;

	str_addf(&args, "{\"command-line\": \"%s\"}", line);
	rc = qmp_execute(&vm->qmp, "human-monitor-command", str_get(&args), limit_ns, &reply);
	return rc ?: take_text(&reply, out);
}
