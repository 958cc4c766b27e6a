// SPDX-License-Identifier: GPL-2.0-only
/* `ktstr init`: copies the project examples/starter to a directory of the user. */
#include "base/embed.h"
#include "cli/table.h"

EMBED_TEXT(starter_test, "examples/starter/tests/first.c");
EMBED_TEXT(starter_make, "examples/starter/Makefile");
EMBED_TEXT(starter_workflow, "examples/starter/.github/workflows/ktstr.yml");
EMBED_TEXT(starter_ignore, "examples/starter/.gitignore");

/* As in the Makefile: the newest image of a distribution may be unable to load schedulers. */
#define KERNEL "7.0"

static const struct {
	const char *dir;
	const char *name;
	const char *text;
} files[] = {
	{ "/tests", "/first.c", starter_test },
	{ "", "/Makefile", starter_make },
	{ "/.github/workflows", "/ktstr.yml", starter_workflow },
	{ "", "/.gitignore", starter_ignore },
};

/* Does not overwrite existing files: 1 = kept. */
static int write_new(const char *path, const char *text)
{
	_close_ int fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
	int rc;

	if (fd < 0)
		return errno == EEXIST ? 1 : err_sys(errno, "create %s", path);
	rc = fd_write_all(fd, text, strlen(text));
	if (rc < 0) {
		unlink(path);
		return err_sys(-rc, "write %s", path);
	}
	return 0;
}

static int add_file(struct str *out, const char *project, size_t i)
{
	_free_ char *dir = str_fmt("%s%s", project, files[i].dir);
	_free_ char *path = dir ? str_fmt("%s%s", dir, files[i].name) : NULL;
	int rc = path ? file_make_dirs(dir, 0777) : err_no_memory();

	rc = rc ?: write_new(path, files[i].text);
	if (rc < 0)
		return rc;
	str_addf(out, "%s ", rc ? "kept " : "wrote");
	text_add_word(out, path);
	str_add(out, rc ? ", which was there\n" : "\n");
	return 0;
}

static int cmd_init_run(const struct cli_call *call)
{
	const char *project = cli_text(call, "dir");
	_str_ struct str out = {};
	int rc = 0;

	if (!*project || *project == '-')
		return cli_usage_error(call, "'%s' is not a directory name", project);
	for (size_t i = 0; i < ARRAY_SIZE(files) && rc == 0; i++)
		rc = add_file(&out, project, i);
	if (rc < 0)
		return rc;
	str_add(&out, "next: ");
	if (!str_eq(project, ".")) {
		str_add(&out, "cd ");
		text_add_word(&out, project);
		str_add(&out, " && ");
	}
	str_addf(&out, "%s test --kernel " KERNEL "\n", call->program);
	return output_text(&out);
}

/* clang-format off */
const struct cli_cmd cmd_init = {
	.name = "init", .summary = "write a starter project: tests of a scheduler, Makefile, CI file",
	.about = "Writes tests/first.c with a scheduler and two tests, a Makefile, a workflow for "
		 "GitHub and a .gitignore, and prints the command that runs the tests. The tests "
		 "use scx-ktstr until you name another scheduler. Existing files are not changed.",
	.params = CLI_PARAMS(
		{ .name = "dir", .is_arg = true, .kind = CLI_DIR, .value = "DIR", .fallback = ".",
		  .help = "directory of the project; created if it does not exist" }),
	.examples = CLI_EXAMPLES(
		{ "init my_tests", "a new project, and the command that runs its tests" },
		{ "init", "the same in the current directory" }),
	.run = cmd_init_run,
};
/* clang-format on */
