// SPDX-License-Identifier: GPL-2.0-only
/* Debug information that was made here, as gdb reads it. */
#include "unit.h"

#include "debug/parts.h"

#define LIMIT_NS (60 * NSEC_PER_SEC)
#define CODE 0xffffffffc0001000ULL
#define INFO(kind, count) ((uint32_t)(kind) << 24 | (count))
#define FLAGGED (1U << 31)

/*
 * struct node { struct node *next; unsigned int low : 3, high : 5; const char name[4];
 *		 union { int number; enum color color; }; void (*call)(int, ...); word_t word; };
 */
struct blob {
	struct {
		uint16_t magic;
		uint8_t version, flags;
		uint32_t hdr_len, type_off, type_len, str_off, str_len;
	} header;
	struct btf_type unsigned_int; /* 1 */
	uint32_t unsigned_int_bits;
	struct btf_type character; /* 2 */
	uint32_t character_bits;
	struct btf_type constant; /* 3 */
	struct btf_type array;	  /* 4 */
	uint32_t array_words[3];
	struct btf_type pointer; /* 5 */
	struct btf_type color;	 /* 6 */
	uint32_t color_words[4];
	struct btf_type integer; /* 7 */
	uint32_t integer_bits;
	struct btf_type either; /* 8 */
	struct btf_member either_members[2];
	struct btf_type call; /* 9 */
	uint32_t call_words[4];
	struct btf_type call_pointer; /* 10 */
	struct btf_type wide;	      /* 11 */
	uint32_t wide_words[3];
	struct btf_type tagged; /* 12 */
	struct btf_type word;	/* 13 */
	struct btf_type node;	/* 14 */
	struct btf_member node_members[7];
	char strings[160];
};

static const char *const names[] = { "",     "unsigned int", "char",   "color",	 "RED",
				     "BLUE", "int",	     "node",   "next",	 "low",
				     "high", "name",	     "call",   "word_t", "word",
				     "FAR",  "user",	     "number", "far" };

static uint32_t name_of(const char *name)
{
	uint32_t at = 0;

	for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
		if (strcmp(names[i], name) == 0)
			return at;
		at += (uint32_t)strlen(names[i]) + 1;
	}
	fail();
	return 0;
}

static struct blob make(void)
{
	struct blob b = {
		.header = { .magic = 0xeb9f,
			    .version = 1,
			    .hdr_len = sizeof(b.header),
			    .type_len = offsetof(struct blob, strings) - sizeof(b.header),
			    .str_off = offsetof(struct blob, strings) - sizeof(b.header),
			    .str_len = sizeof(b.strings) },
		.unsigned_int = { name_of("unsigned int"), INFO(BTF_INT, 0), 4 },
		.unsigned_int_bits = 32,
		.character = { name_of("char"), INFO(BTF_INT, 0), 1 },
		.character_bits = 1 << 24 | 8,
		.constant = { 0, INFO(BTF_CONST, 0), 2 },
		.array = { 0, INFO(BTF_ARRAY, 0), 0 },
		.array_words = { 3, 1, 4 },
		.pointer = { 0, INFO(BTF_PTR, 0), 14 },
		.color = { name_of("color"), INFO(BTF_ENUM, 2) | FLAGGED, 4 },
		.color_words = { name_of("RED"), (uint32_t)-1, name_of("BLUE"), 70 },
		.integer = { name_of("int"), INFO(BTF_INT, 0), 4 },
		.integer_bits = 1 << 24 | 32,
		.either = { 0, INFO(BTF_UNION, 2), 4 },
		.either_members = { { name_of("number"), 7, 0 }, { name_of("color"), 6, 0 } },
		.call = { 0, INFO(BTF_FUNC_PROTO, 2), 0 },
		.call_words = { 0, 7, 0, 0 },
		.call_pointer = { 0, INFO(BTF_PTR, 0), 9 },
		.wide = { name_of("far"), INFO(BTF_ENUM64, 1), 8 },
		.wide_words = { name_of("FAR"), 7, 1 },
		.tagged = { name_of("user"), INFO(BTF_TYPE_TAG, 0), 11 },
		.word = { name_of("word_t"), INFO(BTF_TYPEDEF, 0), 12 },
		.node = { name_of("node"), INFO(BTF_STRUCT, 7) | FLAGGED, 40 },
		.node_members = { { name_of("next"), 5, 0 },
				  { name_of("low"), 1, 3U << 24 | 64 },
				  { name_of("high"), 1, 5U << 24 | 67 },
				  { name_of("name"), 4, 96 },
				  { 0, 8, 128 },
				  { name_of("call"), 10, 192 },
				  { name_of("word"), 13, 256 } },
	};
	size_t at = 0;

