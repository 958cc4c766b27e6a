// SPDX-License-Identifier: GPL-2.0-only
/* Sessions of one run: what the plugin gets, what it is ordered, and when the run is repeated. */
#include "unit.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/err.h"
#include "debug/parts.h"

#define HERE (100000ULL << DEBUG_INDEX_BITS | 3)
#define RIP 0xffffffff81000010ULL

static struct travel travel;
static struct vm_session session;
static struct watch_layout layout;
static const struct vm_session *now; /* while it runs */
static unsigned int sessions, stands_count, hears;
static int stands_rc, hear_rc, memory_rc, space_rc, file_rc, socket_rc, memfd_rc, size_rc, map_rc;
static struct debug_order orders[8]; /* that the plugin got, one for each stop */
static size_t order_count;
static int kept[8]; /* descriptors of the plugin */
static size_t kept_count;
static char option[256];
static bool has_reset; /* the request to stop was taken back when the guest went on */
static struct vm vm;
static struct debug_event told[8]; /* where it stood */
static bool beginnings[8];

/* What happens in each session, and what is done at each stop. */
static struct debug_stop script[6][4];
static size_t script_counts[6];
static void (*acts[8])(struct travel *t);

int __wrap_vm_session_run(const struct vm_session *s, struct vm_result *out);
int __wrap_vm_memory_open(struct vm_memory *m, struct vm *opened);
int __wrap_space_open(struct space *s, struct vm_memory *memory, const struct watch_layout *l);
int __wrap_plugin_file_open(const struct vm_spec *spec);
int __real_socketpair(int domain, int type, int protocol, int ends[2]);
int __wrap_socketpair(int domain, int type, int protocol, int ends[2]);
int __real_memfd_create(const char *name, unsigned int flags);
int __wrap_memfd_create(const char *name, unsigned int flags);
int __real_ftruncate(int fd, off_t size);
int __wrap_ftruncate(int fd, off_t size);
void *__real_mmap(void *at, size_t size, int prot, int flags, int fd, off_t offset);
void *__wrap_mmap(void *at, size_t size, int prot, int flags, int fd, off_t offset);

int __wrap_vm_memory_open(struct vm_memory *m, struct vm *opened)
{
	(void)m;
	assert_ptr_equal(opened, &vm);
	return memory_rc < 0 ? err_set(-memory_rc, "no memory") : 0;
}

int __wrap_space_open(struct space *s, struct vm_memory *memory, const struct watch_layout *l)
{
	(void)s;
	assert_ptr_equal(memory, &travel.memory);
	assert_ptr_equal(l, &layout);
	assert_int_equal(memory_rc, 0);
	return space_rc < 0 ? err_set(-space_rc, "no space") : 0;
}

int __wrap_plugin_file_open(const struct vm_spec *spec)
{
	assert_int_equal(spec->plugin_api, 4);
	return file_rc < 0 ? err_set(-file_rc, "no plugin") :
			     open("/dev/null", O_RDONLY | O_CLOEXEC);
}

static int played(int rc)
{
	errno = -rc;
	return -1;
}

int __wrap_socketpair(int domain, int type, int protocol, int ends[2])
{
	return socket_rc < 0 ? played(socket_rc) : __real_socketpair(domain, type, protocol, ends);
}

int __wrap_memfd_create(const char *name, unsigned int flags)
{
	return memfd_rc < 0 ? played(memfd_rc) : __real_memfd_create(name, flags);
}

int __wrap_ftruncate(int fd, off_t size)
{
	assert_int_equal(size, sizeof(struct debug_shared));
	return size_rc < 0 ? played(size_rc) : __real_ftruncate(fd, size);
}

void *__wrap_mmap(void *at, size_t size, int prot, int flags, int fd, off_t offset)
{
	if (map_rc < 0) {
		errno = -map_rc;
		return MAP_FAILED;
	}
	return __real_mmap(at, size, prot, flags, fd, offset);
}

/* ---- the guest ---- */

static uint32_t request_seen(const struct vm_session *s)
{
	uint32_t value = 0;

	assert_int_equal(pread(s->plugin->fds[2], &value, sizeof(value), 0), sizeof(value));
	return value;
}

