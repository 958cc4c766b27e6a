// SPDX-License-Identifier: GPL-2.0-only
/* Dispatch queues and tasks of a memory made by hand, sound and damaged. */
#include "unit.h"

#include <stdlib.h>

#include "base/err.h"
#include "base/json.h"
#include "watch/parts.h"
#include "watch_image.h"
#include "watch_queues_image.h"
#include "watch_told.h"

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

static const struct queue_view *find_queue(uint64_t id, enum queue_kind kind)
{
	for (size_t i = 0; i < queues.queues.count; i++)
		if (queues.queues.items[i].id == id && queues.queues.items[i].kind == kind)
			return &queues.queues.items[i];
	return NULL;
}

static void queues_have_their_tasks_in_order(void **state)
{
	const struct queue_view *q;

	(void)state;
	read_all();
	/* Two local ones, a global one, two of the scheduler. */
	assert_int_equal(queues.queues.count, 5);
	q = find_queue(0x77, QUEUE_USER);
	assert_non_null(q);
	assert_true(q->length == 2 && q->count == 2 && !q->is_cut);
	assert_int_equal(queues.queued.items[q->first].pid, 102);
	assert_int_equal(queues.queued.items[q->first + 1].pid, 101);
	assert_true(queues.queued.items[q->first].vtime == 1020);
	assert_non_null(find_queue(0x78, QUEUE_USER));
	assert_non_null(find_queue(QI_GLOBAL_ID, QUEUE_GLOBAL));
	q = find_queue(QI_LOCAL_ID, QUEUE_LOCAL);
	assert_true(q && q->number == 0 && q->count == 0);
}

/* Before 6.16 what belongs to the scheduler is in variables of the kernel. */
static void older_kernels_have_queues_in_variables(void **state)
{
	uint64_t at = IMAGE_TEXT + 0x1080;

	(void)state;
	image.layout.symbols[SYM_SCX_ROOT] = 0;
	image.layout.symbols[SYM_SCX_OPS] = at;
	image.layout.symbols[SYM_DSQ_HASH] = QI_VIRTUAL(QI_SCHED + 8);
	image.layout.symbols[SYM_GLOBAL_DSQS] = QI_VIRTUAL(QI_SCHED + 16);
	image.layout.members[M_SCHED_DSQ_HASH] = LAYOUT_ABSENT;
	image.layout.members[M_SCHED_GLOBAL_DSQS] = LAYOUT_ABSENT;
	read_all();
	assert_null(find_queue(0x77, QUEUE_USER));
	assert_null(find_queue(QI_GLOBAL_ID, QUEUE_GLOBAL));
	/* It has a name as long as it is loaded. */
	image_put(&image, image.load + 0x1080, 's', 1);
	read_all();
	assert_int_equal(queues.queues.count, 5);
	assert_non_null(find_queue(0x77, QUEUE_USER));
	assert_non_null(find_queue(QI_GLOBAL_ID, QUEUE_GLOBAL));
}

static void reasons_of_an_exit_are_in_two_places(void **state)
{
	uint64_t kind = QI_VIRTUAL(QI_NAMES + 0x40), info = QI_NAMES + 0x50;

	(void)state;
	image.layout.symbols[SYM_SCX_ROOT] = 0;
	image.layout.symbols[SYM_SCX_EXIT_KIND] = kind;
	image.layout.symbols[SYM_SCX_EXIT_INFO] = QI_VIRTUAL(info);
	image.layout.members[M_EXIT_INFO_KIND] = 4;
	image.layout.bytes[M_EXIT_INFO_KIND] = 4;
	assert_int_equal(scx_exit_kind(&space, 1), 0);
	image_put(&image, info, QI_VIRTUAL(info + 0x10), 8);
	image_put(&image, info + 0x14, 1026, 4);
	/* Being taken down: what was claimed is DONE, and the reason is in the other place. */
	image_put(&image, QI_NAMES + 0x40, 1, 4);
	assert_int_equal(scx_exit_kind(&space, 1), 1026);
	image_put(&image, QI_NAMES + 0x40, 1025, 4);
	assert_int_equal(scx_exit_kind(&space, 1), 1025);
	image.layout.symbols[SYM_SCX_EXIT_KIND] = 0;
	assert_int_equal(scx_exit_kind(&space, 1), 0);
}

