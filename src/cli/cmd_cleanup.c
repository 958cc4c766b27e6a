// SPDX-License-Identifier: GPL-2.0-only
/* `ktstr cleanup`: removes cgroups left by killed runs. */
#include "cli/table.h"
#include "hostmode/execute.h"

static bool has_failed;

static void report(const char *path, int rc)
{
	if (rc == 0) {
		printf("cleaned up %s\n", path);
	} else if (rc == -EBUSY) {
		fprintf(stderr, "ktstr: skipping %s (live process)\n", path);
	} else {
		has_failed = true;
		fprintf(stderr, "error: %s\n", err_text(rc));
	}
}

static int cmd_cleanup_run(const struct cli_call *call)
{
	const char *path = cli_text(call, "parent-cgroup");
	size_t found = 0;
	int rc;

	if (path) {
		rc = cleanup_path(&roots_live, path);
		if (rc == 0)
			report(path, 0);
		return rc;
	}
	rc = cleanup_all(&roots_live, report, &found);
	if (rc < 0)
		return rc;
	if (!found)
		puts("no leftover cgroups found");
	return has_failed ? EXIT_FAILED : EXIT_OK;
}

/* clang-format off */
const struct cli_cmd cmd_cleanup = {
	.name = "cleanup", .summary = "remove cgroups that killed runs left behind",
	.about = "Removes /sys/fs/cgroup/ktstr and every /sys/fs/cgroup/ktstr-PID with "
		 "everything below. Cgroups of a running ktstr are kept.",
	.params = CLI_PARAMS(
		{ .name = "parent-cgroup", .kind = CLI_DIR, .value = "PATH",
		  .help = "remove only this directory, even if it is in use" }),
	.examples = CLI_EXAMPLES(
		{ "cleanup", "remove everything that is not in use" },
		{ "cleanup --parent-cgroup /sys/fs/cgroup/ktstr-12345", "remove one cgroup" }),
	.run = cmd_cleanup_run,
};
/* clang-format on */
