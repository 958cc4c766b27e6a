// SPDX-License-Identifier: GPL-2.0-only
/* The kernel's side of a cgroup tree, as far as the manager can see it. */
#include "fake_cgroup.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "base/file.h"
#include "base/str.h"
#include "base/util.h"
#include "unit.h"

static char root[256]; /* "" = no tree: everything is real */
static char fail_file[64], delay_file[64];
static int fail_errno, fail_times;
static unsigned int delay_ms;
static struct str writes, last_read;

static const char *const plain_files[] = {
	"cgroup.procs",
	"cgroup.subtree_control",
	"cgroup.freeze",
};

static const struct {
	const char *controller, *file;
} controller_files[] = {
	{ "cpuset", "cpuset.cpus" }, { "cpuset", "cpuset.mems" },
	{ "cpu", "cpu.max" },	     { "cpu", "cpu.weight" },
	{ "cpu", "cpu.uclamp.min" }, { "cpu", "cpu.uclamp.max" },
	{ "memory", "memory.max" },  { "memory", "memory.high" },
	{ "pids", "pids.max" },	     { "cpuset", "cpuset.cpus.effective" },
};

static bool is_ours(const char *path)
{
	size_t len = strlen(root);

	return len && strncmp(path, root, len) == 0 && (path[len] == '/' || !path[len]);
}

static void read_all(const char *dir, const char *name, struct str *out)
{
	char path[PATH_MAX];

	snprintf(path, sizeof(path), "%s/%s", dir, name);
	file_read_at(AT_FDCWD, path, out);
	str_trim_end(out);
}

/* Raw: our own write must not come back to us. */
static void store(const char *dir, const char *name, const char *text)
{
	char path[PATH_MAX];
	int fd;

	snprintf(path, sizeof(path), "%s/%s", dir, name);
	fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
	if (fd < 0)
		abort();
	if (*text &&
	    (syscall(SYS_write, fd, text, strlen(text)) < 0 || syscall(SYS_write, fd, "\n", 1) < 0))
		abort();
	close(fd);
}

static void add_controller_files(const char *dir, const char *controllers)
{
	store(dir, "cgroup.controllers", controllers);
	for (size_t i = 0; i < ARRAY_SIZE(controller_files); i++) {
		char path[PATH_MAX];

		snprintf(path, sizeof(path), "%s/%s", dir, controller_files[i].file);
		if (!str_has_word(controllers, controller_files[i].controller))
			unlink(path);
		else if (access(path, F_OK) < 0)
			store(dir, controller_files[i].file, "");
	}
}

static void fill(const char *dir, const char *controllers)
{
	for (size_t i = 0; i < ARRAY_SIZE(plain_files); i++)
		store(dir, plain_files[i], "");
	store(dir, "cgroup.events", "populated 0\nfrozen 0");
	add_controller_files(dir, controllers);
}

/* Weak: a test may play its own. */
__attribute__((weak)) int __wrap_mkdir(const char *path, mode_t mode)
{
	_str_ struct str controllers = {};
	char parent[PATH_MAX];

	if (syscall(SYS_mkdirat, AT_FDCWD, path, mode) < 0)
		return -1;
	if (!is_ours(path))
		return 0;
	snprintf(parent, sizeof(parent), "%.*s", (int)(strrchr(path, '/') - path), path);
	read_all(parent, "cgroup.subtree_control", &controllers);
	fill(path, str_get(&controllers));
	return 0;
}

static bool is_busy(const char *path)
{
	_closedir_ DIR *d = opendir(path);
	_str_ struct str procs = {};
	struct dirent *entry;

	read_all(path, "cgroup.procs", &procs);
	if (procs.len)
		return true;
	while (d && (entry = readdir(d)))
		if (entry->d_type == DT_DIR && entry->d_name[0] != '.')
			return true;
	return false;
}

static bool take_failure(const char *file)
{
	if (fail_times == 0 || !str_eq(file, fail_file))
		return false;
	fail_times--;
	errno = fail_errno;
	return true;
}

