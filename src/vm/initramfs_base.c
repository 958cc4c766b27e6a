// SPDX-License-Identifier: GPL-2.0-only
/* Builds the base archive and caches it. */

#include <sys/file.h>

#include "guest/protocol.h"
#include "host/lock_holders.h"
#include "kernel/kernel.h"
#include "vm/initramfs_plan.h"
#include "vm/stock.h"

#define BUILD_WAIT_NS (60 * NSEC_PER_SEC)
#define TRAILER "TRAILER!!!"
#define TRAILER_ROOM 512

static const char passwd[] = "root:x:0:0:root:/root:/bin/sh\n";
static const char group[] = "root:x:0:\n";

static const char *const directories[] = {
	"/dev", "/mnt", "/proc", "/root", "/run", "/sys", "/tmp"
};

/* Links: programs expect interpreters and tools in any of these directories. */
static const struct {
	const char *path;
	const char *target;
} links[] = {
	{ "/sbin", "bin" },
	{ "/usr/bin", "../bin" },
	{ "/usr/sbin", "../bin" },
};

struct base_parts {
	char *busybox;
	struct elf_closure scheduler; /* its libraries */
	struct str settings;
	struct str config;
	struct str applets;
	struct initramfs_plan plan;
	bool was_built; /* by this call */
};

static void base_parts_finish(struct base_parts *b)
{
	free(b->busybox);
	elf_closure_finish(&b->scheduler);
	str_finish(&b->settings);
	str_finish(&b->config);
	str_finish(&b->applets);
	initramfs_plan_finish(&b->plan);
}

static int add_file(struct base_parts *b, enum plan_rank rank, const char *path, const char *source)
{
	return initramfs_plan_add(&b->plan, &(struct plan_entry){ .rank = rank,
								  .kind = PLAN_FILE,
								  .path = path,
								  .mode = 0755,
								  .source = source });
}

static int add_bytes(struct base_parts *b, enum plan_rank rank, const char *path, mode_t mode,
		     const void *data, size_t len)
{
	return initramfs_plan_add(&b->plan, &(struct plan_entry){ .rank = rank,
								  .kind = PLAN_BYTES,
								  .path = path,
								  .mode = mode,
								  .data = data,
								  .len = len });
}

static int add_link(struct base_parts *b, const char *path, const char *target)
{
	return initramfs_plan_add(&b->plan, &(struct plan_entry){ .rank = PLAN_MIDDLE,
								  .kind = PLAN_LINK,
								  .path = path,
								  .source = target });
}

static int add_programs(struct base_parts *b)
{
	size_t len, observer_len;
	const void *init = guest_program(&len), *observer = observer_program(&observer_len);
	int rc = add_bytes(b, PLAN_FIRST, GUEST_INIT, 0755, init, len);

	if (rc == 0 && observer_len)
		rc = add_bytes(b, PLAN_MIDDLE, GUEST_OBSERVER, 0755, observer, observer_len);
	rc = rc ?: busybox_find(&b->busybox);
	return rc ?: add_file(b, PLAN_FIRST, GUEST_BUSYBOX, b->busybox);
}

static int add_scheduler(struct base_parts *b, const char *path)
{
	static const struct elf_search here = {};
	_str_ struct str missing = {};
	int rc = elf_closure_add(&b->scheduler, &here, path);

	if (rc < 0)
		return err_wrap(rc, "scheduler");
	elf_closure_describe_missing(&b->scheduler, &missing);
	if (missing.len)
		return err_set(ENOENT, "scheduler %s: %s", path, str_get(&missing));
	rc = add_file(b, PLAN_MIDDLE, GUEST_SCHEDULER, path);
	return rc < 0 ? rc : initramfs_plan_add_libraries(&b->plan, &b->scheduler);
}

