// SPDX-License-Identifier: GPL-2.0-only
/* Packages, tar archives and compressed files: what is taken out of them, and what is refused. */
#include "unit.h"

#include <archive.h>
#include <archive_entry.h>
#include <errno.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/err.h"
#include "kernel/parts.h"
#include "kernel_fixture.h"

#define LONGEST_LINE (1 << 20)

/* One thing in an archive: a file with a text, or what its type says. */
struct thing {
	const char *name, *text, *link;
	unsigned int type; /* 0 = a file */
};

static struct archive *begin(const char *path, bool is_ar)
{
	struct archive *a = archive_write_new();

	assert_non_null(a);
	if (is_ar)
		archive_write_set_format_ar_svr4(a);
	else
		archive_write_set_format_pax_restricted(a);
	if (!is_ar)
		archive_write_add_filter_gzip(a);
	assert_int_equal(archive_write_open_filename(a, path), ARCHIVE_OK);
	return a;
}

static void add(struct archive *a, const struct thing *t, size_t len)
{
	struct archive_entry *e = archive_entry_new();

	archive_entry_set_pathname(e, t->name);
	archive_entry_set_filetype(e, t->type ? t->type : AE_IFREG);
	archive_entry_set_perm(e, 0755);
	archive_entry_set_size(e, (la_int64_t)len);
	if (t->link && t->type == AE_IFLNK)
		archive_entry_set_symlink(e, t->link);
	else if (t->link)
		archive_entry_set_hardlink(e, t->link);
	assert_int_equal(archive_write_header(a, e), ARCHIVE_OK);
	if (len)
		assert_int_equal(archive_write_data(a, t->text, len), len);
	archive_entry_free(e);
}

static void make_tar(const char *path, const struct thing *things)
{
	struct archive *a = begin(path, false);

	for (; things->name; things++)
		add(a, things, things->text ? strlen(things->text) : 0);
	assert_int_equal(archive_write_free(a), ARCHIVE_OK);
}

#define THINGS(...) ((const struct thing[]){ __VA_ARGS__, {} })

static void read_whole(const char *path, struct str *out)
{
	str_reset(out);
	assert_int_equal(file_read(path, out), 0);
}

static void expect_file(const char *path, const char *text)
{
	_str_ struct str found = {};

	read_whole(path, &found);
	assert_string_equal(str_get(&found), text);
}

static void expect_error(int rc, int errnum, const char *text)
{
	assert_int_equal(rc, -errnum);
	if (!strstr(err_text(rc), text))
		fail_msg("not '%s': %s", text, err_text(rc));
}

/* Bytes as gzip has them. */
static void compress_text(const char *text, size_t len, struct str *out)
{
	const char *path = fixture_path("plain");
	_free_ char *command = str_fmt("gzip -nc '%s' >'%s.gz'", path, path);

	assert_non_null(command);
	assert_int_equal(file_replace(path, text, len, 0644), 0);
	assert_int_equal(system(command), 0);
	read_whole(fixture_path("plain.gz"), out);
}

/* ---- compressed bytes ---- */

static void a_buffer_unpacks_to_what_it_claims(void **state)
{
	_str_ struct str packed = {}, out = {};

	(void)state;
	compress_text("0123456789", 10, &packed);
	str_add(&out, "before ");
	assert_int_equal(archive_unpack_buffer(packed.s, packed.len, 10, &out), 0);
	assert_string_equal(str_get(&out), "before 0123456789");
	str_reset(&out);
	expect_error(archive_unpack_buffer(packed.s, packed.len, 9, &out), EINVAL,
		     "it unpacks to more than the 9 bytes it claims");
	str_reset(&out);
	expect_error(archive_unpack_buffer(packed.s, packed.len, 11, &out), EINVAL,
		     "it unpacks to 10 of the 11 bytes it claims");
	str_reset(&out);
	expect_error(archive_unpack_buffer("0123456789", 10, 10, &out), EINVAL,
		     "the compression is not known");
	assert_true(archive_unpack_buffer(packed.s, packed.len / 2, 10, &out) < 0);
}