int __wrap_rmdir(const char *path)
{
	_closedir_ DIR *d = NULL;
	struct dirent *entry;

	if (is_ours(path) && access(path, F_OK) == 0) {
		if (take_failure("rmdir"))
			return -1;
		if (is_busy(path)) {
			errno = EBUSY;
			return -1;
		}
		d = opendir(path);
		while (d && (entry = readdir(d)))
			if (entry->d_type == DT_REG)
				unlinkat(dirfd(d), entry->d_name, 0);
	}
	return (int)syscall(SYS_unlinkat, AT_FDCWD, path, AT_REMOVEDIR);
}

/* Every line of the file but that one. */
static void drop_line(const char *dir, const char *pid)
{
	_str_ struct str text = {}, rest = {};

	read_all(dir, "cgroup.procs", &text);
	if (!text.len)
		return;
	for (char *save = NULL, *line = strtok_r(text.s, "\n", &save); line;
	     line = strtok_r(NULL, "\n", &save))
		if (!str_eq(line, pid))
			str_addf(&rest, "%s%s", rest.len ? "\n" : "", line);
	store(dir, "cgroup.procs", str_get(&rest));
}

static void drop_everywhere(const char *dir, const char *pid)
{
	_closedir_ DIR *d = opendir(dir);
	struct dirent *entry;

	drop_line(dir, pid);
	while (d && (entry = readdir(d))) {
		char child[PATH_MAX];

		snprintf(child, sizeof(child), "%s/%s", dir, entry->d_name);
		if (entry->d_type == DT_DIR && entry->d_name[0] != '.')
			drop_everywhere(child, pid);
	}
}

static int move_pid(const char *dir, const char *pid)
{
	_str_ struct str control = {}, text = {};

	read_all(dir, "cgroup.subtree_control", &control);
	if (control.len && !str_eq(dir, root))
		return EBUSY;
	drop_everywhere(root, pid);
	if (str_eq(dir, root)) /* thousands live there */
		return 0;
	read_all(dir, "cgroup.procs", &text);
	str_addf(&text, "%s%s", text.len ? "\n" : "", pid);
	store(dir, "cgroup.procs", str_get(&text));
	return 0;
}

static void each_child_gets(const char *dir, const char *controllers)
{
	_closedir_ DIR *d = opendir(dir);
	struct dirent *entry;

	while (d && (entry = readdir(d))) {
		char child[PATH_MAX];

		snprintf(child, sizeof(child), "%s/%s", dir, entry->d_name);
		if (entry->d_type == DT_DIR && entry->d_name[0] != '.')
			add_controller_files(child, controllers);
	}
}

static int change_control(const char *dir, const char *value)
{
	_str_ struct str available = {}, enabled = {}, procs = {}, result = {};
	_free_ char *words = strdup(value);

	read_all(dir, "cgroup.controllers", &available);
	read_all(dir, "cgroup.subtree_control", &enabled);
	read_all(dir, "cgroup.procs", &procs);
	str_add(&result, str_get(&enabled));
	for (char *save = NULL, *word = strtok_r(words, " \n", &save); word;
	     word = strtok_r(NULL, " \n", &save)) {
		if (!str_has_word(str_get(&available), word + 1))
			return ENOENT;
		if (word[0] == '+' && procs.len && !str_eq(dir, root))
			return EBUSY;
		if (word[0] == '+' && !str_has_word(str_get(&result), word + 1))
			str_addf(&result, "%s%s", result.len ? " " : "", word + 1);
		if (word[0] == '-') {
			char *at = strstr(result.s, word + 1);
			size_t len = strlen(word + 1);

			memset(at, ' ', len);
		}
	}
	str_trim_end(&result);
	store(dir, "cgroup.subtree_control", str_get(&result) + strspn(str_get(&result), " "));
	each_child_gets(dir, str_get(&result));
	return 0;
}

