// SPDX-License-Identifier: GPL-2.0-only
/* Finding guests that run, and what is shown of one: a memory made by hand, in this process. */
#include "unit.h"

#include <errno.h>
#include <sys/wait.h>

#include "base/err.h"
#include "base/file.h"
#include "base/roots.h"
#include "base/util.h"
#include "watch/parts.h"
#include "watch_image.h"
#include "watch_maps_image.h"
#include "watch_queues_image.h"

#define SECOND 1000000000ULL

static struct image image;
static struct top top;
static struct notices notices;

static void set_clocks(uint64_t first, uint64_t second)
{
	image_put(&image, image_of_cpu(0, IMAGE_RUNQUEUES) + 8, first, 8);
	image_put(&image, image_of_cpu(1, IMAGE_RUNQUEUES) + 8, second, 8);
}

static int set_up(void **state)
{
	(void)state;
	if (image_open(&image) < 0)
		return -1;
	maps_image_fill(&image);
	queues_image_fill(&image);
	image.layout.members[M_RQ_SWITCHES] = 16;
	image_put(&image, image_of_cpu(1, IMAGE_RUNQUEUES), 3, 4);
	set_clocks(SECOND, SECOND);
	return 0;
}

static int tear_down(void **state)
{
	(void)state;
	top_close(&top);
	notices_finish(&notices);
	image_close(&image);
	return 0;
}

static int post(const char *name)
{
	struct notice n = { .memory = image.memory,
			    .cpu_count = IMAGE_CPUS,
			    .has_layout = true,
			    .layout = image.layout };

	snprintf(n.name, sizeof(n.name), "%s", name);
	return notice_post(&n);
}

static struct notice notice_of(const char *name)
{
	_close_ int fd = post(name);
	struct notice n;

	assert_true(fd >= 0);
	assert_int_equal(pread(fd, &n, sizeof(n), 0), sizeof(n));
	return n;
}

static void open_top(void)
{
	struct notice n = notice_of("ktstr/one");

	assert_true(notice_is_valid(&n, sizeof(n)));
	assert_int_equal(top_open(&top, &n), 0);
}

static void expect(enum top_section section, size_t lines, const char *text)
{
	_str_ struct str out = {};

	assert_int_equal(top_add_text(&top, section, lines, &out), 0);
	assert_string_equal(str_get(&out), text);
}

static void look(uint64_t at_ns)
{
	assert_int_equal(top_read(&top, at_ns), 0);
}

static void a_notice_is_found_by_any_name_of_it(void **state)
{
	_close_ int fd = post("ktstr/one");
	const struct notice *n = NULL;
	char pid[16];

	(void)state;
	assert_int_equal(notices_find(&notices, roots_live.proc), 0);
	snprintf(pid, sizeof(pid), "%d", getpid());
	assert_int_equal(notices_choose(&notices, pid, &n), 0);
	assert_int_equal(n->memory.pid, getpid());
	assert_string_equal(n->name, "ktstr/one");
	notices_finish(&notices);
	close(take_fd(&fd));
	assert_int_equal(notices_find(&notices, roots_live.proc), 0);
	assert_int_equal(notices_choose(&notices, pid, &n), -ENOENT);
	err_clear();
}

static void who_is_meant_is_told_or_asked_for(void **state)
{
	struct notice one = notice_of("ktstr/one"), two = notice_of("ktstr/\033two");
	const struct notice *n = NULL;

	(void)state;
	assert_int_equal(notices_choose(&notices, NULL, &n), -ENOENT);
	one.memory.pid = 7;
	two.memory.pid = 8;
	assert_int_equal(vec_push(&notices.items, one), 0);
	assert_int_equal(notices_choose(&notices, NULL, &n), 0);
	assert_int_equal(vec_push(&notices.items, two), 0);
	assert_int_equal(notices_choose(&notices, "one", &n), 0);
	assert_int_equal(n->memory.pid, 7);
	assert_int_equal(notices_choose(&notices, "8", &n), 0);
	assert_int_equal(n->memory.pid, 8);
	assert_int_equal(notices_choose(&notices, NULL, &n), -EINVAL);
	assert_string_equal(err_text(-EINVAL),
			    "2 guests run; name one of 7 (ktstr/one), 8 (ktstr/\\x1btwo)");
	assert_int_equal(notices_choose(&notices, "", &n), -ENOENT);
	assert_string_equal(err_text(-ENOENT), "no guest '' runs; there is 7 (ktstr/one), "
					       "8 (ktstr/\\x1btwo)");
	err_clear();
}

