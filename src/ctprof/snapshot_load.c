// SPDX-License-Identifier: GPL-2.0-only
/* From a compressed file to the text of a snapshot. */
#include "ctprof/snapshot_fields.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <zstd.h>

#include "base/err.h"
#include "base/log.h"
#include "base/util.h"

#define FIRST_CAPACITY (1u << 20)
#define READ_BYTES (256u << 10)
#define MAGIC_BYTES 4

struct text {
	char *s;
	size_t len, cap; /* cap leaves out the NUL behind */
};

/* Makes room behind the text, twice as much each time and at most one byte over the cap. */
static int text_grow(struct text *t, size_t cap)
{
	char *grown;

	cap = MIN(cap, (size_t)SNAPSHOT_MAX_BYTES + 1);
	if (cap <= t->cap)
		return 0;
	grown = realloc(t->s, cap + 1);
	if (!grown) {
		err_set(ENOMEM, "out of memory");
		return -ENOMEM;
	}
	t->s = grown;
	t->cap = cap;
	return 0;
}

/* Room for the frame at the input's position, if its header tells the size. */
static int text_grow_for_frame(struct text *t, const ZSTD_inBuffer *in)
{
	unsigned long long size =
		ZSTD_getFrameContentSize((const char *)in->src + in->pos, in->size - in->pos);

	if (size == ZSTD_CONTENTSIZE_UNKNOWN || size == ZSTD_CONTENTSIZE_ERROR)
		size = FIRST_CAPACITY;
	return text_grow(t, t->len + (size_t)MIN(size, (unsigned long long)SNAPSHOT_MAX_BYTES));
}

/* A frame of data, or one that readers have to skip. */
static bool is_frame(const ZSTD_inBuffer *in)
{
	const unsigned char *p = (const unsigned char *)in->src + in->pos;
	uint32_t magic;

	if (in->size - in->pos < MAGIC_BYTES)
		return false;
	magic = p[0] | (uint32_t)p[1] << 8 | (uint32_t)p[2] << 16 | (uint32_t)p[3] << 24;
	return magic == ZSTD_MAGICNUMBER ||
	       (magic & ZSTD_MAGIC_SKIPPABLE_MASK) == ZSTD_MAGIC_SKIPPABLE_START;
}

/*
 * One frame, fed chunk bytes at a time; all->pos tells how much was good. 0, -EBADMSG for a frame that is damaged or cut off, -EFBIG, -ENOMEM.
 */
static int read_frame(ZSTD_DCtx *context, ZSTD_inBuffer *all, size_t chunk, struct text *t)
{
	for (;;) {
		ZSTD_inBuffer in = { (const char *)all->src + all->pos,
				     MIN(chunk, all->size - all->pos), 0 };
		ZSTD_outBuffer out = { t->s, t->cap, t->len };
		size_t left = ZSTD_decompressStream(context, &out, &in);

		if (ZSTD_isError(left))
			return -EBADMSG;
		all->pos += in.pos;
		t->len = out.pos;
		if (t->len > SNAPSHOT_MAX_BYTES)
			return -EFBIG;
		if (left == 0)
			return 0;
		if (t->len == t->cap && text_grow(t, t->cap * 2) < 0)
			return -ENOMEM;
		/* Nothing more to read, and room was left that it did not fill. */
		if (all->pos == all->size && out.pos < out.size)
			return -EBADMSG;
	}
}

static int read_frames(ZSTD_DCtx *context, ZSTD_inBuffer *in, size_t chunk, struct text *t)
{
	int rc = 0;

	while (rc == 0 && in->pos < in->size && is_frame(in)) {
		rc = text_grow_for_frame(t, in);
		if (rc == 0)
			rc = read_frame(context, in, chunk, t);
	}
	return rc;
}

/*
 * Whole frames at once are fastest, but a damaged one is then only known to be
 * damaged somewhere. A second try in small pieces tells where.
 */
static size_t find_damage(ZSTD_DCtx *context, const struct str *file)
{
	ZSTD_inBuffer in = { file->s, file->len, 0 };
	struct text t = {};

	ZSTD_DCtx_reset(context, ZSTD_reset_session_only);
	read_frames(context, &in, 1024, &t);
	free(t.s);
	return in.pos;
}

static int too_large(void)
{
	return err_set(EFBIG, "decompressed text exceeds the %u-byte cap", SNAPSHOT_MAX_BYTES);
}

static int explain(int rc, ZSTD_DCtx *context, const struct str *file)
{
	if (rc == -EFBIG)
		return too_large();
	if (rc == -EBADMSG)
		return err_set(EBADMSG, "zstd stream truncated/corrupt after %zu bytes; re-capture",
			       find_damage(context, file));
	return err_set(ENOMEM, "out of memory");
}

static int decompress(const struct str *file, struct text *t)
{
	ZSTD_inBuffer in = { file->s, file->len, 0 };
	ZSTD_DCtx *context = ZSTD_createDCtx();
	int rc;

	if (!context)
		return err_set(ENOMEM, "out of memory");
	rc = read_frames(context, &in, SIZE_MAX, t);
	if (rc < 0)
		rc = explain(rc, context, file);
	else if (in.pos < in.size)
		rc = err_set(EBADMSG, "%zu bytes of garbage follow the zstd stream at byte %zu",
			     in.size - in.pos, in.pos);
	ZSTD_freeDCtx(context);
	return rc;
}

static int check_magic(const struct str *file)
{
	ZSTD_inBuffer in = { file->s, file->len, 0 };

	if (is_frame(&in))
		return 0;
	return err_set(EINVAL,
		       "not a zstd file (expected a .ctprof.zst from ktstr ctprof capture)");
}

/* Looks at the beginning first: whatever is no snapshot may be of any size. */
static int read_compressed(const char *path, struct str *file)
{
	_close_ int fd = open(path, O_RDONLY | O_CLOEXEC);
	ssize_t n = 1;

	if (fd < 0)
		return err_set(errno, "%s", strerror(errno));
	while (n) {
		if (!str_reserve(file, READ_BYTES))
			return err_set(ENOMEM, "out of memory");
		n = read(fd, file->s + file->len, file->cap - file->len - 1);
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return err_set(errno, "%s", strerror(errno));
		file->len += (size_t)n;
		if (file->len >= MAGIC_BYTES && check_magic(file) < 0)
			break;
		if (file->len > SNAPSHOT_MAX_BYTES)
			return too_large();
	}
	return check_magic(file);
}

int snapshot_read_text(const char *path, char **text, size_t *len)
{
	_str_ struct str file = {};
	struct text t = {};
	int rc = read_compressed(path, &file);

	if (rc == 0)
		rc = text_grow(&t, FIRST_CAPACITY);
	if (rc == 0)
		rc = decompress(&file, &t);
	if (rc != 0) {
		free(t.s);
		return rc;
	}
	t.s[t.len] = '\0';
	*text = t.s;
	*len = t.len;
	return 0;
}

int snapshot_load(struct snapshot *s, const char *path)
{
	_free_ char *text = NULL;
	size_t len;
	int rc = snapshot_read_text(path, &text, &len);

	*s = (struct snapshot){};
	if (rc == 0)
		rc = snapshot_parse(s, text, len);
	if (rc == 0 && s->out_of_range)
		log_warn("ctprof",
			 "%s: %llu numbers do not fit their field and count as not measured", path,
			 (unsigned long long)s->out_of_range);
	return rc;
}
