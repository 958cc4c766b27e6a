// SPDX-License-Identifier: GPL-2.0-only
/* How gdb is started, connected, spoken with and ended; the test plays gdb and the terminal. */
#include "unit.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "base/err.h"
#include "base/file.h"
#include "debug/parts.h"

#define GROUP 4242
#define PID 77
#define KILLED 128

static char *dir;
static int before;   /* the directory in which this program was started */
static struct gdb g; /* under test */
static int theirs;   /* the end of the connection that gdb has */
static char arguments[512];
static int stdin_fd, child_rc, output_rc, dup_rc, bind_rc, listen_rc, accept_rc, send_rc;
static unsigned int sends, waits, connects_at, checks, interrupted_at, finished;
static int wait_rows[4]; /* what child_wait() returns, one after the other */
static uint64_t waited_ns[4];
static bool is_terminal, is_split;
static pid_t groups[4]; /* that were given the terminal */
static size_t group_count;
static int recv_errno;
static const char *late; /* a packet that comes while gdb_next() waits */
static struct str noted;

int __wrap_child_output(const char *const *argv, uint64_t timeout_ns, struct str *out);
int __wrap_child_start(struct child *c, const struct child_opts *opts);
int __wrap_child_wait(struct child *c, uint64_t timeout_ns);
void __wrap_child_finish(struct child *c);
int __wrap_interrupt_check(void);
int __wrap_isatty(int fd);
int __wrap_tcsetpgrp(int fd, pid_t group);
pid_t __wrap_getpgrp(void);
int __real_fcntl(int fd, int command, ...);
int __wrap_fcntl(int fd, int command, ...);
int __real_bind(int fd, const struct sockaddr *address, socklen_t len);
int __wrap_bind(int fd, const struct sockaddr *address, socklen_t len);
int __real_listen(int fd, int backlog);
int __wrap_listen(int fd, int backlog);
int __real_accept4(int fd, struct sockaddr *address, socklen_t *len, int flags);
int __wrap_accept4(int fd, struct sockaddr *address, socklen_t *len, int flags);
ssize_t __real_send(int fd, const void *bytes, size_t len, int flags);
ssize_t __wrap_send(int fd, const void *bytes, size_t len, int flags);
ssize_t __real_recv(int fd, void *bytes, size_t len, int flags);
ssize_t __wrap_recv(int fd, void *bytes, size_t len, int flags);
void __wrap_log_note(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

/* ---- the program ---- */

int __wrap_child_output(const char *const *argv, uint64_t timeout_ns, struct str *out)
{
	(void)out;
	assert_string_equal(argv[0], "gdb");
	assert_string_equal(argv[1], "--version");
	assert_null(argv[2]);
	assert_true(timeout_ns > NSEC_PER_SEC);
	return output_rc < 0 ? err_set(-output_rc, "not found") : output_rc;
}

static void connect_to(const char *socket_dir)
{
	struct sockaddr_un address = { .sun_family = AF_UNIX };

	assert_true((size_t)snprintf(address.sun_path, sizeof(address.sun_path), "%s/gdb",
				     socket_dir) < sizeof(address.sun_path));
	theirs = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
	assert_true(theirs >= 0);
	assert_int_equal(connect(theirs, (struct sockaddr *)&address, sizeof(address)), 0);
}

int __wrap_child_start(struct child *c, const struct child_opts *opts)
{
	for (size_t i = 0; opts->argv[i]; i++)
		snprintf(arguments + strlen(arguments), sizeof(arguments) - strlen(arguments),
			 "%s|", opts->argv[i]);
	stdin_fd = opts->stdin_fd;
	assert_int_equal(opts->prepare(), 0);
	if (child_rc < 0)
		return err_set(-child_rc, "cannot be started");
	c->pid = PID;
	if (!connects_at)
		connect_to(g.dir);
	return 0;
}

int __wrap_child_wait(struct child *c, uint64_t timeout_ns)
{
	int rc = wait_rows[waits];

	waited_ns[waits++] = timeout_ns;
	if (waits == connects_at)
		connect_to(g.dir);
	if (rc == -ETIMEDOUT)
		return err_set(ETIMEDOUT, "still running");
	c->pid = 0;
	return rc;
}

void __wrap_child_finish(struct child *c)
{
	c->pid = 0;
	finished++;
}

int __wrap_interrupt_check(void)
{
	checks++;
	if (late && checks == 2)
		assert_int_equal(__real_send(theirs, late, strlen(late), 0), strlen(late));
	return checks == interrupted_at ? err_set(EINTR, "interrupted") : 0;
}

/* ---- the terminal ---- */

int __wrap_isatty(int fd)
{
	assert_int_equal(fd, STDIN_FILENO);
	return is_terminal;
}

static void (*handler_of_ttou(void))(int)
{
	struct sigaction action;

	assert_int_equal(sigaction(SIGTTOU, NULL, &action), 0);
	return action.sa_handler;
}

int __wrap_tcsetpgrp(int fd, pid_t group)
{
	assert_int_equal(fd, STDIN_FILENO);
	assert_ptr_equal(handler_of_ttou(), SIG_IGN);
	groups[group_count++] = group;
	return 0;
}

pid_t __wrap_getpgrp(void)
{
	return GROUP;
}

/* ---- the connection ---- */

int __wrap_fcntl(int fd, int command, ...)
{
	va_list ap;
	long value;

	va_start(ap, command);
	value = va_arg(ap, long);
	va_end(ap);
	if (command == F_DUPFD_CLOEXEC && fd == STDIN_FILENO) {
		assert_int_equal((int)value, STDERR_FILENO + 1);
		if (dup_rc < 0)
			return -1;
	}
	return __real_fcntl(fd, command, value);
}

static int played(int rc)
{
	errno = -rc;
	return -1;
}

int __wrap_bind(int fd, const struct sockaddr *address, socklen_t len)
{
	return bind_rc < 0 ? played(bind_rc) : __real_bind(fd, address, len);
}

int __wrap_listen(int fd, int backlog)
{
	assert_true(backlog >= 1);
	return listen_rc < 0 ? played(listen_rc) : __real_listen(fd, backlog);
}

int __wrap_accept4(int fd, struct sockaddr *address, socklen_t *len, int flags)
{
	return accept_rc < 0 ? played(accept_rc) : __real_accept4(fd, address, len, flags);
}

/* Interrupted at first, then a few bytes at a time. */
ssize_t __wrap_send(int fd, const void *bytes, size_t len, int flags)
{
	static bool is_second;

	assert_int_equal(flags, MSG_NOSIGNAL);
	sends++;
	if (send_rc < 0)
		return played(send_rc);
	if (send_rc == 0) {
		send_rc = -EPIPE;
		errno = EINTR; /* of an earlier call */
		return 0;
	}
	is_second = is_split && !is_second;
	if (is_second)
		return played(-EINTR);
	return __real_send(fd, bytes, is_split ? MIN(len, 3U) : len, flags);
}

ssize_t __wrap_recv(int fd, void *bytes, size_t len, int flags)
{
	int rc = recv_errno;

	recv_errno = 0;
	return rc ? played(-rc) : __real_recv(fd, bytes, len, flags);
}

void __wrap_log_note(const char *fmt, ...)
{
	char text[256];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	str_addf(&noted, "%s\n", text);
}

/* ---- tests ---- */

/* In a directory of its own: names relative to it are short. */
static int set_up(void **state)
{
	(void)state;
	dir = unit_temp_create();
	before = open(".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (before < 0 || chdir(dir) < 0)
		return -1;
	setenv("TMPDIR", ".", 1);
	g = (struct gdb){ .fd = -1, .listen_fd = -1 };
	theirs = -1;
	*arguments = '\0';
	stdin_fd = child_rc = output_rc = dup_rc = bind_rc = listen_rc = accept_rc = 0;
	send_rc = 1;
	waits = connects_at = checks = interrupted_at = finished = 0;
	memset(wait_rows, 0, sizeof(wait_rows));
	is_terminal = is_split = false;
	group_count = 0;
	recv_errno = 0;
	late = NULL;
	return 0;
}

static int tear_down(void **state)
{
	(void)state;
	interrupted_at = 0;
	waits = 0;
	memset(wait_rows, 0, sizeof(wait_rows));
	gdb_finish(&g);
	if (theirs >= 0)
		close(theirs);
	if (fchdir(before) < 0)
		return -1;
	close(before);
	unsetenv("TMPDIR");
	unit_temp_remove(dir);
	str_finish(&noted);
	err_clear();
	return 0;
}

static int start(const struct gdb_options *o)
{
	_str_ struct str symbols = {}, commands = {};

	str_addn(&symbols,
		 "\x7f"
		 "ELF\0symbols",
		 12);
	str_add(&commands, "define ktstr-rq\nend\n");
	return gdb_start(&g, o, &symbols, &commands);
}

/* A connection without a program. */
static void join(void)
{
	int ends[2];

	assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends), 0);
	g.fd = ends[0];
	theirs = ends[1];
}

