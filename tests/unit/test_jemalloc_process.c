// SPDX-License-Identifier: GPL-2.0-only
/* What is read of a process: where its threads have their blocks, its memory, and mapped files. */
#include "unit.h"

#include <elf.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "base/file.h"
#include "ctprof/jemalloc_parts.h"

#define NOBODY (1 << 23) /* no process has this number: it is more than a kernel gives out */

/* What is played: a file of procfs, and a robust list. */
static struct played {
	const char *proc_file, *proc_text;
	uint64_t list;
	long list_error;
} played;

int __real_file_read_at(int dir, const char *name, struct str *out);
int __wrap_file_read_at(int dir, const char *name, struct str *out);
long __real_syscall(long number, ...);
long __wrap_syscall(long number, ...);

int __wrap_file_read_at(int dir, const char *name, struct str *out)
{
	if (!played.proc_file || !str_eq(name, played.proc_file))
		return __real_file_read_at(dir, name, out);
	str_add(out, played.proc_text);
	return 0;
}

long __wrap_syscall(long number, ...)
{
	long a[4];
	va_list ap;

	va_start(ap, number);
	for (size_t i = 0; i < ARRAY_SIZE(a); i++)
		a[i] = va_arg(ap, long);
	va_end(ap);
	if (number != SYS_get_robust_list)
		return __real_syscall(number, a[0], a[1], a[2], a[3]);
	memcpy((void *)a[1], &played.list, sizeof(played.list));
	return played.list_error;
}

static int begin(void **state)
{
	(void)state;
	played = (struct played){};
	return 0;
}

/* ---- where blocks are ---- */

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

static void places_have_limits(void **state)
{
	bool is_x86 = tls_our_machine() == EM_X86_64;
	const struct {
		int64_t distance;
		bool is_possible;
	} rows[] = {
		{ is_x86 ? -100 : 16, true },
		{ is_x86 ? -99 : 15, false },
		{ is_x86 ? -(1 << 30) + 1 : (1 << 30) - 1, true },
		{ is_x86 ? -(1 << 30) : 1 << 30, false },
	};
	struct tls_slot slot = { .kind = TLS_SLOT_DISTANCE, .offset = 24 };
	struct tls_slot module = { .kind = TLS_SLOT_MODULE };
	uint64_t word, address = (uint64_t)(uintptr_t)&word;
	struct tls_place place;

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		const char *tag;

		word = (uint64_t)rows[i].distance + 24;
		tag = tls_place_library(getpid(), &slot, address, 100, &place);
		assert_string_equal(tag ? tag : "", rows[i].is_possible ? "" : TAG_TLS);
		assert_int_equal(place.distance, rows[i].distance);
		assert_false(place.is_module);
	}
	word = 1 << 20;
	assert_null(tls_place_library(getpid(), &module, address, 1 << 30, &place));
	assert_string_equal(tls_place_library(getpid(), &module, address, (1 << 30) + 1, &place),
			    TAG_TLS);
	word++;
	assert_string_equal(tls_place_library(getpid(), &module, address, 100, &place), TAG_TLS);
	word = 1;
	assert_null(tls_place_library(getpid(), &module, address, 100, &place));
	slot.kind = TLS_SLOT_DESCRIPTOR;
	assert_string_equal(tls_place_library(getpid(), &slot, 8, 100, &place), TAG_VM_READV);
}

