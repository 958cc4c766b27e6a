// SPDX-License-Identifier: GPL-2.0-only
/* Builds, saves and finds templates. */
#include "vm/template.h"

#include "base/hash.h"
#include "guest/protocol.h"
#include "host/lock_holders.h"
#include "vm/engine.h"
#include "vm/machine.h"
#include "vm/stock.h"

#define SAVE_LIMIT_NS (60 * NSEC_PER_SEC)
#define LOCK_LIMIT_NS (1800 * NSEC_PER_SEC)
#define DISCARD_LIMIT_NS (60 * NSEC_PER_SEC) /* users have restored it by then */
#define SHARE_LIMIT_NS (20 * NSEC_PER_SEC)
#define TELL_NS (5 * NSEC_PER_SEC)
#define LOOK_NS (200 * NSEC_PER_MSEC)
#define POLL_NS (20 * NSEC_PER_MSEC)
#define CONSOLE_FILE "console"
#define MAX_BUILDS 3
#define FORMAT 1 /* of the directory; changes the key */

char *vm_template_root(void)
{
	return path_cache_part("templates");
}

static void hash_text(const struct str *text, char hex[static SHA256_HEX_SIZE])
{
	struct sha256 h;

	sha256_init(&h);
	sha256_add(&h, str_get(text), text->len);
	sha256_hex(&h, hex);
}

static int add_boot_identity(const struct vm_template_request *r, struct str *identity)
{
	char kernel[SHA256_HEX_SIZE];
	int rc = file_hash(r->spec->kernel, kernel);

	if (rc < 0)
		return rc;
	str_addf(identity, "format %d\nqemu %s\nkernel %s\ninitramfs %s\n", FORMAT,
		 r->qemu->version_text, kernel, r->base->key);
	/*
	 * Only verbose templates keep a console; the keys of others stay the same as in earlier
	 * versions.
	 */
	if (r->spec->is_verbose)
		str_add(identity, "console kept\n");
	if (r->spec->accel == VM_ACCEL_KVM)
		vm_host_cpu_identity(&roots_live, identity);
	return vm_machine_identity(r->spec, r->channel_bytes, identity);
}

static int make_key(const struct vm_template_request *r, struct str *identity, char **key);

static int add_load_identity(const struct vm_template_request *r, struct str *identity)
{
	char hex[SHA256_HEX_SIZE];
	_str_ struct str before = {};
	_free_ char *parent = NULL;
	int rc = make_key(r->parent, &before, &parent);

	if (rc < 0)
		return rc;
	hash_text(r->input, hex);
	str_addf(identity, "format %d\ntemplate %s\ninput %s\n", FORMAT, parent, hex);
	return 0;
}

static int make_key(const struct vm_template_request *r, struct str *identity, char **key)
{
	char hex[SHA256_HEX_SIZE];
	int rc = r->parent ? add_load_identity(r, identity) : add_boot_identity(r, identity);

	rc = rc ?: str_check(identity);
	if (rc < 0)
		return rc;
	hash_text(identity, hex);
	*key = strndup(hex, 32);
	return *key ? 0 : err_no_memory();
}

/* One line only: --dmesg shows the whole console; then the template keeps one. */
static int explain_end(struct vm *vm, const char *control)
{
	_str_ struct str console = {};
	const char *panic, *last, *words = strstr(control, GUEST_LINE_PANIC);

	vm_read_console(vm, &console);
	str_trim_end(&console);
	if (vm->spec.is_verbose)
		fprintf(stderr, "%s\n", str_get(&console));
	if (words) {
		words += strlen(GUEST_LINE_PANIC);
		return err_set(EIO, "the guest gave up before it was ready: %.*s",
			       (int)strcspn(words, "\r\n"), words);
	}
	panic = strstr(str_get(&console), "Kernel panic - not syncing: ");
	if (panic) {
		panic += strlen("Kernel panic - not syncing: ");
		return err_set(EIO, "the guest kernel panicked before it was ready: %.*s",
			       (int)strcspn(panic, "\r\n"), panic);
	}
	last = strrchr(str_get(&console), '\n');
	last = last ? last + 1 : str_get(&console);
	return err_set(EIO, "the guest ended before it was ready: %s; its last line: %s",
		       vm_end_words(vm->shutdown_reason),
		       *last ? last : "(none; --dmesg makes its kernel talk)");
}

