// SPDX-License-Identifier: GPL-2.0-only
/* Classifies kernel identifiers. The order of the checks is the grammar. */
#include "kernel/ident.h"

static bool is_sha1(const char *text)
{
	size_t len = strspn(text, "0123456789abcdefABCDEF");

	return len == 40 && text[len] == '\0';
}

/* Parses a git reference, the text after '#'. */
static int parse_ref(const char *text, struct kernel_id *out)
{
	static const struct {
		const char *prefix;
		enum kernel_ref_kind kind;
	} kinds[] = {
		{ "tag=", KERNEL_REF_TAG },
		{ "branch=", KERNEL_REF_BRANCH },
		{ "sha=", KERNEL_REF_SHA },
		{ "", KERNEL_REF_ANY },
	};
	size_t i = 0;

	while (!str_starts(text, kinds[i].prefix))
		i++;
	text += strlen(kinds[i].prefix);
	out->ref_kind = kinds[i].kind;
	if (!*text || *text == '-')
		return err_set(EINVAL, "'%s' is not the name of a git reference", text);
	if (out->ref_kind == KERNEL_REF_SHA && !is_sha1(text))
		return err_set(EINVAL, "'%s' is not a commit: sha= takes 40 hexadecimal digits",
			       text);
	out->ref = strdup(text);
	return out->ref ? 0 : err_no_memory();
}

static int parse_git(const char *text, struct kernel_id *out)
{
	const char *url = text + strlen("git+");
	const char *hash = strrchr(url, '#');

	if (!hash || hash == url || hash[1] == '\0')
		return err_set(EINVAL,
			       "malformed kernel identifier '%s': a git source is git+URL#REF",
			       text);
	out->kind = KERNEL_ID_GIT;
	out->url = strndup(url, (size_t)(hash - url));
	if (!out->url)
		return err_no_memory();
	return err_wrap(parse_ref(hash + 1, out), "malformed kernel identifier '%s'", text);
}

/* Returns whether it is a range, inverted or not. */
static bool parse_range(const char *text, struct kernel_id *out)
{
	const char *dots = strstr(text, "..");
	_free_ char *start = NULL;

	if (!dots)
		return false;
	start = strndup(text, (size_t)(dots - text));
	dots += dots[2] == '=' ? 3 : 2;
	return start && kernel_version_parse(start, &out->version) == 0 &&
	       kernel_version_parse(dots, &out->range_end) == 0;
}

static int check_range(const char *text, struct kernel_id *out)
{
	char start[KERNEL_VERSION_TEXT_SIZE], end[KERNEL_VERSION_TEXT_SIZE];

	out->kind = KERNEL_ID_RANGE;
	if (kernel_version_in_range(&out->version, &out->version, &out->range_end))
		return 0;
	kernel_version_format(&out->version, start);
	kernel_version_format(&out->range_end, end);
	return err_set(EINVAL,
		       "inverted kernel range '%s': %s is newer than %s; did you mean %s..%s?",
		       text, start, end, end, start);
}

/* Expands ~ of the current user only: ~user is taken literally. */
static char *expand_home(const char *text)
{
	const char *home = env_get("HOME");

	if (text[0] != '~' || (text[1] && text[1] != '/') || !home)
		return strdup(text);
	return str_fmt("%s%s", home, text + 1);
}

static int classify(const char *text, struct kernel_id *out)
{
	if (!*text)
		return err_set(EINVAL, "the kernel identifier is empty: give a version, a range, a "
				       "path, git+URL#REF or a cache key");
	if (str_starts(text, "git+"))
		return parse_git(text, out);
	if (parse_range(text, out))
		return check_range(text, out);
	if (strchr(text, '/') || text[0] == '.' || text[0] == '~')
		out->kind = KERNEL_ID_PATH;
	else if (kernel_version_parse(text, &out->version) == 0)
		out->kind = KERNEL_ID_VERSION;
	else
		out->kind = KERNEL_ID_KEY;
	return 0;
}

int kernel_id_parse(const char *text, struct kernel_id *out)
{
	int rc;

	*out = (struct kernel_id){};
	rc = classify(text, out);
	if (rc == 0) {
		out->text = out->kind == KERNEL_ID_PATH ? expand_home(text) : strdup(text);
		if (!out->text)
			rc = err_no_memory();
	}
	if (rc < 0)
		kernel_id_finish(out);
	return rc;
}

void kernel_id_finish(struct kernel_id *id)
{
	free(id->text);
	free(id->url);
	free(id->ref);
	*id = (struct kernel_id){};
}

static int add_segment(struct kernel_id_list *list, const char *start, size_t len)
{
	_free_ char *segment = NULL;
	struct kernel_id id;
	int rc;

	while (len && isspace((unsigned char)*start))
		start++, len--;
	while (len && isspace((unsigned char)start[len - 1]))
		len--;
	if (!len)
		return 0;
	segment = strndup(start, len);
	if (!segment)
		return err_no_memory();
	rc = kernel_id_parse(segment, &id);
	if (rc < 0)
		return rc;
	rc = vec_push(list, id);
	if (rc < 0)
		kernel_id_finish(&id);
	return rc;
}

int kernel_id_list_add(struct kernel_id_list *list, const char *text)
{
	size_t before = list->count;
	int rc = 0;

	for (const char *p = text; rc == 0;) {
		size_t len = strcspn(p, ",");

		rc = add_segment(list, p, len);
		if (!p[len])
			break;
		p += len + 1;
	}
	if (rc == 0 && list->count == before)
		rc = err_set(EINVAL, "the kernel identifier is empty: give a version, a range, a "
				     "path, git+URL#REF or a cache key");
	return rc;
}

void kernel_id_list_finish(struct kernel_id_list *list)
{
	vec_release(list, each, kernel_id_finish(each));
	*list = (struct kernel_id_list){};
}
