// SPDX-License-Identifier: GPL-2.0-only
/* The ticket queue. */
#include "host/queue.h"

#include <dirent.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>

#include "base/err.h"
#include "base/parse.h"
#include "base/str.h"
#include "base/util.h"

#define NUMBER_DIGITS 10

static bool ticket_number(const char *name, uint64_t *number)
{
	if (!str_starts(name, QUEUE_TICKET))
		return false;
	name += strlen(QUEUE_TICKET);
	return strlen(name) == NUMBER_DIGITS && parse_u64(name, number) == 0;
}

static void ticket_name(char name[static NAME_MAX], uint64_t number)
{
	snprintf(name, NAME_MAX, QUEUE_TICKET "%0*llu", NUMBER_DIGITS, (unsigned long long)number);
}

/* Everybody's directory, whatever the umask of the one who makes it. */
static int make_dir(const char *path)
{
	if (mkdir(path, 0777) == 0)
		return chmod(path, 0777) < 0 ? -errno : 0;
	return errno == EEXIST ? 0 : -errno;
}

static int last_number(const char *path, uint64_t *last)
{
	_closedir_ DIR *dir = opendir(path);
	struct dirent *entry;

	if (!dir)
		return -errno;
	*last = 0;
	while ((entry = readdir(dir))) {
		uint64_t number;

		if (ticket_number(entry->d_name, &number))
			*last = MAX(*last, number);
	}
	return 0;
}

/* Links the locked, nameless file under the first number that is free behind all others. */
static int publish(struct queue_ticket *t)
{
	_close_ int dir = open(t->dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	char self[64], name[NAME_MAX];
	int rc;

	if (dir < 0)
		return -errno;
	snprintf(self, sizeof(self), "/proc/self/fd/%d", t->fd);
	do {
		rc = last_number(t->dir, &t->number);
		if (rc < 0)
			return rc;
		ticket_name(name, ++t->number);
		rc = linkat(AT_FDCWD, self, dir, name, AT_SYMLINK_FOLLOW) < 0 ? -errno : 0;
	} while (rc == -EEXIST);
	return rc;
}

static int join(struct queue_ticket *t, const char *lock_dir)
{
	int rc;

	t->dir = str_fmt("%s/" QUEUE_DIR, lock_dir);
	if (!t->dir)
		return -ENOMEM;
	rc = make_dir(t->dir);
	if (rc < 0)
		return rc;
	t->fd = open(t->dir, O_TMPFILE | O_RDWR | O_CLOEXEC, 0666);
	if (t->fd < 0)
		return errno == EISDIR ? -EOPNOTSUPP : -errno;
	/* Others open it to see whether we live. */
	fchmod(t->fd, 0666);
	if (flock(t->fd, LOCK_EX | LOCK_NB) < 0)
		return -errno;
	return publish(t);
}

int queue_join(struct queue_ticket *t, const char *lock_dir)
{
	int rc;

	*t = (struct queue_ticket){ .fd = -1 };
	rc = join(t, lock_dir);
	if (rc == 0)
		return 0;
	t->number = 0;
	queue_leave(t);
	return err_sys(-rc, "join the queue in %s/" QUEUE_DIR, lock_dir);
}

static bool is_alive(int dir, const char *name)
{
	_close_ int fd = openat(dir, name, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);

	if (fd < 0)
		return errno != ENOENT && errno != ELOOP;
	if (flock(fd, LOCK_SH | LOCK_NB) < 0)
		return true;
	unlinkat(dir, name, 0);
	return false;
}

/* Living tickets with numbers below limit. */
static int count_living(const char *path, uint64_t limit)
{
	_closedir_ DIR *dir = opendir(path);
	struct dirent *entry;
	int count = 0;

	if (!dir)
		return -errno;
	while ((entry = readdir(dir))) {
		uint64_t number;

		if (ticket_number(entry->d_name, &number) && number < limit)
			count += is_alive(dirfd(dir), entry->d_name);
	}
	return count;
}

int queue_position(const struct queue_ticket *t)
{
	int count = count_living(t->dir, t->number);

	return count < 0 ? err_sys(-count, "read the queue %s", t->dir) : count;
}

int queue_length(const char *lock_dir)
{
	_free_ char *path = str_fmt("%s/" QUEUE_DIR, lock_dir);
	int count;

	if (!path)
		return err_set(ENOMEM, "out of memory");
	count = count_living(path, UINT64_MAX);
	if (count == -ENOENT)
		return 0;
	return count < 0 ? err_sys(-count, "read the queue %s", path) : count;
}

void queue_leave(struct queue_ticket *t)
{
	char name[NAME_MAX];

	if (t->fd >= 0 && t->number) {
		_free_ char *path = NULL;

		ticket_name(name, t->number);
		path = str_fmt("%s/%s", t->dir, name);
		if (path)
			unlink(path);
	}
	cleanup_fd(&t->fd);
	free(t->dir);
	*t = (struct queue_ticket){ .fd = -1 };
}
