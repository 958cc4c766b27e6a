// SPDX-License-Identifier: GPL-2.0-only
/* Builds cache keys. */
#include "kernel/parts.h"

#include "base/hash.h"

/* Appends -ARCH-kcHASH, and the hash of an extra fragment. */
static char *finish(struct str *key, const char *extra_hash)
{
	str_addf(key, "-kc%s", kconfig_hash());
	if (*extra_hash)
		str_addf(key, "-xkc%s", extra_hash);
	return str_take(key);
}

char *key_tarball(const char *version, const char *extra_hash)
{
	struct str key = {};

	str_addf(&key, "%s-tarball-%s", version, cache_arch());
	return finish(&key, extra_hash);
}

char *key_git(const char *ref, const char *hash, const char *extra_hash)
{
	struct str key = {};

	/* A reference may contain slashes and start with a dot; a directory name must not. */
	for (const char *p = ref; *p; p++) {
		bool is_plain = isalnum((unsigned char)*p) || *p == '-' || *p == '_' ||
				(*p == '.' && p != ref);

		str_addc(&key, is_plain ? *p : '_');
	}
	str_addf(&key, "-git-%.7s-%s", hash, cache_arch());
	return finish(&key, extra_hash);
}

char *key_local(const char *hash, const char *config_hash, const char *extra_hash)
{
	struct str key = {};

	str_addf(&key, "local-%.7s-%s", hash, cache_arch());
	if (*config_hash)
		str_addf(&key, "-cfg%s", config_hash);
	return finish(&key, extra_hash);
}

char *key_local_unknown(const char *path, const char *extra_hash)
{
	struct str key = {};

	str_addf(&key, "local-unknown-%08x-%s", crc32_of(path, strlen(path)), cache_arch());
	return finish(&key, extra_hash);
}
