// SPDX-License-Identifier: GPL-2.0-only
/* Core files of a guest: gdb and crash find memory by its addresses, CPUs by their notes. */
#include "unit.h"

#include <elf.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/err.h"
#include "base/file.h"
#include "watch_image.h"

#define PRESENT 1ULL
#define MODULES 0xffffffffc0000000ULL
#define VMALLOC 0xffffc90000000000ULL
#define HIGH (1ULL << 32) /* a second piece of memory, behind a hole */
#define HIGH_BYTES (1ULL << 20)
#define IMAGE_VMALLOC_BASE 0x1200
#define IMAGE_INFO 0x1208
#define IMAGE_INFO_SIZE 0x1210
#define IMAGE_INFO_TEXT 0x1300

static struct image image;
static struct space space;
static char *directory, *path, *high;
static struct str file;

static int set_up(void **state)
{
	(void)state;
	directory = unit_temp_create_in_memory();
	path = str_fmt("%s/core", directory);
	high = mmap(NULL, HIGH_BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (high == MAP_FAILED || !path || image_open(&image) < 0)
		return -1;
	image.memory.extents[1] = (struct vm_extent){ HIGH, HIGH_BYTES, (uintptr_t)high };
	image.memory.count = 2;
	return 0;
}

static int tear_down(void **state)
{
	(void)state;
	image_close(&image);
	munmap(high, HIGH_BYTES);
	str_finish(&file);
	free(path);
	unit_temp_remove(directory);
	return 0;
}

static const Elf64_Ehdr *head(void)
{
	assert_true(file.len > sizeof(Elf64_Ehdr));
	return (const Elf64_Ehdr *)file.s;
}

static const Elf64_Phdr *segment(size_t i)
{
	assert_true(i < head()->e_phnum);
	return (const Elf64_Phdr *)(file.s + head()->e_phoff) + i;
}

static void write_core(const struct vcpus *vcpus)
{
	assert_int_equal(space_open(&space, &image.memory, &image.layout), 0);
	assert_int_equal(core_file_write(path, &space, vcpus), 0);
	str_reset(&file);
	assert_int_equal(file_read(path, &file), 0);
}

/* What a debugger finds at this address of the kernel; NULL = nothing. */
static const char *at(uint64_t address)
{
	for (size_t i = 0; i < head()->e_phnum; i++) {
		const Elf64_Phdr *p = segment(i);

		if (p->p_type != PT_LOAD || address < p->p_vaddr ||
		    address - p->p_vaddr >= p->p_filesz)
			continue;
		assert_true(p->p_offset + p->p_filesz <= file.len);
		return file.s + p->p_offset + (address - p->p_vaddr);
	}
	return NULL;
}

/* The nth note of this name and type, and its length; NULL = there is none. */
static const char *note(const char *name, uint32_t type, size_t nth, size_t *len)
{
	const char *p = file.s + segment(0)->p_offset, *end = p + segment(0)->p_filesz;

	assert_int_equal(segment(0)->p_type, PT_NOTE);
	while (p < end) {
		Elf64_Nhdr h;
		const char *own = p + sizeof(h);

		memcpy(&h, p, sizeof(h));
		p = own + ((h.n_namesz + 3) & ~3U);
		if (strcmp(own, name) == 0 && h.n_type == type && nth-- == 0) {
			*len = h.n_descsz;
			return p;
		}
		p += (h.n_descsz + 3) & ~3U;
	}
	assert_ptr_equal(p, end);
	return NULL;
}

static void memory_is_found_by_its_addresses(void **state)
{
	const struct vcpus none = {};

	(void)state;
	image_put(&image, 0, 0x1111, 8); /* the first and the last word of each piece */
	image_put(&image, IMAGE_BYTES - 8, 0x2222, 8);
	memcpy(high, "high", 4);
	memcpy(high + HIGH_BYTES - 4, "end", 4);
	image.layout.symbols[SYM_END] = IMAGE_TEXT + 0x100000;
	write_core(&none);
	assert_memory_equal(file.s, ELFMAG, SELFMAG);
	assert_int_equal(head()->e_type, ET_CORE);
	assert_int_equal(head()->e_machine, EM_X86_64);
	assert_memory_equal(at(IMAGE_TEXT + IMAGE_BANNER), "Linux version 7.0", 17);
	assert_non_null(at(IMAGE_TEXT + 0xfffff));
	assert_null(at(IMAGE_TEXT + 0x100000)); /* behind the end of the kernel */
	assert_memory_equal(at(IMAGE_DIRECT), "\x11\x11\0", 3);
	assert_memory_equal(at(IMAGE_DIRECT + IMAGE_BYTES - 8), "\x22\x22\0", 3);
	assert_null(at(IMAGE_DIRECT + IMAGE_BYTES));
	assert_string_equal(at(IMAGE_DIRECT + HIGH), "high");
	assert_string_equal(at(IMAGE_DIRECT + HIGH + HIGH_BYTES - 4), "end");
	assert_null(at(IMAGE_DIRECT + HIGH + HIGH_BYTES));
}

/* A file that is as large as the memory takes the space of what is in it. */
static void what_is_empty_is_a_hole(void **state)
{
	const struct vcpus none = {};
	struct stat st;

	(void)state;
	write_core(&none);
	assert_int_equal(stat(path, &st), 0);
	assert_true((uint64_t)st.st_size >= IMAGE_BYTES + HIGH_BYTES);
	assert_true((uint64_t)st.st_blocks * 512 < IMAGE_BYTES / 8);
	assert_int_equal(st.st_mode & 0777, 0600);
}

static void map_page(uint64_t address, uint64_t to)
{
	uint64_t table = image.load + IMAGE_TABLE;

	for (unsigned int level = 4; level > 1; level--) {
		uint64_t next = IMAGE_HEAP + 0x1000ULL * (level + (address == MODULES ? 8 : 0));

		image_put(&image, table + 8 * (address >> (12 + 9 * (level - 1)) & 511),
			  next | PRESENT, 8);
		table = next;
	}
	image_put(&image, table + 8 * (address >> 12 & 511), to | PRESENT, 8);
}

/* Stacks and BPF programs lie in pages that tables lead to, one after the other. */
static void pages_of_modules_and_vmalloc_are_there(void **state)
{
	const struct vcpus none = {};

	(void)state;
	image.layout.symbols[SYM_VMALLOC_BASE] = IMAGE_TEXT + IMAGE_VMALLOC_BASE;
	image_put(&image, image.load + IMAGE_VMALLOC_BASE, VMALLOC, 8);
	map_page(VMALLOC, 0x345000);
	map_page(VMALLOC + 0x1000, 0x346000);
	map_page(VMALLOC + 0x2000, 0x300000);
	map_page(MODULES, 0x347000);
	memcpy(image.data + 0x345ff8, "of two pages", 12);
	memcpy(image.data + 0x300000, "elsewhere", 9);
	memcpy(image.data + 0x347000, "a program", 9);
	write_core(&none);
	assert_memory_equal(at(VMALLOC + 0xff8), "of two p", 8);
	assert_memory_equal(at(VMALLOC + 0x1000), "ages", 4);
	assert_memory_equal(at(VMALLOC + 0x2000), "elsewhere", 9);
	assert_memory_equal(at(MODULES), "a program", 9);
	assert_null(at(VMALLOC + 0x3000));
	assert_null(at(MODULES + 0x1000));
	/* The note, the kernel, two pieces of memory; and pages, of which two are one segment. */
	assert_int_equal(head()->e_phnum, 1 + 1 + 2 + 3);
	for (size_t i = 1; i < head()->e_phnum; i++)
		if (segment(i)->p_vaddr == VMALLOC) {
			assert_int_equal(segment(i)->p_memsz, 0x2000);
			assert_int_equal(segment(i)->p_filesz, 0x2000);
			assert_int_equal(segment(i)->p_paddr, 0x345000);
		}
}

static uint64_t word(const char *bytes, size_t i)
{
	uint64_t value;

	memcpy(&value, bytes + i * sizeof(value), sizeof(value));
	return value;
}

/* The order of registers is that of the kernel's struct user_regs_struct. */
static void cpus_are_threads_with_registers(void **state)
{
	struct vcpu two[2] = { { .number = 0 }, { .number = 1 } };
	const struct vcpus vcpus = { .items = { .items = two, .count = 2 } };
	const char *status;
	uint32_t pid;
	size_t len;

	(void)state;
	two[1].registers[VCPU_R15] = 15;
	two[1].registers[VCPU_RDI] = 7;
	two[1].registers[VCPU_RIP] = 0x1234;
	two[1].registers[VCPU_RFL] = 0x246;
	two[1].registers[VCPU_RSP] = 0x5678;
	write_core(&vcpus);
	status = note("CORE", NT_PRSTATUS, 1, &len);
	assert_non_null(status);
	assert_int_equal(len, 336); /* sizeof(struct elf_prstatus) */
	memcpy(&pid, status + 32, sizeof(pid));
	assert_int_equal(pid, 2);
	status += 112;
	assert_int_equal(word(status, 0), 15);
	assert_int_equal(word(status, 14), 7);
	assert_int_equal(word(status, 16), 0x1234);
	assert_int_equal(word(status, 17), 0x10);
	assert_int_equal(word(status, 18), 0x246);
	assert_int_equal(word(status, 19), 0x5678);
	assert_int_equal(word(status, 20), 0x18);
	assert_int_equal(word(status, 26), 0);
	status = note("CORE", NT_PRSTATUS, 0, &len);
	memcpy(&pid, status + 32, sizeof(pid));
	assert_int_equal(pid, 1);
	assert_null(note("CORE", NT_PRSTATUS, 2, &len));
}

/* crash(8) asks for it first. A size that is none of one is that of no note. */
static void the_kernel_tells_of_itself(void **state)
{
	static const uint64_t bad[] = { 0, (64U << 10) + 1, UINT64_MAX };
	const struct vcpus none = {};
	size_t len;

	(void)state;
	image.layout.symbols[SYM_VMCOREINFO] = IMAGE_TEXT + IMAGE_INFO;
	image.layout.symbols[SYM_VMCOREINFO_SIZE] = IMAGE_TEXT + IMAGE_INFO_SIZE;
	image_put(&image, image.load + IMAGE_INFO, IMAGE_TEXT + IMAGE_INFO_TEXT, 8);
	image_put(&image, image.load + IMAGE_INFO_SIZE, 13, 8);
	memcpy(image.data + image.load + IMAGE_INFO_TEXT, "OSRELEASE=7.0", 13);
	write_core(&none);
	assert_memory_equal(note("VMCOREINFO", 0, 0, &len), "OSRELEASE=7.0", 13);
	assert_int_equal(len, 13);
	for (size_t i = 0; i < ARRAY_SIZE(bad); i++) {
		image_put(&image, image.load + IMAGE_INFO_SIZE, bad[i], 8);
		write_core(&none);
		assert_null(note("VMCOREINFO", 0, 0, &len));
	}
}

static void a_file_that_cannot_be_written_is_told(void **state)
{
	_free_ char *nowhere = str_fmt("%s/none/core", directory);
	const struct vcpus none = {};

	(void)state;
	assert_int_equal(space_open(&space, &image.memory, &image.layout), 0);
	assert_int_equal(core_file_write(nowhere, &space, &none), -ENOENT);
	assert_non_null(strstr(err_text(-ENOENT), "/none/core"));
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, set_up, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(memory_is_found_by_its_addresses),
		TEST(what_is_empty_is_a_hole),
		TEST(pages_of_modules_and_vmalloc_are_there),
		TEST(cpus_are_threads_with_registers),
		TEST(the_kernel_tells_of_itself),
		TEST(a_file_that_cannot_be_written_is_told),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
