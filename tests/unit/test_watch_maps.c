// SPDX-License-Identifier: GPL-2.0-only
/* BPF maps of a memory made by hand, sound and damaged. */
#include "unit.h"

#include <errno.h>
#include <linux/bpf.h>
#include <stdlib.h>

#include "base/err.h"
#include "base/json.h"
#include "watch/parts.h"
#include "watch_image.h"
#include "watch_maps_image.h"
#include "watch_told.h"

static struct image image;
static struct space space;
static struct maps maps;

static int set_up(void **state)
{
	(void)state;
	return maps_image_start(&image, &space);
}

static int tear_down(void **state)
{
	(void)state;
	maps_finish(&maps);
	image_close(&image);
	return 0;
}

static void read_all(void)
{
	maps_finish(&maps);
	assert_int_equal(maps_read(&maps, &space, IMAGE_CPUS), 0);
}

static void tell(struct str *json, struct str *text)
{
	struct json j;

	json_init(&j, json, false);
	json_object(&j);
	maps_put_json(&maps, &j, NULL);
	json_object_end(&j);
	told_section(json, "maps", text);
}

static const struct map_view *find_map(const char *name)
{
	for (size_t i = 0; i < maps.maps.count; i++)
		if (strcmp(maps.maps.items[i].name, name) == 0)
			return &maps.maps.items[i];
	fail_msg("there is no map %s", name);
	return NULL;
}

static uint64_t number_of(const struct map_view *m, size_t i)
{
	uint64_t number;

	assert_true(i < m->count);
	assert_true(maps.values.items[m->first + i].is_readable);
	memcpy(&number, maps.bytes.s + maps.values.items[m->first + i].value, sizeof(number));
	return number;
}

static uint32_t key_of(const struct map_view *m, size_t i)
{
	uint32_t key;

	memcpy(&key, maps.bytes.s + maps.values.items[m->first + i].key, sizeof(key));
	return key;
}

static void maps_have_what_was_put_into_them(void **state)
{
	const struct map_view *m;

	(void)state;
	read_all();
	assert_int_equal(maps.maps.count, 7);
	assert_false(maps.is_cut);
	m = find_map("lines");
	assert_true(m->id == 11 && m->max_entries == 16 && m->count == 1 && m->zero_count == 15);
	assert_true(key_of(m, 0) == 5 && number_of(m, 0) == (3ULL << 32 | 2));
	m = find_map("per_cpu");
	assert_true(m->count == 2 && m->zero_count == 1 && key_of(m, 1) == 1);
	assert_true(number_of(m, 0) == 40 && number_of(m, 1) == 41);
	m = find_map("by_pid");
	assert_true(m->count == 2 && key_of(m, 0) == 70 && number_of(m, 0) == 100);
	assert_true(key_of(m, 1) == 71 && number_of(m, 1) == 101 && !m->is_cut);
	m = find_map("both");
	assert_true(m->count == 2 && key_of(m, 0) == 72);
	assert_true(number_of(m, 0) == 50 && number_of(m, 1) == 51);
	m = find_map("contexts");
	assert_true(m->count == 1 && key_of(m, 0) == 4321 && number_of(m, 0) == 77);
	assert_false(find_map("events")->has_contents);
}

static void maps_are_told_by_their_types(void **state)
{
	_str_ struct str text = {}, out = {};

	(void)state;
	read_all();
	tell(&out, &text);
	assert_string_equal(
		str_get(&text),
		"map own.bss (array, 1 entry)\n"
		"  now = {count=7 level=-3 on=true mode=BUSY name=\"abc\" low=2 high=9}\n"
		"  total = 1234567890123\n"
		"map lines (array, 16 entries)\n"
		"  [5] = {[0]=2 [1]=3}\n"
		"map per_cpu (percpu_array, 2 entries)\n"
		"  [1] cpu0 = 40\n"
		"  [1] cpu1 = 41\n"
		"map by_pid (hash, 8 entries)\n"
		"  [70] = 100\n"
		"  [71] = 101\n"
		"map both (percpu_hash, 8 entries)\n"
		"  [72] cpu0 = 50\n"
		"  [72] cpu1 = 51\n"
		"map contexts (task_storage, 0 entries)\n"
		"  [4321] = 77\n"
		"map events (ringbuf, 4096 entries)\n"
		"  maps of this type are not read\n");
	assert_non_null(strstr(str_get(&out), "{\"name\":\"level\",\"value\":{\"kind\":\"int\","
					      "\"bits\":16,\"value\":-3}}"));
	assert_non_null(strstr(str_get(&out), "{\"kind\":\"enum\",\"bits\":32,\"value\":5,"
					      "\"variant\":\"BUSY\"}"));
	assert_non_null(strstr(str_get(&out), "{\"kind\":\"bytes\",\"hex\":\"6162630000000000\","
					      "\"text\":\"abc\"}"));
	assert_non_null(strstr(str_get(&out), "{\"name\":\"high\",\"value\":{\"kind\":\"uint\","
					      "\"bits\":5,\"value\":9}}"));
	assert_non_null(strstr(str_get(&out), "\"percpu\":[{\"cpu\":0,\"value\":{\"kind\":\"uint\","
					      "\"bits\":64,\"value\":50}},{\"cpu\":1,"));
	assert_non_null(strstr(str_get(&out), "\"entries_unavailable\":"));
}

