// SPDX-License-Identifier: GPL-2.0-only
/* Builds the archive of one run, and combines both archives to an initrd. */
#include "vm/initramfs.h"

#include <sys/mman.h>
#include <sys/sendfile.h>

#include "guest/protocol.h"
#include "vm/initramfs_plan.h"

/* Texts of a run that become files; must live until the archive is written. */
struct run_texts {
	struct str settings, args, environ;
};

static void run_texts_finish(struct run_texts *t)
{
	str_finish(&t->settings);
	str_finish(&t->args);
	str_finish(&t->environ);
}

static int add_bytes(struct initramfs_plan *p, enum plan_rank rank, const char *path,
		     const char *data, size_t len)
{
	return initramfs_plan_add(p, &(struct plan_entry){ .rank = rank,
							   .kind = PLAN_BYTES,
							   .path = path,
							   .mode = 0644,
							   .data = data,
							   .len = len });
}

static int add_text(struct initramfs_plan *p, const char *path, const struct str *text)
{
	int rc = str_check(text);

	if (rc < 0 || text->len == 0)
		return rc;
	return add_bytes(p, PLAN_MIDDLE, path, text->s, text->len);
}

/* One item per line, so items must not contain newlines. */
static int add_lines(const char *const *items, const char *what, struct str *out)
{
	for (size_t i = 0; items && items[i]; i++) {
		if (strchr(items[i], '\n'))
			return err_set(EINVAL, "%s %zu of the guest program has a line break in it",
				       what, i + 1);
		str_addf(out, "%s\n", items[i]);
	}
	return str_check(out);
}

static void add_settings(const struct initramfs_run *run, struct str *out)
{
	const struct elf_closure *libraries = run->includes ? &run->includes->libraries : NULL;

	if (run->settings)
		str_add(out, run->settings);
	for (size_t i = 0; libraries && i < libraries->search_dirs.count; i++)
		str_addf(out, "%s%s", i ? ":" : GUEST_LIBRARY_PATH "=",
			 libraries->search_dirs.items[i]);
	if (libraries && libraries->search_dirs.count)
		str_addc(out, '\n');
}

static int add_extra_file(struct initramfs_plan *p, const struct initramfs_file *f)
{
	return initramfs_plan_add(p,
				  &(struct plan_entry){ .rank = PLAN_MIDDLE,
							.kind = f->source ? PLAN_FILE : PLAN_BYTES,
							.path = f->path,
							.mode = f->mode ? f->mode : 0644,
							.source = f->source,
							.data = f->data,
							.len = f->len });
}

static int plan_run(struct initramfs_plan *p, const struct initramfs_run *run,
		    struct run_texts *texts)
{
	int rc = add_lines(run->args, "argument", &texts->args);

	rc = rc ?: add_lines(run->environ, "environment variable", &texts->environ);
	add_settings(run, &texts->settings);
	rc = rc ?: add_text(p, GUEST_RUN_FILE, &texts->settings);
	rc = rc ?: add_text(p, GUEST_ARGS_FILE, &texts->args);
	rc = rc ?: add_text(p, GUEST_ENV_FILE, &texts->environ);
	if (rc == 0 && run->exec_command)
		rc = add_bytes(p, PLAN_MIDDLE, GUEST_EXEC_FILE, run->exec_command,
			       strlen(run->exec_command));
	if (rc == 0 && run->includes && !run->has_includes)
		rc = initramfs_plan_add_includes(p, run->includes);
	for (size_t i = 0; i < run->file_count && rc == 0; i++)
		rc = add_extra_file(p, &run->files[i]);
	rc = rc ?: add_bytes(p, PLAN_LAST, GUEST_INIT_OK, "", 0);
	return rc ?: initramfs_plan_settle(p);
}

static int write_suffix(const struct initramfs_run *run, struct cpio_sink sink, uint64_t *bytes)
{
	_cleanup_(initramfs_plan_finish) struct initramfs_plan plan = {};
	_cleanup_(run_texts_finish) struct run_texts texts = {};
	_cleanup_(cpio_finish) struct cpio archive;
	int rc = plan_run(&plan, run, &texts);

	cpio_init(&archive, sink);
	rc = rc ?: initramfs_plan_write(&plan, &archive);
	rc = rc ?: cpio_end(&archive);
	*bytes = archive.packed_bytes;
	return rc;
}

int initramfs_suffix_add(const struct initramfs_run *run, struct str *out)
{
	uint64_t bytes;

	return write_suffix(run, cpio_sink_str(out), &bytes);
}

static int write_nowhere(void *ctx _unused_, const void *data _unused_, size_t len _unused_)
{
	return 0;
}

/* Only the sizes of files matter; their contents are not read. */
int initramfs_suffix_measure(const struct initramfs_run *run, uint64_t *bytes)
{
	return write_suffix(run, (struct cpio_sink){ .write = write_nowhere }, bytes);
}

static int copy_file(int from, int to)
{
	off_t offset = 0;
	struct stat st;

	if (fstat(from, &st) < 0)
		return -errno;
	while (offset < st.st_size) {
		ssize_t n = sendfile(to, from, &offset, (size_t)(st.st_size - offset));

		if (n < 0 && errno != EINTR)
			return -errno;
		if (n == 0)
			return -EIO;
	}
	return 0;
}

int initramfs_open(const struct initramfs_base *base, const struct str *suffix)
{
	_close_ int fd = memfd_create("ktstr-initramfs", MFD_CLOEXEC);
	int rc;

	if (fd < 0)
		return err_sys(errno, "make room for the initramfs");
	rc = copy_file(base->lock_fd, fd) ?: fd_write_all(fd, str_get(suffix), suffix->len);
	if (rc < 0)
		return err_sys(-rc, "copy the initramfs");
	return take_fd(&fd);
}

static uint64_t to_mib(uint64_t bytes)
{
	return (bytes + (1 << 20) - 1) >> 20;
}

static uint64_t divide_up(uint64_t a, uint64_t b)
{
	return (a + b - 1) / b;
}

/*
 * tmpfs may use nine tenths of the memory, 1/64 of the memory is for page structures, and 256 MiB
 * are for the system itself.
 */
uint64_t initramfs_memory_floor_mib(const struct initramfs_memory *m)
{
	uint64_t unpacked = divide_up(10 * to_mib(m->unpacked_bytes), 9);
	uint64_t loaded = unpacked + to_mib(m->kernel_bytes) + to_mib(m->packed_bytes);

	return divide_up(loaded * 64, 63) + 256 + to_mib(m->channel_bytes);
}
