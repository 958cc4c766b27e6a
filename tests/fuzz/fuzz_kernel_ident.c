// SPDX-License-Identifier: GPL-2.0-only
/* Kernel identifiers: whatever is typed is classified or refused. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "kernel/ident.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	_kernel_id_list_ struct kernel_id_list list = {};
	_free_ char *text = strndup((const char *)data, size);

	if (!text)
		return 0;
	kernel_id_list_add(&list, text);
	for (size_t i = 0; i < list.count; i++) {
		struct kernel_id *id = &list.items[i];
		char version[KERNEL_VERSION_TEXT_SIZE];
		_str_ struct str raw = {}, label = {};
		struct kernel_version back;

		if (id->kind != KERNEL_ID_PATH && kernel_label_raw(&raw, id, false) == 0)
			kernel_label_sanitize(&label, str_get(&raw));
		if (id->kind != KERNEL_ID_VERSION)
			continue;
		/* A version that is written can be read again, and is the same. */
		kernel_version_format(&id->version, version);
		if (kernel_version_parse(version, &back) < 0 ||
		    kernel_version_compare(&back, &id->version) != 0)
			abort();
	}
	return 0;
}
