// SPDX-License-Identifier: GPL-2.0-only
/* Snapshots as documents, member by member; and what is read for one. */
#include "unit.h"

#include "base/err.h"
#include "base/json.h"
#include "watch/parts.h"
#include "watch_image.h"
#include "watch_maps_image.h"
#include "watch_queues_image.h"

static struct cpu_sample cpus[3];
static struct guest_sample sample;
static struct task_view tasks[3];
static struct queue_view views[3];
static struct queues queues;
static struct moment moment;

static int start(void **state)
{
	(void)state;
	memset(cpus, 0, sizeof(cpus));
	memset(tasks, 0, sizeof(tasks));
	memset(views, 0, sizeof(views));
	sample = (struct guest_sample){ .cpus = cpus };
	queues = (struct queues){};
	queues.queues.items = views;
	queues.queued.items = tasks;
	queues.runnable.items = tasks;
	moment = (struct moment){ .trigger = "now", .sample = &sample, .queues = &queues };
	return 0;
}

#define HAND(f) cmocka_unit_test_setup(f, start)

static void expect(const char *expected)
{
	_str_ struct str out = {};
	struct json j;

	json_init(&j, &out, false);
	moment_to_json(&moment, &j);
	assert_string_equal(str_get(&out), expected);
}

#define HEAD(tag, name, ns)                                                          \
	"{\"trigger\":\"now\",\"tag\":" tag ",\"name\":\"" name "\",\"time_ns\":" ns \
	",\"has_scheduler\":"
#define EMPTY "\"cpus\":[],\"dsqs\":[],\"runnable\":[],\"truncated\":"

static void a_moment_has_a_name_or_a_number(void **state)
{
	(void)state;
	expect(HEAD("0", "0", "0") "false," EMPTY "false,\"unreadable\":0}");
	moment.tag = UINT64_MAX;
	moment.now_ns = 5;
	moment.unreadable = 6;
	sample.has_scheduler = true;
	queues.is_cut = true;
	expect(HEAD("18446744073709551615", "18446744073709551615", "5") "true," EMPTY
									 "true,\"unreadable\":6}");
	moment.name = "first";
	expect(HEAD("18446744073709551615", "first", "5") "true," EMPTY "true,\"unreadable\":6}");
}

/* What is not known is null; events that a kernel does not count are not there. */
static void cpus_have_what_is_known_of_them(void **state)
{
	(void)state;
	sample.cpu_count = 3;
	cpus[0] = (struct cpu_sample){
		.is_known = true, .nr_running = 1, .clock_ns = 2, .switches = 3, .scx_nr_running = 4
	};
	cpus[1] = (struct cpu_sample){ .has_scx = true,
				       .scx_nr_running = 5,
				       .local_dsq_depth = 6,
				       .scx_flags = 7,
				       .known_events = 5U,
				       .events = { -1, 2, 3 } };
	expect(HEAD(
		"0", "0",
		"0") "false,\"cpus\":["
		     "{\"cpu\":0,\"nr_running\":1,\"scx_nr_running\":null,\"local_dsq_depth\":null,"
		     "\"scx_flags\":null,\"rq_clock\":2,\"switches\":3,\"event_counters\":{}},"
		     "{\"cpu\":1,\"nr_running\":null,\"scx_nr_running\":5,\"local_dsq_depth\":6,"
		     "\"scx_flags\":7,\"rq_clock\":null,\"switches\":null,\"event_counters\":"
		     "{\"select_cpu_fallback\":-1,\"dispatch_keep_last\":3}},"
		     "{\"cpu\":2,\"nr_running\":null,\"scx_nr_running\":null,\"local_dsq_depth\":null,"
		     "\"scx_flags\":null,\"rq_clock\":null,\"switches\":null,\"event_counters\":{}}],"
		     "\"dsqs\":[],\"runnable\":[],\"truncated\":false,\"unreadable\":0}");
}

#define TASK_A                                                                           \
	"{\"pid\":1,\"tgid\":2,\"comm\":\"a\",\"cgroup\":\"/c\",\"state\":\"waiting\","  \
	"\"cpu\":3,\"cpus\":\"0\",\"policy\":7,\"weight\":4,\"slice_ns\":5,\"vtime\":6," \
	"\"dsq\":119,\"wait_ns\":8}"
