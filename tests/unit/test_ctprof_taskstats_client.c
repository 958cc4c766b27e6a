// SPDX-License-Identifier: GPL-2.0-only
/* The netlink client before a played kernel: its family, its answers and those that do not come. */
#include "unit.h"

#include <errno.h>
#include <libmnl/libmnl.h>
#include <linux/genetlink.h>
#include <linux/taskstats.h>
#include <stdio.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/err.h"
#include "base/str.h"
#include "ctprof/taskstats.h"

#define FAMILY 77
#define PAYLOAD 328 /* of version 8 */

ssize_t __wrap_mnl_socket_sendto(const struct mnl_socket *s, const void *data, size_t len);
ssize_t __wrap_mnl_socket_recvfrom(const struct mnl_socket *s, void *data, size_t size);
ssize_t __wrap_sendto(int fd, const void *data, size_t len, int flags, const struct sockaddr *to,
		      socklen_t to_len);
int __wrap_recvmmsg(int fd, struct mmsghdr *messages, unsigned int count, int flags,
		    struct timespec *timeout);

/* What the kernel is like. */
static struct {
	int family_error;    /* the answer about the family */
	bool has_no_family;  /* nothing is in it */
	bool has_other_seq;  /* it answers another question */
	bool has_other_attr; /* before the family's id */
	int send_error, interrupts;
	int receive_error, receive_interrupts;
	unsigned int least_at_a_time;
	uint32_t refused; /* this thread is gone */
	uint32_t silent;  /* this one is not answered */
	bool is_reversed, has_late, has_early, has_twice, has_foreign;
	uint64_t cpu_count, hiwater;
	/* The socket. */
	int bind_error, family_send_error, family_receive_error;
	int refused_option; /* which cannot be set */
} kernel;

/* What was asked for. */
static struct {
	char family[32];
	uint32_t seqs[TASKSTATS_BATCH], tids[TASKSTATS_BATCH];
	size_t count, answered;
	unsigned int sends, receives;
	uint32_t family_seq;
	struct str options; /* of the socket, in their order */
} asked;

int __real_mnl_socket_bind(struct mnl_socket *s, unsigned int groups, pid_t pid);
int __wrap_mnl_socket_bind(struct mnl_socket *s, unsigned int groups, pid_t pid);
int __wrap_setsockopt(int fd, int level, int option, const void *value, socklen_t len);

int __wrap_mnl_socket_bind(struct mnl_socket *s, unsigned int groups, pid_t pid)
{
	if (!kernel.bind_error)
		return __real_mnl_socket_bind(s, groups, pid);
	errno = kernel.bind_error;
	return -1;
}

int __wrap_setsockopt(int fd, int level, int option, const void *value, socklen_t len)
{
	assert_true(fd >= 0);
	assert_int_equal(level, SOL_SOCKET);
	if (option == SO_RCVTIMEO) {
		assert_int_equal(len, sizeof(struct timeval));
		assert_int_equal(((const struct timeval *)value)->tv_sec, 1);
	} else {
		assert_int_equal(len, sizeof(int));
		assert_true(*(const int *)value > 0);
	}
	str_addf(&asked.options, "%s ",
		 option == SO_RCVTIMEO	  ? "patience" :
		 option == SO_RCVBUFFORCE ? "force" :
		 option == SO_RCVBUF	  ? "buffer" :
					    "other");
	errno = EPERM;
	return option == kernel.refused_option ? -1 : 0;
}

static int setup(void **state)
{
	(void)state;
	str_finish(&asked.options);
	memset(&kernel, 0, sizeof(kernel));
	memset(&asked, 0, sizeof(asked));
	kernel.cpu_count = 5;
	kernel.hiwater = 6;
	err_clear();
	return 0;
}

