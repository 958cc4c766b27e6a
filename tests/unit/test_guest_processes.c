// SPDX-License-Identifier: GPL-2.0-only
/* Processes of a guest in a /proc of the test's, and the numbers that a seed stands for. */
#include "unit.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/random.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/reboot.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <termios.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/file.h"
#include "base/str.h"
#include "guest/order.h"
#include "guest/parts.h"
#include "guest/protocol.h"
#include "guest/sched.h"

static char *root;

DIR *__real_opendir(const char *path);
DIR *__wrap_opendir(const char *path);
int __real_file_read_at(int dir, const char *name, struct str *out);
int __wrap_file_read_at(int dir, const char *name, struct str *out);

int __real_open(const char *path, int flags, ...);
int __wrap_open(const char *path, int flags, ...);
int __wrap_execl(const char *path, const char *argument, ...);

static const char *terminal, *terminal_name; /* what is there under which name */

int __wrap_open(const char *path, int flags, ...)
{
	if (strncmp(path, "/dev/tty", 8) == 0 || strcmp(path, GUEST_VIRTIO_TTY) == 0)
		assert_int_equal(flags, O_RDWR | O_NOCTTY | O_CLOEXEC);
	if (terminal && strcmp(path, terminal_name) == 0)
		return __real_open(terminal, flags, 0644);
	if (root && strncmp(path, root, strlen(root)) == 0)
		assert_true(flags & O_CLOEXEC);
	if (strcmp(path, "/dev/random") == 0)
		assert_int_equal(flags, O_WRONLY | O_CLOEXEC);
	if (strcmp(path, GUEST_VIRTIO_TTY) != 0 && strcmp(path, GUEST_SHELL_TTY) != 0 &&
	    strcmp(path, GUEST_KERNEL_TTY) != 0 && strcmp(path, "/dev/console") != 0)
		return __real_open(path, flags, 0644);
	errno = ENOENT;
	return -1;
}

/* A session of its own, in front of its terminal, with nothing blocked. */
static bool is_like_a_login(void)
{
	int tty = __real_open("/dev/tty", O_RDWR | O_NOCTTY);
	struct stat own, standard;
	sigset_t blocked;

	if (getsid(0) != getpid() || tty < 0 || stat(terminal, &own) < 0)
		return false;
	for (int fd = 0; fd <= 2; fd++)
		if (fstat(fd, &standard) < 0 || standard.st_rdev != own.st_rdev)
			return false;
	sigprocmask(SIG_BLOCK, NULL, &blocked);
	return sigisemptyset(&blocked);
}

/* A shell that ends at once, with a number that tells how it was called. */
int __wrap_execl(const char *path, const char *argument, ...)
{
	if (strcmp(path, GUEST_BUSYBOX) != 0 || strcmp(argument, "-sh") != 0)
		_exit(34);
	_exit(is_like_a_login() ? 33 : 35);
}

static const char *moved(const char *path, char out[PATH_MAX])
{
	if (strncmp(path, "/proc", 5) != 0)
		return path;
	snprintf(out, PATH_MAX, "%s%s", root, path);
	return out;
}

DIR *__wrap_opendir(const char *path)
{
	char out[PATH_MAX];

	return __real_opendir(moved(path, out));
}

int __wrap_file_read_at(int dir, const char *name, struct str *out)
{
	char path[PATH_MAX];

	return __real_file_read_at(dir, moved(name, path), out);
}

static int setup(void **state)
{
	(void)state;
	root = unit_temp_create();
	unit_write(root, "proc/uptime", "1 1\n");
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	unit_temp_remove(root);
	return 0;
}

static void make_process(int pid, const char *name, int parent, const char *info)
{
	_free_ char *stat = str_fmt("proc/%d/stat", pid), *fd = str_fmt("proc/%d/fdinfo/3", pid);
	_free_ char *text = str_fmt("%d (%s) S %d %d %d 0\n", pid, name, parent, pid, pid);

	unit_write(root, stat, text);
	unit_write(root, fd, info);
}

