// SPDX-License-Identifier: GPL-2.0-only
/* Builds labels and rejects ambiguous ones. */
#include "kernel/ident.h"

#include "base/hash.h"

void kernel_label_sanitize(struct str *out, const char *raw)
{
	bool is_gap = false, is_first = true;

	str_add(out, "kernel_");
	for (; *raw; raw++) {
		if (!isascii((unsigned char)*raw) || !isalnum((unsigned char)*raw)) {
			is_gap = true;
			continue;
		}
		if (is_gap && !is_first)
			str_addc(out, '_');
		str_addc(out, (char)tolower((unsigned char)*raw));
		is_gap = is_first = false;
	}
}

/* {version}-tarball-..., {ref}-git-{hash7}-..., local-{hash7}-... */
static void add_key(struct str *out, const char *key)
{
	static const char *const kinds[] = { "-tarball-", "-git-", "-debian-", "-installed-" };

	if (str_starts(key, "local-unknown")) {
		str_add(out, "local_unknown");
		return;
	}
	if (str_starts(key, "local-")) {
		str_addf(out, "local_%.6s", key + strlen("local-"));
		return;
	}
	for (size_t i = 0; i < ARRAY_SIZE(kinds); i++) {
		const char *at = strstr(key, kinds[i]);

		if (at) {
			str_addn(out, key, (size_t)(at - key));
			return;
		}
	}
	str_add(out, key);
}

/* The last two components of the URL are owner and repository. */
static void add_git(struct str *out, const struct kernel_id *id)
{
	size_t len = strlen(id->url);
	const char *end, *start;
	int slashes = 0;

	while (len && id->url[len - 1] == '/')
		len--;
	if (len > 4 && strncmp(id->url + len - 4, ".git", 4) == 0)
		len -= 4;
	end = id->url + len;
	for (start = end; start > id->url; start--) {
		if (start[-1] == '/' && ++slashes == 2)
			break;
		if (start[-1] == ':')
			break;
	}
	str_add(out, "git_");
	str_addn(out, start, (size_t)(end - start));
	str_addf(out, "_%s", id->ref);
}

static int add_path(struct str *out, const struct kernel_id *id, bool is_dirty)
{
	char full[PATH_MAX];
	const char *name;
	char crc[9];

	if (!realpath(id->text, full))
		return err_sys(errno, "find %s", id->text);
	name = strrchr(full, '/') + 1;
	snprintf(crc, sizeof(crc), "%08x", crc32_of(full, strlen(full)));
	str_addf(out, "path_%s_%.6s%s", name, crc, is_dirty ? "_dirty" : "");
	return 0;
}

int kernel_label_raw(struct str *out, const struct kernel_id *id, bool is_dirty)
{
	switch (id->kind) {
	case KERNEL_ID_GIT:
		add_git(out, id);
		return 0;
	case KERNEL_ID_KEY:
		add_key(out, id->text);
		return 0;
	case KERNEL_ID_PATH:
		return add_path(out, id, is_dirty);
	case KERNEL_ID_VERSION:
	case KERNEL_ID_RANGE:
		str_add(out, id->text);
		return 0;
	}
	return 0;
}

int kernel_label_check(const char *const *raw, size_t count)
{
	_str_ struct str a = {}, b = {};

	for (size_t i = 1; i < count; i++) {
		str_reset(&a);
		kernel_label_sanitize(&a, raw[i]);
		for (size_t k = 0; k < i; k++) {
			str_reset(&b);
			kernel_label_sanitize(&b, raw[k]);
			if (str_eq(str_get(&a), str_get(&b)))
				return err_set(EINVAL,
					       "kernels '%s' and '%s' would both be called %s in "
					       "test names; name only one of them",
					       raw[k], raw[i], str_get(&a));
		}
	}
	return str_check(&a) < 0 ? -ENOMEM : str_check(&b);
}
