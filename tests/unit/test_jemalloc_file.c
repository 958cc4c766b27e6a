// SPDX-License-Identifier: GPL-2.0-only
/* What files say about jemalloc, TLS arithmetic, and lines of maps. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>

#include "base/cleanup.h"
#include "base/util.h"
#include "ctprof/jemalloc_parts.h"
#include "elf_image.h"

static bool recall_nothing(void *context, struct jemalloc_known *known)
{
	(void)context;
	(void)known;
	return false;
}

static bool recall_counters(void *context, struct jemalloc_known *known)
{
	*(size_t *)context = known->id_len;
	known->counters = (struct jemalloc_offsets){ 40, 48 };
	return true;
}

static void remember_nothing(void *context, const struct jemalloc_known *known)
{
	(void)context;
	(void)known;
}

static const char *tag_of(struct elf_image image, bool is_executable)
{
	_close_ int fd = image_make(&image);
	struct jemalloc_lookup lookup = { .fd = fd,
					  .tgid = getpid(),
					  .path = "/nowhere/file",
					  .is_executable = is_executable,
					  .recall = recall_nothing,
					  .remember = remember_nothing };
	struct jemalloc_layout layout;
	const char *tag;

	assert_int_equal(fchmod(fd, 0755), 0);
	tag = jemalloc_examine(&lookup, &layout);
	return tag ? tag : "found";
}

static void test_tags_of_files(void **state)
{
	uint16_t ours = tls_our_machine(), other = ours == EM_AARCH64 ? EM_X86_64 : EM_AARCH64;
	const struct {
		struct elf_image image;
		bool is_executable;
		const char *tag;
	} rows[] = {
		{ { .machine = ours }, true, TAG_NOT_FOUND },
		{ { .machine = ours }, false, TAG_NOT_FOUND },
		{ { .machine = ours, .exported = "malloc" }, false, TAG_NOT_FOUND },
		{ { .machine = ours, .tls_name = "je_tsd_tls" }, true, TAG_DWARF },
		/* Whoever builds it may give its names a prefix. */
		{ { .machine = ours, .tls_name = "my_app_je_tsd_tls" }, true, TAG_DWARF },
		{ { .machine = ours, .tls_name = "sd_tls" }, true, TAG_NOT_FOUND },
		{ { .machine = ours, .tls_name = "tsd_tls_of_mine" }, true, TAG_NOT_FOUND },
		{ { .machine = ours, .exported = "mallctl" }, true, TAG_DWARF },
		/* No relocation that leads to its block. */
		{ { .machine = ours, .exported = "mallctl" }, false, TAG_IN_DSO },
		{ { .machine = other, .tls_name = "tsd_tls" }, true, TAG_ARCH },
		{ { .machine = other, .exported = "mallctl" }, false, TAG_ARCH },
		{ { .is_32 = 1, .machine = EM_386, .tls_name = "tsd_tls" }, true, TAG_ARCH },
		{ { .is_32 = 1, .machine = EM_386 }, true, TAG_NOT_FOUND },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++)
		assert_string_equal(tag_of(rows[i].image, rows[i].is_executable), rows[i].tag);
}

/* Without debug information the size of the state tells the version. */
static void test_offsets_are_known_by_size(void **state)
{
	static const struct {
		uint64_t size, allocated, deallocated;
	} versions[] = { { 2632, 824, 840 },
			 { 1952, 912, 928 },
			 { 1960, 920, 936 },
			 { 1968, 928, 944 },
			 { 1976, 936, 952 } };

	(void)state;
	if (tls_our_machine() != EM_X86_64)
		skip();
	for (size_t i = 0; i < ARRAY_SIZE(versions); i++) {
		struct elf_image image = { .machine = EM_X86_64,
					   .tls_name = "_rjem_je_tsd_tls",
					   .tls_size = versions[i].size };
		_close_ int fd = image_make(&image);
		struct jemalloc_lookup lookup = {
			.fd = fd, .tgid = getpid(), .path = "/nowhere/file", .is_executable = true
		};
		struct jemalloc_layout layout;

		assert_null(jemalloc_examine(&lookup, &layout));
		assert_int_equal(layout.counters.allocated, 32 + versions[i].allocated);
		assert_int_equal(layout.counters.deallocated, 32 + versions[i].deallocated);
		assert_true(layout.is_by_size);
	}
}

