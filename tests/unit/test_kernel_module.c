// SPDX-License-Identifier: GPL-2.0-only
/* Modules: where they are looked for, in which forms, and what is said without one. */
#include <elf.h>
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/err.h"
#include "base/util.h"
#include "kernel/kernel.h"
#include "kernel/parts.h"
#include "kernel_fixture.h"

#define NAME "drivers/block/virtio_blk"

/* As little of a module as there can be, and a mark to know it by. */
struct tiny_module {
	Elf64_Ehdr head;
	Elf64_Shdr section;
	char mark[8];
};

static void write_module(const char *path, const char *mark, size_t len)
{
	struct tiny_module m = { .head = { .e_ident = { ELFMAG0, ELFMAG1, ELFMAG2, ELFMAG3,
							ELFCLASS64, ELFDATA2LSB },
					   .e_type = ET_REL,
					   .e_shoff = offsetof(struct tiny_module, section),
					   .e_shentsize = sizeof(Elf64_Shdr),
					   .e_shnum = 1 } };
	FILE *file = fopen(path, "w");

	memcpy(m.mark, mark, MIN(strlen(mark), sizeof(m.mark)));
	assert_non_null(file);
	assert_int_equal(fwrite(&m, len, 1, file), 1);
	assert_int_equal(fclose(file), 0);
}

static void expect_module(const struct kernel_image *k, const char *mark)
{
	_str_ struct str module = {};

	assert_int_equal(kernel_module_get(k, NAME, "ktstr", &module), 0);
	assert_int_equal(module.len, sizeof(struct tiny_module));
	assert_string_equal(module.s + offsetof(struct tiny_module, mark), mark);
}

static void expect_none(const struct kernel_image *k, int errnum, const char *text)
{
	_str_ struct str module = {};
	int rc = kernel_module_get(k, NAME, "ktstr", &module);

	assert_int_equal(rc, -errnum);
	assert_string_equal(err_text(rc), text);
}

static void a_built_tree_has_it_plain_or_packed(void **state)
{
	_free_ char *tree = strdup(fixture_path("tree"));
	_free_ char *pack = str_fmt("gzip %s/" NAME ".ko", tree);
	struct kernel_image k = { .source_tree = tree };

	(void)state;
	fixture_mkdir(fixture_path("tree/drivers/block"));
	expect_none(&k, ENOENT, "this kernel comes without a module virtio_blk");
	write_module(fixture_path("tree/" NAME ".ko"), "built", sizeof(struct tiny_module));
	expect_module(&k, "built");
	assert_int_equal(system(pack), 0); /* NOLINT(cert-env33-c): a fixture */
	expect_module(&k, "built");
}

static void what_is_no_module_is_not_taken_for_one(void **state)
{
	_free_ char *tree = strdup(fixture_path("tree"));
	_free_ char *sentence = str_fmt(
		"no module virtio_blk: %s/" NAME ".ko is not a module, or not all of one", tree);
	struct kernel_image k = { .source_tree = tree };

	(void)state;
	fixture_mkdir(fixture_path("tree/drivers/block"));
	for (size_t len = 1; len <= offsetof(struct tiny_module, mark) - 1; len += 7) {
		write_module(fixture_path("tree/" NAME ".ko"), "cut", len);
		expect_none(&k, EBADMSG, sentence);
	}
	fixture_write(fixture_path("tree/" NAME ".ko"), "");
	expect_none(&k, EBADMSG, sentence);
	fixture_write(
		fixture_path("tree/" NAME ".ko"),
		"this is a text that is as long as the head of a program, or a little longer");
	expect_none(&k, EBADMSG, sentence);
}

static void a_cache_entry_keeps_it(void **state)
{
	_free_ char *metadata = fixture_metadata("6.14.2", "2026-07-04T23:06:12Z", "");
	struct kernel_image k = { .key = "6.14.2-tarball-x86_64-kcabc" };

	(void)state;
	fixture_entry(k.key, metadata, "");
	expect_none(&k, ENOENT, "this kernel comes without a module virtio_blk");
	write_module(fixture_path("cache/%s/virtio_blk.ko", k.key), "kept",
		     sizeof(struct tiny_module));
	expect_module(&k, "kept");
}

