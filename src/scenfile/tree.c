// SPDX-License-Identifier: GPL-2.0-only
/* Builds a tree from libyaml's events. */
#include "scenfile/fields.h"

#include <yaml.h>

#define MAX_DEPTH 24

struct builder {
	const char *name;
	yaml_parser_t yaml;
	struct arena *arena;
	unsigned int depth;
};

const char *tree_kind_name(enum tree_kind kind)
{
	static const char *const names[] = {
		[TREE_SCALAR] = "a value", [TREE_LIST] = "a list", [TREE_MAP] = "a map"
	};

	return names[kind];
}

static void builder_finish(struct builder *b)
{
	yaml_parser_delete(&b->yaml);
}

static int malformed(const struct builder *b)
{
	const yaml_parser_t *y = &b->yaml;
	size_t line = y->problem_mark.line + 1;

	if (y->error == YAML_MEMORY_ERROR)
		return err_no_memory();
	if (y->error == YAML_READER_ERROR)
		return err_set(EINVAL, "%s: byte %zu: %s", b->name, y->problem_offset, y->problem);
	return err_set(EINVAL, "%s:%zu: %s%s%s", b->name, line, y->problem, y->context ? " " : "",
		       y->context ? y->context : "");
}

static int next_event(struct builder *b, yaml_event_t *event)
{
	return yaml_parser_parse(&b->yaml, event) ? 0 : malformed(b);
}

static unsigned int line_of(const yaml_event_t *event)
{
	return (unsigned int)event->start_mark.line + 1;
}

static int refuse(const struct builder *b, const yaml_event_t *event, const char *what)
{
	return err_set(EINVAL, "%s:%u: %s", b->name, line_of(event), what);
}

static int copy_scalar(const struct builder *b, const yaml_event_t *event, const char **text)
{
	const char *value = (const char *)event->data.scalar.value;
	size_t len = event->data.scalar.length;

	if (memchr(value, '\0', len))
		return refuse(b, event, "a NUL has no place in a scenario");
	*text = arena_copy(b->arena, value, len);
	return *text ? 0 : err_no_memory();
}

/* Returns the anchor and the tag of an event. */
static void decorations(const yaml_event_t *event, const yaml_char_t **anchor,
			const yaml_char_t **tag)
{
	*anchor = *tag = NULL;
	if (event->type == YAML_SCALAR_EVENT) {
		*anchor = event->data.scalar.anchor;
		*tag = event->data.scalar.tag;
	} else if (event->type == YAML_SEQUENCE_START_EVENT) {
		*anchor = event->data.sequence_start.anchor;
		*tag = event->data.sequence_start.tag;
	} else if (event->type == YAML_MAPPING_START_EVENT) {
		*anchor = event->data.mapping_start.anchor;
		*tag = event->data.mapping_start.tag;
	}
}

static int check_plain(const struct builder *b, const yaml_event_t *event)
{
	const yaml_char_t *anchor, *tag;

	decorations(event, &anchor, &tag);
	if (anchor || event->type == YAML_ALIAS_EVENT)
		return refuse(b, event, "anchors and aliases are not understood; repeat the text");
	if (tag)
		return refuse(b, event, "tags are not understood; leave out what follows the '!'");
	return 0;
}

static int build_node(struct builder *b, yaml_event_t *event, struct tree_node *node);

static int append(struct builder *b, struct tree_node *parent, struct tree_node ***tail,
		  struct tree_node **out)
{
	struct tree_node *node = arena_alloc(b->arena, sizeof(*node));

	if (!node)
		return err_no_memory();
	parent->count++;
	**tail = node;
	*tail = &node->next;
	*out = node;
	return 0;
}

static bool has_key(const struct tree_node *map, const struct tree_node *member)
{
	for (const struct tree_node *m = map->first; m && m != member; m = m->next)
		if (str_eq(m->key, member->key))
			return true;
	return false;
}

static int read_key(struct builder *b, const yaml_event_t *event, const struct tree_node *map,
		    struct tree_node *member)
{
	int rc = check_plain(b, event);

