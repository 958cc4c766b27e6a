/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The guest's PID 1 from its first instruction to its reboot, as a child of the test in a directory
 * of its own: nothing is mounted there, no port is written, and the reboot is its end.
 */
#ifndef KTSTR_PLAYED_LIFE_H
#define KTSTR_PLAYED_LIFE_H

#include "unit.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/sysinfo.h>
#include <sys/utsname.h>
#include <sys/wait.h>
#include <time.h>
#include <ucontext.h>
#include <unistd.h>

#include "base/err.h"
#include "base/file.h"
#include "base/str.h"
#include "channel/channel.h"
#include "guest/order.h"
#include "guest/parts.h"
#include "guest/protocol.h"
#include "guest/sched.h"
#include "observe/observer.h"
#include "vm/initramfs.h"
#include "wrapped_syscall.h"

#define REBOOTED 42
#define NO_PLACE 43
#define DEVICE "sys/bus/pci/devices/0000:00:03.0/"
#define CPUS 2

/* What the child asked the kernel for. */
static struct asked {
	char mounts[2048];
	char refused_mount[64];	 /* of this target; "" = none */
	int refused_with;	 /* errno; 0 = EACCES */
	unsigned int null_files; /* of stdin, stdout and stderr, before /proc is mounted */
	unsigned int ports, chips;
	struct timespec time;
	bool refuses_time;
	uint64_t slept_ns;
	unsigned int sleeps, input_at; /* the sleep in which the host gives input; 0 = none */
	size_t input_len;
	char input[16384];
	uint64_t limit_ns, delays_seed, wake_seed;
	unsigned int delays, wake_delay_us, orders, modules;
	struct order_options order;
	char strategy[16];
	int module_error, policy, priority;
	/* What is not as usual, and how often it was asked for. */
	pid_t init;
	unsigned int closed_files; /* of stdin, stdout and stderr: a bit each */
	char leaked[64];	   /* opened by init for all programs that it starts */
	mode_t dev_mode;
	char refused_link[32];
	bool refuses_truncate, refuses_lock, lacks_memory, can_observe, makes_instance;
	struct timespec mono; /* what the clock shows; 0 = as it is */
	unsigned int drains, locks, private_maps, learned, prepared, naps;
	unsigned int written[4][2], write_count; /* port, value */
} * asked;

static char *root;
/* "TYPE:payload\n" of every frame that came through the channel. */
static struct str frames;
static uint64_t output_bytes, lost_bytes;
static int terminal = -1; /* of a shell, where it has one */
static bool allows_ports; /* what is written to them is up to the test, then */

int __wrap_mount(const char *source, const char *target, const char *type, unsigned long flags,
		 const void *data);
int __wrap_reboot(int how);
int __wrap_ioperm(unsigned long from, unsigned long count, int on);
int __wrap_clock_settime(clockid_t clock, const struct timespec *time);
int __wrap_clock_sleep_ns(uint64_t ns);
int __wrap_open(const char *path, int flags, ...);
int __real_open(const char *path, int flags, ...);
uint64_t __wrap_clock_mono_ns(void);
uint64_t __real_clock_mono_ns(void);
long __wrap_sysconf(int name);
long __real_sysconf(int name);

void __wrap_run_set_limit(uint64_t ns);
void __real_run_set_limit(uint64_t ns);
int __wrap_order_start(const struct order_options *o);
int __real_order_start(const struct order_options *o);
bool __wrap_order_count(uint64_t *events, uint64_t *tasks);
int __wrap_jitter_start_delays(uint64_t seed, uint32_t per_second);
int __real_jitter_start_delays(uint64_t seed, uint32_t per_second);
int __wrap_wake_delay_start(uint64_t seed, uint32_t longest_us);
int __real_wake_delay_start(uint64_t seed, uint32_t longest_us);
int __wrap_sched_setscheduler(pid_t pid, int policy, const struct sched_param *p);
int __wrap_tcdrain(int fd);
int __wrap_mkdir(const char *path, mode_t mode);
int __real_mkdir(const char *path, mode_t mode);
int __wrap_symlink(const char *target, const char *path);
int __real_symlink(const char *target, const char *path);
int __wrap_ftruncate(int fd, off_t size);
int __real_ftruncate(int fd, off_t size);
int __wrap_madvise(void *data, size_t size, int advice);
int __real_madvise(void *data, size_t size, int advice);
int __wrap_sysinfo(struct sysinfo *info);
int __wrap_clock_gettime(clockid_t clock, struct timespec *time);
int __real_clock_gettime(clockid_t clock, struct timespec *time);
int __wrap_sigtimedwait(const sigset_t *set, siginfo_t *info, const struct timespec *limit);
int __real_sigtimedwait(const sigset_t *set, siginfo_t *info, const struct timespec *limit);
int __wrap_channel_lock_init(pthread_mutex_t *lock);
int __real_channel_lock_init(pthread_mutex_t *lock);
int __wrap_observe_attach(struct observe_links *links, const char *dir);
int __real_observe_attach(struct observe_links *links, const char *dir);
void __wrap_scx_watchdog_learn(void);
void __real_scx_watchdog_learn(void);
void __wrap_scheduler_prepare(struct scheduler *s);
void __real_scheduler_prepare(struct scheduler *s);
void __wrap_crash_install(void);
void __real_crash_install(void);

