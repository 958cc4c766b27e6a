// SPDX-License-Identifier: GPL-2.0-only
/* What is read of a BPF object: functions, variables, references and accesses; and damaged ones. */
#include "unit.h"

#include <stdlib.h>

#include "base/err.h"
#include "bpf_object_maker.h"
#include "watch/cast.h"

static struct object_maker m;
static struct bpf_object object;
static union {
	Elf64_Ehdr head;
	uint8_t bytes[sizeof(m.file)];
} file;

static int set_up(void **state)
{
	(void)state;
	om_begin(&m);
	object = (struct bpf_object){};
	return 0;
}

static int tear_down(void **state)
{
	(void)state;
	bpf_object_close(&object);
	return 0;
}

static void finish(void)
{
	om_exit(&m);
	om_end(&m);
	memcpy(file.bytes, m.file, sizeof(file.bytes));
}

static int reopen(void)
{
	int rc;

	bpf_object_close(&object);
	rc = bpf_object_open(&object, file.bytes, m.file_len);
	err_clear();
	return rc;
}

static void expect_damaged(void)
{
	assert_int_equal(reopen(), -EINVAL);
	memcpy(file.bytes, m.file, sizeof(file.bytes));
	assert_int_equal(reopen(), 0);
}

static Elf64_Shdr *section(enum om_section s)
{
	return (Elf64_Shdr *)(file.bytes + file.head.e_shoff) + s;
}

static Elf64_Sym *symbol(enum om_symbol s)
{
	return (Elf64_Sym *)(file.bytes + section(OM_SYMBOLS)->sh_offset) + s;
}

/* A word of BTF.ext: magic, header's length, ..., then the records of functions. */
static uint32_t *ext(size_t word)
{
	return (uint32_t *)(file.bytes + section(OM_EXT)->sh_offset) + word;
}

static void functions_have_code_and_types(void **state)
{
	const struct bpf_function *op, *visit;
	struct btf_type proto;

	(void)state;
	om_set(&m, 3, -5);
	finish();
	assert_int_equal(reopen(), 0);
	assert_int_equal(object.functions.count, 2);
	op = bpf_object_function(&object, OM_CODE, 0);
	visit = bpf_object_function(&object, OM_TEXT, 0);
	assert_non_null(op);
	assert_non_null(visit);
	assert_null(bpf_object_function(&object, OM_CODE, 8));
	assert_null(bpf_object_function(&object, OM_MAPS, 0));
	assert_int_equal(op->count, 2);
	assert_int_equal(op->type, m.op);
	assert_int_equal(visit->type, m.visit);
	/* Only the first is an operation. */
	assert_int_equal(visit->context, 0);
	assert_int_not_equal(op->context, 0);
	proto = btf_type_at(&object.types, op->context);
	assert_int_equal(btf_count_of(&proto), 3);
	assert_int_equal(bpf_instruction_at(op, 0).code, 0xb7);
	assert_int_equal(bpf_instruction_at(op, 0).dst, 3);
	assert_int_equal(bpf_instruction_at(op, 0).imm, -5);
	assert_int_equal(bpf_instruction_at(op, 1).code, 0x95);
}

static void instructions_have_all_their_parts(void **state)
{
	static const uint8_t code[] = { 0, 0, 0, 0, 0, 0, 0, 0, 0x7b, 0xa9, 0xfe, 0xff, 1, 2, 3, 4 };
	const struct bpf_function f = { .code = code, .count = 2 };
	struct bpf_instruction i = bpf_instruction_at(&f, 1);

	(void)state;
	assert_int_equal(i.code, 0x7b);
	assert_int_equal(i.dst, 9);
	assert_int_equal(i.src, 10);
	assert_int_equal(i.offset, -2);
	assert_int_equal(i.imm, 0x04030201);
}

