// SPDX-License-Identifier: GPL-2.0-only
/* Images, ELF files and BTF: the same bytes as each of them. */
#include <stdint.h>

#include "kernel/btf.h"
#include "kernel/parts.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct vmlinux_facts facts;
	struct btf_facts btf;
	struct bzimage image;
	_str_ struct str config = {}, elf = {};

	bzimage_parse(data, size, &image);
	vmlinux_look(data, size, &facts);
	btf_look(data, size, &btf);
	config_embedded_add(data, size, &config);
	config_facts_add(data, size, &config);
	arm64_image_unpack(data, size, &elf);
	return 0;
}
