// SPDX-License-Identifier: GPL-2.0-only
/* Any bytes as JSON: whatever is accepted must be read the same again when written out. */
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "base/json_read.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void echo(struct json_reader *r, struct json *j)
{
	struct json_value v, key;

	switch (json_read_value(r, &v)) {
	case JSON_BROKEN:
		break;
	case JSON_NULL:
	case JSON_UNFIT:
		json_null(j);
		break;
	case JSON_TRUE:
	case JSON_FALSE:
		json_bool(j, v.kind == JSON_TRUE);
		break;
	case JSON_UNSIGNED:
		json_u64(j, v.u);
		break;
	case JSON_NEGATIVE:
		json_i64(j, v.i);
		break;
	case JSON_STRING:
		if (strlen(v.s) != v.len)
			abort();
		json_string(j, v.s);
		break;
	case JSON_ARRAY:
		json_array(j);
		while (json_read_item(r))
			echo(r, j);
		json_array_end(j);
		break;
	case JSON_OBJECT:
		json_object(j);
		while (json_read_key(r, &key)) {
			json_key(j, key.s);
			echo(r, j);
		}
		json_object_end(j);
		break;
	}
}

/* Reads and writes the text once; false when it is malformed. */
static bool round_trip(const char *text, size_t len, struct str *out)
{
	_free_ char *own = malloc(len + 1);
	struct json_reader r;
	struct json j;

	if (!own)
		abort();
	memcpy(own, text, len);
	own[len] = '\0';
	json_read_init(&r, own, len);
	json_init(&j, out, false);
	echo(&r, &j);
	return json_read_end(&r);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	_str_ struct str once = {}, twice = {}, thrice = {};

	if (!round_trip((const char *)data, size, &once))
		return 0;
	/* Bytes that are no UTF-8 become characters the first time; from then on all stays. */
	if (!round_trip(once.s, once.len, &twice) || !round_trip(twice.s, twice.len, &thrice))
		abort();
	if (twice.len != thrice.len || memcmp(twice.s, thrice.s, twice.len) != 0)
		abort();
	return 0;
}
