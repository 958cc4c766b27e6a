// SPDX-License-Identifier: GPL-2.0-only
/*
 * Which library's jemalloc is a process's, what is done with its counters, and which files are
 * looked at again: with processes, files and stops that are played.
 */
#include "unit.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "ctprof/jemalloc.h"
#include "ctprof/jemalloc_parts.h"

#define NOBODY (1 << 23) /* no process has this number: it is more than a kernel gives out */
#define MAX_FILES 8

/* A file that is mapped: by its inode what is found in it, and where its code is. */
struct played_file {
	struct mapped_file mapped;
	const char *tag;
	struct jemalloc_layout layout;
};

static struct played {
	const char *executable_tag;
	struct jemalloc_layout executable;
	struct played_file files[MAX_FILES];
	size_t file_count;
	int maps_error;
	unsigned int looked_at, walked;
	/* Reading. */
	uint64_t thread_pointer, stopped_pointer, block, values[2], next[2];
	struct thread_stop stop; /* what it gives, and what it was asked for */
	unsigned int stops, placed;
	const char *place_tag, *block_tag;
	bool cannot_place, is_module, cannot_read;
	uint64_t placed_at, unreadable;
	struct tls_slot slot;
	/* Examining. */
	const char *examined_tag;
	bool cannot_open, is_executable;
	unsigned int opened, examined, remembered;
	const char *id;
} played;

int __wrap_maps_each_code(pid_t tgid, bool (*visit)(const struct mapped_file *f, void *context),
			  void *context);
const char *__real_jemalloc_cache_get(struct jemalloc_cache *c, const struct mapped_file *f,
				      const struct jemalloc_layout **out);
const char *__wrap_jemalloc_cache_get(struct jemalloc_cache *c, const struct mapped_file *f,
				      const struct jemalloc_layout **out);
bool __wrap_tls_place_executable(uint16_t machine, uint64_t size, uint64_t align,
				 struct tls_place *out);
const char *__wrap_tls_place_library(pid_t pid, const struct tls_slot *slot, uint64_t address,
				     uint64_t size, struct tls_place *out);
const char *__wrap_tls_block(pid_t pid, const struct tls_place *place, uint64_t thread_pointer,
			     uint64_t *out);
uint64_t __wrap_tls_running_thread_pointer(pid_t tid);
bool __wrap_process_read(pid_t pid, uint64_t address, void *out, size_t len);
bool __wrap_process_read_parts(pid_t pid, const struct memory_part *parts, size_t count);
const char *__wrap_tracer_stop(struct tracer *t, struct thread_stop *stop);
int __wrap_maps_open(const struct mapped_file *f);
const char *__wrap_jemalloc_examine(const struct jemalloc_lookup *l, struct jemalloc_layout *out);

int __wrap_maps_each_code(pid_t tgid, bool (*visit)(const struct mapped_file *f, void *context),
			  void *context)
{
	assert_int_equal(tgid, getpid());
	played.walked++;
	for (size_t i = 0; i < played.file_count; i++)
		if (visit(&played.files[i].mapped, context))
			break;
	return played.maps_error;
}

const char *__wrap_jemalloc_cache_get(struct jemalloc_cache *c, const struct mapped_file *f,
				      const struct jemalloc_layout **out)
{
	(void)c;
	played.looked_at++;
	if (f->end == 0) {
		*out = &played.executable;
		return played.executable_tag;
	}
	for (size_t i = 0; i < played.file_count; i++) {
		if (played.files[i].mapped.inode != f->inode)
			continue;
		*out = &played.files[i].layout;
		return played.files[i].tag;
	}
	fail();
	return NULL;
}

bool __wrap_tls_place_executable(uint16_t machine, uint64_t size, uint64_t align,
				 struct tls_place *out)
{
	assert_int_equal(machine, tls_our_machine());
	assert_int_equal(size, played.executable.tls_size);
	assert_int_equal(align, played.executable.tls_align);
	*out = (struct tls_place){ .distance = -5 };
	played.placed++;
	return !played.cannot_place;
}

