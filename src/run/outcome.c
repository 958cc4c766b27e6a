// SPDX-License-Identifier: GPL-2.0-only
/* Outcomes in files, and texts that do not grow without bound. */
#include "run/outcome.h"

#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/err.h"
#include "base/file.h"
#include "base/util.h"

#define MAGIC 0x6b747374724f5554ULL
#define KEPT ((size_t)256 << 10) /* at either end */

int outcome_write(const struct outcome *o, int fd)
{
	_str_ struct str out = {};
	uint64_t magic = MAGIC, len;
	int rc;

	str_addn(&out, &o->facts, sizeof(o->facts));
#define X(name)                                 \
	len = o->name.failed ? 0 : o->name.len; \
	str_addn(&out, &len, sizeof(len));      \
	str_addn(&out, str_get(&o->name), (size_t)len);
	OUTCOME_TEXTS(X)
#undef X
	str_addn(&out, &magic, sizeof(magic));
	rc = str_check(&out);
	if (rc < 0)
		return rc;
	rc = fd_write_all(fd, out.s, out.len);
	return rc < 0 ? err_sys(-rc, "hand on an outcome") : 0;
}

struct cursor {
	const char *at;
	size_t left;
	bool is_short;
};

static void take(struct cursor *c, void *to, size_t len)
{
	if (len > c->left) {
		c->is_short = true;
		return;
	}
	memcpy(to, c->at, len);
	c->at += len;
	c->left -= len;
}

static void take_text(struct cursor *c, struct str *to)
{
	uint64_t len = 0;

	take(c, &len, sizeof(len));
	if (c->is_short || len > c->left) {
		c->is_short = true;
		return;
	}
	str_addn(to, c->at, (size_t)len);
	c->at += len;
	c->left -= (size_t)len;
}

static int read_whole(int fd, struct str *out)
{
	struct stat st;

	if (fstat(fd, &st) < 0)
		return -errno;
	if (st.st_size == 0)
		return 0;
	if (!str_reserve(out, (size_t)st.st_size + 1))
		return -ENOMEM;
	if (pread(fd, out->s, (size_t)st.st_size, 0) != st.st_size)
		return -EIO;
	out->len = (size_t)st.st_size;
	return 0;
}

int outcome_read(struct outcome *o, int fd)
{
	_str_ struct str bytes = {};
	int rc = read_whole(fd, &bytes);
	struct cursor c = { .at = bytes.s, .left = bytes.len };
	uint64_t magic = 0;

	*o = (struct outcome){};
	if (rc < 0)
		return err_sys(-rc, "read an outcome");
	take(&c, &o->facts, sizeof(o->facts));
#define X(name) take_text(&c, &o->name);
	OUTCOME_TEXTS(X)
#undef X
	take(&c, &magic, sizeof(magic));
	if (!c.is_short && magic == MAGIC && c.left == 0)
		return 0;
	outcome_finish(o);
	return err_set(EIO, "the outcome is not complete");
}

void outcome_finish(struct outcome *o)
{
#define X(name) str_finish(&o->name);
	OUTCOME_TEXTS(X)
#undef X
	*o = (struct outcome){};
}

/* Drops the front of the tail, so that KEPT bytes stay. */
static void shorten(struct bounded_text *t)
{
	size_t excess = t->tail.len - KEPT;

	memmove(t->tail.s, t->tail.s + excess, KEPT);
	t->tail.len = KEPT;
	t->tail.s[KEPT] = '\0';
	t->omitted += excess;
}

void bounded_text_add(struct bounded_text *t, const void *data, size_t len)
{
	size_t first = MIN(len, KEPT - t->head.len);
	const char *rest = (const char *)data + first;

	str_addn(&t->head, data, first);
	len -= first;
	if (len > KEPT) {
		t->omitted += t->tail.len + len - KEPT;
		str_reset(&t->tail);
		rest += len - KEPT;
		len = KEPT;
	}
	str_addn(&t->tail, rest, len);
	if (t->tail.len > 2 * KEPT)
		shorten(t);
}

void bounded_text_get(const struct bounded_text *t, struct str *out)
{
	size_t excess = t->tail.len > KEPT ? t->tail.len - KEPT : 0;

	str_addn(out, str_get(&t->head), t->head.len);
	if (t->omitted + excess)
		str_addf(out, "\n[%llu bytes left out]\n",
			 (unsigned long long)(t->omitted + excess));
	str_addn(out, str_get(&t->tail) + excess, t->tail.len - excess);
}

void bounded_text_finish(struct bounded_text *t)
{
	str_finish(&t->head);
	str_finish(&t->tail);
	*t = (struct bounded_text){};
}
