// SPDX-License-Identifier: GPL-2.0-only
/* Files of a corpus of `ktstr fuzz`: read, or refused with a place; what was read is a scenario. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/cleanup.h"
#include "base/err.h"
#include "fuzz/input.h"
#include "scenfile/scenfile.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	_cleanup_(arena_finish) struct arena arena = {};
	_free_ char *text = malloc(size + 1);
	_str_ struct str yaml = {};
	struct fuzz_input in, again;
	struct scenfile file;

	if (!text)
		return 0;
	memcpy(text, data, size);
	text[size] = '\0';
	err_clear();
	if (fuzz_input_parse("file", text, &in) < 0) {
		if (strncmp(err_text(-EINVAL), "file:", 5) != 0)
			abort();
		return 0;
	}
	fuzz_input_add_yaml(&in, &yaml);
	if (scenfile_parse("file", yaml.s, yaml.len, &arena, &file) < 0 ||
	    fuzz_input_parse("file", yaml.s, &again) < 0)
		abort();
	return 0;
}
