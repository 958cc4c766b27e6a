// SPDX-License-Identifier: GPL-2.0-only
/* Makes a report from raw profiles: llvm-profdata merges them, llvm-cov writes the report. */
#include "run/parts.h"

#include <sys/mman.h>

#define TOOL_LIMIT_NS (600 * NSEC_PER_SEC)

struct words {
	VEC(const char *) items;
};

/* ---- merging ---- */

/* Returns the tool's exit status. Keeps its stderr: if several versions are tried, some fail. */
static int run_merge(const char *const *argv, struct str *said)
{
	_cleanup_(child_finish) struct child c = {};
	_close_ int fd = memfd_create("llvm-profdata", MFD_CLOEXEC);
	int rc;

	if (fd < 0)
		return err_sys(errno, "run %s", argv[0]);
	rc = child_start(&c, &(struct child_opts){ .argv = argv, .stderr_fd = fd });
	rc = rc ?: child_wait(&c, TOOL_LIMIT_NS);
	lseek(fd, 0, SEEK_SET);
	fd_read_all(fd, said);
	return rc;
}

/* Writes the file names to a list file: thousands of tests leave thousands of profiles. */
static int write_list(const char *dir, const struct texts *files, char **path)
{
	_str_ struct str lines = {};
	int rc;

	*path = str_fmt("%s/.profiles", dir);
	if (!*path)
		return err_no_memory();
	for (size_t i = 0; i < files->count; i++)
		str_addf(&lines, "%s\n", files->items[i]);
	rc = str_check(&lines);
	return rc ?: file_replace(*path, str_get(&lines), lines.len, 0644);
}

static int cannot_merge(const struct coverage_tools *first, const struct str *said)
{
	size_t len = strcspn(str_get(said), "\n");

	return err_set(EINVAL,
		       "%s cannot merge the profiles: %.*s. Profiles are read by the LLVM of the "
		       "compiler that made the program: install that one, or name it in "
		       "LLVM_PROFDATA and LLVM_COV",
		       first->profdata, (int)len, str_get(said));
}

/* Finds the first pair of tools that can read the profiles. */
static int merge_with_any(const char *list, const char *merged, struct coverage_tools *tools)
{
	_cleanup_(coverage_tools_finish) struct coverage_tools first = {};
	_str_ struct str first_said = {};
	int rc = 0;

	for (size_t i = 0; rc == 0; i++) {
		_str_ struct str said = {};

		rc = coverage_tools_nth(i, tools);
		if (rc < 0)
			break;
		rc = run_merge((const char *const[]){ tools->profdata, "merge", "-sparse",
						      "-failure-mode=all", "-f", list, "-o", merged,
						      NULL },
			       &said);
		if (rc == 0) {
			fputs(str_get(&said), stderr);
			return 0;
		}
		if (rc > 0)
			rc = 0;
		if (i == 0) {
			first = *tools;
			*tools = (struct coverage_tools){};
			str_addn(&first_said, str_get(&said), said.len);
		}
		coverage_tools_finish(tools);
	}
	return first.profdata ? cannot_merge(&first, &first_said) : rc;
}

static int merge(const char *dir, const char *merged, struct coverage_tools *tools)
{
	_texts_ struct texts files = {};
	_free_ char *list = NULL;
	int rc = coverage_files_list(dir, &files);

	if (rc == 0 && files.count == 0)
		return err_set(
			ENOENT,
			"no profile in %s: nothing that was compiled with clang " COVERAGE_COMPILE_FLAG
			" " COVERAGE_MAPPING_FLAG " has run",
			dir);
	rc = rc ?: write_list(dir, &files, &list);
	rc = rc ?: merge_with_any(list, merged, tools);
	if (list)
		unlink(list);
	return rc;
}

/* ---- reporting ---- */

