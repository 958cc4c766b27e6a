// SPDX-License-Identifier: GPL-2.0-only
/* Boot headers and payloads of kernel images. */
#include "kernel/parts.h"

/* Offsets of the x86 setup header. */
enum {
	SETUP_SECTS = 0x1f1,
	SYSSIZE = 0x1f4, /* protected-mode code in 16-byte units */
	BOOT_FLAG = 0x1fe,
	HEADER_MAGIC = 0x202,
	PROTOCOL = 0x206,
	KERNEL_VERSION = 0x20e,
	PAYLOAD_OFFSET = 0x248,
	PAYLOAD_LENGTH = 0x24c,
	HEADER_END = 0x268,
};

#define SECTOR 512
#define PROTOCOL_WITH_PAYLOAD 0x208

/* Of the arm64 header. */
enum { ARM64_IMAGE_SIZE = 16, ARM64_MAGIC = 56, ARM64_HEADER_END = 64 };

/* No vmlinux without debug sections is nearly as large. */
#define MAX_VMLINUX ((size_t)1 << 30)

static uint16_t get16(const uint8_t *p)
{
	return (uint16_t)(p[0] | p[1] << 8);
}

static uint32_t get32(const uint8_t *p)
{
	return get16(p) | (uint32_t)get16(p + 2) << 16;
}

/* The text at kernel_version starts with the release: "7.0.13 (user@host) #1 SMP". */
static void read_release(const uint8_t *p, size_t len, struct bzimage *out)
{
	size_t at = (size_t)get16(p + KERNEL_VERSION) + SECTOR;
	size_t i;

	if (at == SECTOR || at >= len)
		return;
	for (i = 0; i < sizeof(out->release) - 1 && at + i < len && isgraph(p[at + i]); i++)
		out->release[i] = (char)p[at + i];
	out->release[i] = '\0';
}

static int parse_x86(const uint8_t *p, size_t len, struct bzimage *out)
{
	size_t setup = ((p[SETUP_SECTS] ? p[SETUP_SECTS] : 4) + (size_t)1) * SECTOR;
	size_t system = (size_t)get32(p + SYSSIZE) * 16;
	size_t offset = get32(p + PAYLOAD_OFFSET), length = get32(p + PAYLOAD_LENGTH);

	if (get16(p + PROTOCOL) < PROTOCOL_WITH_PAYLOAD)
		return err_set(EINVAL, "the boot protocol of this kernel image is too old");
	if (setup + system > len)
		return err_set(ENODATA, "the kernel image is cut off: %zu of %zu bytes", len,
			       setup + system);
	if (offset > system || length > system - offset || length <= 4)
		return err_set(EINVAL, "the payload of the kernel image lies outside of it");
	out->arch = "x86_64";
	out->payload_offset = setup + offset;
	out->payload_length = length;
	read_release(p, len, out);
	return 0;
}

static int parse_arm64(const uint8_t *p, size_t len, struct bzimage *out)
{
	uint64_t size = get32(p + ARM64_IMAGE_SIZE) | (uint64_t)get32(p + ARM64_IMAGE_SIZE + 4)
							      << 32;

	/* image_size includes .bss, which is not in the file: at least half of it must be there. */
	if (size / 2 > len)
		return err_set(ENODATA, "the kernel image is cut off: %zu of about %llu bytes", len,
			       ULL(size));
	out->arch = "aarch64";
	return 0;
}

int bzimage_parse(const void *data, size_t len, struct bzimage *out)
{
	const uint8_t *p = data;

	*out = (struct bzimage){};
	if (len >= HEADER_END && get16(p + BOOT_FLAG) == 0xaa55 &&
	    memcmp(p + HEADER_MAGIC, "HdrS", 4) == 0)
		return parse_x86(p, len, out);
	if (len >= ARM64_HEADER_END && memcmp(p + ARM64_MAGIC, "ARM\x64", 4) == 0)
		return parse_arm64(p, len, out);
	return err_set(EINVAL, "not a kernel image");
}

static bool is_gzip(const uint8_t *p)
{
	return p[0] == 0x1f && p[1] == 0x8b;
}

int bzimage_unpack(const void *data, size_t len, struct str *vmlinux)
{
	const uint8_t *payload;
	struct bzimage image;
	size_t length, wanted;
	int rc = bzimage_parse(data, len, &image);

	if (rc < 0)
		return rc;
	length = image.payload_length;
	if (!length)
		return arm64_image_unpack(data, len, vmlinux);
	payload = (const uint8_t *)data + image.payload_offset;
	/* The build appends the size, except for gzip, whose format ends with it. */
	wanted = get32(payload + length - 4);
	if (wanted > MAX_VMLINUX)
		return err_set(EINVAL, "the kernel image claims a vmlinux of %zu bytes", wanted);
	if (!is_gzip(payload))
		length -= 4;
	rc = archive_unpack_buffer(payload, length, wanted, vmlinux);
	return err_wrap(rc, "unpack the kernel image");
}

int bzimage_check_file(const char *path, struct bzimage *out)
{
	_map_file_ struct map_file file = {};
	int rc = map_file_open_whole(&file, path);

	if (rc < 0)
		return rc;
	return err_wrap(bzimage_parse(file.data, file.size, out), "%s", path);
}

int bzimage_extract(const char *image, const char *vmlinux)
{
	_map_file_ struct map_file file = {};
	_str_ struct str elf = {};
	int rc = map_file_open_whole(&file, image);

	rc = rc ?: err_wrap(bzimage_unpack(file.data, file.size, &elf), "%s", image);
	return rc ?: file_replace(vmlinux, str_get(&elf), elf.len, 0644);
}
