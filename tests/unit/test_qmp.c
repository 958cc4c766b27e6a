// SPDX-License-Identifier: GPL-2.0-only
/* Talking to QEMU: commands, replies, events, migration, and the terminal of a shell. */
#include "unit.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <termios.h>
#include <unistd.h>

#include "base/err.h"
#include "base/file.h"
#include "base/json_tree.h"
#include "vm/engine.h"
#include "vm/session.h"

#define LIMIT_NS (10 * NSEC_PER_SEC)
#define OK "{\"return\":{}}\n"
#define EVENT(name) "{\"event\":\"" name "\"}\n"
#define MIGRATION(status) "{\"event\":\"MIGRATION\",\"data\":{\"status\":\"" status "\"}}\n"

static int theirs; /* QEMU's end of the socket */
static struct vm vm;
static struct qmp *const qmp = &vm.qmp;
static unsigned int polls;
static enum vm_end ends_as;

int __wrap_vm_poll(struct vm *v, uint64_t timeout_ns);
int __wrap_interrupt_check(void);

/* The guest of a terminal ends at the third look. */
int __wrap_vm_poll(struct vm *v, uint64_t timeout_ns)
{
	assert_int_equal(timeout_ns, 0);
	if (++polls == 3)
		v->end = ends_as;
	return 0;
}

int __wrap_interrupt_check(void)
{
	return 0;
}

static int setup(void **state)
{
	int ends[2];

	(void)state;
	signal(SIGPIPE, SIG_IGN); /* as commands that own VMs do */
	assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM, 0, ends), 0);
	theirs = ends[1];
	vm = (struct vm){ .control_fd = -1 };
	polls = 0;
	ends_as = VM_ENDED;
	qmp_init(qmp, ends[0]);
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	qmp_finish(qmp);
	assert_int_equal(qmp->fd, -1);
	if (theirs >= 0)
		close(theirs);
	return 0;
}

static void say(const char *text)
{
	assert_int_equal(write(theirs, text, strlen(text)), strlen(text));
}

/* What was sent to QEMU since the last time. */
static void expect_heard(const char *text)
{
	char heard[4096] = {};

	if (recv(theirs, heard, sizeof(heard) - 1, MSG_DONTWAIT) < 0)
		heard[0] = '\0';
	assert_string_equal(heard, text);
}

/* Says it when the command was heard; what is heard until then is lost. */
static pid_t say_after(const char *command, const char *text)
{
	char heard[4096] = {};
	size_t len = 0;
	pid_t pid = fork();

	if (pid)
		return pid;
	while (!strstr(heard, command)) {
		ssize_t n = recv(theirs, heard + len, sizeof(heard) - 1 - len, 0);

		if (n <= 0)
			_exit(1);
		len += (size_t)n;
	}
	_exit(write(theirs, text, strlen(text)) < 0);
}

/* ---- commands ---- */

static void a_command_has_a_reply(void **state)
{
	_str_ struct str reply = {};

	(void)state;
	say("{\"QMP\":{}}\n" OK);
	assert_int_equal(qmp_execute(qmp, "stop", NULL, LIMIT_NS, NULL), 0);
	expect_heard("{\"execute\":\"stop\"}\n");
	say(EVENT("STOP") "{\"return\":{\"a\":1}}\n" EVENT("RESUME"));
	assert_int_equal(qmp_execute(qmp, "x", "{\"b\":2}", LIMIT_NS, &reply), 0);
	expect_heard("{\"execute\":\"x\",\"arguments\":{\"b\":2}}\n");
	assert_string_equal(str_get(&reply), "{\"return\":{\"a\":1}}");
	assert_int_equal(qmp->owed, 0);
}