#define TASK_B                                                                          \
	"{\"pid\":9,\"tgid\":0,\"comm\":\"\",\"cgroup\":null,\"state\":\"asleep\","     \
	"\"cpu\":0,\"cpus\":\"\",\"policy\":0,\"weight\":0,\"slice_ns\":0,\"vtime\":0," \
	"\"dsq\":null,\"wait_ns\":null}"

static void fill_tasks(void)
{
	tasks[0] = (struct task_view){ .pid = 1,
				       .tgid = 2,
				       .comm = "a",
				       .cgroup = "/c",
				       .cpu = 3,
				       .policy = 7,
				       .weight = 4,
				       .slice_ns = 5,
				       .vtime = 6,
				       .is_queued = true,
				       .mask = { 1 },
				       .has_dsq = true,
				       .dsq_id = 119,
				       .wait_ns = 8,
				       .is_waiting = true };
	tasks[1] = (struct task_view){ .pid = 9, .dsq_id = 7, .wait_ns = 7 };
}

static void queues_have_their_kinds_and_tasks(void **state)
{
	(void)state;
	fill_tasks();
	views[0] = (struct queue_view){ .kind = QUEUE_LOCAL, .number = 3, .id = 1, .length = 2 };
	views[1] = (struct queue_view){ .kind = QUEUE_GLOBAL, .number = 4, .is_cut = true };
	views[2] = (struct queue_view){
		.kind = QUEUE_USER, .number = 5, .id = 119, .length = 9, .first = 1, .count = 1
	};
	queues.queues.count = 3;
	queues.runnable.count = 2;
	expect(HEAD("0", "0",
		    "0") "false,\"cpus\":[],\"dsqs\":["
			 "{\"id\":1,\"kind\":\"local\",\"cpu\":3,\"node\":null,\"length\":2,"
			 "\"unreadable\":false,\"tasks\":[]},"
			 "{\"id\":0,\"kind\":\"global\",\"cpu\":null,\"node\":4,\"length\":0,"
			 "\"unreadable\":true,\"tasks\":[]},"
			 "{\"id\":119,\"kind\":\"user\",\"cpu\":null,\"node\":null,\"length\":9,"
			 "\"unreadable\":false,\"tasks\":[" TASK_B "]}],\"runnable\":[" TASK_A
			 "," TASK_B "],\"truncated\":false,\"unreadable\":0}");
}

static void masks_are_lists_of_cpus(void **state)
{
	static const struct {
		uint64_t mask[2];
		const char *text;
	} rows[] = {
		{ { 0 }, "\"cpus\":\"\"," },
		{ { 1 }, "\"cpus\":\"0\"," },
		{ { 2 }, "\"cpus\":\"1\"," },
		{ { 3 }, "\"cpus\":\"0-1\"," },
		{ { 0x2d }, "\"cpus\":\"0,2-3,5\"," },
		{ { UINT64_MAX }, "\"cpus\":\"0-63\"," },
		{ { 1ULL << 63, 1 }, "\"cpus\":\"63-64\"," },
		{ { 1ULL << 63, 2 }, "\"cpus\":\"63,65\"," },
	};

	(void)state;
	queues.runnable.count = 1;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		_str_ struct str out = {};
		struct json j;

		memcpy(tasks[0].mask, rows[i].mask, sizeof(rows[i].mask));
		json_init(&j, &out, false);
		moment_to_json(&moment, &j);
		if (!strstr(str_get(&out), rows[i].text))
			fail_msg("no %s in %s", rows[i].text, str_get(&out));
	}
	/* The last there can be. */
	memset(tasks[0].mask, 0, sizeof(tasks[0].mask));
	tasks[0].mask[QUEUES_MASK_WORDS - 1] = 3ULL << 62;
	{
		_str_ struct str out = {}, expected = {};
		struct json j;

		json_init(&j, &out, false);
		moment_to_json(&moment, &j);
		str_addf(&expected, "\"cpus\":\"%d-%d\",", QUEUES_MASK_WORDS * 64 - 2,
			 QUEUES_MASK_WORDS * 64 - 1);
		assert_non_null(strstr(str_get(&out), str_get(&expected)));
	}
}

#define PLAIN HEAD("0", "0", "0") "false," EMPTY "false,\"unreadable\":0}"