/* 0 = the guest goes on. */
static int tell(const struct vm_session *s, const struct debug_stop *stop)
{
	const struct vm_watcher *w = s->watcher;
	int rc;

	assert_false(w->is_due(w->ctx));
	assert_int_equal(send(s->plugin->fds[1], stop, sizeof(*stop), 0), sizeof(*stop));
	assert_true(w->is_due(w->ctx));
	rc = w->look(w->ctx);
	if (rc == 0) {
		assert_int_equal(recv(s->plugin->fds[1], &orders[order_count++], sizeof(orders[0]),
				      MSG_DONTWAIT),
				 sizeof(orders[0]));
		assert_int_equal(request_seen(s), 0);
	}
	return rc;
}

int __wrap_vm_session_run(const struct vm_session *s, struct vm_result *out)
{
	struct debug_stop first = { .event = { DEBUG_BEGINNING, DEBUG_BEGINS, 0, 0 } };
	size_t number = sessions++;
	char byte;
	int rc;

	now = s;
	*out = (struct vm_result){};
	assert_int_equal(s->watcher->fd, travel.ours);
	snprintf(option, sizeof(option), "%s", s->plugin->option);
	kept_count = s->plugin->fd_count;
	memcpy(kept, s->plugin->fds, kept_count * sizeof(kept[0]));
	s->watcher->begin(s->watcher->ctx, &vm);
	assert_ptr_equal(travel.vm, &vm);
	assert_int_equal(travel.has_space, memory_rc == 0 && space_rc == 0);
	rc = tell(s, &first);
	for (size_t i = 0; i < script_counts[number] && rc == 0; i++)
		rc = tell(s, &script[number][i]);
	s->watcher->end(s->watcher->ctx);
	assert_null(travel.vm);
	assert_false(travel.has_space);
	/* The plugin sees that nobody listens any more. */
	assert_int_equal(recv(s->plugin->fds[1], &byte, 1, MSG_DONTWAIT), 0);
	now = NULL;
	return rc;
}

static int stands(void *ctx, struct travel *t)
{
	assert_ptr_equal(ctx, &travel);
	told[stands_count] = t->stop.event;
	beginnings[stands_count] = t->is_beginning;
	acts[stands_count++](t);
	return stands_rc;
}

static int hear(void *ctx, struct travel *t)
{
	assert_ptr_equal(ctx, &travel);
	assert_ptr_equal(t, &travel);
	hears++;
	return hear_rc;
}

static int run_from(const struct debug_order *first)
{
	struct vm_result result;

	return travel_run(&travel, first, &result);
}

static int run(void)
{
	struct debug_order first = travel_order();

	first.places[0] = RIP;
	first.place_count = 1;
	return run_from(&first);
}

static int set_up(void **state)
{
	struct travel_driver driver = { .fd = -1, .stands = stands, .hear = hear, .ctx = &travel };

	(void)state;
	session = (struct vm_session){ .spec.plugin_api = 4 };
	sessions = stands_count = hears = 0;
	stands_rc = hear_rc = memory_rc = space_rc = file_rc = 0;
	socket_rc = memfd_rc = size_rc = map_rc = 0;
	order_count = kept_count = 0;
	memset(script_counts, 0, sizeof(script_counts));
	travel_init(&travel, &session, &layout, ",rq_clock=8", &driver);
	return 0;
}

static int tear_down(void **state)
{
	(void)state;
	travel_finish(&travel);
	err_clear();
	return 0;
}

static void add_stop(size_t number, uint64_t position, uint64_t reason, uint64_t rip,
		     struct debug_event note)
{
	struct debug_stop *s = &script[number][script_counts[number]++];

	*s = (struct debug_stop){ .event = { position, reason, rip, 0 },
				  .note = note,
				  .cpu_base = 500 };
	s->registers[DEBUG_rip] = rip;
}

static const struct debug_event no_note;

static void go(struct travel *t)
{
	struct debug_order order = travel_order();

	travel_forward(t, &order);
}