	for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
		memcpy(b.strings + at, names[i], strlen(names[i]) + 1);
		at += strlen(names[i]) + 1;
	}
	return b;
}

static const struct prog_line lines[] = {
	{ CODE + 2, "bpf/one.bpf.c", "int a = 1;", 300, 5 },
	{ CODE + 16, "bpf/one.bpf.c", "return a;", 12, 2 },
	{ CODE + 32, "lib/calls.h", "call();", 7, 1 },
	{ CODE + 256, "bpf/one.bpf.c", "int sub", 90, 1 },
};

static const struct prog_function functions[] = {
	{ .program = "one_enqueue",
	  .name = "one_enqueue",
	  .start = CODE,
	  .end = CODE + 64,
	  .has_frame = true,
	  .frame_at = 9,
	  .first = 0,
	  .count = 3 },
	{ .program = "one_enqueue",
	  .name = "helper",
	  .start = CODE + 256,
	  .end = CODE + 300,
	  .first = 3,
	  .count = 1 },
};

/* What a program says about a file with all of it, which its last argument names. */
static void ask(const char *const *argv, struct str *out)
{
	struct prog_lines programs = {
		.functions = { .items = (struct prog_function *)functions,
			       .count = ARRAY_SIZE(functions) },
		.lines = { .items = (struct prog_line *)lines, .count = ARRAY_SIZE(lines) },
	};
	struct blob blob = make();
	struct symbols kernel = {};
	_btf_ struct btf types = {};
	_dwarf_out_ struct dwarf_out dwarf = {};
	_str_ struct str file = {};

	assert_int_equal(btf_open(&types, &blob, sizeof(blob)), 0);
	assert_int_equal(dwarf_out_add_types(&dwarf, &types), 0);
	assert_int_equal(dwarf_out_add_programs(&dwarf, &programs), 0);
	assert_int_equal(symbol_file_make(&kernel, &programs, &dwarf, &file), 0);
	assert_int_equal(file_replace("symbols", file.s, file.len, 0600), 0);
	assert_int_equal(child_output(argv, LIMIT_NS, out), 0);
	unlink("symbols");
}

static bool has(const char *program)
{
	const char *const argv[] = { program, "--version", NULL };
	_str_ struct str out = {};

	if (child_output(argv, LIMIT_NS, &out) == 0)
		return true;
	err_clear();
	return false;
}

static void check(const char *command, const char *expected)
{
	const char *const argv[] = { "gdb", "-nx", "-q", "-batch", "-ex", command, "symbols", NULL };
	_str_ struct str out = {};

	if (!has("gdb"))
		skip();
	ask(argv, &out);
	str_trim_end(&out);
	assert_string_equal(str_get(&out), expected);
}

static void types_are_those_of_btf(void **state)
{
	(void)state;
	check("ptype struct node", "type = struct node {\n"
				   "    struct node *next;\n"
				   "    unsigned int low : 3;\n"
				   "    unsigned int high : 5;\n"
				   "    const char name[4];\n"
				   "    union {\n"
				   "        int number;\n"
				   "        enum color color;\n"
				   "    };\n"
				   "    void (*call)(int, ...);\n"
				   "    word_t word;\n"
				   "}");
	check("output sizeof(struct node)", "40");
	check("output (long)&((struct node *)0)->color", "16");
	check("output (long)&((struct node *)0)->word", "32");
}