static void say(const char *bytes)
{
	assert_int_equal(__real_send(theirs, bytes, strlen(bytes), 0), strlen(bytes));
}

/* All that was sent to gdb since it was last asked. */
static void expect_heard(const char *text)
{
	char bytes[256] = "";
	ssize_t n = __real_recv(theirs, bytes, sizeof(bytes) - 1, MSG_DONTWAIT);

	bytes[MAX(n, 0)] = '\0';
	assert_string_equal(bytes, text);
}

static void gdb_has_to_be_there(void **state)
{
	static const int results[] = { -ENOENT, -ETIMEDOUT, 1 };

	(void)state;
	assert_int_equal(gdb_check(), 0);
	for (size_t i = 0; i < ARRAY_SIZE(results); i++) {
		output_rc = results[i];
		assert_int_equal(gdb_check(), -ENOENT);
		assert_string_equal(err_text(-ENOENT), "ktstr debug needs gdb, which is not "
						       "installed here: package gdb");
	}
}

static void expect_file(const char *name, const char *bytes, size_t len)
{
	_free_ char *path = str_fmt("%s/%s", g.dir, name);
	_str_ struct str text = {};
	struct stat st;

	assert_int_equal(file_read(path, &text), 0);
	assert_int_equal(text.len, len);
	assert_memory_equal(str_get(&text), bytes, len);
	assert_int_equal(stat(path, &st), 0);
	assert_int_equal(st.st_mode & 07777, 0600);
}

