// SPDX-License-Identifier: GPL-2.0-only
/* Creates git work trees, builds in them and removes them. */
#include "explore/explore.h"

#include "base/git.h"

#define BUILD_LIMIT_NS (3600 * NSEC_PER_SEC)
#define BUILD_STEP_NS (100 * NSEC_PER_MSEC)

char *worktree_scratch(const char *name)
{
	const char *tmp = env_get("TMPDIR");
	_free_ char *place = str_fmt("%s/%s.XXXXXX", tmp ? tmp : "/tmp", name);

	if (!place) {
		err_no_memory();
		return NULL;
	}
	if (!mkdtemp(place)) {
		err_sys(errno, "make the directory %s for work trees", place);
		return NULL;
	}
	return take_ptr(&place);
}

int worktree_make(struct worktree *w, const char *path, const char *commit)
{
	_str_ struct str out = {};
	int rc = git_output(&out,
			    (const char *const[]){ "git", "worktree", "add", "--quiet", "--detach",
						   "--force", path, commit, NULL });

	if (rc < 0)
		return rc;
	w->path = strdup(path);
	return w->path ? 0 : err_no_memory();
}

int worktree_switch(const struct worktree *w, const char *commit)
{
	_str_ struct str out = {};

	return git_output(&out, (const char *const[]){ "git", "-C", w->path, "checkout", "--quiet",
						       "--force", "--detach", commit, NULL });
}

/* `git worktree move` would refuse a tree with submodules. */
int worktree_move(struct worktree *w, const char *path)
{
	char *copy = strdup(path);

	if (!copy)
		return err_no_memory();
	if (rename(w->path, path) < 0) {
		free(copy);
		return err_sys(errno, "move the work tree %s", w->path);
	}
	free(w->path);
	w->path = copy;
	git_quietly(NULL, (const char *const[]){ "git", "worktree", "repair", path, NULL });
	return 0;
}

int worktree_build(const struct worktree *w, const char *command)
{
	_cleanup_(child_finish) struct child child = {};
	const char *const argv[] = { "sh", "-c", command, NULL };
	uint64_t deadline = clock_mono_ns() + BUILD_LIMIT_NS;
	int rc = child_start(&child, &(struct child_opts){ .argv = argv,
							   .directory = w->path,
							   .stdout_fd = STDERR_FILENO });

	if (rc < 0)
		return rc;
	/* It has a process group of its own, which Ctrl-C does not reach. */
	do {
		rc = child_wait(&child, BUILD_STEP_NS);
		if (interrupt_check() < 0)
			return -EINTR;
	} while (rc == -ETIMEDOUT && clock_mono_ns() < deadline);
	return rc;
}

void worktree_finish(struct worktree *w)
{
	_str_ struct str out = {};

	if (w->path)
		git_output(&out, (const char *const[]){ "git", "worktree", "remove", "--force",
							w->path, NULL });
	free(w->path);
	*w = (struct worktree){};
}
