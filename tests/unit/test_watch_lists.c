// SPDX-License-Identifier: GPL-2.0-only
/* Tables, lists and paths of a guest's memory: how far they are followed, and where they end. */
#include "unit.h"

#include <stdlib.h>

#include "base/err.h"
#include "watch/parts.h"
#include "watch_image.h"
#include "watch_queues_image.h"

static struct image image;
static struct space space;
static struct queues queues;

static int set_up(void **state)
{
	(void)state;
	if (image_open(&image) < 0)
		return -1;
	queues_image_fill(&image);
	return space_open(&space, &image.memory, &image.layout);
}

static int tear_down(void **state)
{
	(void)state;
	queues_finish(&queues);
	image_close(&image);
	return 0;
}

static void read_all(void)
{
	queues_finish(&queues);
	assert_int_equal(queues_read(&queues, &space, IMAGE_CPUS, 9000), 0);
}

static size_t count_kind(enum queue_kind kind)
{
	size_t count = 0;

	vec_each(const struct queue_view, q, &queues.queues)
		count += q->kind == kind;
	return count;
}

/* A table of one bucket at `table`, with the queue at `queue` in it. */
static void put_table(uint64_t table, uint64_t queue, uint64_t id, uint64_t future)
{
	image_put(&image, table + QI_TABLE_SIZE, 1, 4);
	image_put(&image, table + QI_TABLE_FUTURE, future ? QI_VIRTUAL(future) : 0, 8);
	image_put(&image, table + QI_TABLE_FIRST, QI_VIRTUAL(queue + QI_DSQ_HASH), 8);
	qi_put_queue(&image, queue, id);
	image_put(&image, queue + QI_DSQ_HASH, QI_VIRTUAL(table) | 1, 8);
}

/* While the hash table is resized, queues are in the old table or in a newer one. */
static void queues_of_a_table_that_grows_are_in_several(void **state)
{
	uint64_t table = QI_TABLE + 0x200, queue = QI_QUEUES + 0x300;

	(void)state;
	image_put(&image, QI_TABLE + QI_TABLE_FUTURE, QI_VIRTUAL(table), 8);
	put_table(table, queue, 0x79, 0);
	read_all();
	assert_int_equal(count_kind(QUEUE_USER), 3);
	assert_int_equal(queues.queues.items[queues.queues.count - 1].id, 0x79);
	assert_false(queues.is_cut);
	/* There are never more than a few; a table that follows itself is read no more often. */
	put_table(table, queue, 0x79, table);
	read_all();
	assert_int_equal(count_kind(QUEUE_USER), 2 + 3);
	/* One that cannot be read ends them. */
	image_put(&image, table + QI_TABLE_FUTURE, 0xdead0000, 8);
	read_all();
	assert_int_equal(count_kind(QUEUE_USER), 3);
}

static void all_buckets_are_read_and_nothing_behind_them(void **state)
{
	uint64_t last = QI_TABLE + QI_TABLE_FIRST + 24, behind = last + 8;
	uint64_t queue = QI_QUEUES + 0x300, other = QI_QUEUES + 0x400;

	(void)state;
	qi_put_queue(&image, queue, 0x79);
	image_put(&image, queue + QI_DSQ_HASH, QI_VIRTUAL(QI_TABLE) | 1, 8);
	qi_put_queue(&image, other, 0x7a);
	image_put(&image, other + QI_DSQ_HASH, QI_VIRTUAL(QI_TABLE) | 1, 8);
	image_put(&image, last, QI_VIRTUAL(queue + QI_DSQ_HASH), 8);
	image_put(&image, behind, QI_VIRTUAL(other + QI_DSQ_HASH), 8);
	read_all();
	assert_int_equal(count_kind(QUEUE_USER), 3);
	assert_int_equal(queues.queues.items[queues.queues.count - 1].id, 0x79);
	/* A bucket that holds nothing but its end, and one that is locked, hold no queue. */
	image_put(&image, last, 1, 8);
	read_all();
	assert_int_equal(count_kind(QUEUE_USER), 2);
	assert_false(queues.is_cut);
}

static void nested_tables_are_not_read(void **state)
{
	(void)state;
	image_put(&image, QI_TABLE + QI_TABLE_NEST, 1, 4);
	read_all();
	assert_true(queues.is_cut);
	assert_int_equal(count_kind(QUEUE_USER), 0);
	assert_int_equal(count_kind(QUEUE_GLOBAL), 1);
	assert_int_equal(queues.runnable.count, 3);
}

