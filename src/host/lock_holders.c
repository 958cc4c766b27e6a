// SPDX-License-Identifier: GPL-2.0-only
/* Matches /proc/locks with lock files. */
#include "host/lock_holders.h"

#include <sys/sysmacros.h>

/* Copies the next blank-separated word of the line; false at its end or if it is too long. */
static bool next_word(const char **p, char *word, size_t size)
{
	const char *start = *p + strspn(*p, " \t");
	size_t len = strcspn(start, " \t\n");

	if (!len || len >= size)
		return false;
	memcpy(word, start, len);
	word[len] = '\0';
	*p = start + len;
	return true;
}

/* Copies the number-th next word; those before it are skipped. */
static bool nth_word(const char **p, int number, char *word, size_t size)
{
	while (number-- > 0) {
		if (!next_word(p, word, size))
			return false;
	}
	return true;
}

static bool parse_hex(const char **p, unsigned int *value)
{
	unsigned int v = 0;
	size_t digits = 0;

	for (; digits < 8; digits++, (*p)++) {
		int c = (unsigned char)**p | 0x20;

		if (c >= '0' && c <= '9')
			v = v << 4 | (unsigned int)(c - '0');
		else if (c >= 'a' && c <= 'f')
			v = v << 4 | (unsigned int)(c - 'a' + 10);
		else
			break;
	}
	*value = v;
	return digits > 0;
}

/* "fe:00:10953222": two hexadecimal device numbers and a decimal inode. */
static bool parse_identity(const char *word, struct lock_entry *e)
{
	if (!parse_hex(&word, &e->major) || *word++ != ':')
		return false;
	if (!parse_hex(&word, &e->minor) || *word++ != ':')
		return false;
	return parse_u64(word, &e->inode) == 0;
}

/* `1: FLOCK  ADVISORY  WRITE 21605 fe:00:10953222 0 EOF`; waiters have `->` before FLOCK. */
static bool parse_lock(const char *line, struct lock_entry *e)
{
	char word[64];
	uint64_t pid;

	if (!nth_word(&line, 2, word, sizeof(word)) || !str_eq(word, "FLOCK"))
		return false;
	if (!nth_word(&line, 2, word, sizeof(word)))
		return false;
	e->is_exclusive = str_eq(word, "WRITE");
	if (!next_word(&line, word, sizeof(word)) || parse_u64(word, &pid) < 0 || pid > INT_MAX)
		return false;
	e->pid = (pid_t)pid;
	return next_word(&line, word, sizeof(word)) && parse_identity(word, e);
}

static int octal_escape(const char *p)
{
	int v = 0;

	for (int i = 0; i < 3; i++) {
		if (p[i] < '0' || p[i] > '7')
			return -1;
		v = v * 8 + (p[i] - '0');
	}
	return v > 0 && v < 256 ? v : -1;
}

/* Blanks and backslashes in mount points are written as \040 and the like. */
static void undo_escapes(char *path)
{
	char *to = path;

	for (const char *from = path; *from; to++) {
		int byte = *from == '\\' ? octal_escape(from + 1) : -1;

		*to = byte < 0 ? *from : (char)byte;
		from += byte < 0 ? 1 : 4;
	}
	*to = '\0';
}

/* `22 27 0:21 / /proc rw - ...`: the third word is the device, the fifth the mount point. */
static bool parse_mount(const char *line, struct lock_mount *m, char *path, size_t size)
{
	uint64_t major_number, minor_number;
	char word[64];
	const char *p = word;

	if (!nth_word(&line, 3, word, sizeof(word)))
		return false;
	if (parse_digits(&p, &major_number) < 0 || *p++ != ':')
		return false;
	if (parse_u64(p, &minor_number) < 0 || major_number > UINT_MAX || minor_number > UINT_MAX)
		return false;
	m->major = (unsigned int)major_number;
	m->minor = (unsigned int)minor_number;
	return nth_word(&line, 2, path, size);
}

static int add_mount(struct lock_table *t, struct lock_mount m, char *path)
{
	int rc;

	undo_escapes(path);
	m.path = strdup(path);
	rc = m.path ? vec_push(&t->mounts, m) : err_no_memory();
	if (rc < 0)
		free(m.path);
	return rc;
}