static void tasks_are_what_their_structs_say(void **state)
{
	const struct task_view *t;

	(void)state;
	read_all();
	/* 100 runs, 101 and 102 wait, 103 sleeps. */
	assert_int_equal(queues.runnable.count, 3);
	t = &queues.runnable.items[0];
	assert_true(t->pid == 100 && t->is_running && !t->is_waiting && !t->has_dsq);
	t = &queues.runnable.items[1];
	assert_true(t->pid == 101 && !t->is_running && t->is_waiting && t->wait_ns == 9000 - 1010);
	assert_string_equal(task_state(t), "waiting");
	assert_true(t->has_dsq && t->dsq_id == 0x77 && t->cpu == 1);
	assert_string_equal(t->comm, "task101");
	assert_string_equal(t->cgroup, "/top/leaf");
	/* Bits behind those of the machine's CPUs are of something else. */
	assert_true(t->mask[0] == 3 && t->mask[1] == 0);
	assert_string_equal(task_state(&queues.runnable.items[0]), "running");
}

/* Nobody waits before the clock at which it was queued, nor does one without such a time. */
static void tasks_have_policies_and_times(void **state)
{
	struct task_view t;

	(void)state;
	image.layout.members[M_TASK_POLICY] = 0x300;
	image.layout.bytes[M_TASK_POLICY] = 4;
	image_put(&image, qi_task(1) + 0x300, 7, 4);
	assert_int_equal(space_open(&space, &image.memory, &image.layout), 0);
	assert_true(task_read(&t, &space, QI_VIRTUAL(qi_task(1)), 9000));
	assert_true(t.policy == 7 && t.tgid == 101 && t.weight == 100 && t.slice_ns == 5);
	assert_true(t.is_waiting && t.wait_ns == 9000 - 1010);
	assert_true(task_read(&t, &space, QI_VIRTUAL(qi_task(1)), 1010));
	assert_true(t.is_waiting && t.wait_ns == 0);
	assert_true(task_read(&t, &space, QI_VIRTUAL(qi_task(1)), 5));
	assert_true(t.is_waiting && t.wait_ns == 0);
	image_put(&image, qi_task(1) + QI_QUEUED, 0, 8);
	assert_true(task_read(&t, &space, QI_VIRTUAL(qi_task(1)), 9000));
	assert_true(!t.is_waiting && t.wait_ns == 0 && t.is_queued);
	assert_false(task_read(&t, &space, 0, 9000));
}

/* What a kernel's struct does not have is nothing, and no member is cut off. */
static void a_task_has_what_its_struct_has(void **state)
{
	const uint64_t address = QI_VIRTUAL(qi_task(1));
	struct watch_layout *l = &image.layout;
	struct task_view t;

	(void)state;
	assert_true(task_read(&t, &space, address, 9000));
	assert_true(t.state == 0 && t.scx_flags == 0 && t.address == address);
	l->members[M_TASK_STATE] = 0x308;
	l->members[M_TASK_SCX_FLAGS] = 0x30c;
	l->bytes[M_TASK_STATE] = l->bytes[M_TASK_SCX_FLAGS] = 4;
	image_put(&image, qi_task(1) + 0x308, 8, 4);
	image_put(&image, qi_task(1) + 0x30c, 9, 4);
	l->members[M_TASK_SCX_VTIME] = 0x900;
	image_put(&image, qi_task(1) + 0x900, 77, 8);
	assert_true(task_read(&t, &space, address, 9000));
	assert_true(t.state == 8 && t.scx_flags == 9 && t.vtime == 77);
	l->members[M_TASK_SCX_VTIME] = QI_VTIME;
	l->members[M_TASK_MASK] = 0x980;
	image_put(&image, qi_task(1) + 0x980 + sizeof(t.mask) - 8, 5, 8);
	assert_true(task_read(&t, &space, address, 9000));
	assert_true(t.mask[ARRAY_SIZE(t.mask) - 1] == 5);
	/* Not larger than anybody has seen. */
	l->members[M_TASK_MASK] = 32768 - sizeof(t.mask);
	assert_true(task_read(&t, &space, address, 9000));
	l->members[M_TASK_MASK]++;
	assert_false(task_read(&t, &space, address, 9000));
	for (size_t i = 0; i < WATCH_MEMBERS; i++)
		l->members[i] = LAYOUT_ABSENT;
	assert_false(task_read(&t, &space, address, 9000));
}

