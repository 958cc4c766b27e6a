// SPDX-License-Identifier: GPL-2.0-only
#include "delta/fresh.h"

#include "base/git.h"

static int merge_base(const char *ref, struct str *out)
{
	_str_ struct str commit = {};
	int rc = git_commit(ref, &commit);

	if (rc < 0)
		return rc;
	rc = git_output(out, (const char *const[]){ "git", "merge-base", "HEAD", str_get(&commit),
						    NULL });
	return rc == -EINVAL ? err_set(EINVAL, "HEAD and '%s' have no commit in common", ref) : rc;
}

static int find_base(const struct baseline_request *r, struct str *out, const char **how)
{
	const char *github = env_get("GITHUB_BASE_REF");
	_free_ char *remote = NULL;

	if (r->base) {
		*how = "--base";
		return git_commit(r->base, out);
	}
	if (r->base_ref) {
		*how = "the merge base with --base-ref";
		return merge_base(r->base_ref, out);
	}
	if (!github) {
		*how = "the merge base with --default-branch";
		return merge_base(r->default_branch, out);
	}
	*how = "the merge base with $GITHUB_BASE_REF";
	remote = str_fmt("origin/%s", github);
	return remote ? merge_base(remote, out) : err_no_memory();
}

int baseline_find(const struct baseline_request *r, struct baseline *to)
{
	_str_ struct str base = {}, head = {};
	const char *how = "";
	int rc = git_commit("HEAD", &head);

	*to = (struct baseline){};
	rc = rc ?: find_base(r, &base, &how);
	if (rc < 0)
		return rc;
	if (str_eq(str_get(&base), str_get(&head)))
		return err_set(EINVAL, "%s is HEAD itself (%.12s): there is nothing to compare",
			       how, str_get(&head));
	to->base = str_take(&base);
	to->head = str_take(&head);
	return to->base && to->head ? 0 : err_no_memory();
}

void baseline_finish(struct baseline *b)
{
	free(b->base);
	free(b->head);
	*b = (struct baseline){};
}
