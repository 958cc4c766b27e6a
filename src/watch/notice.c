// SPDX-License-Identifier: GPL-2.0-only
/* Notices come from processes of the same user, but are validated nevertheless. */
#include "watch/parts.h"

#include "ktstr/ktstr.h"

#define FILE_NAME "ktstr-guest"
#define LINK "/memfd:" FILE_NAME " (deleted)"

static const char magic[] = FILE_NAME;

/* Makes the path absolute: readers may be in another directory. */
static void set_path(char out[PATH_MAX], const char *path)
{
	if (!path || !realpath(path, out))
		out[0] = '\0';
}

void notice_name(struct notice *n, const struct vm_session *session, const char *name,
		 const char *vmlinux)
{
	n->cpu_count = (uint32_t)vm_topology_cpus(&session->spec.topology);
	snprintf(n->name, sizeof(n->name), "%s", name ? name : "");
	set_path(n->kernel, session->spec.kernel);
	set_path(n->vmlinux, vmlinux);
}

int notice_post(struct notice *n)
{
	int fd;

	n->bytes = sizeof(*n);
	memcpy(n->magic, magic, sizeof(magic));
	snprintf(n->version, sizeof(n->version), "%s", ktstr_version());
	fd = memory_file(FILE_NAME, n, sizeof(*n));
	return fd < 0 ? err_sys(-fd, "create the notice of a guest") : fd;
}

static bool is_text(const char *text, size_t size)
{
	return memchr(text, '\0', size) != NULL;
}

/* Offsets of the layout may point anywhere in the guest, but sizes of copies must fit here. */
bool notice_is_valid(const struct notice *n, size_t len)
{
	if (len != sizeof(*n) || memcmp(n->magic, magic, sizeof(magic)) != 0 ||
	    n->bytes != sizeof(*n) || !is_text(n->version, sizeof(n->version)) ||
	    !str_eq(n->version, ktstr_version()) || !is_text(n->name, sizeof(n->name)) ||
	    !is_text(n->kernel, sizeof(n->kernel)) || !is_text(n->vmlinux, sizeof(n->vmlinux)) ||
	    !n->cpu_count || n->cpu_count > VM_MAX_CPUS || n->memory.pid <= 0 || !n->memory.count ||
	    n->memory.count > VM_MAX_EXTENTS)
		return false;
	for (size_t i = 0; i < WATCH_MEMBERS; i++)
		if (n->layout.bytes[i] > sizeof(uint64_t))
			return false;
	return true;
}

static bool is_known(const struct notices *n, pid_t pid)
{
	for (size_t i = 0; i < n->items.count; i++)
		if (n->items.items[i].memory.pid == pid)
			return true;
	return false;
}

static int take(struct notices *n, int dir, const char *name)
{
	_close_ int fd = openat(dir, name, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	struct notice notice;
	ssize_t len = fd < 0 ? -1 : pread(fd, &notice, sizeof(notice), 0);

	if (len < 0)
		return 0;
	if (!notice_is_valid(&notice, (size_t)len)) {
		n->strange++;
		return 0;
	}
	return is_known(n, notice.memory.pid) ? 0 : vec_push(&n->items, notice);
}

/* Processes that have ended or belong to other users are skipped without an error. */
static int look_at_process(struct notices *n, const char *proc, const char *pid)
{
	_free_ char *path = str_fmt("%s/%s/fd", proc, pid);
	_closedir_ DIR *dir = path ? opendir(path) : NULL;
	const struct dirent *e;
	struct stat st;
	int rc = 0;

	if (!path)
		return err_no_memory();
	if (!dir || fstat(dirfd(dir), &st) < 0 || st.st_uid != geteuid())
		return 0;
	while (rc == 0 && (e = readdir(dir))) {
		char target[PATH_MAX];
		ssize_t len = readlinkat(dirfd(dir), e->d_name, target, sizeof(target));

		if (len == sizeof(LINK) - 1 && memcmp(target, LINK, sizeof(LINK) - 1) == 0)
			rc = take(n, dirfd(dir), e->d_name);
	}
	return rc;
}

static int by_pid(const void *a, const void *b)
{
	const struct notice *x = a, *y = b;

	return ORDER(x->memory.pid, y->memory.pid);
}

int notices_find(struct notices *n, const char *proc)
{
	_closedir_ DIR *dir = opendir(proc);
	const struct dirent *e;
	int rc = 0;

	*n = (struct notices){};
	if (!dir)
		return err_sys(errno, "open %s", proc);
	while (rc == 0 && (e = readdir(dir)))
		if (isdigit((unsigned char)e->d_name[0]))
			rc = look_at_process(n, proc, e->d_name);
	if (n->items.count)
		qsort(n->items.items, n->items.count, sizeof(*n->items.items), by_pid);
	return rc;
}

void notices_finish(struct notices *n)
{
	free(n->items.items);
	*n = (struct notices){};
}

static void add_choice(const struct notices *n, struct str *out)
{
	for (size_t i = 0; i < n->items.count; i++) {
		str_addf(out, "%s%d (", i ? ", " : "", (int)n->items.items[i].memory.pid);
		text_add_printable(out, n->items.items[i].name);
		str_addc(out, ')');
	}
}

static bool is_meant(const struct notice *n, const char *wanted)
{
	const char *last = strrchr(n->name, '/');
	uint64_t pid;

	if (parse_u64(wanted, &pid) == 0 && pid == (uint64_t)n->memory.pid)
		return true;
	return str_eq(n->name, wanted) || (last && str_eq(last + 1, wanted));
}

int notices_choose(const struct notices *n, const char *wanted, const struct notice **out)
{
	_str_ struct str choice = {};
	size_t count = 0;

	add_choice(n, &choice);
	for (size_t i = 0; i < n->items.count; i++)
		if (!wanted || is_meant(&n->items.items[i], wanted)) {
			*out = &n->items.items[i];
			count++;
		}
	if (count == 1)
		return 0;
	if (!n->items.count)
		return err_set(ENOENT,
			       "no guest of yours runs that can be watched%s: guests of tests and "
			       "shells can, while they run",
			       n->strange ? " by this version of ktstr" : "");
	if (!count)
		return err_set(ENOENT, "no guest '%s' runs; there is %s", wanted, str_get(&choice));
	return err_set(EINVAL, "%zu guests run; name one of %s", count, str_get(&choice));
}
