// SPDX-License-Identifier: GPL-2.0-only
/* Netlink client: looks up the family, sends requests in batches, matches replies. */
#include "ctprof/taskstats.h"

#include <libmnl/libmnl.h>
#include <linux/genetlink.h>
#include <linux/taskstats.h>
#include <sys/socket.h>
#include <sys/time.h>

#include "ctprof/procfs_view.h"

#define REPLY_SIZE 2048 /* version 17 takes 748 bytes */
#define REQUEST_SIZE 28
#define RECEIVE_BUFFER (1 << 20)

struct taskstats_client {
	struct mnl_socket *socket;
	int fd;
	uint16_t family;
	uint32_t seq;
	char requests[TASKSTATS_BATCH * REQUEST_SIZE];
	char replies[TASKSTATS_BATCH][REPLY_SIZE];
	struct iovec vectors[TASKSTATS_BATCH];
	struct mmsghdr messages[TASKSTATS_BATCH];
};

static struct nlmsghdr *start_request(void *buffer, uint16_t type, uint8_t command, uint32_t seq)
{
	struct nlmsghdr *header = mnl_nlmsg_put_header(buffer);
	struct genlmsghdr *genl = mnl_nlmsg_put_extra_header(header, sizeof(*genl));

	header->nlmsg_type = type;
	/* No ACK: it would be a second datagram per reply. */
	header->nlmsg_flags = NLM_F_REQUEST;
	header->nlmsg_seq = seq;
	genl->cmd = command;
	genl->version = 1;
	return header;
}

static int find_family_id(const struct nlmsghdr *header, uint16_t *id)
{
	const struct nlattr *attr;

	if (header->nlmsg_type == NLMSG_ERROR) {
		const struct nlmsgerr *error = mnl_nlmsg_get_payload(header);

		if (mnl_nlmsg_get_payload_len(header) < sizeof(*error) || error->error >= 0)
			return -EBADMSG;
		return error->error;
	}
	mnl_attr_for_each(attr, header, sizeof(struct genlmsghdr))
	{
		if (mnl_attr_get_type(attr) != CTRL_ATTR_FAMILY_ID ||
		    mnl_attr_validate(attr, MNL_TYPE_U16) < 0)
			continue;
		*id = mnl_attr_get_u16(attr);
		return 0;
	}
	return -EBADMSG;
}

static int resolve_family(struct taskstats_client *c)
{
	struct nlmsghdr *header =
		start_request(c->replies[0], GENL_ID_CTRL, CTRL_CMD_GETFAMILY, ++c->seq);
	ssize_t n;
	int rc;

	mnl_attr_put_strz(header, CTRL_ATTR_FAMILY_NAME, TASKSTATS_GENL_NAME);
	if (mnl_socket_sendto(c->socket, header, header->nlmsg_len) < 0)
		return err_sys(errno, "ask for the netlink family TASKSTATS");
	n = mnl_socket_recvfrom(c->socket, c->replies[0], REPLY_SIZE);
	if (n < 0)
		return err_sys(errno, "ask for the netlink family TASKSTATS");
	header = (struct nlmsghdr *)c->replies[0];
	if (!taskstats_is_message(header, (size_t)n) || header->nlmsg_seq != c->seq)
		return err_set(EBADMSG,
			       "the answer about the netlink family TASKSTATS is malformed");
	rc = find_family_id(header, &c->family);
	return rc < 0 ? err_sys(-rc, "netlink family TASKSTATS") : 0;
}

static int open_socket(struct taskstats_client *c)
{
	struct timeval patience = { .tv_sec = 1 };
	int size = RECEIVE_BUFFER;

	c->socket = mnl_socket_open2(NETLINK_GENERIC, SOCK_CLOEXEC);
	if (!c->socket || mnl_socket_bind(c->socket, 0, MNL_SOCKET_AUTOPID) < 0)
		return err_sys(errno, "open a generic netlink socket");
	c->fd = mnl_socket_get_fd(c->socket);
	if (setsockopt(c->fd, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof(patience)) < 0)
		return err_sys(errno, "set a timeout on the netlink socket");
	/* Exceeding the limit requires rights; the default size is enough for a batch. */
	if (setsockopt(c->fd, SOL_SOCKET, SO_RCVBUFFORCE, &size, sizeof(size)) < 0)
		setsockopt(c->fd, SOL_SOCKET, SO_RCVBUF, &size, sizeof(size));
	return 0;
}

int taskstats_open(struct taskstats_client **out)
{
	struct taskstats_client *c = calloc(1, sizeof(*c));
	int rc;

	if (!c)
		return err_no_memory();
	for (size_t i = 0; i < TASKSTATS_BATCH; i++) {
		c->vectors[i] = (struct iovec){ c->replies[i], REPLY_SIZE };
		c->messages[i].msg_hdr =
			(struct msghdr){ .msg_iov = &c->vectors[i], .msg_iovlen = 1 };
	}
	rc = open_socket(c) ?: resolve_family(c);
	if (rc < 0)
		taskstats_close(c);
	else
		*out = c;
	return rc;
}

