// SPDX-License-Identifier: GPL-2.0-only
/* The observer and the probes of host mode: a script is the loader of BPF programs. */
#include "unit.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/err.h"
#include "base/file.h"
#include "base/interrupt.h"
#include "btf_maker.h"
#include "hostmode/execute.h"
#include "kernel/kernel.h"
#include "repro/parts.h"

static char *dir;

/* What the test plays, and what was asked for. */
static struct played {
	char loader[512];
	int fs_error, config_error, mount_error, attach_error; /* errno; 0 = it works */
	int fs, mount;
	unsigned int mount_flags;
	char attached[64];
	bool was_detached;
	uint64_t exit_kind, clock_step_ns;
	bool is_interrupted, has_no_room, has_high_fs;
	int tells, lines_rc;
	uint64_t told_pid;
	bool has_lines;
	bool is_frozen; /* the clock: only its steps count */
	unsigned int naps;
	char report[64], records[64], lines_dir[64];
	size_t cpus;
	const char *said_name; /* of the file that gets number 0; NULL = none */
} played;

const void *__wrap_observer_program(size_t *len);
int __wrap_fsopen(const char *name, unsigned int flags);
int __wrap_fsconfig(int fd, unsigned int command, const char *key, const void *value, int aux);
int __wrap_fsmount(int fd, unsigned int flags, unsigned int attributes);
int __wrap_observe_attach(struct observe_links *links, const char *where);
void __wrap_observe_detach(struct observe_links *links);
uint64_t __wrap_repro_probed_exit(const struct str *report);
int __wrap_repro_probed_tell(const struct repro_probed *q, struct repro_report *out);
int __wrap_source_lines_open(struct source_lines *s, const char *where);
int __wrap_interrupt_check(void);
int __wrap_file_read(const char *path, struct str *out);
int __real_file_read(const char *path, struct str *out);
uint64_t __wrap_clock_mono_ns(void);
uint64_t __real_clock_mono_ns(void);

const void *__wrap_observer_program(size_t *len)
{
	*len = strlen(played.loader);
	return played.loader;
}

static int open_or(int errnum, int *fd)
{
	*fd = errnum ? -1 : open("/dev/null", O_RDONLY | O_CLOEXEC);
	errno = errnum ? errnum : EDOM; /* what succeeds may change it */
	return *fd;
}

int __wrap_fsopen(const char *name, unsigned int flags)
{
	assert_string_equal(name, "bpf");
	assert_int_equal(flags, FSOPEN_CLOEXEC);
	open_or(played.fs_error, &played.fs);
	if (played.has_high_fs && played.fs >= 0) {
		int low = played.fs;

		played.fs = fcntl(low, F_DUPFD_CLOEXEC, 100);
		close(low);
	}
	return played.fs;
}

int __wrap_fsconfig(int fd, unsigned int command, const char *key, const void *value, int aux)
{
	assert_int_equal(fd, played.fs);
	assert_int_equal(command, FSCONFIG_CMD_CREATE);
	assert_true(!key && !value && !aux);
	errno = played.config_error;
	return played.config_error ? -1 : 0;
}

int __wrap_fsmount(int fd, unsigned int flags, unsigned int attributes)
{
	assert_int_equal(fd, played.fs);
	assert_int_equal(flags, FSMOUNT_CLOEXEC);
	played.mount_flags = attributes;
	return open_or(played.mount_error, &played.mount);
}

int __wrap_observe_attach(struct observe_links *links, const char *where)
{
	(void)links;
	snprintf(played.attached, sizeof(played.attached), "%s", where);
	return -played.attach_error;
}

void __wrap_observe_detach(struct observe_links *links)
{
	(void)links;
	played.was_detached = true;
}

uint64_t __wrap_repro_probed_exit(const struct str *report)
{
	snprintf(played.report, sizeof(played.report), "%s", str_get(report));
	return played.exit_kind;
}

int __wrap_repro_probed_tell(const struct repro_probed *q, struct repro_report *out)
{
	assert_int_equal(q->cause.exit_kind, played.exit_kind);
	assert_int_equal(btf_find(q->types, BTF_INT, "int", 3), 1);
	snprintf(played.records, sizeof(played.records), "%s", str_get(q->records));
	played.told_pid = q->cause.pid;
	played.has_lines = q->lines;
	played.cpus = q->cpu_count;
	if (played.tells < 0)
		return err_set(-played.tells, "no report");
	str_add(&out->pipeline, "traceable\n");
	if (played.tells)
		str_add(&out->text, "a story\n");
	return played.tells;
}

