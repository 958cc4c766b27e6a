// SPDX-License-Identifier: GPL-2.0-only
/* Layouts of struct taskstats and the parser of netlink replies. */
#include "ctprof/taskstats.h"

#include <libmnl/libmnl.h>
#include <linux/genetlink.h>
#include <linux/netlink.h>
#include <linux/taskstats.h>
#include <pthread.h>

struct delay {
	uint64_t count, total;
};

struct extremes {
	uint64_t max, min;
};

struct delay_v15 {
	uint64_t count, total, max, min;
};

/* Other fields, with the order and sizes of the kernel's header. */
#define HEAD                \
	uint16_t version;   \
	uint32_t exit_code; \
	uint8_t flag, nice; \
	uint8_t head_pad[6]

#define BASIC_ACCOUNTING                                               \
	uint64_t run_real_total, run_virtual_total;                    \
	char comm[32];                                                 \
	uint8_t sched, sched_pad[7];                                   \
	uint32_t uid, gid, pid, ppid, begin_time, begin_time_pad;      \
	uint64_t elapsed_usec, utime_usec, stime_usec, minflt, majflt; \
	uint64_t coremem, virtmem;                                     \
	uint64_t hiwater_rss, hiwater_vm

#define IO_ACCOUNTING                                                  \
	uint64_t read_char, write_char, read_syscalls, write_syscalls; \
	uint64_t read_bytes, write_bytes, cancelled_write_bytes;       \
	uint64_t nvcsw, nivcsw;                                        \
	uint64_t utime_scaled, stime_scaled, run_scaled_total

#define PROCESS_FIELDS           \
	uint32_t tgid, tgid_pad; \
	uint64_t tgid_elapsed;   \
	uint64_t exe_dev, exe_inode

/* Versions 8 to 14 and 16 are prefixes of this one; the fields added by 17 are not read. */
struct taskstats_appended {
	HEAD;
	struct delay cpu, blkio, swapin;
	BASIC_ACCOUNTING;
	IO_ACCOUNTING;
	struct delay freepages;
	struct delay thrashing;
	uint64_t begin_time64;
	struct delay compact;
	PROCESS_FIELDS;
	struct delay wpcopy;
	struct delay irq;
	struct extremes cpu_extremes, blkio_extremes, swapin_extremes, freepages_extremes;
	struct extremes thrashing_extremes, compact_extremes, wpcopy_extremes, irq_extremes;
};

struct taskstats_v15 {
	HEAD;
	struct delay_v15 cpu, blkio, swapin;
	BASIC_ACCOUNTING;
	IO_ACCOUNTING;
	struct delay_v15 freepages;
	struct delay_v15 thrashing;
	uint64_t begin_time64;
	struct delay_v15 compact;
	PROCESS_FIELDS;
	struct delay_v15 wpcopy;
	struct delay_v15 irq;
};

_Static_assert(offsetof(struct taskstats_appended, hiwater_rss) == 200, "as in version 8");
_Static_assert(offsetof(struct taskstats_appended, thrashing) == 328, "size of version 8");
_Static_assert(offsetof(struct taskstats_appended, irq) == 416, "size of version 13");
_Static_assert(offsetof(struct taskstats_appended, cpu_extremes) == 432, "size of version 14");
_Static_assert(sizeof(struct taskstats_appended) == 560, "size of version 16");
_Static_assert(sizeof(struct taskstats_v15) == 560, "size of version 15");

/* Compares with the version of the system's header. */
_Static_assert(offsetof(struct taskstats, hiwater_rss) ==
			       offsetof(struct taskstats_appended, hiwater_rss) ||
		       TASKSTATS_VERSION == 15,
	       "disagrees with <linux/taskstats.h>");
_Static_assert(offsetof(struct taskstats, freepages_count) ==
			       offsetof(struct taskstats_appended, freepages) ||
		       TASKSTATS_VERSION == 15,
	       "disagrees with <linux/taskstats.h>");

/* Offsets of the first value of a bucket, and of its extremes. */
struct bucket {
	const char *name; /* as in the registry */
	size_t counts, extremes;
};

