// SPDX-License-Identifier: GPL-2.0-only
/* Recursive-descent parser that builds an array of nodes, and their evaluation. */
#include "run/parts.h"

#include <fnmatch.h>

#include "base/pattern.h"

#define MAX_NESTING 200
#define NO_NODE SIZE_MAX
#define SHOWN_BYTES 100 /* on either side of an error, to limit messages */

enum node_kind { NODE_ALL, NODE_NONE, NODE_TEST, NODE_BINARY, NODE_NOT, NODE_AND, NODE_OR };

enum matcher_kind { MATCH_CONTAINS, MATCH_IS, MATCH_REGEX, MATCH_GLOB };

struct filter_node {
	enum node_kind kind;
	size_t left, right; /* operands of NOT (left only), AND, OR */
	enum matcher_kind matcher;
	char *text;
	regex_t regex;
	bool value; /* result for the current subject */
};

struct parser {
	struct filter *filter;
	const char *text;
	const char *at;
	unsigned int nesting;
	int rc; /* first error; parsing stops there */
};

/* Appends a part of the expression, with unprintable characters escaped. */
static void add_part(struct str *out, const char *from, const char *end)
{
	_free_ char *part = strndup(from, (size_t)(end - from));

	text_add_printable(out, part ? part : "");
}

/* Sets the error: `what`, the expression around `place`, and a mark below it. */
static size_t fail_at(struct parser *p, const char *place, const char *what)
{
	const char *end = place + strlen(place), *from = p->text;
	_str_ struct str shown = {}, mark = {};

	if (p->rc < 0)
		return NO_NODE;
	if (place - from > SHOWN_BYTES) {
		from = place - SHOWN_BYTES;
		str_add(&shown, "...");
	}
	add_part(&shown, from, place);
	str_repeat(&mark, ' ', text_width(str_get(&shown)));
	add_part(&shown, place, MIN(end, place + SHOWN_BYTES));
	if (end - place > SHOWN_BYTES)
		str_add(&shown, "...");
	p->rc = err_set(EINVAL, "filter expression: %s\n  %s\n  %s^", what, str_get(&shown),
			str_get(&mark));
	return NO_NODE;
}

static size_t fail(struct parser *p, const char *what)
{
	return fail_at(p, p->at, what);
}

static void skip_blanks(struct parser *p)
{
	while (isspace((unsigned char)*p->at))
		p->at++;
}

static size_t add_node(struct parser *p, const struct filter_node *node)
{
	int rc = vec_grow((void **)&p->filter->nodes, &p->filter->cap, p->filter->count + 1,
			  sizeof(*node));

	if (rc < 0) {
		p->rc = rc;
		return NO_NODE;
	}
	p->filter->nodes[p->filter->count] = *node;
	return p->filter->count++;
}

static bool is_word(char c)
{
	return isalnum((unsigned char)c) || c == '_';
}

/* Accepts an operator that is a word; the next character must not continue the word. */
static bool take_word(struct parser *p, const char *word)
{
	size_t len = strlen(word);

	skip_blanks(p);
	if (strncmp(p->at, word, len) != 0 || is_word(p->at[len]))
		return false;
	p->at += len;
	return true;
}

static bool take_char(struct parser *p, char c)
{
	skip_blanks(p);
	if (*p->at != c)
		return false;
	p->at++;
	return true;
}

/* Reads up to the closing parenthesis; a backslash escapes the next character. */
static char *read_text(struct parser *p)
{
	_str_ struct str text = {};

	while (*p->at && *p->at != ')') {
		if (*p->at == '\\' && p->at[1])
			p->at++;
		str_addc(&text, *p->at++);
	}
	str_trim_end(&text);
	if (str_check(&text) < 0)
		return NULL;
	return text.s ? str_take(&text) : strdup("");
}

/* Reads up to the closing slash. Only \/ is unescaped here; other escapes are left to the regex. */
static char *read_regex(struct parser *p)
{
	_str_ struct str text = {};

	while (*p->at && *p->at != '/') {
		if (*p->at == '\\' && p->at[1]) {
			if (p->at[1] != '/')
				str_addc(&text, '\\');
			p->at++;
		}
		str_addc(&text, *p->at++);
	}
	if (str_check(&text) < 0)
		return NULL;
	return text.s ? str_take(&text) : strdup("");
}

