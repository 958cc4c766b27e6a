// SPDX-License-Identifier: GPL-2.0-only
/* Writes snapshots to files: JSON is made and compressed piece by piece. */
#include <zstd.h>

#include "ctprof/snapshot_fields.h"

#define LEVEL 3
#define JOB_SIZE (1 << 20) /* unit of work of a compressing thread */
#define WINDOW_LOG 18	   /* a hundred threads: a larger window would not compress better */
#define PIECE 64	   /* threads per piece of text, small enough for the cache */
#define OUTPUT_SIZE (1 << 17)
#define FILE_MODE 0644

struct stream {
	ZSTD_CCtx *zstd;
	struct file_atomic file;
	char *output;
	uint64_t bytes; /* of JSON */
};

static void stream_finish(struct stream *w)
{
	ZSTD_freeCCtx(w->zstd);
	free(w->output);
	file_atomic_finish(&w->file);
}

static bool set_parameter(ZSTD_CCtx *zstd, ZSTD_cParameter parameter, int value)
{
	return !ZSTD_isError(ZSTD_CCtx_setParameter(zstd, parameter, value));
}

static int stream_init(struct stream *w, unsigned int threads)
{
	w->zstd = ZSTD_createCCtx();
	w->output = malloc(OUTPUT_SIZE);
	if (!w->zstd || !w->output || !set_parameter(w->zstd, ZSTD_c_compressionLevel, LEVEL) ||
	    !set_parameter(w->zstd, ZSTD_c_windowLog, WINDOW_LOG) ||
	    !set_parameter(w->zstd, ZSTD_c_checksumFlag, 1))
		return -ENOMEM;
	/* Without support for threads the library refuses this and compresses in the caller. */
	if (threads > 1 && set_parameter(w->zstd, ZSTD_c_nbWorkers, (int)threads))
		set_parameter(w->zstd, ZSTD_c_jobSize, JOB_SIZE);
	return 0;
}

static int stream_add(struct stream *w, const struct str *text, ZSTD_EndDirective end)
{
	ZSTD_inBuffer in = { str_get(text), text->len, 0 };
	size_t left;

	if (text->failed)
		return -ENOMEM;
	w->bytes += text->len;
	do {
		ZSTD_outBuffer out = { w->output, OUTPUT_SIZE, 0 };
		int rc;

		left = ZSTD_compressStream2(w->zstd, &out, &in, end);
		if (ZSTD_isError(left))
			return -ENOMEM;
		rc = out.pos ? file_atomic_write(&w->file, w->output, out.pos) : 0;
		if (rc < 0)
			return rc;
	} while (end == ZSTD_e_end ? left != 0 : in.pos < in.size);
	return 0;
}

static int write_document(struct stream *w, const struct snapshot *s, bool zero_fill)
{
	_str_ struct str text = {};
	int rc;

	snapshot_json_head(s, &text);
	rc = stream_add(w, &text, ZSTD_e_continue);
	for (size_t i = 0; rc == 0 && i < s->thread_count; i += PIECE) {
		str_reset(&text);
		snapshot_json_threads(s, i, MIN(i + PIECE, s->thread_count), zero_fill, &text);
		rc = stream_add(w, &text, ZSTD_e_continue);
	}
	if (rc < 0)
		return rc;
	str_reset(&text);
	snapshot_json_tail(s, zero_fill, &text);
	return stream_add(w, &text, ZSTD_e_end);
}

static int write_file(const struct snapshot *s, bool zero_fill, const char *path)
{
	_cleanup_(stream_finish) struct stream w = { .file = { .fd = -1, .slot = -1 } };
	int rc = file_atomic_open(&w.file, path, FILE_MODE) ?: stream_init(&w, s->worker_count);

	rc = rc ?: write_document(&w, s, zero_fill);
	rc = rc ?: file_atomic_commit(&w.file);
	if (rc == 0 && w.bytes > SNAPSHOT_MAX_BYTES)
		log_warn("ctprof",
			 "%s holds %llu bytes of JSON, more than the %u that are read back", path,
			 ULL(w.bytes), SNAPSHOT_MAX_BYTES);
	return rc;
}

int snapshot_write(const struct snapshot *s, bool zero_fill, const char *path)
{
	int rc = write_file(s, zero_fill, path);

	if (rc < 0)
		return err_sys(-rc, "write ctprof snapshot to %s",
			       str_eq(path, "-") ? "standard output" : path);
	return 0;
}
