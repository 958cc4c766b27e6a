// SPDX-License-Identifier: GPL-2.0-only
/* Reading a trace file back. */
#include "perfetto_check.h"

#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "base/vec.h"
#include "trace/parts.h"

#define CPU_NAME "cpu"
#define RUNNING_NAME "running on "

enum wire { WIRE_VARINT = 0, WIRE_FIXED64 = 1, WIRE_BYTES = 2, WIRE_FIXED32 = 5 };

static int malformed(const char *what)
{
	return err_set(EINVAL, "malformed protocol buffer: %s", what);
}

static int read_raw(const uint8_t **at, const uint8_t *end, uint64_t *value)
{
	*value = 0;
	for (unsigned int shift = 0; shift < 64; shift += 7) {
		uint8_t byte;

		if (*at == end)
			return malformed("a number is cut off");
		byte = *(*at)++;
		*value |= (uint64_t)(byte & 0x7f) << shift;
		if (!(byte & 0x80))
			return 0;
	}
	return malformed("a number has no end");
}

static int read_fixed(const uint8_t **at, const uint8_t *end, size_t size, uint64_t *value)
{
	if ((size_t)(end - *at) < size)
		return malformed("a number is cut off");
	*value = 0;
	memcpy(value, *at, size);
	*at += size;
	return 0;
}

int protobuf_next(const uint8_t **at, const uint8_t *end, struct protobuf_field *out)
{
	uint64_t key;
	int rc;

	*out = (struct protobuf_field){};
	if (*at == end)
		return 0;
	rc = read_raw(at, end, &key);
	if (rc < 0)
		return rc;
	if (key >> 3 == 0 || key >> 3 > 0x1fffffff)
		return malformed("a field has an impossible number");
	out->number = (unsigned int)(key >> 3);
	switch (key & 7) {
	case WIRE_VARINT:
		rc = read_raw(at, end, &out->value);
		break;
	case WIRE_FIXED64:
		rc = read_fixed(at, end, 8, &out->value);
		break;
	case WIRE_FIXED32:
		rc = read_fixed(at, end, 4, &out->value);
		break;
	case WIRE_BYTES:
		rc = read_raw(at, end, &key);
		if (rc == 0 && key > (uint64_t)(end - *at))
			rc = malformed("a field is cut off");
		if (rc == 0) {
			out->is_bytes = true;
			out->data = *at;
			out->len = (size_t)key;
			*at += out->len;
		}
		break;
	default:
		return malformed("a field is of no known type");
	}
	return rc < 0 ? rc : 1;
}

struct open_track {
	uint64_t uuid, parent;
	struct protobuf_field name; /* bytes of the file */
	bool is_open, is_running;
	uint64_t begun_ns;
};

