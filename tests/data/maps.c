// SPDX-License-Identifier: GPL-2.0-only
/* Maps that the guest fills itself, programs that it asks the kernel about, and a snapshot. */
#include <linux/bpf.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <ktstr/ktstr.h>

KTSTR_SCHEDULER(tried, .name = "tried", .binary = "tried", .topology = KTSTR_TOPO(1, 1, 2, 1));

#define MAX_CPUS 32
#define ENTRIES 100
#define KEYS 40U
#define MAX_BTF 4096

static int bpf(int command, union bpf_attr *attr)
{
	return (int)syscall(SYS_bpf, command, attr, sizeof(*attr));
}

/* A u32, a struct of three members, and the names of all. */
static int load_types(void)
{
	static const char names[] = "\0u32\0s64\0entry\0key\0less\0half";
	static const uint32_t types[] = {
		1,  1U << 24,
		4,  32, /* 1: u32 */
		5,  1U << 24,
		8,  1U << 24 | 64, /* 2: s64 */
		9,  4U << 24 | 3,
		16, /* 3: struct entry */
		15, 1,
		0, /* key */
		24, 1,
		32, /* half */
		19, 2,
		64, /* less */
	};
	static const uint32_t head[] = {
		0x1eb9f, 24, 0, sizeof(types), sizeof(types), sizeof(names)
	};
	char data[MAX_BTF];
	union bpf_attr attr = { .btf = (uintptr_t)data,
				.btf_size = sizeof(head) + sizeof(types) + sizeof(names) };

	memcpy(data, head, sizeof(head));
	memcpy(data + sizeof(head), types, sizeof(types));
	memcpy(data + sizeof(head) + sizeof(types), names, sizeof(names));
	return bpf(BPF_BTF_LOAD, &attr);
}

struct entry {
	uint32_t key, half;
	int64_t less;
};

static int create(const char *name, uint32_t type, int types)
{
	union bpf_attr attr = { .map_type = type,
				.key_size = sizeof(uint32_t),
				.value_size = sizeof(struct entry),
				.max_entries = ENTRIES,
				.btf_fd = (uint32_t)types,
				.btf_key_type_id = 1,
				.btf_value_type_id = 3 };

	strncpy(attr.map_name, name, sizeof(attr.map_name) - 1);
	return bpf(BPF_MAP_CREATE, &attr);
}

static bool is_per_cpu(uint32_t type)
{
	return type == BPF_MAP_TYPE_PERCPU_ARRAY || type == BPF_MAP_TYPE_PERCPU_HASH ||
	       type == BPF_MAP_TYPE_LRU_PERCPU_HASH;
}

/* Every second key, with values that tell where they belong. */
static int fill(int map, uint32_t type, uint32_t cpus)
{
	int rc = 0;

	for (uint32_t key = 1; key < KEYS && rc == 0; key += 2) {
		struct entry values[MAX_CPUS] = {};
		union bpf_attr attr = { .map_fd = (uint32_t)map,
					.key = (uintptr_t)&key,
					.value = (uintptr_t)values };

		for (uint32_t i = 0; i < (is_per_cpu(type) ? cpus : 1U); i++)
			values[i] = (struct entry){ key, key / 2, -1000LL * key - i };
		rc = bpf(BPF_MAP_UPDATE_ELEM, &attr);
	}
	return rc;
}

/* What the kernel says that the maps hold: the sum over all keys and CPUs. */
static int64_t sum_of(int map)
{
	int64_t sum = 0;

	for (uint32_t key = 0; key < ENTRIES; key++) {
		struct entry values[MAX_CPUS] = {};
		union bpf_attr attr = { .map_fd = (uint32_t)map,
					.key = (uintptr_t)&key,
					.value = (uintptr_t)values };

		if (bpf(BPF_MAP_LOOKUP_ELEM, &attr) == 0)
			for (int i = 0; i < MAX_CPUS; i++)
				sum += values[i].less * (i + 1) + values[i].half;
	}
	return sum;
}