static void orphans_are_children_of_init(void **state)
{
	(void)state;
	assert_false(sched_process_has_orphans(1));
	make_process(1, "init", 0, "");
	make_process(20, "worker", 12, "");
	make_process(30, "S 1) x", 11, "");
	assert_false(sched_process_has_orphans(1));
	make_process(40, "a) S 7 b", 1, "");
	assert_true(sched_process_has_orphans(1));
	assert_true(sched_process_has_orphans(39));
	/* Those that were there before do not count. */
	assert_false(sched_process_has_orphans(40));
	unit_write(root, "proc/50/stat", "50 (short) S");
	assert_false(sched_process_has_orphans(40));
	unit_write(root, "proc/50/stat", "50 no name at all S 1");
	assert_false(sched_process_has_orphans(40));
	unit_write(root, "proc/60/fdinfo/3", ""); /* it is about to go */
	assert_false(sched_process_has_orphans(40));
	unit_write(root, "proc/50/stat", "50 (x) S 1");
	assert_true(sched_process_has_orphans(40));
}

static void who_holds_the_link_is_the_scheduler(void **state)
{
	(void)state;
	make_process(1, "init", 0, "pos:\t0\nlink_type:\tstruct_ops\n");
	make_process(20, "other", 1, "pos:\t0\nlink_type:\ttracing\n");
	assert_int_equal(sched_process_find_holder(), 0);
	make_process(23, "sched", 1, "pos:\t0\nflags:\t02\nlink_type:\tstruct_ops\nlink_id:\t4\n");
	assert_int_equal(sched_process_find_holder(), 23);
}

/* ---- the shell ---- */

int __real_ioctl(int fd, unsigned long request, ...);
int __wrap_ioctl(int fd, unsigned long request, ...);

static void expect_terminal(int fd)
{
	struct winsize size = {};
	struct termios t = {};

	assert_int_equal(tcgetattr(fd, &t), 0);
	assert_int_equal(t.c_iflag, ICRNL | IXON | IUTF8);
	assert_int_equal(t.c_oflag, OPOST | ONLCR);
	assert_int_equal(t.c_lflag,
			 ISIG | ICANON | ECHO | ECHOE | ECHOK | ECHOCTL | ECHOKE | IEXTEN);
	assert_int_equal(t.c_cflag & (CSIZE | CREAD), CS8 | CREAD);
	assert_int_equal(t.c_cflag & (CLOCAL | HUPCL | CSTOPB), CLOCAL | HUPCL);
	assert_int_equal(t.c_cc[VINTR], 3);
	assert_int_equal(t.c_cc[VQUIT], 28);
	assert_int_equal(t.c_cc[VERASE], 127);
	assert_int_equal(t.c_cc[VKILL], 21);
	assert_int_equal(t.c_cc[VEOF], 4);
	assert_int_equal(t.c_cc[VSUSP], 26);
	assert_int_equal(t.c_cc[VMIN], 1);
	assert_int_equal(t.c_cc[VTIME], 0);
	assert_int_equal(ioctl(fd, TIOCGWINSZ, &size), 0);
	assert_int_equal(size.ws_col, 90);
	assert_int_equal(size.ws_row, 30);
}

static void wait_for_many_bytes(int fd)
{
	struct termios t = {};

	assert_int_equal(tcgetattr(fd, &t), 0);
	t.c_cc[VMIN] = t.c_cc[VTIME] = 7;
	assert_int_equal(tcsetattr(fd, TCSANOW, &t), 0);
}

static void a_shell_has_the_terminal_of_a_login(void **state)
{
	static const char *const names[] = { GUEST_VIRTIO_TTY, GUEST_SHELL_TTY };
	const struct shell_terminal size = { .columns = 90, .rows = 30 };
	sigset_t some, before;

	(void)state;
	sigemptyset(&some);
	sigaddset(&some, SIGUSR1);
	sigprocmask(SIG_BLOCK, &some, &before);
	for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
		_close_ int ours = posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC), theirs = -1;
		char text[32] = {};
		int status;

		if (ours < 0 || grantpt(ours) < 0 || unlockpt(ours) < 0) {
			print_message("skip: no pseudo terminals here\n");
			skip();
		}
		terminal = ptsname(ours);
		terminal_name = names[i];
		theirs = __real_open(terminal, O_RDWR | O_NOCTTY | O_CLOEXEC);
		wait_for_many_bytes(theirs);
		status = shell_run("banner\n", &size);
		expect_terminal(theirs);
		terminal = NULL;
		/* Who may not enter /root has no shell. */
		assert_int_equal(status, access("/root", X_OK) == 0 ? 33 : 127);
		assert_true(read(ours, text, sizeof(text) - 1) > 0);
		assert_string_equal(text, "banner\r\n");
	}
	sigprocmask(SIG_SETMASK, &before, NULL);
}