static void back(struct travel *t)
{
	struct debug_order order = travel_order();

	order.places[0] = RIP;
	order.place_count = 1;
	order.time_ns = 5;
	travel_back(t, &order);
}

static void step_back(struct travel *t)
{
	travel_step_back(t, t->stop.cpu_base);
}

static void step_back_elsewhere(struct travel *t)
{
	travel_step_back(t, 777);
}

static void leave(struct travel *t)
{
	(void)t;
	stands_rc = -ECANCELED;
}

/* ---- tests ---- */

static void the_plugin_gets_its_files(void **state)
{
	char expected[128];

	(void)state;
	for (unsigned int i = 1; i <= 2; i++) {
		assert_int_equal(run(), 0);
		assert_int_equal(sessions, i);
		assert_int_equal(kept_count, 3);
		snprintf(expected, sizeof(expected),
			 "file=/proc/self/fd/%d,debug_fd=%x,debug_shared=%x,rq_clock=8", kept[0],
			 (unsigned int)kept[1], (unsigned int)kept[2]);
		assert_string_equal(option, expected);
		for (size_t k = 0; k < kept_count; k++)
			assert_int_equal(fcntl(kept[k], F_GETFD), -1);
		assert_int_equal(travel.ours, -1);
		assert_int_equal(travel.plugin.fd_count, 0);
		assert_null(travel.shared);
	}
	assert_int_equal(orders[0].place_count, 1);
	assert_true(orders[0].places[0] == RIP && orders[0].until == DEBUG_NOWHERE);
}

static void what_the_plugin_needs_may_fail(void **state)
{
	static const struct {
		int *rc;
		const char *message;
	} rows[] = {
		{ &file_rc, "no plugin" },
		{ &socket_rc, "create a socket for stops of the guest" },
		{ &memfd_rc, "create memory for the debugger" },
		{ &size_rc, "create memory for the debugger" },
		{ &map_rc, "map memory for the debugger" },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		int before = dup(STDERR_FILENO), after;

		close(before);
		*rows[i].rc = -ENOSPC;
		assert_int_equal(run(), -ENOSPC);
		assert_true(str_starts(err_text(-ENOSPC), rows[i].message));
		*rows[i].rc = 0;
		/* Nothing is left open. */
		after = dup(STDERR_FILENO);
		close(after);
		assert_int_equal(after, before);
		assert_int_equal(travel.plugin.fd_count, 0);
	}
	assert_int_equal(sessions, 0);
}

static void memory_that_cannot_be_read_is_no_error(void **state)
{
	(void)state;
	memory_rc = -EACCES;
	assert_int_equal(run(), 0);
	assert_string_not_equal(err_text(-EACCES), "no memory");
	memory_rc = 0;
	space_rc = -EACCES;
	assert_int_equal(run(), 0);
	assert_string_not_equal(err_text(-EACCES), "no space");
}

/* Only whole stops are taken, and the driver is asked only when it has something. */
static void expect_silence(const struct vm_watcher *w, int fd)
{
	char bytes[sizeof(struct debug_stop)] = "";

	assert_int_equal(send(now->plugin->fds[1], bytes, sizeof(bytes) - 1, 0), sizeof(bytes) - 1);
	assert_int_equal(w->look(w->ctx), 0);
	assert_int_equal(w->look(w->ctx), 0);
	assert_false(w->is_due(w->ctx));
	travel.driver.fd = fd;
	assert_false(w->is_due(w->ctx));
	assert_int_equal(w->look(w->ctx), 0);
	assert_int_equal(hears, 0);
}

static void listen_here(struct travel *t)
{
	const struct vm_watcher *w = now->watcher;
	int ends[2];

	assert_int_equal(pipe(ends), 0);
	expect_silence(w, ends[0]);
	assert_int_equal(write(ends[1], "x", 1), 1);
	assert_true(w->is_due(w->ctx));
	assert_int_equal(w->look(w->ctx), 0);
	assert_int_equal(hears, 1);
	hear_rc = -EIO;
	assert_int_equal(w->look(w->ctx), -EINTR);
	assert_int_equal(hears, 2);
	t->driver.fd = -1;
	close(ends[0]);
	close(ends[1]);
	/* Taken back when the guest goes on. */
	travel_interrupt(t);
	assert_int_equal(request_seen(now), 1);
	go(t);
	assert_int_equal(request_seen(now), 0);
	has_reset = true;
}