/* No CPU is less than zero; before there was such a member nobody could tell. */
static void a_queue_is_that_of_a_task_nobody_takes(void **state)
{
	const uint64_t address = QI_VIRTUAL(qi_task(1));
	struct task_view t;

	(void)state;
	assert_true(task_read(&t, &space, address, 9000));
	assert_true(t.has_dsq && t.dsq_id == 0x77);
	image_put(&image, qi_task(1) + QI_HOLDING, 0, 4);
	assert_true(task_read(&t, &space, address, 9000));
	assert_false(t.has_dsq);
	image.layout.members[M_TASK_SCX_HOLDING] = LAYOUT_ABSENT;
	assert_true(task_read(&t, &space, address, 9000));
	assert_true(t.has_dsq);
	image.layout.members[M_DSQ_ID] = LAYOUT_ABSENT;
	assert_true(task_read(&t, &space, address, 9000));
	assert_false(t.has_dsq);
}

static void a_task_between_two_run_queues_moves(void **state)
{
	(void)state;
	image_put(&image, qi_task(2) + QI_ON_RQ, 2, 4);
	read_all();
	assert_int_equal(queues.runnable.count, 3);
	assert_true(queues.runnable.items[2].is_moving);
	assert_string_equal(task_state(&queues.runnable.items[2]), "moving");
	assert_false(queues.runnable.items[1].is_moving);
}

static void a_task_that_was_taken_is_in_no_queue(void **state)
{
	(void)state;
	image_put(&image, qi_task(1) + QI_HOLDING, 1, 4);
	read_all();
	assert_true(queues.runnable.items[1].pid == 101 && !queues.runnable.items[1].has_dsq);
	assert_true(queues.runnable.items[1].is_waiting);
}

static void cursors_are_no_tasks(void **state)
{
	const struct queue_view *q;

	(void)state;
	image_put(&image, qi_task(2) + QI_NODE_FLAGS, 1, 4);
	read_all();
	q = find_queue(0x77, QUEUE_USER);
	assert_true(q->count == 1 && !q->is_cut);
	assert_int_equal(queues.queued.items[q->first].pid, 101);
}

static void lists_without_an_end_are_cut(void **state)
{
	const struct queue_view *q;

	(void)state;
	/* The second task is its own successor. */
	image_put(&image, qi_task(1) + QI_NODE, QI_VIRTUAL(qi_task(1) + QI_NODE), 8);
	read_all();
	q = find_queue(0x77, QUEUE_USER);
	assert_true(q->is_cut && q->count < 10);
	assert_true(queues.is_cut);
	assert_int_equal(queues.runnable.count, 3);
}

static void pointers_to_nowhere_end_a_list(void **state)
{
	const struct queue_view *q;

	(void)state;
	image_put(&image, qi_task(2) + QI_NODE, 0xdeadbeef, 8);
	read_all();
	q = find_queue(0x77, QUEUE_USER);
	assert_true(q->is_cut && q->count == 1);
	assert_true(space.unreadable > 0);
	/* The others are not touched by it. */
	assert_false(find_queue(0x78, QUEUE_USER)->is_cut);
	assert_int_equal(queues.runnable.count, 3);
}

static void huge_tables_are_not_walked(void **state)
{
	(void)state;
	image_put(&image, QI_TABLE + QI_TABLE_SIZE, UINT32_MAX, 4);
	read_all();
	assert_true(queues.is_cut);
}

/* At the end of memory, so that there are few buckets to look into. */
static void the_largest_table_that_is_walked_is_whole(void **state)
{
	uint64_t table = IMAGE_BYTES - 0x1000;

	(void)state;
	image_put(&image, QI_SCHED + 8, QI_VIRTUAL(table), 8);
	image_put(&image, table + QI_TABLE_SIZE, 1 << 20, 4);
	read_all();
	assert_false(queues.is_cut);
	image_put(&image, table + QI_TABLE_SIZE, (1 << 20) + 1, 4);
	read_all();
	assert_true(queues.is_cut);
}