static void notices_that_could_do_harm_are_none(void **state)
{
	struct notice good = notice_of("x"), n = good;

	(void)state;
	assert_true(notice_is_valid(&n, sizeof(n)));
	assert_false(notice_is_valid(&n, sizeof(n) - 1));
	n.layout.bytes[M_RQ_CLOCK] = 9;
	assert_false(notice_is_valid(&n, sizeof(n)));
	n = good;
	n.memory.count = VM_MAX_EXTENTS + 1;
	assert_false(notice_is_valid(&n, sizeof(n)));
	n.memory.count = 0;
	assert_false(notice_is_valid(&n, sizeof(n)));
	n = good;
	n.cpu_count = UINT32_MAX;
	assert_false(notice_is_valid(&n, sizeof(n)));
	n.cpu_count = VM_MAX_CPUS + 1;
	assert_false(notice_is_valid(&n, sizeof(n)));
	n.cpu_count = 0;
	assert_false(notice_is_valid(&n, sizeof(n)));
	n = good;
	n.memory.pid = -1;
	assert_false(notice_is_valid(&n, sizeof(n)));
	n.memory.pid = 0;
	assert_false(notice_is_valid(&n, sizeof(n)));
	n = good;
	n.bytes--;
	assert_false(notice_is_valid(&n, sizeof(n)));
	n = good;
	n.magic[0] = 'K';
	assert_false(notice_is_valid(&n, sizeof(n)));
	n = good;
	memset(n.vmlinux, 'x', sizeof(n.vmlinux));
	assert_false(notice_is_valid(&n, sizeof(n)));
	n = good;
	memset(n.version, 'x', sizeof(n.version));
	assert_false(notice_is_valid(&n, sizeof(n)));
	n = good;
	memset(n.name, 'x', sizeof(n.name));
	assert_false(notice_is_valid(&n, sizeof(n)));
	n = good;
	memset(n.kernel, 'x', sizeof(n.kernel));
	assert_false(notice_is_valid(&n, sizeof(n)));
	n = good;
	n.version[0] = '?';
	assert_false(notice_is_valid(&n, sizeof(n)));
}

/* Paths are absolute, whatever directory a reader is in. */
static void a_notice_names_the_machine_and_its_kernel(void **state)
{
	const struct vm_session session = { .spec = { .topology = { 1, 2, 3, 4 },
						      .kernel = "/proc/../dev/null" } };
	struct notice n = { .name = "?", .kernel = "?", .vmlinux = "?" };

	(void)state;
	notice_name(&n, &session, "ktstr/x", "/dev/../dev/zero");
	assert_int_equal(n.cpu_count, 24);
	assert_string_equal(n.name, "ktstr/x");
	assert_string_equal(n.kernel, "/dev/null");
	assert_string_equal(n.vmlinux, "/dev/zero");
	notice_name(&n, &session, NULL, NULL);
	assert_string_equal(n.name, "");
	assert_string_equal(n.vmlinux, "");
	notice_name(&n, &session, NULL, "/dev/none");
	assert_string_equal(n.vmlinux, "");
}

/* The largest guest that there can be. */
static void notices_may_be_large(void **state)
{
	struct notice n = notice_of("x");

	(void)state;
	n.cpu_count = VM_MAX_CPUS;
	n.memory.count = VM_MAX_EXTENTS;
	n.memory.pid = 1;
	for (size_t i = 0; i < WATCH_MEMBERS; i++)
		n.layout.bytes[i] = 8;
	memset(n.name, 'x', sizeof(n.name) - 1);
	assert_true(notice_is_valid(&n, sizeof(n)));
}