ssize_t __wrap_mnl_socket_sendto(const struct mnl_socket *s, const void *data, size_t len)
{
	const struct nlmsghdr *header = data;
	const struct genlmsghdr *genl = mnl_nlmsg_get_payload(header);
	const struct nlattr *attr;

	(void)s;
	assert_int_equal(header->nlmsg_type, GENL_ID_CTRL);
	assert_int_equal(header->nlmsg_flags, NLM_F_REQUEST);
	assert_int_equal(genl->cmd, CTRL_CMD_GETFAMILY);
	assert_int_equal(genl->version, 1);
	mnl_attr_for_each(attr, header, sizeof(*genl))
	{
		assert_int_equal(mnl_attr_get_type(attr), CTRL_ATTR_FAMILY_NAME);
		snprintf(asked.family, sizeof(asked.family), "%s", mnl_attr_get_str(attr));
	}
	asked.family_seq = header->nlmsg_seq;
	errno = kernel.family_send_error;
	return kernel.family_send_error ? -1 : (ssize_t)len;
}

static struct nlmsghdr *begin(void *data, uint16_t type, uint32_t seq)
{
	struct nlmsghdr *header = mnl_nlmsg_put_header(data);

	header->nlmsg_type = type;
	header->nlmsg_seq = seq;
	return header;
}

static ssize_t put_error(void *data, uint32_t seq, int error)
{
	struct nlmsghdr *header = begin(data, NLMSG_ERROR, seq);
	struct nlmsgerr *e = mnl_nlmsg_put_extra_header(header, sizeof(*e));

	e->error = -error;
	return header->nlmsg_len;
}

ssize_t __wrap_mnl_socket_recvfrom(const struct mnl_socket *s, void *data, size_t size)
{
	uint32_t seq = asked.family_seq + kernel.has_other_seq;
	struct nlmsghdr *header;

	(void)s;
	assert_true(size >= 512);
	errno = kernel.family_receive_error;
	if (kernel.family_receive_error)
		return -1;
	if (kernel.family_error)
		return put_error(data, seq, kernel.family_error);
	header = begin(data, GENL_ID_CTRL, seq);
	mnl_nlmsg_put_extra_header(header, sizeof(struct genlmsghdr));
	if (kernel.has_other_attr) {
		mnl_attr_put_u16(header, CTRL_ATTR_VERSION, 9);
		mnl_attr_put_u32(header, CTRL_ATTR_FAMILY_ID, FAMILY + 1); /* not 16 bits */
	}
	if (!kernel.has_no_family)
		mnl_attr_put_u16(header, CTRL_ATTR_FAMILY_ID, FAMILY);
	return header->nlmsg_len;
}

ssize_t __wrap_sendto(int fd, const void *data, size_t len, int flags, const struct sockaddr *to,
		      socklen_t to_len)
{
	int left = (int)len;

	(void)fd;
	(void)flags;
	assert_int_equal(to->sa_family, AF_NETLINK);
	assert_int_equal(to_len, sizeof(struct sockaddr_nl));
	asked.sends++;
	if (kernel.interrupts && kernel.interrupts--) {
		errno = EINTR;
		return -1;
	}
	if (kernel.send_error) {
		errno = kernel.send_error;
		return -1;
	}
	asked.count = asked.answered = 0;
	for (const struct nlmsghdr *h = data; mnl_nlmsg_ok(h, left); h = mnl_nlmsg_next(h, &left)) {
		const struct genlmsghdr *genl = mnl_nlmsg_get_payload(h);
		const struct nlattr *attr = mnl_nlmsg_get_payload_offset(h, sizeof(*genl));

		assert_int_equal(h->nlmsg_type, FAMILY);
		assert_int_equal(genl->cmd, TASKSTATS_CMD_GET);
		assert_int_equal(mnl_attr_get_type(attr), TASKSTATS_CMD_ATTR_PID);
		asked.seqs[asked.count] = h->nlmsg_seq;
		asked.tids[asked.count++] = mnl_attr_get_u32(attr);
	}
	assert_int_equal(left, 0);
	return (ssize_t)len;
}