void taskstats_close(struct taskstats_client *c)
{
	if (!c)
		return;
	if (c->socket)
		mnl_socket_close(c->socket);
	free(c);
}

struct batch {
	const uint32_t *tids;
	size_t count, open;
	uint32_t first_seq;
	uint64_t answered; /* one bit per request */
	taskstats_answer answer;
	void *context;
};

_Static_assert(TASKSTATS_BATCH <= 64, "one bit per request");

static int send_requests(struct taskstats_client *c, struct batch *b)
{
	struct sockaddr_nl kernel = { .nl_family = AF_NETLINK };
	size_t len = 0;

	b->first_seq = c->seq + 1;
	for (size_t i = 0; i < b->count; i++) {
		struct nlmsghdr *header =
			start_request(c->requests + len, c->family, TASKSTATS_CMD_GET, ++c->seq);

		mnl_attr_put_u32(header, TASKSTATS_CMD_ATTR_PID, b->tids[i]);
		len += MNL_ALIGN(header->nlmsg_len);
	}
	while (sendto(c->fd, c->requests, len, 0, (struct sockaddr *)&kernel, sizeof(kernel)) < 0)
		if (errno != EINTR)
			return errno;
	return 0;
}

/* Ignores late replies to earlier batches, and replies to no request. */
static void take_reply(struct batch *b, const struct taskstats_reply *reply)
{
	size_t index = reply->seq - b->first_seq;

	if (index >= b->count || b->answered >> index & 1)
		return;
	if (!reply->error && reply->pid != b->tids[index])
		return;
	b->answered |= 1ULL << index;
	b->open--;
	b->answer(b->context, index, reply);
}

/* Waits for a reply, then takes all that have arrived. 0, or a positive errno. */
static int receive_replies(struct taskstats_client *c, struct batch *b)
{
	int n = recvmmsg(c->fd, c->messages, (unsigned int)b->open, MSG_WAITFORONE, NULL);

	if (n < 0)
		return errno == EINTR ? 0 : errno == EAGAIN ? ETIMEDOUT : errno;
	for (int i = 0; i < n; i++) {
		struct taskstats_reply reply;

		if (taskstats_parse_reply(c->replies[i], c->messages[i].msg_len, &reply) == 0)
			take_reply(b, &reply);
	}
	return 0;
}

void taskstats_ask(struct taskstats_client *c, const uint32_t *tids, size_t count,
		   taskstats_answer answer, void *context)
{
	struct batch b = {
		.tids = tids,
		.count = count,
		.open = count,
		.answer = answer,
		.context = context,
	};
	int error = send_requests(c, &b);

	while (!error && b.open)
		error = receive_replies(c, &b);
	for (size_t i = 0; error && i < count; i++) {
		struct taskstats_reply none = { .error = error };

		if (!(b.answered >> i & 1))
			answer(context, i, &none);
	}
}

struct self_answer {
	int error;
	unsigned int version;
	struct opt_u64 cpu_count, hiwater_rss;
};

static void take_self(void *context, size_t index _unused_, const struct taskstats_reply *reply)
{
	struct self_answer *self = context;

	self->error = reply->error;
	if (reply->error)
		return;
	self->version = taskstats_version(reply->payload, reply->len);
	self->cpu_count.is_known = taskstats_field(reply->payload, reply->len, M_cpu_delay_count,
						   &self->cpu_count.value);
	self->hiwater_rss.is_known = taskstats_field(reply->payload, reply->len,
						     M_hiwater_rss_bytes, &self->hiwater_rss.value);
}

static struct self_answer ask_self(struct taskstats_client *c)
{
	uint32_t tid = (uint32_t)gettid();
	struct self_answer self = {};

	taskstats_ask(c, &tid, 1, take_self, &self);
	return self;
}

int taskstats_probe_self(int *version)
{
	struct taskstats_client *c = NULL;
	struct self_answer self;
	int rc = taskstats_open(&c);

	if (!c) {
		err_clear();
		return rc;
	}
	self = ask_self(c);
	taskstats_close(c);
	*version = (int)self.version;
	return self.error ? -self.error : self.version ? 0 : -EBADMSG;
}

static bool is_zero(const struct opt_u64 *v)
{
	return v->is_known && v->value == 0;
}

void taskstats_find_gates(struct taskstats_client *c, const struct roots *roots,
			  struct taskstats_gates *gates)
{
	struct self_answer self = ask_self(c);
	uint64_t toggle = 1;

	root_read_u64(roots->proc, &toggle, "sys/kernel/task_delayacct");
	gates->cpu_delay = !is_zero(&self.cpu_count);
	gates->delay_block = gates->cpu_delay && toggle != 0;
	gates->xacct = !is_zero(&self.hiwater_rss);
	gates->irq = kernel_counts_irq_time(roots->proc, "/boot");
}