const char *__wrap_tls_place_library(pid_t pid, const struct tls_slot *slot, uint64_t address,
				     uint64_t size, struct tls_place *out)
{
	(void)pid;
	(void)size;
	*out = (struct tls_place){ .is_module = played.is_module, .distance = -7 };
	played.slot = *slot;
	played.placed_at = address;
	played.placed++;
	return played.place_tag;
}

const char *__wrap_tls_block(pid_t pid, const struct tls_place *place, uint64_t thread_pointer,
			     uint64_t *out)
{
	(void)pid;
	(void)place;
	assert_int_equal(thread_pointer, played.thread_pointer ?: played.stopped_pointer);
	*out = played.block;
	return played.block_tag;
}

uint64_t __wrap_tls_running_thread_pointer(pid_t tid)
{
	(void)tid;
	return played.thread_pointer;
}

/* The counters are at 100 and 200 in the block. */
bool __wrap_process_read(pid_t pid, uint64_t address, void *out, size_t len)
{
	(void)pid;
	assert_int_equal(len, sizeof(uint64_t));
	if (address == played.unreadable)
		return false;
	if (address == played.block + 108)
		memcpy(out, &played.next[0], len);
	else if (address == played.block + 208)
		memcpy(out, &played.next[1], len);
	else
		fail_msg("%llx is read", ULL(address));
	return true;
}

bool __wrap_process_read_parts(pid_t pid, const struct memory_part *parts, size_t count)
{
	(void)pid;
	assert_int_equal(count, 2);
	/* What was given back is read first: it cannot be more than what is read later. */
	assert_int_equal(parts[0].address, played.block + 200);
	assert_int_equal(parts[1].address, played.block + 100);
	assert_int_equal(parts[0].len, sizeof(uint64_t));
	assert_int_equal(parts[1].len, sizeof(uint64_t));
	memcpy(parts[0].out, &played.values[1], sizeof(uint64_t));
	memcpy(parts[1].out, &played.values[0], sizeof(uint64_t));
	return !played.cannot_read;
}

const char *__wrap_tracer_stop(struct tracer *t, struct thread_stop *stop)
{
	(void)t;
	played.stops++;
	played.stop.tid = stop->tid;
	played.stop.max_ns = stop->max_ns;
	*(uint64_t *)stop->context = played.stopped_pointer;
	stop->was_stopped = played.stop.was_stopped;
	stop->stop_ns = played.stop.stop_ns;
	stop->tag = played.stop.tag;
	return stop->tag;
}

int __wrap_maps_open(const struct mapped_file *f)
{
	(void)f;
	played.opened++;
	return played.cannot_open ? -ENOENT : memfd_create("played", MFD_CLOEXEC);
}

/* What is told of a build is the number of the file that it was first seen in. */
static void examine_by_id(const struct jemalloc_lookup *l)
{
	struct jemalloc_known known = { .id_len = strlen(played.id) };

	memcpy(known.id, played.id, known.id_len);
	if (!l->recall(l->context, &known)) {
		known.counters = (struct jemalloc_offsets){ played.examined, played.examined + 1 };
		l->remember(l->context, &known);
	}
	assert_int_equal(known.counters.deallocated, known.counters.allocated + 1);
	played.remembered = (unsigned int)known.counters.allocated;
}

const char *__wrap_jemalloc_examine(const struct jemalloc_lookup *l, struct jemalloc_layout *out)
{
	assert_true(fcntl(l->fd, F_GETFD) >= 0);
	assert_int_equal(l->tgid, 5);
	played.examined++;
	played.is_executable = l->is_executable;
	*out = (struct jemalloc_layout){ .tls_size = played.examined };
	if (played.id)
		examine_by_id(l);
	return played.examined_tag;
}

/* ---- phase one ---- */

static struct jemalloc_probe *probe;

static void set_up_probe(const struct jemalloc_limits *limits)
{
	jemalloc_probe_destroy(probe);
	assert_int_equal(jemalloc_probe_create(&probe, limits), 0);
}

