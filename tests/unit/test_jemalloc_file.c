// SPDX-License-Identifier: GPL-2.0-only
/* What files say about jemalloc: symbols, debug information, relocations, and who is asked. */
#include "unit.h"

#include <sys/stat.h>

#include "ctprof/jemalloc_parts.h"
#include "elf_image.h"

/* What is played: the helper, and debug information elsewhere. */
static struct played {
	bool has_helper; /* else it is asked in earnest */
	int answer;
	struct jemalloc_offsets offsets;
	bool may_ask;
	unsigned int asked_dwarf, asked_library, remembered;
	int debug_fd; /* 0 = none */
} played;

int __real_jemalloc_ask(enum jemalloc_question question, int fd, struct jemalloc_offsets *out);
int __wrap_jemalloc_ask(enum jemalloc_question question, int fd, struct jemalloc_offsets *out);
bool __real_jemalloc_may_ask(int fd, const char *path);
bool __wrap_jemalloc_may_ask(int fd, const char *path);
int __wrap_elf_open_debug(const struct elf_view *f, pid_t tgid, const char *path);
int __wrap_jemalloc_ask(enum jemalloc_question question, int fd, struct jemalloc_offsets *out)
{
	if (!played.has_helper)
		return __real_jemalloc_ask(question, fd, out);
	played.asked_dwarf += question == JEMALLOC_ASK_DWARF;
	played.asked_library += question == JEMALLOC_ASK_LIBRARY;
	*out = played.offsets;
	return played.answer;
}

bool __wrap_jemalloc_may_ask(int fd, const char *path)
{
	return played.has_helper ? played.may_ask : __real_jemalloc_may_ask(fd, path);
}

int __wrap_elf_open_debug(const struct elf_view *f, pid_t tgid, const char *path)
{
	assert_true(f->fd >= 0);
	assert_int_equal(tgid, getpid());
	assert_string_equal(path, "/nowhere/file");
	return played.debug_fd ? dup(played.debug_fd) : -ENOENT;
}

static int begin(void **state)
{
	(void)state;
	played = (struct played){};
	return 0;
}

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
	played.remembered++;
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
	assert_int_equal(played.remembered, 0);

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

/* ---- with debug information, and a library that answers ---- */

static struct elf_image with_state(bool is_library)
{
	uint32_t type = tls_our_machine() == EM_AARCH64 ? R_AARCH64_TLS_TPREL : R_X86_64_TPOFF64;

	return (struct elf_image){ .machine = tls_our_machine(),
				   .tls_name = "je_tsd_tls",
				   .reloc_type = is_library ? type : 0 };
}

static void play_helper(uint64_t allocated, uint64_t deallocated)
{
	played.has_helper = true;
	played.answer = 0;
	played.offsets = (struct jemalloc_offsets){ allocated, deallocated };
	played.asked_dwarf = played.asked_library = played.remembered = 0;
}

static const char *examine(struct elf_image image, bool is_executable,
			   struct jemalloc_layout *layout)
{
	_close_ int fd = image_make(&image);
	size_t id_len;
	struct jemalloc_lookup lookup = { .fd = fd,
					  .tgid = getpid(),
					  .path = "/nowhere/file",
					  .is_executable = is_executable,
					  .recall = recall_nothing,
					  .remember = remember_nothing,
					  .context = &id_len };
	const char *tag = jemalloc_examine(&lookup, layout);

	return tag ? tag : "found";
}

/* The state is at 32 in a block of 256, so that its last word is at 216. */
static void members_are_in_the_block(void **state)
{
	static const struct {
		uint64_t allocated, deallocated;
		const char *tag;
	} rows[] = {
		{ 216, 8, "found" },
		{ 8, 216, "found" },
		{ 217, 8, TAG_DWARF },
		{ 8, 217, TAG_DWARF },
	};
	static const char *const sections[] = { ".debug_info", ".zdebug_info" };

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows) * 2; i++) {
		struct elf_image image = with_state(false);
		struct jemalloc_layout layout;

		image.debug_section = sections[i % 2];
		play_helper(rows[i / 2].allocated, rows[i / 2].deallocated);
		assert_string_equal(examine(image, true, &layout), rows[i / 2].tag);
		assert_int_equal(played.asked_dwarf, 1);
		assert_true(layout.is_executable);
		assert_int_equal(layout.tls_size, 256);
		assert_int_equal(layout.tls_align, 8);
		assert_int_equal(layout.counters.allocated, 32 + rows[i / 2].allocated);
		assert_int_equal(layout.counters.deallocated, 32 + rows[i / 2].deallocated);
		assert_false(layout.is_by_size);
		image.block_size = 32; /* the symbol is behind it */
		assert_string_equal(examine(image, true, &layout), TAG_DWARF);
	}
}

