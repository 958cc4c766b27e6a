// SPDX-License-Identifier: GPL-2.0-only
/*
 * Both ends of the helper process: what it reads in DWARF that is made by hand, what a library
 * tells it, and which rights it gives up. The kernel and the library are played.
 */
#include "unit.h"

#include <dwarf.h>
#include <elf.h>
#include <errno.h>
#include <grp.h>
#include <linux/capability.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

/* ---- what is played ---- */

static struct played {
	bool is_on; /* not in a helper that runs in earnest */
	const char *failing;
	int error;
	uid_t user;
	/* In their order, with the numbers that they were given. */
	char calls[512];
	/* The library: what it is called by, and where its counters are. */
	const char *mallctl, *unknown;
	bool cannot_load, has_no_module;
	uintptr_t block, allocated, deallocated;
} played;

static int call(const char *name, long a, long b)
{
	size_t len = strlen(played.calls);

	snprintf(played.calls + len, sizeof(played.calls) - len, "%s(%ld,%ld) ", name, a, b);
	if (!played.failing || !str_eq(name, played.failing))
		return 0;
	errno = played.error;
	return -1;
}

static uid_t played_geteuid(void)
{
	return played.is_on ? played.user : geteuid();
}

static int played_setresgid(gid_t real, gid_t effective, gid_t saved)
{
	if (!played.is_on)
		return setresgid(real, effective, saved);
	assert_int_equal(real, effective);
	return call("setresgid", effective, saved);
}

static int played_setgroups(size_t count, const gid_t *groups)
{
	return played.is_on ? call("setgroups", (long)count, groups != NULL) :
			      setgroups(count, groups);
}

static int played_setresuid(uid_t real, uid_t effective, uid_t saved)
{
	if (!played.is_on)
		return setresuid(real, effective, saved);
	assert_int_equal(real, effective);
	return call("setresuid", effective, saved);
}

static int played_prctl(int option, unsigned long value)
{
	return played.is_on ? call("prctl", option, (long)value) : prctl(option, value, 0, 0, 0);
}

static int played_setrlimit(int resource, const struct rlimit *limit)
{
	if (!played.is_on)
		return setrlimit(resource, limit);
	return call("setrlimit", resource, (long)(limit->rlim_cur | limit->rlim_max));
}

static long played_capset(long number, cap_user_header_t header, cap_user_data_t data)
{
	long rights = 0;

	if (!played.is_on)
		return syscall(number, header, data);
	assert_int_equal(number, SYS_capset);
	for (size_t i = 0; i < _LINUX_CAPABILITY_U32S_3; i++)
		rights |= data[i].effective | data[i].permitted | data[i].inheritable;
	return call("capset", rights, header->pid);
}

static int played_mallctl(const char *name, void *old, size_t *old_len, void *new_value,
			  size_t new_len)
{
	assert_int_equal(*old_len, sizeof(uintptr_t));
	assert_true(!new_value && new_len == 0);
	if (played.unknown && str_eq(name, played.unknown))
		return ENOENT;
	if (str_eq(name, "thread.allocatedp"))
		memcpy(old, &played.allocated, sizeof(uintptr_t));
	else if (str_eq(name, "thread.deallocatedp"))
		memcpy(old, &played.deallocated, sizeof(uintptr_t));
	else
		fail();
	return 0;
}

static void *played_dlopen(const char *path, int flags)
{
	assert_string_equal(path, "/lib");
	(void)flags;
	return played.cannot_load ? NULL : &played;
}

static void *played_dlsym(void *library, const char *name)
{
	assert_ptr_equal(library, &played);
	return played.mallctl && str_eq(name, played.mallctl) ? (void *)played_mallctl : NULL;
}

static int played_dlinfo(void *library, int request, size_t *out)
{
	assert_ptr_equal(library, &played);
	(void)request;
	*out = played.has_no_module ? 0 : 3;
	return played.failing && str_eq(played.failing, "dlinfo") ? -1 : 0;
}

void *played_tls_get_addr(size_t index[2]);

void *played_tls_get_addr(size_t index[2])
{
	assert_int_equal(index[0], 3);
	assert_int_equal(index[1], 0);
	return (void *)played.block;
}

