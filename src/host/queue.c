// SPDX-License-Identifier: GPL-2.0-only
/* The ticket queue. */
#include "host/reserve.h"

#include <sys/file.h>

#define NUMBER_DIGITS 10 /* minimum, so that names sort */

/* The name may have any number of digits: the one after 9999999999 has one more. */
static bool ticket_number(const char *name, uint64_t *number)
{
	if (!str_starts(name, QUEUE_TICKET))
		return false;
	return parse_u64(name + strlen(QUEUE_TICKET), number) == 0;
}

static void ticket_name(char name[static NAME_MAX], uint64_t number)
{
	snprintf(name, NAME_MAX, QUEUE_TICKET "%0*llu", NUMBER_DIGITS, ULL(number));
}

/*
 * A directory for a queue must be writable for all users, whoever created it. A directory
 * that another user keeps private may have been put there to make this process write to it.
 */
static int check_dir(int dir, const char *path)
{
	struct stat st;

	if (fstat(dir, &st) < 0)
		return err_sys(errno, "look at %s", path);
	if (st.st_uid == geteuid() || (st.st_mode & 0777) == 0777)
		return 0;
	return err_set(EPERM, "%s belongs to user %u and is not open to everybody: remove it", path,
		       (unsigned int)st.st_uid);
}

/*
 * Opens the directory itself, never the target of a link: the place is shared, and any user
 * may have created the name. From here on, only names inside of it are used.
 */
static int open_dir(const char *path)
{
	_close_ int dir = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	int rc;

	if (dir < 0)
		return err_sys(errno, "open %s", path);
	rc = check_dir(dir, path);
	return rc ?: take_fd(&dir);
}

/* Creates a directory that is writable for all users, whatever the umask. */
static int make_dir(const char *path)
{
	bool is_made = mkdir(path, 0777) == 0;
	int dir;

	if (!is_made && errno != EEXIST)
		return err_sys(errno, "make %s", path);
	dir = open_dir(path);
	if (dir >= 0 && is_made)
		fchmod(dir, 0777);
	return dir;
}

/* Opens a stream of its own for a directory that stays open. */
static DIR *list_dir(int dir)
{
	_close_ int fd = openat(dir, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *list = fd < 0 ? NULL : fdopendir(fd);

	if (list)
		take_fd(&fd);
	return list;
}

/*
 * Tickets are regular files that all users may read, locked while their process lives. Any
 * other file with such a name is not a ticket and is not waited for.
 */
static bool is_alive(int dir, const char *name)
{
	_close_ int fd = openat(dir, name, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
	struct stat st;

	if (fd < 0 || fstat(fd, &st) < 0 || !S_ISREG(st.st_mode))
		return false;
	if (flock(fd, LOCK_SH | LOCK_NB) < 0)
		return errno == EWOULDBLOCK;
	unlinkat(dir, name, 0);
	return false;
}

/* Calls visit for each living ticket with a number below limit; returns their number. */
static int visit_living(int queue, uint64_t limit,
			void (*visit)(void *ctx, const char *name, uint64_t number), void *ctx)
{
	_closedir_ DIR *dir = list_dir(queue);
	struct dirent *entry;
	int count = 0;

	if (!dir)
		return err_sys(errno, "read the queue");
	while ((entry = readdir(dir))) {
		uint64_t number;

		if (!ticket_number(entry->d_name, &number) || number >= limit ||
		    !is_alive(queue, entry->d_name))
			continue;
		count++;
		if (visit)
			visit(ctx, entry->d_name, number);
	}
	return count;
}

static void note_last(void *ctx, const char *name _unused_, uint64_t number)
{
	uint64_t *last = ctx;

	*last = MAX(*last, number);
}

/*
 * Links the locked, unnamed file under the first free number after all others. A name that
 * is taken, but not by a living ticket, and cannot be removed, is skipped.
 */
static int publish(struct queue_ticket *t)
{
	char self[64], name[NAME_MAX];
	int rc;

	snprintf(self, sizeof(self), "/proc/self/fd/%d", t->fd);
	do {
		rc = interrupt_check() ?: visit_living(t->dir, UINT64_MAX, note_last, &t->number);
		if (rc < 0)
			return rc;
		if (t->number >= UINT64_MAX - 1)
			return err_set(ERANGE, "no number is left after ticket %llu",
				       ULL(t->number));
		ticket_name(name, ++t->number);
		rc = linkat(AT_FDCWD, self, t->dir, name, AT_SYMLINK_FOLLOW) < 0 ? -errno : 0;
	} while (rc == -EEXIST);
	return rc < 0 ? err_sys(-rc, "name a ticket") : 0;
}

static int join(struct queue_ticket *t, const char *lock_dir)
{
	t->path = str_fmt("%s/" QUEUE_DIR, lock_dir);
	if (!t->path)
		return err_no_memory();
	t->dir = make_dir(t->path);
	if (t->dir < 0)
		return t->dir;
	t->fd = openat(t->dir, ".", O_TMPFILE | O_RDWR | O_CLOEXEC, 0666);
	if (t->fd < 0)
		return err_sys(errno == EISDIR ? EOPNOTSUPP : errno, "make a ticket");
	/* Other processes open it to see whether this one is alive. */
	fchmod(t->fd, 0666);
	if (flock(t->fd, LOCK_EX | LOCK_NB) < 0)
		return err_sys(errno, "lock a ticket");
	return publish(t);
}

int queue_join(struct queue_ticket *t, const char *lock_dir)
{
	int rc;

	*t = (struct queue_ticket)QUEUE_TICKET_NONE;
	rc = join(t, lock_dir);
	if (rc == 0)
		return 0;
	t->number = 0;
	queue_leave(t);
	return err_wrap(rc, "join the queue in %s/" QUEUE_DIR, lock_dir);
}

int queue_position(const struct queue_ticket *t)
{
	return visit_living(t->dir, t->number, NULL, NULL);
}

struct front {
	const struct queue_ticket *ticket;
	struct lock_table table;
	struct lock_holders holders;
};

static void note_holder(void *ctx, const char *name, uint64_t number _unused_)
{
	struct front *front = ctx;
	_free_ char *path = str_fmt("%s/%s", front->ticket->path, name);

	if (path)
		lock_table_find(&front->table, path, &front->holders);
}

void queue_add_front(const struct queue_ticket *t, struct str *out)
{
	struct front front = { .ticket = t };

	if (lock_table_read(&front.table, &roots_live) == 0)
		visit_living(t->dir, t->number, note_holder, &front);
	lock_holders_add(out, &front.holders);
	lock_holders_finish(&front.holders);
	lock_table_finish(&front.table);
}

int queue_length(const char *lock_dir)
{
	_free_ char *path = str_fmt("%s/" QUEUE_DIR, lock_dir);
	_close_ int dir = -1;

	if (!path)
		return err_no_memory();
	dir = open_dir(path);
	if (dir == -ENOENT)
		return 0;
	return dir < 0 ? dir : visit_living(dir, UINT64_MAX, NULL, NULL);
}

void queue_leave(struct queue_ticket *t)
{
	char name[NAME_MAX];

	if (t->fd >= 0 && t->number) {
		ticket_name(name, t->number);
		unlinkat(t->dir, name, 0);
	}
	cleanup_fd(&t->fd);
	cleanup_fd(&t->dir);
	free(t->path);
	*t = (struct queue_ticket)QUEUE_TICKET_NONE;
}