static void a_refusal_is_told_in_its_words(void **state)
{
	int rc;

	(void)state;
	say("{\"error\":{\"class\":\"c\",\"desc\":\"not now\"}}\n");
	rc = qmp_execute(qmp, "cont", NULL, LIMIT_NS, NULL);
	assert_int_equal(rc, -EPROTO);
	assert_string_equal(err_text(rc), "cont: QEMU: not now");
	assert_int_equal(qmp->owed, 0);
	/* A reply that was owed before is read first, and must be fine. */
	assert_int_equal(qmp_send(qmp, "first", NULL), 0);
	say("{\"error\":{\"desc\":\"the first\"}}\n" OK);
	rc = qmp_execute(qmp, "second", NULL, LIMIT_NS, NULL);
	assert_int_equal(rc, -EPROTO);
	assert_string_equal(err_text(rc), "second: QEMU: the first");
	assert_int_equal(qmp->owed, 1);
}

static void replies_come_in_their_order(void **state)
{
	_str_ struct str reply = {};

	(void)state;
	assert_int_equal(qmp_send(qmp, "first", NULL), 0);
	assert_int_equal(qmp_send(qmp, "second", NULL), 0);
	assert_int_equal(qmp->owed, 2);
	say("{\"return\":1}\n{\"return\":2}\n{\"return\":3}\n");
	assert_int_equal(qmp_execute(qmp, "third", NULL, LIMIT_NS, &reply), 0);
	assert_string_equal(str_get(&reply), "{\"return\":3}");
	expect_heard(
		"{\"execute\":\"first\"}\n{\"execute\":\"second\"}\n{\"execute\":\"third\"}\n");
}

static void what_is_no_reply_is_told(void **state)
{
	int rc;

	(void)state;
	rc = qmp_execute(qmp, "quiet", NULL, 2 * NSEC_PER_MSEC, NULL);
	assert_int_equal(rc, -ETIMEDOUT);
	assert_string_equal(err_text(rc), "quiet: QEMU did not answer in time");
	say("{\"return\":{}");
	rc = qmp_reply(qmp, 2 * NSEC_PER_MSEC, NULL);
	assert_int_equal(rc, -ETIMEDOUT);
	say("}\n");
	assert_int_equal(qmp_reply(qmp, LIMIT_NS, NULL), 0);
	say("no JSON\n");
	rc = qmp_execute(qmp, "odd", NULL, LIMIT_NS, NULL);
	assert_int_equal(rc, -EPROTO);
	assert_non_null(strstr(err_text(rc), "odd: QEMU sent what is not JSON: "));
	close(theirs);
	theirs = -1;
	assert_int_equal(qmp_reply(qmp, LIMIT_NS, NULL), -EPIPE);
	assert_int_equal(qmp_pump(qmp), -EPIPE);
	rc = qmp_execute(qmp, "late", NULL, LIMIT_NS, NULL);
	assert_int_equal(rc, -EPIPE);
	assert_string_equal(err_text(rc), "late: send late to QEMU: Broken pipe");
}

static void a_line_has_a_largest_size(void **state)
{
	static char part[1 << 16];
	pid_t pid = fork();
	int rc;

	(void)state;
	if (pid == 0) {
		memset(part, 'x', sizeof(part));
		while (write(theirs, part, sizeof(part)) > 0)
			;
		_exit(0);
	}
	close(theirs);
	theirs = -1;
	rc = qmp_reply(qmp, 60 * LIMIT_NS, NULL);
	assert_int_equal(rc, -EPROTO);
	assert_string_equal(err_text(rc), "QEMU sent a line of more than 16777216 bytes");
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
}

static void a_file_goes_with_its_name(void **state)
{
	char control[CMSG_SPACE(sizeof(int))], text[256] = {};
	struct iovec part = { text, sizeof(text) - 1 };
	struct msghdr message = { .msg_iov = &part,
				  .msg_iovlen = 1,
				  .msg_control = control,
				  .msg_controllen = sizeof(control) };
	int ours[2], got;

	(void)state;
	assert_int_equal(pipe(ours), 0);
	assert_int_equal(qmp_send_file(qmp, "state", ours[1]), 0);
	assert_int_equal(qmp->owed, 1);
	assert_true(recvmsg(theirs, &message, 0) > 0);
	assert_string_equal(text, "{\"execute\":\"getfd\",\"arguments\":{\"fdname\":\"state\"}}\n");
	assert_int_equal(CMSG_FIRSTHDR(&message)->cmsg_type, SCM_RIGHTS);
	memcpy(&got, CMSG_DATA(CMSG_FIRSTHDR(&message)), sizeof(got));
	assert_int_equal(write(got, "x", 1), 1);
	assert_int_equal(read(ours[0], text, 1), 1);
	close(got);
	close(ours[0]);
	close(ours[1]);
	close(theirs);
	theirs = -1;
	assert_int_equal(qmp_send_file(qmp, "state", 0), -EPIPE);
	assert_int_equal(qmp->owed, 1);
}