static void bytes_without_types_are_bytes(void **state)
{
	_str_ struct str text = {}, out = {};

	(void)state;
	/* The magic number is gone. */
	image_put(&image, MI_BTF_DATA, 0, 4);
	read_all();
	assert_true(find_map("by_pid")->types == SIZE_MAX);
	tell(&out, &text);
	assert_non_null(strstr(str_get(&text), "  [0x46000000] = 0x6400000000000000\n"));
}

static void the_observer_is_not_told_of(void **state)
{
	_str_ struct str text = {}, out = {};

	(void)state;
	snprintf(image.data + mi_map(MI_SECTION) + MI_NAME, 16, "ktstr_ob.bss");
	read_all();
	tell(&out, &text);
	assert_string_equal(str_get(&text), "map events (ringbuf, 4096 entries)\n"
					    "  maps of this type are not read\n");
}

static void chains_without_an_end_are_cut(void **state)
{
	(void)state;
	image_put(&image, mi_element(1), MI_VIRTUAL(mi_element(0)), 8);
	read_all();
	assert_true(find_map("by_pid")->is_cut);
	assert_int_equal(find_map("by_pid")->count, 4096);
	/* The others are not touched by it. */
	assert_true(number_of(find_map("contexts"), 0) == 77);
	image_put(&image, mi_map(MI_HASH) + MI_VALUE_SIZE, 1U << 16, 4);
	read_all();
	assert_true(find_map("by_pid")->is_cut && maps.bytes.len <= 17U << 20);
}

static void pointers_to_nowhere_are_unreadable(void **state)
{
	_str_ struct str text = {}, out = {};

	(void)state;
	image_put(&image, mi_element(0), 0xdeadbee8, 8);
	image_put(&image, mi_map(MI_PERCPU_ARRAY) + MI_ARRAY_VALUE, 0xdead0000, 8);
	image_put(&image, mi_map(MI_SECTION) + MI_VALUE_SIZE, 1U << 30, 4);
	read_all();
	assert_true(find_map("by_pid")->is_cut && find_map("by_pid")->count == 1);
	assert_true(find_map("per_cpu")->is_cut);
	tell(&out, &text);
	assert_non_null(strstr(str_get(&text), "map own.bss (array, 1 entry), partly unreadable or "
					       "too long\n  [0] = unreadable\n"));
	assert_non_null(strstr(str_get(&text), "  [0] cpu0 = unreadable\n"));
}

/* Member by member: a variable for each CPU, an element, and a map that is not read. */
static void maps_are_documents(void **state)
{
	static const char *const parts[] = {
		"{\"maps\":[{\"name\":\"own.bss\",\"id\":10,\"type\":\"array\",\"map_type\":2,\"flags\":0,\"key_size\":4,\"value_size\":32,\"max_entries\":1,\"observer\":false,\"live\":false,\"entries\":[{\"key\":{\"kind\":\"uint\",\"bits\":32,\"value\":0},\"value\":{\"kind\":\"struct\",",
		",\"entries\":[{\"key\":{\"kind\":\"uint\",\"bits\":32,\"value\":1},\"percpu\":[{\"cpu\":0,\"value\":{\"kind\":\"uint\",\"bits\":64,\"value\":40}},{\"cpu\":1,\"value\":{\"kind\":\"uint\",\"bits\":64,\"value\":41}}]}],\"zero_entries\":1,\"truncated\":false}",
		"{\"key\":{\"kind\":\"uint\",\"bits\":32,\"value\":4321},\"value\":{\"kind\":\"uint\",\"bits\":64,\"value\":77}}],\"zero_entries\":0,\"truncated\":false}",
		"{\"name\":\"events\",\"id\":16,\"type\":\"ringbuf\",\"map_type\":27,\"flags\":0,\"key_size\":4,\"value_size\":0,\"max_entries\":4096,\"observer\":false,\"live\":false,\"entries_unavailable\":\"maps of this type are not read\"}],\"maps_truncated\":false}"
	};
	_str_ struct str text = {}, out = {};

	(void)state;
	read_all();
	tell(&out, &text);
	for (size_t i = 0; i < ARRAY_SIZE(parts); i++)
		if (!strstr(str_get(&out), parts[i]))
			fail_msg("no %s in %s", parts[i], str_get(&out));
}