#define BUCKET_APPENDED(bucket)                                                \
	{                                                                      \
#bucket, offsetof(struct taskstats_appended, bucket),          \
			offsetof(struct taskstats_appended, bucket##_extremes) \
	}
#define BUCKET_V15(bucket)                                             \
	{                                                              \
#bucket, offsetof(struct taskstats_v15, bucket.count), \
			offsetof(struct taskstats_v15, bucket.max)     \
	}
#define BUCKETS(BUCKET)                                                                   \
	BUCKET(cpu), BUCKET(blkio), BUCKET(swapin), BUCKET(freepages), BUCKET(thrashing), \
		BUCKET(compact), BUCKET(wpcopy), BUCKET(irq)

struct layout {
	struct bucket buckets[8];
	size_t hiwater_rss, hiwater_vm;
};

static const struct layout layout_appended = {
	.buckets = { BUCKETS(BUCKET_APPENDED) },
	.hiwater_rss = offsetof(struct taskstats_appended, hiwater_rss),
	.hiwater_vm = offsetof(struct taskstats_appended, hiwater_vm),
};

static const struct layout layout_v15 = {
	.buckets = { BUCKETS(BUCKET_V15) },
	.hiwater_rss = offsetof(struct taskstats_v15, hiwater_rss),
	.hiwater_vm = offsetof(struct taskstats_v15, hiwater_vm),
};

/* Metrics of this source with their offsets, made once from the registry. */
enum layout_gate { NEEDS_CPU_DELAY, NEEDS_DELAY_BLOCK, NEEDS_IRQ, NEEDS_XACCT };

struct place {
	enum metric_id id;
	enum layout_gate gate;
	size_t appended, v15;
	uint64_t factor;
};

static struct place places[METRIC_COUNT];
static size_t place_count;
static pthread_once_t places_once = PTHREAD_ONCE_INIT;

#define NO_PLACE SIZE_MAX

static size_t place_in(const struct layout *layout, const struct metric *m)
{
	if (m->index == TASKSTATS_HIWATER)
		return str_eq(m->key, "hiwater_rss") ? layout->hiwater_rss : layout->hiwater_vm;
	array_each(const struct bucket, b, layout->buckets, ARRAY_SIZE(layout->buckets)) {
		if (!str_eq(b->name, m->key))
			continue;
		switch (m->index) {
		case TASKSTATS_COUNT:
			return b->counts;
		case TASKSTATS_TOTAL:
			return b->counts + sizeof(uint64_t);
		case TASKSTATS_MAX:
			return b->extremes;
		default:
			return b->extremes + sizeof(uint64_t);
		}
	}
	return NO_PLACE;
}

static enum layout_gate gate_of(const struct metric *m)
{
	if (m->index == TASKSTATS_HIWATER)
		return NEEDS_XACCT;
	if (m->gates & GATE_IRQ_TIME_ACCOUNTING)
		return NEEDS_IRQ;
	return str_eq(m->key, "cpu") ? NEEDS_CPU_DELAY : NEEDS_DELAY_BLOCK;
}

static void make_places(void)
{
	for (int id = 0; id < METRIC_COUNT; id++) {
		const struct metric *m = &metrics[id];

		if (m->source != METRIC_FROM_TASKSTATS)
			continue;
		places[place_count++] = (struct place){
			.id = (enum metric_id)id,
			.gate = gate_of(m),
			.appended = place_in(&layout_appended, m),
			.v15 = place_in(&layout_v15, m),
			.factor = m->index == TASKSTATS_HIWATER ? 1024 : 1,
		};
	}
}

unsigned int taskstats_version(const void *payload, size_t len)
{
	uint16_t version = 0;

	if (len >= sizeof(version))
		memcpy(&version, payload, sizeof(version));
	return version;
}

static bool read_place(const void *payload, size_t len, const struct place *p, bool is_v15,
		       uint64_t *value)
{
	size_t offset = is_v15 ? p->v15 : p->appended;

	if (offset >= len || len - offset < sizeof(*value))
		return false;
	memcpy(value, (const char *)payload + offset, sizeof(*value));
	return !__builtin_mul_overflow(*value, p->factor, value);
}

bool taskstats_field(const void *payload, size_t len, enum metric_id id, uint64_t *value)
{
	bool is_v15 = taskstats_version(payload, len) == 15;

	pthread_once(&places_once, make_places);
	for (size_t i = 0; i < place_count; i++)
		if (places[i].id == id)
			return read_place(payload, len, &places[i], is_v15, value);
	return false;
}

bool taskstats_fill_schedstat(const void *payload, size_t len, struct thread_record *t)
{
	static const struct place run = {
		.appended = offsetof(struct taskstats_appended, run_virtual_total),
		.v15 = offsetof(struct taskstats_v15, run_virtual_total),
		.factor = 1,
	};
	bool is_v15 = taskstats_version(payload, len) == 15;
	uint64_t run_ns, wait_ns, slices;

	if (!read_place(payload, len, &run, is_v15, &run_ns) || run_ns == 0 ||
	    !taskstats_field(payload, len, M_cpu_delay_total_ns, &wait_ns) ||
	    !taskstats_field(payload, len, M_cpu_delay_count, &slices) || slices == 0)
		return false;
	t->values[M_run_time_ns].u = run_ns;
	t->values[M_wait_time_ns].u = wait_ns;
	t->values[M_timeslices].u = slices;
	thread_set_measured(t, M_run_time_ns);
	thread_set_measured(t, M_wait_time_ns);
	thread_set_measured(t, M_timeslices);
	return true;
}

static void forget(struct thread_record *t, enum layout_gate gate)
{
	for (size_t i = 0; i < place_count; i++)
		if (places[i].gate == gate)
			thread_clear_measured(t, places[i].id);
}

static bool is_all_zero(const struct thread_record *t, enum layout_gate gate)
{
	for (size_t i = 0; i < place_count; i++)
		if (places[i].gate == gate && thread_has(t, places[i].id) &&
		    t->values[places[i].id].u)
			return false;
	return true;
}

/*
 * The kernel writes 0 for values that it did not count: delays of a thread that is older than the
 * enabling of delay accounting, and memory of a process that has exited. A thread without any delay
 * looks the same, but is rare: after a fork pages are copied. For kernel threads, 0 memory is
 * right.
 */
static void forget_uncounted(struct thread_record *t)
{
	if (is_all_zero(t, NEEDS_DELAY_BLOCK) && is_all_zero(t, NEEDS_IRQ)) {
		forget(t, NEEDS_DELAY_BLOCK);
		forget(t, NEEDS_IRQ);
		t->delay_block_active = false;
	}
	if (!t->is_kernel_thread && is_all_zero(t, NEEDS_XACCT))
		forget(t, NEEDS_XACCT);
}

void taskstats_fill(const void *payload, size_t len, const struct taskstats_gates *gates,
		    struct thread_record *t)
{
	const bool is_open[] = {
		[NEEDS_CPU_DELAY] = gates->cpu_delay,
		[NEEDS_DELAY_BLOCK] = gates->delay_block,
		[NEEDS_IRQ] = gates->delay_block && gates->irq,
		[NEEDS_XACCT] = gates->xacct,
	};
	bool is_v15 = taskstats_version(payload, len) == 15;

	pthread_once(&places_once, make_places);
	array_each(const struct place, p, places, place_count)
		if (is_open[p->gate] && read_place(payload, len, p, is_v15, &t->values[p->id].u))
			thread_set_measured(t, p->id);
	t->taskstats_measured = true;
	forget_uncounted(t);
}

/* Parses the two attributes nested in the reply for a thread. */
static int parse_nest(const struct nlattr *nest, struct taskstats_reply *out)
{
	const struct nlattr *attr;
	bool has_pid = false;

	mnl_attr_for_each_nested(attr, nest)
	{
		if (mnl_attr_get_type(attr) == TASKSTATS_TYPE_PID) {
			if (mnl_attr_validate(attr, MNL_TYPE_U32) < 0)
				return -EBADMSG;
			out->pid = mnl_attr_get_u32(attr);
			has_pid = true;
		} else if (mnl_attr_get_type(attr) == TASKSTATS_TYPE_STATS) {
			out->payload = mnl_attr_get_payload(attr);
			out->len = mnl_attr_get_payload_len(attr);
		}
	}
	return has_pid && out->payload ? 0 : -EBADMSG;
}

static int parse_error(const struct nlmsghdr *header, struct taskstats_reply *out)
{
	const struct nlmsgerr *error = mnl_nlmsg_get_payload(header);

	if (mnl_nlmsg_get_payload_len(header) < sizeof(*error))
		return -EBADMSG;
	/* -INT_MIN would overflow */
	if (error->error >= 0 || error->error < -4095)
		return -EBADMSG;
	out->error = -error->error;
	return 0;
}

/* libmnl uses int for lengths, and walks attributes up to the aligned length. */
bool taskstats_is_message(const void *message, size_t len)
{
	const struct nlmsghdr *header = message;

	return len >= sizeof(*header) && header->nlmsg_len >= sizeof(*header) &&
	       header->nlmsg_len <= len && MNL_ALIGN((size_t)header->nlmsg_len) <= len;
}

int taskstats_parse_reply(const void *message, size_t len, struct taskstats_reply *out)
{
	const struct nlmsghdr *header = message;
	const struct nlattr *attr;

	*out = (struct taskstats_reply){};
	if (!taskstats_is_message(message, len))
		return -EBADMSG;
	out->seq = header->nlmsg_seq;
	if (header->nlmsg_type == NLMSG_ERROR)
		return parse_error(header, out);
	if (header->nlmsg_type < NLMSG_MIN_TYPE ||
	    mnl_nlmsg_get_payload_len(header) < sizeof(struct genlmsghdr))
		return -EBADMSG;
	mnl_attr_for_each(attr, header, sizeof(struct genlmsghdr))
	{
		if (mnl_attr_get_type(attr) == TASKSTATS_TYPE_AGGR_PID)
			return parse_nest(attr, out);
	}
	return -EBADMSG;
}