static void variables_have_places(void **state)
{
	static const struct {
		enum om_section section;
		uint64_t offset;
		const char *name;
	} rows[] = {
		{ OM_MAPS, 0, "holders" },  { OM_MAPS, 7, "holders" },	 { OM_MAPS, 8, "numbers" },
		{ OM_MAPS, 15, "numbers" }, { OM_MAPS, 16, NULL },	 { OM_BSS, 0, "newest" },
		{ OM_BSS, 8, "typed" },	    { OM_OPS, 0, "operations" }, { OM_CODE, 0, NULL },
	};

	(void)state;
	finish();
	assert_int_equal(reopen(), 0);
	assert_int_equal(object.variables.count, 5);
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		const struct bpf_variable *v =
			bpf_object_variable(&object, rows[i].section, rows[i].offset);
		struct btf_type t;

		assert_int_equal(v != NULL, rows[i].name != NULL);
		if (!v)
			continue;
		t = btf_type_at(&object.types, v->type);
		assert_string_equal(btf_name_at(&object.types, t.name), rows[i].name);
		assert_int_equal(v->is_map, rows[i].section == OM_MAPS);
		assert_int_equal(v->size, 8);
	}
}

static void references_are_those_of_an_instruction(void **state)
{
	const struct bpf_function *op;
	Elf64_Sym found;

	(void)state;
	om_set(&m, 1, 0);
	om_address(&m, 1, OM_SYM_NUMBERS, 0);
	om_call(&m, OM_SYM_FIND);
	finish();
	assert_int_equal(reopen(), 0);
	op = bpf_object_function(&object, OM_CODE, 0);
	assert_false(bpf_object_symbol(&object, op, 0, &found));
	assert_true(bpf_object_symbol(&object, op, 1, &found));
	assert_string_equal(bpf_object_name(&object, &found), "numbers");
	assert_false(bpf_object_symbol(&object, op, 2, &found));
	assert_true(bpf_object_symbol(&object, op, 3, &found));
	assert_string_equal(bpf_object_name(&object, &found), "find");
	assert_int_equal(found.st_shndx, SHN_UNDEF);
	/* Another function has none. */
	assert_false(
		bpf_object_symbol(&object, bpf_object_function(&object, OM_TEXT, 0), 1, &found));
	found.st_name = UINT32_MAX;
	assert_string_equal(bpf_object_name(&object, &found), "");
	found.st_name = (uint32_t)section(OM_NAMES)->sh_size;
	assert_string_equal(bpf_object_name(&object, &found), "");
}

/* The offset of a field by its path; -1 = it is none. */
static void paths_of_members_are_offsets(void **state)
{
	static const struct {
		const char *path;
		int64_t offset;
	} rows[] = {
		{ "0", 0 },	 { "2", 112 },	  { "0:1", 8 },
		{ "1:1", 64 },	 { "0:2:0", 16 }, { "0:2:1", 16 },
		{ "0:3:0", 24 }, { "0:4", 32 },	  { "0:4:1", 40 },
		{ "0:5", 48 },	 { "0:6", -1 },	  { "0:0:0", -1 },
		{ "0:", -1 },	 { ":0", -1 },	  { "0;1", -1 },
		{ "x", -1 },	 { "65536", -1 }, { "65535", 65535 * 56 },
		{ "0:1:", -1 },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		const struct bpf_access *a;
		const struct bpf_function *op;

		om_begin(&m);
		om_set(&m, 1, 0);
		om_by_name(&m, m.holder, rows[i].path);
		om_load(&m, OM_U64, 0, 8, 0);
		finish();
		assert_int_equal(reopen(), 0);
		op = bpf_object_function(&object, OM_CODE, 0);
		assert_null(bpf_object_access(&object, op, 0));
		a = bpf_object_access(&object, op, 1);
		assert_int_equal(a != NULL, rows[i].offset >= 0);
		if (!a)
			continue;
		assert_int_equal(a->field, rows[i].offset);
		assert_int_equal(a->type, m.holder);
		assert_null(bpf_object_access(&object, op, 2));
	}
	/* Relocations of other kinds tell no offset. */
	om_begin(&m);
	om_by_name(&m, m.holder, "0:1");
	m.accesses[3] = 1;
	finish();
	assert_int_equal(reopen(), 0);
	assert_int_equal(object.accesses.count, 0);
}

