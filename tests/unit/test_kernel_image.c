// SPDX-License-Identifier: GPL-2.0-only
/* Images, the vmlinux inside of them, its BTF, and the stripped copy. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <sys/stat.h>

#include <cmocka.h>

#include "base/elf_view.h"
#include "base/err.h"
#include "base/file.h"
#include "base/util.h"
#include "kernel/btf.h"
#include "kernel/parts.h"
#include "kernel_fixture.h"

static void read_whole(const char *path, struct str *out)
{
	assert_int_equal(file_read(path, out), 0);
}

static void test_header(void **state)
{
	_str_ struct str bytes = {};
	struct bzimage image;

	(void)state;
	fixture_image("--release 7.0.13+deb13-cloud-amd64 %s", fixture_path("image"));
	read_whole(fixture_path("image"), &bytes);
	assert_int_equal(bzimage_parse(bytes.s, bytes.len, &image), 0);
	assert_string_equal(image.release, "7.0.13+deb13-cloud-amd64");
	assert_int_equal(image.payload_offset, 2048 + 64);
}

static void put32(struct str *bytes, size_t at, size_t value)
{
	uint32_t word = (uint32_t)value;

	memcpy(bytes->s + at, &word, sizeof(word));
}

/* The payload ends where the image does, at the latest. */
static void test_payload_lies_inside(void **state)
{
	const size_t offset_at = 0x248, length_at = 0x24c; /* Documentation/arch/x86/boot.rst */
	_str_ struct str bytes = {};
	struct bzimage image;
	size_t system, length, offset = 64;

	(void)state;
	fixture_image("%s", fixture_path("image"));
	read_whole(fixture_path("image"), &bytes);
	assert_int_equal(bzimage_parse(bytes.s, bytes.len, &image), 0);
	length = image.payload_length;
	system = bytes.len - (image.payload_offset - offset);
	put32(&bytes, length_at, system - offset);
	assert_int_equal(bzimage_parse(bytes.s, bytes.len, &image), 0);
	put32(&bytes, length_at, UINT32_MAX);
	assert_int_equal(bzimage_parse(bytes.s, bytes.len, &image), -EINVAL);
	assert_string_equal(err_text(-EINVAL),
			    "the payload of the kernel image lies outside of it");
	put32(&bytes, length_at, 4); /* its size alone */
	assert_int_equal(bzimage_parse(bytes.s, bytes.len, &image), -EINVAL);
	put32(&bytes, length_at, length);
	put32(&bytes, offset_at, UINT32_MAX);
	assert_int_equal(bzimage_parse(bytes.s, bytes.len, &image), -EINVAL);
	put32(&bytes, offset_at, offset);
	assert_int_equal(bzimage_parse(bytes.s, bytes.len, &image), 0);
	/* Neither of the two marks alone makes a kernel of it. */
	bytes.s[0x1fe] ^= 1;
	assert_int_equal(bzimage_parse(bytes.s, bytes.len, &image), -EINVAL);
	assert_string_equal(err_text(-EINVAL), "not a kernel image");
	bytes.s[0x1fe] ^= 1;
	bytes.s[0x202] ^= 1;
	assert_int_equal(bzimage_parse(bytes.s, bytes.len, &image), -EINVAL);
	assert_string_equal(err_text(-EINVAL), "not a kernel image");
}

/* Every cut is found, and none is read beyond its end (ASan). */
static void test_cut_images(void **state)
{
	_str_ struct str bytes = {};

	(void)state;
	fixture_image("--compress xz %s", fixture_path("image"));
	read_whole(fixture_path("image"), &bytes);
	for (size_t len = 0; len < bytes.len; len++) {
		_free_ char *cut = malloc(len + 1);
		_str_ struct str out = {};

		assert_non_null(cut);
		memcpy(cut, bytes.s, len);
		assert_true(bzimage_unpack(cut, len, &out) < 0);
	}
	assert_int_equal(bzimage_check_file(fixture_path("absent"), &(struct bzimage){}), -ENOENT);
	fixture_write(fixture_path("empty"), "");
	assert_int_equal(bzimage_check_file(fixture_path("empty"), &(struct bzimage){}), -ENODATA);
	assert_int_equal(bzimage_check_file("/tmp", &(struct bzimage){}), -EINVAL);
}

static void test_compressions(void **state)
{
	static const char *const methods[] = { "zstd", "gzip", "xz", "lz4" };

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(methods); i++) {
		_str_ struct str wanted = {}, got = {};

		fixture_image("--compress %s --vmlinux %s %s", methods[i], fixture_path("vmlinux"),
			      fixture_path("image"));
		assert_int_equal(bzimage_extract(fixture_path("image"), fixture_path("copy")), 0);
		read_whole(fixture_path("vmlinux"), &wanted);
		read_whole(fixture_path("copy"), &got);
		assert_int_equal(wanted.len, got.len);
		assert_memory_equal(wanted.s, got.s, got.len);
	}
}