/* There is nothing to fetch it from anew. */
static void a_damaged_one_of_our_own_build_is_told(void **state)
{
	_free_ char *metadata = fixture_metadata("6.14.2", "2026-07-04T23:06:12Z", "");
	struct kernel_image k = { .key = "6.14.2-tarball-x86_64-kcabc" };
	_free_ char *file = strdup(fixture_path("cache/%s/virtio_blk.ko", k.key));
	_free_ char *sentence =
		str_fmt("no module virtio_blk: %s is not a module, or not all of one", file);

	(void)state;
	fixture_entry(k.key, metadata, "");
	write_module(file, "cut", sizeof(Elf64_Ehdr));
	expect_none(&k, EBADMSG, sentence);
	/* Nor is anything taken from an entry that is damaged itself. */
	write_module(file, "kept", sizeof(struct tiny_module));
	fixture_write(fixture_path("cache/%s/metadata.json", k.key), "{");
	expect_none(&k, ENOENT, "this kernel comes without a module virtio_blk");
}

/* The metadata of an entry that came in this package. */
static void put_source(const char *key, const char *package)
{
	_free_ char *text = str_fmt(
		"{\"version\": \"7.0.13\", \"source\": {\"type\": \"distro\", \"package\": "
		"\"%s\", \"package_version\": \"7-1\", \"suite\": \"s\"}, \"arch\": \"x86_64\", "
		"\"image_name\": \"bzImage\", \"config_hash\": null, "
		"\"built_at\": \"2026-01-01T00:00:00Z\", \"ktstr_kconfig_hash\": null, "
		"\"has_vmlinux\": false, \"vmlinux_stripped\": false}",
		package);

	assert_non_null(text);
	fixture_write(fixture_path("cache/%s/metadata.json", key), text);
}

static void an_absence_of_today_is_not_asked_for_again(void **state)
{
	struct kernel_image k = { .key = "7.0.13-debian-cloud-x86_64" };

	(void)state;
	fixture_entry(k.key, "", "");
	put_source(k.key, "linux-binary-7.0.13");
	fixture_write(fixture_path("cache/%s/virtio_blk.ko.absent", k.key), "as was said");
	expect_none(&k, EIO, "no module virtio_blk: as was said");
	write_module(fixture_path("cache/%s/virtio_blk.ko", k.key), "kept",
		     sizeof(struct tiny_module));
	expect_module(&k, "kept");
}

/* An apt-get that the test plays: it knows one index and does this to download. */
static void play_apt(const char *download)
{
	_free_ char *script = str_fmt("#!/bin/sh\nfor word; do\n\tcase $word in\n"
				      "\tindextargets) echo 'sid %s'; exit ;;\n"
				      "\tdownload) shift $(($# - 1)); echo $1 >>'%s'; %s ;;\n"
				      "\tesac\ndone\n",
				      fixture_path("Packages"), fixture_path("asked"), download);
	_free_ char *path = str_fmt("%s:/usr/bin:/bin", fixture_path("bin"));

	assert_true(script && path);
	fixture_mkdir(fixture_path("bin"));
	fixture_write(fixture_path("bin/apt-get"), script);
	assert_int_equal(chmod(fixture_path("bin/apt-get"), 0755), 0);
	fixture_write(fixture_path("Packages"),
		      "Package: linux-binary-7.0-cloud-amd64\nVersion: 7.0-1\n"
		      "Size: 9000000\n\n");
	fixture_write(fixture_path("keyring"), "");
	setenv("KTSTR_DEBIAN_KEYRING", fixture_path("keyring"), 1);
	setenv("PATH", path, 1);
}

/* A package with this module in the place where it is kept. */
static void make_package(const char *file, const char *mark)
{
	_free_ char *command = str_fmt("cd '%s' && gzip usr/lib/modules/7.0/kernel/" NAME
				       ".ko && tar -czf data.tar.gz "
				       "./usr && echo 2.0 >debian-binary && rm -f '%s' && "
				       "ar rc '%s' debian-binary data.tar.gz && rm -r usr",
				       fixture_path("made"), file, file);

	fixture_mkdir(fixture_path("made/usr/lib/modules/7.0/kernel/drivers/block"));
	write_module(fixture_path("made/usr/lib/modules/7.0/kernel/" NAME ".ko"), mark,
		     sizeof(struct tiny_module));
	assert_non_null(command);
	assert_int_equal(system(command), 0);
}