static const struct {
	const char *name;
	uint32_t type;
} kinds[] = {
	{ "m_array", BPF_MAP_TYPE_ARRAY },  { "m_percpu_array", BPF_MAP_TYPE_PERCPU_ARRAY },
	{ "m_hash", BPF_MAP_TYPE_HASH },    { "m_percpu_hash", BPF_MAP_TYPE_PERCPU_HASH },
	{ "m_lru", BPF_MAP_TYPE_LRU_HASH }, { "m_percpu_lru", BPF_MAP_TYPE_LRU_PERCPU_HASH },
};

/* How often the scheduler's programs have run, as the kernel says. */
static double calls(void)
{
	union bpf_attr next = {};
	uint64_t sum = 0;

	for (; bpf(BPF_PROG_GET_NEXT_ID, &next) == 0; next.start_id = next.next_id) {
		union bpf_attr get = { .prog_id = next.next_id };
		struct bpf_prog_info info = {};
		int program = bpf(BPF_PROG_GET_FD_BY_ID, &get);
		union bpf_attr ask = { .info = { .bpf_fd = (uint32_t)program,
						 .info_len = sizeof(info),
						 .info = (uintptr_t)&info } };

		if (bpf(BPF_OBJ_GET_INFO_BY_FD, &ask) == 0 && info.type == BPF_PROG_TYPE_STRUCT_OPS)
			sum += info.run_cnt;
		close(program);
	}
	return (double)sum;
}

/* Pages of an arena come when they are written to: the fourth and the last one. */
#define ARENA 33
#define ARENA_PAGES 1000

static void fill_arena(struct ktstr_result *res)
{
	union bpf_attr attr = { .map_type = ARENA,
				.max_entries = ARENA_PAGES,
				.map_flags = 1U << 10, /* BPF_F_MMAPABLE */
				.map_name = "a_pages" };
	size_t page = (size_t)sysconf(_SC_PAGESIZE);
	int map = bpf(BPF_MAP_CREATE, &attr);
	char *pages = mmap(NULL, ARENA_PAGES * page, PROT_READ | PROT_WRITE, MAP_SHARED, map, 0);

	if (map < 0 || pages == MAP_FAILED) {
		ktstr_result_fail(res, "cannot make an arena");
		return;
	}
	memcpy(pages + 3 * page + 5, "ktstr", 5);
	memset(pages + (ARENA_PAGES - 1) * page, 0xab, page);
	ktstr_result_metric(res, "arena_start", (double)(uintptr_t)pages, KTSTR_LOWER_BETTER, NULL);
}

static int fill_all(struct ktstr_result *res, uint32_t cpus)
{
	int types = load_types();

	ktstr_result_metric(res, "pid", getpid(), KTSTR_LOWER_BETTER, NULL);
	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
		int map = create(kinds[i].name, kinds[i].type, types);

		if (types < 0 || map < 0 || fill(map, kinds[i].type, cpus) < 0)
			ktstr_result_fail(res, "cannot fill a map");
		ktstr_result_metric(res, kinds[i].name, (double)sum_of(map), KTSTR_LOWER_BETTER,
				    NULL);
	}
	fill_arena(res);
	ktstr_result_metric(res, "calls_before", calls(), KTSTR_LOWER_BETTER, NULL);
	KTSTR_SNAPSHOT(1);
	ktstr_result_metric(res, "calls_after", calls(), KTSTR_LOWER_BETTER, NULL);
	return KTSTR_PASSED;
}

KTSTR_TEST(fills_one, .scheduler = &tried, .llcs = 1, .cores = 1, .threads = 1, .duration_ms = 100)
{
	return fill_all(res, ktstr_cpu_count(ctx));
}

KTSTR_TEST(fills_maps, .scheduler = &tried, .llcs = 1, .cores = 2, .threads = 1, .duration_ms = 100)
{
	return fill_all(res, ktstr_cpu_count(ctx));
}

KTSTR_TEST(fills_eight, .scheduler = &tried, .llcs = 2, .cores = 4, .threads = 1,
	   .duration_ms = 100)
{
	return fill_all(res, ktstr_cpu_count(ctx));
}

KTSTR_TEST(fills_many, .scheduler = &tried, .llcs = 4, .cores = 8, .threads = 1, .duration_ms = 100)
{
	return fill_all(res, ktstr_cpu_count(ctx));
}