static int set_up(void **state)
{
	static const struct jemalloc_limits none;

	(void)state;
	played = (struct played){ .executable_tag = TAG_NOT_FOUND,
				  .executable = { .is_executable = true,
						  .tls_size = 300,
						  .tls_align = 16,
						  .counters = { 100, 200 } },
				  .thread_pointer = 0x7000,
				  .stopped_pointer = 0x8000,
				  .block = 0x9000,
				  .values = { 55, 44 } };
	set_up_probe(&none);
	return 0;
}

static int tear_down(void **state)
{
	(void)state;
	jemalloc_probe_destroy(probe);
	probe = NULL;
	return 0;
}

static uint64_t page(uint64_t count)
{
	return count * (uint64_t)sysconf(_SC_PAGESIZE);
}

/* Its code begins in the third page of the file, and is to be in the sixth page of memory. */
static struct played_file *add_file(const char *tag, bool is_malloc)
{
	struct played_file *f = &played.files[played.file_count++];

	*f = (struct played_file){
		.mapped = { .path = "/lib",
			    .inode = 1000000007 + played.file_count,
			    .start = page(1000 * played.file_count),
			    .end = 1,
			    .offset = page(2) },
		.tag = tag,
		.layout = { .is_malloc = is_malloc,
			    .slot = { .vaddr = played.file_count },
			    .code = { .p_offset = page(2) + 0x123,
				      .p_vaddr = page(5) + 0x123,
				      .p_filesz = page(3) },
			    .counters = { 100, 200 } },
	};
	return f;
}

static const char *resolve(struct jemalloc_target **target)
{
	const char *tag = jemalloc_resolve(probe, getpid(), target);

	return tag ? tag : "found";
}

/* Which of the files it is, by the slot that is asked for; 0 = the executable. */
static void expect_found(unsigned int number)
{
	uint64_t allocated = 0, deallocated = 0;
	struct jemalloc_target *target;

	assert_string_equal(resolve(&target), "found");
	played.placed_at = 0;
	played.slot = (struct tls_slot){};
	assert_null(jemalloc_read(probe, target, getpid(), &allocated, &deallocated));
	assert_int_equal(played.slot.vaddr, number);
	assert_int_equal(allocated, 55);
	assert_int_equal(deallocated, 44);
}

static void expect_none(const char *tag)
{
	struct jemalloc_target *target = (void *)&played;

	assert_string_equal(resolve(&target), tag);
	assert_null(target);
}

static void the_executables_own_goes_before_libraries(void **state)
{
	(void)state;
	add_file(NULL, true);
	played.executable_tag = NULL;
	expect_found(0);
	assert_int_equal(played.walked, 0);
	played.executable_tag = TAG_ARCH;
	expect_none(TAG_ARCH);
	assert_int_equal(played.walked, 0);
	played.executable_tag = TAG_NOT_FOUND;
	expect_found(1);
	assert_int_equal(played.walked, 1);
}

static void a_library_that_is_malloc_goes_before_others(void **state)
{
	(void)state;
	expect_none(TAG_NOT_FOUND);
	add_file(TAG_NOT_FOUND, false);
	expect_none(TAG_NOT_FOUND);
	add_file(NULL, false);
	expect_found(2);
	add_file(NULL, false);
	expect_found(2);
	add_file(NULL, true);
	expect_found(4);
	add_file(NULL, false);
	expect_found(4);
	add_file(NULL, true);
	expect_found(4);
	add_file(TAG_IN_DSO, true);
	expect_found(4);
}

static void the_first_failure_counts_unless_another_succeeds(void **state)
{
	(void)state;
	add_file(TAG_NOT_FOUND, false);
	add_file(TAG_IN_DSO, false);
	add_file(TAG_UNTRUSTED, false);
	expect_none(TAG_IN_DSO);
	add_file(NULL, false);
	expect_found(4);
	played.maps_error = -EACCES;
	expect_none(TAG_MAPS_READ);
	played.maps_error = -ENOENT;
	expect_none(TAG_PID_MISSING);
	played.maps_error = -ESRCH;
	expect_none(TAG_PID_MISSING);
}

