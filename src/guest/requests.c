// SPDX-License-Identifier: GPL-2.0-only
/* Each request is a byte that the guest clears when it has served it. */
#include "guest/parts.h"

bool requests_are_possible(const struct channel_header *h)
{
	return h && h->flags & CHANNEL_LIVE_READER;
}

/* Errors cannot be reported: the host sees that nothing happened. */
static void write_text(const char *path, int flags, const char *text, size_t len)
{
	_close_ int fd = open(path, O_WRONLY | O_CLOEXEC | flags, 0644);

	if (fd >= 0)
		(void)fd_write_all(fd, text, len);
}

/* Clears the request, so that it is served only once. */
static bool take(uint8_t *request, uint8_t value)
{
	return __atomic_compare_exchange_n(request, &value, 0, false, __ATOMIC_ACQ_REL,
					   __ATOMIC_RELAXED);
}

bool requests_serve(struct channel_header *h, const struct requests_files *files)
{
	if (take(&h->dump_request, CHANNEL_DUMP_REQUEST))
		write_text(files->sysrq, 0, "D", 1);
	if (take(&h->stall_request, CHANNEL_STALL_REQUEST))
		write_text(files->stall, O_CREAT, "", 0);
	return take(&h->slot0, CHANNEL_SLOT_SHUT_DOWN);
}