/* Half of a size is none. */
static void a_terminal_of_unknown_size_keeps_its_own(void **state)
{
	static const struct shell_terminal halves[] = { { 90, 0 }, { 0, 30 } };

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(halves); i++) {
		_close_ int ours = posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC), theirs = -1;
		struct winsize size = { .ws_col = 50, .ws_row = 20 };

		if (ours < 0 || grantpt(ours) < 0 || unlockpt(ours) < 0) {
			print_message("skip: no pseudo terminals here\n");
			skip();
		}
		terminal = ptsname(ours);
		terminal_name = GUEST_VIRTIO_TTY;
		theirs = __real_open(terminal, O_RDWR | O_NOCTTY | O_CLOEXEC);
		assert_int_equal(__real_ioctl(ours, TIOCSWINSZ, &size), 0);
		shell_run("", &halves[i]);
		terminal = NULL;
		assert_int_equal(__real_ioctl(theirs, TIOCGWINSZ, &size), 0);
		assert_int_equal(size.ws_col, 50);
		assert_int_equal(size.ws_row, 20);
	}
}

/* Bytes leave a port as they are written: the host reads lines and frames there. */
static void the_port_to_the_host_is_raw(void **state)
{
	_close_ int ours = posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC), theirs = -1;
	struct guest_report kept = report;
	struct termios t = {};

	(void)state;
	if (ours < 0 || grantpt(ours) < 0 || unlockpt(ours) < 0) {
		print_message("skip: no pseudo terminals here\n");
		skip();
	}
	terminal = ptsname(ours);
	terminal_name = GUEST_SHELL_TTY;
	theirs = __real_open(terminal, O_RDWR | O_NOCTTY | O_CLOEXEC);
	report_open();
	terminal = NULL;
	assert_int_equal(report.console, -1);
	assert_true(report.control >= 0);
	assert_int_equal(tcgetattr(theirs, &t), 0);
	assert_int_equal(t.c_oflag & OPOST, 0);
	assert_int_equal(t.c_lflag & (ECHO | ICANON | ISIG), 0);
	close(report.control);
	report = kept;
}

/* ---- the end of init ---- */

#define REBOOTED 66

static bool is_signalled;

/* Nothing interrupts the last words. */
static bool is_undisturbed(void)
{
	sigset_t blocked;

	sigprocmask(SIG_BLOCK, NULL, &blocked);
	for (int number = 1; number < SIGSYS; number++)
		if (number != SIGKILL && number != SIGSTOP && sigismember(&blocked, number) != 1)
			return false;
	return true;
}

int __wrap_reboot(int how);

int __wrap_reboot(int how)
{
	if (is_signalled && !is_undisturbed())
		_exit(68);
	_exit(how == RB_AUTOBOOT ? REBOOTED : 67);
}

