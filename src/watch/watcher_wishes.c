// SPDX-License-Identifier: GPL-2.0-only
/* Variables to write, and places to watch for writes. */
#include "watch/parts.h"

static int find_watch(struct watcher *w, size_t i, const struct symbols *symbols,
		      const struct maps *maps)
{
	const char *name = w->plan.wish.watches[i];
	int rc = watchpoint_find(name, symbols, maps, &w->space, &w->watches[i]);

	if (rc < 0 || w->stub.ours < 0)
		return rc;
	rc = stub_watch(&w->stub, &w->watches[i]);
	return rc < 0 ? err_wrap(rc, "'%s'", name) : 0;
}

static int set_watches(struct watcher *w, const struct maps *maps)
{
	struct symbols symbols = {};
	int rc = w->plan.wish.watch_count ? symbols_get(w->session, &symbols) : 0;

	for (size_t i = 0; i < w->plan.wish.watch_count && rc == 0; i++)
		rc = find_watch(w, i, &symbols, maps);
	symbols_finish(&symbols);
	if (rc == 0)
		return 0;
	stub_unwatch(&w->stub);
	w->plan.wish.watch_count = 0;
	return rc;
}

static int write_variables(struct watcher *w, const struct maps *maps)
{
	int rc = 0;

	for (size_t i = 0; i < w->plan.wish.write_count && rc == 0; i++)
		rc = map_write(w->plan.wish.writes[i], maps, &w->space);
	return rc;
}

void watcher_meet_wishes(struct watcher *w, bool has_kernel)
{
	static const struct {
		const char *attribute;
		int (*meet)(struct watcher *w, const struct maps *maps);
	} rows[] = { { "bpf_map_write", write_variables }, { "watch_snapshots", set_watches } };
	const struct snapshots_wish *wish = &w->plan.wish;
	const size_t counts[] = { wish->write_count, wish->watch_count };
	struct maps maps = {};
	int found = 0;

	if (w->has_begun)
		return;
	w->has_begun = true;
	if (wish->write_count || wish->watch_count)
		found = has_kernel ? maps_read(&maps, &w->space, (unsigned int)w->now.cpu_count) :
				     err_set(ENOENT, "%s", w->series.problem);
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		int rc = counts[i] ? found ?: rows[i].meet(w, &maps) : 0;

		if (rc < 0)
			str_addf(&w->problems, "%s: %s\n", rows[i].attribute, err_text(rc));
	}
	maps_finish(&maps);
	err_clear();
}