/* Pauses the guest: under KVM and without pvpanic it does not pause itself, see guest/life.c. */
static int stop_when_ready(struct vm *vm, const struct str *control)
{
	int rc;

	if (!strstr(str_get(control), GUEST_LINE_READY) ||
	    (vm->spec.accel != VM_ACCEL_KVM && vm->spec.arch == VM_ARCH_X86_64))
		return 0;
	rc = qmp_execute(&vm->qmp, "stop", NULL, SAVE_LIMIT_NS, NULL);
	if (rc == 0)
		vm->end = VM_PAUSED;
	return rc;
}

/* Waits until the guest has stopped at its ready point; time without a CPU does not count. */
static int await_ready(struct vm *vm, uint64_t limit_ns)
{
	uint64_t deadline = clock_mono_ns() + limit_ns;
	_str_ struct str control = {};
	int rc = 0;

	while (rc == 0 && vm->end == VM_RUNNING) {
		if (clock_mono_ns() > deadline &&
		    clock_mono_ns() > deadline + vm_starved_ns(vm->child.pid))
			return err_set(ETIMEDOUT, "the guest did not get ready within %llu s",
				       ULL(limit_ns / NSEC_PER_SEC));
		rc = vm_poll(vm, POLL_NS) ?: vm_read_control(vm, &control);
		if (rc == 0 && vm->end == VM_RUNNING)
			rc = stop_when_ready(vm, &control);
		rc = rc ?: interrupt_check();
	}
	if (rc < 0)
		return rc;
	if (vm->end == VM_QEMU_DIED)
		return vm_died(vm);
	/*
	 * Not after a panic: a kernel with a pvpanic driver then stops the machine in the same way.
	 */
	if (vm->end == VM_PAUSED && strstr(str_get(&control), GUEST_LINE_READY))
		return 0;
	return explain_end(vm, str_get(&control));
}

static int save_state(struct vm *vm, const char *dir)
{
	int rc = migration_save(&vm->qmp, &vm->spec, dir, SAVE_LIMIT_NS);

	return rc == -EPIPE ? vm_died(vm) : rc;
}

/* Makes the file readable for others who share the cache: QEMU creates it for its own user only. */
static int publish_state(const char *dir)
{
	_free_ char *path = str_fmt("%s/state", dir);

	if (!path)
		return err_no_memory();
	return chmod(path, 0644) < 0 ? err_sys(errno, "make %s readable", path) : 0;
}

/* Saves the console: runs that print kernel messages start with the boot's. */
static int save_console(struct vm *vm, const char *dir)
{
	_free_ char *path = str_fmt("%s/" CONSOLE_FILE, dir);
	_str_ struct str console = {};
	int rc = path ? vm_read_console(vm, &console) : err_no_memory();

	return rc ?: file_replace(path, str_get(&console), console.len, 0644);
}

int vm_template_console(const struct vm_template *t, struct str *out)
{
	_free_ char *path = str_fmt("%s/" CONSOLE_FILE, t->dir);

	return path ? file_read(path, out) : err_no_memory();
}

/* A guest that continued from another template already has its memory in files. */
static int save(struct vm *vm, const char *dir)
{
	int rc = save_state(vm, dir) ?: publish_state(dir) ?: save_console(vm, dir);

	return rc || vm->spec.is_restored ? rc : vm_storage_save(&vm->storage, dir);
}

static int start_and_save(const struct vm_template_request *r, const struct vm_spec *spec,
			  int initrd_fd, const struct vm_start *start, const char *dir)
{
	struct vm vm;
	int rc = vm_start(&vm, spec, initrd_fd, start);

	if (rc < 0)
		return rc;
	rc = await_ready(&vm, r->boot_limit_ns) ?: save(&vm, dir);
	vm_finish(&vm);
	return rc;
}

