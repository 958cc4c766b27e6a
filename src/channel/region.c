// SPDX-License-Identifier: GPL-2.0-only
/* Writes a fresh region. */
#include "channel/channel.h"

#define PAGE 4096ULL

static uint64_t ring_end(const struct channel_region *r)
{
	return r->ring_bytes ? r->ring_bytes : CHANNEL_DEFAULT_SIZE;
}

uint64_t channel_region_size(const struct channel_region *r)
{
	uint64_t need = ring_end(r) + r->input_len, size = PAGE;

	while (size < need)
		size *= 2;
	return size;
}

static int write_at(int fd, uint64_t offset, const void *data, size_t len)
{
	const char *p = data;

	while (len) {
		ssize_t n = pwrite(fd, p, len, (off_t)offset);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return err_sys(errno, "write the shared region");
		p += n;
		offset += (uint64_t)n;
		len -= (size_t)n;
	}
	return 0;
}

int channel_region_header(const struct channel_region *r, struct channel_header *out)
{
	uint64_t end = ring_end(r);

	if (end % PAGE || end <= CHANNEL_HEADER_SIZE || end > CHANNEL_MAX_CAPACITY)
		return err_set(EINVAL, "a ring of %llu bytes is not possible", ULL(end));
	*out = (struct channel_header){
		.magic = CHANNEL_MAGIC,
		.version = CHANNEL_VERSION,
		.capacity = (uint32_t)(end - CHANNEL_HEADER_SIZE),
		.flags = r->has_live_reader ? CHANNEL_LIVE_READER : 0,
		.ring_offset = CHANNEL_HEADER_SIZE,
	};
	if (!r->input)
		return 0;
	out->input_state = 1;
	out->input_offset = end;
	out->input_len = r->input_len;
	out->input_sum = channel_sum(r->input, r->input_len);
	return 0;
}

int channel_region_write(int fd, const struct channel_region *r)
{
	uint64_t size = channel_region_size(r);
	struct channel_header h;
	int rc = channel_region_header(r, &h);

	if (rc < 0)
		return rc;
	if (ftruncate(fd, 0) < 0 || ftruncate(fd, (off_t)size) < 0)
		return err_sys(errno, "make a shared region of %llu bytes", ULL(size));
	rc = write_at(fd, 0, &h, sizeof(h));
	if (rc == 0 && r->input)
		rc = write_at(fd, h.input_offset, r->input, r->input_len);
	return rc;
}