static void the_executable_is_no_library(void **state)
{
	struct stat st;

	(void)state;
	assert_int_equal(stat("/proc/self/exe", &st), 0);
	add_file(NULL, true)->mapped.inode = st.st_ino;
	expect_none(TAG_NOT_FOUND);
	assert_int_equal(played.looked_at, 1);
}

static void a_load_address_is_where_its_code_would_begin(void **state)
{
	const struct {
		uint64_t offset, start;
		bool is_code;
		uint64_t address;
	} rows[] = {
		{ page(2), page(50), true, page(45) },
		{ page(3), page(51), true, page(45) },
		{ page(5), page(53), true, page(45) },
		{ page(6) - 1, page(54) - 1, true, page(45) },
		{ page(6), page(54), false, 0 },
		{ page(2) - 1, page(50) - 1, false, 0 },
		{ 0, page(48), false, 0 },
	};
	struct played_file *f = add_file(NULL, true);

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		f->mapped.offset = rows[i].offset;
		f->mapped.start = rows[i].start;
		if (!rows[i].is_code) {
			expect_none(TAG_NOT_FOUND);
			continue;
		}
		expect_found(1);
		assert_int_equal(played.placed_at, rows[i].address + 1);
	}
}

static void a_process_that_is_gone_has_no_executable(void **state)
{
	struct jemalloc_target *target;
	pid_t pid;

	(void)state;
	assert_string_equal(jemalloc_resolve(probe, NOBODY, &target), TAG_PID_MISSING);
	pid = fork();
	if (pid == 0)
		_exit(0);
	assert_int_equal(waitid(P_PID, (id_t)pid, NULL, WEXITED | WNOWAIT), 0);
	assert_string_equal(jemalloc_resolve(probe, pid, &target), TAG_READLINK);
	assert_null(target);
	waitpid(pid, NULL, 0);
	assert_int_equal(played.looked_at, 0);
}

/* ---- phase two ---- */

static struct jemalloc_target *found(void)
{
	struct jemalloc_target *target;

	assert_string_equal(resolve(&target), "found");
	return target;
}

static void expect_read(struct jemalloc_target *target, const char *tag)
{
	uint64_t allocated = 77, deallocated = 77;
	const char *got = jemalloc_read(probe, target, getpid(), &allocated, &deallocated);

	assert_string_equal(got ? got : "read", tag);
	assert_int_equal(allocated, got ? 77 : played.block ? played.values[0] : 0);
	assert_int_equal(deallocated, got ? 77 : played.block ? played.values[1] : 0);
}

static void a_block_is_placed_once(void **state)
{
	struct jemalloc_target *target;

	(void)state;
	played.executable_tag = NULL;
	target = found();
	played.cannot_place = true;
	expect_read(target, TAG_TLS);
	expect_read(target, TAG_TLS);
	assert_int_equal(played.placed, 2);
	played.cannot_place = false;
	expect_read(target, "read");
	expect_read(target, "read");
	assert_int_equal(played.placed, 3);
	played.block_tag = TAG_VM_READV;
	expect_read(target, TAG_VM_READV);
	played.block_tag = NULL;
	played.block = 0; /* it has allocated nothing so far */
	played.cannot_read = true;
	expect_read(target, "read");
	played.block = 0x9000;
	expect_read(target, TAG_VM_READV);
}

/* The layout of its vector is known of glibc only. */
static void a_module_is_looked_up_in_glibcs_vector(void **state)
{
	(void)state;
	add_file(NULL, true);
	played.place_tag = TAG_VM_READV;
	expect_read(found(), TAG_VM_READV);
	played.place_tag = NULL;
	expect_read(found(), "read");
	played.is_module = true;
	expect_read(found(), TAG_TLS);
	add_file(TAG_NOT_FOUND, false)->mapped.is_libc = true;
	expect_read(found(), "read");
}

