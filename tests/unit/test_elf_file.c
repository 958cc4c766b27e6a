// SPDX-License-Identifier: GPL-2.0-only
/* The ELF reader, on a file made by hand and on every way to cut it short. */
#include "unit.h"

#include <errno.h>
#include <linux/openat2.h>
#include <sys/stat.h>
#include <sys/syscall.h>

#include "base/hash.h"
#include "ctprof/jemalloc_parts.h"
#include "elf_image.h"

#define NOBODY (1 << 23) /* no process has this number: it is more than a kernel gives out */

/* Files that openat2() finds, by their paths, which are kept; is_on: else it is asked. */
static struct played {
	bool is_on;
	struct {
		const char *path;
		int fd;
	} files[4];
	struct str paths;
} played;

long __real_syscall(long number, ...);
long __wrap_syscall(long number, ...);

static int played_openat2(const char *path, const struct open_how *how, size_t size)
{
	assert_int_equal(size, sizeof(*how));
	assert_int_equal(how->flags, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	assert_int_equal(how->resolve, RESOLVE_IN_ROOT | RESOLVE_NO_MAGICLINKS);
	str_addf(&played.paths, "%s\n", path);
	for (size_t i = 0; i < ARRAY_SIZE(played.files); i++)
		if (played.files[i].path && str_eq(played.files[i].path, path))
			return dup(played.files[i].fd);
	errno = ENOENT;
	return -1;
}

long __wrap_syscall(long number, ...)
{
	long a[4];
	va_list ap;

	va_start(ap, number);
	for (size_t i = 0; i < ARRAY_SIZE(a); i++)
		a[i] = va_arg(ap, long);
	va_end(ap);
	if (number == SYS_openat2 && played.is_on)
		return played_openat2((const char *)a[1], (const struct open_how *)a[2],
				      (size_t)a[3]);
	return __real_syscall(number, a[0], a[1], a[2], a[3]);
}

static int begin(void **state)
{
	(void)state;
	str_finish(&played.paths);
	played = (struct played){ .is_on = true };
	return 0;
}

static int end(void **state)
{
	(void)state;
	str_finish(&played.paths);
	played.is_on = false;
	return 0;
}

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

/* ---- files put together section by section ---- */

enum { MAX_SECTIONS = 6 };

struct made {
	struct str bytes;
	Elf64_Shdr sections[MAX_SECTIONS];
	Elf64_Ehdr header;
};

static void made_init(struct made *m)
{
	*m = (struct made){ .header = { .e_ident = { ELFMAG0, ELFMAG1, ELFMAG2, ELFMAG3, ELFCLASS64,
						     ELFDATA2LSB, EV_CURRENT },
					.e_shentsize = sizeof(Elf64_Shdr),
					.e_shnum = 1 } };
	str_addn(&m->bytes, (const char *)&m->header, sizeof(m->header));
}

static void made_finish(struct made *m)
{
	str_finish(&m->bytes);
}

/* Returns its number. */
static uint32_t add_section(struct made *m, uint32_t type, const void *data, size_t size,
			    uint32_t link)
{
	m->sections[m->header.e_shnum] = (Elf64_Shdr){
		.sh_type = type, .sh_offset = m->bytes.len, .sh_size = size, .sh_link = link
	};
	str_addn(&m->bytes, data, size);
	return m->header.e_shnum++;
}

/* The file in memory as it was made; valid as long as that. */
static struct elf_view view_made(struct made *m)
{
	struct elf_view f;
	struct str *b = &m->bytes;
	const char pad[8] = {};

	str_addn(b, pad, 8 - b->len % 8);
	m->header.e_shoff = b->len;
	str_addn(b, (const char *)m->sections, sizeof(m->sections[0]) * m->header.e_shnum);
	memcpy(b->s, &m->header, sizeof(m->header));
	assert_int_equal(elf_view_open(&f, b->s, b->len), 0);
	return f;
}

#define _made_ _cleanup_(made_finish)

static bool finds(const char *name, const char *wanted, size_t strings_size)
{
	char strings[200] = "";
	const Elf64_Sym symbols[] = { {},
				      { 1, ELF64_ST_INFO(STB_LOCAL, STT_TLS), 0, 5, 32, 8 },
				      { 1, ELF64_ST_INFO(STB_LOCAL, STT_FUNC), 0, 5, 64, 8 } };
	_made_ struct made m;
	struct elf_view f;
	uint32_t link;
	Elf64_Sym found;
	bool by_name, in_memory;

	made_init(&m);
	strcpy(strings + 1, name);
	link = add_section(&m, SHT_STRTAB, strings, strings_size ?: sizeof(strings), 0);
	add_section(&m, SHT_SYMTAB, symbols, sizeof(symbols), link);
	f = view_made(&m);
	by_name = elf_find_symbol(&f, SHT_SYMTAB, STT_TLS, (const char *const[]){ wanted, NULL },
				  &found);
	if (by_name)
		assert_int_equal(found.st_value, 32);
	in_memory = elf_find_symbol(&f, SHT_SYMTAB, STT_FUNC,
				    (const char *const[]){ "other", wanted, NULL }, &found);
	if (in_memory)
		assert_int_equal(found.st_value, 64);
	assert_int_equal(by_name, in_memory);
	return by_name;
}

static void names_are_whole_or_end_so(void **state)
{
	char longest[] = "_23456789012345678901234567890123456789012345678901234567tsd_tls";

	(void)state;
	assert_true(finds("tsd_tls", "tsd_tls", 0));
	assert_false(finds("_tsd_tls", "tsd_tls", 0));
	assert_true(finds("tsd_tls", "*tsd_tls", 0));
	assert_true(finds("_tsd_tls", "*tsd_tls", 0));
	assert_false(finds("sd_tls", "*tsd_tls", 0));
	assert_false(finds("tsd_tls_", "*tsd_tls", 0));
	/* Its end, too, has to be within the table, and within 64 bytes. */
	assert_true(finds("tsd_tls", "tsd_tls", 9));
	assert_false(finds("tsd_tls", "tsd_tls", 8));
	assert_false(finds("tsd_tls", "*", 1));
	assert_false(finds(longest, "*tsd_tls", 0));
	assert_true(finds(longest + 1, "*tsd_tls", 0));
}

/* Tables are read piece by piece. */
static void every_symbol_of_a_table_is_looked_at(void **state)
{
	static Elf64_Sym symbols[3000];
	static const size_t places[] = { 0, 1, 1023, 1024, 1025, 2047, 2048, 2999 };
	const char *const names[] = { "mallctl", NULL };

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(places); i++) {
		_made_ struct made m;
		struct elf_view f;
		Elf64_Sym found;
		uint32_t link;

		made_init(&m);
		memset(symbols, 0, sizeof(symbols));
		symbols[places[i]] =
			(Elf64_Sym){ 1, ELF64_ST_INFO(STB_GLOBAL, STT_FUNC), 0, 5, places[i], 8 };
		link = add_section(&m, SHT_STRTAB, "\0mallctl", 9, 0);
		add_section(&m, SHT_DYNSYM, symbols, sizeof(symbols), link);
		f = view_made(&m);
		assert_true(elf_find_symbol(&f, SHT_DYNSYM, STT_FUNC, names, &found));
		assert_int_equal(found.st_value, places[i]);
		assert_true(elf_dynamic_symbol(&f, places[i], &found));
		assert_int_equal(found.st_value, places[i]);
		assert_true(elf_dynamic_symbol(&f, 2999, &found));
		assert_false(elf_dynamic_symbol(&f, 3000, &found));
	}
}