static ssize_t put_stats(void *data, uint32_t seq, uint32_t tid)
{
	struct nlmsghdr *header = begin(data, FAMILY, seq);
	unsigned char stats[PAYLOAD] = { 8 };
	struct nlattr *nest;

	memcpy(stats + 16, &kernel.cpu_count, sizeof(kernel.cpu_count));
	memcpy(stats + 200, &kernel.hiwater, sizeof(kernel.hiwater));
	mnl_nlmsg_put_extra_header(header, sizeof(struct genlmsghdr));
	nest = mnl_attr_nest_start(header, TASKSTATS_TYPE_AGGR_PID);
	mnl_attr_put_u32(header, TASKSTATS_TYPE_PID, tid);
	mnl_attr_put(header, TASKSTATS_TYPE_STATS, sizeof(stats), stats);
	mnl_attr_nest_end(header, nest);
	return header->nlmsg_len;
}

static unsigned int put_answer(struct mmsghdr *message, uint32_t seq, uint32_t tid)
{
	void *data = message->msg_hdr.msg_iov->iov_base;

	message->msg_len = (unsigned int)(tid == kernel.refused ? put_error(data, seq, ESRCH) :
								  put_stats(data, seq, tid));
	return 1;
}

int __wrap_recvmmsg(int fd, struct mmsghdr *messages, unsigned int count, int flags,
		    struct timespec *timeout)
{
	unsigned int n = 0;

	(void)fd;
	assert_int_equal(flags, MSG_WAITFORONE);
	assert_null(timeout);
	asked.receives++;
	if (kernel.receive_interrupts && kernel.receive_interrupts--) {
		errno = EINTR;
		return -1;
	}
	if (kernel.has_late) {
		kernel.has_late = false;
		return (int)put_answer(messages, asked.seqs[0] - 1, asked.tids[0]);
	}
	if (kernel.has_early) {
		kernel.has_early = false;
		return (int)put_answer(messages, asked.seqs[asked.count - 1] + 1, asked.tids[0]);
	}
	if (kernel.has_foreign) {
		kernel.has_foreign = false;
		return (int)put_answer(messages, asked.seqs[0], asked.tids[0] + 1000);
	}
	while (n < count && asked.answered < asked.count &&
	       (!kernel.least_at_a_time || n < kernel.least_at_a_time)) {
		size_t at = kernel.is_reversed ? asked.count - 1 - asked.answered : asked.answered;

		asked.answered++;
		if (asked.tids[at] == kernel.silent)
			continue;
		n += put_answer(&messages[n], asked.seqs[at], asked.tids[at]);
		if (kernel.has_twice && n < count)
			n += put_answer(&messages[n], asked.seqs[at], asked.tids[at]);
	}
	if (n)
		return (int)n;
	errno = kernel.receive_error;
	return -1;
}

static struct taskstats_client *client_open(void)
{
	struct taskstats_client *c = NULL;
	int rc = taskstats_open(&c);

	if (rc < 0)
		fail_msg("%s", err_text(rc));
	return c;
}

static void note(void *context, size_t index, const struct taskstats_reply *reply)
{
	struct str *out = context;

	str_addf(out, "%zu=", index);
	if (reply->error)
		str_addf(out, "%s ", strerrorname_np(reply->error));
	else
		str_addf(out, "%u/v%u ", reply->pid, taskstats_version(reply->payload, reply->len));
}

static void expect_answers(size_t count, const char *expected)
{
	static const uint32_t tids[] = { 100, 101, 102 };
	struct taskstats_client *c = client_open();
	_str_ struct str text = {};

	taskstats_ask(c, tids, count, note, &text);
	taskstats_close(c);
	assert_string_equal(str_get(&text), expected);
}

static void every_thread_is_answered_once(void **state)
{
	(void)state;
	expect_answers(3, "0=100/v8 1=101/v8 2=102/v8 ");
	assert_string_equal(asked.family, "TASKSTATS");
	assert_int_equal(asked.receives, 1);
	kernel.is_reversed = true;
	expect_answers(3, "2=102/v8 1=101/v8 0=100/v8 ");
	kernel.least_at_a_time = 1;
	asked.receives = 0;
	expect_answers(3, "2=102/v8 1=101/v8 0=100/v8 ");
	assert_int_equal(asked.receives, 3);
	kernel.refused = 101;
	expect_answers(3, "2=102/v8 1=ESRCH 0=100/v8 ");
	expect_answers(1, "0=100/v8 ");
}