/* It cannot be loaded, but one of the same build was asked before. */
static void test_offsets_are_known_by_build_id(void **state)
{
	uint32_t type = tls_our_machine() == EM_AARCH64 ? R_AARCH64_TLS_TPREL : R_X86_64_TPOFF64;
	struct elf_image image = { .machine = tls_our_machine(),
				   .exported = "_rjem_mallctl",
				   .reloc_type = type,
				   .reloc_addend = 8 };
	_close_ int fd = image_make(&image);
	struct jemalloc_layout layout;
	size_t id_len = 0;
	struct jemalloc_lookup lookup = { .fd = fd,
					  .tgid = getpid(),
					  .path = "/nowhere/file",
					  .recall = recall_counters,
					  .remember = remember_nothing,
					  .context = &id_len };

	(void)state;
	assert_null(jemalloc_examine(&lookup, &layout));
	assert_int_equal(id_len, sizeof(image_build_id));
	assert_int_equal(layout.counters.allocated, 40);
	assert_int_equal(layout.counters.deallocated, 48);
	assert_int_equal(layout.slot.kind, TLS_SLOT_DISTANCE);
	assert_int_equal(layout.slot.vaddr, 0x3000);
	assert_int_equal(layout.slot.offset, 8);
	assert_int_equal(layout.code.p_vaddr, 0x1200);
	assert_false(layout.is_malloc);

	lookup.recall = recall_nothing;
	assert_string_equal(jemalloc_examine(&lookup, &layout), TAG_UNTRUSTED);
}

/* Where a file is says who may have written it: its owner says nothing. */
static void test_who_may_be_asked(void **state)
{
	_close_ int fd = memfd_create("library", MFD_CLOEXEC), other = -1;
	_free_ char *here = realpath("/proc/self/exe", NULL);
	struct stat st;

	(void)state;
	assert_false(jemalloc_may_ask(fd, "/memfd:library (deleted)"));
	assert_false(jemalloc_may_ask(fd, "[heap]"));
	assert_false(jemalloc_may_ask(fd, ""));
	assert_false(jemalloc_may_ask(-1, here));
	/* The shell is root's on every machine, and it is another file than ours. */
	if (stat("/usr/bin/env", &st) < 0 || st.st_uid != 0)
		skip();
	other = open("/usr/bin/env", O_RDONLY | O_CLOEXEC);
	assert_true(jemalloc_may_ask(other, "/usr/bin/env"));
	assert_false(jemalloc_may_ask(fd, "/usr/bin/env"));
	assert_false(jemalloc_may_ask(other, "/usr/bin"));
	assert_false(jemalloc_may_ask(other, "/usr/bin/../bin/env"));
}

static struct tls_slot slot_of(struct elf_image image)
{
	_close_ int fd = image_make(&image);
	struct tls_slot slot = {};
	struct elf_view f;
	bool is_found;

	assert_int_equal(elf_view_open_file(&f, fd), 0);
	is_found = tls_find_slot(&f, &slot);
	assert_int_equal(is_found, slot.kind != TLS_SLOT_NONE);
	return slot;
}

static void test_slots_of_both_machines(void **state)
{
	static const struct {
		uint16_t machine;
		uint32_t type;
		enum tls_slot_kind kind;
	} rows[] = {
		{ EM_X86_64, R_X86_64_TPOFF64, TLS_SLOT_DISTANCE },
		{ EM_X86_64, R_X86_64_DTPMOD64, TLS_SLOT_MODULE },
		{ EM_X86_64, R_X86_64_TLSDESC, TLS_SLOT_DESCRIPTOR },
		{ EM_X86_64, R_X86_64_RELATIVE, TLS_SLOT_NONE },
		{ EM_AARCH64, R_AARCH64_TLS_TPREL, TLS_SLOT_DISTANCE },
		{ EM_AARCH64, R_AARCH64_TLS_DTPMOD, TLS_SLOT_MODULE },
		{ EM_AARCH64, R_AARCH64_TLSDESC, TLS_SLOT_DESCRIPTOR },
		{ EM_AARCH64, R_X86_64_TPOFF64, TLS_SLOT_NONE },
		{ EM_RISCV, R_X86_64_TPOFF64, TLS_SLOT_NONE },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct elf_image image = { .machine = rows[i].machine, .reloc_type = rows[i].type };

		assert_int_equal(slot_of(image).kind, rows[i].kind);
		image.reloc_against_foreign = 1;
		assert_int_equal(slot_of(image).kind, TLS_SLOT_NONE);
	}
}

static void test_place_of_executables(void **state)
{
	static const struct {
		uint16_t machine;
		uint64_t size, align;
		int64_t distance; /* 0 = refused */
	} rows[] = {
		{ EM_X86_64, 100, 8, -104 },	 { EM_X86_64, 104, 8, -104 },
		{ EM_X86_64, 100, 0, -100 },	 { EM_X86_64, 100, 64, -128 },
		{ EM_AARCH64, 100, 8, 16 },	 { EM_AARCH64, 100, 16, 16 },
		{ EM_AARCH64, 100, 64, 64 },	 { EM_X86_64, 100, 24, 0 },
		{ EM_X86_64, UINT64_MAX, 8, 0 }, { EM_X86_64, 1, 1ULL << 63, 0 },
		{ EM_RISCV, 100, 8, 0 },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct tls_place place = {};
		bool is_placed =
			tls_place_executable(rows[i].machine, rows[i].size, rows[i].align, &place);

		assert_int_equal(is_placed, rows[i].distance != 0);
		assert_int_equal(place.distance, rows[i].distance);
	}
}

