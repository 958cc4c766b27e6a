// SPDX-License-Identifier: GPL-2.0-only
/* The file is one that other programs read: what is in it is found by the ELF view. */
#include "unit.h"

#include "base/elf_view.h"
#include "debug/parts.h"

static const char kallsyms[] = "0000000000001000 A cpu_number\n"
			       "ffffffff81000000 T _stext\n"
			       "ffffffff81000010 t do_enqueue_task\n"
			       "ffffffff81002000 T _etext\n"
			       "ffffffff82000000 D runqueues\n"
			       "ffffffff83000000 T _sinittext\n"
			       "ffffffff83000100 T start_kernel\n"
			       "ffffffff83001000 T _einittext\n"
			       "ffffffff84000000 B _end\n";

struct found {
	Elf64_Sym symbol;
	const char *section;
};

static Elf64_Shdr section_of(const struct elf_view *e, uint32_t type)
{
	for (size_t i = 0; i < e->header.e_shnum; i++) {
		Elf64_Shdr s = elf_view_section(e, i);

		if (s.sh_type == type)
			return s;
	}
	fail();
	return (Elf64_Shdr){};
}

static struct found find(const struct str *file, const char *name)
{
	static struct elf_view e;
	Elf64_Shdr symbols, strings;
	Elf64_Sym s;

	assert_int_equal(elf_view_open(&e, file->s, file->len), 0);
	assert_true(elf_view_has_sections(&e));
	symbols = section_of(&e, SHT_SYMTAB);
	strings = elf_view_section(&e, symbols.sh_link);
	for (uint64_t at = 0; at < symbols.sh_size; at += sizeof(s)) {
		Elf64_Shdr in;

		memcpy(&s, file->s + symbols.sh_offset + at, sizeof(s));
		if (strcmp(file->s + strings.sh_offset + s.st_name, name) != 0)
			continue;
		if (s.st_shndx == SHN_ABS)
			return (struct found){ s, "" };
		in = elf_view_section(&e, s.st_shndx);
		assert_true(s.st_value >= in.sh_addr && s.st_value < in.sh_addr + in.sh_size);
		return (struct found){ s, elf_view_name(&e, &in) };
	}
	fail();
	return (struct found){};
}

static void functions_and_variables_lie_in_sections_of_their_kind(void **state)
{
	static const struct {
		const char *name, *section;
		uint64_t address;
		unsigned char type;
	} rows[] = {
		{ "do_enqueue_task", ".text", 0xffffffff81000010, STT_FUNC },
		{ "start_kernel", ".init.text", 0xffffffff83000100, STT_FUNC },
		{ "runqueues", ".data", 0xffffffff82000000, STT_OBJECT },
		{ "cpu_number", "", 0x1000, STT_OBJECT },
		{ "ktstr_enqueue", ".bpf", 0xffffffffc0001000, STT_FUNC },
	};
	struct prog_function f = { .program = "ktstr_enqueue",
				   .name = "ktstr_enqueue",
				   .start = 0xffffffffc0001000,
				   .end = 0xffffffffc0001080 };
	struct prog_lines programs = { .functions = { .items = &f, .count = 1 } };
	struct symbols kernel = {};
	_str_ struct str out = {};

	(void)state;
	str_add(&kernel.text, kallsyms);
	assert_int_equal(symbol_file_make(&kernel, &programs, NULL, &out), 0);
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct found found = find(&out, rows[i].name);

		assert_string_equal(found.section, rows[i].section);
		assert_true(found.symbol.st_value == rows[i].address);
		assert_int_equal(ELF64_ST_TYPE(found.symbol.st_info), rows[i].type);
	}
	assert_int_equal(find(&out, "ktstr_enqueue").symbol.st_size, 0x80);
	symbols_finish(&kernel);
}

static void a_kernel_without_marks_has_symbols_all_the_same(void **state)
{
	struct symbols kernel = {};
	_str_ struct str out = {};

	(void)state;
	str_add(&kernel.text, "ffffffff81000010 t do_enqueue_task\n");
	assert_int_equal(symbol_file_make(&kernel, NULL, NULL, &out), 0);
	assert_true(find(&out, "do_enqueue_task").symbol.st_value == 0xffffffff81000010);
	symbols_finish(&kernel);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(functions_and_variables_lie_in_sections_of_their_kind),
		cmocka_unit_test(a_kernel_without_marks_has_symbols_all_the_same),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
