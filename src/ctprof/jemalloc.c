// SPDX-License-Identifier: GPL-2.0-only
/* The probe: finds processes that use jemalloc, and reads the counters of their threads. */
#include "ctprof/jemalloc.h"

#include <pthread.h>

#include "ctprof/jemalloc_parts.h"

struct jemalloc_target {
	struct jemalloc_target *next;
	const struct jemalloc_layout *layout;
	uint64_t load_address; /* of libraries */
	bool has_glibc;
	dev_t device; /* of the executable, to detect execve() */
	ino_t inode;
	bool is_placed;
	struct tls_place place;
};

struct jemalloc_probe {
	struct jemalloc_cache *cache;
	pthread_mutex_t lock; /* of targets, during phase 1 */
	struct jemalloc_target *targets;
	struct tracer tracer;
	struct jemalloc_limits limits;
	struct jemalloc_stops stops; /* without the median */
	VEC(uint64_t) durations;
};

int jemalloc_probe_create(struct jemalloc_probe **out, const struct jemalloc_limits *limits)
{
	struct jemalloc_probe *p = calloc(1, sizeof(*p));

	*out = NULL;
	if (!p)
		return err_no_memory();
	p->cache = jemalloc_cache_create();
	if (!p->cache) {
		free(p);
		return err_no_memory();
	}
	p->limits = *limits;
	pthread_mutex_init(&p->lock, NULL);
	tracer_init(&p->tracer);
	*out = p;
	return 0;
}

void jemalloc_probe_destroy(struct jemalloc_probe *p)
{
	if (!p)
		return;
	tracer_finish(&p->tracer);
	while (p->targets) {
		struct jemalloc_target *t = p->targets;

		p->targets = t->next;
		free(t);
	}
	jemalloc_cache_destroy(p->cache);
	pthread_mutex_destroy(&p->lock);
	free(p->durations.items);
	free(p);
}

/* Phase 1. */

static const char *add_target(struct jemalloc_probe *p, const struct jemalloc_target *found,
			      struct jemalloc_target **out)
{
	struct jemalloc_target *t = malloc(sizeof(*t));

	if (!t)
		return TAG_MAPS_READ;
	*t = *found;
	pthread_mutex_lock(&p->lock);
	t->next = p->targets;
	p->targets = t;
	pthread_mutex_unlock(&p->lock);
	*out = t;
	return NULL;
}

static const char *exe_failure(pid_t tgid)
{
	char name[32];

	snprintf(name, sizeof(name), "/proc/%d", (int)tgid);
	return access(name, F_OK) == 0 ? TAG_READLINK : TAG_PID_MISSING;
}

/* The executable's own path and identity. */
static const char *find_executable(pid_t tgid, struct mapped_file *out, char path[static PATH_MAX])
{
	char name[32];
	struct stat st;
	ssize_t len;

	snprintf(name, sizeof(name), "/proc/%d/exe", (int)tgid);
	len = readlink(name, path, PATH_MAX - 1);
	if (len < 0 || stat(name, &st) < 0)
		return exe_failure(tgid);
	path[len] = '\0';
	*out = (struct mapped_file){
		.tgid = tgid,
		.path = path,
		.device = st.st_dev,
		.inode = st.st_ino,
	};
	return NULL;
}

/* Finds the load address: the offset added to the file's addresses. */
static bool find_load_address(const struct jemalloc_layout *l, const struct mapped_file *f,
			      uint64_t *out)
{
	uint64_t page = (uint64_t)sysconf(_SC_PAGESIZE);
	uint64_t first = l->code.p_offset & ~(page - 1);

	if (f->offset < first || f->offset - first >= l->code.p_filesz + page)
		return false;
	*out = f->start - (l->code.p_vaddr & ~(page - 1)) - (f->offset - first);
	return true;
}

struct library_search {
	struct jemalloc_probe *probe;
	struct jemalloc_target *target;
	const char *tag;
};