static void what_answers_nothing_is_passed_over(void **state)
{
	(void)state;
	kernel.has_late = true;
	expect_answers(2, "0=100/v8 1=101/v8 ");
	kernel.has_early = true;
	expect_answers(2, "0=100/v8 1=101/v8 ");
	kernel.has_foreign = true;
	expect_answers(2, "0=100/v8 1=101/v8 ");
	kernel.has_twice = true;
	expect_answers(2, "0=100/v8 1=101/v8 ");
}

static void interruptions_go_on_and_errors_are_answers(void **state)
{
	(void)state;
	kernel.interrupts = kernel.receive_interrupts = 2;
	expect_answers(2, "0=100/v8 1=101/v8 ");
	assert_int_equal(asked.sends, 3);
	assert_int_equal(asked.receives, 3);
	kernel.send_error = EPERM;
	expect_answers(2, "0=EPERM 1=EPERM ");
	kernel.send_error = 0;
}

static void answers_that_do_not_come_have_a_reason(void **state)
{
	(void)state;
	kernel.silent = 101;
	kernel.receive_error = EAGAIN;
	expect_answers(3, "0=100/v8 2=102/v8 1=ETIMEDOUT ");
	kernel.receive_error = ENOBUFS;
	expect_answers(3, "0=100/v8 2=102/v8 1=ENOBUFS ");
	expect_answers(1, "0=100/v8 ");
	kernel.silent = 100;
	expect_answers(1, "0=ENOBUFS ");
}

/* As much as goes at a time, whose requests fill the buffer. */
static void a_whole_batch_is_asked_for_at_once(void **state)
{
	struct taskstats_client *c = client_open();
	uint32_t tids[TASKSTATS_BATCH];
	_str_ struct str text = {}, expected = {};

	(void)state;
	for (uint32_t i = 0; i < TASKSTATS_BATCH; i++) {
		tids[i] = 7000 + i;
		str_addf(&expected, "%u=%u/v8 ", i, 7000 + i);
	}
	for (int i = 0; i < 2; i++) {
		str_reset(&text);
		taskstats_ask(c, tids, TASKSTATS_BATCH, note, &text);
		assert_string_equal(str_get(&text), str_get(&expected));
		assert_int_equal(asked.count, TASKSTATS_BATCH);
	}
	assert_int_equal(asked.sends, 2);
	taskstats_close(c);
}

static void a_family_that_is_not_told_is_an_error(void **state)
{
	struct taskstats_client *c = NULL;

	(void)state;
	kernel.family_error = ENOENT;
	assert_int_equal(taskstats_open(&c), -ENOENT);
	assert_non_null(strstr(err_text(-ENOENT), "netlink family TASKSTATS"));
	kernel.family_error = 0;
	kernel.has_no_family = true;
	assert_int_equal(taskstats_open(&c), -EBADMSG);
	kernel.has_other_attr = true;
	assert_int_equal(taskstats_open(&c), -EBADMSG);
	kernel.has_no_family = false;
	expect_answers(1, "0=100/v8 ");
	kernel.has_other_seq = true;
	assert_int_equal(taskstats_open(&c), -EBADMSG);
	assert_non_null(strstr(err_text(-EBADMSG), "is malformed"));
	/* An error that is none. */
	kernel.has_other_seq = false;
	kernel.family_error = -5;
	assert_int_equal(taskstats_open(&c), -EBADMSG);
	assert_null(c);
}

static void expect_closed(int error, const char *message)
{
	struct taskstats_client *c = NULL;

	assert_int_equal(taskstats_open(&c), -error);
	assert_non_null(strstr(err_text(-error), message));
	assert_null(c);
}

