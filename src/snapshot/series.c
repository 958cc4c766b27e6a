// SPDX-License-Identifier: GPL-2.0-only
/* A figure of several snapshots, in the order in which they were taken. */
#include "snapshot/parts.h"

static bool is_meant(const struct ktstr_snapshot *s, const char *names)
{
	return !names || str_starts(ktstr_snapshot_name(s), names);
}

static int add_points(struct ktstr_series *series, const struct ktstr_snapshots *all,
		      const char *names, ktstr_series_fn *figure, void *ctx)
{
	bool is_known = false;
	int rc = 0, why = -ENOENT;

	vec_each_ptr_while(const struct json_node, node, &all->items, rc == 0) {
		const struct ktstr_snapshot *s = (const void *)node;
		struct series_point p = { .name = ktstr_snapshot_name(s),
					  .time_ns = ktstr_snapshot_time_ns(s) };

		if (!is_meant(s, names))
			continue;
		why = figure(s, ctx, &p.value);
		p.is_known = why >= 0;
		is_known |= p.is_known;
		rc = vec_push(&series->points, p);
	}
	if (rc < 0 || is_known)
		return rc;
	if (!series->points.count)
		(void)ktstr_snapshot_named(all, names ? names : "");
	return why;
}

int ktstr_series_by(const struct ktstr_snapshots *all, const char *names, const char *what,
		    ktstr_series_fn *figure, void *ctx, struct ktstr_series **out)
{
	struct ktstr_series *s = calloc(1, sizeof(*s));
	int rc;

	*out = NULL;
	if (s)
		s->what = strdup(what);
	rc = s && s->what ? add_points(s, all, names, figure, ctx) : err_no_memory();
	if (rc < 0)
		ktstr_series_free(s);
	else
		*out = s;
	return rc;
}

/* "stats.lost" is the part "lost" of the variable "stats". */
static int read_variable(const struct ktstr_snapshot *s, void *ctx, double *out)
{
	const char *path = ctx;
	size_t len = strcspn(path, ".[");
	_free_ char *name = strndup(path, len);

	if (!name)
		return err_no_memory();
	return ktstr_value_f64(ktstr_snapshot_var(s, name), path + len + (path[len] == '.'), out);
}

int ktstr_series_var(const struct ktstr_snapshots *all, const char *names, const char *path,
		     struct ktstr_series **out)
{
	return ktstr_series_by(all, names, path, read_variable, (void *)path, out);
}

void ktstr_series_free(struct ktstr_series *s)
{
	if (!s)
		return;
	free(s->what);
	free(s->points.items);
	free(s);
}