static bool count_relocs(const void *rela, void *context)
{
	Elf64_Rela r;

	memcpy(&r, rela, sizeof(r));
	*(uint64_t *)context += r.r_offset;
	return r.r_offset == 100;
}

static void relocations_are_visited_until_one_is_found(void **state)
{
	const Elf64_Rela first[] = { { .r_offset = 1 }, { .r_offset = 2 } };
	const Elf64_Rela second[] = { { .r_offset = 10 },
				      { .r_offset = 100 },
				      { .r_offset = 1000 } };
	const Elf64_Rela third[] = { { .r_offset = 10000 } };
	_made_ struct made m;
	uint64_t sum = 0;
	struct elf_view f;

	(void)state;
	made_init(&m);
	add_section(&m, SHT_RELA, first, sizeof(first), 0);
	add_section(&m, SHT_RELA, second, sizeof(second), 0);
	add_section(&m, SHT_RELA, third, sizeof(third), 0);
	f = view_made(&m);
	elf_each_reloc(&f, count_relocs, &sum);
	assert_int_equal(sum, 113);
}

static void add_note(struct str *out, uint32_t type, const char *name, uint32_t name_size,
		     const char *data, uint32_t size)
{
	Elf64_Nhdr note = { name_size, size, type };
	char padded[80] = "";

	str_addn(out, (const char *)&note, sizeof(note));
	memcpy(padded, name, strlen(name));
	str_addn(out, padded, (name_size + 3) / 4 * 4);
	memset(padded, 0, sizeof(padded));
	memcpy(padded, data, size);
	str_addn(out, padded, (size + 3) / 4 * 4);
}