/* Whatever part of a map cannot be read, it is told that something is missing. */
static void a_map_of_which_a_part_is_missing_is_cut(void **state)
{
	static const struct {
		uint64_t at;
		const char *map;
		size_t count;
	} rows[] = {
		{ MI_MAPS + 0x1000ULL * MI_HASH + MI_TABLE, "by_pid", 0 },
		{ MI_MAPS + 0x1000ULL * MI_PERCPU_HASH + MI_TABLE, "both", 0 },
		{ MI_MAPS + 0x1000ULL * MI_TASKS + MI_TABLE, "contexts", 0 },
		{ MI_BUCKETS + 32, "by_pid", 0 },
		{ MI_ELEMENTS + 0x200 + MI_KEY + 8, "both", 2 },
		{ MI_ELEMENTS + 0x300 + MI_OWNER, "contexts", 0 },
		{ MI_STORAGE + 8, "contexts", 0 },
		{ MI_MAPS + 0x1000ULL * MI_TASKS + MI_TABLE_COUNT, "contexts", 0 },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		uint64_t was;

		read_all();
		assert_false(find_map(rows[i].map)->is_cut);
		memcpy(&was, image.data + rows[i].at, sizeof(was));
		image_put(&image, rows[i].at, 0xdead0000, 8);
		read_all();
		assert_true(find_map(rows[i].map)->is_cut);
		assert_int_equal(find_map(rows[i].map)->count, rows[i].count);
		image_put(&image, rows[i].at, was, 8);
	}
}

/* Buckets that have no room for a pointer, or more room than any kernel's, are none. */
static void buckets_have_a_size(void **state)
{
	static const uint32_t sizes[] = { 0, 7, 65 };

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(sizes); i++) {
		image.layout.sizes[SIZE_BUCKET] = sizes[i];
		read_all();
		assert_true(find_map("by_pid")->is_cut);
		assert_int_equal(find_map("by_pid")->count, 0);
		assert_false(find_map("contexts")->is_cut);
	}
	image.layout.sizes[SIZE_BUCKET] = 64;
	image_put(&image, MI_BUCKETS + 128, MI_VIRTUAL(mi_element(0)), 8);
	image_put(&image, mi_map(MI_HASH) + MI_TABLE_COUNT, 3, 4);
	read_all();
	assert_int_equal(find_map("by_pid")->count, 2);
	assert_false(find_map("by_pid")->is_cut);
	image.layout.sizes[SIZE_BUCKET] = 8;
	image_put(&image, MI_BUCKETS + 8, MI_VIRTUAL(mi_element(0)), 8);
	image_put(&image, mi_map(MI_HASH) + MI_TABLE_COUNT, 2, 4);
	read_all();
	assert_int_equal(find_map("by_pid")->count, 2);
}

static void huge_maps_and_tables_cost_little(void **state)
{
	(void)state;
	image_put(&image, mi_map(MI_ARRAY) + MI_MAX, UINT32_MAX, 4);
	image_put(&image, mi_map(MI_HASH) + MI_TABLE_COUNT, UINT32_MAX, 4);
	image_put(&image, mi_map(MI_TASKS) + MI_TABLE_COUNT, 63, 4);
	read_all();
	assert_true(find_map("lines")->is_cut && find_map("by_pid")->is_cut);
	assert_true(find_map("contexts")->is_cut && find_map("contexts")->count == 0);
}

