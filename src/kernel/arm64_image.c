// SPDX-License-Identifier: GPL-2.0-only
/*
 * An arm64 Image is the kernel's memory without an ELF file around it. Its BTF is somewhere inside:
 * this writes an ELF file with BTF as a section, for readers of a vmlinux.
 */
#include <elf.h>

#include "base/btf.h"
#include "kernel/parts.h"

/* Section numbers of the output. */
enum { SECTION_IMAGE = 1, SECTION_BTF, SECTION_NAMES, SECTION_COUNT };

static const char section_names[] = "\0.rodata\0.BTF\0.shstrtab";
static const char btf_start[] = { (char)0x9f, (char)0xeb, 1, 0 };

/* Finds the largest valid BTF blob: programs embedded in a kernel have small ones. */
static void find_btf(const uint8_t *data, size_t len, size_t *at, size_t *size)
{
	const uint8_t *p = data;

	*at = *size = 0;
	while ((p = memmem(p, len - (size_t)(p - data), btf_start, sizeof(btf_start)))) {
		size_t start = (size_t)(p - data), here = btf_length(p, len - start);
		struct btf btf;

		p += sizeof(btf_start);
		if (start % 4 || here <= *size)
			continue;
		if (btf_open(&btf, data + start, here) == 0) {
			*at = start;
			*size = here;
		}
		btf_close(&btf);
		err_clear();
	}
}

int arm64_image_unpack(const void *data, size_t len, struct str *vmlinux)
{
	size_t btf_at, btf_size, names_at = sizeof(Elf64_Ehdr) + len;
	Elf64_Ehdr header = { .e_type = ET_EXEC,
			      .e_machine = EM_AARCH64,
			      .e_version = EV_CURRENT,
			      .e_ehsize = sizeof(header),
			      .e_shoff = names_at + sizeof(section_names),
			      .e_shentsize = sizeof(Elf64_Shdr),
			      .e_shnum = SECTION_COUNT,
			      .e_shstrndx = SECTION_NAMES,
			      .e_ident = { ELFMAG0, ELFMAG1, ELFMAG2, ELFMAG3, ELFCLASS64,
					   ELFDATA2LSB, EV_CURRENT } };
	Elf64_Shdr sections[SECTION_COUNT] = {
		[SECTION_IMAGE] = { .sh_name = 1,
				    .sh_type = SHT_PROGBITS,
				    .sh_offset = sizeof(header),
				    .sh_size = len },
		[SECTION_NAMES] = { .sh_name = 15,
				    .sh_type = SHT_STRTAB,
				    .sh_offset = names_at,
				    .sh_size = sizeof(section_names) },
	};

	find_btf(data, len, &btf_at, &btf_size);
	if (btf_size)
		sections[SECTION_BTF] = (Elf64_Shdr){ .sh_name = 9,
						      .sh_type = SHT_PROGBITS,
						      .sh_offset = sizeof(header) + btf_at,
						      .sh_size = btf_size };
	str_addn(vmlinux, &header, sizeof(header));
	str_addn(vmlinux, data, len);
	str_addn(vmlinux, section_names, sizeof(section_names));
	str_addn(vmlinux, sections, sizeof(sections));
	return str_check(vmlinux);
}