/* What follows of a bucket that was put in a circle is cut, and the other buckets are read. */
static void a_chain_without_an_end_is_cut(void **state)
{
	uint64_t first = QI_QUEUES + 0x100, second = QI_QUEUES + 0x200, queue = QI_QUEUES + 0x300;

	(void)state;
	image_put(&image, second + QI_DSQ_HASH, QI_VIRTUAL(first + QI_DSQ_HASH), 8);
	qi_put_queue(&image, queue, 0x79);
	image_put(&image, queue + QI_DSQ_HASH, QI_VIRTUAL(QI_TABLE) | 1, 8);
	image_put(&image, QI_TABLE + QI_TABLE_FIRST + 24, QI_VIRTUAL(queue + QI_DSQ_HASH), 8);
	read_all();
	assert_true(queues.is_cut);
	assert_in_range(count_kind(QUEUE_USER), 3, 10);
	assert_int_equal(queues.queues.items[queues.queues.count - 1].id, 0x79);
}

/* A machine has a global queue for each node with memory. */
static void each_node_has_its_global_queue(void **state)
{
	uint64_t nodes = QI_NAMES + 0x80, third = QI_QUEUES + 0x300;
	const struct queue_view *q;

	(void)state;
	qi_put_queue(&image, third, QI_GLOBAL_ID);
	image_put(&image, QI_GLOBALS + 16, QI_VIRTUAL(third), 8);
	image_put(&image, third + QI_DSQ_NR, 5, 4);
	read_all();
	assert_int_equal(count_kind(QUEUE_GLOBAL), 1);
	image.layout.symbols[SYM_NODES] = QI_VIRTUAL(nodes);
	image_put(&image, nodes, 2, 4);
	read_all();
	assert_int_equal(count_kind(QUEUE_GLOBAL), 1);
	image_put(&image, nodes, 3, 4);
	read_all();
	assert_int_equal(count_kind(QUEUE_GLOBAL), 2);
	q = &queues.queues.items[IMAGE_CPUS + 1];
	assert_true(q->kind == QUEUE_GLOBAL && q->number == 2 && q->length == 5);
	assert_int_equal(queues.queues.items[IMAGE_CPUS].number, 0);
	/* No machine has more than 64 of them. */
	image_put(&image, QI_GLOBALS + 8ULL * 63, QI_VIRTUAL(third), 8);
	image_put(&image, QI_GLOBALS + 8ULL * 64, QI_VIRTUAL(third), 8);
	image_put(&image, nodes, UINT32_MAX, 4);
	read_all();
	assert_int_equal(count_kind(QUEUE_GLOBAL), 3);
	image.layout.symbols[SYM_NODES] = 0xdead0000;
	read_all();
	assert_int_equal(count_kind(QUEUE_GLOBAL), 1);
}

/* In 7.1 the queue of a node is a part of another struct, to which the array points. */
static void a_global_queue_may_be_part_of_a_struct(void **state)
{
	(void)state;
	image.layout.members[M_SCHED_PNODE] = 16;
	image.layout.members[M_SCHED_GLOBAL_DSQS] = LAYOUT_ABSENT;
	image.layout.members[M_PNODE_GLOBAL_DSQ] = 0x40;
	qi_put_queue(&image, QI_QUEUES + 0x40, 0x55);
	read_all();
	assert_int_equal(count_kind(QUEUE_GLOBAL), 1);
	assert_int_equal(queues.queues.items[IMAGE_CPUS].id, 0x55);
}

/* ---- tasks ---- */

static void all_tasks_are_read_without_queues(void **state)
{
	(void)state;
	assert_int_equal(queues_read_tasks(&queues, &space, 9000), 0);
	assert_int_equal(queues.runnable.count, 4);
	assert_int_equal(queues.queues.count, 0);
	assert_int_equal(queues.queued.count, 0);
	for (size_t i = 0; i < 4; i++)
		assert_int_equal(queues.runnable.items[i].pid, 100 + i);
	assert_false(queues.runnable.items[3].is_queued);
	assert_string_equal(task_state(&queues.runnable.items[3]), "asleep");
	/* What sleeps is in no cgroup that anybody asks for. */
	assert_string_equal(queues.runnable.items[3].cgroup, "");
	assert_true(queues.runnable.items[1].wait_ns == 9000 - 1010);
}

