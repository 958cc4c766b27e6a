// SPDX-License-Identifier: GPL-2.0-only
/* Reads dependency files, as written by compilers with -MD. */
#include <ftw.h>

#include "delta/affected.h"

void dependencies_finish(struct dependencies *d)
{
	vec_release(&d->items, each, free(each->target), free(each->source));
	*d = (struct dependencies){};
}

/* "build/obj/scx_my.bpf.o" belongs to scx_my. */
static char *stem_of(const char *path)
{
	const char *name = basename(path);

	return strndup(name, strcspn(name, "."));
}

static char *from_top(const char *path, const char *top)
{
	size_t len = strlen(top);

	if (str_starts(path, top) && path[len] == '/')
		path += len + 1;
	while (str_starts(path, "./"))
		path += 2;
	return strdup(path);
}

static int add(struct dependencies *d, const char *target, const char *source, const char *top)
{
	struct dependency item = { .target = strdup(target), .source = from_top(source, top) };
	int rc = item.target && item.source ? vec_push(&d->items, item) : err_no_memory();

	if (rc < 0) {
		free(item.target);
		free(item.source);
	}
	return rc;
}

/*
 * The next word of a rule; "\" before a newline continues it, before a blank it escapes the
 * blank.
 */
static bool next_word(const char **text, struct str *word, bool *is_new_rule)
{
	const char *p = *text;

	str_reset(word);
	for (; *p; p++) {
		if (*p == '\\' && p[1] == '\n') {
			p++;
			if (word->len) {
				p++;
				break;
			}
		} else if (*p == '\\' && p[1]) {
			str_addc(word, *++p);
		} else if (*p == '\n' && !word->len) {
			*is_new_rule = true;
		} else if (strchr(" \t\n", *p)) {
			if (word->len)
				break;
		} else {
			str_addc(word, *p);
		}
	}
	*text = p;
	return word->len > 0;
}

int dependencies_parse(struct dependencies *d, const char *text, const char *top)
{
	_str_ struct str word = {};
	_free_ char *target = NULL;
	bool is_new_rule = true;
	int rc = 0;

	while (rc == 0 && next_word(&text, &word, &is_new_rule)) {
		size_t len = word.len;

		if (is_new_rule) {
			free(target);
			target = NULL;
			is_new_rule = false;
		}
		if (!target && word.s[len - 1] == ':') {
			word.s[len - 1] = '\0';
			target = stem_of(word.s);
			rc = target ? 0 : err_no_memory();
		} else if (target) {
			rc = add(d, target, word.s, top);
		}
	}
	return rc ?: str_check(&word);
}

/* Global because nftw() takes no context. */
static struct texts *found;

static int on_file(const char *path, const struct stat *st _unused_, int kind, struct FTW *ftw)
{
	size_t len = strlen(path);

	if (kind == FTW_D && ftw->level && str_eq(path + ftw->base, ".git"))
		return FTW_SKIP_SUBTREE;
	if (kind != FTW_F || len < 3 || !str_eq(path + len - 2, ".d"))
		return FTW_CONTINUE;
	return texts_add(found, path) < 0 ? FTW_STOP : FTW_CONTINUE;
}

int dependencies_find(struct dependencies *d, const char *top)
{
	_texts_ struct texts files = {};
	int rc;

	found = &files;
	rc = nftw(top, on_file, 32, FTW_PHYS | FTW_ACTIONRETVAL);
	found = NULL;
	if (rc != 0)
		return err_sys(errno, "look for dependency files in %s", top);
	for (size_t i = 0; i < files.count && rc == 0; i++) {
		_str_ struct str text = {};

		rc = file_read(files.items[i], &text) ?: dependencies_parse(d, str_get(&text), top);
	}
	return rc;
}