static void a_kernel_without_known_symbols_is_named(void **state)
{
	struct notice n = notice_of("shell");

	(void)state;
	n.has_layout = false;
	snprintf(n.kernel, sizeof(n.kernel), "/nonexistent/vmlinux");
	assert_int_equal(top_open(&top, &n), -ENOENT);
	assert_string_equal(err_text(-ENOENT),
			    "the symbols of kernel /nonexistent/vmlinux are not known yet: run a "
			    "test on it once");
	err_clear();
}

/* Of another version, or of somebody who has the name by chance. */
static void strange_notices_are_counted_and_left(void **state)
{
	_close_ int fd = memory_file("ktstr-guest", "?", 1);

	(void)state;
	assert_true(fd >= 0);
	assert_int_equal(notices_find(&notices, roots_live.proc), 0);
	assert_true(notices.strange >= 1);
}

static size_t count_own(void)
{
	size_t count = 0;

	notices_finish(&notices);
	assert_int_equal(notices_find(&notices, roots_live.proc), 0);
	for (size_t i = 0; i < notices.items.count; i++)
		count += notices.items.items[i].memory.pid == getpid();
	return count;
}

/* A child has the files of its parent, and a process may have a file twice. */
static void each_guest_is_found_once(void **state)
{
	_close_ int fd = post("ktstr/one"), again = dup(fd);

	(void)state;
	assert_int_equal(count_own(), 1);
	close(take_fd(&fd));
	assert_int_equal(count_own(), 1);
	close(take_fd(&again));
	assert_int_equal(count_own(), 0);
}

/* A directory like /proc: a process that has ended, and others without a notice. */
static void processes_without_a_notice_are_passed_over(void **state)
{
	char *proc = unit_temp_create();

	(void)state;
	unit_write(proc, "7/status", "");
	unit_write(proc, "8/fd/0", "no link");
	unit_write(proc, "self/fd/0", "no number");
	assert_int_equal(notices_find(&notices, proc), 0);
	assert_int_equal(notices.items.count, 0);
	assert_int_equal(notices.strange, 0);
	unit_temp_remove(proc);
	assert_int_equal(notices_find(&notices, "nowhere"), -ENOENT);
	err_clear();
}

static void cpus_have_rates_by_their_own_clock(void **state)
{
	(void)state;
	open_top();
	look(10 * SECOND);
	expect(TOP_CPUS, 0,
	       " CPU  RUNNABLE  SCX  LOCAL DSQ  SWITCHES/s  CLOCK ms  STILL FOR  TASK\n"
	       " 0    0         -    -          -           1000.000\n"
	       " 1    3         -    -          -           1000.000             task100[100]\n");
	set_clocks(3 * SECOND, SECOND);
	image_put(&image, image_of_cpu(0, IMAGE_RUNQUEUES) + 16, 500, 8);
	look(14 * SECOND);
	/* CPU 1 has work, and its clock does not move. */
	expect(TOP_CPUS, 0,
	       " CPU  RUNNABLE  SCX  LOCAL DSQ  SWITCHES/s  CLOCK ms  STILL FOR  TASK\n"
	       " 0    0         -    -          250         3000.000\n"
	       " 1    3         -    -          0           1000.000  4 s        task100[100]\n");
}