static void look_at_stdio(void)
{
	struct stat null, st;

	for (int fd = 0; fd <= 2 && stat("/dev/null", &null) == 0; fd++)
		asked->null_files += fstat(fd, &st) == 0 && st.st_ino == null.st_ino;
}

int __wrap_mount(const char *source, const char *target, const char *type, unsigned long flags,
		 const void *data)
{
	size_t len = strlen(asked->mounts);

	if (strcmp(source, type) != 0)
		abort();
	snprintf(asked->mounts + len, sizeof(asked->mounts) - len, "%s %s %lx %s\n", type, target,
		 flags, data ? (const char *)data : "-");
	if (strcmp(target, "/proc") == 0)
		look_at_stdio();
	errno = asked->refused_with ? asked->refused_with : EACCES;
	return strcmp(target, asked->refused_mount) == 0 ? -1 : 0;
}

int __wrap_reboot(int how)
{
	(void)how;
	_exit(REBOOTED);
}

int __wrap_ioperm(unsigned long from, unsigned long count, int on)
{
	if (from == GUEST_PAUSE_PORT && count == 1 && on == 1)
		asked->ports++;
	if (from == 0x40 && count == 4 && on == 1) /* of the old timer chip */
		asked->chips++;
	errno = EPERM;
	return allows_ports ? 0 : -1;
}

int __wrap_clock_settime(clockid_t clock, const struct timespec *time)
{
	if (clock == CLOCK_REALTIME)
		asked->time = *time;
	errno = EPERM;
	return asked->refuses_time ? -1 : 0;
}

/* Through the channel, into the place of what was there before. */
static void give_input(void)
{
	struct channel_header *h = report.channel.header;

	if (asked->input_len) {
		memcpy((uint8_t *)h + h->input_offset, asked->input, asked->input_len);
		h->input_len = asked->input_len;
		h->input_sum = channel_sum((uint8_t *)h + h->input_offset, asked->input_len);
	}
	h->input_state = 1;
}

int __wrap_clock_sleep_ns(uint64_t ns)
{
	asked->slept_ns += ns;
	if (++asked->sleeps == asked->input_at)
		give_input();
	return 0;
}

void __wrap_run_set_limit(uint64_t ns)
{
	asked->limit_ns = ns;
	__real_run_set_limit(ns);
}

/* What is refused is refused, and nothing else happens to this machine. */
int __wrap_order_start(const struct order_options *o)
{
	asked->orders++;
	asked->order = *o;
	snprintf(asked->strategy, sizeof(asked->strategy), "%s", o->strategy);
	return strcmp(o->strategy, ORDER_WALK) == 0 ? 0 : __real_order_start(o);
}

bool __wrap_order_count(uint64_t *events, uint64_t *tasks)
{
	*events = 12;
	*tasks = 13;
	return asked->orders;
}

int __wrap_jitter_start_delays(uint64_t seed, uint32_t per_second)
{
	asked->delays_seed = seed;
	asked->delays = per_second;
	return per_second > JITTER_MAX_DELAYS ? __real_jitter_start_delays(seed, per_second) : 0;
}

int __wrap_wake_delay_start(uint64_t seed, uint32_t longest_us)
{
	asked->wake_seed = seed;
	asked->wake_delay_us = longest_us;
	return longest_us > WAKE_DELAY_MAX_US ? __real_wake_delay_start(seed, longest_us) : 0;
}

int __wrap_sched_setscheduler(pid_t pid, int policy, const struct sched_param *p)
{
	if (pid == 0) {
		asked->policy = policy;
		asked->priority = p->sched_priority;
	}
	return 0;
}

