// SPDX-License-Identifier: GPL-2.0-only
/* Loads compressed snapshot files. */
#include "ctprof/snapshot_fields.h"

#include <pthread.h>
#include <zstd.h>

#define FIRST_CAPACITY (1u << 20)
#define READ_BYTES (256u << 10)
#define MAGIC_BYTES 4

/* Reserves room for the frame at the input's position, by the size in its header. */
static int grow_for_frame(struct str *t, const ZSTD_inBuffer *in)
{
	unsigned long long size =
		ZSTD_getFrameContentSize((const char *)in->src + in->pos, in->size - in->pos);

	if (size == ZSTD_CONTENTSIZE_UNKNOWN || size == ZSTD_CONTENTSIZE_ERROR)
		size = FIRST_CAPACITY;
	return str_reserve(t, (size_t)MIN(size, SNAPSHOT_MAX_BYTES + 1ULL)) ? 0 : -ENOMEM;
}

/* Returns whether a frame begins here: of data, or skippable. */
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
 * Reads one frame, in chunks of this size; all->pos is the end of the valid input. Returns 0,
 * -EBADMSG for a damaged or truncated frame, -EFBIG, or -ENOMEM.
 */
static int read_frame(ZSTD_DCtx *context, ZSTD_inBuffer *all, size_t chunk, struct str *t)
{
	for (;;) {
		ZSTD_inBuffer in = { (const char *)all->src + all->pos,
				     MIN(chunk, all->size - all->pos), 0 };
		ZSTD_outBuffer out = { t->s, t->cap - 1, t->len };
		size_t left = ZSTD_decompressStream(context, &out, &in);

		if (ZSTD_isError(left))
			return -EBADMSG;
		all->pos += in.pos;
		t->len = out.pos;
		if (t->len > SNAPSHOT_MAX_BYTES)
			return -EFBIG;
		if (left == 0)
			return 0;
		if (out.pos == out.size && !str_reserve(t, FIRST_CAPACITY))
			return -ENOMEM;
		/* The input has ended, but the frame has not. */
		if (all->pos == all->size && out.pos < out.size)
			return -EBADMSG;
	}
}

static int read_frames(ZSTD_DCtx *context, ZSTD_inBuffer *in, size_t chunk, struct str *t)
{
	int rc = 0;

	while (rc == 0 && in->pos < in->size && is_frame(in)) {
		rc = grow_for_frame(t, in) ?: read_frame(context, in, chunk, t);
	}
	return rc;
}

/*
 * Decompressing whole frames is fastest, but does not show where one is damaged: a second pass in
 * small pieces finds the position.
 */
static size_t find_damage(ZSTD_DCtx *context, const struct str *file)
{
	ZSTD_inBuffer in = { file->s, file->len, 0 };
	_str_ struct str t = {};

	ZSTD_DCtx_reset(context, ZSTD_reset_session_only);
	read_frames(context, &in, 1024, &t);
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
	return err_no_memory();
}

static int decompress(const struct str *file, struct str *t)
{
	ZSTD_inBuffer in = { file->s, file->len, 0 };
	ZSTD_DCtx *context = ZSTD_createDCtx();
	int rc;

	if (!context)
		return err_no_memory();
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

/* Checks the beginning first: a file that is not a snapshot may have any size. */
static int read_compressed(const char *path, struct str *file)
{
	_close_ int fd = open(path, O_RDONLY | O_CLOEXEC);
	ssize_t n = 1;

	if (fd < 0)
		return err_set(errno, "%s", strerror(errno));
	while (n) {
		if (!str_reserve(file, READ_BYTES))
			return err_no_memory();
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

static int read_text(const char *path, struct str *text)
{
	_str_ struct str file = {};
	int rc = read_compressed(path, &file);

	if (rc == 0 && !str_reserve(text, FIRST_CAPACITY))
		rc = err_no_memory();
	rc = rc ?: decompress(&file, text);
	if (rc == 0)
		text->s[text->len] = '\0';
	return rc;
}

int snapshot_load(struct snapshot *s, const char *path)
{
	_str_ struct str text = {};
	int rc = read_text(path, &text);

	*s = (struct snapshot){};
	rc = rc ?: snapshot_parse(s, text.s, text.len);
	if (rc == 0 && s->out_of_range)
		log_warn("ctprof",
			 "%s: %llu numbers do not fit their field and count as not measured", path,
			 ULL(s->out_of_range));
	return rc;
}

/* One load per thread: loading takes most of the time of a comparison. */
struct load_task {
	struct snapshot *snapshot;
	const char *path;
	int rc;
	char *message; /* messages belong to the thread that set them */
};

static void *load_in_thread(void *context)
{
	struct load_task *t = context;

	t->rc = snapshot_load(t->snapshot, t->path);
	if (t->rc < 0)
		t->message = strdup(err_text(t->rc));
	return NULL;
}

static int tell_failure(const struct load_task *t, const char *which)
{
	if (t->rc == 0)
		return 0;
	return err_set(-t->rc, "load %s %s: %s", which, t->path,
		       t->message ? t->message : "out of memory");
}

int snapshot_load_pair(struct snapshot *baseline, const char *baseline_path,
		       struct snapshot *candidate, const char *candidate_path)
{
	struct load_task first = { .snapshot = baseline, .path = baseline_path };
	struct load_task second = { .snapshot = candidate, .path = candidate_path };
	pthread_t thread;
	int rc;

	/* Without a second thread, loads them one after the other. */
	if (pthread_create(&thread, NULL, load_in_thread, &first) == 0) {
		load_in_thread(&second);
		pthread_join(thread, NULL);
	} else {
		load_in_thread(&first);
		load_in_thread(&second);
	}
	rc = tell_failure(&first, "baseline") ?: tell_failure(&second, "candidate");
	free(first.message);
	free(second.message);
	return rc;
}
