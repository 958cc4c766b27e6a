// SPDX-License-Identifier: GPL-2.0-only
/* Queries git and the Makefile. */
#include "kernel/build.h"

#include "base/git.h"

/* Value of "NAME = value" at the start of a line. */
static bool find_value(const char *makefile, const char *name, char *out, size_t size)
{
	size_t len = strlen(name);

	text_each_line(l, makefile) {
		const char *p = l.s + len;

		if (strncmp(l.s, name, len) == 0 && *(p += strspn(p, " \t")) == '=') {
			size_t value_len;

			p++;
			p += strspn(p, " \t");
			value_len = strcspn(p, " \t\n");
			if (value_len >= size)
				return false;
			memcpy(out, p, value_len);
			out[value_len] = '\0';
			return true;
		}
	}
	return false;
}

bool source_tree_parse_version(const char *makefile, struct kernel_version *out)
{
	char major[24], minor[24], patch[24] = "", extra[64] = "";

	*out = (struct kernel_version){};
	if (!find_value(makefile, "VERSION", major, sizeof(major)) ||
	    !find_value(makefile, "PATCHLEVEL", minor, sizeof(minor)) ||
	    parse_u64(major, &out->major) < 0 || parse_u64(minor, &out->minor) < 0)
		return false;
	find_value(makefile, "SUBLEVEL", patch, sizeof(patch));
	find_value(makefile, "EXTRAVERSION", extra, sizeof(extra));
	/* The first release of a series has SUBLEVEL 0 and is called 6.14, not 6.14.0. */
	out->has_patch = parse_u64(patch, &out->patch) == 0 && out->patch > 0;
	out->has_rc = str_starts(extra, "-rc") && parse_u64(extra + 3, &out->rc) == 0;
	return true;
}

#define GIT(path, out, ...)                                                               \
	git_quietly(out, (const char *const[]){ "git", "--no-optional-locks", "-C", path, \
						__VA_ARGS__, NULL })

/* A tree inside another repository does not count as in git. */
static enum tree_state look(const char *path, char hash[static 41])
{
	_str_ struct str top = {}, head = {}, changes = {};
	char real[PATH_MAX];

	hash[0] = '\0';
	if (!GIT(path, &top, "rev-parse", "--show-toplevel") || !realpath(str_get(&top), real) ||
	    !str_eq(real, path) || !GIT(path, &head, "rev-parse", "--verify", "HEAD") ||
	    head.len < 40)
		return TREE_NOT_GIT;
	memcpy(hash, head.s, 40);
	hash[40] = '\0';
	if (!GIT(path, &changes, "status", "--porcelain", "--untracked-files=no",
		 "--ignore-submodules=all"))
		return TREE_NOT_GIT;
	return changes.len ? TREE_DIRTY : TREE_CLEAN;
}

static bool has_file(const char *directory, const char *name)
{
	_free_ char *path = str_fmt("%s/%s", directory, name);

	return path && access(path, R_OK) == 0;
}

int source_tree_open(struct source_tree *tree, const char *path)
{
	_free_ char *makefile = NULL;
	_str_ struct str text = {};

	*tree = (struct source_tree){ .path = realpath(path, NULL) };
	if (!tree->path)
		return err_sys(errno, "open the source tree %s", path);
	if (!has_file(tree->path, "Makefile") || !has_file(tree->path, "Kconfig")) {
		source_tree_finish(tree);
		return err_set(EINVAL,
			       "%s is not a kernel source tree: it has no Makefile or no "
			       "Kconfig",
			       path);
	}
	makefile = str_fmt("%s/Makefile", tree->path);
	if (makefile && file_read_at(AT_FDCWD, makefile, &text) == 0)
		tree->has_version = source_tree_parse_version(str_get(&text), &tree->version);
	tree->state = look(tree->path, tree->hash);
	return 0;
}

bool source_tree_is_unchanged(const struct source_tree *tree)
{
	char hash[41];

	return look(tree->path, hash) == TREE_CLEAN && str_eq(hash, tree->hash);
}

void source_tree_finish(struct source_tree *tree)
{
	free(tree->path);
	*tree = (struct source_tree){};
}