static void queues_and_tasks_are_shown_in_order(void **state)
{
	(void)state;
	open_top();
	look(SECOND);
	expect(TOP_QUEUES, 0,
	       " QUEUE  LENGTH  LONGEST WAIT ms  TASKS IN ORDER\n"
	       " 0x77   2       999.999          task102[102] task101[101]\n"
	       " 0x78   0       -\n");
	top_set_sort(&top, TOP_BY_VTIME);
	expect(TOP_TASKS, 0,
	       " PID  COMM     STATE    CPU  WAIT ms  DSQ   SLICE ms  VTIME  WEIGHT  CGROUP\n"
	       " 100  task100  running  1    -        -     0.000     1000   100     /top/leaf\n"
	       " 101  task101  waiting  1    999.999  0x77  0.000     1010   100     /top/leaf\n"
	       " 102  task102  waiting  1    999.999  0x77  0.000     1020   100     /top/leaf\n");
	top_set_sort(&top, TOP_BY_WAIT);
	expect(TOP_TASKS, 3,
	       " PID  COMM     STATE    CPU  WAIT ms  DSQ   SLICE ms  VTIME  WEIGHT  CGROUP\n"
	       " 101  task101  waiting  1    999.999  0x77  0.000     1010   100     /top/leaf\n"
	       " ... 2 more\n");
	/* No clock of a CPU with work moves any more: that is the least that they have waited. */
	look(5 * SECOND);
	expect(TOP_TASKS, 3,
	       " PID  COMM     STATE    CPU  WAIT ms   DSQ   SLICE ms  VTIME  WEIGHT  CGROUP\n"
	       " 101  task101  waiting  1    >999.999  0x77  0.000     1010   100     /top/leaf\n"
	       " ... 2 more\n");
	/* Queues that somebody waits in come first, then their numbers count. */
	image_put(&image, QI_QUEUES + 0x200 + QI_DSQ_ID, 0x10, 8);
	look(5 * SECOND);
	expect(TOP_QUEUES, 0,
	       " QUEUE  LENGTH  LONGEST WAIT ms  TASKS IN ORDER\n"
	       " 0x77   2       >999.999         task102[102] task101[101]\n"
	       " 0x10   0       -\n");
	image_put(&image, QI_QUEUES + 0x100 + QI_DSQ_NR, 0, 4);
	look(5 * SECOND);
	expect(TOP_QUEUES, 0,
	       " QUEUE  LENGTH  LONGEST WAIT ms  TASKS IN ORDER\n"
	       " 0x10   0       -\n"
	       " 0x77   0       >999.999         task102[102] task101[101]\n");
	image_put(&image, QI_QUEUES + 0x200 + QI_DSQ_ID, 0x99, 8);
	image_put(&image, QI_QUEUES + 0x200 + QI_DSQ_NR, 1, 4);
	look(5 * SECOND);
	expect(TOP_QUEUES, 0,
	       " QUEUE  LENGTH  LONGEST WAIT ms  TASKS IN ORDER\n"
	       " 0x99   1       -\n"
	       " 0x77   0       >999.999         task102[102] task101[101]\n");
}

/* The first four of a queue have names here. */
static void a_long_queue_shows_who_is_next(void **state)
{
	struct queues *all = &top.parts.queues;
	struct queue_view *q;

	(void)state;
	open_top();
	look(SECOND);
	for (q = all->queues.items; q->kind != QUEUE_USER || q->id != 0x77; q++)
		assert_true(q + 1 < all->queues.items + all->queues.count);
	q->first = all->queued.count;
	for (unsigned int i = 0; i < 5; i++) {
		struct task_view task = { .pid = 10 + i, .is_waiting = i == 4, .wait_ns = 5000000 };

		snprintf(task.comm, sizeof(task.comm), "t%u", i);
		assert_int_equal(vec_push(&all->queued, task), 0);
	}
	q->length = q->count = 4;
	expect(TOP_QUEUES, 0,
	       " QUEUE  LENGTH  LONGEST WAIT ms  TASKS IN ORDER\n"
	       " 0x77   4       -                t0[10] t1[11] t2[12] t3[13]\n"
	       " 0x78   0       -\n");
	q->length = q->count = 5;
	q->is_cut = true;
	expect(TOP_QUEUES, 0,
	       " QUEUE  LENGTH  LONGEST WAIT ms  TASKS IN ORDER\n"
	       " 0x77   5       5.000            t0[10] t1[11] t2[12] t3[13] ... (the list cannot be "
	       "followed)\n"
	       " 0x78   0       -\n");
}

