// SPDX-License-Identifier: GPL-2.0-only
#include "base/git.h"

#include "base/base.h"

#define LIMIT_NS (120 * NSEC_PER_SEC)

int git_output(struct str *out, const char *const *argv)
{
	int status = child_output(argv, LIMIT_NS, out);

	if (status < 0)
		return status;
	str_trim_end(out);
	return status ? err_set(EINVAL, "git %s %s failed", argv[1], argv[2]) : 0;
}

bool git_quietly(struct str *out, const char *const *argv)
{
	_close_ int null_fd = open("/dev/null", O_WRONLY | O_CLOEXEC);
	_str_ struct str unwanted = {};
	struct child_opts opts = { .argv = argv, .stderr_fd = null_fd };
	int status = null_fd < 0 ?
			     -errno :
			     child_output_limited(&opts, LIMIT_NS, SIZE_MAX, out ? out : &unwanted);

	if (status < 0)
		err_clear();
	if (out)
		str_trim_end(out);
	return status == 0;
}

static int complain(const char *revision)
{
	static const char *const place[] = { "git", "rev-parse", "--git-dir", NULL };

	return git_quietly(NULL, place) ?
		       err_set(EINVAL, "'%s' is not a commit of this repository", revision) :
		       err_set(EINVAL, "this directory is not in a git repository");
}

int git_commit(const char *revision, struct str *out)
{
	_free_ char *commit = str_fmt("%s^{commit}", revision);
	const char *const argv[] = { "git",  "rev-parse", "--quiet", "--verify", "--end-of-options",
				     commit, NULL };

	if (!commit)
		return err_no_memory();
	return git_quietly(out, argv) ? 0 : complain(revision);
}
