// SPDX-License-Identifier: GPL-2.0-only
/* Reading a trace file back. */
#include <stdlib.h>

#include "base/err.h"
#include "base/vec.h"
#include "trace/perfetto.h"
#include "trace/perfetto_fields.h"
#include "trace/protobuf.h"

struct open_track {
	uint64_t uuid, depth;
};

struct checker {
	struct perfetto_facts *facts;
	VEC(struct open_track) tracks; /* ascending by uuid */
};

/* Where the track is, or would be. */
static size_t find(const struct checker *c, uint64_t uuid)
{
	size_t low = 0, high = c->tracks.count;

	while (low < high) {
		size_t middle = (low + high) / 2;

		if (c->tracks.items[middle].uuid < uuid)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

static bool has(const struct checker *c, size_t at, uint64_t uuid)
{
	return at < c->tracks.count && c->tracks.items[at].uuid == uuid;
}

static int add_track(struct checker *c, uint64_t uuid)
{
	size_t at = find(c, uuid);
	int rc;

	if (has(c, at, uuid))
		return 0;
	rc = vec_push(&c->tracks, (struct open_track){});
	if (rc < 0)
		return rc;
	for (size_t i = c->tracks.count - 1; i > at; i--)
		c->tracks.items[i] = c->tracks.items[i - 1];
	c->tracks.items[at] = (struct open_track){ .uuid = uuid };
	c->facts->tracks++;
	return 0;
}

static int take_descriptor(struct checker *c, const struct protobuf_field *message)
{
	const uint8_t *at = message->data, *end = at + message->len;
	uint64_t uuid = 0, parent = 0;
	struct protobuf_field f;
	bool has_name = false;
	int rc;

	while ((rc = protobuf_next(&at, end, &f)) > 0) {
		if (f.number == DESCRIPTOR_UUID)
			uuid = f.value;
		if (f.number == DESCRIPTOR_PARENT)
			parent = f.value;
		has_name |= f.number == DESCRIPTOR_NAME && f.is_bytes && f.len;
	}
	if (rc < 0)
		return rc;
	if (!uuid || !has_name)
		return err_set(EINVAL, "a track has no number or no name");
	if (parent && !has(c, find(c, parent), parent))
		return err_set(EINVAL, "a track's parent was not described before it");
	return add_track(c, uuid);
}

static int count_event(struct checker *c, uint64_t type, struct open_track *t, bool has_value)
{
	switch (type) {
	case EVENT_SLICE_BEGIN:
		t->depth++;
		c->facts->slices_begun++;
		return 0;
	case EVENT_SLICE_END:
		c->facts->slices_ended++;
		return t->depth-- ? 0 : err_set(EINVAL, "a slice ends that did not begin");
	case EVENT_INSTANT:
		c->facts->instants++;
		return 0;
	case EVENT_IS_COUNTER:
		c->facts->counters++;
		return has_value ? 0 : err_set(EINVAL, "a counter has no value");
	default:
		return err_set(EINVAL, "an event is of no known type");
	}
}

static int take_event(struct checker *c, const struct protobuf_field *message)
{
	const uint8_t *at = message->data, *end = at + message->len;
	uint64_t type = 0, uuid = 0;
	struct protobuf_field f;
	bool has_value = false;
	size_t index;
	int rc;

	while ((rc = protobuf_next(&at, end, &f)) > 0) {
		if (f.number == EVENT_TYPE)
			type = f.value;
		if (f.number == EVENT_TRACK)
			uuid = f.value;
		has_value |= f.number == EVENT_COUNTER;
	}
	if (rc < 0)
		return rc;
	index = find(c, uuid);
	if (!c->tracks.items || !has(c, index, uuid))
		return err_set(EINVAL, "an event is on a track that was not described before it");
	return count_event(c, type, &c->tracks.items[index], has_value);
}

static void take_time(struct perfetto_facts *facts, uint64_t time)
{
	if (!facts->last_ns || time < facts->first_ns)
		facts->first_ns = time;
	if (time > facts->last_ns)
		facts->last_ns = time;
}

static int take_packet(struct checker *c, const struct protobuf_field *packet)
{
	const uint8_t *at = packet->data, *end = at + packet->len;
	bool has_time = false, has_sequence = false, has_event = false;
	struct protobuf_field f;
	int rc;

	while ((rc = protobuf_next(&at, end, &f)) > 0) {
		if (f.number == PACKET_TIMESTAMP) {
			take_time(c->facts, f.value);
			has_time = true;
		}
		has_sequence |= f.number == PACKET_SEQUENCE_ID && f.value;
		has_event |= f.number == PACKET_TRACK_EVENT;
		if (f.number == PACKET_TRACK_EVENT)
			rc = take_event(c, &f);
		else if (f.number == PACKET_TRACK_DESCRIPTOR)
			rc = take_descriptor(c, &f);
		if (rc < 0)
			return rc;
	}
	if (rc == 0 && (!has_sequence || (has_event && !has_time)))
		rc = err_set(EINVAL, "a packet has no sequence or an event no time");
	c->facts->packets++;
	return rc;
}

int perfetto_check(const void *data, size_t len, struct perfetto_facts *out)
{
	const uint8_t *at = data, *end = at + len;
	struct checker c = { .facts = out };
	struct protobuf_field f;
	int rc;

	*out = (struct perfetto_facts){};
	while ((rc = protobuf_next(&at, end, &f)) > 0) {
		rc = f.number == TRACE_PACKET && f.is_bytes ?
			     take_packet(&c, &f) :
			     err_set(EINVAL, "something that is no packet");
		if (rc < 0)
			break;
	}
	free(c.tracks.items);
	return rc;
}