static void the_driver_is_asked_when_it_has_something(void **state)
{
	(void)state;
	add_stop(0, HERE, DEBUG_PLACE, RIP, no_note);
	acts[0] = listen_here;
	has_reset = false;
	assert_int_equal(run(), 0);
	assert_true(has_reset);
	/* Between runs there is nobody to interrupt. */
	travel_interrupt(&travel);
}

static void a_driver_that_leaves_ends_the_run(void **state)
{
	(void)state;
	add_stop(0, HERE, DEBUG_PLACE, RIP, no_note);
	acts[0] = leave;
	assert_int_equal(run(), -EINTR);
	assert_int_equal(sessions, 1);
	assert_int_equal(stands_count, 1);
}

/* A search records the last stop before the position; another session returns there. */
static void a_search_has_no_stops_of_its_own(void **state)
{
	const struct debug_event watched = { HERE - 2000, DEBUG_WATCH, 0x1234, DEBUG_WATCH_WRITE };

	(void)state;
	add_stop(0, HERE, DEBUG_PLACE, RIP, no_note);
	add_stop(1, HERE, DEBUG_ARRIVED, RIP, watched);
	/* The access, not the instruction, is at the address. */
	add_stop(2, watched.position, DEBUG_ARRIVED, RIP + 99, no_note);
	acts[0] = back;
	acts[1] = go;
	assert_int_equal(run(), 0);
	assert_int_equal(sessions, 3);
	assert_true(orders[1].only_notes);
	assert_true(orders[1].notes_from == 0 && orders[1].until == HERE);
	assert_true(orders[1].time_ns == DEBUG_NOWHERE);
	assert_int_equal(orders[1].place_count, 1);
	assert_false(orders[2].only_notes);
	assert_true(orders[2].until == watched.position && orders[2].time_ns == DEBUG_NOWHERE);
	assert_int_equal(orders[2].place_count, 0);
	assert_int_equal(stands_count, 2);
	assert_int_equal(told[1].reason, DEBUG_WATCH);
	assert_int_equal(told[1].address, 0x1234);
	assert_int_equal(told[1].access, DEBUG_WATCH_WRITE);
	assert_true(told[1].position == watched.position);
	assert_false(beginnings[1]);
}

static void a_search_without_a_stop_leads_to_the_beginning(void **state)
{
	(void)state;
	add_stop(0, HERE, DEBUG_PLACE, RIP, no_note);
	add_stop(1, HERE, DEBUG_ARRIVED, RIP, no_note);
	add_stop(2, DEBUG_BEGINNING, DEBUG_ARRIVED, 0x55, no_note);
	acts[0] = back;
	acts[1] = go;
	assert_int_equal(run(), 0);
	assert_int_equal(sessions, 3);
	assert_true(orders[2].until == DEBUG_BEGINNING);
	assert_true(beginnings[1]);
	assert_int_equal(told[1].reason, DEBUG_BEGINS);
	assert_false(travel.is_beginning);
}

/* The address of the event stays that of the instruction. */
static void a_step_back_in_a_block_needs_no_search(void **state)
{
	(void)state;
	add_stop(0, HERE, DEBUG_PLACE, RIP, no_note);
	add_stop(1, HERE - 1, DEBUG_ARRIVED, RIP - 4, no_note);
	acts[0] = step_back;
	acts[1] = go;
	assert_int_equal(run(), 0);
	assert_int_equal(sessions, 2);
	assert_true(orders[1].until == HERE - 1 && !orders[1].only_notes);
	assert_int_equal(told[1].reason, DEBUG_STEPPED);
	assert_true(told[1].address == RIP - 4);
	assert_int_equal(told[1].access, 0);
}