static long play_syscall(long number, const long args[SYSCALL_ARGS])
{
	if (number != SYS_finit_module)
		return pass_syscall(number, args);
	asked->modules++;
	if (fcntl((int)args[0], F_GETFD) < 0 || *(const char *)args[1] || (int)args[2])
		abort();
	errno = asked->module_error;
	return asked->module_error ? -1 : 0;
}

/* Programs get their files from init, and none of its own. */
static void look_at_file(const char *path, int flags)
{
	if (!asked || getpid() != asked->init)
		return;
	if (!(flags & O_CLOEXEC) && strcmp(path, "/dev/null") != 0)
		snprintf(asked->leaked, sizeof(asked->leaked), "%s", path);
	if (strstr(path, "trace_pipe") && !(flags & (O_NONBLOCK | O_CREAT)))
		abort();
}

int __wrap_open(const char *path, int flags, ...)
{
	mode_t mode;
	va_list rest;

	look_at_file(path, flags);
	if (terminal >= 0 && strcmp(path, GUEST_VIRTIO_TTY) == 0)
		return dup(terminal);
	va_start(rest, flags);
	mode = flags & O_CREAT ? va_arg(rest, mode_t) : 0;
	va_end(rest);
	return __real_open(path, flags, mode);
}

/* Time passes slowly for whoever has a limit: this machine may be busy. */
uint64_t __wrap_clock_mono_ns(void)
{
	return __real_clock_mono_ns() / 100;
}

int __wrap_tcdrain(int fd)
{
	if (fcntl(fd, F_GETFD) < 0)
		abort();
	asked->drains++;
	return 0;
}

#define TRACING "sys/kernel/tracing"
#define INSTANCE TRACING "/instances/ktstr"
#define DUMP_EVENT "/events/sched_ext/sched_ext_dump"

/* As a tracefs does, a directory there has its files at once. */
int __wrap_mkdir(const char *path, mode_t mode)
{
	int rc = __real_mkdir(path, mode);

	if (strcmp(path, "/dev") == 0)
		asked->dev_mode = mode;
	if (rc < 0 || !asked || !asked->makes_instance || strcmp(path, "/" INSTANCE) != 0)
		return rc;
	unit_write(path, "buffer_size_kb", "");
	unit_write(path, "trace_pipe", "w-1 [0] 5.6: sched_ext_dump: new\n");
	unit_write(path, "." DUMP_EVENT "/enable", "");
	return rc;
}

int __wrap_symlink(const char *target, const char *path)
{
	errno = EROFS;
	return asked && strcmp(path, asked->refused_link) == 0 ? -1 : __real_symlink(target, path);
}

int __wrap_ftruncate(int fd, off_t size)
{
	errno = ENOSPC;
	return asked->refuses_truncate ? -1 : __real_ftruncate(fd, size);
}

int __wrap_madvise(void *data, size_t size, int advice)
{
	asked->private_maps += advice == MADV_DONTFORK;
	return __real_madvise(data, size, advice);
}

int __wrap_sysinfo(struct sysinfo *info)
{
	*info = (struct sysinfo){ .totalram = 300000, .mem_unit = 4096 };
	return asked->lacks_memory ? -1 : 0;
}

int __wrap_clock_gettime(clockid_t clock, struct timespec *time)
{
	if (!asked || !asked->mono.tv_sec || clock != CLOCK_MONOTONIC)
		return __real_clock_gettime(clock, time);
	*time = asked->mono;
	return 0;
}

/* Of whoever waits for a shell, and looks a few times a second. */
int __wrap_sigtimedwait(const sigset_t *set, siginfo_t *info, const struct timespec *limit)
{
	sigset_t blocked;

	sigprocmask(SIG_BLOCK, NULL, &blocked);
	for (int number = 1; number < SIGRTMIN; number++)
		if (sigismember(set, number) != (number == SIGCHLD))
			abort();
	if (limit->tv_sec || limit->tv_nsec != 200000000 || !sigismember(&blocked, SIGCHLD))
		abort();
	asked->naps++;
	return __real_sigtimedwait(set, info, limit);
}

int __wrap_channel_lock_init(pthread_mutex_t *lock)
{
	asked->locks++;
	return asked->refuses_lock ? -EINVAL : __real_channel_lock_init(lock);
}

int __wrap_observe_attach(struct observe_links *links, const char *dir)
{
	return asked->can_observe ? 0 : __real_observe_attach(links, dir);
}

void __wrap_scx_watchdog_learn(void)
{
	asked->learned++;
	__real_scx_watchdog_learn();
}

