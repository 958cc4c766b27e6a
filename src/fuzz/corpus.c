// SPDX-License-Identifier: GPL-2.0-only
/* A directory of inputs: in-HASH.yaml, and fail-HASH.yaml with the signature in its first line. */
#include "base/hash.h"
#include "fuzz/fuzz.h"

#define INPUT "in-"
#define FAILURE "fail-"
#define SUFFIX ".yaml"
#define MAX_FILE 16384
#define SIGNATURE_LINE "# fails: "

static bool is_named(const char *name, const char *prefix)
{
	size_t len = strlen(name);

	return str_starts(name, prefix) && len > strlen(SUFFIX) &&
	       str_eq(name + len - strlen(SUFFIX), SUFFIX);
}

static int read_small(const char *path, struct str *text)
{
	struct stat st;
	int rc;

	if (lstat(path, &st) < 0)
		return err_sys(errno, "read %s", path);
	if (!S_ISREG(st.st_mode) || st.st_size > MAX_FILE)
		return err_set(EINVAL, "%s: not a file of at most %d bytes", path, MAX_FILE);
	rc = file_read_regular(path, text);
	if (rc == 0 && text->len != strlen(str_get(text)))
		rc = -EINVAL;
	return rc < 0 ? err_set(-rc, "%s: cannot be read as text", path) : 0;
}

static int read_failure(struct fuzz_corpus *c, const char *path, const char *text)
{
	_free_ char *line = strndup(text, strcspn(text, "\n"));

	if (!line)
		return err_no_memory();
	if (!str_starts(line, SIGNATURE_LINE))
		return err_set(EINVAL, "%s: has no signature", path);
	return texts_add_once(&c->known, line + strlen(SIGNATURE_LINE));
}

static const char *last_name(const struct fuzz_corpus *c)
{
	return c->names.items[c->names.count - 1];
}

/* The entry's name is the last one of the list. */
static int read_input(struct fuzz_corpus *c, const char *path, const char *text)
{
	struct fuzz_entry e = { .name = last_name(c) };
	int rc = fuzz_input_parse(path, text, &e.input);

	return rc < 0 ? rc : vec_push(&c->entries, e);
}

static int read_entry(struct fuzz_corpus *c, const char *name)
{
	_free_ char *path = str_fmt("%s/%s", c->dir, name);
	_str_ struct str text = {};
	int rc = path ? read_small(path, &text) : err_no_memory();

	if (rc < 0)
		return rc;
	return str_starts(name, INPUT) ? read_input(c, path, str_get(&text)) :
					 read_failure(c, path, str_get(&text));
}

static bool is_ours(const char *name)
{
	return is_named(name, INPUT) || is_named(name, FAILURE);
}

static int read_new(struct fuzz_corpus *c, const char *name)
{
	int rc;

	if (!is_ours(name) || texts_has(&c->names, name))
		return 0;
	rc = texts_add(&c->names, name);
	if (rc == 0)
		rc = read_entry(c, name);
	/* -ENOENT: another process that shares the corpus has removed the file. */
	if (rc != -EINVAL && rc != -ENOENT)
		return rc;
	log_note("warning: %s", err_text(rc));
	err_clear();
	return 0;
}

int fuzz_corpus_read(struct fuzz_corpus *c)
{
	struct dirent **names;
	int rc = 0, count = scandir(c->dir, &names, NULL, alphasort);

	if (count < 0)
		return err_sys(errno, "read directory %s", c->dir);
	for (int i = 0; i < count; i++) {
		rc = rc ?: read_new(c, names[i]->d_name);
		free(names[i]);
	}
	free(names);
	return rc;
}

int fuzz_corpus_open(struct fuzz_corpus *c, const char *dir)
{
	int rc = file_make_dirs(dir, 0755);

	c->dir = dir;
	return rc ?: fuzz_corpus_read(c);
}

static int write_entry(struct fuzz_corpus *c, const char *prefix, const struct str *text)
{
	_free_ char *name =
		str_fmt("%s%016llx" SUFFIX, prefix,
			ULL(siphash(str_get(text), text->len, (struct siphash_key){}, 2, 4)));
	_free_ char *path = name ? str_fmt("%s/%s", c->dir, name) : NULL;
	int rc = str_check(text);

	if (rc == 0)
		rc = path ? texts_add(&c->names, name) : err_no_memory();
	return rc < 0 ? rc : file_replace(path, text->s, text->len, 0644);
}

int fuzz_corpus_add(struct fuzz_corpus *c, const struct fuzz_input *in,
		    const uint64_t own[FUZZ_OWN])
{
	struct fuzz_entry e = { .input = *in, .is_run = true };
	_str_ struct str text = {};
	int rc;

	fuzz_input_add_yaml(in, &text);
	rc = write_entry(c, INPUT, &text);
	if (rc < 0)
		return rc;
	e.name = last_name(c);
	memcpy(e.own, own, sizeof(e.own));
	return vec_push(&c->entries, e);
}

static int compare(const void *a, const void *b)
{
	const struct fuzz_input *x = &((const struct fuzz_entry *)a)->input;
	const struct fuzz_input *y = &((const struct fuzz_entry *)b)->input;
	unsigned int x_ms = fuzz_input_ms(x), y_ms = fuzz_input_ms(y);

	if (x_ms != y_ms)
		return x_ms < y_ms ? -1 : 1;
	if (x->count != y->count)
		return x->count < y->count ? -1 : 1;
	return strcmp(((const struct fuzz_entry *)a)->name, ((const struct fuzz_entry *)b)->name);
}

void fuzz_corpus_sort(struct fuzz_corpus *c)
{
	if (c->entries.count)
		qsort(c->entries.items, c->entries.count, sizeof(c->entries.items[0]), compare);
}

int fuzz_corpus_remove(const struct fuzz_corpus *c, const struct fuzz_entry *e)
{
	_free_ char *path = str_fmt("%s/%s", c->dir, e->name);

	if (!path)
		return err_no_memory();
	/* Another process may have been quicker. */
	return unlink(path) < 0 && errno != ENOENT ? err_sys(errno, "remove %s", path) : 0;
}

int fuzz_corpus_add_failure(struct fuzz_corpus *c, const struct fuzz_input *in,
			    const char *signature)
{
	_str_ struct str text = {};

	str_addf(&text, SIGNATURE_LINE "%s\n", signature);
	fuzz_input_add_yaml(in, &text);
	return write_entry(c, FAILURE, &text);
}

void fuzz_corpus_finish(struct fuzz_corpus *c)
{
	free(c->entries.items);
	texts_finish(&c->known);
	texts_finish(&c->names);
	*c = (struct fuzz_corpus){};
}