static void a_file_is_read_packed_or_plain(void **state)
{
	_str_ struct str packed = {}, out = {};
	const char *path = fixture_path("file");

	(void)state;
	compress_text("0123456789", 10, &packed);
	assert_int_equal(archive_read_file(fixture_path("plain.gz"), 10, &out), 0);
	assert_string_equal(str_get(&out), "0123456789");
	/* The limit is one of what comes out, not of what was there before. */
	assert_int_equal(archive_read_file(fixture_path("plain"), 10, &out), 0);
	assert_string_equal(str_get(&out), "01234567890123456789");
	expect_error(archive_read_file(fixture_path("plain.gz"), 9, &out), EFBIG,
		     "unpacks to more than 9 bytes");
	fixture_write(path, "");
	str_reset(&out);
	assert_int_equal(archive_read_file(path, 0, &out), 0);
	assert_int_equal(out.len, 0);
	expect_error(archive_read_file(fixture_path("none"), 9, &out), EINVAL,
		     fixture_path("none"));
	assert_int_equal(file_replace(path, packed.s, packed.len / 2, 0644), 0);
	expect_error(archive_read_file(path, 100, &out), EINVAL, path);
}

/* ---- lines ---- */

struct lines {
	struct str all;
	size_t count, longest;
	const char *refused;
};

static int take(void *context, char *line)
{
	struct lines *l = context;

	if (l->refused && strcmp(line, l->refused) == 0)
		return -ECANCELED;
	l->count++;
	l->longest = MAX(l->longest, strlen(line));
	if (strlen(line) < 100)
		str_addf(&l->all, "<%s>", line);
	return 0;
}

static void lines_come_whole_and_without_their_ends(void **state)
{
	const char *path = fixture_path("lines");
	struct lines l = {};

	(void)state;
	fixture_write(path, "one\n\nthree\nlast");
	assert_int_equal(archive_read_lines(path, take, &l), 0);
	assert_string_equal(str_get(&l.all), "<one><><three><last>");
	str_finish(&l.all);
	l = (struct lines){ .refused = "three" };
	assert_int_equal(archive_read_lines(path, take, &l), -ECANCELED);
	assert_string_equal(str_get(&l.all), "<one><>");
	str_finish(&l.all);
	l = (struct lines){};
	fixture_write(path, "");
	assert_int_equal(archive_read_lines(path, take, &l), 0);
	assert_int_equal(l.count, 0);
	assert_true(archive_read_lines(fixture_path("none"), take, &l) < 0);
}

/* Longer than a block, which is read in pieces; and longer than any that is wanted. */
static void long_lines_are_put_together_up_to_a_limit(void **state)
{
	_free_ char *text = calloc(1, LONGEST_LINE + 200000);
	const char *path = fixture_path("long");
	struct lines l = {};

	(void)state;
	assert_non_null(text);
	memset(text, 'x', LONGEST_LINE + 190000);
	memcpy(text, "first\n", 6);
	memcpy(text + 200006, "\nlast", 5);
	assert_int_equal(file_replace(path, text, 200011, 0644), 0);
	assert_int_equal(archive_read_lines(path, take, &l), 0);
	assert_string_equal(str_get(&l.all), "<first><last>");
	assert_int_equal(l.count, 3);
	assert_int_equal(l.longest, 200000);
	str_finish(&l.all);
	memset(text, 'x', 200011);
	assert_int_equal(file_replace(path, text, LONGEST_LINE + 190000, 0644), 0);
	expect_error(archive_read_lines(path, take, &l), EINVAL, "a line is longer than");
}

/* ---- packages ---- */

/* A package whose files are these. */
static void make_package(const char *path, const char *member, const struct thing *things)
{
	_str_ struct str data = {};
	struct archive *a = begin(path, true);

	make_tar(fixture_path("data"), things);
	read_whole(fixture_path("data"), &data);
	add(a, &(struct thing){ .name = "debian-binary", .text = "2.0\n" }, 4);
	add(a, &(struct thing){ .name = member, .text = data.s }, data.len);
	assert_int_equal(archive_write_free(a), ARCHIVE_OK);
}

static void members_are_taken_by_their_names(void **state)
{
	const char *path = fixture_path("a.deb");
	char image[512], config[512], absent[512];
	struct archive_member members[] = {
		{ .patterns = { "./boot/vmlinuz-*", "./usr/lib/modules/*/vmlinuz" },
		  .target = image },
		{ .patterns = { "./boot/config-*" }, .target = config },
		{ .patterns = { "./none" }, .target = absent },
	};

	(void)state;
	snprintf(image, sizeof(image), "%s", fixture_path("image"));
	snprintf(config, sizeof(config), "%s", fixture_path("config"));
	snprintf(absent, sizeof(absent), "%s", fixture_path("absent"));
	make_package(path, "data.tar.gz",
		     THINGS({ .name = "./boot/config-7.0", .type = AE_IFDIR },
			    { .name = "./boot/config-link", .type = AE_IFLNK, .link = "elsewhere" },
			    { .name = "./boot/deeper/config-1", .text = "deeper" },
			    { .name = "./boot/config-7.1", .text = "CONFIG_A=y" },
			    { .name = "./boot/config-7.2", .text = "second" },
			    { .name = "./usr/lib/modules/7.1/vmlinuz", .text = "the image" }));
	assert_int_equal(archive_unpack_deb(path, members, 3), 0);
	assert_true(members[0].found && members[1].found);
	assert_false(members[2].found);
	expect_file(image, "the image");
	expect_file(config, "CONFIG_A=y");
	assert_int_equal(access(absent, F_OK), -1);
}