static void enumerators_have_their_values(void **state)
{
	(void)state;
	check("output (long)RED", "-1");
	check("output (long)BLUE", "70");
	check("output (enum color)70", "BLUE");
	check("output (long)FAR", "4294967303");
	check("whatis (word_t)0", "type = word_t");
}

static void instructions_have_lines(void **state)
{
	(void)state;
	check("info line *0xffffffffc0001001",
	      "Line 300 of \"bpf/one.bpf.c\" starts at address 0xffffffffc0001000 <one_enqueue> and "
	      "ends at 0xffffffffc0001010 <one_enqueue+16>.");
	check("info line *0xffffffffc0001013",
	      "Line 12 of \"bpf/one.bpf.c\" starts at address 0xffffffffc0001010 "
	      "<one_enqueue+16> and ends at 0xffffffffc0001020 <one_enqueue+32>.");
	check("info line calls.h:7",
	      "Line 7 of \"lib/calls.h\" starts at address 0xffffffffc0001020 <one_enqueue+32> and "
	      "ends at 0xffffffffc0001040.");
	check("info line one.bpf.c:90",
	      "Line 90 of \"bpf/one.bpf.c\" starts at address "
	      "0xffffffffc0001100 <helper> and ends at 0xffffffffc000112c.");
}

static void frames_begin_where_the_base_pointer_is_saved(void **state)
{
	static const char *const argv[] = { "readelf", "--debug-dump=frames", "symbols", NULL };
	static const char *const told[] = {
		"FDE cie=00000000 pc=ffffffffc0001000..ffffffffc0001040\n",
		"DW_CFA_advance_loc: 10 to ffffffffc000100a\n  DW_CFA_def_cfa_offset: 16\n"
		"  DW_CFA_offset: r6 (rbp) at cfa-16\n"
		"  DW_CFA_advance_loc: 3 to ffffffffc000100d\n  DW_CFA_def_cfa_register: r6 (rbp)\n",
	};
	_str_ struct str out = {};

	(void)state;
	if (!has("readelf"))
		skip();
	ask(argv, &out);
	for (size_t i = 0; i < ARRAY_SIZE(told); i++)
		assert_non_null(strstr(str_get(&out), told[i]));
	/* The other function makes none. */
	assert_null(strstr(str_get(&out), "pc=ffffffffc0001100"));
}

static void without_lines_there_is_nothing_about_programs(void **state)
{
	struct prog_lines programs = { .functions = { .items = (struct prog_function *)functions,
						      .count = 1 } };
	_dwarf_out_ struct dwarf_out dwarf = {};

	(void)state;
	assert_int_equal(dwarf_out_add_programs(&dwarf, &programs), 0);
	for (size_t i = 0; i < DWARF_SECTIONS; i++)
		assert_int_equal(dwarf.sections[i].len, 0);
}

static void numbers_take_as_many_bytes_as_they_need(void **state)
{
	_str_ struct str out = {};

	(void)state;
	dwarf_out_uleb(&out, 127);
	dwarf_out_uleb(&out, 128);
	dwarf_out_sleb(&out, -64);
	dwarf_out_sleb(&out, -65);
	dwarf_out_sleb(&out, 64);
	assert_int_equal(out.len, 8);
	assert_memory_equal(out.s, "\x7f\x80\x01\x40\xbf\x7f\xc0\x00", 8);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(types_are_those_of_btf),
		cmocka_unit_test(enumerators_have_their_values),
		cmocka_unit_test(instructions_have_lines),
		cmocka_unit_test(frames_begin_where_the_base_pointer_is_saved),
		cmocka_unit_test(without_lines_there_is_nothing_about_programs),
		cmocka_unit_test(numbers_take_as_many_bytes_as_they_need),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
