// SPDX-License-Identifier: GPL-2.0-only
/* Debug information byte by byte; test_debug_dwarf.c has gdb read it. */
#include "unit.h"

#include <elf.h>
#include <stdio.h>

#include "btf_maker.h"
#include "debug/parts.h"

#define CODE 0xffffffffc0001000ULL
#define FLAGGED (1U << 31)

static const struct prog_line lines[] = {
	{ CODE + 2, "one.c", "", 300, 5 },   { CODE + 16, "", "", 9, 9 },      /* of no file */
	{ CODE + 16, "one.c", "", 12, 200 }, { CODE + 8, "one.c", "", 13, 1 }, /* back */
	{ CODE + 32, "two.h", "", 7, 1 },    { CODE + 64, "two.h", "", 8, 1 }, /* behind it */
	{ CODE + 256, "one.c", "", 1, 0 },
};

static const struct prog_function functions[] = {
	{ .name = "one",
	  .start = CODE,
	  .end = CODE + 64,
	  .has_frame = true,
	  .frame_at = 9,
	  .count = 6 },
	{ .name = "sub", .start = CODE + 256, .end = CODE + 500, .first = 6, .count = 1 },
};

static const struct prog_lines programs = {
	.functions = { .items = (struct prog_function *)functions, .count = ARRAY_SIZE(functions) },
	.lines = { .items = (struct prog_line *)lines, .count = ARRAY_SIZE(lines) },
};

static void expect_bytes(const struct str *s, const char *expected)
{
	_str_ struct str text = {};

	for (size_t i = 0; i < s->len; i++)
		str_addf(&text, "%02x", (unsigned char)s->s[i]);
	assert_string_equal(str_get(&text), expected);
}

/* Each kind of type, with and without names, and references to what is none. */
static void open_types(struct btf *types)
{
	static struct btf_maker m;
	uint32_t number, tag;

	memset(&m, 0, sizeof(m));
	number = bm_int(&m, "int", 4, BM_SIGNED); /* 1 */
	bm_int(&m, "char", 1, BM_SIGNED);
	bm_int(&m, "uchar", 1, 0);
	bm_int(&m, "u8", 1, 0);
	bm_int(&m, "bool", 1, 1U << 26); /* 5 */
	bm_int(&m, "charm", 8, 0);
	bm_ptr(&m, 0);
	bm_array(&m, number, number, 300);
	bm_record(&m, BTF_STRUCT, "s", 16, 2);
	bm_member(&m, "a", number, 4);
	bm_member(&m, NULL, 8, 8);
	bm_record(&m, BTF_UNION, NULL, 4, 0); /* 10 */
	bm_record(&m, BTF_UNION, "u", 4, 0);
	bm_type(&m, NULL, BTF_STRUCT << 24 | 3 | FLAGGED, 8);
	bm_word(&m, bm_name(&m, "b"));
	bm_word(&m, number);
	bm_word(&m, 3U << 24 | 35);
	bm_word(&m, 0);
	bm_word(&m, number);
	bm_word(&m, 5U << 24 | 38);
	bm_word(&m, bm_name(&m, "c"));
	bm_word(&m, number);
	bm_word(&m, 32);
	bm_type(&m, "e", BTF_ENUM << 24 | 1 | FLAGGED, 4);
	bm_word(&m, bm_name(&m, "MINUS"));
	bm_word(&m, (uint32_t)-2);
	bm_type(&m, NULL, BTF_ENUM << 24 | 1, 4);
	bm_word(&m, bm_name(&m, "LARGE"));
	bm_word(&m, (uint32_t)-2);
	bm_type(&m, "w", BTF_ENUM64 << 24 | 2 | FLAGGED, 8); /* 15 */
	bm_word(&m, bm_name(&m, "WIDE"));
	bm_word(&m, 7);
	bm_word(&m, 2);
	bm_word(&m, bm_name(&m, "LOW"));
	bm_word(&m, (uint32_t)-1);
	bm_word(&m, 0);
	bm_type(&m, "fs", BTF_FWD << 24, 0);
	bm_type(&m, "fu", BTF_FWD << 24 | FLAGGED, 0);
	bm_of(&m, BTF_VOLATILE, NULL, number);
	bm_of(&m, BTF_CONST, NULL, 18);
	bm_of(&m, BTF_RESTRICT, NULL, 7); /* 20 */
	tag = bm_of(&m, BTF_TYPE_TAG, "tag", 9);
	tag = bm_of(&m, BTF_TYPE_TAG, "tag", tag);
	bm_of(&m, BTF_TYPEDEF, "t", tag);
	bm_proto(&m, number, 2);
	bm_parameter(&m, "p", 19);
	bm_parameter(&m, NULL, 0);
	bm_var(&m, "v", number); /* 25: no type */
	bm_ptr(&m, 25);
	bm_ptr(&m, 27);
	bm_ptr(&m, 29); /* there is none */
	assert_int_equal(btf_open(types, m.blob, bm_end(&m)), 0);
}

