/* Strict parsing with json-c. */
#include "kernel/json_read.h"

#include <json-c/json.h>

/* Far above any release index. */
#define MAX_DOCUMENT (16 << 20)

static enum json_fault fault_of(enum json_tokener_error error)
{
	switch (error) {
	case json_tokener_success:
		return JSON_FAULT_NONE;
	case json_tokener_continue:
	case json_tokener_error_parse_eof:
		return JSON_FAULT_TRUNCATED;
	case json_tokener_error_depth:
	case json_tokener_error_size:
	case json_tokener_error_parse_utf8_string:
		return JSON_FAULT_OTHER;
	default:
		return JSON_FAULT_MALFORMED;
	}
}

static size_t line_at(const char *text, size_t len)
{
	size_t line = 1;

	for (size_t i = 0; i < len; i++)
		line += text[i] == '\n';
	return line;
}

struct json_object *json_read(const char *text, size_t len, enum json_fault *fault,
			      struct str *reason)
{
	struct json_tokener *tokener = json_tokener_new();
	struct json_object *object = NULL;
	enum json_tokener_error error;

	*fault = JSON_FAULT_OTHER;
	if (!tokener || len > MAX_DOCUMENT) {
		str_add(reason, tokener ? "the document is too large" : "out of memory");
		json_tokener_free(tokener);
		return NULL;
	}
	json_tokener_set_flags(tokener, JSON_TOKENER_STRICT | JSON_TOKENER_VALIDATE_UTF8);
	object = json_tokener_parse_ex(tokener, text, (int)len);
	error = json_tokener_get_error(tokener);
	*fault = fault_of(error);
	if (*fault == JSON_FAULT_TRUNCATED)
		str_add(reason, "the document ends too early");
	else if (*fault != JSON_FAULT_NONE)
		str_addf(reason, "line %zu: %s", line_at(text, json_tokener_get_parse_end(tokener)),
			 json_tokener_error_desc(error));
	json_tokener_free(tokener);
	return object;
}

struct json_object *json_member(struct json_object *object, const char *key)
{
	struct json_object *value;

	if (!json_object_is_type(object, json_type_object) ||
	    !json_object_object_get_ex(object, key, &value))
		return NULL;
	return value;
}

const char *json_member_text(struct json_object *object, const char *key)
{
	struct json_object *value = json_member(object, key);

	return json_object_is_type(value, json_type_string) ? json_object_get_string(value) : NULL;
}

void json_read_finish(struct json_object **object)
{
	json_object_put(*object);
	*object = NULL;
}
