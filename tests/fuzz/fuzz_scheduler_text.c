// SPDX-License-Identifier: GPL-2.0-only
/* Everything that is read out of what schedulers and kernels print. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "guest/sched.h"
#include "guest/scx_exit.h"
#include "run/parts.h"
#include "verifier/verifier.h"

/* The second half as the dump that may be in the first. */
static void drop_dump(const char *text)
{
	struct str log = {}, dump = {}, out = {};

	str_add(&log, text);
	str_add(&dump, text + strlen(text) / 2);
	sched_text_drop_dump(&log, &dump, &out);
	if (out.len > log.len + sizeof("(the dump is below)"))
		abort();
	str_finish(&log);
	str_finish(&dump);
	str_finish(&out);
}

static void follow_log(const char *text)
{
	struct sched_life life = { .return_limit_s = 3 };
	struct sched_presence presence = { .payload_ns = 1 };
	struct str json = {};
	uint64_t now = 1;

	for (const char *line = text; *line; now += 1000000000) {
		size_t len = strcspn(line, "\n");

		sched_presence_take_kmsg(&presence, &life, line, len, now);
		sched_presence_is_over(&presence, &life, now % 2, now);
		line += len + (line[len] == '\n');
	}
	sched_report_json(&life, &json);
	str_finish(&json);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void read_exit(char *text, size_t size)
{
	struct scx_exit e = {};
	struct scx_rejection rejection;
	char words[16];

	scx_exit_take_kmsg(&e, text, size);
	scx_exit_take_kmsg(&e, text + size / 2, size - size / 2);
	scx_exit_take_log(&e, text);
	scx_log_has_rejection(text, &rejection);
	if (scx_log_last_words(text, words, sizeof(words)) && strpbrk(words, "\r\n\t"))
		abort();
	if (strlen(rejection.program) >= sizeof(rejection.program) ||
	    strlen(rejection.reason) >= sizeof(rejection.reason) ||
	    strlen(words) >= sizeof(words) || strlen(e.reason) >= sizeof(e.reason))
		abort();
}

static void read_frames(const char *text, size_t size)
{
	struct verifier_figures figures;
	struct verifier_log part;
	size_t cursor = 0, last = 0;

	while (verifier_log_next(text, size, &cursor, &part)) {
		if (cursor <= last || part.text < text || part.text + part.len > text + size)
			abort();
		last = cursor;
	}
	verifier_log_last(text, size, &part);
	verifier_log_figures(part.text, part.len, &figures);
}

static void read_dump(const char *text, size_t size)
{
	struct bounded_text out = { .half = 16 };
	struct scx_trace trace = { .fd = -1 };

	str_addn(&trace.rest, text, size);
	if (size)
		scx_trace_take_lines(&trace, &out);
	if (bounded_text_omitted(&out) > out.total)
		abort();
	str_finish(&trace.rest);
	bounded_text_finish(&out);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *text = malloc(size + 1), *argv[8];
	struct str out = {};

	memcpy(text, data, size);
	text[size] = '\0';
	read_exit(text, size);
	read_frames(text, size);
	read_dump(text, size);
	drop_dump(text);
	follow_log(text);
	collapse_log(text, size, &out);
	str_finish(&out);
	sched_args_split(text, size, argv, sizeof(argv) / sizeof(argv[0]));
	free(text);
	return 0;
}