static const char *next_line(const char *p)
{
	const char *end = strchr(p, '\n');

	return end ? end + 1 : p + strlen(p);
}

int lock_table_parse(struct lock_table *t, const char *locks, const char *mountinfo)
{
	char path[PATH_MAX * 4];
	int rc = 0;

	for (const char *p = locks; *p && rc == 0; p = next_line(p)) {
		struct lock_entry e = {};

		if (parse_lock(p, &e))
			rc = vec_push(&t->entries, e);
	}
	for (const char *p = mountinfo; *p && rc == 0; p = next_line(p)) {
		struct lock_mount m = {};

		if (parse_mount(p, &m, path, sizeof(path)))
			rc = add_mount(t, m, path);
	}
	return rc;
}

int lock_table_read(struct lock_table *t, const struct roots *roots)
{
	_str_ struct str locks = {}, mountinfo = {};

	*t = (struct lock_table){ .roots = *roots };
	root_read(roots->proc, &locks, "locks");
	root_read(roots->proc, &mountinfo, "self/mountinfo");
	return lock_table_parse(t, str_get(&locks), str_get(&mountinfo));
}

/* The mount of path: the longest mount point; of equal ones, the latest. */
static const struct lock_mount *find_mount(const struct lock_table *t, const char *path)
{
	const struct lock_mount *best = NULL;
	size_t best_len = 0;

	for (size_t i = 0; i < t->mounts.count; i++) {
		size_t len = strlen(t->mounts.items[i].path);

		while (len && t->mounts.items[i].path[len - 1] == '/')
			len--;
		if (strncmp(path, t->mounts.items[i].path, len) != 0)
			continue;
		if ((path[len] == '/' || !path[len]) && (!best || len >= best_len)) {
			best = &t->mounts.items[i];
			best_len = len;
		}
	}
	return best;
}

bool lock_table_identify(const struct lock_table *t, const char *path, struct lock_entry *id)
{
	_free_ char *real = realpath(path, NULL);
	const struct lock_mount *mount;
	struct stat st;

	if (!real || stat(real, &st) < 0)
		return false;
	mount = find_mount(t, real);
	*id = (struct lock_entry){
		.major = mount ? mount->major : major(st.st_dev),
		.minor = mount ? mount->minor : minor(st.st_dev),
		.inode = st.st_ino,
	};
	return true;
}

/* Appends at most LOCK_CMDLINE_MAX characters. */
static void add_cut(struct str *out, const char *text)
{
	for (size_t i = 0; *text && i < LOCK_CMDLINE_MAX; i++) {
		size_t len = text_utf8_len(text);

		str_addn(out, text, len ? len : 1);
		text += len ? len : 1;
	}
}

/* Kernel threads have no command line: uses their name in brackets. */
static int read_cmdline(const struct roots *roots, pid_t pid, struct str *out)
{
	_str_ struct str raw = {};
	int rc = root_read(roots->proc, &raw, "%d/cmdline", pid);

	if (rc < 0)
		return rc;
	for (size_t i = 0; i + 1 < raw.len; i++) {
		if (!raw.s[i])
			raw.s[i] = ' ';
	}
	str_trim_end(&raw);
	add_cut(out, str_get(&raw));
	if (raw.len)
		return str_check(out);
	rc = root_read_line(roots->proc, &raw, "%d/comm", pid);
	if (rc == 0)
		str_addf(out, "[%s]", str_get(&raw));
	return rc ?: str_check(out);
}

static bool is_listed(const struct lock_holders *h, const struct lock_entry *e)
{
	for (size_t i = 0; i < h->count; i++) {
		if (h->items[i].pid == e->pid && h->items[i].is_exclusive == e->is_exclusive)
			return true;
	}
	return false;
}