/* First among the last 65536 blocks, then from the beginning, and no third time. */
static void a_step_back_is_searched_for_nearby_first(void **state)
{
	(void)state;
	add_stop(0, HERE, DEBUG_PLACE, RIP, no_note);
	add_stop(1, HERE, DEBUG_ARRIVED, RIP, no_note);
	add_stop(2, HERE, DEBUG_ARRIVED, RIP, no_note);
	add_stop(3, DEBUG_BEGINNING, DEBUG_ARRIVED, 0x55, no_note);
	acts[0] = step_back_elsewhere;
	acts[1] = go;
	assert_int_equal(run(), 0);
	assert_int_equal(sessions, 4);
	assert_true(orders[1].notes_from == debug_position(100000 - 65536, 0));
	assert_true(orders[1].step_cpu == 777 && orders[1].only_notes);
	assert_true(orders[1].until == HERE);
	assert_true(orders[2].notes_from == 0);
	assert_true(orders[2].step_cpu == 777 && orders[2].only_notes);
	assert_true(orders[2].until == HERE);
	assert_true(orders[3].until == DEBUG_BEGINNING);
}

static void a_step_back_near_the_beginning_is_searched_for_once(void **state)
{
	static const struct {
		uint64_t block, from;
	} rows[] = { { 65536, 0 }, { 65537, 1 } };

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		const struct debug_event note = { debug_position(3, 0), DEBUG_STEPPED, 0x66, 0 };
		/* The first of a block: the one before is in another block. */
		uint64_t here = debug_position(rows[i].block, 0);

		set_up(state);
		add_stop(0, here, DEBUG_PLACE, RIP, no_note);
		add_stop(1, here, DEBUG_ARRIVED, RIP, note);
		add_stop(2, note.position, DEBUG_ARRIVED, 0x66, no_note);
		acts[0] = step_back;
		acts[1] = go;
		assert_int_equal(run(), 0);
		assert_int_equal(sessions, 3);
		assert_true(orders[1].notes_from == debug_position(rows[i].from, 0));
		assert_int_equal(orders[1].step_cpu, 500);
		assert_int_equal(told[1].reason, DEBUG_STEPPED);
		tear_down(state);
	}
}

/* The user presses ^C while the run is repeated. */
static void a_search_may_be_interrupted(void **state)
{
	(void)state;
	add_stop(0, HERE, DEBUG_PLACE, RIP, no_note);
	add_stop(1, 5000, DEBUG_INTERRUPTED, 0x77, no_note);
	acts[0] = back;
	acts[1] = go;
	assert_int_equal(run(), 0);
	assert_int_equal(sessions, 2);
	assert_int_equal(told[1].reason, DEBUG_INTERRUPTED);
}

static void another_run_is_refused(void **state)
{
	static const struct {
		uint64_t position, rip;
		bool has_stop;
	} rows[] = { { HERE, RIP + 1, true }, { HERE - 1, RIP, true }, { 0, 0, false } };

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		set_up(state);
		add_stop(0, HERE, DEBUG_PLACE, RIP, no_note);
		if (rows[i].has_stop)
			add_stop(1, rows[i].position, DEBUG_ARRIVED, rows[i].rip, no_note);
		acts[0] = back;
		assert_int_equal(run(), -EIO);
		assert_string_equal(err_text(-EIO), "the run was another one when it was run "
						    "again: it cannot be gone through backwards");
		assert_int_equal(sessions, 2);
		assert_int_equal(stands_count, 1);
		tear_down(state);
	}
	set_up(state);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
	const struct CMUnitTest tests[] = {
		TEST(the_plugin_gets_its_files),
		TEST(what_the_plugin_needs_may_fail),
		TEST(memory_that_cannot_be_read_is_no_error),
		TEST(the_driver_is_asked_when_it_has_something),
		TEST(a_driver_that_leaves_ends_the_run),
		TEST(a_search_has_no_stops_of_its_own),
		TEST(a_search_without_a_stop_leads_to_the_beginning),
		TEST(a_step_back_in_a_block_needs_no_search),
		TEST(a_step_back_is_searched_for_nearby_first),
		TEST(a_step_back_near_the_beginning_is_searched_for_once),
		TEST(a_search_may_be_interrupted),
		TEST(another_run_is_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