#include <dlfcn.h>
#include <link.h>

#define geteuid() played_geteuid()
#define setresgid(real, effective, saved) played_setresgid(real, effective, saved)
#define setgroups(count, groups) played_setgroups(count, groups)
#define setresuid(real, effective, saved) played_setresuid(real, effective, saved)
#define prctl(option, value, ...) played_prctl(option, value)
#define setrlimit(resource, limit) played_setrlimit(resource, limit)
#define syscall(number, header, data) played_capset(number, header, data)
#define dlopen(path, flags) played_dlopen(path, flags)
#define dlsym(library, name) played_dlsym(library, name)
#define dlinfo(library, request, out) played_dlinfo(library, request, out)
#define __tls_get_addr(index) played_tls_get_addr(index)
#include "ctprof/jemalloc_helper.c"

/* ---- DWARF made by hand ---- */

static struct str info; /* one unit, behind its header */

static void add_number(struct str *out, uint64_t number, size_t size)
{
	str_addn(out, (const char *)&number, size);
}

static void add_uleb(struct str *out, uint64_t number)
{
	for (; number >= 128; number >>= 7)
		str_addc(out, (char)(number | 128));
	str_addc(out, (char)number);
}

enum {
	UNIT = 1,
	SILENT_UNIT,
	STRUCT,
	DECLARED,
	MEMBER,
	BY_EXPRESSION,
	NOWHERE,
	NAMELESS,
	VARIABLE
};

#define NAME DW_AT_name, DW_FORM_string
#define LOCATION DW_AT_data_member_location, DW_FORM_udata
#define EXPRESSION DW_AT_data_member_location, DW_FORM_exprloc

/* What entries of a kind consist of: attributes and their forms. */
static const struct {
	unsigned char tag, has_children, attributes[5];
} kinds[] = {
	[UNIT] = { DW_TAG_compile_unit, 1, { DW_AT_language, DW_FORM_data1 } },
	[SILENT_UNIT] = { DW_TAG_compile_unit, 1, {} },
	[STRUCT] = { DW_TAG_structure_type, 1, { NAME, DW_AT_byte_size, DW_FORM_data4 } },
	[DECLARED] = { DW_TAG_structure_type, 0, { NAME } },
	[MEMBER] = { DW_TAG_member, 0, { NAME, LOCATION } },
	[BY_EXPRESSION] = { DW_TAG_member, 0, { NAME, EXPRESSION } },
	[NOWHERE] = { DW_TAG_member, 0, { NAME } },
	[NAMELESS] = { DW_TAG_member, 0, { LOCATION } },
	[VARIABLE] = { DW_TAG_variable, 0, { NAME, LOCATION } },
};

static void add_abbreviations(struct str *out)
{
	for (size_t i = UNIT; i < ARRAY_SIZE(kinds); i++) {
		add_uleb(out, i);
		add_uleb(out, kinds[i].tag);
		add_uleb(out, kinds[i].has_children);
		str_add(out, (const char *)kinds[i].attributes);
		str_addn(out, "\0", 2);
	}
	str_addc(out, '\0');
}

/* -1 = it does not say in which language it was written. */
static void begin_unit(int language)
{
	str_reset(&info);
	str_addc(&info, language < 0 ? SILENT_UNIT : UNIT);
	if (language >= 0)
		str_addc(&info, (char)language);
}

static void add_named(int kind, const char *name)
{
	str_addc(&info, (char)kind);
	str_addn(&info, name, strlen(name) + 1);
}

static void begin_struct(const char *name, uint32_t size)
{
	add_named(STRUCT, name);
	add_number(&info, size, sizeof(size));
}

static void end_struct(void)
{
	str_addc(&info, '\0');
}

static void add_member(int kind, const char *name, uint64_t offset)
{
	add_named(kind, name);
	add_uleb(&info, offset);
}

static void add_section(struct str *file, Elf64_Shdr *s, uint32_t name, const struct str *text)
{
	*s = (Elf64_Shdr){ .sh_name = name,
			   .sh_type = name == 1 ? SHT_STRTAB : SHT_PROGBITS,
			   .sh_offset = file->len,
			   .sh_size = text->len,
			   .sh_addralign = 1 };
	str_addn(file, text->s, text->len);
}