static size_t id_among(const struct str *notes, size_t size, unsigned char *id)
{
	_made_ struct made m;
	struct elf_view f;

	made_init(&m);
	add_section(&m, SHT_NOTE, notes->s, size, 0);
	f = view_made(&m);
	return elf_build_id(&f, id);
}

static void a_build_id_is_found_among_notes(void **state)
{
	char bytes[65];
	unsigned char id[ELF_BUILD_ID_MAX];
	_str_ struct str notes = {};

	(void)state;
	memset(bytes, 7, sizeof(bytes));
	add_note(&notes, NT_GNU_ABI_TAG, "GNU", 4, "abcd", 4);
	add_note(&notes, NT_GNU_BUILD_ID, "GNX", 4, "wrong", 5);
	add_note(&notes, NT_GNU_BUILD_ID, "GNUx", 5, "wrong", 5);
	add_note(&notes, NT_GNU_BUILD_ID, "GNU", 4, bytes, 65);
	assert_int_equal(id_among(&notes, notes.len, id), 0);
	add_note(&notes, NT_GNU_BUILD_ID, "GNU", 4, "right", 5);
	assert_int_equal(id_among(&notes, notes.len, id), 5);
	assert_memory_equal(id, "right", 5);
	for (size_t cut = 1; cut <= 24; cut++)
		assert_int_equal(id_among(&notes, notes.len - cut, id), 0);
	str_reset(&notes);
	add_note(&notes, NT_GNU_BUILD_ID, "GNU", 4, bytes, 64);
	assert_int_equal(id_among(&notes, notes.len, id), 64);
}

static bool has_link(const char *data, size_t size, char name[static 256], uint32_t *crc)
{
	static const char names[] = "\0.gnu_debuglink";
	_made_ struct made m;
	struct elf_view f;

	made_init(&m);
	m.header.e_shstrndx = (uint16_t)add_section(&m, SHT_STRTAB, names, sizeof(names), 0);
	m.sections[add_section(&m, SHT_PROGBITS, data, size, 0)].sh_name = 1;
	f = view_made(&m);
	return elf_debuglink(&f, name, crc);
}

