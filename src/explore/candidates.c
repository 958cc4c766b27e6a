// SPDX-License-Identifier: GPL-2.0-only
/* Lists of kernels, files and commits; commits are built in a separate work tree. */
#include "explore/explore.h"

#include "base/git.h"
#include "kernel/cache.h"
#include "kernel/ident.h"

/* ---- kernels ---- */

/* An end of the range that is a single version is added even if no index lists it any more. */
static int add_end(struct version_list *list, const struct kernel_version *end)
{
	if (kernel_version_is_series(end))
		return 0;
	for (size_t i = 0; i < list->count; i++)
		if (kernel_version_compare(&list->items[i], end) == 0)
			return 0;
	return vec_push(list, *end);
}

static int by_version(const void *a, const void *b)
{
	return kernel_version_compare(a, b);
}

static int list_versions(struct version_list *list, const struct kernel_id *range,
			 const struct range_opts *opts)
{
	int rc = kernel_range_expand(range, opts, list);

	if (rc == -ENOENT)
		rc = 0; /* the ends may be all that there is */
	rc = rc ?: add_end(list, &range->version);
	rc = rc ?: add_end(list, &range->range_end);
	vec_sort(list, by_version);
	return rc;
}

int candidates_of_kernels(struct candidates *c, const char *good, const char *bad, bool include_eol,
			  const char *label)
{
	_free_ char *text = str_fmt("%s..%s", good, bad), *root = NULL;
	_version_list_ struct version_list list = {};
	_kernel_id_ struct kernel_id range = {};
	int rc = text ? kernel_id_parse(text, &range) : err_no_memory();

	c->kind = CANDIDATE_KERNEL;
	if (rc == 0 && range.kind != KERNEL_ID_RANGE)
		rc = err_set(EINVAL, "%s and %s are no kernel versions to go between", good, bad);
	rc = rc ?: cache_root(&root);
	if (rc == 0)
		rc = list_versions(&list, &range,
				   &(struct range_opts){ .root = root,
							 .label = label,
							 .include_eol = include_eol });
	for (size_t i = 0; i < list.count && rc == 0; i++) {
		char version[KERNEL_VERSION_TEXT_SIZE];

		kernel_version_format(&list.items[i], version);
		rc = texts_add(&c->names, version);
	}
	return rc;
}

/* ---- programs ---- */

int candidates_of_programs(struct candidates *c, const char *const *files, size_t count)
{
	int rc = 0;

	c->kind = CANDIDATE_PROGRAM;
	for (size_t i = 0; i < count && rc == 0; i++) {
		if (access(files[i], X_OK) < 0)
			return err_sys(errno, "use the scheduler %s", files[i]);
		rc = texts_add(&c->names, files[i]);
	}
	return rc;
}

/* ---- commits ---- */

/* "HASH subject" lines. */
static int add_commits(struct candidates *c, struct str *lines)
{
	char *save = NULL;
	int rc = 0;

	if (!lines->len)
		return 0;
	for (char *line = strtok_r(lines->s, "\n", &save); line && rc == 0;
	     line = strtok_r(NULL, "\n", &save)) {
		char *blank = strchr(line, ' ');

		if (blank)
			*blank = '\0';
		rc = texts_add(&c->subjects, blank ? blank + 1 : "") ?: texts_add(&c->names, line);
	}
	return rc;
}

/* If nothing leads from good to bad, checks whether they were swapped. */
static int refuse_swapped(const char *good, const char *bad)
{
	_free_ char *back = str_fmt("%s..%s", bad, good);
	_str_ struct str between = {};
	int rc;

	if (!back)
		return err_no_memory();
	rc = git_output(&between,
			(const char *const[]){ "git", "log", "-1", "--format=%H", back, NULL });
	if (rc == 0 && between.len)
		rc = err_set(EINVAL,
			     "inverted commit range '%s..%s': %s comes before %s; did you mean "
			     "--good %s --bad %s?",
			     good, bad, bad, good, bad, good);
	return rc;
}

int candidates_of_commits(struct candidates *c, const char *good, const char *bad)
{
	_free_ char *range = str_fmt("%s..%s", good, bad);
	_str_ struct str first = {}, others = {};
	int rc;

	c->kind = CANDIDATE_COMMIT;
	if (!range)
		return err_no_memory();
	rc = git_output(&first,
			(const char *const[]){ "git", "log", "-1", "--format=%H %s", good, NULL });
	if (rc == 0)
		rc = git_output(&others,
				(const char *const[]){ "git", "log", "--reverse", "--first-parent",
						       "--format=%H %s", range, NULL });
	if (rc == 0 && !others.len)
		rc = refuse_swapped(good, bad);
	rc = rc ?: add_commits(c, &first);
	return rc < 0 ? rc : add_commits(c, &others);
}

static int check_out(struct candidates *c, const char *commit)
{
	_free_ char *place = NULL;
	int rc;

	if (c->tree.path)
		return worktree_switch(&c->tree, commit);
	place = worktree_scratch("ktstr-bisect");
	if (!place)
		return -EIO;
	rc = worktree_make(&c->tree, place, commit);
	if (rc < 0)
		rmdir(place);
	return rc;
}

/* If a build makes no program, that of another commit must not be tested instead. */
static int remove_built(const struct candidates *c)
{
	_free_ char *path = c->tree.path ? str_fmt("%s/%s", c->tree.path, c->binary) : NULL;

	if (!c->tree.path)
		return 0;
	if (!path)
		return err_no_memory();
	return unlink(path) == 0 || errno == ENOENT || errno == ENOTDIR ?
		       0 :
		       err_sys(errno, "remove %s", path);
}

int candidates_make_program(struct candidates *c, size_t i, char **path)
{
	int rc;

	if (c->kind == CANDIDATE_PROGRAM) {
		*path = realpath(c->names.items[i], NULL);
		return *path ? 0 : err_sys(errno, "use the scheduler %s", c->names.items[i]);
	}
	rc = remove_built(c) ?: check_out(c, c->names.items[i]);
	rc = rc ?: worktree_build(&c->tree, c->build);
	if (rc != 0)
		return rc < 0 ? rc : CANDIDATE_FAILS;
	*path = str_fmt("%s/%s", c->tree.path, c->binary);
	if (!*path)
		return err_no_memory();
	return access(*path, X_OK) < 0 ? CANDIDATE_LACKS_PROGRAM : 0;
}

void candidates_finish(struct candidates *c)
{
	worktree_finish(&c->tree);
	texts_finish(&c->names);
	texts_finish(&c->subjects);
	*c = (struct candidates){};
}