static void gdb_is_started_with_files_and_arguments(void **state)
{
	char *own[] = { (char *)"-ex", (char *)"bt" };
	struct gdb_options o = {
		.is_batch = true, .script = "mine.gdb", .arguments = own, .argument_count = 2
	};
	_free_ char *script = NULL, *expected = NULL;

	(void)state;
	assert_int_equal(start(&o), 0);
	assert_true(str_starts(g.dir, "./ktstr-debug-"));
	script = str_fmt("set osabi none\nfile %s/symbols\nset remotetimeout 3600\n"
			 "define ktstr-rq\nend\ntarget remote %s/gdb\n",
			 g.dir, g.dir);
	expect_file("ktstr.gdb", script, strlen(script));
	expect_file("symbols",
		    "\x7f"
		    "ELF\0symbols",
		    12);
	expected = str_fmt("gdb|-q|-nx|-batch|-ex|with confirm off -- source %s/ktstr.gdb|-x|"
			   "mine.gdb|-ex|bt|",
			   g.dir);
	assert_string_equal(arguments, expected);
	assert_true(stdin_fd > STDERR_FILENO);
	assert_true(fcntl(g.listen_fd, F_GETFD) & FD_CLOEXEC);
	assert_true(fcntl(g.listen_fd, F_GETFL) & O_NONBLOCK);
	assert_true(fcntl(g.fd, F_GETFD) & FD_CLOEXEC);
	assert_int_equal(waits, 0);
	say("x");
	assert_int_equal(__real_recv(g.fd, arguments, 1, MSG_DONTWAIT), 1);
}

static void gdb_is_started_without_arguments(void **state)
{
	_free_ char *expected = NULL;

	(void)state;
	dup_rc = -EMFILE;
	assert_int_equal(start(&(struct gdb_options){}), 0);
	expected = str_fmt("gdb|-q|-ex|with confirm off -- source %s/ktstr.gdb|", g.dir);
	assert_string_equal(arguments, expected);
	assert_int_equal(stdin_fd, 0);
}

static void its_directory_is_a_temporary_one(void **state)
{
	char gone[64];

	(void)state;
	unsetenv("TMPDIR");
	assert_int_equal(start(&(struct gdb_options){}), 0);
	assert_true(str_starts(g.dir, "/tmp/ktstr-debug-"));
	snprintf(gone, sizeof(gone), "%s", g.dir);
	gdb_finish(&g);
	assert_int_equal(access(gone, F_OK), -1);
	assert_null(g.dir);
	assert_true(g.fd == -1 && g.listen_fd == -1);
	setenv("TMPDIR", "missing", 1);
	assert_int_equal(start(&(struct gdb_options){}), -ENOENT);
	assert_true(str_starts(err_text(-ENOENT), "create missing/ktstr-debug-"));
	assert_null(g.dir);
}

