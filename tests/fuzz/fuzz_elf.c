// SPDX-License-Identifier: GPL-2.0-only
/*
 * The ELF reader on any bytes. (DWARF is read by libdw, in a process of its own:
 * see jemalloc_parts.h.)
 */
#include <elf.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/mman.h>
#include <unistd.h>

#include "ctprof/jemalloc_parts.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const char *const names[] = { "tsd_tls", "mallctl", NULL };
	static int fd = -1;
	unsigned char id[ELF_BUILD_ID_MAX];
	struct elf_view f;
	Elf64_Phdr segment;
	Elf64_Shdr section;
	Elf64_Sym symbol;
	struct tls_slot slot;
	char name[256];
	uint32_t crc;

	if (fd < 0)
		fd = memfd_create("fuzz", MFD_CLOEXEC);
	if (ftruncate(fd, (off_t)size) < 0 || pwrite(fd, data, size, 0) != (ssize_t)size)
		return -1;
	if (elf_view_open_file(&f, fd) < 0)
		return 0;
	elf_view_find_segment(&f, PT_TLS, &segment);
	elf_build_id(&f, id);
	elf_debuglink(&f, name, &crc);
	elf_view_find(&f, ".debug_info", &section);
	elf_find_symbol(&f, SHT_SYMTAB, STT_TLS, names, &symbol);
	elf_find_symbol(&f, SHT_DYNSYM, STT_FUNC, names, &symbol);
	tls_find_slot(&f, &slot);
	return 0;
}
