// SPDX-License-Identifier: GPL-2.0-only
/* Runs from elsewhere: prints what they would execute, and asks. */
#include "cli/options.h"

#include "run/campaign.h"

static void tell_schedulers(const struct sidecar *const *records, size_t count)
{
	const char *last = "";

	for (size_t i = 0; i < count; i++) {
		const char *path = records[i]->scheduler_path;

		if (path && !str_eq(path, last))
			log_note("  scheduler %s", path);
		last = path ? path : last;
	}
}

static bool is_ours(const char *dir)
{
	_free_ char *file = str_fmt("%s/" RUN_PROGRAMS_FILE, dir);

	return file && run_programs_are_ours(file);
}

/* DIR/.attempts/N is part of the run in DIR: failed attempts. */
static bool is_try_of_ours(const char *dir)
{
	_free_ char *run = strdup(dir);
	char *last = run ? strrchr(run, '/') : NULL;

	if (!last)
		return false;
	*last = '\0';
	last = strrchr(run, '/');
	if (!last || !str_eq(last + 1, RUN_ATTEMPTS_DIR))
		return false;
	*last = '\0';
	return is_ours(run);
}

int trust_run(const struct cli_call *call, const char *dir, const struct repeat_programs *programs,
	      const struct sidecar *const *records, size_t count)
{
	if (is_ours(dir) || is_try_of_ours(dir))
		return 0;
	log_note("%s: %s was not made by this user on this machine. Repeating it executes:",
		 call->program, dir);
	for (size_t i = 0; i < programs->paths.count; i++)
		log_note("  test program %s", programs->paths.items[i]);
	tell_schedulers(records, count);
	if (cli_flag(call, "trust"))
		return 0;
	if (!isatty(STDIN_FILENO))
		return err_set(
			EPERM,
			"%s comes from elsewhere, and ktstr cannot ask on a terminal; --trust "
			"executes what it names",
			dir);
	return confirm("execute them") ? 0 : err_set(ECANCELED, "nothing was executed");
}