/* Sizes as large as the guest likes: what is read has a limit, and nothing lies behind it. */
static void forged_sizes_of_maps_are_bounded(void **state)
{
	static const uint32_t sizes[] = { 0, 1, 513, 1U << 16, 1U << 30, UINT32_MAX };

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(sizes) * 4; i++) {
		uint32_t size = sizes[i / 4];
		_str_ struct str text = {}, out = {};

		for (enum mi_map k = MI_SECTION; k <= MI_TASKS; k++) {
			image_put(&image, mi_map(k) + MI_KEY_SIZE, i & 1 ? size : 4, 4);
			image_put(&image, mi_map(k) + MI_VALUE_SIZE, i & 2 ? size : 8, 4);
			image_put(&image, mi_map(k) + MI_MAX, size, 4);
		}
		read_all();
		assert_int_equal(maps.maps.count, 7);
		assert_true(maps.bytes.len <= 17U << 20);
		for (size_t k = 0; k < maps.maps.count; k++)
			assert_true(maps.maps.items[k].count <= 4096);
		/* Keys of arrays and of tasks are made here. */
		assert_int_equal(find_map("lines")->key_size, 4);
		assert_int_equal(find_map("per_cpu")->key_size, 4);
		assert_int_equal(find_map("contexts")->key_size, 4);
		if (i & 1 && size > 512)
			assert_true(find_map("by_pid")->is_cut && !find_map("by_pid")->count);
		tell(&out, &text);
		assert_int_equal(str_check(&text), 0);
		assert_true(out.len < 256U << 20 && text.len < 2U << 20);
	}
}

static void tables_of_tables_end(void **state)
{
	_str_ struct str text = {}, out = {};

	(void)state;
	/* A node that is below itself. */
	image_put(&image, MI_LEAF, 6, 1);
	read_all();
	assert_true(maps.is_cut);
	assert_int_equal(maps.maps.count, 0);
	tell(&out, &text);
	assert_string_equal(str_get(&out), "{\"maps\":[],\"maps_truncated\":true}");
	assert_string_equal(str_get(&text),
			    "there are more maps, or some of them cannot be read\n");
	image_put(&image, MI_LEAF, 0, 1);
	image_put(&image, MI_LEAF + 40, 0xdead0000, 8);
	read_all();
	assert_true(maps.is_cut);
	assert_int_equal(maps.maps.count, 7);
	/* A single map needs no node. */
	image_put(&image, MI_IDR + 8, MI_VIRTUAL(mi_map(MI_HASH)), 8);
	read_all();
	assert_int_equal(maps.maps.count, 1);
}

/* Buckets are read a part at a time: none is left out, and none behind the last one is taken. */
static void tables_of_many_buckets_are_read_to_their_end(void **state)
{
	const uint64_t table = IMAGE_HEAP + 0xa0000, count = 64 + 3;

	(void)state;
	image_put(&image, mi_map(MI_HASH) + MI_TABLE, MI_VIRTUAL(table), 8);
	image_put(&image, mi_map(MI_HASH) + MI_TABLE_COUNT, count, 4);
	for (uint64_t i = 0; i < 2 * count; i++)
		image_put(&image, table + 16 * i, MI_END | i << 1, 8);
	mi_put_element(&image, 0, 100, MI_END);
	mi_put_element(&image, 1, 101, MI_END);
	mi_put_element(&image, 3, 103, MI_END);
	mi_put_element(&image, 4, 104, MI_END);
	image_put(&image, table + 16 * 63, MI_VIRTUAL(mi_element(0)), 8);
	image_put(&image, table + 16 * 64, MI_VIRTUAL(mi_element(1)), 8);
	image_put(&image, table + 16 * (count - 1), MI_VIRTUAL(mi_element(3)), 8);
	image_put(&image, table + 16 * count, MI_VIRTUAL(mi_element(4)), 8);
	read_all();
	assert_int_equal(find_map("by_pid")->count, 3);
	assert_int_equal(number_of(find_map("by_pid"), 0), 100);
	assert_int_equal(number_of(find_map("by_pid"), 1), 101);
	assert_int_equal(number_of(find_map("by_pid"), 2), 103);
}

#define NUMBER(n) "{\"kind\":\"uint\",\"bits\":64,\"value\":" #n "}"
#define ON_CPU(n, value) "{\"cpu\":" #n ",\"value\":" NUMBER(value) "}"