static void a_debuglink_is_a_name_and_a_checksum(void **state)
{
	char longest[264] = "", name[256];
	uint32_t crc;

	(void)state;
	assert_true(has_link("abc\0\1\0\0\0", 8, name, &crc));
	assert_string_equal(name, "abc");
	assert_int_equal(crc, 1);
	assert_true(has_link("abcd\0\0\0\0\2\0\0\0", 12, name, &crc));
	assert_int_equal(crc, 2);
	assert_true(has_link("a\0\0\0\3\0\0\0", 8, name, &crc));
	assert_int_equal(crc, 3);
	assert_false(has_link("abc\0\1\0\0", 7, name, &crc));
	assert_false(has_link("\0\0\0\0\1\0\0\0", 8, name, &crc));
	assert_false(has_link("a/b\0\1\0\0\0", 8, name, &crc));
	assert_false(has_link("abcdefgh", 8, name, &crc));
	memset(longest, 'x', 255);
	assert_true(has_link(longest, 260, name, &crc));
	assert_int_equal(strlen(name), 255);
	assert_false(has_link(longest, 261, name, &crc));
	longest[255] = 'x';
	assert_false(has_link(longest, 260, name, &crc));
}

/* ---- debug information beside a file ---- */

#define BY_ID "/usr/lib/debug/.build-id/de/adbeef.debug"

static int open_debug(const struct elf_image *like, pid_t tgid, const char *path)
{
	struct elf_image image = *like;
	_close_ int fd = image_make(&image);
	struct elf_view f;
	int debug;

	assert_int_equal(elf_view_open_file(&f, fd), 0);
	str_reset(&played.paths);
	debug = elf_open_debug(&f, tgid, path);
	assert_true(debug >= 0 || debug == -ENOENT);
	return debug;
}

static void expect_debug(const struct elf_image *like, pid_t tgid, const char *path, bool is_found,
			 const char *paths)
{
	_close_ int fd = open_debug(like, tgid, path);

	assert_int_equal(fd >= 0, is_found);
	assert_string_equal(str_get(&played.paths), paths);
}

static void debug_files_are_looked_for_by_id_and_link(void **state)
{
	const struct elf_image image = { .machine = EM_X86_64 }, short_id = { .id_size = 1 },
			       two = { .id_size = 2 }, no_id = { .id_size = -1 };
	static const char links[] = "/x/bin/a.debug\n/x/bin/.debug/a.debug\n"
				    "/usr/lib/debug/x/bin/a.debug\n";

	(void)state;
	expect_debug(&image, NOBODY, "/x/bin/file", false,
		     BY_ID "\n/x/bin/a.debug\n/x/bin/.debug/a.debug\n"
			   "/usr/lib/debug/x/bin/a.debug\n");
	expect_debug(&no_id, NOBODY, "/x/bin/file", false, links);
	expect_debug(&short_id, NOBODY, "/x/bin/file", false, links);
	expect_debug(&image, NOBODY, "file", false, BY_ID "\n");
	expect_debug(&two, NOBODY, "file", false, "/usr/lib/debug/.build-id/de/ad.debug\n");
	/* In our root and in that of the process. */
	expect_debug(&no_id, getpid(), "/file", false,
		     "/a.debug\n/a.debug\n/.debug/a.debug\n/.debug/a.debug\n"
		     "/usr/lib/debug/a.debug\n/usr/lib/debug/a.debug\n");
	expect_debug(&image, getpid(), "file", false, BY_ID "\n" BY_ID "\n");
}

static void a_debug_file_has_the_same_id(void **state)
{
	struct elf_image image = { .machine = EM_X86_64 }, shorter = { .id_size = 3 };
	_close_ int same = image_make(&image), other = image_make(&shorter),
		    none = memfd_create("none", MFD_CLOEXEC);

	(void)state;
	played.files[0].path = BY_ID;
	played.files[0].fd = same;
	expect_debug(&image, getpid(), "file", true, BY_ID "\n");
	played.files[0].fd = other;
	expect_debug(&image, NOBODY, "file", false, BY_ID "\n");
	played.files[0].fd = none;
	expect_debug(&image, NOBODY, "file", false, BY_ID "\n");
	image.bytes[0x300 + sizeof(Elf64_Nhdr) + 4 + 3]++;
	assert_int_equal(pwrite(same, image.bytes, image.size, 0), image.size);
	played.files[0].fd = same;
	expect_debug(&image, NOBODY, "file", false, BY_ID "\n");
}