/* With "/ktstr-debug-XXXXXX/gdb" and the NUL it fills the 108 bytes of an address. */
static void a_socket_has_a_short_name(void **state)
{
	char name[86];

	(void)state;
	memset(name, 'n', sizeof(name));
	for (size_t len = 84; len <= 85; len++) {
		name[len] = '\0';
		assert_int_equal(mkdir(name, 0700), 0);
		setenv("TMPDIR", name, 1);
		assert_int_equal(start(&(struct gdb_options){}), len < 85 ? 0 : -ENAMETOOLONG);
		gdb_finish(&g);
		name[len] = 'n';
	}
	assert_non_null(
		strstr(err_text(-ENAMETOOLONG), " is too long for a socket's name: set TMPDIR"));
}

static void a_socket_that_fails_is_told(void **state)
{
	int *const calls[] = { &bind_rc, &listen_rc, &accept_rc };

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(calls); i++) {
		*calls[i] = -ENOSPC;
		assert_int_equal(start(&(struct gdb_options){}), -ENOSPC);
		*calls[i] = 0;
		gdb_finish(&g);
	}
	child_rc = -EACCES;
	assert_int_equal(start(&(struct gdb_options){}), -EACCES);
	assert_string_equal(err_text(-EACCES), "cannot be started");
}

static void gdb_takes_its_time_to_connect(void **state)
{
	(void)state;
	connects_at = 2;
	wait_rows[0] = wait_rows[1] = -ETIMEDOUT;
	assert_int_equal(start(&(struct gdb_options){}), 0);
	assert_int_equal(waits, 2);
	assert_int_equal(waited_ns[0], 0);
	assert_true(g.fd >= 0);
	assert_string_not_equal(err_text(-ETIMEDOUT), "still running");
}

static void gdb_may_end_before_it_is_connected(void **state)
{
	(void)state;
	connects_at = 9;
	wait_rows[0] = -ETIMEDOUT;
	wait_rows[1] = 3;
	assert_int_equal(start(&(struct gdb_options){}), -EIO);
	assert_string_equal(err_text(-EIO), "gdb ended before it was connected (status 3)");
	gdb_finish(&g);
	checks = 0;
	interrupted_at = 1;
	assert_int_equal(start(&(struct gdb_options){}), -EINTR);
	assert_string_equal(err_text(-EINTR), "interrupted");
}

static void the_terminal_is_lent_to_gdb(void **state)
{
	(void)state;
	is_terminal = true;
	signal(SIGTTOU, SIG_DFL);
	assert_int_equal(start(&(struct gdb_options){}), 0);
	assert_int_equal(group_count, 1);
	assert_ptr_equal(handler_of_ttou(), SIG_DFL);
	gdb_finish(&g);
	assert_int_equal(group_count, 2);
	assert_true(groups[0] == GROUP && groups[1] == GROUP);
	assert_ptr_equal(handler_of_ttou(), SIG_DFL);
	is_terminal = false;
	gdb_finish(&g);
	assert_int_equal(group_count, 2);
}

static void packets_are_acknowledged_and_asked_for_again(void **state)
{
	_str_ struct str data = {};

	(void)state;
	join();
	str_add(&data, "old");
	/* Damaged, an interrupt, which means nothing here, and a good one. */
	say("$g#00\x03$qC#b4$g#67");
	assert_true(gdb_next(&g, &data));
	assert_string_equal(str_get(&data), "qC");
	expect_heard("-+");
	/* The next one is there already. */
	assert_true(gdb_next(&g, &data));
	assert_string_equal(str_get(&data), "g");
	expect_heard("+");
	g.no_ack = true;
	say("$qC#b4");
	assert_true(gdb_next(&g, &data));
	expect_heard("");
}

static void the_last_packet_is_repeated(void **state)
{
	_str_ struct str reply = {}, data = {};

	(void)state;
	join();
	str_add(&reply, "OK");
	gdb_send(&g, &reply);
	expect_heard("$OK#9a");
	str_reset(&reply);
	str_add(&reply, "l");
	gdb_send(&g, &reply);
	expect_heard("$l#6c");
	say("-$qC#b4");
	assert_true(gdb_next(&g, &data));
	expect_heard("$l#6c+");
	gdb_print(&g, "ab");
	expect_heard("$O6162#1e");
}

static void sending_goes_on_until_all_is_sent(void **state)
{
	_str_ struct str reply = {};

	(void)state;
	join();
	is_split = true;
	str_add(&reply, "vCont;c;C;s;S");
	gdb_send(&g, &reply);
	expect_heard("$vCont;c;C;s;S#62");
	is_split = false;
	/* Neither an error nor a connection that takes nothing is tried again. */
	sends = 0;
	send_rc = -EPIPE;
	gdb_send(&g, &reply);
	assert_int_equal(sends, 1);
	send_rc = 0;
	gdb_send(&g, &reply);
	assert_int_equal(sends, 2);
	expect_heard("");
}

