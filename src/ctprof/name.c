// SPDX-License-Identifier: GPL-2.0-only
/* Splits names into tokens, and replaces or keeps them. */
#include "ctprof/name.h"

#include <fnmatch.h>

enum token_kind {
	TOKEN_SEPARATOR,
	TOKEN_LITERAL,
	TOKEN_NUMBER,	   /* 12 */
	TOKEN_HEX,	   /* 3fa9 */
	TOKEN_WORD_NUMBER, /* worker12 */
	TOKEN_NUMBER_WORD, /* 12Hz */
	TOKEN_INSTANCE,	   /* 1001 of user@1001.service */
};

struct token {
	enum token_kind kind;
	const char *text;
	size_t len;
	size_t lead; /* number of bytes before the change between letters and digits */
};

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

static bool is_hex(char c)
{
	return is_digit(c) || (c >= 'a' && c <= 'f');
}

static bool is_letter(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (unsigned char)c >= 0x80;
}

static bool is_separator(char c)
{
	return c && strchr(".-_/:@+[] \t\n\v\f\r", c);
}

static size_t run_length(const char *s, size_t len, bool (*belongs)(char))
{
	size_t n = 0;

	while (n < len && belongs(s[n]))
		n++;
	return n;
}

/* Returns whether all bytes after the first lead ones are of this kind; false if there are none. */
static bool rest_is(const struct token *t, size_t lead, bool (*belongs)(char))
{
	return lead && lead < t->len &&
	       run_length(t->text + lead, t->len - lead, belongs) == t->len - lead;
}

/* The first rule that matches is used. */
static void classify(struct token *t)
{
	size_t digits = run_length(t->text, t->len, is_digit);
	size_t letters = run_length(t->text, t->len, is_letter);
	bool is_all_hex = run_length(t->text, t->len, is_hex) == t->len;

	if (digits == t->len) {
		t->kind = TOKEN_NUMBER;
	} else if (is_all_hex && t->len >= 2 && letters < t->len) {
		t->kind = TOKEN_HEX;
	} else if (rest_is(t, letters, is_digit)) {
		t->kind = TOKEN_WORD_NUMBER;
		t->lead = letters;
	} else if (rest_is(t, digits, is_letter)) {
		t->kind = TOKEN_NUMBER_WORD;
		t->lead = digits;
	} else {
		t->kind = TOKEN_LITERAL;
	}
}

/* Length of ID in "@ID.service" at the end of a path segment; 0 = no match. */
static size_t instance_length(const char *after_at)
{
	static const char suffix[] = ".service";
	size_t len = strcspn(after_at, "._-/");
	const char *end = after_at + len;

	if (!str_starts(end, suffix))
		return 0;
	end += strlen(suffix);
	return *end == '\0' || *end == '/' ? len : 0;
}

struct scanner {
	const char *at;
	bool is_path; /* a cgroup path, which may contain instances */
	bool is_after_at;
};

/* Returns separators one at a time, because an instance may follow each @. */
static bool next_token(struct scanner *s, struct token *t)
{
	*t = (struct token){ .text = s->at, .len = 1 };
	if (!*s->at)
		return false;
	if (s->is_path && s->is_after_at && instance_length(s->at)) {
		t->kind = TOKEN_INSTANCE;
		t->len = instance_length(s->at);
	} else if (is_separator(*s->at)) {
		t->kind = TOKEN_SEPARATOR;
	} else {
		while (t->text[t->len] && !is_separator(t->text[t->len]))
			t->len++;
		classify(t);
	}
	s->is_after_at = *t->text == '@' && t->kind == TOKEN_SEPARATOR;
	s->at += t->len;
	return true;
}