/* ---- events ---- */

static void events_wait_until_they_are_taken(void **state)
{
	struct qmp_event event;

	(void)state;
	assert_false(qmp_next_event(qmp, &event));
	assert_int_equal(qmp_send(qmp, "x", NULL), 0);
	say(EVENT("A") OK EVENT(
		"B") "{\"event\":\"SHUTDOWN\",\"data\":{\"reason\":\"guest-reset\"}}\n");
	assert_int_equal(qmp_pump(qmp), 0);
	assert_true(qmp_next_event(qmp, &event));
	assert_string_equal(event.name, "A");
	assert_int_equal(qmp->owed, 0); /* a reply that nobody waited for */
	assert_true(qmp_next_event(qmp, &event));
	assert_string_equal(event.name, "B");
	assert_string_equal(event.reason, "");
	assert_true(qmp_next_event(qmp, &event));
	assert_string_equal(event.name, "SHUTDOWN");
	assert_string_equal(event.reason, "guest-reset");
	assert_false(qmp_next_event(qmp, &event));
	assert_int_equal(qmp_pump(qmp), 0);
}

static void an_event_is_waited_for_by_its_name(void **state)
{
	struct qmp_event event;

	(void)state;
	say(EVENT("A") EVENT("B") EVENT("C"));
	assert_int_equal(qmp_wait_event(qmp, "B", LIMIT_NS, &event), 0);
	assert_string_equal(event.name, "B");
	assert_int_equal(qmp_wait_event(qmp, "B", 2 * NSEC_PER_MSEC, &event), -ETIMEDOUT);
	/* C came before, and is gone. */
	assert_int_equal(qmp_wait_event(qmp, "C", 2 * NSEC_PER_MSEC, &event), -ETIMEDOUT);
	/* What it said before it went counts. */
	say(EVENT("D"));
	close(theirs);
	theirs = -1;
	assert_int_equal(qmp_wait_event(qmp, "D", LIMIT_NS, &event), 0);
	assert_int_equal(qmp_wait_event(qmp, "D", LIMIT_NS, &event), -EPIPE);
}

static void an_answer_is_what_was_returned(void **state)
{
	_str_ struct str reply = {}, out = {};
	struct arena arena = {};

	(void)state;
	assert_null(qmp_answer(&arena, &reply));
	str_add(&reply, "{\"return\":{\"status\":\"running\"}}");
	assert_string_equal(json_get_text(qmp_answer(&arena, &reply), "status"), "running");
	arena_finish(&arena);
	say("{\"return\":\"two\\r\\nlines\"}\n");
	assert_int_equal(vm_ask(&vm, "info cpus", LIMIT_NS, &out), 0);
	assert_string_equal(str_get(&out), "two\r\nlines");
	expect_heard("{\"execute\":\"human-monitor-command\","
		     "\"arguments\":{\"command-line\": \"info cpus\"}}\n");
}

/* ---- migration ---- */

#define SET                                                                           \
	"{\"execute\":\"migrate-set-capabilities\",\"arguments\":{\"capabilities\":[" \
	"{\"capability\":\"x-ignore-shared\",\"state\":true},"                        \
	"{\"capability\":\"events\",\"state\":true}]}}\n"