static void expect_asked(const char *text)
{
	_str_ struct str asked = {};

	assert_int_equal(file_read(fixture_path("asked"), &asked), 0);
	assert_string_equal(str_get(&asked), text);
}

/* It is in the package of the image, or in the one that goes with it, and is fetched once. */
static void a_package_has_it(void **state)
{
	struct kernel_image k = { .key = "7.0.13-debian-cloud-x86_64" };
	_free_ char *package = strdup(fixture_path("the.deb"));
	_free_ char *copy = str_fmt("cp '%s' got.deb", package);
	_str_ struct str module = {};

	(void)state;
	make_package(package, "fetched");
	play_apt(copy);
	fixture_entry(k.key, "", "");
	put_source(k.key, "linux-binary-7.0");
	expect_module(&k, "fetched");
	expect_module(&k, "fetched");
	expect_asked("linux-modules-7.0=7-1\n");
	/* One that was damaged since is fetched anew. */
	write_module(fixture_path("cache/%s/virtio_blk.ko", k.key), "cut", sizeof(Elf64_Ehdr));
	expect_module(&k, "fetched");
	expect_asked("linux-modules-7.0=7-1\nlinux-modules-7.0=7-1\n");
	unlink(fixture_path("asked"));
	put_source(k.key, "linux-image-7.0");
	unlink(fixture_path("cache/%s/virtio_blk.ko", k.key));
	expect_module(&k, "fetched");
	expect_asked("linux-image-7.0=7-1\n");
	assert_int_equal(kernel_module_get(&k, "net/none", "ktstr", &module), -EINVAL);
	assert_non_null(strstr(err_text(-EINVAL), "got.deb holds no module net/none"));
}

/* What the archive does not have is not asked for again today; what it could not say is. */
static void a_package_that_is_gone_is_asked_for_once(void **state)
{
	struct kernel_image k = { .key = "7.0.13-debian-cloud-x86_64" };
	const char *gone = "no module virtio_blk: download the package: 7-1 was not found";

	(void)state;
	fixture_entry(k.key, "", "");
	put_source(k.key, "linux-binary-7.0");
	play_apt("echo 'E: out of order'; exit 100");
	expect_none(&k, EIO, "no module virtio_blk: download the package: out of order");
	play_apt("echo 'E: 7-1 was not found'; exit 100");
	expect_none(&k, EIO, gone);
	unlink(fixture_path("asked"));
	expect_none(&k, EIO, gone);
	assert_int_equal(access(fixture_path("asked"), F_OK), -1);
}

static void a_file_that_unpacks_to_too_much_is_refused(void **state)
{
	_str_ struct str text = {};
	int rc;

	(void)state;
	fixture_write(fixture_path("long"), "0123456789");
	assert_int_equal(archive_read_file(fixture_path("long"), 10, &text), 0);
	assert_string_equal(str_get(&text), "0123456789");
	rc = archive_read_file(fixture_path("long"), 9, &text);
	assert_int_equal(rc, -EFBIG);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(a_package_has_it, kernel_fixture_setup,
						kernel_fixture_teardown),
		cmocka_unit_test_setup_teardown(a_package_that_is_gone_is_asked_for_once,
						kernel_fixture_setup, kernel_fixture_teardown),
		cmocka_unit_test_setup_teardown(a_built_tree_has_it_plain_or_packed,
						kernel_fixture_setup, kernel_fixture_teardown),
		cmocka_unit_test_setup_teardown(what_is_no_module_is_not_taken_for_one,
						kernel_fixture_setup, kernel_fixture_teardown),
		cmocka_unit_test_setup_teardown(a_cache_entry_keeps_it, kernel_fixture_setup,
						kernel_fixture_teardown),
		cmocka_unit_test_setup_teardown(a_damaged_one_of_our_own_build_is_told,
						kernel_fixture_setup, kernel_fixture_teardown),
		cmocka_unit_test_setup_teardown(an_absence_of_today_is_not_asked_for_again,
						kernel_fixture_setup, kernel_fixture_teardown),
		cmocka_unit_test_setup_teardown(a_file_that_unpacks_to_too_much_is_refused,
						kernel_fixture_setup, kernel_fixture_teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