static void a_linked_debug_file_has_the_checksum(void **state)
{
	static char text[70000];
	struct elf_image image = { .id_size = -1 };
	_close_ int fd = memfd_create("debug", MFD_CLOEXEC);

	(void)state;
	for (size_t i = 0; i < sizeof(text); i++)
		text[i] = (char)(i * 7 >> 3);
	assert_int_equal(write(fd, text, sizeof(text)), sizeof(text));
	image.crc = crc32_add(0, text, sizeof(text));
	played.files[0].path = "/x/.debug/a.debug";
	played.files[0].fd = fd;
	expect_debug(&image, NOBODY, "/x/file", true, "/x/a.debug\n/x/.debug/a.debug\n");
	image.crc++;
	expect_debug(&image, NOBODY, "/x/file", false,
		     "/x/a.debug\n/x/.debug/a.debug\n/usr/lib/debug/x/a.debug\n");
}

static void paths_that_are_too_long_are_left_out(void **state)
{
	const struct elf_image image = { .id_size = -1 };
	char path[PATH_MAX + 1] = "";

	(void)state;
	memset(path, '/', 1);
	memset(path + 1, 'a', PATH_MAX - 1 - strlen("/a.debug") - 1);
	strcat(path, "/x");
	close(open_debug(&image, NOBODY, path));
	assert_int_equal(played.paths.len, PATH_MAX);
	memset(path, 0, sizeof(path));
	memset(path, '/', 1);
	memset(path + 1, 'a', PATH_MAX - strlen("/a.debug") - 1);
	strcat(path, "/x");
	close(open_debug(&image, NOBODY, path));
	assert_int_equal(played.paths.len, 0);
}

/* A device or a pipe would block whoever opens it. */
static void only_regular_files_are_opened(void **state)
{
	char *dir = unit_temp_create();
	_free_ char *file = str_fmt("%s/file", dir), *pipe = str_fmt("%s/pipe", dir);
	_close_ int fd = -1, ours = -1;

	(void)state;
	unit_write(dir, "file", "x");
	assert_int_equal(mkfifo(pipe, 0644), 0);
	fd = elf_open_for(getpid(), file);
	ours = elf_open_for(0, file);
	assert_true(fd >= 0 && ours >= 0);
	assert_int_equal(elf_open_for(0, pipe), -ENOENT);
	assert_int_equal(elf_open_for(0, dir), -ENOENT);
	assert_int_equal(elf_open_for(0, "/nowhere"), -ENOENT);
	assert_int_equal(elf_open_for(NOBODY, file), -ENOENT);
	unit_temp_remove(dir);
}

#define PLAYED(test) cmocka_unit_test_setup_teardown(test, begin, end)

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_reads_both_classes),
		cmocka_unit_test(test_undefined_symbols_are_not_found),
		cmocka_unit_test(test_reads_relocations),
		cmocka_unit_test(test_survives_every_truncation),
		cmocka_unit_test(test_survives_large_numbers),
		cmocka_unit_test(test_refuses_other_files),
		cmocka_unit_test(names_are_whole_or_end_so),
		cmocka_unit_test(every_symbol_of_a_table_is_looked_at),
		cmocka_unit_test(relocations_are_visited_until_one_is_found),
		cmocka_unit_test(a_build_id_is_found_among_notes),
		cmocka_unit_test(a_debuglink_is_a_name_and_a_checksum),
		PLAYED(debug_files_are_looked_for_by_id_and_link),
		PLAYED(a_debug_file_has_the_same_id),
		PLAYED(a_linked_debug_file_has_the_checksum),
		PLAYED(paths_that_are_too_long_are_left_out),
		cmocka_unit_test(only_regular_files_are_opened),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