static int continue_and_save(const struct vm_template_request *r, const struct vm_template *booted,
			     const char *dir)
{
	int rc = start_and_save(r, r->spec, -1,
				&(struct vm_start){ .template_dir = booted->dir,
						    .ram_dir = dir,
						    .channel.ring_bytes = r->ring_bytes,
						    .channel.input = r->input->s,
						    .channel.input_len = r->input->len,
						    .channel_bytes = r->channel_bytes },
				dir);

	return rc ?: vm_storage_keep_channel(dir, r->channel_bytes);
}

static int boot_and_save(const struct vm_template_request *r, const char *dir)
{
	struct vm_spec spec = *r->spec;
	_str_ struct str suffix = {};
	_close_ int initrd_fd = -1;
	char initrd[64];
	int rc = initramfs_suffix_add(&(struct initramfs_run){}, &suffix);

	if (rc < 0)
		return rc;
	initrd_fd = initramfs_open(r->base, &suffix);
	if (initrd_fd < 0)
		return initrd_fd;
	snprintf(initrd, sizeof(initrd), "/proc/self/fd/%d", initrd_fd);
	spec.initrd = initrd;
	return start_and_save(r, &spec, initrd_fd,
			      &(struct vm_start){ .channel.ring_bytes = r->ring_bytes,
						  .channel_bytes = r->channel_bytes },
			      dir);
}

/* Summary for users who list the cache; the kernel is named by its cache entry. */
static void put_summary(struct json *j, const struct vm_spec *spec)
{
	const struct vm_topology *t = &spec->topology;
	_free_ char *kernel = strdup(spec->kernel);
	_free_ char *topology = str_fmt("%un%ul%uc%ut", t->nodes, t->llcs, t->cores, t->threads);
	char *slash = kernel ? strrchr(kernel, '/') : NULL;

	if (slash)
		*slash = '\0';
	slash = kernel ? strrchr(kernel, '/') : NULL;
	json_put_string(j, "kernel", slash ? slash + 1 : kernel);
	json_put_string(j, "topology", topology);
	json_put_string(j, "accel", vm_accel_name(spec->accel));
	json_put_u64(j, "memory_mib", spec->memory_mib);
}

static int write_description(const struct vm_template_request *r, const struct str *identity,
			     const char *dir)
{
	_free_ char *path = str_fmt("%s/" TEMPLATE_JSON, dir);
	char now[CLOCK_TEXT_SIZE];
	_str_ struct str text = {};
	struct json j;
	int rc;

	clock_format_utc(clock_wall_ns(), 0, now);
	json_document(&j, &text);
	json_put_string(&j, "built_at", now);
	put_summary(&j, r->spec);
	if (r->scheduler)
		json_put_string(&j, "scheduler", r->scheduler);
	json_put_string(&j, "identity", str_get(identity));
	rc = template_files_put(&j, dir);
	if (rc < 0)
		return rc;
	json_object_end(&j);
	if (!path || text.failed)
		return err_no_memory();
	return file_replace(path, text.s, text.len, 0644);
}

bool vm_template_describe(const char *dir, struct str *out)
{
	_cleanup_(template_text_finish) struct template_text t = {};

	if (!template_text_read(dir, &t))
		str_add(out, "not complete");
	else if (t.is_whole && t.kernel && t.topology && t.accel)
		str_addf(out, "%s, %s, %s%s%s", t.kernel, t.topology, t.accel,
			 t.scheduler ? ", with " : "", t.scheduler ? t.scheduler : "");
	else
		str_add(out, "a guest of another version of ktstr");
	return t.scheduler != NULL;
}

/*
 * Continues from the booted template. If that fails although the checksums are right, the booted
 * template is discarded and built again.
 */
static int load_and_save(const struct vm_template_request *r, const char *dir)
{
	_cleanup_(vm_template_finish) struct vm_template booted = { .lock_fd = -1 };
	int rc = vm_template_get(r->parent, &booted) ?: continue_and_save(r, &booted, dir);

	if (rc >= 0 || rc == -EINTR || !booted.dir || booted.was_built)
		return rc;
	log_note("%s: %s could not be loaded, and a template is built again: %s", log_label(),
		 r->scheduler, err_text(rc));
	rc = vm_template_discard(&booted);
	vm_template_finish(&booted);
	rc = rc ?: vm_template_get(r->parent, &booted);
	return rc ?: continue_and_save(r, &booted, dir);
}