/* A file is complete after each of them. */
static void moments_are_added_to_a_file(void **state)
{
	_str_ struct str file = {};

	(void)state;
	assert_int_equal(moment_add_to_file(&moment, &file), 0);
	assert_string_equal(str_get(&file), "{\"snapshots\":[\n" PLAIN "\n]}");
	assert_int_equal(moment_add_to_file(&moment, &file), 0);
	assert_string_equal(str_get(&file), "{\"snapshots\":[\n" PLAIN ",\n" PLAIN "\n]}");
}

/* Maps and programs are beside it then. */
static void a_moment_alone_has_no_maps(void **state)
{
	struct maps maps = {};
	struct programs programs = {};
	_str_ struct str out = {};
	struct json j;

	(void)state;
	moment.maps = &maps;
	moment.programs = &programs;
	json_init(&j, &out, false);
	json_object(&j);
	moment_put_alone(&moment, &j);
	json_object_end(&j);
	assert_string_equal(str_get(&out), "{\"snapshots\":[" PLAIN "]}");
	str_reset(&out);
	json_init(&j, &out, false);
	moment_to_json(&moment, &j);
	assert_non_null(strstr(str_get(&out), ",\"maps\":["));
	assert_non_null(strstr(str_get(&out), ",\"programs\":["));
	assert_true(str_ends(str_get(&out), ",\"truncated\":false,\"unreadable\":0}"));
}

static void a_moment_is_read_with_or_without_maps(void **state)
{
	struct image image = {};
	struct space space;
	struct moment m = { .trigger = "now" };
	struct moment_still still = { .clock_ns = 9000, .since_ns = 400 };
	struct moment_parts parts;

	(void)state;
	assert_int_equal(image_open(&image), 0);
	maps_image_fill(&image);
	queues_image_fill(&image);
	for (unsigned int i = 0; i < IMAGE_CPUS; i++)
		image_put(&image, image_of_cpu(i, IMAGE_RUNQUEUES) + 8, 9000 - i, 8);
	sample.cpu_count = IMAGE_CPUS;
	assert_int_equal(space_open(&space, &image.memory, &image.layout), 0);
	assert_int_equal(moment_read(&m, &parts, &sample, &space, true), 0);
	assert_true(m.now_ns == 9000);
	assert_ptr_equal(m.sample, &sample);
	assert_ptr_equal(m.queues, &parts.queues);
	assert_ptr_equal(m.domains, &parts.domains);
	assert_ptr_equal(m.maps, &parts.maps);
	assert_ptr_equal(m.programs, &parts.programs);
	assert_ptr_equal(m.space, &space);
	assert_true(parts.queues.runnable.count == 3 && parts.maps.maps.count > 0);
	assert_true(parts.programs.items.count > 0);
	assert_true(m.unreadable == space.unreadable);
	moment_parts_finish(&parts);
	/* A clock that stands still goes on by another. */
	m.still = &still;
	m.outer_ns = 1000;
	space.unreadable = 77;
	memset(&parts, 0xa5, sizeof(parts)); /* nothing is expected of what was there */
	assert_int_equal(moment_read(&m, &parts, &sample, &space, false), 0);
	assert_true(m.now_ns == 9600);
	assert_null(m.domains);
	assert_null(m.maps);
	assert_int_equal(parts.maps.maps.count, 0);
	assert_true(parts.programs.items.count > 0 && m.unreadable >= 77);
	moment_parts_finish(&parts);
	for (unsigned int i = 0; i < IMAGE_CPUS; i++)
		image_put(&image, image_of_cpu(i, IMAGE_RUNQUEUES) + 8, 0, 8);
	assert_int_equal(moment_read(&m, &parts, &sample, &space, false), -ENODATA);
	assert_string_equal(err_text(-ENODATA), "the guest's run queues cannot be read");
	moment_parts_finish(&parts);
	image_close(&image);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		HAND(a_moment_has_a_name_or_a_number),	     HAND(cpus_have_what_is_known_of_them),
		HAND(queues_have_their_kinds_and_tasks),     HAND(masks_are_lists_of_cpus),
		HAND(moments_are_added_to_a_file),	     HAND(a_moment_alone_has_no_maps),
		HAND(a_moment_is_read_with_or_without_maps),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