/* ---- damage ---- */

static void objects_without_their_parts_are_damaged(void **state)
{
	(void)state;
	finish();
	section(OM_SYMBOLS)->sh_type = SHT_PROGBITS;
	expect_damaged();
	section(OM_SYMBOLS)->sh_link = OM_SECTIONS;
	expect_damaged();
	section(OM_BTF)->sh_name = 0;
	expect_damaged();
	section(OM_TEXT)->sh_offset = sizeof(file.bytes);
	expect_damaged();
	section(OM_TEXT)->sh_size = UINT64_MAX;
	expect_damaged();
	file.bytes[section(OM_BTF)->sh_offset] ^= 1;
	expect_damaged();
	file.head.e_shnum = 0;
	expect_damaged();
	/* BTF.ext may be missing. */
	section(OM_EXT)->sh_name = 0;
	assert_int_equal(reopen(), 0);
	assert_int_equal(object.functions.count, 2);
	assert_int_equal(object.functions.items[0].type, 0);
}

static void functions_lie_in_their_sections(void **state)
{
	(void)state;
	om_set(&m, 1, 0);
	finish();
	symbol(OM_SYM_OP)->st_size += 1;
	expect_damaged();
	symbol(OM_SYM_OP)->st_value = 4;
	symbol(OM_SYM_OP)->st_size = 8;
	expect_damaged();
	symbol(OM_SYM_OP)->st_value = 24;
	expect_damaged();
	symbol(OM_SYM_OP)->st_value = 8;
	expect_damaged();
	/* The last instruction alone is one. */
	symbol(OM_SYM_OP)->st_value = 8;
	symbol(OM_SYM_OP)->st_size = 8;
	assert_int_equal(reopen(), 0);
	assert_non_null(bpf_object_function(&object, OM_CODE, 8));
	assert_int_equal(bpf_instruction_at(&object.functions.items[0], 0).code, 0x95);
	/* One without instructions, or in a section without code, is none. */
	symbol(OM_SYM_OP)->st_size = 7;
	assert_int_equal(reopen(), 0);
	assert_int_equal(object.functions.count, 1);
	section(OM_TEXT)->sh_flags = 0;
	assert_int_equal(reopen(), 0);
	assert_int_equal(object.functions.count, 0);
	symbol(OM_SYM_OP)->st_shndx = OM_SECTIONS;
	assert_int_equal(reopen(), 0);
}

static void references_are_to_symbols(void **state)
{
	Elf64_Rel *rel;

	(void)state;
	om_address(&m, 1, OM_SYM_NUMBERS, 0);
	finish();
	rel = (Elf64_Rel *)(file.bytes + section(OM_CODE_REFS)->sh_offset);
	rel->r_info = ELF64_R_INFO(OM_SYMS, 1);
	expect_damaged();
	rel->r_offset = 1ULL << 32;
	expect_damaged();
	rel->r_info = ELF64_R_INFO(OM_SYMS - 1, 1);
	assert_int_equal(reopen(), 0);
}

static void variables_need_types_and_names(void **state)
{
	(void)state;
	finish();
	symbol(OM_SYM_NEWEST)->st_name = 0;
	assert_int_equal(reopen(), 0);
	assert_null(bpf_object_variable(&object, OM_BSS, 0));
	symbol(OM_SYM_TYPED)->st_size = 1ULL << 32;
	assert_int_equal(reopen(), 0);
	assert_null(bpf_object_variable(&object, OM_BSS, 8));
	section(OM_MAPS)->sh_name = 0;
	assert_int_equal(reopen(), 0);
	assert_int_equal(object.variables.count, 1);
}