static void expect_maps(const char *json, const struct dump_limits *limits, const char *expected)
{
	_cleanup_(arena_finish) struct arena arena = {};
	_str_ struct str copy = {}, out = {};
	const struct json_node *dump;

	str_add(&copy, json);
	dump = json_tree_read(&arena, copy.s, copy.len);
	assert_non_null(dump);
	dump_add_maps(dump, limits, &out);
	assert_string_equal(str_get(&out), expected);
}

/* A failure's text has a part of each map, and says how much more there is. */
static void long_maps_are_shown_in_part(void **state)
{
	static const char per_cpu[] =
		"{\"maps\":[{\"name\":\"m\",\"type\":\"percpu_hash\",\"max_entries\":8,\"entries\":["
		"{\"key\":" NUMBER(1) ",\"percpu\":[" ON_CPU(0, 10) "," ON_CPU(
			1, 11) "]},"
			       "{\"key\":" NUMBER(
				       2) ",\"percpu\":[" ON_CPU(0, 20) "," ON_CPU(1, 21) "]}]}]}";
	static const char plain[] =
		"{\"maps\":[{\"name\":\"m\",\"type\":\"hash\",\"max_entries\":1,\"entries\":["
		"{\"key\":" NUMBER(1) ",\"value\":" NUMBER(
			5) "},"
			   "{\"key\":" NUMBER(2) ",\"value\":" NUMBER(6) "}]}]}";
	struct dump_limits limits = dump_whole;

	(void)state;
	expect_maps(plain, &limits, "map m (hash, 1 entry)\n  [1] = 5\n  [2] = 6\n");
	limits.values = 2;
	expect_maps(plain, &limits, "map m (hash, 1 entry)\n  [1] = 5\n  [2] = 6\n");
	limits.values = 1;
	expect_maps(plain, &limits, "map m (hash, 1 entry)\n  [1] = 5\n  and 1 more\n");
	limits.values = 3;
	expect_maps(per_cpu, &limits,
		    "map m (percpu_hash, 8 entries)\n  [1] cpu0 = 10\n  [1] cpu1 = 11\n"
		    "  [2] cpu0 = 20\n  and 1 more\n");
	limits.values = 2;
	expect_maps(per_cpu, &limits,
		    "map m (percpu_hash, 8 entries)\n  [1] cpu0 = 10\n  [1] cpu1 = 11\n"
		    "  and 2 more\n");
	limits.values = 4;
	limits.bytes = 1;
	expect_maps(per_cpu, &limits,
		    "map m (percpu_hash, 8 entries)\n  [1] cpu0 = 10\n  [1] cpu1 = 11\n"
		    "  [2] cpu0 = 20\n  [2] cpu1 = 21\nand more\n");
}

static void variables_are_shown_in_part(void **state)
{
	static const char section[] =
		"{\"maps\":[{\"name\":\"own.bss\",\"type\":\"array\",\"max_entries\":1,\"entries\":["
		"{\"key\":" NUMBER(
			0) ",\"value\":{\"kind\":\"struct\",\"type_name\":\".bss\","
			   "\"members\":[{\"name\":\"a\",\"value\":" NUMBER(1) "},{\"name\":\"zero\",\"value\":" NUMBER(
				   0) "},{\"name\":\"b\",\"value\":" NUMBER(2) "}]}}]},"
									       "{\"name\":\"ours\",\"observer\":true,\"max_entries\":1,\"entries\":[]}]}";
	struct dump_limits limits = dump_whole;

	(void)state;
	limits.variables = 2;
	expect_maps(section, &limits, "map own.bss (array, 1 entry)\n  a = 1\n  b = 2\n");
	limits.variables = 1;
	expect_maps(section, &limits, "map own.bss (array, 1 entry)\n  a = 1\n  and 1 more\n");
}