static int compile_regex(struct parser *p, struct filter_node *node, const char *place)
{
	char why[PATTERN_WHY], message[192];

	if (pattern_compile(&node->regex, node->text, why) == 0)
		return 0;
	snprintf(message, sizeof(message), "this is not a regular expression: %s", why);
	fail_at(p, place, message);
	return p->rc;
}

static const struct {
	char sign;
	enum matcher_kind kind;
} matchers[] = {
	{ '=', MATCH_IS },
	{ '~', MATCH_CONTAINS },
	{ '/', MATCH_REGEX },
	{ '#', MATCH_GLOB },
};

static enum matcher_kind read_matcher_kind(struct parser *p)
{
	for (size_t i = 0; i < ARRAY_SIZE(matchers); i++)
		if (take_char(p, matchers[i].sign))
			return matchers[i].kind;
	return MATCH_CONTAINS;
}

static size_t read_matcher(struct parser *p, enum node_kind kind)
{
	struct filter_node node = { .kind = kind };
	const char *place;
	size_t added;

	node.matcher = read_matcher_kind(p);
	if (node.matcher != MATCH_REGEX)
		skip_blanks(p);
	place = p->at;
	node.text = node.matcher == MATCH_REGEX ? read_regex(p) : read_text(p);
	if (!node.text) {
		p->rc = err_no_memory();
		return NO_NODE;
	}
	if (!*node.text) {
		free(node.text);
		return fail_at(p, place, "expected a name or part of one");
	}
	if (node.matcher == MATCH_REGEX && !take_char(p, '/'))
		fail(p, "expected '/' at the end of the regular expression");
	if (p->rc == 0 && !take_char(p, ')'))
		fail(p, "expected ')'");
	if (p->rc == 0 && node.matcher == MATCH_REGEX)
		compile_regex(p, &node, place);
	added = p->rc == 0 ? add_node(p, &node) : NO_NODE;
	if (added == NO_NODE)
		free(node.text); /* leaks a compiled regex, but only if out of memory */
	return added;
}

static const struct {
	const char *name;
	enum node_kind kind;
	bool takes_matcher;
} predicates[] = {
	{ "test", NODE_TEST, true },
	{ "binary", NODE_BINARY, true },
	{ "all", NODE_ALL, false },
	{ "none", NODE_NONE, false },
};

static size_t read_predicate(struct parser *p)
{
	const char *place;
	size_t len = 0;

	skip_blanks(p);
	place = p->at;
	if (!*place)
		return fail(p, "expected a predicate such as test(NAME), the expression ends here");
	while (is_word(place[len]))
		len++;
	for (size_t i = 0; i < ARRAY_SIZE(predicates); i++) {
		if (strlen(predicates[i].name) != len ||
		    strncmp(predicates[i].name, place, len) != 0)
			continue;
		p->at += len;
		if (!take_char(p, '('))
			return fail(p, "expected '('");
		if (predicates[i].takes_matcher)
			return read_matcher(p, predicates[i].kind);
		if (!take_char(p, ')'))
			return fail(p, "expected ')': this one takes no name");
		return add_node(p, &(struct filter_node){ .kind = predicates[i].kind });
	}
	return fail(p, "expected test(NAME), binary(NAME), all(), none(), 'not' or '('");
}

static size_t read_expression(struct parser *p);

static size_t read_brackets(struct parser *p)
{
	size_t inner = read_expression(p);

	if (p->rc == 0 && !take_char(p, ')'))
		return fail(p, "expected ')' or an operator");
	return inner;
}

static size_t read_factor(struct parser *p)
{
	struct filter_node node = { .kind = NODE_NOT };
	size_t read;

	if (++p->nesting > MAX_NESTING)
		return fail(p, "nested too deeply");
	if (take_word(p, "not") || take_char(p, '!')) {
		node.left = read_factor(p);
		read = p->rc == 0 ? add_node(p, &node) : NO_NODE;
	} else if (take_char(p, '(')) {
		read = read_brackets(p);
	} else {
		read = read_predicate(p);
	}
	p->nesting--;
	return read;
}

/* Second operand of "a - b", which means "a and not b". */
static size_t negated(struct parser *p, size_t node)
{
	if (p->rc < 0)
		return NO_NODE;
	return add_node(p, &(struct filter_node){ .kind = NODE_NOT, .left = node });
}