/* Behind each counter is the count at which jemalloc will look at it next. */
static void counters_found_by_size_are_checked(void **state)
{
	static const struct {
		uint64_t next[2];
		const char *tag;
	} rows[] = {
		{ { 0, 0 }, "read" },	 { { 55, 44 }, "read" },  { { 56, 45 }, "read" },
		{ { 54, 44 }, TAG_TLS }, { { 55, 43 }, TAG_TLS }, { { 0, 43 }, TAG_TLS },
		{ { 54, 0 }, TAG_TLS },
	};
	struct jemalloc_target *target;

	(void)state;
	played.executable_tag = NULL;
	played.executable.is_by_size = true;
	target = found();
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		memcpy(played.next, rows[i].next, sizeof(played.next));
		expect_read(target, rows[i].tag);
	}
	memset(played.next, 0, sizeof(played.next));
	played.unreadable = played.block + 108;
	expect_read(target, TAG_VM_READV);
	played.unreadable = played.block + 208;
	expect_read(target, TAG_VM_READV);
	played.block = 0;
	expect_read(target, "read");
	played.executable.is_by_size = false;
	played.block = 0x9000;
	expect_read(target, "read");
}

static void another_program_is_not_believed(void **state)
{
	uint64_t allocated = 77, deallocated = 77;

	(void)state;
	played.executable_tag = NULL;
	assert_string_equal(jemalloc_read(probe, found(), NOBODY, &allocated, &deallocated),
			    TAG_PID_MISSING);
	assert_true(allocated == 77 && deallocated == 77);
}

static void threads_are_stopped_where_they_must_be(void **state)
{
	static const struct jemalloc_limits limits = { .one_stop_ns = 9, .all_stops_ns = 100 };
	struct jemalloc_target *target;
	struct jemalloc_stops stops;

	(void)state;
	set_up_probe(&limits);
	played.executable_tag = NULL;
	target = found();
	expect_read(target, "read");
	assert_int_equal(played.stops, 0);
	played.thread_pointer = 0;
	played.stop = (struct thread_stop){ .was_stopped = true, .stop_ns = 60 };
	expect_read(target, "read");
	assert_int_equal(played.stop.tid, getpid());
	assert_int_equal(played.stop.max_ns, 9);
	jemalloc_stops(probe, &stops);
	assert_int_equal(stops.stops, 1);
	assert_int_equal(stops.median_ns, 60);
	played.stop = (struct thread_stop){ .tag = TAG_SEIZE, .stop_ns = 1000 };
	expect_read(target, TAG_SEIZE);
	played.stop = (struct thread_stop){ .was_stopped = true, .stop_ns = 39 };
	expect_read(target, "read");
	played.stop =
		(struct thread_stop){ .was_stopped = true, .stop_ns = 1, .tag = TAG_ONE_STOP };
	expect_read(target, TAG_ONE_STOP);
	assert_int_equal(played.stops, 4);
	/* That was all the time that there is. */
	played.stop = (struct thread_stop){ .was_stopped = true, .stop_ns = 1 };
	expect_read(target, TAG_BUDGET);
	assert_int_equal(played.stops, 4);
	jemalloc_stops(probe, &stops);
	assert_int_equal(stops.stops, 3);
	assert_int_equal(stops.total_ns, 100);
	assert_int_equal(stops.longest_ns, 60);
	assert_int_equal(stops.median_ns, 39);
}

static void without_a_budget_there_is_no_end(void **state)
{
	struct jemalloc_target *target;
	struct jemalloc_stops stops;

	(void)state;
	played.executable_tag = NULL;
	target = found();
	played.thread_pointer = 0;
	for (uint64_t i = 4; i > 0; i--) {
		played.stop = (struct thread_stop){ .was_stopped = true, .stop_ns = i << 40 };
		expect_read(target, "read");
	}
	assert_int_equal(played.stop.max_ns, 0);
	jemalloc_stops(probe, &stops);
	assert_int_equal(stops.median_ns, 3ULL << 40);
}

/* ---- files that are known ---- */

static const char *get(struct jemalloc_cache *c, dev_t device, ino_t inode, uint64_t end,
		       uint64_t *number)
{
	const struct mapped_file f = {
		.tgid = 5, .path = "/lib", .device = device, .inode = inode, .end = end
	};
	const struct jemalloc_layout *layout = NULL;
	const char *tag = __real_jemalloc_cache_get(c, &f, &layout);

	*number = layout ? layout->tls_size : 0;
	return tag ? tag : "found";
}