static void blocks_are_in_the_vector(void **state)
{
	uint64_t vector[10] = { 2, 0, 0, 0, 0x1111, 0, 0x2222, 0, UINT64_MAX, 0 };
	uint64_t start = (uint64_t)(uintptr_t)&vector[2], pair[2] = { start, start };
	uint64_t thread_pointer = (uint64_t)(uintptr_t)pair, block = 77;
	struct tls_place place = { .is_module = true, .module = 1 };

	(void)state;
	assert_null(tls_block(getpid(), &place, thread_pointer, &block));
	assert_int_equal(block, 0x1111);
	place.module = 2;
	assert_null(tls_block(getpid(), &place, thread_pointer, &block));
	assert_int_equal(block, 0x2222);
	vector[0] = 3;
	place.module = 3; /* not used so far */
	assert_null(tls_block(getpid(), &place, thread_pointer, &block));
	assert_int_equal(block, 0);
	vector[0] = 1;
	place.module = 2;
	block = 77;
	assert_null(tls_block(getpid(), &place, thread_pointer, &block));
	assert_int_equal(block, 0);
	vector[0] = 1 << 20;
	assert_null(tls_block(getpid(), &place, thread_pointer, &block));
	vector[0]++;
	assert_string_equal(tls_block(getpid(), &place, thread_pointer, &block), TAG_TLS);
	pair[0] = pair[1] = 4096;
	assert_string_equal(tls_block(getpid(), &place, thread_pointer, &block), TAG_VM_READV);
	place = (struct tls_place){ .distance = -5 };
	assert_null(tls_block(getpid(), &place, 100, &block));
	assert_int_equal(block, 95);
}

#define WORDS 128 /* that are looked at in front of the list */

/* The thread pointer is where the first and the third word are its own address. */
static void thread_pointers_are_found_by_the_robust_list(void **state)
{
	uint64_t words[WORDS + 2] = {}, start = (uint64_t)(uintptr_t)words;
	const uint64_t own = (uint64_t)getpid();
	static const size_t places[] = { 0, 1, 64, WORDS - 5, WORDS - 3 };

	(void)state;
	if (tls_our_machine() != EM_X86_64)
		skip();
	played.list = start + WORDS * 8;
	for (size_t i = 0; i < ARRAY_SIZE(places); i++) {
		size_t at = places[i];

		memset(words, 0, sizeof(words));
		words[WORDS - 2] = own | 5ULL << 32; /* what follows is another field */
		assert_int_equal(tls_running_thread_pointer(getpid()), 0);
		words[at] = start + at * 8;
		assert_int_equal(tls_running_thread_pointer(getpid()), 0);
		words[at + 2] = words[at];
		assert_int_equal(tls_running_thread_pointer(getpid()), start + at * 8);
		words[at] = 0;
		assert_int_equal(tls_running_thread_pointer(getpid()), 0);
	}
	memset(words, 0, sizeof(words));
	words[WORDS - 2] = own;
	words[4] = words[6] = start + 4 * 8;
	words[20] = words[22] = start + 20 * 8; /* which of them? */
	assert_int_equal(tls_running_thread_pointer(getpid()), 0);
}

static void a_list_of_another_thread_is_not_believed(void **state)
{
	uint64_t words[WORDS + 2] = {}, start = (uint64_t)(uintptr_t)words;
	_free_ char *status = str_fmt("/proc/%d/status", (int)getpid());

	(void)state;
	if (tls_our_machine() != EM_X86_64)
		skip();
	words[4] = words[6] = start + 4 * 8;
	played.list = start + WORDS * 8;
	assert_int_equal(tls_running_thread_pointer(getpid()), 0);
	words[WORDS - 2] = NOBODY;
	assert_int_equal(tls_running_thread_pointer(getpid()), 0);
	/* The last is its number in its own namespace. */
	played.proc_file = status;
	played.proc_text = "Name:\tx\nNSpid:\t7\t8388608\n";
	assert_int_equal(tls_running_thread_pointer(getpid()), start + 4 * 8);
	played.proc_text = "Name:\tx\nNSpid:\t8388608\t7\n";
	assert_int_equal(tls_running_thread_pointer(getpid()), 0);
	played.proc_text = "Name:\tx\nNSpid:\t8388608\tx\n";
	assert_int_equal(tls_running_thread_pointer(getpid()), 0);
	played.proc_text = "Name:\tx\n";
	assert_int_equal(tls_running_thread_pointer(getpid()), 0);
	words[WORDS - 2] = (uint64_t)getpid();
	assert_int_equal(tls_running_thread_pointer(getpid()), start + 4 * 8);
	played.list += 4;
	assert_int_equal(tls_running_thread_pointer(getpid()), 0);
	played.list -= 4;
	played.list_error = -1;
	assert_int_equal(tls_running_thread_pointer(getpid()), 0);
	played.list_error = 0;
	played.list = WORDS * 8;
	assert_int_equal(tls_running_thread_pointer(getpid()), 0);
}