static int add_holder(struct lock_holders *h, const struct roots *roots, const struct lock_entry *e)
{
	struct lock_holder holder = { .pid = e->pid, .is_exclusive = e->is_exclusive };
	_str_ struct str cmdline = {};
	int rc;

	if (is_listed(h, e))
		return 0;
	if (read_cmdline(roots, e->pid, &cmdline) == 0) {
		holder.cmdline = str_take(&cmdline);
		if (!holder.cmdline)
			return err_no_memory();
	}
	rc = vec_push(h, holder);
	if (rc < 0)
		free(holder.cmdline);
	return rc;
}

int lock_table_find_id(const struct lock_table *t, const struct lock_entry *id,
		       struct lock_holders *out)
{
	int rc = 0;

	vec_each_while(const struct lock_entry, e, &t->entries, rc == 0)
		if (e->inode == id->inode && e->major == id->major && e->minor == id->minor)
			rc = add_holder(out, &t->roots, e);
	vec_sort(out, order_u32);
	return rc;
}

int lock_table_find(const struct lock_table *t, const char *path, struct lock_holders *out)
{
	struct lock_entry id;

	return lock_table_identify(t, path, &id) ? lock_table_find_id(t, &id, out) : 0;
}

void lock_table_finish(struct lock_table *t)
{
	vec_release(&t->mounts, each, free(each->path));
	free(t->entries.items);
	*t = (struct lock_table){};
}

void lock_holder_add(struct str *out, const struct lock_holder *holder)
{
	str_addf(out, "%d (", holder->pid);
	if (holder->cmdline)
		text_add_printable(out, holder->cmdline);
	else
		str_add(out, "ended or hidden");
	str_addc(out, ')');
}

void lock_holders_add(struct str *out, const struct lock_holders *holders)
{
	if (!holders->count)
		str_add(out, "a process that /proc/locks does not show");
	for (size_t i = 0; i < holders->count; i++) {
		str_add(out, i ? ", pid " : "pid ");
		lock_holder_add(out, &holders->items[i]);
	}
}

/* Finds the current holders on this machine. */
static void find_now(const char *path, struct lock_holders *out)
{
	_lock_table_ struct lock_table table = {};

	if (lock_table_read(&table, &roots_live) == 0)
		lock_table_find(&table, path, out);
}

void lock_holders_describe(const char *path, struct str *out)
{
	_lock_holders_ struct lock_holders holders = {};

	find_now(path, &holders);
	lock_holders_add(out, &holders);
}

/* Returns 0 if the process is gone. */
static pid_t parent_of(pid_t pid)
{
	_str_ struct str stat = {};
	const char *end;

	if (root_read(roots_live.proc, &stat, "%d/stat", (int)pid) < 0)
		return 0;
	/* The name may contain anything, but its closing parenthesis is the last one. */
	end = strrchr(str_get(&stat), ')');
	return end && strlen(end) > strlen(") S ") ? (pid_t)strtol(end + strlen(") S "), NULL, 10) :
						     0;
}

void lock_holders_drop_family(struct lock_holders *h, pid_t parent)
{
	size_t kept = 0;

	for (size_t i = 0; i < h->count; i++) {
		if (h->items[i].pid == parent || parent_of(h->items[i].pid) == parent)
			free(h->items[i].cmdline);
		else
			h->items[kept++] = h->items[i];
	}
	h->count = kept;
}

/* True if the parent process is the same program: a runner with its jobs. */
static bool is_job(void)
{
	char own[PATH_MAX], parents[PATH_MAX], link[64];
	ssize_t own_len = readlink("/proc/self/exe", own, sizeof(own)), len;

	snprintf(link, sizeof(link), "/proc/%d/exe", (int)getppid());
	len = readlink(link, parents, sizeof(parents));
	return len > 0 && len == own_len && memcmp(own, parents, (size_t)len) == 0;
}

bool lock_holders_describe_others(const char *path, struct str *out)
{
	_lock_holders_ struct lock_holders holders = {};

	find_now(path, &holders);
	if (is_job())
		lock_holders_drop_family(&holders, getppid());
	if (holders.count)
		lock_holders_add(out, &holders);
	return holders.count > 0;
}

void lock_holders_finish(struct lock_holders *h)
{
	vec_release(h, each, free(each->cmdline));
	*h = (struct lock_holders){};
}