int __wrap_source_lines_open(struct source_lines *s, const char *where)
{
	(void)s;
	snprintf(played.lines_dir, sizeof(played.lines_dir), "%s", where);
	return played.lines_rc ? err_set(-played.lines_rc, "no lines") : 0;
}

int __wrap_memfd_create(const char *name, unsigned int flags);
int __real_memfd_create(const char *name, unsigned int flags);

int __wrap_memfd_create(const char *name, unsigned int flags)
{
	if (played.said_name && strcmp(name, played.said_name) == 0)
		close(STDIN_FILENO);
	return __real_memfd_create(name, flags);
}

char *__wrap_mkdtemp(char *pattern);
char *__real_mkdtemp(char *pattern);

char *__wrap_mkdtemp(char *pattern)
{
	errno = ENOSPC;
	return played.has_no_room ? NULL : __real_mkdtemp(pattern);
}

int __wrap_interrupt_check(void)
{
	return played.is_interrupted ? -EINTR : 0;
}

int __wrap_file_read(const char *path, struct str *out)
{
	static struct btf_maker types;

	if (strcmp(path, "/sys/kernel/btf/vmlinux") != 0)
		return __real_file_read(path, out);
	memset(&types, 0, sizeof(types));
	bm_int(&types, "int", 4, BM_SIGNED);
	str_addn(out, (const char *)types.blob, bm_end(&types));
	return 0;
}

uint64_t __wrap_clock_mono_ns(void)
{
	static uint64_t ahead_ns;

	ahead_ns += played.clock_step_ns;
	return (played.is_frozen ? 0 : __real_clock_mono_ns()) + ahead_ns;
}

int __wrap_poll(struct pollfd *fds, nfds_t count, int ms);
int __real_poll(struct pollfd *fds, nfds_t count, int ms);

int __wrap_poll(struct pollfd *fds, nfds_t count, int ms)
{
	if (!fds) {
		assert_int_equal(count, 0);
		assert_int_equal(ms, 20);
		played.naps++;
	}
	return __real_poll(fds, count, ms);
}

static int setup(void **state)
{
	(void)state;
	dir = unit_temp_create_in_memory();
	played = (struct played){};
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	unit_temp_remove(dir);
	return 0;
}

/* The script is the loader; its arguments are in the file args. */
static void load_with(const char *commands)
{
	snprintf(played.loader, sizeof(played.loader),
		 "#!/bin/sh\nd=%s\nshift 0\necho \"$@\" >$d/args\n%s\n", dir, commands);
}

static void expect_args(const char *wanted)
{
	_free_ char *path = str_fmt("%s/args", dir);
	_str_ struct str text = {};

	assert_int_equal(file_read(path, &text), 0);
	assert_string_equal(str_get(&text), wanted);
}

/* ---- the observer ---- */

static void the_observer_is_loaded_into_a_mount_of_its_own(void **state)
{
	_free_ char *wanted = NULL;
	struct host_observer o = {};

	(void)state;
	load_with("exit 0");
	host_observer_start(&o);
	assert_string_equal(str_get(&o.problem), "");
	wanted = str_fmt("/proc/self/fd/%d/ktstr", played.mount);
	assert_string_equal(o.dir, wanted);
	assert_string_equal(played.attached, wanted);
	assert_int_equal(played.mount_flags,
			 MOUNT_ATTR_NOSUID | MOUNT_ATTR_NODEV | MOUNT_ATTR_NOEXEC);
	assert_int_equal(fcntl(played.fs, F_GETFD), -1);
	assert_true(fcntl(played.mount, F_GETFD) >= 0);
	host_observer_finish(&o);
	assert_true(played.was_detached);
	assert_int_equal(fcntl(played.mount, F_GETFD), -1);
	assert_int_equal(o.mount, 0);
}

static void expect_problem(const char *problem)
{
	struct host_observer o = {};

	host_observer_start(&o);
	assert_string_equal(str_get(&o.problem), problem);
	assert_string_equal(o.dir, "");
	host_observer_finish(&o);
}