static void a_socket_that_does_not_work_is_an_error(void **state)
{
	(void)state;
	kernel.bind_error = EADDRINUSE;
	expect_closed(EADDRINUSE, "open a generic netlink socket");
	assert_int_equal(asked.options.len, 0);
	kernel.bind_error = 0;
	kernel.refused_option = SO_RCVTIMEO;
	expect_closed(EPERM, "set a timeout on the netlink socket");
	kernel.refused_option = 0;
	kernel.family_send_error = ECONNREFUSED;
	expect_closed(ECONNREFUSED, "ask for the netlink family TASKSTATS");
	kernel.family_send_error = 0;
	kernel.family_receive_error = EAGAIN;
	expect_closed(EAGAIN, "ask for the netlink family TASKSTATS");
}

/* Without rights the buffer is as large as the limit allows. */
static void the_buffer_is_enlarged_as_far_as_allowed(void **state)
{
	(void)state;
	taskstats_close(client_open());
	assert_string_equal(str_get(&asked.options), "patience force ");
	str_reset(&asked.options);
	kernel.refused_option = SO_RCVBUFFORCE;
	taskstats_close(client_open());
	assert_string_equal(str_get(&asked.options), "patience force buffer ");
	taskstats_close(NULL);
}

static void a_probe_tells_the_version_or_what_is_wrong(void **state)
{
	int version = 0;

	(void)state;
	assert_int_equal(taskstats_probe_self(&version), 0);
	assert_int_equal(version, 8);
	assert_int_equal(asked.tids[0], gettid());
	kernel.refused = (uint32_t)gettid();
	assert_int_equal(taskstats_probe_self(&version), -ESRCH);
	kernel.send_error = EPERM;
	assert_int_equal(taskstats_probe_self(&version), -EPERM);
	kernel.family_error = ENOENT;
	assert_int_equal(taskstats_probe_self(&version), -ENOENT);
}

/* A zero of whoever asks was never counted; what cannot be told counts as there. */
static void gates_follow_from_our_own_counts(void **state)
{
	static const struct {
		uint64_t cpu_count, hiwater;
		const char *toggle;
		int error;
		bool cpu_delay, delay_block, xacct;
	} rows[] = {
		{ 1, 1, "1\n", 0, true, true, true },  { 1, 1, "0\n", 0, true, false, true },
		{ 1, 1, NULL, 0, true, true, true },   { 0, 1, "1\n", 0, false, false, true },
		{ 1, 0, "1\n", 0, true, true, false }, { 0, 0, "1\n", EPERM, true, true, true },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		char *dir = unit_temp_create();
		struct roots roots = { .proc = dir };
		struct taskstats_client *c = client_open();
		struct taskstats_gates gates = {};

		if (rows[i].toggle)
			unit_write(dir, "sys/kernel/task_delayacct", rows[i].toggle);
		kernel.cpu_count = rows[i].cpu_count;
		kernel.hiwater = rows[i].hiwater;
		kernel.send_error = rows[i].error;
		taskstats_find_gates(c, &roots, &gates);
		assert_int_equal(gates.cpu_delay, rows[i].cpu_delay);
		assert_int_equal(gates.delay_block, rows[i].delay_block);
		assert_int_equal(gates.xacct, rows[i].xacct);
		taskstats_close(c);
		unit_temp_remove(dir);
	}
}

int main(void)
{
#define TEST(f) cmocka_unit_test_setup(f, setup)
	const struct CMUnitTest tests[] = {
		TEST(every_thread_is_answered_once),
		TEST(what_answers_nothing_is_passed_over),
		TEST(interruptions_go_on_and_errors_are_answers),
		TEST(answers_that_do_not_come_have_a_reason),
		TEST(a_whole_batch_is_asked_for_at_once),
		TEST(a_family_that_is_not_told_is_an_error),
		TEST(a_socket_that_does_not_work_is_an_error),
		TEST(the_buffer_is_enlarged_as_far_as_allowed),
		TEST(a_probe_tells_the_version_or_what_is_wrong),
		TEST(gates_follow_from_our_own_counts),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