/* An image that came alone has the vmlinux of its inside, once unpacked; a damaged one has none. */
static void test_unpacked_into_the_cache(void **state)
{
	_str_ struct str wanted = {}, got = {};
	_free_ char *path = NULL;
	struct stat st;

	(void)state;
	umask(022);
	fixture_image("--vmlinux %s %s", fixture_path("vmlinux"), fixture_path("image"));
	for (int i = 0; i < 2; i++) {
		_kernel_image_ struct kernel_image k = { .image = strdup(fixture_path("image")) };

		image_unpack(&k);
		assert_non_null(k.vmlinux);
		assert_true(k.vmlinux_is_bootable && k.btf == KERNEL_BTF_OK);
		assert_true(!path || strcmp(path, k.vmlinux) == 0);
		free(path);
		path = strdup(k.vmlinux);
	}
	/* Others of a shared cache may read it, and nobody else may change it. */
	assert_int_equal(stat(path, &st), 0);
	assert_int_equal(st.st_mode & 0777, 0644);
	*strrchr(path, '/') = '\0';
	assert_int_equal(stat(path, &st), 0);
	assert_int_equal(st.st_mode & 0777, 0755);
	path[strlen(path)] = '/';
	read_whole(fixture_path("vmlinux"), &wanted);
	read_whole(path, &got);
	assert_int_equal(wanted.len, got.len);
	assert_memory_equal(wanted.s, got.s, got.len);
	{
		_kernel_image_ struct kernel_image k = { .image = strdup(fixture_path("vmlinux")) };

		image_unpack(&k);
		assert_null(k.vmlinux);
	}
}

/* A payload that unpacks to more or less than it claims. */
static void test_wrong_size(void **state)
{
	_str_ struct str bytes = {}, out = {};
	struct bzimage image;
	uint32_t size;

	(void)state;
	fixture_image("%s", fixture_path("image"));
	read_whole(fixture_path("image"), &bytes);
	assert_int_equal(bzimage_parse(bytes.s, bytes.len, &image), 0);
	memcpy(&size, bytes.s + image.payload_offset + image.payload_length - 4, 4);
	for (int change = -1; change <= 1; change += 2) {
		uint32_t wrong = size + (uint32_t)change;

		memcpy(bytes.s + image.payload_offset + image.payload_length - 4, &wrong, 4);
		str_reset(&out);
		assert_int_equal(bzimage_unpack(bytes.s, bytes.len, &out), -EINVAL);
	}
	memset(bytes.s + image.payload_offset + image.payload_length - 4, 0xff, 4);
	assert_int_equal(bzimage_unpack(bytes.s, bytes.len, &out), -EINVAL);
	assert_non_null(strstr(err_text(-EINVAL), "claims a vmlinux of 4294967295 bytes"));
}

static void test_facts(void **state)
{
	static const struct {
		const char *options;
		enum kernel_answer has_scx;
		enum kernel_btf btf;
		uint32_t unsound;
	} rows[] = {
		{ "", KERNEL_YES, KERNEL_BTF_OK, 0 },
		{ "--no-scx", KERNEL_NO, KERNEL_BTF_OK, 0 },
		{ "--no-btf", KERNEL_UNKNOWN, KERNEL_BTF_NONE, 0 },
		{ "--unsound 19", KERNEL_YES, KERNEL_BTF_UNSOUND, 19 },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct vmlinux_facts facts;

		fixture_image("%s --vmlinux %s %s", rows[i].options, fixture_path("vmlinux"),
			      fixture_path("image"));
		assert_int_equal(vmlinux_look_file(fixture_path("vmlinux"), &facts), 0);
		assert_int_equal(facts.has_scx, rows[i].has_scx);
		assert_int_equal(facts.btf, rows[i].btf);
		assert_int_equal(facts.unsound_kfuncs, rows[i].unsound);
	}
}

static void test_damaged_elf(void **state)
{
	_str_ struct str bytes = {};
	struct vmlinux_facts facts;

	(void)state;
	fixture_image("--vmlinux %s %s", fixture_path("vmlinux"), fixture_path("image"));
	read_whole(fixture_path("vmlinux"), &bytes);
	for (size_t len = 0; len < bytes.len; len += 7) {
		_free_ char *cut = malloc(len + 1);

		assert_non_null(cut);
		memcpy(cut, bytes.s, len);
		assert_int_equal(vmlinux_look(cut, len, &facts), -EINVAL);
	}
	bytes.s[4] = 1; /* 32 bits */
	assert_int_equal(vmlinux_look(bytes.s, bytes.len, &facts), -EINVAL);
	assert_int_equal(vmlinux_look_file(fixture_path("absent"), &facts), -ENOENT);
}