static void add_placeholder(const struct token *t, struct str *out)
{
	switch (t->kind) {
	case TOKEN_SEPARATOR:
	case TOKEN_LITERAL:
		str_addn(out, t->text, t->len);
		break;
	case TOKEN_NUMBER:
		str_addn(out, "{N}", 3);
		break;
	case TOKEN_HEX:
		str_addn(out, "{H}", 3);
		break;
	case TOKEN_WORD_NUMBER:
		str_addn(out, t->text, t->lead);
		str_addn(out, "{N}", 3);
		break;
	case TOKEN_NUMBER_WORD:
		str_addn(out, "{N}", 3);
		str_addn(out, t->text + t->lead, t->len - t->lead);
		break;
	case TOKEN_INSTANCE:
		str_addn(out, "{I}", 3);
		break;
	}
}

static void add_skeleton(struct scanner s, struct str *out)
{
	struct token t;

	while (next_token(&s, &t))
		add_placeholder(&t, out);
}

void name_skeleton(const char *name, struct str *out)
{
	add_skeleton((struct scanner){ .at = name }, out);
}

void cgroup_skeleton(const char *path, struct str *out)
{
	add_skeleton((struct scanner){ .at = path, .is_path = true }, out);
}

bool cgroup_flatten(const char *path, const char *const *globs, size_t count, struct str *out)
{
	for (size_t i = 0; i < count; i++)
		if (fnmatch(globs[i], path, FNM_NOESCAPE) == 0) {
			str_add(out, globs[i]);
			return true;
		}
	str_add(out, path);
	return false;
}

/* The ] that ends the set whose text starts at p, or NULL. */
static const char *set_end(const char *p)
{
	p += *p == '!' || *p == '^';
	p += *p == ']'; /* literal as the first character */
	while (*p && *p != ']') {
		const char *class_end = p[0] == '[' && p[1] == ':' ? strstr(p + 2, ":]") : NULL;

		p = class_end ? class_end + 2 : p + 1;
	}
	return *p ? p : NULL;
}

int cgroup_glob_check(const char *glob)
{
	const char *p = glob;

	if (!*glob)
		return err_set(EINVAL, "invalid cgroup glob '': it is empty");
	while ((p = strchr(p, '['))) {
		p = set_end(p + 1);
		if (!p)
			return err_set(EINVAL, "invalid cgroup glob '%s': a '[' has no ']'", glob);
	}
	return 0;
}

static int tightener_start(struct name_tightener *t, const char *path)
{
	struct scanner s = { .at = path, .is_path = true };
	struct token token;

	t->first = strdup(path);
	if (!t->first)
		return err_no_memory();
	while (next_token(&s, &token)) {
		int rc = vec_grow((void **)&t->differs, &t->cap, t->count + 1, sizeof(*t->differs));

		if (rc < 0)
			return rc;
		t->differs[t->count++] = false;
	}
	return 0;
}

int name_tightener_add(struct name_tightener *t, const char *path)
{
	struct scanner own = { .at = t->first, .is_path = true };
	struct scanner other = { .at = path, .is_path = true };
	struct token a, b;
	bool is_more = true;

	if (!t->first)
		return tightener_start(t, path);
	if (str_eq(t->first, path))
		return 0;
	for (size_t i = 0; i < t->count && next_token(&own, &a); i++) {
		is_more = is_more && next_token(&other, &b);
		if (!is_more || a.len != b.len || memcmp(a.text, b.text, a.len) != 0)
			t->differs[i] = true;
	}
	return 0;
}

void name_tightener_text(const struct name_tightener *t, struct str *out)
{
	struct scanner s = { .at = t->first, .is_path = true };
	struct token token;

	for (size_t i = 0; i < t->count && next_token(&s, &token); i++)
		if (t->differs[i])
			add_placeholder(&token, out);
		else
			str_addn(out, token.text, token.len);
}

void name_tightener_finish(struct name_tightener *t)
{
	free(t->first);
	free(t->differs);
	*t = (struct name_tightener){};
}

void name_add_printable(struct str *out, const char *name)
{
	text_add_printable(out, *name ? name : "\"\"");
}
