// SPDX-License-Identifier: GPL-2.0-only
/* Runs the loader of the probes beside the test; files show its progress. */
#include "guest/parts.h"

#include <signal.h>

#include "guest/protocol.h"

#define LOOK_MS 20
#define WAIT_MS 30000

static pid_t loader; /* 0 = none */

/* Waits until the loader has created the file; false = it has ended, or takes too long. */
static bool wait_for(const char *path)
{
	const struct timespec nap = { .tv_nsec = LOOK_MS * 1000000L };
	int status;

	for (int ms = 0; ms < WAIT_MS; ms += LOOK_MS) {
		if (access(path, F_OK) == 0)
			return true;
		if (run_has_ended(loader, &status)) {
			loader = 0;
			return false;
		}
		nanosleep(&nap, NULL);
	}
	return false;
}

void probes_start(const char *functions)
{
	char *argv[] = { GUEST_OBSERVER, "--probes", GUEST_PROBE_DIR,
			 str_eq(functions, "-") ? NULL : (char *)functions, NULL };

	loader = run_loader(argv, GUEST_PROBE_PROBLEM);
	if (loader > 0)
		wait_for(GUEST_PROBE_DIR "/ready");
}

void probes_wait(void)
{
	if (loader > 0)
		wait_for(GUEST_PROBE_DIR "/attached");
}

static void send_problem(void)
{
	_str_ struct str text = {}, out = {};
	struct json j;

	if (file_read_at(AT_FDCWD, GUEST_PROBE_PROBLEM, &text) < 0 || !text.len)
		str_add(&text, "the loader of the probes ended without a message");
	text.s[strcspn(text.s, "\n")] = '\0';
	json_init(&j, &out, false);
	json_object(&j);
	json_put_string(&j, "problem", text.s);
	json_object_end(&j);
	report_pieces(CHANNEL_PROBE_REPORT, &out);
}

void probes_finish(void)
{
	_str_ struct str report_text = {}, records = {};

	if (loader > 0 && kill(loader, SIGTERM) == 0)
		run_wait(loader);
	loader = 0;
	if (file_read_at(AT_FDCWD, GUEST_PROBE_DIR "/report.json", &report_text) < 0 ||
	    file_read_at(AT_FDCWD, GUEST_PROBE_DIR "/records", &records) < 0) {
		send_problem();
		return;
	}
	report_pieces(CHANNEL_PROBE_REPORT, &report_text);
	if (records.len <= report_free())
		report_pieces(CHANNEL_PROBE_RECORDS, &records);
	else
		report_log("%zu bytes of records are too many for the channel", records.len);
}