static void tell(const struct moment *m, struct str *json, struct str *text)
{
	struct json j;

	json_init(&j, json, false);
	json_object(&j);
	json_put_array(&j, "snapshots");
	moment_to_json(m, &j);
	json_array_end(&j);
	json_object_end(&j);
	told_section(json, "queues", text);
}

/* Who waits in a guest that hangs waits longer and longer. */
static void a_clock_that_stands_still_goes_on(void **state)
{
	struct cpu_sample cpus[] = { { .is_known = true, .clock_ns = 70 },
				     { .is_known = true, .clock_ns = 50 } };
	struct guest_sample sample = { .cpus = cpus, .cpu_count = ARRAY_SIZE(cpus) };
	struct moment_still still = {};

	(void)state;
	assert_int_equal(moment_still_clock(&still, &sample, 0), 70);
	assert_int_equal(moment_still_clock(&still, &sample, 1000), 70);
	assert_int_equal(moment_still_clock(&still, &sample, 1500), 570);
	assert_int_equal(moment_still_clock(&still, &sample, 0), 70);
	cpus[1].clock_ns = 600;
	assert_int_equal(moment_still_clock(&still, &sample, 1600), 600);
	assert_int_equal(moment_still_clock(&still, &sample, 1601), 601);
	/* A guest that was restored begins again. */
	assert_int_equal(moment_still_clock(&still, &sample, 3), 600);
}

static void a_moment_is_told_in_both_forms(void **state)
{
	struct cpu_sample cpus[IMAGE_CPUS] = { { .is_known = true, .clock_ns = 5 }, {} };
	struct guest_sample sample = { .cpus = cpus, .cpu_count = IMAGE_CPUS };
	struct moment m = {
		.trigger = "request", .tag = 3, .now_ns = 5, .sample = &sample, .queues = &queues
	};
	_str_ struct str text = {}, out = {};

	(void)state;
	assert_int_equal(queues_read(&queues, &space, IMAGE_CPUS, 8001010), 0);
	tell(&m, &out, &text);
	assert_string_equal(
		str_get(&text),
		"at request 3:\n"
		"DSQ 0x77: 2 tasks\n"
		"  task102:102 waited 8.0ms vtime=1020 slice=5ns weight=100 cpu1 of 0-1 /top/leaf\n"
		"  task101:101 waited 8.0ms vtime=1010 slice=5ns weight=100 cpu1 of 0-1 /top/leaf\n"
		"3 runnable tasks; the longest wait:\n"
		"  task101:101 waited 8.0ms slice=5ns weight=100 cpu1 of 0-1 /top/leaf\n");
	assert_non_null(strstr(str_get(&out),
			       "\"trigger\":\"request\",\"tag\":3,\"name\":\"3\",\"time_ns\":5,"));
	assert_non_null(strstr(str_get(&out), "\"cpus\":[{\"cpu\":0,\"nr_running\":0,"));
	assert_non_null(strstr(str_get(&out), "{\"cpu\":1,\"nr_running\":null,"));
	assert_null(strstr(str_get(&out), "{\"cpu\":2,"));
	assert_non_null(strstr(str_get(&out), "\"id\":119,\"kind\":\"user\",\"cpu\":null,"));
	assert_non_null(strstr(str_get(&out), "\"pid\":100,\"tgid\":100,\"comm\":\"task100\","));
}

static void put_domain(uint64_t at, const char *name, uint64_t weight, uint64_t parent)
{
	image_put(&image, at, parent, 8);
	image_put(&image, at + 8, QI_VIRTUAL(at + 0x40), 8);
	image_put(&image, at + 16, weight, 4);
	snprintf(image.data + at + 0x40, 16, "%s", name);
}

