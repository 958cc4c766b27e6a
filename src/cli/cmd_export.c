// SPDX-License-Identifier: GPL-2.0-only
/* `ktstr export`: a test as one file for machines without ktstr. */
#include "cli/table.h"
#include "run/discover.h"
#include "run/sweep.h"

/* Keeps the programs with this name; frees the others. */
static int keep_named(struct test_programs *programs, const char *name)
{
	struct test_programs kept = {};
	int rc = 0;

	vec_each_while(struct test_program, p, &programs->items, rc == 0) {
		if (!str_eq(p->name, name))
			continue;
		rc = vec_push(&kept.items, *p);
		if (rc == 0)
			*p = (struct test_program){};
	}
	test_programs_finish(programs);
	*programs = kept;
	if (rc == 0 && kept.items.count == 0)
		return err_set(ENOENT,
			       "no test program '%s': it is not a file, and none of those "
			       "that were found has that name",
			       name);
	return rc;
}

/* A file or directory, or the name of a program. */
static int find_programs(const struct cli_call *call, struct test_programs *programs)
{
	const char *package = cli_text(call, "package");
	struct discover_options how = { .how.is_release = cli_flag(call, "release"),
					.skips_broken = true };
	int rc;

	if (!package)
		return discover_programs(NULL, 0, &how, programs);
	if (strchr(package, '/') || source_is_one(package) || access(package, F_OK) == 0)
		return discover_programs(&package, 1, &how, programs);
	rc = discover_programs(NULL, 0, &how, programs);
	return rc < 0 ? rc : keep_named(programs, package);
}

static int cmd_export_run(const struct cli_call *call)
{
	_cleanup_(test_programs_finish) struct test_programs programs = {};
	struct export_request request = { .programs = &programs,
					  .test = cli_text(call, "test"),
					  .scheduler_profile =
						  cli_flag(call, "release") ? "release" : NULL,
					  .output = cli_text(call, "output") };
	struct export_summary summary = {};
	int rc = find_programs(call, &programs) ?: export_test(&request, &summary);

	if (rc == 0)
		printf("wrote %s (%zu bytes archive, %zu include files)\n", summary.path,
		       summary.archive_bytes, summary.include_count);
	free(summary.path);
	return rc;
}

/* clang-format off */
const struct cli_cmd cmd_export = {
	.name = "export", .summary = "write a test as one file that runs on a machine without ktstr",
	.about = "Writes a shell script that contains the test program, its scheduler and its "
		 "include files. Run as root, the script checks that the machine has sched_ext "
		 "(if needed), cgroup2, enough CPUs and no other scheduler, starts the "
		 "scheduler, runs the test, stops the scheduler and prints the verdict; see its "
		 "--help. Include files are found through PATH, not in /include-files. Shared "
		 "libraries are not included.",
	.params = CLI_PARAMS(
		{ .name = "test", .is_arg = true, .is_required = true, .kind = CLI_STRING, .value = "TEST",
		  .help = "name of the test" },
		{ .name = "output", .letter = 'o', .kind = CLI_FILE, .value = "FILE",
		  .help = "file to write [default: TEST.run]" },
		{ .name = "package", .letter = 'p', .kind = CLI_FILE, .value = "PKG",
		  .help = "test program: a file, a C file, a directory, or the name of one [default: all of "
			  "KTSTR_TEST_DIR, else of tests and build of the project]" },
		{ .name = "release", .help = "a C file is compiled with optimisation, and the scheduler is "
					     "looked for in target/release before other builds" }),
	.examples = CLI_EXAMPLES(
		{ "export two_cgroups", "write two_cgroups.run, to be run as root on another machine" },
		{ "export my_test -p my_test.c -o /tmp/my_test.run --release", "a test of one C file" }),
	.run = cmd_export_run,
};
/* clang-format on */