static void too_small_a_block_holds_no_state(void **state)
{
	struct elf_image image = with_state(false);
	struct jemalloc_layout layout;

	(void)state;
	image.debug_section = ".debug_info";
	play_helper(0, 8);
	image.block_size = 15;
	assert_string_equal(examine(image, true, &layout), TAG_NOT_FOUND);
	image.block_size = 16;
	assert_string_equal(examine(image, true, &layout), TAG_DWARF);
	image.block_size = 48;
	assert_string_equal(examine(image, true, &layout), "found");
}

/* The file is asked first if it has something to say, then the one beside it. */
static void debug_information_may_be_in_another_file(void **state)
{
	struct elf_image debug = with_state(false), image = with_state(false);
	_close_ int fd = image_make(&debug);
	struct jemalloc_layout layout;

	(void)state;
	play_helper(8, 16);
	assert_string_equal(examine(image, true, &layout), TAG_DWARF);
	assert_int_equal(played.asked_dwarf, 0);
	played.debug_fd = fd;
	assert_string_equal(examine(image, true, &layout), "found");
	assert_int_equal(played.asked_dwarf, 1);
	image.debug_section = ".debug_info";
	assert_string_equal(examine(image, true, &layout), "found");
	assert_int_equal(played.asked_dwarf, 2);
	played.answer = -ENOENT;
	assert_string_equal(examine(image, true, &layout), TAG_DWARF);
	assert_int_equal(played.asked_dwarf, 3);
	/* A stripped file has no symbol, so the other one is opened for it. */
	play_helper(8, 16);
	image.tls_name = NULL;
	image.debug_section = NULL;
	assert_string_equal(examine(image, true, &layout), "found");
	assert_int_equal(layout.counters.allocated, 40);
	image.debug_section = ".debug_info";
	assert_string_equal(examine(image, true, &layout), "found");
}

static void a_library_has_its_state_or_is_asked(void **state)
{
	struct elf_image image = with_state(true), debug = with_state(false);
	_close_ int fd = image_make(&debug);
	struct jemalloc_layout layout;

	(void)state;
	image.debug_section = ".debug_info";
	play_helper(8, 16);
	assert_string_equal(examine(image, false, &layout), "found");
	assert_int_equal(played.asked_dwarf, 1);
	assert_int_equal(layout.counters.deallocated, 48);
	assert_false(layout.is_malloc || layout.is_executable);
	image.exported = "malloc";
	assert_string_equal(examine(image, false, &layout), "found");
	assert_true(layout.is_malloc);
	played.answer = -ENOENT;
	assert_string_equal(examine(image, false, &layout), TAG_IN_DSO);
	assert_int_equal(played.asked_library, 0);
	/* Its symbol is in the other file. */
	play_helper(8, 16);
	played.debug_fd = fd;
	image = with_state(true);
	image.tls_name = NULL;
	image.exported = "mallctl";
	assert_string_equal(examine(image, false, &layout), "found");
	assert_int_equal(layout.counters.allocated, 40);
	assert_int_equal(played.asked_library, 0);
	image.reloc_type = 0; /* nothing leads to its block */
	assert_string_equal(examine(image, false, &layout), TAG_IN_DSO);
}

static void a_library_answers_within_its_block(void **state)
{
	static const struct {
		uint64_t allocated, deallocated;
		const char *tag;
	} rows[] = {
		{ 248, 8, "found" },
		{ 8, 248, "found" },
		{ 249, 8, TAG_IN_DSO },
		{ 8, 249, TAG_IN_DSO },
	};
	struct elf_image image = with_state(true);
	struct jemalloc_layout layout;

	(void)state;
	image.tls_name = NULL;
	image.exported = "_rjem_mallctl";
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		bool is_found = str_eq(rows[i].tag, "found");

		play_helper(rows[i].allocated, rows[i].deallocated);
		assert_string_equal(examine(image, false, &layout), TAG_UNTRUSTED);
		played.may_ask = true;
		assert_string_equal(examine(image, false, &layout), rows[i].tag);
		assert_int_equal(played.asked_library, 1);
		assert_int_equal(played.remembered, is_found);
		played.answer = -ENOENT;
		assert_string_equal(examine(image, false, &layout), TAG_IN_DSO);
		assert_int_equal(played.remembered, is_found);
		played.may_ask = false;
	}
	/* Without a build-id another copy of it cannot be known. */
	image.id_size = -1;
	play_helper(8, 16);
	played.may_ask = true;
	assert_string_equal(examine(image, false, &layout), "found");
	assert_int_equal(played.remembered, 0);
}

#define HERE(test) cmocka_unit_test_setup(test, begin)

int main(void)
{
	const struct CMUnitTest tests[] = {
		HERE(test_tags_of_files),
		HERE(test_offsets_are_known_by_size),
		HERE(test_offsets_are_known_by_build_id),
		HERE(test_who_may_be_asked),
		HERE(test_slots_of_both_machines),
		HERE(members_are_in_the_block),
		HERE(too_small_a_block_holds_no_state),
		HERE(debug_information_may_be_in_another_file),
		HERE(a_library_has_its_state_or_is_asked),
		HERE(a_library_answers_within_its_block),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
