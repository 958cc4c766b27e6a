// SPDX-License-Identifier: GPL-2.0-only
#include "base/git.h"

#include <fcntl.h>

#include "base/child.h"
#include "base/cleanup.h"
#include "base/clock.h"
#include "base/err.h"

#define LIMIT_NS (120 * NSEC_PER_SEC)

int git_output(struct str *out, const char *const *argv)
{
	int status = child_output(argv, LIMIT_NS, out);

	if (status < 0)
		return status;
	str_trim_end(out);
	return status ? err_set(EINVAL, "git %s %s failed", argv[1], argv[2]) : 0;
}

void git_quietly(const char *const *argv)
{
	_cleanup_(child_finish) struct child c = {};
	_close_ int null_fd = open("/dev/null", O_WRONLY | O_CLOEXEC);

	if (null_fd < 0 ||
	    child_start(&c, &(struct child_opts){
				    .argv = argv, .stdout_fd = null_fd, .stderr_fd = null_fd }) < 0)
		err_clear();
	else
		child_wait(&c, LIMIT_NS);
}

int git_commit(const char *revision, struct str *out)
{
	_free_ char *commit = str_fmt("%s^{commit}", revision);
	int rc;

	if (!commit)
		return err_no_memory();
	rc = git_output(out, (const char *const[]){ "git", "rev-parse", "--quiet", "--verify",
						    "--end-of-options", commit, NULL });
	return rc == -EINVAL ? err_set(EINVAL, "'%s' is no commit of this repository", revision) :
			       rc;
}