	if (rc < 0)
		return rc;
	if (event->type != YAML_SCALAR_EVENT)
		return refuse(b, event, "a key must be a word");
	rc = copy_scalar(b, event, &member->key);
	if (rc < 0)
		return rc;
	member->line = line_of(event);
	if (has_key(map, member))
		return err_set(EINVAL, "%s:%u: key '%s' is given twice", b->name, member->line,
			       member->key);
	return 0;
}

/* Adds the children up to the end of the current list or map. */
static int build_children(struct builder *b, struct tree_node *parent, yaml_event_type_t end)
{
	struct tree_node **tail = &parent->first;
	bool is_map = parent->kind == TREE_MAP;
	int rc;

	for (;;) {
		_cleanup_(yaml_event_delete) yaml_event_t event = {}, value = {};
		struct tree_node *node;

		rc = next_event(b, &event);
		if (rc < 0 || event.type == end)
			return rc;
		rc = append(b, parent, &tail, &node);
		if (rc == 0 && is_map)
			rc = read_key(b, &event, parent, node);
		if (rc == 0 && is_map)
			rc = next_event(b, &value);
		rc = rc ?: build_node(b, is_map ? &value : &event, node);
		if (rc < 0)
			return rc;
	}
}

static int build_nested(struct builder *b, yaml_event_t *event, struct tree_node *node)
{
	yaml_event_type_t end = node->kind == TREE_MAP ? YAML_MAPPING_END_EVENT :
							 YAML_SEQUENCE_END_EVENT;
	int rc;

	if (b->depth >= MAX_DEPTH)
		return refuse(b, event, "nested too deeply");
	b->depth++;
	rc = build_children(b, node, end);
	b->depth--;
	return rc;
}

static int build_node(struct builder *b, yaml_event_t *event, struct tree_node *node)
{
	int rc = check_plain(b, event);

	if (rc < 0)
		return rc;
	if (!node->key)
		node->line = line_of(event);
	if (event->type == YAML_SCALAR_EVENT) {
		node->kind = TREE_SCALAR;
		return copy_scalar(b, event, &node->text);
	}
	node->kind = event->type == YAML_MAPPING_START_EVENT ? TREE_MAP : TREE_LIST;
	return build_nested(b, event, node);
}

/* Skips the events that open the stream and the document. */
static int first_node_event(struct builder *b, yaml_event_t *event)
{
	for (;;) {
		int rc = next_event(b, event);

		if (rc < 0)
			return rc;
		if (event->type == YAML_STREAM_END_EVENT)
			return err_set(EINVAL, "%s: the file is empty", b->name);
		if (event->type != YAML_STREAM_START_EVENT &&
		    event->type != YAML_DOCUMENT_START_EVENT)
			return 0;
		yaml_event_delete(event);
	}
}

static int expect_end(struct builder *b)
{
	for (;;) {
		_cleanup_(yaml_event_delete) yaml_event_t event = {};
		int rc = next_event(b, &event);

		if (rc < 0 || event.type == YAML_STREAM_END_EVENT)
			return rc;
		if (event.type == YAML_DOCUMENT_START_EVENT)
			return refuse(b, &event, "one file holds one scenario: a second document");
	}
}

int tree_parse(const char *name, const char *text, size_t len, struct arena *arena,
	       struct tree_node **root)
{
	_cleanup_(builder_finish) struct builder b = { .name = name, .arena = arena };
	_cleanup_(yaml_event_delete) yaml_event_t event = {};
	int rc;

	if (!yaml_parser_initialize(&b.yaml))
		return err_no_memory();
	yaml_parser_set_encoding(&b.yaml, YAML_UTF8_ENCODING);
	yaml_parser_set_input_string(&b.yaml, (const unsigned char *)text, len);
	*root = arena_alloc(arena, sizeof(**root));
	if (!*root)
		return err_no_memory();
	rc = first_node_event(&b, &event) ?: build_node(&b, &event, *root);
	return rc ?: expect_end(&b);
}