static void programs_have_calls_and_their_time(void **state)
{
	(void)state;
	open_top();
	look(SECOND);
	set_clocks(2 * SECOND, SECOND);
	image_put(&image, image_of_cpu(1, MI_PER_CPU + 0x120), 31, 8);
	image_put(&image, image_of_cpu(1, MI_PER_CPU + 0x128), 3001, 8);
	look(2 * SECOND);
	expect(TOP_PROGRAMS, 0,
	       " PROGRAM       CALLS/s  ns/CALL  CALLS  ns/CALL OF ALL  VERIFIED INSNS\n"
	       " own_enqueue   0        -        1      2001            300\n"
	       " own_dispatch  20       100      41     97              301\n");
}

static void a_small_screen_has_a_part_of_everything(void **state)
{
	_str_ struct str out = {};
	size_t lines = 0;

	(void)state;
	open_top();
	look(SECOND);
	assert_int_equal(top_add_text(&top, TOP_SECTIONS, 16, &out), 0);
	for (const char *c = str_get(&out); *c; c++)
		lines += *c == '\n';
	assert_int_equal(lines, 16);
	assert_non_null(strstr(str_get(&out), " 0x77 "));
	assert_non_null(strstr(str_get(&out), " ... 2 more\n"));
	assert_non_null(strstr(str_get(&out), "own_enqueue"));
}

/* Each section has a header, an empty line and at least one row. */
static void the_rows_of_a_screen_are_shared(void **state)
{
	static const struct {
		size_t lines, expected;
	} rows[] = { { 1, 12 },	 { 12, 12 }, { 15, 12 }, { 16, 16 },
		     { 17, 17 }, { 18, 17 }, { 99, 17 }, { 0, 17 } };

	(void)state;
	open_top();
	look(SECOND);
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		_str_ struct str out = {};
		size_t lines = 0;

		assert_int_equal(top_add_text(&top, TOP_SECTIONS, rows[i].lines, &out), 0);
		for (const char *c = str_get(&out); *c; c++)
			lines += *c == '\n';
		assert_int_equal(lines, rows[i].expected);
		assert_int_equal(strstr(str_get(&out), " more\n") == NULL, rows[i].expected == 17);
	}
}

static void one_section_has_the_whole_screen(void **state)
{
	static const struct {
		size_t lines;
		const char *rows;
	} rows[] = {
		{ 0, " 0x77   2       999.999          task102[102] task101[101]\n"
		     " 0x78   0       -\n" },
		{ 1, " 0x77   2       999.999          task102[102] task101[101]\n"
		     " 0x78   0       -\n" },
		{ 2, " ... 2 more\n" },
		{ 3, " 0x77   2       999.999          task102[102] task101[101]\n"
		     " 0x78   0       -\n" },
	};

	(void)state;
	open_top();
	look(SECOND);
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		_str_ struct str out = {};

		assert_int_equal(top_add_text(&top, TOP_QUEUES, rows[i].lines, &out), 0);
		assert_string_equal(strchr(str_get(&out), '\n') + 1, rows[i].rows);
	}
}

/* For a whole second at least. */
static void a_clock_that_stands_still_is_told_after_a_second(void **state)
{
	static const struct {
		uint64_t at_ns;
		const char *text;
	} rows[] = {
		{ 11 * SECOND - 1, "1000.000             task100" },
		{ 11 * SECOND, "1000.000  1 s        task100" },
		{ 12 * SECOND + SECOND / 2 + 1, "1000.000  3 s        task100" },
	};

	(void)state;
	open_top();
	look(10 * SECOND);
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		_str_ struct str out = {};

		look(rows[i].at_ns);
		assert_int_equal(top_add_text(&top, TOP_CPUS, 0, &out), 0);
		if (!strstr(str_get(&out), rows[i].text))
			fail_msg("no '%s' in:\n%s", rows[i].text, str_get(&out));
	}
	/* A wait is longer than it seems only if nothing moves on any CPU with work. */
	image_put(&image, image_of_cpu(0, IMAGE_RUNQUEUES), 1, 4);
	set_clocks(2 * SECOND, SECOND);
	look(14 * SECOND);
	{
		_str_ struct str out = {};

		assert_int_equal(top_add_text(&top, TOP_TASKS, 0, &out), 0);
		assert_null(strstr(str_get(&out), ">"));
		assert_non_null(strstr(str_get(&out), " 101  task101  waiting "));
	}
}