static void test_damaged_btf(void **state)
{
	_str_ struct str bytes = {};
	struct btf_facts facts;
	const uint8_t *section;
	size_t len;

	(void)state;
	fixture_image("--vmlinux %s %s", fixture_path("vmlinux"), fixture_path("image"));
	read_whole(fixture_path("vmlinux"), &bytes);
	assert_int_equal(elf_section(bytes.s, bytes.len, ".BTF", &section, &len), 0);
	assert_int_equal(btf_look(section, len, &facts), 0);
	for (size_t cut = 0; cut < len; cut++) {
		_free_ uint8_t *copy = malloc(cut + 1);

		assert_non_null(copy);
		memcpy(copy, section, cut);
		assert_int_equal(btf_look(copy, cut, &facts), -EINVAL);
	}
}

/* An arm64 Image: its head, a piece that only begins as types do, and its types. */
static void make_arm64(struct str *image, size_t types_at, size_t cut)
{
	static const char begins_so[] = { (char)0x9f, (char)0xeb, 1, 0, 24 };
	_str_ struct str bytes = {};
	const uint8_t *section;
	size_t len;

	fixture_image("--vmlinux %s %s", fixture_path("vmlinux"), fixture_path("image"));
	read_whole(fixture_path("vmlinux"), &bytes);
	assert_int_equal(elf_section(bytes.s, bytes.len, ".BTF", &section, &len), 0);
	for (size_t i = 0; i < types_at; i++)
		str_addc(image, 0);
	memcpy(image->s + 56, "ARM\x64", 4);
	memcpy(image->s + 64, begins_so, sizeof(begins_so));
	str_addn(image, (const char *)section, len - cut);
	assert_int_equal(str_check(image), 0);
}

static void test_arm64(void **state)
{
	static const struct {
		size_t at, cut;
		enum kernel_btf btf;
	} rows[] = {
		{ 4096, 0, KERNEL_BTF_OK },
		{ 4098, 0, KERNEL_BTF_NONE }, /* no compiler would put them there */
		{ 4096, 1, KERNEL_BTF_NONE },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		_str_ struct str image = {}, vmlinux = {};
		struct vmlinux_facts facts;
		struct bzimage header;
		struct elf_view e;

		make_arm64(&image, rows[i].at, rows[i].cut);
		assert_int_equal(bzimage_parse(image.s, image.len, &header), 0);
		assert_string_equal(header.arch, "aarch64");
		assert_int_equal(bzimage_unpack(image.s, image.len, &vmlinux), 0);
		assert_int_equal(elf_view_open(&e, vmlinux.s, vmlinux.len), 0);
		assert_int_equal(e.header.e_machine, EM_AARCH64);
		assert_true(elf_view_has_sections(&e));
		assert_int_equal(vmlinux_look(vmlinux.s, vmlinux.len, &facts), 0);
		assert_int_equal(facts.btf, rows[i].btf);
		assert_int_equal(facts.has_scx,
				 rows[i].btf == KERNEL_BTF_OK ? KERNEL_YES : KERNEL_UNKNOWN);
	}
}

static void test_strip(void **state)
{
	static const char *const kept[] = { ".BTF", ".symtab", ".strtab", ".rodata" };
	static const char *const dropped[] = { ".text", ".debug_info" };
	_str_ struct str before = {}, after = {};
	struct vmlinux_facts facts;
	const uint8_t *a, *b;
	size_t a_len, b_len;

	(void)state;
	fixture_image("--unsound 4 --vmlinux %s %s", fixture_path("vmlinux"),
		      fixture_path("image"));
	assert_int_equal(vmlinux_strip(fixture_path("vmlinux"), fixture_path("stripped")), 0);
	read_whole(fixture_path("vmlinux"), &before);
	read_whole(fixture_path("stripped"), &after);
	assert_true(after.len < before.len / 4);
	for (size_t i = 0; i < ARRAY_SIZE(kept); i++) {
		assert_int_equal(elf_section(before.s, before.len, kept[i], &a, &a_len), 0);
		assert_int_equal(elf_section(after.s, after.len, kept[i], &b, &b_len), 0);
		assert_int_equal(a_len, b_len);
		assert_memory_equal(a, b, a_len);
	}
	for (size_t i = 0; i < ARRAY_SIZE(dropped); i++) {
		assert_int_equal(elf_section(after.s, after.len, dropped[i], &b, &b_len), 0);
		assert_int_equal(b_len, 0);
	}
	assert_int_equal(vmlinux_look_file(fixture_path("stripped"), &facts), 0);
	assert_int_equal(facts.unsound_kfuncs, 4);
	fixture_write(fixture_path("text"), "no ELF");
	assert_int_equal(vmlinux_strip(fixture_path("text"), fixture_path("out")), -EINVAL);
	assert_int_equal(vmlinux_strip(fixture_path("absent"), fixture_path("out")), -ENOENT);
}