static const struct {
	const char *command, *option;
} ways[] = {
	[COVERAGE_TABLE] = { "report", NULL },
	[COVERAGE_TEXT] = { "show", "-format=text" },
	[COVERAGE_LCOV] = { "export", "-format=lcov" },
	[COVERAGE_JSON] = { "export", "-format=text" },
	[COVERAGE_HTML] = { "show", "-format=html" },
};

/* Adds the programs that still exist as arguments of llvm-cov: the first without an option. */
static int add_objects(struct words *w, char *lines)
{
	char *save = NULL;
	size_t count = 0;
	int rc = 0;

	for (char *line = strtok_r(lines, "\n", &save); line && rc == 0;
	     line = strtok_r(NULL, "\n", &save)) {
		if (access(line, R_OK) < 0) {
			log_note("warning: %s is gone, and with it what it covered", line);
			continue;
		}
		if (count++)
			rc = vec_push(&w->items, "-object");
		rc = rc ?: vec_push(&w->items, line);
	}
	if (rc == 0 && count == 0)
		return err_set(ENOENT, "none of the programs that the profiles are of is there any "
				       "more");
	return rc;
}

static int read_objects(const char *dir, struct str *lines)
{
	_free_ char *path = str_fmt("%s/" COVERAGE_OBJECTS, dir);
	int rc = path ? file_read_at(AT_FDCWD, path, lines) : -ENOMEM;

	if (rc < 0 || !lines->len)
		return err_set(ENOENT,
			       "%s does not list the programs of the profiles: run `ktstr "
			       "coverage` or `ktstr test` first",
			       dir);
	return 0;
}

/* Writes the text to the file, or to stdout. */
static int deliver(const struct coverage_report *r, const struct str *text)
{
	if (r->output)
		return file_replace(r->output, str_get(text), text->len, 0644);
	fputs(str_get(text), stdout);
	return 0;
}

static int run_cov(const char *const *argv, const struct coverage_report *r, const char *html)
{
	_str_ struct str text = {};
	int rc = child_output(argv, TOOL_LIMIT_NS, &text);

	if (rc > 0)
		return err_set(EINVAL, "%s %s ended with status %d", argv[0], argv[1], rc);
	rc = rc ?: str_check(&text);
	if (rc < 0)
		return rc;
	if (r->format != COVERAGE_HTML)
		return deliver(r, &text);
	log_note("%s: wrote %s/index.html", log_label(), html);
	return 0;
}

static int report(const char *dir, const char *merged, const struct coverage_tools *tools,
		  const struct coverage_report *r)
{
	_free_ char *profile = str_fmt("-instr-profile=%s", merged);
	_free_ char *ignore = str_fmt("-ignore-filename-regex=%s", r->ignore ? r->ignore : "");
	_free_ char *html = r->output ? strdup(r->output) : str_fmt("%s/" COVERAGE_HTML_DIR, dir);
	_free_ char *html_option = html ? str_fmt("-output-dir=%s", html) : NULL;
	_vec_ struct words w = {};
	_str_ struct str objects = {};
	const char *const options[] = { tools->cov,
					ways[r->format].command,
					ways[r->format].option,
					r->format == COVERAGE_HTML ? html_option : NULL,
					r->ignore ? ignore : NULL,
					profile };
	int rc = read_objects(dir, &objects);

	if (!profile || !ignore || !html_option)
		return err_no_memory();
	for (size_t i = 0; rc == 0 && i < ARRAY_SIZE(options); i++)
		if (options[i])
			rc = vec_push(&w.items, options[i]);
	rc = rc ?: add_objects(&w, objects.s);
	rc = rc ?: vec_push(&w.items, NULL);
	return rc ? rc : run_cov(w.items.items, r, html);
}

int coverage_write_report(const char *dir, const struct coverage_report *r)
{
	_cleanup_(coverage_tools_finish) struct coverage_tools tools = {};
	_free_ char *merged = str_fmt("%s/" COVERAGE_MERGED, dir);
	int rc = merged ? merge(dir, merged, &tools) : err_no_memory();

	return rc < 0 ? rc : report(dir, merged, &tools, r);
}