/* The second process has the fourth task as its other thread. */
static void threads_of_a_process_are_tasks(void **state)
{
	uint64_t head = QI_SIGNALS + 0x100 + 8;

	(void)state;
	image_put(&image, qi_task(1) + QI_THREAD, QI_VIRTUAL(qi_task(3) + QI_THREAD), 8);
	image_put(&image, qi_task(3) + QI_THREAD, QI_VIRTUAL(head), 8);
	image_put(&image, qi_task(3) + QI_ON_RQ, 1, 4);
	image_put(&image, qi_task(3) + QI_TGID, 101, 4);
	image_put(&image, qi_task(2) + QI_NEXT, IMAGE_TEXT + IMAGE_INIT_TASK + QI_NEXT, 8);
	read_all();
	assert_int_equal(queues.runnable.count, 4);
	assert_int_equal(queues.runnable.items[2].pid, 103);
	assert_int_equal(queues.runnable.items[2].tgid, 101);
	assert_int_equal(queues.runnable.items[3].pid, 102);
	/* Threads in a circle do not hide the processes behind them. */
	image_put(&image, qi_task(3) + QI_THREAD, QI_VIRTUAL(qi_task(3) + QI_THREAD), 8);
	read_all();
	assert_true(queues.is_cut);
	assert_int_equal(queues.runnable.items[queues.runnable.count - 1].pid, 102);
	/* Nor does one whose threads cannot be found. */
	image_put(&image, qi_task(1) + QI_SIGNAL, 0xdead0000, 8);
	read_all();
	assert_int_equal(queues.runnable.count, 2);
	assert_int_equal(queues.runnable.items[1].pid, 102);
}

static void processes_in_a_circle_are_cut(void **state)
{
	(void)state;
	image_put(&image, qi_task(2) + QI_NEXT, QI_VIRTUAL(qi_task(1) + QI_NEXT), 8);
	read_all();
	assert_true(queues.is_cut);
	assert_in_range(queues.runnable.count, 3, 10);
}

/* ---- cgroups ---- */

#define LEVELS (IMAGE_HEAP + 0x8000) /* 0x100 each, with the name behind the node */

/* A path of so many levels above the root, each with such a name; the leaf is the first. */
static void put_levels(unsigned int count, const char *const *names)
{
	for (unsigned int i = 0; i < count; i++) {
		uint64_t at = LEVELS + 0x100ULL * i;

		image_put(&image, at + 8, QI_VIRTUAL(at + 0x40), 8);
		image_put(&image, at + 16, i + 1 < count ? QI_VIRTUAL(at + 0x100) : 0, 8);
		memset(image.data + at + 0x40, 0, 0x80);
		memcpy(image.data + at + 0x40, names[i], strlen(names[i]));
	}
	image_put(&image, QI_CGROUP + 16, count ? QI_VIRTUAL(LEVELS) : 0, 8);
}

static void expect_cgroup(const char *expected)
{
	struct task_view t;

	assert_true(task_read(&t, &space, QI_VIRTUAL(qi_task(0)), 9000));
	assert_string_equal(t.cgroup, expected);
}

static void paths_of_cgroups_have_an_end(void **state)
{
	static const char *const nine[] = { "9", "8", "7", "6", "5", "4", "3", "2", "1" };
	char name[64] = {}, expected[QUEUES_CGROUP];
	const char *const three[] = { name, "b", "a" };
	const char *const full[] = { name, name };

	(void)state;
	put_levels(0, NULL);
	expect_cgroup("/");
	put_levels(1, nine);
	expect_cgroup("/9");
	put_levels(8, nine);
	expect_cgroup("/2/3/4/5/6/7/8/9");
	/* The leaf counts more than what is near the root. */
	put_levels(9, nine);
	expect_cgroup("/2/3/4/5/6/7/8/9");
	memset(name, 'x', 63);
	snprintf(expected, sizeof(expected), "/a/b/%s", name);
	put_levels(3, three);
	expect_cgroup(expected);
	/* Two of them fill it but for the byte at its end; with one more each they do not fit. */
	name[62] = '\0';
	snprintf(expected, sizeof(expected), "/%s/%s", name, name);
	put_levels(2, full);
	expect_cgroup(expected);
	name[62] = 'x';
	snprintf(expected, sizeof(expected), "/%s", name);
	put_levels(2, full);
	expect_cgroup(expected);
}

static void a_path_is_cut_where_it_cannot_be_read(void **state)
{
	(void)state;
	image_put(&image, QI_TOP + 8, 0xdead0000, 8);
	expect_cgroup("/leaf");
	image_put(&image, QI_LEAF + 16, 0xdead0000, 8);
	expect_cgroup("/leaf");
	image_put(&image, qi_task(0) + QI_CGROUPS, 0, 8);
	expect_cgroup("");
	image.layout.members[M_NODE_PARENT] = LAYOUT_ABSENT;
	image_put(&image, qi_task(0) + QI_CGROUPS, QI_VIRTUAL(QI_CSS_SET), 8);
	expect_cgroup("");
}

