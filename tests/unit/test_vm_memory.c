// SPDX-License-Identifier: GPL-2.0-only
/* A guest's memory from outside: what QEMU says about it, and reads that stay inside of it. */
#include "unit.h"

#include <errno.h>
#include <linux/magic.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "base/log.h"
#include "vm/engine.h"
#include "vm/memory.h"

static const char mtree[] =
	"FlatView #0\n AS \"I/O\", root: io\n Root memory region: io\n"
	"  0000000000000000-0000000000000007 (prio 0, i/o): dma-chan\n\n"
	"FlatView #1\n AS \"memory\", root: system\n AS \"cpu-memory-0\", root: system\n"
	" Root memory region: system\n"
	"  0000000000000000-000000000009ffff (prio 0, ram): ram0\n"
	"  00000000000a0000-00000000000bffff (prio 1, i/o): vga-lowmem\n"
	"  00000000000c0000-00000000000dffff (prio 1, rom): pc.rom\n"
	"  0000000000100000-00000000001fffff (prio 0, ram): ram0 @0000000000100000\n"
	"  0000000000200000-00000000bfffffff (prio 0, ram): ram1\n"
	"  00000000fd000000-00000000fdffffff (prio 1, ram): vga.vram\n"
	"  0000000100000000-000000013fffffff (prio 0, ram): ram1 @00000000bfe00000 KVM\n\n"
	"FlatView #2\n AS \"other\", root: x\n"
	"  0000000000000000-000000000000ffff (prio 0, ram): ram0\n";

static void extents_are_those_of_the_system_memory(void **state)
{
	const uint64_t hosts[VM_MAX_NODES] = { 0x10000000, 0x80000000 };
	struct vm_memory m = {};

	(void)state;
	assert_int_equal(vm_memory_parse(&m, mtree, hosts), 0);
	assert_int_equal(m.count, 4);
	assert_true(m.extents[1].guest == 0x100000 && m.extents[1].bytes == 0x100000);
	assert_true(m.extents[1].host == 0x10100000);
	assert_true(m.extents[2].host == 0x80000000);
	assert_true(m.extents[3].guest == 0x100000000 && m.extents[3].bytes == 0x40000000);
	assert_true(m.extents[3].host == 0x80000000ULL + 0xbfe00000);
}

static void layouts_that_make_no_sense_are_refused(void **state)
{
	static const char *const bad[] = {
		"",
		"FlatView #1\n AS \"memory\", root: system\n\n",
		" AS \"memory\", root: system\n  10-0f (prio 0, ram): ram0\n",
		" AS \"memory\", root: system\n  10-1f (prio 0, ram): ram0\n  18-2f (prio 0, ram): ram0\n",
		" AS \"memory\", root: system\n  10-1f (prio 0, ram): ram1\n",
		" AS \"memory\", root: system\n  10-1f (prio 0, ram): ram9\n",
		" AS \"memory\", root: system\n  10-1f (prio 0, ram): ram0 @\n",
	};
	const uint64_t hosts[VM_MAX_NODES] = { 0x1000 };
	struct vm_memory m = {};

	(void)state;
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		assert_true(vm_memory_parse(&m, bad[i], hosts) < 0);
	err_clear();
}

static void a_mapping_is_found_by_name_and_inode(void **state)
{
	static const char maps[] = "55d0-55e0 r-xp 00000000 fe:00 7 /usr/bin/qemu\n"
				   "7f00-7f80 rw-s 00000000 00:01 41 /memfd:ktstr-ram (deleted)\n"
				   "7f80-7f90 rw-s 00001000 00:01 42 /memfd:ktstr-ram (deleted)\n"
				   "7f90-7fa0 rw-s 00000000 00:01 42 /memfd:ktstr-ram (deleted)\n"
				   "7fb0-7fc0 rw-p 00000000 00:00 0\n";

	(void)state;
	assert_true(vm_memory_mapped_at(maps, "/memfd:ktstr-ram (deleted)", 42) == 0x7f90);
	assert_true(vm_memory_mapped_at(maps, "/memfd:ktstr-ram (deleted)", 41) == 0x7f00);
	assert_true(vm_memory_mapped_at(maps, "/usr/bin/qemu", 42) == 0);
	assert_true(vm_memory_mapped_at("", "/usr/bin/qemu", 7) == 0);
	assert_true(vm_memory_mapped_at("nonsense\n\n7 x", "x", 0) == 0);
}

static void reads_stay_inside(void **state)
{
	char low[64], high[64], out[96];
	struct vm_memory m = { .pid = getpid(),
			       .extents = { { 0x1000, sizeof(low), (uintptr_t)low },
					    { 0x1040, sizeof(high), (uintptr_t)high },
					    { 0x2000, 16, 4096 } },
			       .count = 3 };

	(void)state;
	memset(low, 'l', sizeof(low));
	memset(high, 'h', sizeof(high));
	assert_int_equal(vm_memory_read(&m, 0x1030, out, 32), 0);
	assert_true(out[15] == 'l' && out[16] == 'h');
	assert_int_equal(vm_memory_read(&m, 0x1000, out, 0), 0);
	assert_int_equal(vm_memory_read(&m, 0xfff, out, 2), -EFAULT);
	assert_int_equal(vm_memory_read(&m, 0x1070, out, 32), -EFAULT);
	assert_int_equal(vm_memory_read(&m, UINT64_MAX, out, 8), -EFAULT);
	/* QEMU has nothing there. */
	assert_int_equal(vm_memory_read(&m, 0x2000, out, 8), -EFAULT);
}

/* boot: a machine of two nodes with that much memory in huge pages; whether it has got them. */
static bool boot(uint64_t memory_mib, off_t node_bytes)
{
	struct vm_spec spec = { .topology = { 2, 2, 1, 1 },
				.memory_mib = memory_mib,
				.has_hugepages = true };
	struct vm_storage storage;

	vm_storage_init(&storage);
	assert_int_equal(vm_storage_boot(&storage, &spec), 0);
	for (int i = 0; i < 2; i++) {
		struct statfs fs;
		struct stat st;

		assert_int_equal(fstatfs(storage.ram_fds[i], &fs), 0);
		assert_int_equal(fstat(storage.ram_fds[i], &st), 0);
		assert_true(fs.f_type == (spec.has_hugepages ? HUGETLBFS_MAGIC : TMPFS_MAGIC));
		assert_int_equal(st.st_size, spec.has_hugepages ? node_bytes : 0);
		assert_string_equal(spec.ram_paths[i], storage.ram_paths[i]);
	}
	vm_storage_finish(&storage);
	return spec.has_hugepages;
}

/* They are reserved, so that QEMU does not fail for want of one; 1 MiB takes a whole page. */
static void huge_pages_are_there_for_all_nodes_or_for_none(void **state)
{
	uint64_t pages = 0;

	(void)state;
	log_set_level(LOG_OFF);
	root_read_u64(roots_live.sys, &pages, "kernel/mm/hugepages/hugepages-2048kB/%s",
		      "free_hugepages");
	assert_false(boot(UINT64_C(1) << 24, 0));
	assert_int_equal(boot(6, 4 << 20), pages >= 4);
	/* The first node has its share. */
	if (pages >= 4)
		assert_false(boot(pages * 2 + 2, 0));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(extents_are_those_of_the_system_memory),
		cmocka_unit_test(layouts_that_make_no_sense_are_refused),
		cmocka_unit_test(a_mapping_is_found_by_name_and_inode),
		cmocka_unit_test(reads_stay_inside),
		cmocka_unit_test(huge_pages_are_there_for_all_nodes_or_for_none),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
