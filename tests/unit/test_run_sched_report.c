// SPDX-License-Identifier: GPL-2.0-only
/* What the guest says about the scheduler's life, and the last line of a terminal. */
#include "unit.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <termios.h>
#include <unistd.h>

#include "base/err.h"
#include "base/str.h"
#include "guest/protocol.h"
#include "run/parts.h"

static void read_report(struct sched_report *r, const char *text)
{
	_free_ char *copy = strdup(text);

	assert_int_equal(sched_report_read(r, copy, strlen(copy)), 0);
}

static void each_end_is_good_or_bad(void **state)
{
	static const struct {
		const char *end, *rest;
		bool is_bad, is_unstarted;
	} rows[] = {
		{ GUEST_SCHED_END_RAN, "", false, false },
		{ GUEST_SCHED_END_KILLED, "", false, false },
		{ GUEST_SCHED_END_RELEASED, "", false, false },
		{ GUEST_SCHED_END_ERROR, "", true, false },
		{ GUEST_SCHED_END_STALLED, "", true, false },
		{ GUEST_SCHED_END_UNREGISTERED, "", true, false },
		{ GUEST_SCHED_END_VERIFIER, "", true, false },
		{ GUEST_SCHED_END_NOT_STARTED, "", true, true },
		{ GUEST_SCHED_END_DIED, "", true, false },
		/* The shell or the loader could not run it. */
		{ GUEST_SCHED_END_DIED, ",\"exit_code\":126", true, true },
		{ GUEST_SCHED_END_DIED, ",\"exit_code\":127", true, true },
		{ GUEST_SCHED_END_DIED, ",\"exit_code\":125", true, false },
		{ GUEST_SCHED_END_DIED, ",\"exit_code\":128", true, false },
		{ GUEST_SCHED_END_DIED, ",\"exit_code\":127,\"attached\":true", true, false },
		{ GUEST_SCHED_END_RAN, ",\"exit_code\":127", false, false },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		_free_ char *text = str_fmt("{\"end\":\"%s\"%s}", rows[i].end, rows[i].rest);
		struct sched_report r = {};

		read_report(&r, text);
		if (sched_report_is_bad(&r) != rows[i].is_bad ||
		    sched_report_is_unstarted(&r) != rows[i].is_unstarted)
			fail_msg("%s", text);
		sched_report_finish(&r);
	}
}

static void what_is_not_told_is_absent(void **state)
{
	struct sched_report r = {};

	(void)state;
	read_report(&r, "{\"end\":\"ran\",\"message\":null}");
	assert_null(r.message);
	assert_null(r.exit_reason);
	assert_int_equal(r.ended_ns, UINT64_MAX);
	assert_false(r.is_attached);
	sched_report_finish(&r);
	read_report(&r, "{\"end\":\"ran\",\"ended_ns\":5,\"attached\":true}");
	assert_int_equal(r.ended_ns, 5);
	assert_true(r.is_attached);
	sched_report_finish(&r);
}

static void damaged_reports_are_refused(void **state)
{
	static const char *const bad[] = { "{", "[]", "{\"message\":\"x\"}", "{\"end\":null}" };

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(bad); i++) {
		_free_ char *copy = strdup(bad[i]);
		struct sched_report r = {};

		assert_int_equal(sched_report_read(&r, copy, strlen(copy)), -EINVAL);
		assert_non_null(strstr(err_text(-EINVAL), "the scheduler's report "));
		assert_null(r.end);
	}
}

/* ---- the line of a terminal ---- */

/* What is written to a terminal of 20 columns. */
static void written(bool is_quiet, const char *const *texts, size_t count, bool is_terminal,
		    char *to, size_t size)
{
	int real = dup(STDERR_FILENO), master = posix_openpt(O_RDWR | O_NOCTTY);
	struct winsize window = { .ws_row = 5, .ws_col = 20 };
	struct live_line line;
	struct termios mode;
	int slave, ends[2];
	size_t len = 0;

	assert_int_equal(grantpt(master) | unlockpt(master), 0);
	slave = open(ptsname(master), O_RDWR | O_NOCTTY);
	assert_true(slave >= 0);
	assert_int_equal(tcgetattr(slave, &mode), 0);
	cfmakeraw(&mode);
	assert_int_equal(tcsetattr(slave, TCSANOW, &mode), 0);
	assert_int_equal(ioctl(slave, TIOCSWINSZ, &window), 0);
	assert_int_equal(pipe2(ends, O_CLOEXEC), 0);
	fflush(stderr);
	dup2(is_terminal ? slave : ends[1], STDERR_FILENO);
	live_line_init(&line, is_quiet);
	for (size_t i = 0; i < count; i++) {
		if (texts[i])
			live_line_draw(&line, texts[i]);
		else
			live_line_wipe(&line);
	}
	fputc('!', stderr); /* a terminal hands on what is written in pieces: this is the last */
	fflush(stderr);
	dup2(real, STDERR_FILENO);
	close(real);
	while (len + 1 < size && read(is_terminal ? master : ends[0], to + len, 1) == 1 &&
	       to[len] != '!')
		len++;
	to[len] = '\0';
	close(master);
	close(slave);
	close(ends[0]);
	close(ends[1]);
}

#define WIPE "\r\033[K"

static void a_line_is_drawn_and_wiped_on_terminals_only(void **state)
{
	static const char *const texts[] = { NULL,  "one",
					     "two", NULL,
					     NULL,  "a line that is longer than twenty columns" };
	char got[256];

	(void)state;
	setenv("TERM", "dumb", 1);
	written(false, texts, ARRAY_SIZE(texts), true, got, sizeof(got));
	assert_string_equal(got, "");
	setenv("TERM", "xterm", 1);
	written(false, texts, ARRAY_SIZE(texts), true, got, sizeof(got));
	/* Cut to the terminal: a line that wraps cannot be wiped. */
	assert_string_equal(got, WIPE "one" WIPE "two" WIPE WIPE "a line that is long");
	written(true, texts, ARRAY_SIZE(texts), true, got, sizeof(got));
	assert_string_equal(got, "");
	written(false, texts, ARRAY_SIZE(texts), false, got, sizeof(got));
	assert_string_equal(got, "");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_end_is_good_or_bad),
		cmocka_unit_test(what_is_not_told_is_absent),
		cmocka_unit_test(damaged_reports_are_refused),
		cmocka_unit_test(a_line_is_drawn_and_wiped_on_terminals_only),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
