// SPDX-License-Identifier: GPL-2.0-only
/* The ELF reader, on a file made by hand and on every way to cut it short. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "base/cleanup.h"
#include "base/util.h"
#include "ctprof/jemalloc_parts.h"
#include "elf_image.h"

static const char *const tls_names[] = { "other", "tsd_tls", NULL };
static const char *const function_names[] = { "je_mallctl", "mallctl", NULL };

static bool keep_reloc(const void *rela, void *context)
{
	memcpy(context, rela, sizeof(Elf64_Rela));
	return true;
}

static void check_contents(const struct elf_view *f)
{
	unsigned char id[ELF_BUILD_ID_MAX];
	Elf64_Phdr segment;
	Elf64_Shdr section;
	Elf64_Sym symbol;
	char name[256];
	uint32_t crc;

	assert_true(elf_view_find_segment(f, PT_TLS, &segment));
	assert_int_equal(segment.p_memsz, 256);
	assert_false(elf_view_find_segment(f, PT_INTERP, &segment));
	assert_true(elf_find_symbol(f, SHT_SYMTAB, STT_TLS, tls_names, &symbol));
	assert_int_equal(symbol.st_value, 32);
	assert_false(elf_find_symbol(f, SHT_SYMTAB, STT_FUNC, tls_names, &symbol));
	assert_false(elf_find_symbol(f, SHT_DYNSYM, STT_TLS, tls_names, &symbol));
	assert_true(elf_find_symbol(f, SHT_DYNSYM, STT_FUNC, function_names, &symbol));
	assert_int_equal(symbol.st_value, 0x1234);
	assert_int_equal(elf_build_id(f, id), sizeof(image_build_id));
	assert_memory_equal(id, image_build_id, sizeof(image_build_id));
	assert_true(elf_debuglink(f, name, &crc));
	assert_string_equal(name, "a.debug");
	assert_int_equal(crc, 0x12345678);
	assert_int_equal(elf_view_find(f, ".gnu_debuglink", &section), 0);
	assert_int_equal(section.sh_offset, 0xe00);
	assert_int_equal(elf_view_find(f, ".debug_info", &section), -ENOENT);
}

static void test_reads_both_classes(void **state)
{
	(void)state;
	for (int is_32 = 0; is_32 <= 1; is_32++) {
		struct elf_image image = { .is_32 = is_32,
					   .machine = EM_X86_64,
					   .tls_name = "tsd_tls",
					   .exported = "mallctl" };
		_close_ int fd = image_make(&image);
		struct elf_view f;

		assert_int_equal(elf_view_open_file(&f, fd), 0);
		assert_int_equal(elf_view_is_64(&f), !is_32);
		assert_int_equal(f.header.e_machine, EM_X86_64);
		check_contents(&f);
	}
}

static void test_undefined_symbols_are_not_found(void **state)
{
	struct elf_image image = { .machine = EM_X86_64, .tls_name = "tsd_tls" };
	_close_ int fd = image_make(&image);
	struct elf_view f;
	Elf64_Sym symbol;

	(void)state;
	assert_int_equal(elf_view_open_file(&f, fd), 0);
	assert_false(elf_find_symbol(&f, SHT_DYNSYM, STT_FUNC, function_names, &symbol));
	assert_true(elf_dynamic_symbol(&f, 2, &symbol));
	assert_int_equal(symbol.st_shndx, SHN_UNDEF);
	assert_false(elf_dynamic_symbol(&f, 3, &symbol));
	assert_false(elf_dynamic_symbol(&f, UINT32_MAX, &symbol));
}

static void test_reads_relocations(void **state)
{
	struct elf_image image = { .machine = EM_X86_64,
				   .tls_name = "tsd_tls",
				   .reloc_type = R_X86_64_TPOFF64,
				   .reloc_addend = 16 };
	_close_ int fd = image_make(&image);
	Elf64_Rela reloc = {};
	struct elf_view f;

	(void)state;
	assert_int_equal(elf_view_open_file(&f, fd), 0);
	elf_each_reloc(&f, keep_reloc, &reloc);
	assert_int_equal(reloc.r_offset, 0x3000);
	assert_int_equal(ELF64_R_TYPE(reloc.r_info), R_X86_64_TPOFF64);
	assert_int_equal(reloc.r_addend, 16);
}

/* Whatever is left must be safe to ask, and the whole is the only one that has it all. */
static void test_survives_every_truncation(void **state)
{
	struct elf_image image = { .machine = EM_X86_64,
				   .tls_name = "tsd_tls",
				   .exported = "mallctl",
				   .reloc_type = R_X86_64_TPOFF64 };
	_close_ int fd = image_make(&image);
	size_t complete = 0;

	(void)state;
	for (size_t size = 0; size <= image.size; size++) {
		unsigned char id[ELF_BUILD_ID_MAX];
		struct elf_view f;
		Elf64_Rela reloc;
		char name[256];
		uint32_t crc;

		assert_int_equal(ftruncate(fd, (off_t)size), 0);
		assert_int_equal(pwrite(fd, image.bytes, size, 0), size);
		if (elf_view_open_file(&f, fd) < 0)
			continue;
		elf_build_id(&f, id);
		elf_each_reloc(&f, keep_reloc, &reloc);
		complete += elf_debuglink(&f, name, &crc);
	}
	assert_int_equal(complete, 1);
}

/* Every byte of the headers, as large as it gets. */
static void test_survives_large_numbers(void **state)
{
	struct elf_image image = { .machine = EM_X86_64,
				   .tls_name = "tsd_tls",
				   .exported = "mallctl" };
	_close_ int fd = image_make(&image);

	(void)state;
	for (size_t at = 0; at < 0x900; at++) {
		unsigned char id[ELF_BUILD_ID_MAX], all[4] = { 0xff, 0xff, 0xff, 0xff };
		struct elf_view f;
		Elf64_Shdr section;
		Elf64_Sym symbol;

		assert_int_equal(pwrite(fd, image.bytes, image.size, 0), image.size);
		assert_int_equal(pwrite(fd, all, sizeof(all), (off_t)at), sizeof(all));
		if (elf_view_open_file(&f, fd) < 0)
			continue;
		elf_build_id(&f, id);
		elf_view_find(&f, ".debug_info", &section);
		elf_find_symbol(&f, SHT_SYMTAB, STT_TLS, tls_names, &symbol);
		elf_find_symbol(&f, SHT_DYNSYM, STT_FUNC, function_names, &symbol);
	}
}

static void test_refuses_other_files(void **state)
{
	static const char *const paths[] = { "/dev/null", "/", "/proc/self/maps", "/etc/passwd" };

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(paths); i++) {
		_close_ int fd = open(paths[i], O_RDONLY | O_CLOEXEC);
		struct elf_view f;

		assert_int_equal(elf_view_open_file(&f, fd), -ENOEXEC);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_reads_both_classes),
		cmocka_unit_test(test_undefined_symbols_are_not_found),
		cmocka_unit_test(test_reads_relocations),
		cmocka_unit_test(test_survives_every_truncation),
		cmocka_unit_test(test_survives_large_numbers),
		cmocka_unit_test(test_refuses_other_files),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