/* Slots that the dynamic linker has not filled in, or that are not what they should be. */
static void test_place_refuses_nonsense(void **state)
{
	struct tls_slot distance = { .kind = TLS_SLOT_DISTANCE };
	struct tls_slot module = { .kind = TLS_SLOT_MODULE };
	struct tls_slot descriptor = { .kind = TLS_SLOT_DESCRIPTOR, .offset = 24 };
	uint64_t pair[2] = { 3, 24 }, words[2] = {};
	uint64_t address = (uint64_t)(uintptr_t)words;
	struct tls_place place;

	(void)state;
	assert_string_equal(tls_place_library(getpid(), &distance, address, 100, &place), TAG_TLS);
	assert_string_equal(tls_place_library(getpid(), &module, address, 100, &place), TAG_TLS);
	assert_string_equal(tls_place_library(getpid(), &descriptor, address, 100, &place),
			    TAG_TLS);
	assert_string_equal(tls_place_library(getpid(), &module, 8, 100, &place), TAG_VM_READV);
	words[0] = UINT64_MAX;
	assert_string_equal(tls_place_library(getpid(), &module, address, 100, &place), TAG_TLS);
	words[0] = 7;
	assert_null(tls_place_library(getpid(), &module, address, 100, &place));
	assert_true(place.is_module && place.module == 7);
	words[1] = (uint64_t)(uintptr_t)pair;
	assert_null(tls_place_library(getpid(), &descriptor, address, 100, &place));
	assert_true(place.is_module && place.module == 3);
	pair[1] = 23;
	assert_string_equal(tls_place_library(getpid(), &descriptor, address, 100, &place),
			    TAG_TLS);
	words[1] = tls_our_machine() == EM_X86_64 ? (uint64_t)-200 + 24 : 200 + 24;
	assert_null(tls_place_library(getpid(), &descriptor, address, 100, &place));
	assert_int_equal(place.distance, tls_our_machine() == EM_X86_64 ? -200 : 200);
}

static _Thread_local uint64_t words_of_ours[2] = { 11, 22 };

/* Our own block, by our own vector: where the compiler says it is. */
static void test_block_by_vector(void **state)
{
	struct tls_place place = { .is_module = true, .module = 1 }; /* 1 = the executable */
	uint64_t block = 0, thread_pointer = (uint64_t)(uintptr_t)__builtin_thread_pointer();
	uint64_t ours = (uint64_t)(uintptr_t)words_of_ours;

	(void)state;
	assert_null(tls_block(getpid(), &place, thread_pointer, &block));
	assert_true(block != 0 && block <= ours && ours - block < 1 << 20);
	place.module = 1000; /* not loaded, so the vector has no such entry */
	assert_null(tls_block(getpid(), &place, thread_pointer, &block));
	assert_int_equal(block, 0);
	assert_string_equal(tls_block(getpid(), &place, 0, &block), TAG_TLS);
	assert_string_equal(tls_block(getpid(), &place, 4096, &block), TAG_VM_READV);
}

static void test_lines_of_maps(void **state)
{
	static const struct {
		const char *line;
		bool is_code;
	} rows[] = {
		{ "7f0c3b4a0000-7f0c3b545000 r-xp 00009000 fe:00 131      /usr/lib/lib c.so",
		  true },
		{ "7f0c3b4a0000-7f0c3b545000 r--p 00009000 fe:00 131      /usr/lib/libc.so.6",
		  false },
		{ "7fff00000000-7fff00001000 r-xp 00000000 00:00 0        [vdso]", false },
		{ "7fff00000000-7fff00001000 rwxp 00000000 00:00 0 ", false },
		{ "7fff00000000-7fff00001000 r-xp 00000000 00:01 77 /memfd:jit (deleted)", false },
		{ "7fff00000000-7fff00001000 r-xp 00000000 00:01 77", false },
		{ "7fff00000000", false },
		{ "7fff00000000-7fff00001000 r-x", false },
		{ "zzz", false },
		{ "", false },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct mapped_file f;
		char line[128];

		strcpy(line, rows[i].line);
		assert_int_equal(maps_parse_line(line, &f), rows[i].is_code);
		if (!rows[i].is_code)
			continue;
		assert_string_equal(f.path, "/usr/lib/lib c.so");
		assert_int_equal(f.inode, 131);
		assert_int_equal(f.device, makedev(0xfe, 0));
		assert_int_equal(f.start, 0x7f0c3b4a0000);
		assert_int_equal(f.offset, 0x9000);
		assert_false(f.is_libc);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_tags_of_files),
		cmocka_unit_test(test_offsets_are_known_by_size),
		cmocka_unit_test(test_offsets_are_known_by_build_id),
		cmocka_unit_test(test_who_may_be_asked),
		cmocka_unit_test(test_slots_of_both_machines),
		cmocka_unit_test(test_place_of_executables),
		cmocka_unit_test(test_place_refuses_nonsense),
		cmocka_unit_test(test_block_by_vector),
		cmocka_unit_test(test_lines_of_maps),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
