// SPDX-License-Identifier: GPL-2.0-only
/* `ktstr export`: a test as one file for machines without ktstr. */
#include "cli/cli.h"
#include "run/discover.h"
#include "run/export.h"

/* Those of the name, out of all that are found; the memory of the others is given back. */
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

int cmd_export(const struct cli_call *call)
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
