/* flock() with a deadline. */
#include "kernel/cache_lock.h"

#include <fcntl.h>
#include <sys/file.h>
#include <time.h>

#include "base/clock.h"
#include "base/err.h"
#include "base/file.h"
#include "base/parse.h"
#include "base/str.h"
#include "base/util.h"

#define POLL_NS (100 * NSEC_PER_MSEC)

static int open_lock(const char *root, const char *name)
{
	_free_ char *directory = str_fmt("%s/.locks", root);
	_free_ char *path = str_fmt("%s/.locks/%s.lock", root, name);
	int rc, fd;

	if (!directory || !path)
		return err_set(ENOMEM, "out of memory");
	fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0644);
	if (fd >= 0)
		return fd;
	rc = file_make_dirs(directory, 0755);
	if (rc < 0)
		return rc;
	fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0644);
	return fd >= 0 ? fd : err_sys(errno, "open the lock %s", path);
}

int cache_lock(const char *root, const char *name, bool exclusive, uint64_t timeout_ns)
{
	uint64_t start = clock_mono_ns();
	_close_ int fd = open_lock(root, name);

	if (fd < 0)
		return fd;
	while (flock(fd, (exclusive ? LOCK_EX : LOCK_SH) | LOCK_NB) < 0) {
		if (errno != EWOULDBLOCK && errno != EINTR)
			return err_sys(errno, "lock %s/.locks/%s.lock", root, name);
		if (clock_mono_ns() - start >= timeout_ns)
			return err_set(ETIMEDOUT,
				       "%s is in use by another process (%s/.locks/%s.lock, waited "
				       "%llu s)",
				       name, root, name,
				       (unsigned long long)(timeout_ns / NSEC_PER_SEC));
		nanosleep(&(struct timespec){ .tv_nsec = POLL_NS }, NULL);
	}
	return take_fd(&fd);
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