static void events_that_cannot_be_recorded_have_a_reason(void **state)
{
	(void)state;
	played.fs_error = EPERM;
	expect_problem("mount a bpf file system: Operation not permitted");
	played.fs_error = 0;
	played.config_error = EBUSY;
	expect_problem("mount a bpf file system: Device or resource busy");
	played.config_error = 0;
	played.mount_error = EPERM;
	expect_problem("mount a bpf file system: Operation not permitted");
	played.mount_error = 0;
	expect_problem("this ktstr was built without a BPF compiler");
	load_with("echo it failed >&2\necho more >&2\nexit 1");
	expect_problem("it failed");
	load_with("exit 3");
	expect_problem("the loader of BPF programs failed");
	load_with("exit 0");
	played.attach_error = EACCES;
	expect_problem("attach the observer: Permission denied");
}

/* Any number of a file is one, also that of a stdin which is closed. */
static void files_may_have_the_number_of_stdin(void **state)
{
	int kept = dup(STDIN_FILENO), fd = -1;

	(void)state;
	load_with("exit 0");
	for (int i = 0; i < 2; i++) {
		struct host_observer o = {};

		close(STDIN_FILENO);
		played.has_high_fs = i;
		host_observer_start(&o);
		assert_string_equal(str_get(&o.problem), "");
		assert_int_equal(i ? played.mount : played.fs, STDIN_FILENO);
		assert_string_equal(played.attached, o.dir);
		host_observer_finish(&o);
	}
	close(STDIN_FILENO);
	assert_int_equal(host_loader_open(&fd), 0);
	assert_int_equal(fd, STDIN_FILENO);
	close(fd);
	if (kept >= 0) {
		dup2(kept, STDIN_FILENO);
		close(kept);
	}
}

/* ---- probes ---- */

#define READY "echo >$2/ready\n"
#define LEAVES "trap 'echo report >$2/report.json; echo records >$2/records; exit 0' TERM\n"
#define WAITS "while :; do sleep 0.01; done\n"

static void start_probes(struct host_probes *p, const char *functions)
{
	assert_int_equal(host_probes_start(p, functions), 0);
	assert_true(p->child.pid > 0);
	assert_int_equal(access(p->dir, F_OK), 0);
}

static void finish_probes(struct host_probes *p)
{
	_free_ char *where = strdup(p->dir);
	int said = p->said - 1;

	host_probes_finish(p);
	assert_int_equal(access(where, F_OK), -1);
	assert_int_equal(fcntl(said, F_GETFD), -1);
	assert_true(!p->child.pid && !p->dir[0] && !p->said);
}

/* Ends them behind a result of these details; what was told, or the error. */
static void expect_end(const struct ktstr_result *r, const char *kernel_dir, const char *wanted)
{
	_free_ char *args = NULL;
	_str_ struct str out = {};
	struct host_probes p = {};
	int rc;

	start_probes(&p, "f,g");
	args = str_fmt("--probes %s f,g\n", p.dir);
	expect_args(args);
	rc = host_probes_end(&p, r, kernel_dir, &out);
	assert_true(rc <= 0);
	assert_string_equal(rc < 0 ? err_text(rc) : str_get(&out), wanted);
	if (rc == 0) {
		assert_string_equal(played.report, "report\n");
		assert_string_equal(played.records, "records\n");
		assert_int_equal(played.cpus, sysconf(_SC_NPROCESSORS_CONF));
		assert_true(played.has_lines == (kernel_dir != NULL));
	}
	finish_probes(&p);
}

static void probes_tell_a_story_or_that_there_is_none(void **state)
{
	struct ktstr_result r;

	(void)state;
	load_with(LEAVES READY WAITS);
	result_init(&r);
	played.tells = 1;
	expect_end(&r, NULL, "--- probe pipeline ---\ntraceable\n--- auto-repro ---\na story\n");
	assert_int_equal(played.told_pid, 0);
	played.tells = 0;
	expect_end(&r, "/sources",
		   "--- probe pipeline ---\ntraceable\n--- auto-repro ---\n"
		   "scheduler ran normally (crash did not reproduce)\n");
	assert_string_equal(played.lines_dir, "/sources");
	played.tells = -EINVAL;
	expect_end(&r, NULL, "no report");
	played.lines_rc = -ENODATA;
	expect_end(&r, "/sources", "no lines");
	result_finish(&r);
}