/*
 * A library may contain a private jemalloc, but only the one behind the process's malloc() is
 * wanted. A failure is kept unless another library succeeds.
 */
static bool consider_library(const struct mapped_file *f, void *context)
{
	struct library_search *s = context;
	struct jemalloc_target *t = s->target;
	const struct jemalloc_layout *layout;
	uint64_t load_address;
	const char *tag;

	if (f->is_libc)
		t->has_glibc = true;
	if (f->inode == t->inode)
		return false;
	tag = jemalloc_cache_get(s->probe->cache, f, &layout);
	if (tag && s->tag && str_eq(s->tag, TAG_NOT_FOUND))
		s->tag = tag;
	if (tag || !find_load_address(layout, f, &load_address))
		return false;
	if (s->tag == NULL && !(layout->is_malloc && !t->layout->is_malloc))
		return false;
	t->layout = layout;
	t->load_address = load_address;
	s->tag = NULL;
	return false;
}

static const char *find_in_libraries(struct jemalloc_probe *p, pid_t tgid,
				     struct jemalloc_target *found)
{
	struct library_search s = { p, found, TAG_NOT_FOUND };
	int rc = maps_each_code(tgid, consider_library, &s);

	if (rc == -ENOENT || rc == -ESRCH)
		return TAG_PID_MISSING;
	return rc < 0 ? TAG_MAPS_READ : s.tag;
}

const char *jemalloc_resolve(struct jemalloc_probe *p, pid_t tgid, struct jemalloc_target **target)
{
	struct jemalloc_target found = {};
	struct mapped_file executable;
	char path[PATH_MAX];
	const char *tag = find_executable(tgid, &executable, path);

	*target = NULL;
	if (tag)
		return tag;
	found.device = executable.device;
	found.inode = executable.inode;
	tag = jemalloc_cache_get(p->cache, &executable, &found.layout);
	if (tag && str_eq(tag, TAG_NOT_FOUND))
		tag = find_in_libraries(p, tgid, &found);
	return tag ? tag : add_target(p, &found, target);
}

/* Phase 2. */

struct reading {
	struct jemalloc_target *target;
	uint64_t allocated, deallocated;
};

/* After execve() the addresses are of another program. */
static bool is_same_program(const struct jemalloc_target *t, pid_t tid)
{
	char name[32];
	struct stat st;

	snprintf(name, sizeof(name), "/proc/%d/exe", (int)tid);
	return stat(name, &st) == 0 && st.st_dev == t->device && st.st_ino == t->inode;
}

static const char *place_block(struct jemalloc_target *t, pid_t tid)
{
	const struct jemalloc_layout *l = t->layout;
	const char *tag = NULL;

	if (t->is_placed)
		return NULL;
	if (l->is_executable) {
		if (!tls_place_executable(tls_our_machine(), l->tls_size, l->tls_align, &t->place))
			tag = TAG_TLS;
	} else {
		tag = tls_place_library(tid, &l->slot, t->load_address + l->slot.vaddr, l->tls_size,
					&t->place);
		/* The layout depends on the C library; only that of glibc is known. */
		if (!tag && t->place.is_module && !t->has_glibc)
			tag = TAG_TLS;
	}
	t->is_placed = tag == NULL;
	return tag;
}

/* The thread is running: reading in this order, deallocated cannot exceed allocated. */
static const char *read_counters(struct reading *r, pid_t tid, uint64_t block)
{
	const struct jemalloc_offsets *at = &r->target->layout->counters;
	const struct memory_part parts[] = {
		{ block + at->deallocated, &r->deallocated, sizeof(r->deallocated) },
		{ block + at->allocated, &r->allocated, sizeof(r->allocated) },
	};

	return process_read_parts(tid, parts, ARRAY_SIZE(parts)) ? NULL : TAG_VM_READV;
}

/*
 * Verifies the layout: each counter is followed by its next event threshold, which is larger, or 0.
 * In another layout that is very unlikely.
 */