/* Builds in a temporary directory and renames it when it is complete. */
static int build(const struct vm_template_request *r, const struct str *identity, const char *dir)
{
	/* We hold the lock, so an existing directory was left by a killed process. */
	_free_ char *temp = str_fmt("%s.tmp-build", dir);
	int rc;

	if (!temp)
		return err_no_memory();
	rc = tree_remove(temp) ?: path_cache_make(temp);
	if (rc == 0)
		rc = r->parent ? load_and_save(r, temp) : boot_and_save(r, temp);
	rc = rc ?: write_description(r, identity, temp);
	rc = rc ?: tree_sync(temp);
	if (rc == 0 && rename(temp, dir) < 0)
		rc = err_sys(errno, "create %s", dir);
	if (rc < 0)
		tree_remove(temp);
	return rc;
}

static bool exists(const char *dir)
{
	return access(dir, F_OK) == 0;
}

/* Removes a damaged template; if it belongs to another user, the error says what to do. */
static int remove_damaged(const char *dir)
{
	int rc = tree_remove(dir);

	return rc == -EACCES || rc == -EPERM ?
		       err_set(-rc, "%s; its owner has to remove it, or set KTSTR_CACHE_DIR",
			       err_text(rc)) :
		       rc;
}

static bool is_intact(const char *dir)
{
	_str_ struct str why = {};

	return exists(dir) && template_files_check(dir, &why) == 0;
}

static int clear_damaged(const char *dir)
{
	_str_ struct str why = {};

	if (!exists(dir))
		return 0;
	template_files_check(dir, &why);
	log_note("%s: a template is damaged and is built again: %s", log_label(), str_get(&why));
	return remove_damaged(dir);
}

/* Reports the wait, unless the lock is held by this run itself. */
static void tell_wait(const char *lock)
{
	_str_ struct str others = {};

	if (lock_holders_describe_others(lock, &others))
		log_note("%s: waiting for a template that %s builds", log_label(),
			 str_get(&others));
}

/*
 * Takes the lock for building. Another process that has built the template meanwhile holds the lock
 * while it runs from it: returns -EWOULDBLOCK then, since the template can be used.
 */
static int lock_to_build(const char *lock, const char *dir)
{
	uint64_t begun = clock_mono_ns(), waited = 0;
	bool is_told = false;
	int fd;

	for (;;) {
		fd = lockfile_take(lock, true, 0);
		if (fd != -EWOULDBLOCK || waited > LOCK_LIMIT_NS)
			return fd;
		waited = clock_mono_ns() - begun;
		if (!is_told && waited > TELL_NS)
			tell_wait(lock);
		is_told |= waited > TELL_NS;
		if (is_intact(dir))
			return fd;
		if (clock_sleep_ns(LOOK_NS) == -EINTR)
			return err_set(EINTR, "interrupted while waiting for a template");
	}
}

/* Returns 1 if it was built, 0 if it existed. */
static int build_once(const struct vm_template_request *r, const struct str *identity,
		      const char *lock, const char *dir)
{
	_close_ int exclusive = lock_to_build(lock, dir);
	int rc;

	if ((exclusive >= 0 || exclusive == -EWOULDBLOCK) && is_intact(dir))
		return 0;
	if (exclusive < 0)
		return exclusive;
	rc = clear_damaged(dir);
	if (rc < 0)
		return rc;
	if (r->parent)
		log_debug("vm", "loading %s (once per kernel and machine)", r->scheduler);
	else
		log_note("%s: booting a template (once per kernel and machine)", log_label());
	rc = build(r, identity, dir);
	return rc < 0 ? rc : 1;
}

/*
 * Returns 1 if the template is intact, under a shared lock that prevents its removal; 0 if it must
 * be built. Any user can hold the lock file forever, so after a timeout an intact template is used
 * without the lock: a builder would not have left one.
 */