static int set_value(const char *dir, const char *name, const char *value)
{
	if (str_eq(name, "cgroup.procs"))
		return move_pid(dir, value);
	if (str_eq(name, "cgroup.subtree_control"))
		return change_control(dir, value);
	if (str_eq(name, "cgroup.freeze"))
		store(dir, "cgroup.events",
		      value[0] == '1' ? "populated 1\nfrozen 1" : "populated 1\nfrozen 0");
	store(dir, name, value);
	return 0;
}

static void note_write(const char *dir, const char *name, const char *value)
{
	const char *below = dir + strlen(root);
	const char *cgroup = *below ? strchr(below + 1, '/') : NULL;

	str_addf(&writes, "%s%s%s=%s;",
		 cgroup ? cgroup + 1 :
		 *below ? "." :
			  "ROOT",
		 "/", name, value);
}

/* Weak: a test without cgroups may play its own. */
__attribute__((weak)) ssize_t __wrap_write(int fd, const void *data, size_t len)
{
	char link[64], path[PATH_MAX], *slash;
	_free_ char *value = NULL;
	ssize_t got;
	int rc;

	snprintf(link, sizeof(link), "/proc/self/fd/%d", fd);
	got = root[0] ? readlink(link, path, sizeof(path) - 1) : -1;
	if (got > 0)
		path[got] = '\0';
	if (got <= 0 || !is_ours(path))
		return syscall(SYS_write, fd, data, len);
	slash = strrchr(path, '/');
	*slash = '\0';
	if (delay_ms && str_eq(slash + 1, delay_file))
		usleep(delay_ms * 1000);
	if (take_failure(slash + 1))
		return -1;
	value = strndup(data, len);
	value[strcspn(value, "\n")] = '\0';
	note_write(path, slash + 1, value);
	rc = set_value(path, slash + 1, value);
	errno = rc;
	return rc ? -1 : (ssize_t)len;
}

void fake_cgroup_start(struct fake_cgroup *f, const char *controllers)
{
	_free_ char *mounts = NULL;

	f->dir = unit_temp_create_in_memory();
	snprintf(f->proc, sizeof(f->proc), "%s/proc", f->dir);
	snprintf(f->sys, sizeof(f->sys), "%s/sys", f->dir);
	snprintf(f->mount, sizeof(f->mount), "%s/cgroup", f->dir);
	f->roots = (struct roots){ .proc = f->proc, .sys = f->sys, .cgroup = f->mount };
	mounts = str_fmt("proc /proc proc rw 0 0\ncgroup /x cgroup rw,cpu 0 0\n"
			 "none %s cgroup2 rw,nosuid 0 0\n",
			 f->mount);
	unit_write(f->dir, "proc/self/mounts", mounts);
	unit_write(f->dir, "cgroup/cgroup.procs", "");
	fail_times = 0;
	delay_ms = 0;
	fake_cgroup_clear_log();
	snprintf(root, sizeof(root), "%s", f->mount);
	fill(root, controllers);
}

void fake_cgroup_stop(struct fake_cgroup *f)
{
	root[0] = '\0';
	unit_temp_remove(f->dir);
	str_finish(&writes);
	str_finish(&last_read);
	writes = last_read = (struct str){};
}

void fake_cgroup_fail(const char *file, int errnum, int times)
{
	snprintf(fail_file, sizeof(fail_file), "%s", file);
	fail_errno = errnum;
	fail_times = times;
}

void fake_cgroup_delay(const char *file, unsigned int ms)
{
	snprintf(delay_file, sizeof(delay_file), "%s", file);
	delay_ms = ms;
}

const char *fake_cgroup_log(void)
{
	return str_get(&writes);
}

void fake_cgroup_clear_log(void)
{
	str_reset(&writes);
}

const char *fake_cgroup_read(struct fake_cgroup *f, const char *path)
{
	str_reset(&last_read);
	read_all(f->mount, path, &last_read);
	return str_get(&last_read);
}

bool fake_cgroup_has(struct fake_cgroup *f, const char *path)
{
	_free_ char *full = str_fmt("%s/%s", f->mount, path);

	return access(full, F_OK) == 0;
}