/* A descriptor of a file that holds the unit. */
static int make_file(void)
{
	static const char names[] = "\0.shstrtab\0.debug_info\0.debug_abbrev";
	_str_ struct str file = {}, abbrev = {}, unit = {}, strings = {};
	Elf64_Ehdr header = { .e_ident = { ELFMAG0, ELFMAG1, ELFMAG2, ELFMAG3, ELFCLASS64,
					   ELFDATA2LSB, EV_CURRENT },
			      .e_type = ET_DYN,
			      .e_machine = EM_X86_64,
			      .e_version = EV_CURRENT,
			      .e_ehsize = sizeof(header),
			      .e_shentsize = sizeof(Elf64_Shdr),
			      .e_shnum = 4,
			      .e_shstrndx = 1 };
	Elf64_Shdr sections[4] = {};
	int fd = memfd_create("dwarf", MFD_CLOEXEC);

	str_addc(&info, '\0');
	add_abbreviations(&abbrev);
	str_addn(&strings, names, sizeof(names));
	add_number(&unit, info.len + 7, 4);
	add_number(&unit, 4, 2); /* the version */
	add_number(&unit, 0, 4);
	add_number(&unit, 8, 1);
	str_addn(&unit, info.s, info.len);
	str_addn(&file, (const char *)&header, sizeof(header));
	add_section(&file, &sections[1], 1, &strings);
	add_section(&file, &sections[2], 11, &unit);
	add_section(&file, &sections[3], 23, &abbrev);
	header.e_shoff = file.len;
	memcpy(file.s, &header, sizeof(header));
	str_addn(&file, (const char *)sections, sizeof(sections));
	assert_int_equal(write(fd, file.s, file.len), file.len);
	return fd;
}

#define PREFIX "cant_access_tsd_items_directly_use_a_getter_or_setter_"
#define ALLOCATED PREFIX "thread_allocated"
#define DEALLOCATED PREFIX "thread_deallocated"

static void add_state(uint32_t size, uint64_t allocated, uint64_t deallocated)
{
	begin_struct("tsd_s", size);
	add_member(MEMBER, "state", 0);
	add_member(MEMBER, ALLOCATED, allocated);
	add_member(MEMBER, DEALLOCATED, deallocated);
	add_member(MEMBER, ALLOCATED "_next_event_fast", 8);
	end_struct();
}

static bool is_found(struct jemalloc_offsets *out)
{
	_close_ int fd = make_file();
	int rc = jemalloc_dwarf_offsets(fd, out);

	assert_true(rc == 0 || rc == -ENOENT);
	return rc == 0;
}

static void expect_offsets(uint64_t allocated, uint64_t deallocated)
{
	struct jemalloc_offsets out = {};

	assert_true(is_found(&out));
	assert_int_equal(out.allocated, allocated);
	assert_int_equal(out.deallocated, deallocated);
}

static void expect_nothing(void)
{
	struct jemalloc_offsets out;

	assert_false(is_found(&out));
}

static void the_state_is_found_among_others(void **state)
{
	(void)state;
	begin_unit(DW_LANG_C11);
	add_named(DECLARED, "tsd_s");
	begin_struct("tsd", 100);
	add_member(MEMBER, ALLOCATED, 1);
	add_member(MEMBER, DEALLOCATED, 2);
	end_struct();
	add_member(VARIABLE, "tsd_s", 0);
	add_state(1000, 824, 840);
	expect_offsets(824, 840);
	begin_unit(DW_LANG_C11);
	add_named(DECLARED, "tsd_s");
	expect_nothing();
}

static void both_members_are_in_the_state(void **state)
{
	static const struct {
		uint32_t size;
		uint64_t allocated, deallocated;
		bool is_found;
	} rows[] = {
		{ 16, 0, 8, true },    { 16, 8, 0, true },     { 15, 0, 8, false },
		{ 15, 8, 0, false },   { 8, 0, 0, true },      { 7, 0, 0, false },
		{ 300, 292, 1, true }, { 300, 293, 1, false },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		begin_unit(DW_LANG_C99);
		add_state(rows[i].size, rows[i].allocated, rows[i].deallocated);
		if (rows[i].is_found)
			expect_offsets(rows[i].allocated, rows[i].deallocated);
		else
			expect_nothing();
	}
	for (int missing = 0; missing < 2; missing++) {
		begin_unit(DW_LANG_C99);
		begin_struct("tsd_s", 100);
		add_member(MEMBER, missing ? ALLOCATED : DEALLOCATED, 8);
		add_member(NAMELESS, "", 8);
		add_member(VARIABLE, missing ? DEALLOCATED : ALLOCATED, 16);
		end_struct();
		expect_nothing();
	}
}