void __wrap_scheduler_prepare(struct scheduler *s)
{
	asked->prepared++;
	__real_scheduler_prepare(s);
}

#if defined(__x86_64__)
/* Nobody may write to ports here: it is noted instead, and the program goes on behind it. */
static void note_write(int number, siginfo_t *info, void *context)
{
	greg_t *regs = ((ucontext_t *)context)->uc_mcontext.gregs;
	const uint8_t *code = (const uint8_t *)(uintptr_t)regs[REG_RIP];
	bool has_number = code[0] == 0xe6; /* the port is part of the instruction */
	unsigned int *written = asked->written[asked->write_count];

	(void)number;
	(void)info;
	if ((!has_number && code[0] != 0xee) || asked->write_count == ARRAY_SIZE(asked->written))
		abort();
	written[0] = has_number ? code[1] : (uint16_t)regs[REG_RDX];
	written[1] = (uint8_t)regs[REG_RAX];
	asked->write_count++;
	regs[REG_RIP] += has_number ? 2 : 1;
}

static const struct sigaction note_writes = { .sa_sigaction = note_write, .sa_flags = SA_SIGINFO };
#endif

void __wrap_crash_install(void)
{
#if defined(__x86_64__)
	if (allows_ports) {
		sigaction(SIGSEGV, &note_writes, NULL);
		return;
	}
#endif
	__real_crash_install();
}

long __wrap_sysconf(int name)
{
	return name == _SC_NPROCESSORS_ONLN ? CPUS : __real_sysconf(name);
}

/* ---- the place of a guest ---- */

static bool copy_busybox(void)
{
	_free_ char *path = str_fmt("%s" GUEST_BUSYBOX, root);
	_str_ struct str program = {};

	return file_read("/bin/busybox", &program) == 0 &&
	       file_replace(path, program.s, program.len, 0755) == 0;
}

static int setup(void **state)
{
	static const char *const files[] = { "dev/ttyS0",
					     "dev/ttyS1",
					     "dev/null",
					     "bin/other",
					     "proc/sys/kernel/hostname",
					     "proc/sys/kernel/bpf_stats_enabled",
					     "root/x",
					     "run/ktstr-profiles/.hidden",
					     "dev/shm/x" };

	(void)state;
	root = unit_temp_create();
	asked = mmap(NULL, sizeof(*asked), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1,
		     0);
	assert_true(asked != MAP_FAILED);
	output_bytes = lost_bytes = 0;
	terminal = -1;
	for (size_t i = 0; i < ARRAY_SIZE(files); i++)
		unit_write(root, files[i], "");
	unit_write(root, "proc/stat", "cpu 1 2 3\n");
	unit_write(root, ".ktstr_init_ok", "");
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	munmap(asked, sizeof(*asked));
	asked = NULL;
	unit_temp_remove(root);
	str_finish(&frames);
	frames = (struct str){};
	return 0;
}

static inline void add_channel(const struct channel_region *region)
{
	_free_ char *path = str_fmt("%s/" DEVICE "resource2", root);
	int fd;

	unit_write(root, DEVICE "vendor", "0x1af4\n");
	unit_write(root, DEVICE "device", "0x1110\n");
	unit_write(root, DEVICE "enable", "0\n");
	fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0644);
	assert_true(fd >= 0);
	assert_int_equal(channel_region_write(fd, region), 0);
	close(fd);
}

static int collect(void *ctx, const struct channel_frame *frame)
{
	char type[CHANNEL_TYPE_TEXT_SIZE];

	(void)ctx;
	channel_type_format(frame->type, type);
	output_bytes += frame->type == CHANNEL_STDOUT ? frame->length : 0;
	if (frame->type == CHANNEL_EXIT)
		str_addf(&frames, "EXIT:%d\n", *(const int32_t *)frame->data);
	else if (frame->type == CHANNEL_LOST)
		memcpy(&lost_bytes, frame->data, sizeof(lost_bytes));
	else
		str_addf(&frames, "%s:%.*s\n", type, (int)frame->length, (const char *)frame->data);
	return 0;
}