static void a_guest_is_saved_to_a_file(void **state)
{
	const struct vm_spec spec = { .has_file_migration = true };
	pid_t pid;
	int rc;

	(void)state;
	say(OK OK MIGRATION("setup") MIGRATION("active") MIGRATION("completed"));
	assert_int_equal(migration_save(qmp, &spec, "/dir", LIMIT_NS), 0);
	expect_heard(SET "{\"execute\":\"migrate\",\"arguments\":{\"uri\":\"file:/dir/state\"}}\n");
	say(OK OK MIGRATION("failed"));
	pid = say_after("query-migrate", "{\"return\":{\"error-desc\":\"disk full\"}}\n");
	rc = migration_save(qmp, &spec, "/dir", LIMIT_NS);
	waitpid(pid, NULL, 0);
	assert_int_equal(rc, -EIO);
	assert_string_equal(err_text(rc), "QEMU could not save the guest: disk full");
	say(OK OK MIGRATION("failed"));
	pid = say_after("query-migrate", OK);
	rc = migration_save(qmp, &spec, "/dir", LIMIT_NS);
	waitpid(pid, NULL, 0);
	assert_string_equal(err_text(rc), "QEMU could not save the guest");
	say("{\"error\":{\"desc\":\"no\"}}\n");
	assert_int_equal(migration_save(qmp, &spec, "/dir", LIMIT_NS), -EPROTO);
}

static void a_guest_is_restored_from_one(void **state)
{
	const struct vm_spec spec = { .has_file_migration = true };
	pid_t pid;
	int rc;

	(void)state;
	assert_int_equal(migration_send_restore(qmp, &spec, "/dir"), 0);
	expect_heard(SET "{\"execute\":\"migrate-set-parameters\",\"arguments\":"
			 "{\"announce-rounds\":0}}\n{\"execute\":\"migrate-incoming\","
			 "\"arguments\":{\"uri\":\"file:/dir/state\"}}\n");
	assert_int_equal(qmp->owed, 3);
	say(OK OK OK MIGRATION("completed"));
	assert_int_equal(migration_await_restore(qmp, LIMIT_NS), 0);
	assert_int_equal(qmp->owed, 0);
	say(MIGRATION("failed"));
	pid = say_after("query-migrate", "{\"return\":{\"error-desc\":\"damaged\"}}\n");
	rc = migration_await_restore(qmp, LIMIT_NS);
	waitpid(pid, NULL, 0);
	assert_int_equal(rc, -EIO);
	assert_string_equal(err_text(rc), "QEMU could not restore the template: damaged");
	assert_int_equal(migration_await_restore(qmp, 2 * NSEC_PER_MSEC), -ETIMEDOUT);
}

/* One that cannot open files itself is given them. */
static void an_older_qemu_is_given_the_file(void **state)
{
	const struct vm_spec spec = {};
	char *dir = unit_temp_create();
	_free_ char *path = str_fmt("%s/state", dir);

	(void)state;
	assert_int_equal(migration_send_restore(qmp, &spec, dir), -ENOENT);
	expect_heard("");
	say(OK OK OK MIGRATION("completed"));
	assert_int_equal(migration_save(qmp, &spec, dir, LIMIT_NS), 0);
	assert_int_equal(access(path, F_OK), 0);
	assert_int_equal(migration_send_restore(qmp, &spec, dir), 0);
	unit_temp_remove(dir);
}

/* ---- the terminal of a shell ---- */

static int user, shown[2], guest[2], our_stdin, our_stdout;

static void open_terminal(void)
{
	int terminal;

	user = posix_openpt(O_RDWR | O_NOCTTY);
	assert_true(user >= 0);
	assert_int_equal(grantpt(user), 0);
	assert_int_equal(unlockpt(user), 0);
	terminal = open(ptsname(user), O_RDWR | O_NOCTTY);
	assert_true(terminal >= 0);
	assert_int_equal(pipe2(shown, O_NONBLOCK), 0);
	assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0, guest), 0);
	vm.control_fd = guest[0];
	fflush(stdout);
	our_stdin = dup(STDIN_FILENO);
	our_stdout = dup(STDOUT_FILENO);
	dup2(terminal, STDIN_FILENO);
	dup2(shown[1], STDOUT_FILENO);
	close(terminal);
}