static size_t read_term(struct parser *p)
{
	size_t left = read_factor(p);

	while (p->rc == 0) {
		struct filter_node node = { .kind = NODE_AND, .left = left };

		if (take_char(p, '-'))
			node.right = negated(p, read_factor(p));
		else if (take_word(p, "and") || take_char(p, '&'))
			node.right = read_factor(p);
		else
			break;
		left = p->rc == 0 ? add_node(p, &node) : NO_NODE;
	}
	return left;
}

static size_t read_expression(struct parser *p)
{
	size_t left = read_term(p);

	while (p->rc == 0 && (take_word(p, "or") || take_char(p, '|') || take_char(p, '+'))) {
		struct filter_node node = { .kind = NODE_OR, .left = left };

		node.right = read_term(p);
		left = p->rc == 0 ? add_node(p, &node) : NO_NODE;
	}
	return left;
}

int filter_add(struct filter *f, const char *expression)
{
	struct parser p = { .filter = f, .text = expression, .at = expression };
	size_t root = read_expression(&p);
	int rc;

	skip_blanks(&p);
	if (p.rc == 0 && *p.at)
		fail(&p, "expected 'and', 'or', '-' or the end");
	if (p.rc < 0)
		return p.rc;
	rc = vec_grow((void **)&f->roots, &f->root_cap, f->root_count + 1, sizeof(*f->roots));
	if (rc == 0)
		f->roots[f->root_count++] = root;
	return rc;
}

static bool matches_text(const struct filter_node *n, const char *subject)
{
	switch (n->matcher) {
	case MATCH_CONTAINS:
		return strstr(subject, n->text);
	case MATCH_IS:
		return str_eq(subject, n->text);
	case MATCH_GLOB:
		return fnmatch(n->text, subject, 0) == 0;
	case MATCH_REGEX:
		return regexec(&n->regex, subject, 0, NULL, 0) == 0;
	}
	return false;
}

/* Matches also the name without prefix: "steady" matches ktstr/steady. */
static bool matches_test(const struct filter_node *n, const char *name)
{
	static const char prefix[] = "ktstr/";

	return matches_text(n, name) ||
	       (str_starts(name, prefix) && matches_text(n, name + sizeof(prefix) - 1));
}

/* Operands precede their node in the array, so one pass suffices and needs no recursion. */
static bool node_matches(const struct filter *f, const struct filter_node *n,
			 const struct filter_subject *s)
{
	switch (n->kind) {
	case NODE_ALL:
		return true;
	case NODE_NONE:
		return false;
	case NODE_TEST:
		return matches_test(n, s->test);
	case NODE_BINARY:
		return matches_text(n, s->binary) || matches_text(n, s->binary_id);
	case NODE_NOT:
		return !f->nodes[n->left].value;
	case NODE_AND:
		return f->nodes[n->left].value && f->nodes[n->right].value;
	case NODE_OR:
		return f->nodes[n->left].value || f->nodes[n->right].value;
	}
	return false;
}

/* Appends " and binary(=NAME)"; escapes every character, so that the name is matched literally. */
static void add_exact(struct str *out, const char *predicate, const char *text)
{
	str_addf(out, "%s%s(=", out->len ? " and " : "", predicate);
	for (; *text; text++) {
		str_addc(out, '\\');
		str_addc(out, *text);
	}
	str_addc(out, ')');
}

int filter_add_exact(struct filter *f, const char *test, const char *binary)
{
	_str_ struct str expression = {};
	int rc;

	add_exact(&expression, "test", test);
	if (binary)
		add_exact(&expression, "binary", binary);
	rc = str_check(&expression);
	return rc ?: filter_add(f, str_get(&expression));
}

bool filter_matches(struct filter *f, const struct filter_subject *subject)
{
	for (size_t i = 0; i < f->count; i++)
		f->nodes[i].value = node_matches(f, &f->nodes[i], subject);
	for (size_t i = 0; i < f->root_count; i++)
		if (f->nodes[f->roots[i]].value)
			return true;
	return f->root_count == 0;
}

void filter_finish(struct filter *f)
{
	for (size_t i = 0; i < f->count; i++) {
		if (f->nodes[i].matcher == MATCH_REGEX)
			regfree(&f->nodes[i].regex);
		free(f->nodes[i].text);
	}
	free(f->nodes);
	free(f->roots);
	*f = (struct filter){};
}
