// SPDX-License-Identifier: GPL-2.0-only
/* The guest is stopped meanwhile, or read while it runs if it cannot be stopped. */
#include "watch/parts.h"

void watcher_give_up(struct watcher *w, int rc)
{
	snprintf(w->series.problem, sizeof(w->series.problem), "%s", err_text(rc));
	log_debug("watch", "%s", w->series.problem);
	err_clear();
}

bool watcher_find_kernel(struct watcher *w)
{
	int rc;

	if (w->has_space || !w->has_memory)
		return w->has_space;
	rc = space_open(&w->space, &w->memory, &w->layout);
	w->has_space = rc == 0;
	if (rc < 0)
		watcher_give_up(w, rc);
	else
		w->series.problem[0] = '\0';
	return w->has_space;
}

void watcher_read_vcpus(struct watcher *w)
{
	vcpus_finish(&w->vcpus);
	if (!watcher_find_kernel(w) || !vcpus_ask(&w->vcpus, w->guest))
		return;
	vec_each(struct vcpu, v, &w->vcpus.items)
		vcpu_unwind(v, &w->space);
}

static int put_vcpus(struct watcher *w, const struct moment *m, struct json *j)
{
	_prog_lines_ struct prog_lines programs = {};
	struct symbols symbols = {};
	int rc;

	if (!m->vcpus->items.count) {
		json_put_string(j, "vcpus_unavailable", "QEMU did not tell the registers");
		return 0;
	}
	rc = symbols_get(w->session, &symbols);
	rc = rc ?: prog_lines_of_schedulers(&programs, &w->space);
	rc = rc ?: vcpus_put_json(m->vcpus, &symbols, w->space.slide, &programs, j);
	symbols_finish(&symbols);
	return rc;
}

/* Time on QEMU's clock, which counts instructions in sim. */
static void put_icount(const struct watcher *w, struct json *j)
{
	if (w->stop_ns) {
		json_put_object(j, "icount");
		json_put_u64(j, "virtual_ns", w->stop_ns);
		json_put_u64(j, "shift", w->session->spec.sim.shift);
		json_object_end(j);
		return;
	}
	json_put_null(j, "icount");
	json_put_string(j, "icount_unavailable",
			w->is_exact ? "the guest was ended between two stops of its clock" :
				      "QEMU counts instructions in sim only");
}

static int describe(struct watcher *w, const struct moment *m, struct str *out)
{
	struct json j;
	int rc;

	json_init(&j, out, false);
	json_object(&j);
	put_icount(w, &j);
	moment_put_bpf(m, &j);
	rc = put_vcpus(w, m, &j);
	moment_put_alone(m, &j);
	json_object_end(&j);
	return rc < 0 ? rc : str_check(out);
}

static int keep_snapshot(struct watcher *w, const struct moment *m)
{
	return moment_add_to_file(m, &w->snapshots);
}

/* A later core replaces an earlier one. */
static void write_core(struct watcher *w)
{
	int rc = w->core ? core_file_write(w->core, &w->space, &w->vcpus) : 0;

	if (!w->core)
		return;
	str_reset(&w->core_problem);
	w->has_core = rc == 0;
	if (rc < 0)
		str_add(&w->core_problem, err_text(rc));
	err_clear();
}

static int keep_dump(struct watcher *w, const struct moment *m)
{
	if (w->show)
		w->show(w->show_ctx, &w->space, m);
	write_core(w);
	return describe(w, m, &w->dump);
}

static int keep_early(struct watcher *w, const struct moment *m)
{
	write_core(w);
	return describe(w, m, &w->early);
}

/* Keeps nothing if the guest cannot be read. */
static void take_moment(struct watcher *w, struct moment m,
			int (*keep)(struct watcher *w, const struct moment *m))
{
	_cleanup_(moment_parts_finish) struct moment_parts parts = {};
	int rc;

	if (!watcher_find_kernel(w))
		return;
	m.vcpus = &w->vcpus;
	m.still = &w->still;
	m.outer_ns = w->is_exact ? w->stop_ns : clock_mono_ns();
	m.types = known_types_get(&w->known, w->vmlinux, w->scheduler);
	rc = moment_read(&m, &parts, &w->now, &w->space, true);
	if (rc == 0 && w->invariants.count)
		invariants_look(&w->invariants, &parts.maps, moment_clock(&w->now));
	rc = rc ?: keep(w, &m);
	if (rc == -ENODATA)
		err_clear();
	else if (rc < 0)
		watcher_give_up(w, rc);
}

void watcher_take_snapshot(struct watcher *w, struct moment m)
{
	take_moment(w, m, keep_snapshot);
}

void watcher_take_dump(struct watcher *w, const char *trigger)
{
	if (!w->dump.len)
		take_moment(w, (struct moment){ .trigger = trigger }, keep_dump);
}

void watcher_take_early(struct watcher *w, const char *trigger, const char *name)
{
	if (!w->dump.len && !w->early.len)
		take_moment(w, (struct moment){ .trigger = trigger, .name = name }, keep_early);
	/* The registers are valid for this moment only. */
	vcpus_finish(&w->vcpus);
}