static void types_are_written_one_by_one(void **state)
{
	_dwarf_out_ struct dwarf_out dwarf = {};
	_btf_ struct btf types = {};

	(void)state;
	open_types(&types);
	assert_int_equal(dwarf_out_add_types(&dwarf, &types), 0);
	expect_bytes(&dwarf.sections[DWARF_ABBREV], "0111012508130b03080000"
						    "023b0003080000"
						    "032400030e0b063e0b0000"
						    "040f000b0649130000"
						    "05010149130000"
						    "06210037060000"
						    "0713010b06030e0000"
						    "0813010b060000"
						    "0917010b06030e0000"
						    "0a17010b060000"
						    "0b0d0049133806030e0000"
						    "0c0d00491338060000"
						    "0d0d0049130d0b6b06030e0000"
						    "0e0d0049130d0b6b060000"
						    "0f04010b06030e0000"
						    "1004010b060000"
						    "112800030e1c0d0000"
						    "121300030e3c190000"
						    "131700030e3c190000"
						    "1416004913030e0000"
						    "15350049130000"
						    "16260049130000"
						    "17370049130000"
						    "181501271949130000"
						    "19050049130000"
						    "1a18000000"
						    "00");
	expect_bytes(&dwarf.sections[DWARF_INFO],
		     "5001000004000000000008016b74737472000c766d6c696e75780002766f6964"
		     "000301000000040000000503050000000100000006030a000000010000000803"
		     "1000000001000000070313000000010000000203180000000800000007040800"
		     "00001b0000000521000000062c0100000007100000001e0000000b2100000004"
		     "000000200000000c6600000008000000000a0400000000090400000022000000"
		     "0008080000000d210000000323000000240000000e2100000005260000000b21"
		     "0000000400000026000000000f0400000028000000112a0000007e0010040000"
		     "001130000000feffffff0f000f08000000360000001138000000878080802011"
		     "3d000000ffffffff0f001241000000134400000015210000001614010000175d"
		     "00000014710000004f000000182100000019190100001a0004080000001b0000"
		     "0004080000004101000004080000001b00000000");
	assert_int_equal(dwarf.sections[DWARF_STRINGS].len, types.names_len);
	assert_memory_equal(dwarf.sections[DWARF_STRINGS].s, types.names, types.names_len);
}

static void programs_are_written_one_by_one(void **state)
{
	_dwarf_out_ struct dwarf_out dwarf = {};

	(void)state;
	assert_int_equal(dwarf_out_add_programs(&dwarf, &programs), 0);
	expect_bytes(&dwarf.sections[DWARF_ABBREV], "0111012508130b03081017110155170000"
						    "022e0003081101120727190000"
						    "00");
	expect_bytes(&dwarf.sections[DWARF_INFO],
		     "5000000004000000000008016b74737472000c6f6e652e630000000000000000"
		     "000000000000000000026f6e6500001000c0ffffffff40000000000000000273"
		     "756200001100c0fffffffff40000000000000000");
	expect_bytes(&dwarf.sections[DWARF_LINE],
		     "730000000200250000000101fb0e0d000101010100000001000001006f6e652e"
		     "630000000074776f2e680000000000000902001000c0ffffffff0200040103ab"
		     "020505010210040103e07d05c8010102100402037b0501010220000101000902"
		     "001100c0ffffffff02000401030005000102f401000101");
	expect_bytes(&dwarf.sections[DWARF_RANGES],
		     "001000c0ffffffff401000c0ffffffff001100c0fffffffff41100c0ffffffff"
		     "00000000000000000000000000000000");
	expect_bytes(&dwarf.sections[DWARF_FRAME],
		     "0e000000ffffffff01000178100c070890011c00000000000000001000c0ffff"
		     "ffff40000000000000004a0e108602430d06");
	assert_int_equal(dwarf.sections[DWARF_STRINGS].len, 0);
}