static const char *check_counters(const struct reading *r, pid_t tid, uint64_t block)
{
	const struct jemalloc_offsets *at = &r->target->layout->counters;
	uint64_t next[2] = {};

	if (!process_read(tid, block + at->allocated + sizeof(uint64_t), &next[0],
			  sizeof(next[0])) ||
	    !process_read(tid, block + at->deallocated + sizeof(uint64_t), &next[1],
			  sizeof(next[1])))
		return TAG_VM_READV;
	if ((next[0] && next[0] < r->allocated) || (next[1] && next[1] < r->deallocated))
		return TAG_TLS;
	return NULL;
}

static const char *take_thread_pointer(pid_t tid, void *context)
{
	return tls_thread_pointer(tid, context);
}

static const char *read_block(struct reading *r, pid_t tid, uint64_t thread_pointer)
{
	uint64_t block = 0;
	const char *tag = place_block(r->target, tid);

	if (!tag)
		tag = tls_block(tid, &r->target->place, thread_pointer, &block);
	if (!tag && block)
		tag = read_counters(r, tid, block);
	if (!tag && block && r->target->layout->is_by_size)
		tag = check_counters(r, tid, block);
	return tag;
}

/*
 * Reads memory while the thread runs again, because reading may wait for the process's mmap lock or
 * for a disk. The thread pointer does not change. But the thread may exit, and another one may get
 * its stack and TLS block; or it may execute another program. So the result is only valid if the
 * thread still exists afterwards and has the same program.
 */
static const char *read_running(struct reading *r, pid_t tid, uint64_t thread_pointer)
{
	const char *tag = read_block(r, tid, thread_pointer);

	return is_same_program(r->target, tid) ? tag : TAG_PID_MISSING;
}

static void count_stop(struct jemalloc_probe *p, uint64_t ns)
{
	p->stops.stops++;
	p->stops.total_ns += ns;
	p->stops.longest_ns = MAX(p->stops.longest_ns, ns);
	if (vec_push(&p->durations, ns) < 0)
		err_clear(); /* only the median suffers */
}

static const char *stop_for_thread_pointer(struct jemalloc_probe *p, pid_t tid, uint64_t *out)
{
	struct thread_stop stop = { .tid = tid,
				    .inspect = take_thread_pointer,
				    .context = out,
				    .max_ns = p->limits.one_stop_ns };

	if (p->limits.all_stops_ns && p->stops.total_ns >= p->limits.all_stops_ns)
		return TAG_BUDGET;
	tracer_stop(&p->tracer, &stop);
	if (stop.was_stopped)
		count_stop(p, stop.stop_ns);
	return stop.tag;
}

const char *jemalloc_read(struct jemalloc_probe *p, struct jemalloc_target *target, pid_t tid,
			  uint64_t *allocated, uint64_t *deallocated)
{
	struct reading r = { .target = target };
	uint64_t thread_pointer = tls_running_thread_pointer(tid);
	const char *tag = thread_pointer ? NULL : stop_for_thread_pointer(p, tid, &thread_pointer);

	if (!tag)
		tag = read_running(&r, tid, thread_pointer);
	if (tag)
		return tag;
	*allocated = r.allocated;
	*deallocated = r.deallocated;
	return NULL;
}

void jemalloc_stops(const struct jemalloc_probe *p, struct jemalloc_stops *out)
{
	*out = p->stops;
	if (!p->durations.count)
		return;
	vec_sort(&p->durations, order_u64);
	out->median_ns = p->durations.items[p->durations.count / 2];
}

bool jemalloc_tag_is_failure(const char *tag)
{
	static const char *const harmless[] = { TAG_NOT_FOUND, TAG_READLINK, TAG_KERNEL_THREAD,
						TAG_SELF, TAG_DEAD };

	return str_index(harmless, ARRAY_SIZE(harmless), tag) < 0;
}