/* What an event says. */
struct event {
	uint64_t type, track;
	struct protobuf_field name;
	bool has_value;
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

static bool starts(const struct protobuf_field *name, const char *text)
{
	return name->len >= strlen(text) && memcmp(name->data, text, strlen(text)) == 0;
}

static bool is_same(const struct open_track *a, const struct open_track *b)
{
	return a->parent == b->parent && a->name.len == b->name.len &&
	       memcmp(a->name.data, b->name.data, a->name.len) == 0;
}

static int add_track(struct checker *c, const struct open_track *t)
{
	size_t at = find(c, t->uuid);
	int rc;

	if (has(c, at, t->uuid))
		return is_same(&c->tracks.items[at], t) ?
			       0 :
			       err_set(EINVAL, "a track is described a second time, otherwise");
	rc = vec_push(&c->tracks, (struct open_track){});
	if (rc < 0)
		return rc;
	for (size_t i = c->tracks.count - 1; i > at; i--)
		c->tracks.items[i] = c->tracks.items[i - 1];
	c->tracks.items[at] = *t;
	c->facts->tracks++;
	return 0;
}

static int take_descriptor(struct checker *c, const struct protobuf_field *message)
{
	const uint8_t *at = message->data, *end = at + message->len;
	struct open_track t = {};
	struct protobuf_field f;
	int rc;

	while ((rc = protobuf_next(&at, end, &f)) > 0) {
		if (f.number == DESCRIPTOR_UUID)
			t.uuid = f.value;
		if (f.number == DESCRIPTOR_PARENT)
			t.parent = f.value;
		if (f.number == DESCRIPTOR_NAME && f.is_bytes)
			t.name = f;
	}
	if (rc < 0)
		return rc;
	if (!t.uuid || !t.name.len)
		return err_set(EINVAL, "a track has no number or no name");
	if (t.parent && !has(c, find(c, t.parent), t.parent))
		return err_set(EINVAL, "a track's parent was not described before it");
	return add_track(c, &t);
}

static int begin_slice(struct checker *c, struct open_track *t, const struct event *e,
		       uint64_t time)
{
	if (t->is_open)
		return err_set(EINVAL, "a slice begins within another one");
	t->is_open = true;
	t->is_running = starts(&e->name, RUNNING_NAME);
	t->begun_ns = time;
	c->facts->slices_begun++;
	return 0;
}

static int end_slice(struct checker *c, struct open_track *t, uint64_t time)
{
	if (!t->is_open)
		return err_set(EINVAL, "a slice ends that did not begin");
	if (time < t->begun_ns)
		return err_set(EINVAL, "a slice ends before it begins");
	t->is_open = false;
	c->facts->slices_ended++;
	if (t->is_running)
		c->facts->task_ns += time - t->begun_ns;
	else if (starts(&t->name, CPU_NAME))
		c->facts->cpu_ns += time - t->begun_ns;
	return 0;
}

static int count_event(struct checker *c, struct open_track *t, const struct event *e,
		       uint64_t time)
{
	switch (e->type) {
	case EVENT_SLICE_BEGIN:
		return begin_slice(c, t, e, time);
	case EVENT_SLICE_END:
		return end_slice(c, t, time);
	case EVENT_INSTANT:
		c->facts->instants++;
		return 0;
	case EVENT_IS_COUNTER:
		c->facts->counters++;
		return e->has_value ? 0 : err_set(EINVAL, "a counter has no value");
	default:
		return err_set(EINVAL, "an event is of no known type");
	}
}

static int take_event(struct checker *c, const struct protobuf_field *message, uint64_t time)
{
	const uint8_t *at = message->data, *end = at + message->len;
	struct protobuf_field f;
	struct event e = {};
	size_t index;
	int rc;

	while ((rc = protobuf_next(&at, end, &f)) > 0) {
		if (f.number == EVENT_TYPE)
			e.type = f.value;
		if (f.number == EVENT_TRACK)
			e.track = f.value;
		if (f.number == EVENT_NAME && f.is_bytes)
			e.name = f;
		e.has_value |= f.number == EVENT_COUNTER;
	}
	if (rc < 0)
		return rc;
	index = find(c, e.track);
	if (!c->tracks.items || !has(c, index, e.track))
		return err_set(EINVAL, "an event is on a track that was not described before it");
	return count_event(c, &c->tracks.items[index], &e, time);
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
	bool has_time = false, has_sequence = false;
	struct protobuf_field f;
	uint64_t time = 0;
	int rc;

	while ((rc = protobuf_next(&at, end, &f)) > 0) {
		if (f.number == PACKET_TIMESTAMP) {
			time = f.value;
			take_time(c->facts, time);
			has_time = true;
		}
		has_sequence |= f.number == PACKET_SEQUENCE_ID && f.value;
		if (f.number == PACKET_TRACK_EVENT)
			rc = has_time ? take_event(c, &f, time) :
					err_set(EINVAL, "an event has no time");
		else if (f.number == PACKET_TRACK_DESCRIPTOR)
			rc = take_descriptor(c, &f);
		if (rc < 0)
			return rc;
	}
	if (rc == 0 && !has_sequence)
		rc = err_set(EINVAL, "a packet has no sequence");
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
			     err_set(EINVAL, "something that is not a packet");
		if (rc < 0)
			break;
	}
	free(c.tracks.items);
	return rc;
}