/* ---- the kernel's watchdog of a scheduler ---- */

#define JIFFIES (IMAGE_HEAP + 0x7000)
#define WATCHDOG (IMAGE_HEAP + 0x7008)
#define RUNNABLE 0x300
#define RUNNABLE_AT 0x310

static bool is_half_stalled(uint64_t now, uint64_t timeout)
{
	image_put(&image, JIFFIES, now, 8);
	image_put(&image, WATCHDOG, timeout, 8);
	return scx_half_stalled(&space, scx_instance(&space), IMAGE_CPUS);
}

/* Ten tasks wait on the second CPU; only the one with this number waits since 1000. */
static void put_runnable(unsigned int number)
{
	uint64_t none = image_of_cpu(0, IMAGE_RUNQUEUES) + RUNNABLE;
	uint64_t head = image_of_cpu(1, IMAGE_RUNQUEUES) + RUNNABLE, at = head;

	image.layout.symbols[SYM_JIFFIES] = QI_VIRTUAL(JIFFIES);
	image.layout.symbols[SYM_SCX_WATCHDOG] = QI_VIRTUAL(WATCHDOG);
	image.layout.members[M_RQ_RUNNABLE] = RUNNABLE;
	image.layout.members[M_TASK_RUNNABLE] = RUNNABLE;
	image.layout.members[M_TASK_RUNNABLE_AT] = RUNNABLE_AT;
	image_put(&image, none, QI_VIRTUAL(none), 8);
	for (unsigned int i = 0; i < 10; i++) {
		image_put(&image, at, QI_VIRTUAL(qi_task(i) + RUNNABLE), 8);
		at = qi_task(i) + RUNNABLE;
		image_put(&image, qi_task(i) + RUNNABLE_AT, i == number ? 1000 : 9000, 8);
	}
	image_put(&image, at, QI_VIRTUAL(head), 8);
}

static void half_of_the_watchdogs_time_is_noticed(void **state)
{
	(void)state;
	put_runnable(0);
	assert_false(is_half_stalled(1499, 1000));
	assert_true(is_half_stalled(1500, 1000));
	assert_true(is_half_stalled(1501, 1001));
	assert_false(is_half_stalled(999, 1000)); /* of the future: the clock was read before */
	assert_true(is_half_stalled(1001, 2));
	assert_false(is_half_stalled(1001, 1));
	assert_true(is_half_stalled(UINT32_MAX, INT32_MAX));
	assert_false(is_half_stalled(UINT32_MAX, (uint64_t)INT32_MAX + 1));
}

/* The list is in the order of becoming runnable, but for a few. */
static void the_oldest_tasks_of_each_cpu_are_looked_at(void **state)
{
	(void)state;
	put_runnable(7);
	assert_true(is_half_stalled(1500, 1000));
	put_runnable(8);
	assert_false(is_half_stalled(1500, 1000));
	assert_false(scx_half_stalled(&space, 0, IMAGE_CPUS));
	put_runnable(0);
	assert_false(scx_half_stalled(&space, scx_instance(&space), 1));
	assert_false(scx_half_stalled(&space, 0, IMAGE_CPUS));
	image_put(&image, image_of_cpu(1, IMAGE_RUNQUEUES) + RUNNABLE, 0xdead0000, 8);
	assert_false(is_half_stalled(1500, 1000));
	put_runnable(0);
	image.layout.members[M_TASK_RUNNABLE_AT] = LAYOUT_ABSENT;
	assert_false(is_half_stalled(1500, 1000));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
		TEST(queues_of_a_table_that_grows_are_in_several),
		TEST(all_buckets_are_read_and_nothing_behind_them),
		TEST(nested_tables_are_not_read),
		TEST(a_chain_without_an_end_is_cut),
		TEST(each_node_has_its_global_queue),
		TEST(a_global_queue_may_be_part_of_a_struct),
		TEST(all_tasks_are_read_without_queues),
		TEST(threads_of_a_process_are_tasks),
		TEST(processes_in_a_circle_are_cut),
		TEST(paths_of_cgroups_have_an_end),
		TEST(a_path_is_cut_where_it_cannot_be_read),
		TEST(half_of_the_watchdogs_time_is_noticed),
		TEST(the_oldest_tasks_of_each_cpu_are_looked_at),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