/* ---- memory of a process ---- */

static void only_pages_that_are_there_are_read(void **state)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE);
	char *memory =
		mmap(NULL, 8 * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	uint64_t at = (uint64_t)(uintptr_t)memory;
	_free_ char *copy = malloc(8 * page);
	struct memory_part parts[3] = {};
	pid_t self = getpid();

	(void)state;
	assert_true(memory != MAP_FAILED);
	madvise(memory, 8 * page, MADV_NOHUGEPAGE);
	memset(memory, 5, 6 * page);
	assert_true(process_read(self, at, copy, 4 * page));
	assert_int_equal(copy[4 * page - 1], 5);
	assert_false(process_read(self, at, copy, 4 * page + 1));
	assert_false(process_read(self, at + 1, copy, 4 * page));
	assert_true(process_read(self, at + 1, copy, 4 * page - 1));
	assert_true(process_read(self, at + 5 * page, copy, page));
	assert_false(process_read(self, at + 5 * page, copy, page + 1));
	assert_false(process_read(self, at + 6 * page, copy, 1));
	assert_false(process_read(self, at, copy, 0));
	assert_false(process_read(self, UINT64_MAX, copy, 2));
	assert_false(process_read(NOBODY, at, copy, 1));
	for (size_t i = 0; i < ARRAY_SIZE(parts); i++)
		parts[i] = (struct memory_part){ at + i * page, copy + i, 1 };
	memory[page] = 6;
	assert_true(process_read_parts(self, parts, 2));
	assert_int_equal(copy[0], 5);
	assert_int_equal(copy[1], 6);
	assert_false(process_read_parts(self, parts, 3));
	parts[1].address = at + 6 * page;
	assert_false(process_read_parts(self, parts, 2));
	munmap(memory, 8 * page);
}

/* ---- files that are mapped ---- */

static void broken_lines_are_no_files(void **state)
{
	static const char *const lines[] = {
		"7f00-7f10 r-xp 0000 fe:00 131", /* has no name */
		"7f00 7f10 r-xp 0000 fe:00 131 /lib/x",
		"7f00-7f10-r-xp 0000 fe:00 131 /lib/x",
		"7f00-7f10 r-x 0000 fe:00 131 /lib/x",
		"7f00-7f10 r-xp",
		"7f00-7f10 xr-p 0000 fe:00 131 /lib/x",
		"7f00-7f10 r-xp zzzz fe:00 131 /lib/x",
		"7f00-7f10 r-xp 0000 fe-00 131 /lib/x",
		"7f00-7f10 r-xp 0000 fe:zz 131 /lib/x",
		"7f00-7f10 r-xp 0000 fe:00 a31 /lib/x",
		"7f00-7f10 r-xp 0000 fe:00 0 /lib/x",
		"7f00-7f10 r-xp 0000 fe:00 131 lib/x",
		"7f00-10000000000000000 r-xp 0000 fe:00 131 /lib/x",
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(lines); i++) {
		_free_ char *line = strdup(lines[i]);
		struct mapped_file f;

		if (maps_parse_line(line, &f))
			fail_msg("'%s' is a file", lines[i]);
	}
}

static void glibc_is_known_by_its_name(void **state)
{
	static const struct {
		const char *name;
		bool is_libc;
	} rows[] = {
		{ "/lib/libc.so.6", true },    { "/lib/libc-2.31.so", true },
		{ "/libc.so.6", true },	       { "/lib/libc.so.60", false },
		{ "/lib/xlibc.so.6", false },  { "/lib/libc-3.1.so", false },
		{ "/libc.so.6/other", false }, { "/lib/ld-musl.so.1", false },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		_free_ char *line = str_fmt("1f00-2f10 --xs 30 8:1f 131 %s", rows[i].name);
		struct mapped_file f;

		assert_true(maps_parse_line(line, &f));
		assert_int_equal(f.is_libc, rows[i].is_libc);
		assert_int_equal(f.start, 0x1f00);
		assert_int_equal(f.end, 0x2f10);
		assert_int_equal(f.offset, 0x30);
		assert_int_equal(f.device, makedev(8, 0x1f));
		assert_int_equal(f.tgid, 0);
	}
}

