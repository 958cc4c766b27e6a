// SPDX-License-Identifier: GPL-2.0-only
/* Makes shallow clones. */
#include "kernel/parts.h"

#define ASK_TIMEOUT_NS (60 * NSEC_PER_SEC)
#define CLONE_TIMEOUT_NS (1800 * NSEC_PER_SEC)
#define MAX_ARGS 24

/* Never asks for a password, and aborts if the server stalls. */
static int run_git(const char *directory, const char *what, uint64_t timeout_ns, struct str *out,
		   const char *const *words)
{
	const char *argv[MAX_ARGS] = { "env",
				       "GIT_TERMINAL_PROMPT=0",
				       "GIT_HTTP_LOW_SPEED_LIMIT=1",
				       "GIT_HTTP_LOW_SPEED_TIME=30",
				       "git",
				       "-C",
				       directory };
	size_t count = 7;

	while (*words && count + 1 < MAX_ARGS)
		argv[count++] = *words++;
	return command_run(&(struct command){ .argv = argv,
					      .timeout_ns = timeout_ns,
					      .what = what,
					      .merge_stderr = true },
			   out);
}

#define GIT(directory, what, timeout_ns, out, ...) \
	run_git(directory, what, timeout_ns, out, (const char *const[]){ __VA_ARGS__, NULL })

static int complain(const struct kernel_id *id, const struct str *out)
{
	const char *text = str_get(out);
	const char *fatal = strstr(text, "fatal: ");
	size_t len;

	if (fatal)
		text = fatal + strlen("fatal: ");
	len = strcspn(text, "\n");
	return err_set(EIO, "git cannot read %s: %.*s", id->url, (int)len, text);
}

static bool is_hash(const char *text)
{
	return strspn(text, "0123456789abcdefABCDEF") == strlen(text) && strlen(text) == 40;
}

/* Appends the full name of the reference, or a pattern for any kind. */
static void add_ref(struct str *out, const struct kernel_id *id)
{
	if (id->ref_kind == KERNEL_REF_TAG)
		str_add(out, "refs/tags/");
	if (id->ref_kind == KERNEL_REF_BRANCH)
		str_add(out, "refs/heads/");
	str_add(out, id->ref);
}

/* Parses lines "HASH\tNAME"; the commit of an annotated tag ends in ^{} and takes precedence. */
static bool find_tip(const char *lines, const char *name, char hash[static 41])
{
	size_t name_len = strlen(name);
	bool found = false;

	text_each_line(l, lines) {
		const char *ref = l.s + 41;
		size_t ref_len = l.len > 41 ? l.len - 41 : 0;
		bool is_peeled = ref_len > 3 && strncmp(ref + ref_len - 3, "^{}", 3) == 0;

		if (is_peeled)
			ref_len -= 3;
		if (ref_len >= name_len && strncmp(ref + ref_len - name_len, name, name_len) == 0 &&
		    (ref_len == name_len || ref[ref_len - name_len - 1] == '/') &&
		    (!found || is_peeled)) {
			memcpy(hash, l.s, 40);
			hash[40] = '\0';
			found = true;
		}
	}
	return found;
}

int git_source_tip(const struct kernel_id *id, char hash[static 41])
{
	_str_ struct str name = {}, peeled = {}, out = {};
	int rc;

	if (is_hash(id->ref)) {
		for (size_t i = 0; i < 40; i++)
			hash[i] = (char)tolower((unsigned char)id->ref[i]);
		hash[40] = '\0';
		return 0;
	}
	add_ref(&name, id);
	str_addf(&peeled, "%s^{}", str_get(&name));
	rc = GIT("/", NULL, ASK_TIMEOUT_NS, &out, "ls-remote", "--", id->url, str_get(&name),
		 str_get(&peeled));
	if (rc < 0)
		return rc;
	if (rc > 0)
		return complain(id, &out);
	if (!find_tip(str_get(&out), id->ref, hash))
		return err_set(ENOENT, "%s has no branch or tag '%s'", id->url, id->ref);
	return 0;
}

int git_source_clone(const struct kernel_id *id, const char *hash, const char *directory,
		     const char *label)
{
	_free_ char *what = str_fmt("%s: cloning %s (s)", label, id->url);
	_str_ struct str name = {}, out = {};
	int rc;

	if (!what)
		return err_no_memory();
	add_ref(&name, id);
	rc = GIT(directory, NULL, ASK_TIMEOUT_NS, &out, "init", "--quiet");
	/* By name if there is one: not every server allows fetching by hash. */
	if (rc == 0)
		rc = GIT(directory, what, CLONE_TIMEOUT_NS, &out, "fetch", "--quiet", "--depth",
			 "1", "--", id->url, str_get(&name));
	if (rc == 0)
		rc = GIT(directory, NULL, CLONE_TIMEOUT_NS, &out, "checkout", "--quiet",
			 "FETCH_HEAD");
	if (rc > 0)
		return complain(id, &out);
	if (rc == 0) {
		str_reset(&out);
		rc = GIT(directory, NULL, ASK_TIMEOUT_NS, &out, "rev-parse", "HEAD");
		if (rc == 0 && !str_starts(str_get(&out), hash))
			rc = err_set(EAGAIN, "'%s' of %s moved while it was cloned; try again",
				     id->ref, id->url);
	}
	return rc;
}