/* As a number, or in older DWARF as an expression that adds one. */
static void offsets_are_numbers_or_expressions(void **state)
{
	static const struct {
		const char *expression;
		bool is_known;
	} rows[] = {
		{ "\x02\x23\x20", true },      /* plus_uconst 32 */
		{ "\x02\x10\x20", false },     /* constu 32 */
		{ "\x03\x23\x20\x96", false }, /* and nop */
		{ "\x01\x96", false },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		begin_unit(DW_LANG_C);
		begin_struct("tsd_s", 100);
		add_named(BY_EXPRESSION, DEALLOCATED);
		str_add(&info, rows[i].expression);
		add_member(MEMBER, ALLOCATED, 8);
		end_struct();
		if (rows[i].is_known)
			expect_offsets(8, 32);
		else
			expect_nothing();
	}
	begin_unit(DW_LANG_C);
	begin_struct("tsd_s", 100);
	add_named(NOWHERE, ALLOCATED);
	add_member(MEMBER, DEALLOCATED, 8);
	end_struct();
	expect_nothing();
}

static void only_units_in_c_are_searched(void **state)
{
	static const int c[] = { DW_LANG_C89, DW_LANG_C, DW_LANG_C99, DW_LANG_C11, 0x2c, -1 };
	static const int others[] = { DW_LANG_C_plus_plus, DW_LANG_Rust, DW_LANG_Go, 0x2b, 0x2d };

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(c); i++) {
		begin_unit(c[i]);
		add_state(1000, 8, 16);
		expect_offsets(8, 16);
	}
	for (size_t i = 0; i < ARRAY_SIZE(others); i++) {
		begin_unit(others[i]);
		add_state(1000, 8, 16);
		expect_nothing();
	}
}

/* ---- the helper ---- */

/* In earnest: another process of this program, without rights. */
static void a_helper_answers(void **state)
{
	struct jemalloc_offsets out = {};
	_close_ int fd = -1, other = memfd_create("none", MFD_CLOEXEC);

	(void)state;
	begin_unit(DW_LANG_C11);
	add_state(1000, 824, 840);
	fd = make_file();
	assert_int_equal(jemalloc_ask(JEMALLOC_ASK_DWARF, fd, &out), 0);
	assert_int_equal(out.allocated, 824);
	assert_int_equal(out.deallocated, 840);
	assert_int_equal(jemalloc_ask(JEMALLOC_ASK_DWARF, other, &out), -ENOENT);
	assert_int_equal(jemalloc_ask(JEMALLOC_ASK_DWARF, -1, &out), -EBADF);
}

static void answers_are_two_numbers(void **state)
{
	static const struct {
		const char *text;
		bool is_answer;
	} rows[] = {
		{ "8 16\n", true },   { "8 16", false },   { "8 16\n\n", false }, { "8\n", false },
		{ "8  16\n", false }, { "a 16\n", false }, { "8 b\n", false },	  { "", false },
	};
	struct jemalloc_offsets out;

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		assert_int_equal(parse_answer(rows[i].text, &out),
				 rows[i].is_answer ? 0 : -EBADMSG);
		if (rows[i].is_answer)
			assert_true(out.allocated == 8 && out.deallocated == 16);
	}
}

static int give_up(uid_t user, const char *failing, int error)
{
	played = (struct played){ .is_on = true, .user = user, .failing = failing, .error = error };
	return give_up_privileges();
}