/* Units behind others refer to their own abbreviations, and to their own entries. */
static void units_may_follow_others(void **state)
{
	_dwarf_out_ struct dwarf_out alone = {}, both = {};
	const struct str *info = &both.sections[DWARF_INFO];
	_btf_ struct btf types = {};
	size_t before, abbrevs;
	uint32_t named;

	(void)state;
	open_types(&types);
	assert_int_equal(dwarf_out_add_types(&alone, &types), 0);
	assert_int_equal(dwarf_out_add_programs(&both, &programs), 0);
	before = info->len;
	abbrevs = both.sections[DWARF_ABBREV].len;
	assert_int_equal(dwarf_out_add_types(&both, &types), 0);
	assert_int_equal(info->len - before, alone.sections[DWARF_INFO].len);
	memcpy(&named, info->s + before + 6, sizeof(named));
	assert_int_equal(named, abbrevs);
	assert_memory_equal(info->s + before + 10, alone.sections[DWARF_INFO].s + 10,
			    info->len - before - 10);
}

/* ---- the file ---- */

static Elf64_Shdr header_at(const struct str *file, size_t i)
{
	Elf64_Shdr h;

	memcpy(&h, file->s + sizeof(Elf64_Ehdr) + i * sizeof(h), sizeof(h));
	return h;
}

/* Each section: its name, type, flags, size, and what it refers to; contents without a gap. */
static void the_file_has_its_sections_in_order(void **state)
{
	static const char kallsyms[] =
		"ffffffff80000000 T _stext\nffffffff80001000 T _etext\n"
		"ffffffff80003000 T _sinittext\nffffffff80004000 T _einittext\n"
		"ffffffff80006000 B _end\n";
	_dwarf_out_ struct dwarf_out dwarf = {};
	_str_ struct str file = {}, text = {};
	struct symbols kernel = {};
	Elf64_Shdr names;
	Elf64_Ehdr h;
	uint64_t end;

	(void)state;
	str_add(&kernel.text, kallsyms);
	for (size_t i = 0; i < DWARF_SECTIONS; i++)
		for (size_t k = 0; k <= i; k++)
			dwarf_out_u8(&dwarf.sections[i], 'a' + i);
	assert_int_equal(symbol_file_make(&kernel, &programs, &dwarf, &file), 0);
	memcpy(&h, file.s, sizeof(h));
	names = header_at(&file, h.e_shstrndx);
	end = sizeof(h) + h.e_shnum * sizeof(Elf64_Shdr);
	for (size_t i = 0; i < h.e_shnum; i++) {
		Elf64_Shdr s = header_at(&file, i);

		str_addf(&text, "%s %u %llx %llx +%llx link %u info %u each %llu align %llu\n",
			 i ? file.s + names.sh_offset + s.sh_name : "", s.sh_type,
			 (unsigned long long)s.sh_flags, (unsigned long long)s.sh_addr,
			 (unsigned long long)s.sh_size, s.sh_link, s.sh_info,
			 (unsigned long long)s.sh_entsize, (unsigned long long)s.sh_addralign);
		if (s.sh_type != SHT_NOBITS && s.sh_type && i != h.e_shstrndx) {
			assert_true(s.sh_offset == end);
			end += s.sh_size;
		}
		if (i > h.e_shstrndx)
			assert_int_equal(file.s[s.sh_offset], 'a' + i - h.e_shstrndx - 1);
	}
	assert_true(names.sh_offset == end && end + names.sh_size == file.len);
	assert_string_equal(str_get(&text),
			    " 0 0 0 +0 link 0 info 0 each 0 align 0\n"
			    ".text 8 6 ffffffff80000000 +1000 link 0 info 0 each 0 align 1\n"
			    ".data 8 3 ffffffff80001000 +2000 link 0 info 0 each 0 align 1\n"
			    ".init.text 8 6 ffffffff80003000 +1000 link 0 info 0 each 0 align 1\n"
			    ".bss 8 3 ffffffff80004000 +2000 link 0 info 0 each 0 align 1\n"
			    ".bpf 8 6 ffffffffc0001000 +1f4 link 0 info 0 each 0 align 1\n"
			    ".symtab 2 0 0 +c0 link 7 info 1 each 24 align 1\n"
			    ".strtab 3 0 0 +32 link 0 info 0 each 0 align 1\n"
			    ".shstrtab 3 0 0 +88 link 0 info 0 each 0 align 1\n"
			    ".debug_abbrev 1 0 0 +1 link 0 info 0 each 0 align 1\n"
			    ".debug_info 1 0 0 +2 link 0 info 0 each 0 align 1\n"
			    ".debug_str 1 0 0 +3 link 0 info 0 each 0 align 1\n"
			    ".debug_line 1 0 0 +4 link 0 info 0 each 0 align 1\n"
			    ".debug_ranges 1 0 0 +5 link 0 info 0 each 0 align 1\n"
			    ".debug_frame 1 0 0 +6 link 0 info 0 each 0 align 1\n");
	assert_memory_equal(h.e_ident, ELFMAG "\x02\x01\x01\0\0", 9);
	assert_true(h.e_type == ET_EXEC && h.e_machine == EM_X86_64 && h.e_version == 1);
	assert_true(h.e_ehsize == sizeof(h) && h.e_shentsize == sizeof(Elf64_Shdr));
	symbols_finish(&kernel);
}