/* What init says last when this happens to it; false where nothing does. */
static bool ends_by(void (*happens)(int), int how, char text[static 256])
{
	int control = memfd_create("control", MFD_CLOEXEC);
	pid_t pid = fork();
	int status;

	if (pid == 0) {
		report = (struct guest_report){ .console = -1, .control = control };
		crash_install();
		happens(how);
		_exit(55);
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	memset(text, 0, 256);
	assert_true(pread(control, text, 255, 0) >= 0);
	close(control);
	return status == REBOOTED << 8;
}

static void gets_signal(int number)
{
	is_signalled = true;
	kill(getpid(), number);
}

static void expect_last_words(int number, const char *name)
{
	_free_ char *expected = str_fmt("PANIC: guest init: %s sent by another process\n", name);
	char text[256];

	assert_true(ends_by(gets_signal, number, text));
	assert_string_equal(text, expected);
}

static void every_fatal_signal_has_its_name(void **state)
{
	(void)state;
	expect_last_words(SIGSEGV, "SIGSEGV");
	expect_last_words(SIGBUS, "SIGBUS");
	expect_last_words(SIGILL, "SIGILL");
	expect_last_words(SIGFPE, "SIGFPE");
	expect_last_words(SIGABRT, "SIGABRT");
	expect_last_words(SIGTRAP, "SIGTRAP");
	expect_last_words(SIGSYS, "SIGSYS");
}

/* Nothing is there, in any process. */
#define NOWHERE 0xf0ab0UL

__attribute__((no_sanitize("undefined"))) static void goes_nowhere(int how)
{
	void (*volatile nowhere)(void) = (void (*)(void))NOWHERE;

	(void)how;
	nowhere();
}

__attribute__((no_sanitize("undefined"))) static void reads_nothing(int how)
{
	(void)*(volatile int *)(uintptr_t)how;
}

static volatile int depth;

static void needs_more_stack(int how)
{
	volatile char much[4096];

	much[0] = (char)how;
	depth += much[0];
	if (depth >= 0)
		needs_more_stack(how);
	depth -= much[0];
}

static void runs_out_of_stack(int how)
{
	const struct rlimit little = { .rlim_cur = 1 << 20, .rlim_max = RLIM_INFINITY };

	setrlimit(RLIMIT_STACK, &little);
	needs_more_stack(how);
}

static void a_fault_is_told_with_its_place(void **state)
{
	char text[256];

	(void)state;
	assert_true(ends_by(goes_nowhere, 0, text));
	assert_string_equal(text, "PANIC: guest init: SIGSEGV at 0xf0ab0, address 0xf0ab0\n");
	assert_true(ends_by(reads_nothing, 0, text));
	assert_memory_equal(text, "PANIC: guest init: SIGSEGV at 0x", 32);
	assert_non_null(strstr(text, ", address 0x0\n"));
	/* The words need no stack of what ran out of it. */
	assert_true(ends_by(runs_out_of_stack, 0, text));
	assert_memory_equal(text, "PANIC: guest init: SIGSEGV at 0x", 32);
}

static void has_no_terminal(int how)
{
	(void)how;
	shell_run("banner\n", &(struct shell_terminal){});
}

static void a_shell_needs_a_terminal(void **state)
{
	char text[256];

	(void)state;
	assert_true(ends_by(has_no_terminal, 0, text));
	assert_string_equal(text,
			    "PANIC: there is no terminal for the shell: neither " GUEST_VIRTIO_TTY
			    " nor " GUEST_SHELL_TTY "\nKTSTR_EXIT=1\n");
}

static bool cannot_fork;

pid_t __wrap_fork(void);
pid_t __real_fork(void);

pid_t __wrap_fork(void)
{
	errno = EAGAIN;
	return cannot_fork ? -1 : __real_fork();
}

static void has_no_processes(int how)
{
	cannot_fork = true;
	has_no_terminal(how);
}

static void a_shell_needs_a_process(void **state)
{
	_free_ char *path = str_fmt("%s/terminal", root);
	char text[256];

	(void)state;
	unit_write(root, "terminal", "");
	terminal = path;
	terminal_name = GUEST_SHELL_TTY;
	assert_true(ends_by(has_no_processes, 0, text));
	terminal = NULL;
	assert_string_equal(text, "PANIC: the shell could not be started\nKTSTR_EXIT=1\n");
}

/* ---- explanations ---- */

static void expect_explained(const char *content, int error, const char *expected)
{
	_free_ char *path = str_fmt("%s/program", root);
	char text[256];

	unlink(path);
	if (content)
		unit_write(root, "program", content);
	sched_process_explain(path, error, text, sizeof(text));
	assert_string_equal(text, expected);
}

static void a_program_that_does_not_start_is_explained(void **state)
{
	(void)state;
	expect_explained("\177ELF", ENOEXEC,
			 "Exec format error: it is not a program for this machine");
	expect_explained("\177EL", ENOEXEC,
			 "Exec format error: it is neither an ELF program nor a script whose first "
			 "line has #!");
	expect_explained("#!", ENOENT,
			 "No such file or directory: the program of its first line is not in the "
			 "guest");
	expect_explained(
		"#", ENOENT,
		"No such file or directory: its loader (the ELF interpreter) is not in the "
		"guest");
	expect_explained(NULL, ENOENT, "No such file or directory");
	expect_explained("x", EACCES, "Permission denied");
	expect_explained("x", ELIBBAD,
			 "Accessing a corrupted shared library: it or its loader is damaged");
}

/* ---- seeds ---- */

/* SplitMix64 as published: a seed has to stand for the same run in every version. */
static void words_of_a_seed_are_those_of_splitmix(void **state)
{
	uint64_t s = 0, t = 1234567;

	(void)state;
	assert_int_equal(seed_next(&s), 0xe220a8397b1dcdaf);
	assert_int_equal(seed_next(&s), 0x6e789e6aa1b965f4);
	assert_int_equal(seed_next(&s), 0x06c45d188009454f);
	assert_int_equal(seed_next(&t), 6457827717110365317);
	assert_int_equal(seed_next(&t), 3203168211198807973);
}

int __wrap_clock_sleep_ns(uint64_t ns);

static struct {
	int entropy_bits, buffer_size;
	uint64_t words[8];
} fed;
static uint64_t slept_ns;
static int feed_rc;

int __wrap_ioctl(int fd, unsigned long request, ...)
{
	va_list ap;
	void *data;

	va_start(ap, request);
	data = va_arg(ap, void *);
	va_end(ap);
	if (request != RNDADDENTROPY)
		return __real_ioctl(fd, request, data);
	memcpy(&fed, data, sizeof(fed));
	return feed_rc;
}

/* What a process that is in the way of others does, three times; it has the memory with us. */
static struct in_the_way {
	unsigned int turns;
	int policy, priority;
	uint64_t now_ns, slept_ns[3];
	unsigned int cpus[3], looks[3]; /* at a clock that goes on by a microsecond each */
} * way;

int __wrap_sched_setscheduler(pid_t pid, int policy, const struct sched_param *p);
int __wrap_sched_setaffinity(pid_t pid, size_t size, const cpu_set_t *cpus);
uint64_t __real_clock_mono_ns(void);
uint64_t __wrap_clock_mono_ns(void);

int __wrap_clock_sleep_ns(uint64_t ns)
{
	slept_ns = ns;
	if (!way)
		return 0;
	if (way->turns == ARRAY_SIZE(way->slept_ns))
		_exit(0);
	way->slept_ns[way->turns++] = ns;
	return 0;
}

uint64_t __wrap_clock_mono_ns(void)
{
	if (!way)
		return __real_clock_mono_ns();
	way->looks[way->turns - 1]++;
	return way->now_ns += 1000;
}

int __wrap_sched_setscheduler(pid_t pid, int policy, const struct sched_param *p)
{
	if (pid || way->turns)
		_exit(1);
	way->policy = policy;
	way->priority = p->sched_priority;
	return 0;
}

int __wrap_sched_setaffinity(pid_t pid, size_t size, const cpu_set_t *cpus)
{
	unsigned int cpu = 0;

	if (pid || size != sizeof(*cpus) || CPU_COUNT(cpus) != 1)
		_exit(1);
	while (!CPU_ISSET(cpu, cpus))
		cpu++;
	way->cpus[way->turns - 1] = cpu;
	return 0;
}

/* Random numbers of the kernel, and when the run begins. */
static void a_run_begins_with_its_seed(void **state)
{
	uint64_t other = ~UINT64_C(0);
	char log[128] = {};

	(void)state;
	if (access("/dev/random", W_OK) < 0) {
		print_message("skip: no /dev/random to write to\n");
		skip();
	}
	report = (struct guest_report){ .console = memfd_create("console", MFD_CLOEXEC),
					.control = -1 };
	seed_apply(0);
	assert_int_equal(pread(report.console, log, sizeof(log) - 1, 0), 0);
	assert_int_equal(fed.entropy_bits, 512);
	assert_int_equal(fed.buffer_size, 64);
	for (size_t i = 0; i < ARRAY_SIZE(fed.words); i++)
		assert_int_equal(fed.words[i], seed_next(&other));
	assert_int_equal(slept_ns, 0xe220a8397b1dcdaf % 8000000);
	feed_rc = -1;
	seed_apply(0);
	feed_rc = 0;
	assert_true(pread(report.console, log, sizeof(log) - 1, 0) > 0);
	assert_string_equal(log, "ktstr: the seed did not reach the random pool\n");
	cleanup_fd(&report.console);
	report.console = -1;
}

static void slices_and_delays_follow_from_them(void **state)
{
	uint64_t s = 0;
	struct jitter_delay d = jitter_next_delay(&s, 7, 100);

	(void)state;
	assert_int_equal(jitter_slice_us(0), 100 + 0xe220a8397b1dcdaf % 1901);
	assert_int_equal(d.sleep_us, 1 + 0xe220a8397b1dcdaf % 20000);
	assert_int_equal(d.burn_us, 1 + 0x6e789e6aa1b965f4 % 500);
	assert_int_equal(d.cpu, 0x06c45d188009454f % 7);
}

static long online; /* as sysconf() tells */

long __wrap_sysconf(int name);
long __real_sysconf(int name);

long __wrap_sysconf(int name)
{
	return name == _SC_NPROCESSORS_ONLN ? online : __real_sysconf(name);
}

/* Where the number of CPUs is not known, there is one. */
static void expect_in_the_way(long told, unsigned int cpus)
{
	uint64_t seed = 5 ^ 0x6a69747465720000;
	int status;

	online = told;
	way = mmap(NULL, sizeof(*way), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	assert_true(way != MAP_FAILED);
	assert_int_equal(jitter_start_delays(5, JITTER_MAX_DELAYS), 0);
	assert_true(wait(&status) > 0);
	assert_int_equal(status, 0);
	assert_int_equal(way->policy, SCHED_FIFO);
	assert_int_equal(way->priority, 90);
	for (size_t i = 0; i < ARRAY_SIZE(way->slept_ns); i++) {
		struct jitter_delay d = jitter_next_delay(&seed, cpus, JITTER_MAX_DELAYS);

		assert_int_equal(way->slept_ns[i], d.sleep_us * 1000ULL);
		assert_int_equal(way->cpus[i], d.cpu);
		/* One look tells when it begins. */
		assert_int_equal(way->looks[i], 1 + d.burn_us);
	}
	munmap(way, sizeof(*way));
	way = NULL;
}

static void a_process_is_in_the_way_of_others(void **state)
{
	(void)state;
	expect_in_the_way(7, 7);
	expect_in_the_way(0, 1);
	expect_in_the_way(-1, 1);
	/* Nobody is started for none of them, or for too many. */
	assert_int_equal(jitter_start_delays(5, 0), 0);
	assert_int_equal(jitter_start_delays(5, JITTER_MAX_DELAYS + 1), -EINVAL);
	assert_int_equal(waitpid(-1, NULL, WNOHANG), -1);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(orphans_are_children_of_init),
		TEST(who_holds_the_link_is_the_scheduler),
		TEST(a_shell_has_the_terminal_of_a_login),
		TEST(a_terminal_of_unknown_size_keeps_its_own),
		TEST(a_shell_needs_a_terminal),
		TEST(a_shell_needs_a_process),
		TEST(the_port_to_the_host_is_raw),
		TEST(every_fatal_signal_has_its_name),
		TEST(a_fault_is_told_with_its_place),
		TEST(a_program_that_does_not_start_is_explained),
		TEST(words_of_a_seed_are_those_of_splitmix),
		TEST(a_run_begins_with_its_seed),
		TEST(slices_and_delays_follow_from_them),
		TEST(a_process_is_in_the_way_of_others),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