/* Words of BTF.ext: 1 and 3 are lengths of its header and of functions, from 8 on are records. */
static void records_have_sizes_and_numbers(void **state)
{
	static const struct {
		size_t word;
		uint32_t value;
	} bad[] = {
		{ 0, 0x1eb9e }, { 1, 1U << 16 }, { 8, 7 },	     { 8, 257 },
		{ 10, 2 },	{ 10, 5 },	 { 10, UINT32_MAX }, { 3, 35 },
	};
	static const struct {
		size_t word;
		uint32_t value;
	} empty[] = { { 2, 1U << 16 }, { 3, 1U << 16 }, { 3, 0 }, { 3, 3 }, { 3, 4 }, { 9, 0 } };

	(void)state;
	finish();
	assert_int_equal(reopen(), 0);
	assert_int_equal(*ext(8), 8);
	for (size_t i = 0; i < ARRAY_SIZE(bad); i++) {
		*ext(bad[i].word) = bad[i].value;
		expect_damaged();
	}
	section(OM_EXT)->sh_size = 23;
	expect_damaged();
	/* A part that lies elsewhere is none, and what belongs to no section is passed over. */
	for (size_t i = 0; i < ARRAY_SIZE(empty); i++) {
		*ext(empty[i].word) = empty[i].value;
		assert_int_equal(reopen(), 0);
		assert_int_equal(bpf_object_function(&object, OM_CODE, 0)->type, 0);
		memcpy(file.bytes, m.file, sizeof(file.bytes));
	}
	/* A header without accesses. */
	*ext(1) = 24;
	*ext(3) = 0;
	assert_int_equal(reopen(), 0);
}

/* ---- objects in a file ---- */

static void objects_are_found_in_whatever_holds_them(void **state)
{
	static _Alignas(Elf64_Ehdr) uint8_t whole[2 * sizeof(file.bytes) + 64];
	size_t at = 0, found = 0, second = 13 + sizeof(file.bytes) + 5;
	Elf64_Ehdr *other = (Elf64_Ehdr *)whole;

	(void)state;
	finish();
	memset(whole, 0, sizeof(whole));
	assert_false(bpf_object_next(whole, sizeof(whole), &at, &found));
	assert_int_equal(at, sizeof(whole));
	memcpy(whole + 13, m.file, m.file_len);
	memcpy(whole + second, m.file, m.file_len);
	at = 0;
	assert_true(bpf_object_next(whole, sizeof(whole), &at, &found));
	assert_int_equal(found, 13);
	assert_true(bpf_object_next(whole, sizeof(whole), &at, &found));
	assert_int_equal(found, second);
	assert_false(bpf_object_next(whole, sizeof(whole), &at, &found));
	/* Of another machine, or a program. */
	memset(whole, 0, sizeof(whole));
	memcpy(whole, m.file, m.file_len);
	other->e_machine = EM_X86_64;
	at = 0;
	assert_false(bpf_object_next(whole, sizeof(whole), &at, &found));
	other->e_machine = EM_BPF;
	other->e_type = ET_EXEC;
	at = 0;
	assert_false(bpf_object_next(whole, sizeof(whole), &at, &found));
	other->e_type = ET_REL;
	at = 0;
	assert_true(bpf_object_next(whole, sizeof(whole), &at, &found));
	assert_int_equal(found, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
		TEST(functions_have_code_and_types),
		TEST(instructions_have_all_their_parts),
		TEST(variables_have_places),
		TEST(references_are_those_of_an_instruction),
		TEST(paths_of_members_are_offsets),
		TEST(objects_without_their_parts_are_damaged),
		TEST(functions_lie_in_their_sections),
		TEST(references_are_to_symbols),
		TEST(variables_need_types_and_names),
		TEST(records_have_sizes_and_numbers),
		TEST(objects_are_found_in_whatever_holds_them),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