static int lock_and_look(const char *lock, struct vm_template *out)
{
	if (!exists(out->dir))
		return 0;
	out->lock_fd = lockfile_take(lock, false, SHARE_LIMIT_NS);
	if (out->lock_fd == -EWOULDBLOCK)
		log_note("%s: a template is used without its lock: %s", log_label(),
			 err_text(out->lock_fd));
	else if (out->lock_fd < 0)
		return out->lock_fd;
	if (is_intact(out->dir))
		return 1;
	if (out->lock_fd < 0)
		return 0;
	close(take_fd(&out->lock_fd));
	return 0;
}

/*
 * Uses the template under a shared lock, builds it under an exclusive one. Another process may
 * remove it in between to free space, so it is checked again after a build.
 */
static int lock_and_build(const struct vm_template_request *r, const struct str *identity,
			  struct vm_template *out)
{
	_free_ char *lock = str_fmt("%s.lock", out->dir);

	if (!lock)
		return err_no_memory();
	for (int builds = 0; builds < MAX_BUILDS;) {
		int rc = lock_and_look(lock, out);

		if (rc != 0)
			return rc < 0 ? rc : 0;
		rc = build_once(r, identity, lock, out->dir);
		if (rc < 0)
			return rc;
		builds += rc;
		out->was_built = builds > 0;
	}
	return err_set(EIO, "template %s does not stay as it was built", out->dir);
}

/*
 * For users without write permission to the cache: loads the scheduler into a private template for
 * one run, in the same way, so that it is the same run.
 */
static int build_apart(const struct vm_template_request *r, const struct str *identity,
		       struct vm_template *out)
{
	const char *base = env_get("TMPDIR");

	out->temporary = str_fmt("%s/ktstr-template-XXXXXX", base ? base : "/tmp");
	if (!out->temporary)
		return err_no_memory();
	if (!mkdtemp(out->temporary)) {
		int rc = err_sys(errno, "create %s", out->temporary);

		free(take_ptr(&out->temporary));
		return rc;
	}
	free(out->dir);
	out->dir = str_fmt("%s/%s", out->temporary, out->key);
	out->was_built = true;
	return out->dir ? build(r, identity, out->dir) : err_no_memory();
}

static bool may_not_write(int rc)
{
	return rc == -EACCES || rc == -EPERM || rc == -EROFS;
}

int vm_template_get(const struct vm_template_request *r, struct vm_template *out)
{
	_free_ char *root = vm_template_root();
	_str_ struct str identity = {};
	int rc;

	*out = (struct vm_template){ .lock_fd = -1 };
	if (!root)
		return -EINVAL;
	rc = make_key(r, &identity, &out->key) ?: path_cache_make(root);
	if (rc == 0) {
		out->dir = str_fmt("%s/%s", root, out->key);
		rc = out->dir ? lock_and_build(r, &identity, out) : err_no_memory();
	}
	if (r->parent && may_not_write(rc))
		rc = build_apart(r, &identity, out);
	if (rc < 0)
		vm_template_finish(out);
	else if (out->was_built && !out->temporary)
		stock_trim();
	return rc;
}

int vm_template_discard(struct vm_template *t)
{
	_free_ char *lock = str_fmt("%s.lock", t->dir);
	_close_ int exclusive = -1;
	struct stat failed, now;

	if (!lock)
		return err_no_memory();
	if (stat(t->dir, &failed) < 0)
		return 0;
	close(take_fd(&t->lock_fd));
	exclusive = lockfile_take(lock, true, DISCARD_LIMIT_NS);
	if (exclusive < 0)
		return exclusive;
	/* Another process that also failed with it has already replaced it. */
	if (stat(t->dir, &now) < 0 || now.st_ino != failed.st_ino ||
	    now.st_ctim.tv_sec != failed.st_ctim.tv_sec ||
	    now.st_ctim.tv_nsec != failed.st_ctim.tv_nsec)
		return 0;
	return remove_damaged(t->dir);
}

void vm_template_finish(struct vm_template *t)
{
	cleanup_fd(&t->lock_fd);
	if (t->temporary)
		tree_remove(t->temporary);
	free(t->temporary);
	free(t->dir);
	free(t->key);
	*t = (struct vm_template){ .lock_fd = -1 };
}