/* CPU 0 has a domain in another; the second one of CPU 1 has no end. */
static void domains_are_those_of_the_run_queue(void **state)
{
	const uint64_t small = IMAGE_HEAP + 0x6000, large = small + 0x100, endless = small + 0x200;
	struct domains domains;
	_str_ struct str text = {};
	struct json j;

	(void)state;
	image.layout.members[M_RQ_SD] = 0x200;
	image.layout.members[M_SD_PARENT] = 0;
	image.layout.members[M_SD_NAME] = 8;
	image.layout.members[M_SD_WEIGHT] = 16;
	image.layout.bytes[M_SD_WEIGHT] = 4;
	image_put(&image, image_of_cpu(0, IMAGE_RUNQUEUES) + 0x200, QI_VIRTUAL(small), 8);
	image_put(&image, image_of_cpu(1, IMAGE_RUNQUEUES) + 0x200, QI_VIRTUAL(endless), 8);
	image.layout.members[M_SD_LB_COUNT] = 20;
	image.layout.members[M_SD_ALB_COUNT] = 32;
	image.layout.bytes[M_SD_ALB_COUNT] = 4;
	put_domain(small, "MC", 2, QI_VIRTUAL(large));
	for (unsigned int i = 0; i < 3; i++)
		image_put(&image, small + 20 + 4ULL * i, 7 + i, 4);
	image_put(&image, small + 32, 5, 4);
	put_domain(large, "PKG", 4, 0);
	put_domain(endless, "MC", 2, QI_VIRTUAL(endless));
	assert_int_equal(domains_read(&domains, &space, IMAGE_CPUS), 0);
	assert_int_equal(domains.items.count, 2 + 16);
	json_init(&j, &text, false);
	json_object(&j);
	domains_put_json(&domains, 0, &j);
	json_object_end(&j);
	assert_non_null(strstr(str_get(&text),
			       "{\"sched_domains\":[{\"name\":\"MC\",\"level\":null,\"flags\":null,"
			       "\"span_weight\":2,\"balance_interval\":null,"
			       "\"nr_balance_failed\":null,\"max_newidle_lb_cost\":null,"));
	assert_non_null(strstr(str_get(&text), "\"lb_count\":[7,8,9],\"lb_failed\":null,"));
	assert_non_null(strstr(str_get(&text), "\"alb_count\":5,\"alb_failed\":null,"));
	assert_non_null(strstr(str_get(&text), "{\"name\":\"PKG\",\"level\":null,\"flags\":null,"
					       "\"span_weight\":4,"));
	assert_non_null(strstr(str_get(&text), "\"lb_count\":[0,0,0],"));
	domains_finish(&domains);
	/* A pointer to nowhere is no domain. */
	image_put(&image, image_of_cpu(0, IMAGE_RUNQUEUES) + 0x200, 0xdeadbeef, 8);
	assert_int_equal(domains_read(&domains, &space, 1), 0);
	assert_int_equal(domains.items.count, 0);
	domains_finish(&domains);
}

static void masks_are_lists_of_cpus_across_words(void **state)
{
	struct moment m = { .trigger = "request", .queues = &queues };
	struct guest_sample sample = {};
	_str_ struct str text = {}, out = {};

	(void)state;
	m.sample = &sample;
	assert_int_equal(queues_read(&queues, &space, IMAGE_CPUS, 8001010), 0);
	for (size_t i = 0; i < queues.runnable.count; i++) {
		queues.runnable.items[i].mask[0] = 2 | 3ULL << 62;
		queues.runnable.items[i].mask[1] = 3 | 1ULL << 10;
	}
	tell(&m, &out, &text);
	assert_non_null(strstr(str_get(&text), " cpu1 of 1,62-65,74 /top/leaf\n"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
		TEST(queues_have_their_tasks_in_order),
		TEST(tasks_are_what_their_structs_say),
		TEST(a_task_has_what_its_struct_has),
		TEST(a_queue_is_that_of_a_task_nobody_takes),
		TEST(a_task_between_two_run_queues_moves),
		TEST(tasks_have_policies_and_times),
		TEST(a_task_that_was_taken_is_in_no_queue),
		TEST(older_kernels_have_queues_in_variables),
		TEST(reasons_of_an_exit_are_in_two_places),
		TEST(cursors_are_no_tasks),
		TEST(lists_without_an_end_are_cut),
		TEST(pointers_to_nowhere_end_a_list),
		TEST(huge_tables_are_not_walked),
		TEST(the_largest_table_that_is_walked_is_whole),
		TEST(a_clock_that_stands_still_goes_on),
		TEST(a_moment_is_told_in_both_forms),
		TEST(masks_are_lists_of_cpus_across_words),
		TEST(domains_are_those_of_the_run_queue),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