static void queues_of_the_kernel_have_their_place_as_name(void **state)
{
	struct queue_view *q;

	(void)state;
	open_top();
	look(SECOND);
	for (q = top.parts.queues.queues.items; q->kind != QUEUE_USER || q->id != 0x77; q++)
		assert_true(q + 1 < top.parts.queues.queues.items + top.parts.queues.queues.count);
	q->kind = QUEUE_LOCAL;
	q->number = 3;
	expect(TOP_QUEUES, 0,
	       " QUEUE         LENGTH  LONGEST WAIT ms  TASKS IN ORDER\n"
	       " local, cpu 3  2       999.999          task102[102] task101[101]\n"
	       " 0x78          0       -\n");
	q->kind = QUEUE_GLOBAL;
	expect(TOP_QUEUES, 0,
	       " QUEUE           LENGTH  LONGEST WAIT ms  TASKS IN ORDER\n"
	       " global, node 3  2       999.999          task102[102] task101[101]\n"
	       " 0x78            0       -\n");
}

/* Two CPUs, in two seconds; known on both sides and on all CPUs. */
static void events_have_rates_if_they_are_known(void **state)
{
	const size_t event = SCX_EV_FALLBACK;

	(void)state;
	open_top();
	look(SECOND);
	set_clocks(3 * SECOND, 3 * SECOND);
	look(3 * SECOND);
	assert_int_equal(top.rows[TOP_EVENTS].items.count, 0);
	assert_int_equal(vec_push(&top.rows[TOP_EVENTS].items, event), 0);
	for (size_t i = 0; i < IMAGE_CPUS; i++) {
		top.before.cpus[i].known_events = top.now.cpus[i].known_events = 1U << event;
		top.before.cpus[i].events[event] = 10;
		top.now.cpus[i].events[event] = 30;
	}
	expect(TOP_EVENTS, 0,
	       " EVENT                PER s  TOTAL\n"
	       " select_cpu_fallback  20     60\n");
	top.before.cpus[1].known_events = 0;
	expect(TOP_EVENTS, 0,
	       " EVENT                PER s  TOTAL\n"
	       " select_cpu_fallback  -      60\n");
	top.now.cpus[1].known_events = 0;
	expect(TOP_EVENTS, 0,
	       " EVENT                PER s  TOTAL\n"
	       " select_cpu_fallback  -      -\n");
	/* A counter that began anew has no rate; sums below zero are none. */
	top.before.cpus[1].known_events = top.now.cpus[1].known_events = 1U << event;
	top.now.cpus[1].events[event] = -50;
	expect(TOP_EVENTS, 0,
	       " EVENT                PER s  TOTAL\n"
	       " select_cpu_fallback  -      0\n");
}

static void a_dump_is_a_file_of_snapshots(void **state)
{
	_str_ struct str out = {};

	(void)state;
	open_top();
	look(SECOND);
	assert_int_equal(top_dump(&top, &out), 0);
	assert_true(str_starts(str_get(&out), "{\"snapshots\":[\n{\"trigger\":\"request\","));
	assert_non_null(strstr(str_get(&out), "\"name\":\"own.bss\""));
	assert_non_null(strstr(str_get(&out), "\"name\":\"own_dispatch\""));
	assert_memory_equal(str_get(&out) + out.len - 3, "\n]}", 3);
}