static void close_terminal(void)
{
	dup2(our_stdin, STDIN_FILENO);
	dup2(our_stdout, STDOUT_FILENO);
	close(our_stdin);
	close(our_stdout);
	for (int i = 0; i < 2; i++) {
		close(shown[i]);
		close(guest[i]);
	}
	close(user);
}

static int looks;

static int look(struct vm *v, void *ctx)
{
	assert_ptr_equal(v, &vm);
	assert_ptr_equal(ctx, &looks);
	looks++;
	return 0;
}

/* Keys, what the guest prints, what it gets, what is shown; whether Ctrl-A X ended it. */
static void expect_session(const char *keys, const char *prints, const char *gets,
			   const char *shows, bool is_ended)
{
	char got[64] = {}, seen[64] = {};
	bool is_killed = !is_ended;
	int rc, raw;

	looks = 0;
	open_terminal();
	raw = terminal_check() ?: terminal_raw();
	if (write(user, keys, strlen(keys)) < 0 || write(guest[1], prints, strlen(prints)) < 0)
		raw = -errno;
	rc = terminal_attach(&vm, look, &looks, &is_killed);
	terminal_restore();
	if (read(guest[1], got, sizeof(got) - 1) < 0)
		got[0] = '\0';
	if (read(shown[0], seen, sizeof(seen) - 1) < 0)
		seen[0] = '\0';
	close_terminal();
	assert_int_equal(raw, 0);
	assert_int_equal(rc, 0);
	assert_string_equal(got, gets);
	assert_string_equal(seen, shows);
	assert_true(is_killed == is_ended);
}

static void keys_reach_the_guest(void **state)
{
	(void)state;
	expect_session("ls\r\003", "$ ", "ls\r\003", "$ ", false);
	assert_int_equal(looks, 3);
}

static void an_escape_is_for_us(void **state)
{
	(void)state;
	expect_session("a\001\001b", "", "a\001b", "", false);
	vm.end = VM_RUNNING;
	polls = 0;
	expect_session("a\001xb", "", "ab", "", true);
	assert_int_equal(polls, 1);
	vm.end = VM_RUNNING;
	polls = 0;
	expect_session("\001X", "", "", "", true);
	vm.end = VM_RUNNING;
	polls = 0;
	expect_session("\001yx", "", "yx", "", false);
}

static void of_one_that_died_nothing_is_asked(void **state)
{
	(void)state;
	ends_as = VM_QEMU_DIED;
	expect_session("", "last", "", "last", false);
	assert_int_equal(looks, 2);
}

static void a_terminal_is_as_it_was(void **state)
{
	struct termios before, raw, after;
	int check, rc;

	(void)state;
	open_terminal();
	tcgetattr(STDIN_FILENO, &before);
	rc = terminal_raw();
	tcgetattr(STDIN_FILENO, &raw);
	terminal_restore();
	tcgetattr(STDIN_FILENO, &after);
	dup2(shown[0], STDIN_FILENO);
	check = terminal_check();
	close_terminal();
	assert_int_equal(rc, 0);
	assert_int_equal(check, -ENOTTY);
	assert_true(before.c_lflag & ECHO);
	assert_false(raw.c_lflag & (ECHO | ICANON | ISIG));
	assert_int_equal(after.c_lflag, before.c_lflag);
	assert_int_equal(after.c_iflag, before.c_iflag);
}

#define HERE(test) cmocka_unit_test_setup_teardown(test, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		HERE(a_command_has_a_reply),
		HERE(a_refusal_is_told_in_its_words),
		HERE(replies_come_in_their_order),
		HERE(what_is_no_reply_is_told),
		HERE(a_line_has_a_largest_size),
		HERE(a_file_goes_with_its_name),
		HERE(events_wait_until_they_are_taken),
		HERE(an_event_is_waited_for_by_its_name),
		HERE(an_answer_is_what_was_returned),
		HERE(a_guest_is_saved_to_a_file),
		HERE(a_guest_is_restored_from_one),
		HERE(an_older_qemu_is_given_the_file),
		HERE(keys_reach_the_guest),
		HERE(an_escape_is_for_us),
		HERE(of_one_that_died_nothing_is_asked),
		HERE(a_terminal_is_as_it_was),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