static void what_is_no_package_is_refused(void **state)
{
	struct archive_member member = { .patterns = { "./a" }, .target = fixture_path("a") };
	const char *path = fixture_path("bad.deb");

	(void)state;
	make_package(path, "control.tar.gz", THINGS({ .name = "./a", .text = "a" }));
	expect_error(archive_unpack_deb(path, &member, 1), EINVAL, "is not a Debian package");
	fixture_write(path, "no archive of any kind, and longer than the head of one would be");
	expect_error(archive_unpack_deb(path, &member, 1), EINVAL, path);
	expect_error(archive_unpack_deb(fixture_path("none"), &member, 1), EINVAL,
		     fixture_path("none"));
	make_package(path, "data.tar.gz", THINGS({ .name = "./a", .text = "a" }));
	member.target = fixture_path("no/such/directory");
	assert_int_equal(archive_unpack_deb(path, &member, 1), -ENOENT);
	assert_false(member.found);
}

/* ---- sources ---- */

static int unpack(const struct thing *things)
{
	const char *path = fixture_path("linux.tar.gz");

	make_tar(path, things);
	fixture_mkdir(fixture_path("out"));
	return archive_unpack_tar(path, fixture_path("out"), "linux-6.14");
}

static void sources_lie_below_their_directory(void **state)
{
	struct stat one, two;

	(void)state;
	assert_int_equal(unpack(THINGS({ .name = "linux-6.14", .type = AE_IFDIR },
				       { .name = "./linux-6.14/Makefile", .text = "all:" },
				       { .name = "linux-6.14/a", .text = "A" },
				       { .name = "linux-6.14/same", .link = "linux-6.14/a" })),
			 0);
	expect_file(fixture_path("out/linux-6.14/Makefile"), "all:");
	expect_file(fixture_path("out/linux-6.14/same"), "A");
	assert_int_equal(stat(fixture_path("out/linux-6.14/a"), &one), 0);
	assert_int_equal(stat(fixture_path("out/linux-6.14/same"), &two), 0);
	assert_int_equal(one.st_ino, two.st_ino);
}

static void sources_that_lie_elsewhere_are_refused(void **state)
{
	static const char *const names[] = { "linux-6.14.1/a", "linux-6.1/a", "a",
					     "linux-6.14/../a", "/linux-6.14/a" };

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(names); i++)
		expect_error(unpack(THINGS({ .name = names[i], .text = "x" })), EINVAL,
			     "does not extract to linux-6.14/: it holds '");
	expect_error(unpack(THINGS({ .name = "linux-6.14/l", .type = AE_IFLNK, .link = "/tmp" },
				   { .name = "linux-6.14/l/x", .text = "x" })),
		     EINVAL, "linux.tar.gz");
	expect_error(unpack((const struct thing[]){ {} }), EINVAL, "the archive is empty");
	assert_int_equal(archive_unpack_tar(fixture_path("linux.tar.gz"), fixture_path("nowhere"),
					    "linux-6.14"),
			 -ENOENT);
	assert_int_equal(archive_unpack_tar(fixture_path("none"), fixture_path("out"),
					    "linux-6.14"),
			 -ENOENT);
	fixture_write(fixture_path("text"), "this is not an archive of any kind");
	assert_int_equal(archive_unpack_tar(fixture_path("text"), fixture_path("out"),
					    "linux-6.14"),
			 -EINVAL);
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, kernel_fixture_setup, kernel_fixture_teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(a_buffer_unpacks_to_what_it_claims),
		TEST(a_file_is_read_packed_or_plain),
		TEST(lines_come_whole_and_without_their_ends),
		TEST(long_lines_are_put_together_up_to_a_limit),
		TEST(members_are_taken_by_their_names),
		TEST(what_is_no_package_is_refused),
		TEST(sources_lie_below_their_directory),
		TEST(sources_that_lie_elsewhere_are_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