static void guests_that_cannot_be_read_say_why(void **state)
{
	pid_t child = fork();

	(void)state;
	if (child == 0)
		_exit(0);
	assert_int_equal(waitpid(child, NULL, 0), child);
	open_top();
	top.notice.memory.pid = child;
	assert_int_equal(top_read(&top, SECOND), -ESRCH);
	assert_string_equal(err_text(-ESRCH), "the guest has ended");
	top.notice.memory.pid = getpid();
	image.data[image.load + IMAGE_BANNER] = '?';
	assert_int_equal(top_read(&top, SECOND), -EAGAIN);
	err_clear();
}

static int memory_rc;

int __wrap_vm_memory_open(struct vm_memory *m, struct vm *vm);

int __wrap_vm_memory_open(struct vm_memory *m, struct vm *vm)
{
	(void)vm;
	*m = image.memory;
	return memory_rc < 0 ? err_set(-memory_rc, "no memory of it") : 0;
}

static size_t count_announced(const char *name)
{
	size_t count = 0;

	notices_finish(&notices);
	assert_int_equal(notices_find(&notices, "/proc"), 0);
	vec_each(const struct notice, n, &notices.items)
		count += n->memory.pid == image.memory.pid && str_eq(n->name, name);
	return count;
}

/* A guest that nobody samples can be found all the same, from its beginning to its end. */
static void a_guest_is_announced_while_it_runs(void **state)
{
	struct vm_session session = {
		.spec = { .topology = { 1, 1, IMAGE_CPUS, 1 } },
	};
	struct announcement a, other;
	struct vm vm = {};

	(void)state;
	memory_rc = 0;
	announcement_open(&a, &session, "announced", NULL);
	assert_ptr_equal(session.watcher, &a.vm);
	assert_int_equal(a.vm.fd, -1);
	assert_int_equal(a.fd, -1);
	assert_int_equal(count_announced("announced"), 0);
	a.vm.begin(a.vm.ctx, &vm);
	assert_int_equal(count_announced("announced"), 1);
	assert_false(a.vm.is_due(a.vm.ctx));
	assert_int_equal(a.vm.look(a.vm.ctx), 0);
	/* A second attempt has another memory, and one notice. */
	a.vm.begin(a.vm.ctx, &vm);
	assert_int_equal(count_announced("announced"), 1);
	a.vm.end(a.vm.ctx);
	assert_int_equal(a.fd, -1);
	assert_int_equal(count_announced("announced"), 0);
	memory_rc = -EPERM;
	a.vm.begin(a.vm.ctx, &vm);
	assert_true(a.fd < 0);
	assert_int_equal(count_announced("announced"), 0);
	announcement_close(&a);
	/* One that is watched has its notice by that. */
	announcement_open(&other, &session, "second", NULL);
	assert_ptr_equal(session.watcher, &a.vm);
	announcement_close(&other);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
		TEST(a_guest_is_announced_while_it_runs),
		TEST(a_notice_is_found_by_any_name_of_it),
		TEST(who_is_meant_is_told_or_asked_for),
		TEST(notices_that_could_do_harm_are_none),
		TEST(a_notice_names_the_machine_and_its_kernel),
		TEST(notices_may_be_large),
		TEST(a_kernel_without_known_symbols_is_named),
		TEST(strange_notices_are_counted_and_left),
		TEST(processes_without_a_notice_are_passed_over),
		TEST(each_guest_is_found_once),
		TEST(cpus_have_rates_by_their_own_clock),
		TEST(queues_and_tasks_are_shown_in_order),
		TEST(a_long_queue_shows_who_is_next),
		TEST(programs_have_calls_and_their_time),
		TEST(a_small_screen_has_a_part_of_everything),
		TEST(the_rows_of_a_screen_are_shared),
		TEST(one_section_has_the_whole_screen),
		TEST(a_clock_that_stands_still_is_told_after_a_second),
		TEST(queues_of_the_kernel_have_their_place_as_name),
		TEST(events_have_rates_if_they_are_known),
		TEST(a_dump_is_a_file_of_snapshots),
		TEST(guests_that_cannot_be_read_say_why),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