static void a_story_is_about_the_task_of_a_failed_check(void **state)
{
	struct ktstr_result r;

	(void)state;
	load_with(LEAVES READY WAITS);
	result_init(&r);
	played.tells = 1;
	/* Only what failed counts, and only of a result that did. */
	result_add(&r, DETAIL_OTHER, KTSTR_INCONCLUSIVE, "tid 170 starved");
	expect_end(&r, NULL, "--- probe pipeline ---\ntraceable\n--- auto-repro ---\na story\n");
	assert_int_equal(played.told_pid, 0);
	result_add(&r, DETAIL_OTHER, KTSTR_FAILED, "about nobody");
	expect_end(&r, NULL, "--- probe pipeline ---\ntraceable\n--- auto-repro ---\na story\n");
	assert_int_equal(played.told_pid, 0);
	result_add(&r, DETAIL_OTHER, KTSTR_FAILED, "tid 171 starved");
	result_add(&r, DETAIL_OTHER, KTSTR_FAILED, "tid 172 starved");
	expect_end(&r, NULL, "--- probe pipeline ---\ntraceable\n--- auto-repro ---\na story\n");
	assert_int_equal(played.told_pid, 171);
	/* A scheduler that was thrown out is what the story is about. */
	played.exit_kind = 1025;
	expect_end(&r, NULL, "--- probe pipeline ---\ntraceable\n--- auto-repro ---\na story\n");
	assert_int_equal(played.told_pid, 0);
	result_finish(&r);
	played.exit_kind = 0;
	result_init(&r);
	result_add(&r, DETAIL_OTHER, KTSTR_FAILED, "tid 173 starved");
	expect_end(&r, NULL, "--- probe pipeline ---\ntraceable\n--- auto-repro ---\na story\n");
	assert_int_equal(played.told_pid, 173);
	result_finish(&r);
}

static void expect_no_start(int errnum, const char *problem)
{
	struct host_probes p = {};
	int rc = host_probes_start(&p, NULL);

	assert_int_equal(rc, -errnum);
	assert_string_equal(err_text(rc), problem);
	host_probes_finish(&p);
}

static void probes_that_cannot_begin_have_a_reason(void **state)
{
	struct host_probes p = {};

	(void)state;
	played.has_no_room = true;
	assert_int_equal(host_probes_start(&p, NULL), -ENOSPC);
	assert_string_equal(p.dir, ""); /* nothing to remove */
	host_probes_finish(&p);
	played.has_no_room = false;
	expect_no_start(EOPNOTSUPP, "probes: this ktstr was built without a BPF compiler");
	load_with("echo not allowed >&2; exit 1");
	expect_no_start(EIO, "probes: not allowed");
	load_with("exit 0");
	expect_no_start(EIO, "probes: the loader of BPF programs failed");
	load_with(WAITS);
	played.is_interrupted = true;
	assert_int_equal(host_probes_start(&p, NULL), -EINTR);
	assert_string_equal(err_text(-EINTR), "probes: Interrupted system call");
	finish_probes(&p);
	played.is_interrupted = false;
	/* Three looks at the clock between two naps: half a minute is five of them. */
	played.clock_step_ns = 2 * NSEC_PER_SEC;
	played.is_frozen = true;
	played.naps = 0;
	expect_no_start(ETIMEDOUT, "probes: the probes are not attached after 30 s");
	assert_int_equal(played.naps, 5);
}

/* The file of their messages may have the number of stdin: that is no lack of memory. */
static void messages_of_probes_may_be_in_any_file(void **state)
{
	int kept = dup(STDIN_FILENO), null = open("/dev/null", O_RDONLY);
	struct host_probes p = {};

	(void)state;
	dup2(null, STDIN_FILENO);
	load_with(READY WAITS);
	played.said_name = "ktstr-probes-said";
	assert_int_equal(host_probes_start(&p, NULL), 0);
	assert_int_equal(p.said - 1, STDIN_FILENO);
	finish_probes(&p);
	if (kept >= 0) {
		dup2(kept, STDIN_FILENO);
		close(kept);
	}
	if (null > 0)
		close(null);
}

static void probes_that_end_badly_have_a_reason(void **state)
{
	struct ktstr_result r;

	(void)state;
	result_init(&r);
	load_with("trap 'echo too late >&2; exit 4' TERM\n" READY WAITS);
	expect_end(&r, NULL, "too late");
	result_finish(&r);
}

#define HERE(test) cmocka_unit_test_setup_teardown(test, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		HERE(the_observer_is_loaded_into_a_mount_of_its_own),
		HERE(events_that_cannot_be_recorded_have_a_reason),
		HERE(files_may_have_the_number_of_stdin),
		HERE(probes_tell_a_story_or_that_there_is_none),
		HERE(a_story_is_about_the_task_of_a_failed_check),
		HERE(probes_that_cannot_begin_have_a_reason),
		HERE(messages_of_probes_may_be_in_any_file),
		HERE(probes_that_end_badly_have_a_reason),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