static void a_file_is_looked_at_once(void **state)
{
	/* The third and fourth are in one bucket, as 1024 are there. */
	static const struct {
		dev_t device;
		ino_t inode;
		uint64_t end;
	} files[] = { { 1, 2, 9 }, { 1, 2, 0 }, { 1, 1026, 9 }, { 1025, 2, 9 }, { 2, 1, 9 } };
	struct jemalloc_cache *c = jemalloc_cache_create();
	uint64_t number;

	(void)state;
	for (int round = 0; round < 2; round++)
		for (size_t i = 0; i < ARRAY_SIZE(files); i++) {
			assert_string_equal(get(c, files[i].device, files[i].inode, files[i].end,
						&number),
					    "found");
			assert_int_equal(number, i + 1);
			if (round == 0)
				assert_int_equal(played.is_executable, files[i].end == 0);
		}
	assert_int_equal(played.examined, ARRAY_SIZE(files));
	assert_int_equal(played.opened, ARRAY_SIZE(files));
	jemalloc_cache_destroy(c);
	jemalloc_cache_destroy(NULL);
}

/* The next process may be luckier with the same file. */
static void what_may_change_is_looked_at_again(void **state)
{
	static const struct {
		const char *tag;
		bool is_final;
	} rows[] = {
		{ TAG_NOT_FOUND, true }, { TAG_IN_DSO, true },	   { TAG_ARCH, true },
		{ TAG_DWARF, true },	 { TAG_UNTRUSTED, false }, { TAG_MAPS_READ, false },
	};
	struct jemalloc_cache *c = jemalloc_cache_create();
	uint64_t number;

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		played.examined = 0;
		played.examined_tag = rows[i].tag;
		assert_string_equal(get(c, 1, i, 9, &number), rows[i].tag);
		assert_int_equal(number, 0);
		assert_string_equal(get(c, 1, i, 9, &number), rows[i].tag);
		assert_int_equal(played.examined, rows[i].is_final ? 1 : 2);
		played.examined_tag = NULL;
		assert_string_equal(get(c, 1, i, 9, &number),
				    rows[i].is_final ? rows[i].tag : "found");
	}
	played.cannot_open = true;
	played.examined = 0;
	assert_string_equal(get(c, 2, 1, 9, &number), TAG_MAPS_READ);
	assert_int_equal(played.examined, 0);
	played.cannot_open = false;
	assert_string_equal(get(c, 2, 1, 9, &number), "found");
	jemalloc_cache_destroy(c);
}

static void answers_are_known_by_build_id(void **state)
{
	static const struct {
		const char *id;
		unsigned int first;
	} rows[] = { { "ab", 1 },  { "ab", 1 }, { "ac", 3 }, { "a", 4 },
		     { "abc", 5 }, { "ac", 3 }, { "ab", 1 }, { "a", 4 } };
	struct jemalloc_cache *c = jemalloc_cache_create();
	uint64_t number;

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		played.id = rows[i].id;
		assert_string_equal(get(c, 1, i, 9, &number), "found");
		assert_int_equal(played.remembered, rows[i].first);
	}
	jemalloc_cache_destroy(c);
}

#define HERE(test) cmocka_unit_test_setup_teardown(test, set_up, tear_down)

int main(void)
{
	static const struct CMUnitTest tests[] = {
		HERE(the_executables_own_goes_before_libraries),
		HERE(a_library_that_is_malloc_goes_before_others),
		HERE(the_first_failure_counts_unless_another_succeeds),
		HERE(the_executable_is_no_library),
		HERE(a_load_address_is_where_its_code_would_begin),
		HERE(a_process_that_is_gone_has_no_executable),
		HERE(a_block_is_placed_once),
		HERE(a_module_is_looked_up_in_glibcs_vector),
		HERE(counters_found_by_size_are_checked),
		HERE(another_program_is_not_believed),
		HERE(threads_are_stopped_where_they_must_be),
		HERE(without_a_budget_there_is_no_end),
		HERE(a_file_is_looked_at_once),
		HERE(what_may_change_is_looked_at_again),
		HERE(answers_are_known_by_build_id),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