static void add_search_dirs(const struct elf_closure *c, struct str *out)
{
	for (size_t i = 0; i < c->search_dirs.count; i++)
		str_addf(out, "%s%s", out->len ? ":" : GUEST_LIBRARY_PATH "=",
			 c->search_dirs.items[i]);
}

static int add_base_settings(struct base_parts *b, const struct include_files *includes)
{
	if (includes)
		add_search_dirs(&includes->libraries, &b->settings);
	add_search_dirs(&b->scheduler, &b->settings);
	if (b->settings.len)
		str_addc(&b->settings, '\n');
	if (str_check(&b->settings) < 0)
		return -ENOMEM;
	return add_bytes(b, PLAN_MIDDLE, GUEST_BASE_FILE, 0644, str_get(&b->settings),
			 b->settings.len);
}

static int add_config(struct base_parts *b, const struct kernel_image *kernel)
{
	int rc = kernel_config_read(kernel, &b->config);

	if (rc < 0)
		return rc;
	return add_bytes(b, PLAN_MIDDLE, GUEST_CONFIG, 0644, str_get(&b->config), b->config.len);
}

static int add_skeleton(struct base_parts *b)
{
	int rc = add_bytes(b, PLAN_MIDDLE, "/etc/passwd", 0644, passwd, strlen(passwd));

	rc = rc ?: add_bytes(b, PLAN_MIDDLE, "/etc/group", 0644, group, strlen(group));
	for (size_t i = 0; i < ARRAY_SIZE(directories) && rc == 0; i++)
		rc = initramfs_plan_add(&b->plan, &(struct plan_entry){ .rank = PLAN_MIDDLE,
									.kind = PLAN_DIRECTORY,
									.path = directories[i],
									.mode = 0755 });
	for (size_t i = 0; i < ARRAY_SIZE(links) && rc == 0; i++)
		if (!initramfs_plan_has_below(&b->plan, links[i].path))
			rc = add_link(b, links[i].path, links[i].target);
	return rc;
}

/* Collects what identifies the base. Applets are left out: busybox determines them. */
static int collect(struct base_parts *b, const struct initramfs_base_spec *spec)
{
	int rc = add_programs(b);

	if (rc == 0 && spec->scheduler)
		rc = add_scheduler(b, spec->scheduler);
	if (rc == 0 && spec->includes)
		rc = initramfs_plan_add_includes(&b->plan, spec->includes);
	if (rc == 0 && spec->kernel)
		rc = add_config(b, spec->kernel);
	rc = rc ?: add_base_settings(b, spec->includes);
	rc = rc ?: add_skeleton(b);
	return rc < 0 ? rc : initramfs_plan_settle(&b->plan);
}

static int add_applets(struct base_parts *b)
{
	int rc = busybox_list_applets(b->busybox, &b->applets);
	char *save = NULL;

	if (rc < 0)
		return rc;
	for (char *name = strtok_r(b->applets.s, "\n", &save); name && rc == 0;
	     name = strtok_r(NULL, "\n", &save)) {
		_free_ char *path = str_fmt("/bin/%s", name);

		if (!path)
			return err_no_memory();
		if (!str_eq(path, GUEST_BUSYBOX))
			rc = add_link(b, path, "busybox");
	}
	return rc < 0 ? rc : initramfs_plan_settle(&b->plan);
}

char *initramfs_root(void)
{
	return path_cache_part("initramfs");
}

/* Returns whether the archive is complete; an incomplete one is rebuilt. */
static bool is_whole(int fd)
{
	char end[TRAILER_ROOM];
	struct stat st;

	return fstat(fd, &st) == 0 && st.st_size >= (off_t)sizeof(end) &&
	       pread(fd, end, sizeof(end), st.st_size - (off_t)sizeof(end)) ==
		       (ssize_t)sizeof(end) &&
	       memmem(end, sizeof(end), TRAILER, strlen(TRAILER));
}