/* One map by its name or the end of it; and what the storage of a task holds. */
static void a_map_is_found_by_the_end_of_its_name(void **state)
{
	static const char json[] =
		"{\"maps\":[{\"name\":\"one.bss\",\"type\":\"hash\",\"max_entries\":2,\"entries\":[]},"
		"{\"name\":\"tasks\",\"type\":\"task_storage\",\"max_entries\":0,\"entries\":["
		"{\"key\":" NUMBER(7) ",\"value\":" NUMBER(70) "},{\"key\":" NUMBER(8) ",\"value\":" NUMBER(
			80) "}]},{\"name\":\"other\",\"type\":\"hash\",\"max_entries\":0,\"entries\":["
			    "{\"key\":" NUMBER(7) ",\"value\":" NUMBER(1) "}]}]}";
	_cleanup_(arena_finish) struct arena arena = {};
	_str_ struct str copy = {}, out = {};
	const struct json_node *dump;

	(void)state;
	str_add(&copy, json);
	dump = json_tree_read(&arena, copy.s, copy.len);
	assert_non_null(dump);
	assert_int_equal(dump_add_map(dump, ".bss", &out), 0);
	assert_string_equal(str_get(&out), "map one.bss (hash, 2 entries)\n");
	assert_int_equal(dump_add_map(dump, "bss.", &out), -ENOENT);
	assert_string_equal(err_text(-ENOENT),
			    "the dump has no map 'bss.' (captured maps: [one.bss, "
			    "tasks, other])");
	str_reset(&out);
	dump_add_entries_of(dump, 7, &out);
	assert_string_equal(str_get(&out), "map tasks (task_storage, 0 entries)\n  [7] = 70\n");
	str_reset(&out);
	dump_add_entries_of(dump, 9, &out);
	assert_string_equal(str_get(&out), "");
}

/* As bpftool calls them; of a type that came later the number is told. */
static void types_of_maps_have_names(void **state)
{
	static const struct {
		uint32_t type;
		const char *name;
	} rows[] = {
		{ BPF_MAP_TYPE_HASH, "hash" },
		{ BPF_MAP_TYPE_ARRAY, "array" },
		{ BPF_MAP_TYPE_PROG_ARRAY, "prog_array" },
		{ BPF_MAP_TYPE_PERF_EVENT_ARRAY, "perf_event_array" },
		{ BPF_MAP_TYPE_PERCPU_HASH, "percpu_hash" },
		{ BPF_MAP_TYPE_PERCPU_ARRAY, "percpu_array" },
		{ BPF_MAP_TYPE_STACK_TRACE, "stack_trace" },
		{ BPF_MAP_TYPE_CGROUP_ARRAY, "cgroup_array" },
		{ BPF_MAP_TYPE_LRU_HASH, "lru_hash" },
		{ BPF_MAP_TYPE_LRU_PERCPU_HASH, "lru_percpu_hash" },
		{ BPF_MAP_TYPE_LPM_TRIE, "lpm_trie" },
		{ BPF_MAP_TYPE_ARRAY_OF_MAPS, "array_of_maps" },
		{ BPF_MAP_TYPE_HASH_OF_MAPS, "hash_of_maps" },
		{ BPF_MAP_TYPE_QUEUE, "queue" },
		{ BPF_MAP_TYPE_STACK, "stack" },
		{ BPF_MAP_TYPE_STRUCT_OPS, "struct_ops" },
		{ BPF_MAP_TYPE_RINGBUF, "ringbuf" },
		{ BPF_MAP_TYPE_TASK_STORAGE, "task_storage" },
		{ BPF_MAP_TYPE_BLOOM_FILTER, "bloom_filter" },
		{ BPF_MAP_TYPE_USER_RINGBUF, "user_ringbuf" },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++)
		assert_string_equal(map_type_name(rows[i].type), rows[i].name);
	assert_string_equal(map_type_name(33), "arena"); /* not in every linux/bpf.h */
	assert_null(map_type_name(34));
	assert_null(map_type_name(UINT32_MAX));
	assert_null(map_type_name(BPF_MAP_TYPE_UNSPEC));
}

static void kernels_without_the_members_have_no_maps(void **state)
{
	(void)state;
	image.layout.members[M_HTAB_KEY] = LAYOUT_ABSENT;
	read_all();
	assert_false(find_map("by_pid")->has_contents);
	assert_true(find_map("lines")->has_contents);
	image.layout.symbols[SYM_MAP_IDR] = 0;
	read_all();
	assert_int_equal(maps.maps.count, 0);
}

