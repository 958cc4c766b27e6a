// SPDX-License-Identifier: GPL-2.0-only
/* Files of executed lines as anybody may have left them; what was read can be reported. */
#include <stdlib.h>

#include "base/err.h"
#include "stats/bpf_coverage.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	_bpf_sources_ struct bpf_sources sources = {};
	_bpf_cover_ struct bpf_cover cover = {}, again = {};
	_str_ struct str text = {}, out = {};
	struct json j;

	str_addn(&text, data, size);
	if (str_reserve(&text, 1) && bpf_cover_add_json(&cover, text.s, text.len) == 0) {
		json_init(&j, &out, false);
		bpf_cover_to_json(&cover, &j);
		if (bpf_cover_add_json(&again, out.s, out.len) < 0)
			abort();
	}
	if (bpf_sources_make(&sources, &cover, NULL) == 0) {
		bpf_coverage_table(&sources, &cover, &text);
		bpf_coverage_lcov(&sources, &cover, &text);
	}
	err_clear();
	return 0;
}
