// SPDX-License-Identifier: GPL-2.0-only
/* Values of BPF programs on one line. */
#include "watch/parts.h"

#define BRIEF_HEX 32 /* digits */
#define BRIEF_TEXT 400

void dump_add_string(struct str *out, const char *s)
{
	_str_ struct str bytes = {};

	str_add(&bytes, s ? s : "?");
	if (bytes.s)
		bytes.len = json_restore_bytes(bytes.s, bytes.len);
	text_add_printable(out, str_get(&bytes));
}

void dump_add_plain(const struct json_node *node, struct str *out)
{
	const struct json_value *v = &node->value;

	if (v->kind == JSON_STRING)
		dump_add_string(out, v->s);
	else if (v->kind == JSON_TRUE || v->kind == JSON_FALSE)
		str_add(out, v->kind == JSON_TRUE ? "true" : "false");
	else if (v->kind == JSON_UNSIGNED)
		str_addf(out, "%" PRIu64, v->u);
	else if (v->kind == JSON_NEGATIVE)
		str_addf(out, "%" PRId64, v->i);
	else if (v->kind == JSON_UNFIT)
		str_addn(out, v->s, v->len);
	else
		str_addc(out, '?');
}

bool dump_is_zero(const struct json_node *value)
{
	const struct json_node *plain = json_get(value, "value"), *m;
	const char *hex = json_get_text(value, "hex");

	if (plain)
		return plain->value.kind == JSON_FALSE ||
		       (plain->value.kind == JSON_UNSIGNED && !plain->value.u);
	if (hex)
		return !hex[strspn(hex, "0")];
	for (m = json_get_first(value, "members"); m; m = m->next)
		if (!dump_is_zero(json_get(m, "value")))
			return false;
	for (m = json_get_first(value, "elements"); m; m = m->next)
		if (!dump_is_zero(m))
			return false;
	return json_get(value, "members") || json_get(value, "elements");
}

struct line {
	struct str *out;
	size_t limit; /* for the length of out */
};

static void add_value(struct line *l, const struct json_node *value);

static void add_bytes(struct line *l, const struct json_node *value, const char *hex)
{
	const char *text = json_get_text(value, "text");
	size_t digits = strspn(hex, "0123456789abcdef"); /* the dump may be from anywhere */
	bool is_brief = l->limit != SIZE_MAX && digits > BRIEF_HEX;

	if (text) {
		_str_ struct str shown = {};

		str_addn(&shown, text, is_brief ? strnlen(text, BRIEF_TEXT) : strlen(text));
		str_addc(l->out, '"');
		dump_add_string(l->out, str_get(&shown));
		str_addc(l->out, '"');
		return;
	}
	str_add(l->out, "0x");
	str_addn(l->out, hex, is_brief ? BRIEF_HEX : digits);
	if (is_brief)
		str_addf(l->out, "... (%zu bytes)", digits / 2);
}

/* Members with their names, elements with their indices; zero ones are omitted. */
static void add_parts(struct line *l, const struct json_node *first, bool has_names)
{
	size_t index = 0, begin = l->out->len + 1;

	str_addc(l->out, '{');
	for (const struct json_node *n = first; n; n = n->next, index++) {
		const struct json_node *value = has_names ? json_get(n, "value") : n;
		const char *name = has_names ? json_get_text(n, "name") : NULL;

		if (l->out->len >= l->limit) {
			str_add(l->out, " ...");
			break;
		}
		if (dump_is_zero(value))
			continue;
		if (l->out->len != begin)
			str_addc(l->out, ' ');
		if (!has_names)
			str_addf(l->out, "[%zu]=", index);
		else if (name && *name) {
			dump_add_string(l->out, name);
			str_addc(l->out, '=');
		}
		add_value(l, value);
	}
	str_addc(l->out, '}');
}

/* Appends 0xADDR (cast→arena) → type: {...}, or why it was not followed. */
static void add_pointer(struct line *l, const struct json_node *value, uint64_t address)
{
	const struct json_node *target = json_get(value, "deref");
	const char *annotation = json_get_text(value, "cast_annotation");
	const char *reason = json_get_text(value, "deref_skipped_reason");
	const char *type = json_get_text(target, "type_name");

	str_addf(l->out, "0x%" PRIx64, address);
	if (annotation) {
		str_add(l->out, " (");
		dump_add_string(l->out, annotation);
		str_addc(l->out, ')');
	}
	if (json_get(target, "kind")) {
		str_add(l->out, " → ");
		if (type && *type) {
			dump_add_string(l->out, type);
			str_add(l->out, ": ");
		}
		add_value(l, target);
	} else if (reason && address) {
		str_add(l->out, " [chase: ");
		dump_add_string(l->out, reason);
		str_addc(l->out, ']');
	}
}

static bool is_pointer(const struct json_node *value, uint64_t *address)
{
	const char *kind = json_get_text(value, "kind");

	return kind && str_eq(kind, "ptr") && json_get_u64(value, "value", address);
}

static void add_value(struct line *l, const struct json_node *value)
{
	const struct json_node *plain = json_get(value, "value");
	const char *hex = json_get_text(value, "hex"), *variant = json_get_text(value, "variant");
	const char *reason = json_get_text(value, "reason");
	uint64_t address;

	if (hex)
		add_bytes(l, value, hex);
	else if (json_get(value, "members"))
		add_parts(l, json_get_first(value, "members"), true);
	else if (json_get(value, "elements"))
		add_parts(l, json_get_first(value, "elements"), false);
	else if (variant || reason)
		dump_add_string(l->out, variant ? variant : reason);
	else if (is_pointer(value, &address))
		add_pointer(l, value, address);
	else if (plain)
		dump_add_plain(plain, l->out);
	else
		str_addc(l->out, '?');
}

void dump_add_value(const struct json_node *value, size_t columns, struct str *out)
{
	struct line l = { out, columns > SIZE_MAX - out->len ? SIZE_MAX : out->len + columns };

	add_value(&l, value);
}