static void a_packet_may_come_late(void **state)
{
	_str_ struct str data = {};

	(void)state;
	join();
	late = "$qC#b4";
	assert_true(gdb_next(&g, &data));
	assert_string_equal(str_get(&data), "qC");
	checks = 0;
	late = NULL;
	interrupted_at = 1;
	assert_false(gdb_next(&g, &data));
}

static void gdb_is_gone_when_the_connection_is_closed(void **state)
{
	_str_ struct str data = {};
	bool is_gone = false;

	(void)state;
	join();
	close(theirs);
	theirs = -1;
	errno = EAGAIN; /* of an earlier call */
	assert_false(gdb_next(&g, &data));
	errno = EAGAIN;
	assert_int_equal(gdb_poll(&g, &data, &is_gone), PACKET_NONE);
	assert_true(is_gone);
}

static void polling_does_not_wait(void **state)
{
	static const struct {
		int number;
		bool is_gone;
	} rows[] = { { EAGAIN, false }, { EINTR, false }, { ECONNRESET, true } };
	_str_ struct str data = {};
	bool is_gone;

	(void)state;
	join();
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		is_gone = !rows[i].is_gone;
		recv_errno = rows[i].number;
		assert_int_equal(gdb_poll(&g, &data, &is_gone), PACKET_NONE);
		assert_int_equal(is_gone, rows[i].is_gone);
	}
	assert_int_equal(gdb_poll(&g, &data, &is_gone), PACKET_NONE);
	assert_false(is_gone);
	say("\x03");
	assert_int_equal(gdb_poll(&g, &data, &is_gone), PACKET_INTERRUPT);
	assert_false(is_gone);
	str_add(&data, "old");
	say("$g#67");
	assert_int_equal(gdb_poll(&g, &data, &is_gone), PACKET_DATA);
	assert_string_equal(str_get(&data), "g");
}

static void gdb_is_waited_for_at_the_end(void **state)
{
	(void)state;
	assert_int_equal(start(&(struct gdb_options){}), 0);
	wait_rows[0] = wait_rows[1] = -ETIMEDOUT;
	wait_rows[2] = KILLED;
	gdb_finish(&g);
	assert_int_equal(waits, 3);
	assert_true(waited_ns[0] == 50 * NSEC_PER_MSEC);
	assert_int_equal(finished, 1);
	assert_string_equal(str_get(&noted), "");
	assert_string_not_equal(err_text(-ETIMEDOUT), "still running");
	/* gdb sees that the connection is closed. */
	expect_heard("");
	assert_int_equal(__real_recv(theirs, arguments, 1, MSG_DONTWAIT), 0);
}

static void a_gdb_that_was_killed_is_told(void **state)
{
	(void)state;
	assert_int_equal(start(&(struct gdb_options){}), 0);
	wait_rows[0] = KILLED + SIGKILL;
	gdb_finish(&g);
	assert_string_equal(str_get(&noted),
			    "ktstr: gdb was ended by signal 9, and the guest with it\n");
}

static void an_interrupt_ends_the_wait_for_gdb(void **state)
{
	(void)state;
	assert_int_equal(start(&(struct gdb_options){}), 0);
	wait_rows[0] = wait_rows[1] = wait_rows[2] = -ETIMEDOUT;
	checks = 0;
	interrupted_at = 2;
	gdb_finish(&g);
	assert_int_equal(waits, 2);
	assert_int_equal(finished, 1);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
	const struct CMUnitTest tests[] = {
		TEST(gdb_has_to_be_there),
		TEST(gdb_is_started_with_files_and_arguments),
		TEST(gdb_is_started_without_arguments),
		TEST(its_directory_is_a_temporary_one),
		TEST(a_socket_has_a_short_name),
		TEST(a_socket_that_fails_is_told),
		TEST(gdb_takes_its_time_to_connect),
		TEST(gdb_may_end_before_it_is_connected),
		TEST(the_terminal_is_lent_to_gdb),
		TEST(packets_are_acknowledged_and_asked_for_again),
		TEST(the_last_packet_is_repeated),
		TEST(sending_goes_on_until_all_is_sent),
		TEST(a_packet_may_come_late),
		TEST(gdb_is_gone_when_the_connection_is_closed),
		TEST(polling_does_not_wait),
		TEST(gdb_is_waited_for_at_the_end),
		TEST(a_gdb_that_was_killed_is_told),
		TEST(an_interrupt_ends_the_wait_for_gdb),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