static void test_image_in_tree(void **state)
{
	_kernel_image_ struct kernel_image k = {};

	(void)state;
	assert_int_equal(image_in_tree(fixture_path("tree"), &k), -ENOENT);
	fixture_mkdir(fixture_path("tree/arch/x86/boot"));
	fixture_write(fixture_path("tree/.config"), "CONFIG_HZ=1000\n");
	fixture_image("--vmlinux %s %s", fixture_path("tree/vmlinux"),
		      fixture_path("tree/arch/x86/boot/bzImage"));
	assert_int_equal(image_in_tree(fixture_path("tree"), &k), 0);
	assert_string_equal(k.source_tree, fixture_path("tree"));
	assert_string_equal(k.vmlinux, fixture_path("tree/vmlinux"));
	assert_string_equal(k.config, fixture_path("tree/.config"));
	assert_string_equal(k.release, "6.14.2");
	assert_int_equal(k.has_scx, KERNEL_YES);
	assert_true(k.vmlinux_is_bootable);
	kernel_image_finish(&k);
	fixture_image("%s", fixture_path("tree/lonely"));
	assert_int_equal(image_from_file(fixture_path("tree/lonely"), &k), 0);
	assert_null(k.source_tree);
}

/* In /boot and in /lib/modules it has other names. */
static void test_config_beside(void **state)
{
	static const char *const rows[][2] = {
		{ "boot/vmlinuz-6.14.2", "boot/config-6.14.2" },
		{ "modules/vmlinuz", "modules/config" },
	};

	(void)state;
	fixture_mkdir(fixture_path("boot"));
	fixture_mkdir(fixture_path("modules"));
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		_kernel_image_ struct kernel_image k = {};

		fixture_image("%s", fixture_path("%s", rows[i][0]));
		assert_int_equal(image_from_file(fixture_path("%s", rows[i][0]), &k), 0);
		assert_null(k.config);
		kernel_image_finish(&k);
		fixture_write(fixture_path("%s", rows[i][1]), "CONFIG_HZ=100\n");
		assert_int_equal(image_from_file(fixture_path("%s", rows[i][0]), &k), 0);
		assert_string_equal(k.config, fixture_path("%s", rows[i][1]));
	}
}

static void test_scx_required(void **state)
{
	static const struct {
		enum kernel_answer has_scx;
		enum kernel_btf btf;
		const char *sentence;
	} rows[] = {
		{ KERNEL_YES, KERNEL_BTF_OK, NULL },
		{ KERNEL_UNKNOWN, KERNEL_BTF_UNKNOWN, NULL },
		{ KERNEL_NO, KERNEL_BTF_OK, "kernel k has no sched_ext" },
		{ KERNEL_UNKNOWN, KERNEL_BTF_NONE, "kernel k has no BTF" },
		{ KERNEL_YES, KERNEL_BTF_UNSOUND,
		  "kernel k has unsound BTF: 19 kfuncs of sched_ext" },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct kernel_image k = { .key = "k",
					  .has_scx = rows[i].has_scx,
					  .btf = rows[i].btf,
					  .unsound_kfuncs = 19 };
		int rc = kernel_require_scx(&k);

		assert_int_equal(rc, rows[i].sentence ? -ENOTSUP : 0);
		if (rows[i].sentence)
			assert_non_null(strstr(err_text(rc), rows[i].sentence));
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_header),
		cmocka_unit_test(test_payload_lies_inside),
		cmocka_unit_test(test_cut_images),
		cmocka_unit_test(test_compressions),
		cmocka_unit_test(test_wrong_size),
		cmocka_unit_test(test_unpacked_into_the_cache),
		cmocka_unit_test(test_facts),
		cmocka_unit_test(test_damaged_elf),
		cmocka_unit_test(test_damaged_btf),
		cmocka_unit_test(test_strip),
		cmocka_unit_test(test_image_in_tree),
		cmocka_unit_test(test_config_beside),
		cmocka_unit_test(test_scx_required),
		cmocka_unit_test(test_arm64),
	};

	return cmocka_run_group_tests(tests, kernel_fixture_setup, kernel_fixture_teardown);
}