/* A scheduler in the place of a task, and a map of operations in that of the ring. */
static void attach(uint64_t functions)
{
	uint64_t scheduler = MI_TASK + 0x400, ops = mi_map(MI_RING);

	image.layout.symbols[SYM_SCX_ROOT] = MI_VIRTUAL(MI_TASK + 0x800);
	image_put(&image, MI_TASK + 0x800, MI_VIRTUAL(scheduler), 8);
	image_put(&image, ops + MI_TYPE, 26, 4);
	image_put(&image, ops + MI_MAP_BTF, MI_VIRTUAL(MI_BTF), 8);
	image_put(&image, ops + MI_OPS_DATA, 0xabc000, 8);
	image_put(&image, ops + MI_OPS_DATA + MI_FUNCTIONS, 1, 4);
	image_put(&image, scheduler + MI_SCHED_OPS, functions, 8);
	image_put(&image, scheduler + MI_SCHED_OPS + MI_FUNCTIONS, 2, 4);
}

static size_t live_count(void)
{
	size_t count = 0;

	for (size_t i = 0; i < maps.maps.count; i++)
		count += maps.maps.items[i].is_live;
	return count;
}

static void maps_of_the_attached_scheduler_are_live(void **state)
{
	_str_ struct str json = {}, text = {};

	(void)state;
	read_all();
	assert_int_equal(live_count(), 0);
	attach(0xabc000);
	/* This one has types of somebody else. */
	image_put(&image, mi_map(MI_HASH) + MI_MAP_BTF, MI_VIRTUAL(MI_BTF_DATA), 8);
	read_all();
	assert_int_equal(live_count(), 6);
	assert_true(find_map("own.bss")->is_live);
	assert_false(find_map("by_pid")->is_live);
	tell(&json, &text);
	assert_non_null(strstr(str_get(&json), "\"name\":\"own.bss\",\"id\":10,"));
	assert_non_null(strstr(str_get(&json), "\"observer\":false,\"live\":true"));
	assert_non_null(strstr(str_get(&json), "\"observer\":false,\"live\":false"));
}

/* Before 6.16 the kernel has its copy of the operations in a variable. */
static void maps_are_live_on_older_kernels(void **state)
{
	(void)state;
	attach(0xabc000);
	image.layout.symbols[SYM_SCX_ROOT] = 0;
	image.layout.symbols[SYM_SCX_OPS] = MI_VIRTUAL(MI_TASK + 0x400 + MI_SCHED_OPS);
	image.layout.members[M_SCHED_OPS] = LAYOUT_ABSENT;
	image.layout.members[M_OPS_NAME] = MI_FUNCTIONS + 8;
	read_all();
	assert_int_equal(live_count(), 0);
	image_put(&image, MI_TASK + 0x400 + MI_SCHED_OPS + MI_FUNCTIONS + 8, 's', 1);
	read_all();
	assert_true(live_count() > 0);
	assert_true(find_map("own.bss")->is_live);
}

static void maps_of_other_schedulers_are_not_live(void **state)
{
	(void)state;
	attach(0xdef000);
	read_all();
	assert_int_equal(live_count(), 0);
	attach(0xabc000);
	image.layout.members[M_OPS_FUNCTIONS_END] = 1U << 20;
	read_all();
	assert_int_equal(live_count(), 0);
	image.layout.members[M_OPS_FUNCTIONS_END] = LAYOUT_ABSENT;
	read_all();
	assert_int_equal(live_count(), 0);
	image.layout.members[M_OPS_FUNCTIONS_END] = MI_FUNCTIONS;
	image_put(&image, MI_TASK + 0x800, 0x1234, 8);
	read_all();
	assert_int_equal(live_count(), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
		TEST(maps_have_what_was_put_into_them),
		TEST(maps_are_told_by_their_types),
		TEST(bytes_without_types_are_bytes),
		TEST(the_observer_is_not_told_of),
		TEST(chains_without_an_end_are_cut),
		TEST(pointers_to_nowhere_are_unreadable),
		TEST(maps_are_documents),
		TEST(a_map_of_which_a_part_is_missing_is_cut),
		TEST(buckets_have_a_size),
		TEST(huge_maps_and_tables_cost_little),
		TEST(forged_sizes_of_maps_are_bounded),
		TEST(tables_of_tables_end),
		TEST(types_of_maps_have_names),
		TEST(tables_of_many_buckets_are_read_to_their_end),
		TEST(long_maps_are_shown_in_part),
		TEST(variables_are_shown_in_part),
		TEST(a_map_is_found_by_the_end_of_its_name),
		TEST(kernels_without_the_members_have_no_maps),
		TEST(maps_of_the_attached_scheduler_are_live),
		TEST(maps_are_live_on_older_kernels),
		TEST(maps_of_other_schedulers_are_not_live),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