static void read_frames(void)
{
	_free_ char *path = str_fmt("%s/" DEVICE "resource2", root);
	int fd = open(path, O_RDWR | O_CLOEXEC);
	struct channel_mapping region = { .size = (uint64_t)lseek(fd, 0, SEEK_END) };
	struct channel_reader reader = {};
	struct channel_io io;

	str_reset(&frames);
	if (fd < 0)
		return;
	region.data = mmap(NULL, region.size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	assert_ptr_not_equal(region.data, MAP_FAILED);
	io = channel_io_mapping(&region, true);
	assert_int_equal(channel_reader_init(&reader, &io, region.size), 0);
	assert_int_equal(channel_reader_drain(&reader, collect, NULL), 0);
	channel_reader_finish(&reader);
	munmap(region.data, region.size);
	close(fd);
}

/* Lives in the directory until it reboots. */
static void live(void)
{
	_str_ struct str maps = {};
	int status;
	pid_t pid;

	if (!copy_busybox()) {
		print_message("# skip: busybox is not installed\n");
		skip();
	}
	/* For a sanitizer, which looks for the bounds of the stack there. */
	assert_int_equal(file_read("/proc/self/maps", &maps), 0);
	unit_write(root, "proc/self/maps", str_get(&maps));
	pid = fork();
	assert_true(pid >= 0);
	if (pid == 0) {
		/* As the kernel begins it, whatever was ignored where this test began. */
		for (int number = 1; number < SIGRTMIN; number++)
			signal(number, SIG_DFL);
		alarm(60);
		umask(0);
		if (geteuid() != 0 && unshare(CLONE_NEWUSER) < 0)
			_exit(NO_PLACE);
		if (chroot(root) < 0 || chdir("/") < 0)
			_exit(NO_PLACE);
		asked->init = getpid();
		for (int fd = 0; fd <= 2; fd++)
			if (asked->closed_files >> fd & 1)
				close(fd);
		guest_live();
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_true(WIFEXITED(status));
	if (WEXITSTATUS(status) == NO_PLACE) {
		print_message("# skip: chroot() needs root or user namespaces\n");
		skip();
	}
	assert_int_equal(WEXITSTATUS(status), REBOOTED);
	assert_string_equal(asked->leaked, "");
	read_frames();
}

static inline void expect_file(const char *name, const char *text)
{
	_free_ char *path = str_fmt("%s/%s", root, name);
	_str_ struct str found = {};

	assert_int_equal(file_read(path, &found), 0);
	assert_string_equal(str_get(&found), text);
}

static inline void expect_part(const char *name, const char *text)
{
	_free_ char *path = str_fmt("%s/%s", root, name);
	_str_ struct str found = {};

	assert_int_equal(file_read(path, &found), 0);
	if (!strstr(str_get(&found), text))
		fail_msg("no '%s' in %s: %s", text, name, str_get(&found));
}

static inline void expect_frame(const char *text)
{
	if (!strstr(str_get(&frames), text))
		fail_msg("no '%s' in: %s", text, str_get(&frames));
}

static inline void expect_no_frame(const char *text)
{
	if (strstr(str_get(&frames), text))
		fail_msg("'%s' in: %s", text, str_get(&frames));
}

static inline void run_with(const char *settings, const char *commands)
{
	unit_write(root, ".ktstr_run", settings);
	if (commands)
		unit_write(root, "exec_cmd", commands);
	live();
}

/* Nothing is run with these settings. */
static inline void expect_fatal(const char *settings, const char *complaint)
{
	_free_ char *line = str_fmt("PANIC: %s\nKTSTR_EXIT=1\n", complaint);

	unit_write(root, "dev/ttyS1", "");
	run_with(settings, "echo never");
	expect_part("dev/ttyS1", line);
}

/* A terminal of this machine under the guest's name for it; the other end. */
static inline int add_terminal(void)
{
	int user = posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC);

	assert_true(user >= 0);
	assert_true(grantpt(user) == 0 && unlockpt(user) == 0);
	terminal = open(ptsname(user), O_RDWR | O_NOCTTY | O_CLOEXEC);
	assert_true(terminal >= 0);
	return user;
}

/* What is typed, and all that was shown when the shell has ended. */
static inline void expect_shown(int user, const char *keys, const char *settings, const char *text)
{
	char shown[8192] = {};
	size_t len = 0;
	ssize_t n;

	assert_int_equal(write(user, keys, strlen(keys)), strlen(keys));
	run_with(settings, NULL);
	cleanup_fd(&terminal);
	while ((n = read(user, shown + len, sizeof(shown) - 1 - len)) > 0)
		len += (size_t)n;
	close(user);
	if (!strstr(shown, text))
		fail_msg("no '%s' in: %s", text, shown);
}

#define HERE(test) cmocka_unit_test_setup_teardown(test, setup, teardown)

#endif