static void symbols_are_written_in_their_order(void **state)
{
	static const char kallsyms[] = "0000000000001000 A cpu_number\n"
				       "ffffffff80000000 T _stext\nffffffff80001000 T _etext\n"
				       "ffffffff80001000 T _sinittext\n";
	_str_ struct str file = {}, text = {};
	struct symbols kernel = {};
	Elf64_Shdr symbols, strings;

	(void)state;
	str_add(&kernel.text, kallsyms);
	assert_int_equal(symbol_file_make(&kernel, &programs, NULL, &file), 0);
	symbols = header_at(&file, 6);
	strings = header_at(&file, symbols.sh_link);
	for (uint64_t at = 0; at < symbols.sh_size; at += sizeof(Elf64_Sym)) {
		Elf64_Sym s;

		memcpy(&s, file.s + symbols.sh_offset + at, sizeof(s));
		str_addf(&text, "'%s' %llx +%llx in %x info %x\n",
			 file.s + strings.sh_offset + s.st_name, (unsigned long long)s.st_value,
			 (unsigned long long)s.st_size, s.st_shndx, s.st_info);
	}
	assert_string_equal(str_get(&text), "'' 0 +0 in 0 info 0\n"
					    "'one' ffffffffc0001000 +40 in 5 info 12\n"
					    "'sub' ffffffffc0001100 +f4 in 5 info 12\n"
					    "'cpu_number' 1000 +0 in fff1 info 11\n"
					    "'_stext' ffffffff80000000 +0 in 1 info 12\n"
					    "'_etext' ffffffff80001000 +0 in fff1 info 11\n"
					    "'_sinittext' ffffffff80001000 +0 in fff1 info 11\n");
	/* Nothing lies between the first two areas: there is no section. */
	assert_int_equal(header_at(&file, 2).sh_type, 0);
	/* Without debug information its sections are empty. */
	for (size_t i = 0; i < DWARF_SECTIONS; i++)
		assert_int_equal(header_at(&file, 9 + i).sh_size, 0);
	symbols_finish(&kernel);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(types_are_written_one_by_one),
		cmocka_unit_test(programs_are_written_one_by_one),
		cmocka_unit_test(units_may_follow_others),
		cmocka_unit_test(the_file_has_its_sections_in_order),
		cmocka_unit_test(symbols_are_written_in_their_order),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
