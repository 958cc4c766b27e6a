// SPDX-License-Identifier: GPL-2.0-only
/* Interval arithmetic on what two snapshots recorded about their time. */
#include "ctprof/group.h"

#include "base/clock.h"
#include "base/util.h"

static double ticks_between(const struct snapshot *from, const struct snapshot *to)
{
	const struct opt_u64 *a = &from->uptime_clock_ticks, *b = &to->uptime_clock_ticks;

	return a->is_known && b->is_known && b->value > a->value ? (double)(b->value - a->value) :
								   0;
}

static double seconds_between(const struct snapshot *from, const struct snapshot *to)
{
	const struct opt_u64 *a = &from->captured_at_unix_ns, *b = &to->captured_at_unix_ns;

	if (!a->is_known || !b->is_known || b->value <= a->value)
		return 0;
	return (double)(b->value - a->value) / (double)NSEC_PER_SEC;
}

struct window window_between(const struct snapshot_pair *pair)
{
	const struct snapshot *from = pair->sides[BASELINE], *to = pair->sides[CANDIDATE];
	struct window w = {};

	if (!from || !to)
		return w;
	if (from->boot_id && to->boot_id) {
		w.is_one_boot = str_eq(from->boot_id, to->boot_id);
		w.is_other_boot = !w.is_one_boot;
	}
	w.has_other_ticks = from->user_hz.is_known && to->user_hz.is_known &&
			    from->user_hz.value != to->user_hz.value;
	if (from->user_hz.is_known && to->user_hz.is_known && !w.has_other_ticks)
		w.user_hz = (double)to->user_hz.value;
	w.seconds = seconds_between(from, to);
	if (w.is_one_boot && !w.has_other_ticks) {
		w.interval_ticks = ticks_between(from, to);
		w.now_ticks = (double)to->uptime_clock_ticks.value;
	}
	/* Wall clocks are set; the boot's own clock is not. */
	if (w.interval_ticks > 0 && to->user_hz.is_known && to->user_hz.value)
		w.seconds = w.interval_ticks / (double)to->user_hz.value;
	return w;
}

bool window_has_start(const struct window *w, const struct thread_record *t)
{
	return t->start_ticks.is_known &&
	       (double)t->start_ticks.value + 1 >= w->now_ticks - w->interval_ticks;
}

double window_alive(const struct window *w, uint64_t start_ticks)
{
	double age = w->now_ticks - (double)start_ticks;

	if (age <= 0 || w->interval_ticks <= 0)
		return 0;
	return MIN(age, w->interval_ticks) / w->interval_ticks;
}
