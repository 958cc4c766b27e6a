// SPDX-License-Identifier: GPL-2.0-only
/* Any bytes as a file of snapshots: test code gets values, or messages. */
#include <stdint.h>

#include "base/err.h"
#include "base/util.h"
#include "check/result.h"
#include "snapshot/snapshot.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static bool is_it(const struct ktstr_value *entry, void *ctx)
{
	uint64_t n;

	(void)ctx;
	return ktstr_value_u64(ktstr_value_cpu(entry, 1), "a.b[1]", &n) == 0;
}

static void look(const struct ktstr_snapshot *s)
{
	const struct ktstr_map *map = ktstr_snapshot_map(s, "s");
	const char *text;
	int64_t i;

	(void)ktstr_value_str(ktstr_snapshot_var(s, "state"), "exit_reason", &text);
	(void)ktstr_map_find(map, is_it, NULL);
	(void)ktstr_map_filter(map, is_it, NULL, NULL, 0);
	(void)ktstr_map_max_by(map, "key");
	(void)ktstr_value_i64(ktstr_value_key(ktstr_map_key(map, 0)), NULL, &i);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	_cleanup_(snapshots_finish) struct ktstr_snapshots all = {};
	_cleanup_(result_finish) struct ktstr_result res = {};
	struct ktstr_series *s;

	result_init(&res);
	if (snapshots_parse(&all, (const char *)data, size) == 0) {
		snapshots_note_reuse(&all, &res);
		for (size_t i = 0; i < ktstr_snapshot_count(&all); i++)
			look(ktstr_snapshot_at(&all, i));
		(void)ktstr_series_var(&all, NULL, "state.vtime[0]", &s);
		(void)ktstr_series_ratio_within(s, s, 0, 1, &res);
		(void)ktstr_series_steady_within(s, 1, 1, &res);
		ktstr_series_free(s);
	}
	err_clear();
	return 0;
}
