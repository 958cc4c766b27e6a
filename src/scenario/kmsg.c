// SPDX-License-Identifier: GPL-2.0-only
/* Reading /dev/kmsg: one record per read(), "priority,sequence,time,flags;text\n". */
#include "scenario/run.h"

#include "check/result.h"

#define KMSG_LINES 20

int kmsg_open(void)
{
	int log = open("/dev/kmsg", O_RDONLY | O_NONBLOCK | O_CLOEXEC);

	if (log >= 0)
		lseek(log, 0, SEEK_END);
	return log;
}

/* Returns the text of a record, terminated in place, or NULL. */
static char *record_text(char *record)
{
	char *text = strchr(record, ';');

	if (!text)
		return NULL;
	text[strcspn(text, "\n")] = '\0';
	return text + 1;
}

void kmsg_add_details(int log, struct ktstr_result *res)
{
	char *lines[KMSG_LINES] = {};
	char record[8192];
	size_t count = 0;
	ssize_t len;

	if (log < 0)
		return;
	/*
	 * -EPIPE: the ring buffer wrapped around; the next read() continues with the oldest
	 * record.
	 */
	while ((len = read(log, record, sizeof(record) - 1)) > 0 || (len < 0 && errno == EPIPE)) {
		char *text = NULL;

		if (len > 0) {
			record[len] = '\0';
			text = record_text(record);
		}
		if (!text)
			continue;
		free(lines[count % KMSG_LINES]);
		lines[count++ % KMSG_LINES] = strdup(text);
	}
	for (size_t i = count > KMSG_LINES ? count - KMSG_LINES : 0; i < count; i++) {
		_free_ char *line = lines[i % KMSG_LINES];

		/* The weakest verdict: a log line alone judges nothing. */
		if (line)
			result_add(res, DETAIL_NOTE, KTSTR_SKIPPED, "kernel: %s", line);
	}
}