static bool count_until_three(const struct mapped_file *f, void *context)
{
	assert_int_equal(f->tgid, 17);
	return ++*(int *)context == 3;
}

static void code_is_visited_until_it_is_found(void **state)
{
	int count = 0;

	(void)state;
	played.proc_file = "/proc/17/maps";
	played.proc_text = "1-2 r-xp 0 8:1 9 /a\n1-2 r--p 0 8:1 9 /b\n1-2 r-xp 0 8:1 9 /c\n";
	assert_int_equal(maps_each_code(17, count_until_three, &count), 0);
	assert_int_equal(count, 2);
	assert_int_equal(maps_each_code(17, count_until_three, &count), 0);
	assert_int_equal(count, 3); /* it was found, so nobody asked for the last */
	played.proc_text = "";
	assert_int_equal(maps_each_code(17, count_until_three, &count), -ESRCH);
	assert_int_equal(maps_each_code(NOBODY, count_until_three, &count), -ENOENT);
	assert_int_equal(count, 3);
}

static ino_t opened_inode(const struct mapped_file *f)
{
	_close_ int fd = maps_open(f);
	struct stat st;

	assert_true(fd >= 0 || fd == -ENOENT);
	if (fd < 0)
		return 0;
	assert_int_equal(fstat(fd, &st), 0);
	return st.st_ino;
}

static void exactly_the_mapped_file_is_opened(void **state)
{
	char *dir = unit_temp_create();
	_free_ char *path = str_fmt("%s/file", dir);
	struct mapped_file f = { .tgid = getpid(), .path = "/nowhere" };
	struct stat st;

	(void)state;
	unit_write(dir, "file", "x");
	assert_int_equal(stat("/proc/self/exe", &st), 0);
	assert_int_equal(opened_inode(&f), st.st_ino);
	f.tgid = NOBODY;
	assert_int_equal(opened_inode(&f), 0);
	/* Nothing is mapped there: then it goes by the name, in the process's root or ours. */
	assert_int_equal(stat(path, &st), 0);
	f = (struct mapped_file){ .tgid = getpid(), .path = path, .inode = st.st_ino };
	f.start = 4096;
	f.end = 8192;
	assert_int_equal(opened_inode(&f), st.st_ino);
	f.tgid = NOBODY;
	assert_int_equal(opened_inode(&f), st.st_ino);
	f.end = 0; /* as its executable it has no other name */
	assert_int_equal(opened_inode(&f), 0);
	f.end = 8192;
	f.inode++;
	assert_int_equal(opened_inode(&f), 0);
	f.tgid = getpid();
	assert_int_equal(opened_inode(&f), 0);
	assert_int_equal(stat(dir, &st), 0);
	f.path = dir;
	f.inode = st.st_ino;
	assert_int_equal(opened_inode(&f), 0);
	unit_temp_remove(dir);
}

#define HERE(test) cmocka_unit_test_setup(test, begin)

int main(void)
{
	const struct CMUnitTest tests[] = {
		HERE(test_place_of_executables),
		HERE(test_place_refuses_nonsense),
		HERE(test_block_by_vector),
		HERE(test_lines_of_maps),
		HERE(places_have_limits),
		HERE(blocks_are_in_the_vector),
		HERE(thread_pointers_are_found_by_the_robust_list),
		HERE(a_list_of_another_thread_is_not_believed),
		HERE(only_pages_that_are_there_are_read),
		HERE(broken_lines_are_no_files),
		HERE(glibc_is_known_by_its_name),
		HERE(code_is_visited_until_it_is_found),
		HERE(exactly_the_mapped_file_is_opened),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
