// SPDX-License-Identifier: GPL-2.0-only
/* A single taskstats query over generic netlink. */
#include "ctprof/taskstats_probe.h"

#include <errno.h>
#include <libmnl/libmnl.h>
#include <linux/genetlink.h>
#include <linux/taskstats.h>
#include <stdint.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

#include "base/cleanup.h"

#define BUFFER_SIZE 8192

static void cleanup_socket(struct mnl_socket **s)
{
	if (*s)
		mnl_socket_close(*s);
}

#define _mnl_close_ _cleanup_(cleanup_socket)

/* Sends the request in buffer and reads the first answer into it; data is for callback. */
static int ask(struct mnl_socket *s, char *buffer, mnl_cb_t callback, void *data)
{
	const struct nlmsghdr *request = (const struct nlmsghdr *)buffer;
	unsigned int seq = request->nlmsg_seq;
	ssize_t n;

	if (mnl_socket_sendto(s, request, request->nlmsg_len) < 0)
		return -errno;
	n = mnl_socket_recvfrom(s, buffer, BUFFER_SIZE);
	if (n < 0)
		return -errno;
	if (mnl_cb_run(buffer, (size_t)n, seq, mnl_socket_get_portid(s), callback, data) < 0)
		return -errno;
	return 0;
}

static struct nlmsghdr *start_request(char *buffer, uint16_t type, uint8_t command, uint32_t seq)
{
	struct nlmsghdr *header = mnl_nlmsg_put_header(buffer);
	struct genlmsghdr *generic;

	header->nlmsg_type = type;
	header->nlmsg_flags = NLM_F_REQUEST; /* an ACK would be a second datagram */
	header->nlmsg_seq = seq;
	generic = mnl_nlmsg_put_extra_header(header, sizeof(*generic));
	generic->cmd = command;
	generic->version = 1;
	return header;
}

static int take_family(const struct nlmsghdr *header, void *data)
{
	uint16_t *family = data;
	struct nlattr *a;

	mnl_attr_for_each(a, header,
			  sizeof(struct genlmsghdr)) if (mnl_attr_get_type(a) ==
								 CTRL_ATTR_FAMILY_ID &&
							 mnl_attr_validate(a, MNL_TYPE_U16) >=
								 0) *family = mnl_attr_get_u16(a);
	return MNL_CB_STOP;
}

/* The version leads the struct, whatever else it holds. */
static int take_version(const struct nlmsghdr *header, void *data)
{
	int *version = data;
	struct nlattr *a, *in;
	uint16_t value;

	mnl_attr_for_each(a, header, sizeof(struct genlmsghdr))
	{
		if (mnl_attr_get_type(a) != TASKSTATS_TYPE_AGGR_PID)
			continue;
		mnl_attr_for_each_nested(in, a)
		{
			if (mnl_attr_get_type(in) != TASKSTATS_TYPE_STATS ||
			    mnl_attr_get_payload_len(in) < sizeof(value))
				continue;
			memcpy(&value, mnl_attr_get_payload(in), sizeof(value));
			*version = value;
		}
	}
	return MNL_CB_STOP;
}

static int open_socket(struct mnl_socket **out)
{
	_mnl_close_ struct mnl_socket *s = mnl_socket_open(NETLINK_GENERIC);
	struct timeval limit = { .tv_sec = 1 };

	if (!s)
		return -errno;
	if (mnl_socket_bind(s, 0, MNL_SOCKET_AUTOPID) < 0 ||
	    setsockopt(mnl_socket_get_fd(s), SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof(limit)) < 0)
		return -errno;
	*out = take_ptr(&s);
	return 0;
}

int taskstats_probe_self(int *version)
{
	_mnl_close_ struct mnl_socket *s = NULL;
	char buffer[BUFFER_SIZE];
	struct nlmsghdr *request;
	uint16_t family = 0;
	int rc = open_socket(&s);

	if (rc < 0)
		return rc;
	request = start_request(buffer, GENL_ID_CTRL, CTRL_CMD_GETFAMILY, 1);
	mnl_attr_put_strz(request, CTRL_ATTR_FAMILY_NAME, TASKSTATS_GENL_NAME);
	rc = ask(s, buffer, take_family, &family);
	if (rc < 0)
		return rc;
	*version = 0;
	request = start_request(buffer, family, TASKSTATS_CMD_GET, 2);
	mnl_attr_put_u32(request, TASKSTATS_CMD_ATTR_PID, (uint32_t)gettid());
	rc = ask(s, buffer, take_version, version);
	if (rc == 0 && *version == 0)
		return -EBADMSG;
	return rc;
}