#define TEXT(x) #x
#define NUMBER(x) TEXT(x)
/* What has no macro to be spelled with: the numbers of resources. */
#define FSIZE "1"
#define CORE "4"
#define AFTER "capset(0,0) setrlimit(" CORE ",0) setrlimit(" FSIZE ",0) "
#define PRCTLS "prctl(" NUMBER(PR_SET_DUMPABLE) ",1) prctl(" NUMBER(PR_SET_PDEATHSIG) ",9) "
#define FIRST "prctl(" NUMBER(PR_SET_NO_NEW_PRIVS) ",1) "
#define NOBODYS "(65534,65534) "

static void every_right_is_given_up(void **state)
{
	(void)state;
	assert_int_equal(RLIMIT_FSIZE, 1);
	assert_int_equal(RLIMIT_CORE, 4);
	assert_int_equal(give_up(1000, NULL, 0), 0);
	assert_string_equal(played.calls, FIRST AFTER PRCTLS);
	assert_int_equal(give_up(0, NULL, 0), 0);
	assert_string_equal(played.calls, FIRST "setresgid" NOBODYS "setgroups(0,0) "
						"setresuid" NOBODYS AFTER PRCTLS);
	/* A user namespace without that user: root in there is only us. */
	assert_int_equal(give_up(0, "setresgid", EINVAL), 0);
	assert_string_equal(played.calls, FIRST "setresgid" NOBODYS AFTER PRCTLS);
}

static void a_right_that_stays_is_no_answer(void **state)
{
	static const struct {
		const char *call;
		int error;
	} rows[] = { { "setresgid", EPERM },
		     { "setgroups", EINVAL },
		     { "setresuid", EINVAL },
		     { "prctl", EINVAL },
		     { "capset", EPERM } };
	struct jemalloc_offsets out;

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		assert_int_equal(give_up(0, rows[i].call, rows[i].error), -EPERM);
		assert_null(strstr(played.calls, "setrlimit"));
		assert_int_equal(answer("dwarf", &out), -EPERM);
	}
}

static void play_library(void)
{
	played = (struct played){ .is_on = true,
				  .mallctl = "je_mallctl",
				  .block = 0x5000,
				  .allocated = 0x5018,
				  .deallocated = 0x5028 };
}

static void expect_library(int error)
{
	struct jemalloc_offsets out = {};

	assert_int_equal(ask_library("/lib", &out), error);
	assert_int_equal(out.allocated, error ? 0 : played.allocated - played.block);
	assert_int_equal(out.deallocated, error ? 0 : played.deallocated - played.block);
}

static void a_library_tells_where_its_counters_are(void **state)
{
	static const char *const names[] = { "mallctl", "je_mallctl", "_rjem_mallctl" };

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
		play_library();
		played.mallctl = names[i];
		expect_library(0);
	}
	played.allocated = played.block;
	expect_library(0);
	played.allocated = played.block - 8;
	expect_library(-ENOENT);
	play_library();
	played.deallocated = played.block;
	expect_library(0);
	played.deallocated = played.block - 8;
	expect_library(-ENOENT);
}

static void a_library_that_is_no_jemalloc_tells_nothing(void **state)
{
	(void)state;
	play_library();
	played.cannot_load = true;
	expect_library(-ELIBACC);
	play_library();
	played.mallctl = NULL;
	expect_library(-ENOENT);
	play_library();
	played.unknown = "thread.allocatedp";
	expect_library(-ENOENT);
	played.unknown = "thread.deallocatedp";
	expect_library(-ENOENT);
	play_library();
	played.has_no_module = true;
	expect_library(-ENOENT);
	play_library();
	played.failing = "dlinfo";
	expect_library(-ENOENT);
}

static int finish(void **state)
{
	(void)state;
	str_finish(&info);
	return 0;
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_state_is_found_among_others),
		cmocka_unit_test(both_members_are_in_the_state),
		cmocka_unit_test(offsets_are_numbers_or_expressions),
		cmocka_unit_test(only_units_in_c_are_searched),
		cmocka_unit_test(a_helper_answers),
		cmocka_unit_test(answers_are_two_numbers),
		cmocka_unit_test(every_right_is_given_up),
		cmocka_unit_test(a_right_that_stays_is_no_answer),
		cmocka_unit_test(a_library_tells_where_its_counters_are),
		cmocka_unit_test(a_library_that_is_no_jemalloc_tells_nothing),
	};

	return cmocka_run_group_tests(tests, NULL, finish);
}