static int open_whole(const char *path)
{
	_close_ int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);

	/* Anyone who can read the file can lock it, so do not wait for a lock: build it again. */
	if (fd < 0 || flock(fd, LOCK_SH | LOCK_NB) < 0 || !is_whole(fd))
		return -1;
	/* Sets the time of last use, by which stock_trim() selects what to remove. */
	futimens(fd,
		 (const struct timespec[]){ { .tv_nsec = UTIME_NOW }, { .tv_nsec = UTIME_OMIT } });
	return take_fd(&fd);
}

static int build(struct base_parts *b, const char *path)
{
	_cleanup_(file_atomic_finish) struct file_atomic file;
	_cleanup_(cpio_finish) struct cpio archive;
	int rc = file_atomic_open(&file, path, 0644);

	if (rc < 0) {
		cpio_init(&archive, (struct cpio_sink){});
		return rc;
	}
	cpio_init(&archive, cpio_sink_fd(&file.fd));
	rc = add_applets(b);
	if (rc < 0)
		return rc;
	rc = initramfs_plan_write(&b->plan, &archive) ?: cpio_end(&archive);
	return rc < 0 ? err_wrap(rc, "%s", path) : file_atomic_commit(&file);
}

/* Holds the lock while building: other processes wait, and then find the archive. */
static int open_or_build(struct base_parts *b, const char *path)
{
	_free_ char *lock_path = str_fmt("%s.lock", path);
	_close_ int lock = -1;
	int fd = open_whole(path), rc;

	if (fd >= 0)
		return fd;
	if (!lock_path)
		return err_no_memory();
	lock = open(lock_path, O_RDWR | O_CREAT | O_CLOEXEC, 0644);
	if (lock < 0)
		return err_sys(errno, "open %s", lock_path);
	/* The archive is replaced atomically, so ignoring a lock that is never released is safe. */
	rc = lockfile_acquire(lock, true, BUILD_WAIT_NS);
	if (rc < 0 && rc != -EWOULDBLOCK && rc != -ESTALE)
		return err_wrap(rc, "lock %s", lock_path);
	fd = open_whole(path);
	if (fd >= 0)
		return fd;
	log_debug("vm", "building %s", path);
	rc = build(b, path);
	if (rc < 0)
		return rc;
	b->was_built = true;
	fd = open_whole(path);
	return fd >= 0 ? fd : err_set(EIO, "%s was built but is not whole", path);
}

static int fill(struct initramfs_base *out, struct base_parts *b)
{
	_free_ char *root = initramfs_root();
	char key[INITRAMFS_KEY_SIZE];
	struct stat st;
	int rc = root ? path_cache_make(root) : -EINVAL;

	rc = rc ?: initramfs_plan_hash(&b->plan, key);
	rc = rc ?: initramfs_plan_measure(&b->plan, &out->unpacked_bytes);
	if (rc < 0)
		return rc;
	out->key = strdup(key);
	out->path = str_fmt("%s/%s.cpio", root, key);
	if (!out->key || !out->path)
		return err_no_memory();
	rc = open_or_build(b, out->path);
	if (rc < 0)
		return rc;
	out->lock_fd = rc;
	if (fstat(out->lock_fd, &st) < 0)
		return err_sys(errno, "read %s", out->path);
	out->packed_bytes = (uint64_t)st.st_size;
	return 0;
}

int initramfs_base_get(const struct initramfs_base_spec *spec, struct initramfs_base *out)
{
	_cleanup_(base_parts_finish) struct base_parts parts = {};
	int rc;

	*out = (struct initramfs_base){ .lock_fd = -1 };
	rc = collect(&parts, spec) ?: fill(out, &parts);
	if (rc < 0)
		initramfs_base_finish(out);
	else if (parts.was_built)
		stock_trim();
	return rc;
}

void initramfs_base_finish(struct initramfs_base *b)
{
	free(b->path);
	free(b->key);
	cleanup_fd(&b->lock_fd);
	*b = (struct initramfs_base){ .lock_fd = -1 };
}
