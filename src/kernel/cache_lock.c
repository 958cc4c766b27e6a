// SPDX-License-Identifier: GPL-2.0-only
/* Lock files of cache entries. */
#include "kernel/parts.h"

#include "host/lock_holders.h"

int cache_lock(const char *root, const char *name, bool exclusive, uint64_t timeout_ns)
{
	_free_ char *path = str_fmt("%s/.locks/%s.lock", root, name);

	return path ? lockfile_take(path, exclusive, timeout_ns) : err_no_memory();
}

int cache_store_timeout(uint64_t *timeout_ns)
{
	const char *text = env_get("KTSTR_CACHE_STORE_LOCK_TIMEOUT");
	uint64_t seconds;

	*timeout_ns = 60 * NSEC_PER_SEC;
	if (!text || parse_duration(text, timeout_ns) == 0)
		return 0;
	if (parse_u64(text, &seconds) < 0 || seconds > UINT64_MAX / NSEC_PER_SEC)
		return err_set(
			EINVAL,
			"KTSTR_CACHE_STORE_LOCK_TIMEOUT is '%s'; it takes a duration such as "
			"60s or 2m",
			text);
	*timeout_ns = seconds * NSEC_PER_SEC;
	return 0;
}
