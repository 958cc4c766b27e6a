/* SPDX-License-Identifier: GPL-2.0-only */
/* The state of reading an rt-app file, and what is common to its keys. */
#ifndef KTSTR_SCENFILE_RTAPP_READ_H
#define KTSTR_SCENFILE_RTAPP_READ_H

#include "base/arena.h"
#include "base/json_read.h"
#include "base/vec.h"
#include "scenfile/rtapp.h"

#define RTAPP_MAX_TASKS 256

/* Names that are numbered in the order of being met. */
struct rtapp_names {
	const char *items[RTAPP_MAX_OBJECTS];
	size_t count;
};

struct rtapp_reader {
	const char *name; /* of the file */
	const char *text; /* as it was, to count lines: reading changes the copy */
	char *copy;
	struct arena *arena;
	struct json_reader json;
	const char *key; /* read last */
	struct rtapp *app;
	struct rtapp_task *tasks[RTAPP_MAX_TASKS];
	size_t task_count;
	struct rtapp_task *task; /* being read */
	struct rtapp_names locks, conditions;
	uint64_t suspends, resumes; /* bit i: somebody does so on condition i */
};

int rtapp_reader_init(struct rtapp_reader *r, const char *name, const char *text, size_t len,
		      struct arena *arena);
void rtapp_reader_finish(struct rtapp_reader *r);

/* "NAME:LINE: sentence" with the line that was read last. -EINVAL. */
int rtapp_fail(struct rtapp_reader *r, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
int rtapp_malformed(struct rtapp_reader *r);
int rtapp_unsupported(struct rtapp_reader *r, const char *where);
/* A malformed text ends every loop by itself and is told at the end: then this is 0 too. */
int rtapp_expect(struct rtapp_reader *r, const struct json_value *v, enum json_kind kind);
/* A text that is not empty; copied. */
int rtapp_text(struct rtapp_reader *r, const struct json_value *v, const char **out);

/* The number of a name; a new one gets the next. */
int rtapp_object(struct rtapp_reader *r, struct rtapp_names *names, const char *name,
		 unsigned int *number);
int rtapp_add_task(struct rtapp_reader *r, const char *name);
int rtapp_add_phase(struct rtapp_reader *r, struct rtapp_phase phase);
int rtapp_add_event(struct rtapp_reader *r, struct rtapp_phase *phase, struct rtapp_event event);

#endif
