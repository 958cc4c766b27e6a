/*
 * Small JSON documents of others, read with json-c. Its header and our writer's
 * (base/json.h) cannot be included in one file: both have a json_bool.
 */
#ifndef KTSTR_KERNEL_JSON_READ_H
#define KTSTR_KERNEL_JSON_READ_H

#include <stddef.h>

#include "base/cleanup.h"
#include "base/str.h"

struct json_object;

enum json_fault { JSON_FAULT_NONE, JSON_FAULT_TRUNCATED, JSON_FAULT_MALFORMED, JSON_FAULT_OTHER };

/* The document, or NULL with the fault and, appended to reason, what is wrong and where. */
struct json_object *json_read(const char *text, size_t len, enum json_fault *fault,
			      struct str *reason);

/* The member of an object, or NULL; of something that is no object always NULL. */
struct json_object *json_member(struct json_object *object, const char *key);

/* A member that is a string, or NULL. */
const char *json_member_text(struct json_object *object, const char *key);

void json_read_finish(struct json_object **object);

#define _json_object_ _cleanup_(json_read_finish)

#endif
