// SPDX-License-Identifier: GPL-2.0-only
/* The table of thresholds: how they merge, which values are valid, and how they are printed. */
#include "check/check.h"

#include <math.h>

/* The order is that of the output of show-thresholds. */
/* clang-format off */
const struct assert_field assert_fields[ASSERT_FIELDS] = {
#define FIELD(n, k) { #n, k, offsetof(struct ktstr_assert, n), false, false }
#define OF_MONITOR(n, k) { #n, k, offsetof(struct ktstr_assert, n), true, false }
#define OF_EVENTS(n, k) { #n, k, offsetof(struct ktstr_assert, n), false, true }
#define OF_SCHEDULER(n, k) { #n, k, offsetof(struct ktstr_assert, n), false, true, true }
	FIELD(not_starved, ASSERT_SWITCH),
	FIELD(isolation, ASSERT_SWITCH),
	FIELD(max_gap_ms, ASSERT_INTEGER),
	FIELD(max_spread_pct, ASSERT_NUMBER),
	FIELD(max_throughput_cv, ASSERT_NUMBER),
	FIELD(min_work_rate, ASSERT_NUMBER),
	FIELD(max_p99_wake_latency_ns, ASSERT_INTEGER),
	FIELD(max_wake_latency_cv, ASSERT_NUMBER),
	FIELD(min_iteration_rate, ASSERT_NUMBER),
	FIELD(max_migration_ratio, ASSERT_NUMBER),
	OF_MONITOR(max_imbalance_ratio, ASSERT_NUMBER),
	OF_MONITOR(max_local_dsq_depth, ASSERT_INTEGER),
	OF_MONITOR(fail_on_stall, ASSERT_SWITCH),
	OF_MONITOR(sustained_samples, ASSERT_INTEGER),
	OF_MONITOR(max_fallback_rate, ASSERT_NUMBER),
	OF_MONITOR(max_keep_last_rate, ASSERT_NUMBER),
	FIELD(min_page_locality, ASSERT_NUMBER),
	FIELD(max_cross_node_migration_ratio, ASSERT_NUMBER),
	FIELD(max_slow_tier_ratio, ASSERT_NUMBER),
	FIELD(max_run_delay_spread_pct, ASSERT_NUMBER),
	OF_EVENTS(max_wait_ms, ASSERT_INTEGER),
	OF_EVENTS(max_kernel_wait_ms, ASSERT_INTEGER),
	OF_EVENTS(max_idle_wait_pct, ASSERT_NUMBER),
	OF_EVENTS(max_all_idle_wait_pct, ASSERT_NUMBER),
	OF_EVENTS(max_idle_wait_ms, ASSERT_INTEGER),
	OF_EVENTS(max_share_error_pct, ASSERT_NUMBER),
	OF_EVENTS(max_even_share_error_pct, ASSERT_NUMBER),
	OF_EVENTS(max_wakeup_wait_ratio, ASSERT_NUMBER),
	OF_EVENTS(no_dead_cpus, ASSERT_SWITCH),
	OF_EVENTS(max_migrations_per_s, ASSERT_NUMBER),
	OF_EVENTS(max_hasty_migrations_per_s, ASSERT_NUMBER),
	OF_EVENTS(max_needless_wakeup_pct, ASSERT_NUMBER),
	OF_EVENTS(max_switches_per_s, ASSERT_NUMBER),
	OF_SCHEDULER(max_scheduler_us_per_run, ASSERT_NUMBER),
	FIELD(max_p99_timer_lateness_ns, ASSERT_INTEGER),
#undef FIELD
#undef OF_MONITOR
#undef OF_EVENTS
};
/* clang-format on */

const struct ktstr_assert assert_defaults = {
	.not_starved = KTSTR_ON,
	.isolation = KTSTR_ON,
	.max_wait_ms = 250,
	.max_kernel_wait_ms = 125,
	.max_idle_wait_pct = 20,
	.max_all_idle_wait_pct = 10,
	.max_idle_wait_ms = 100,
	.max_share_error_pct = 20,
	.max_even_share_error_pct = 10,
	.max_wakeup_wait_ratio = 3,
	.no_dead_cpus = KTSTR_ON,
	.max_migrations_per_s = 1000,
	.max_hasty_migrations_per_s = 150,
	.max_needless_wakeup_pct = 60,
	.max_switches_per_s = 2000,
	.max_scheduler_us_per_run = 250,
	.max_p99_timer_lateness_ns = 25000000,
	.max_imbalance_ratio = 4.0,
	.max_local_dsq_depth = 50,
	.fail_on_stall = KTSTR_ON,
	.max_fallback_rate = 200.0,
	.max_keep_last_rate = 100.0,
	.sustained_samples = 5,
};

static const void *at(const struct ktstr_assert *a, const struct assert_field *f)
{
	return (const char *)a + f->offset;
}

double assert_raw(const struct ktstr_assert *a, const struct assert_field *f)
{
	switch (f->kind) {
	case ASSERT_SWITCH:
		return *(const int *)at(a, f);
	case ASSERT_INTEGER:
		return (double)*(const int64_t *)at(a, f);
	default:
		return *(const double *)at(a, f);
	}
}

void assert_merge(struct ktstr_assert *into, const struct ktstr_assert *over)
{
	static const size_t sizes[] = {
		[ASSERT_SWITCH] = sizeof(int),
		[ASSERT_INTEGER] = sizeof(int64_t),
		[ASSERT_NUMBER] = sizeof(double),
	};

	array_each(const struct assert_field, f, assert_fields, ASSERT_FIELDS)
		if (assert_raw(over, f) != 0)
			memcpy((char *)into + f->offset, at(over, f), sizes[f->kind]);
}

bool limit_of(double raw, double *limit)
{
	*limit = raw == (double)KTSTR_ZERO ? 0 : raw;
	return raw != 0 && raw != KTSTR_OFF;
}

static int validate_switch(const struct assert_field *f, double raw)
{
	if (raw == 0 || raw == KTSTR_ON || raw == KTSTR_OFF)
		return 0;
	return err_set(EINVAL, "assert.%s: %.0f is neither KTSTR_ON nor KTSTR_OFF", f->name, raw);
}

static int validate_limit(const struct assert_field *f, double raw)
{
	double limit;

	if (!isfinite(raw))
		return err_set(EINVAL, "assert.%s: %f is not a finite number", f->name, raw);
	if (limit_of(raw, &limit) && limit < 0)
		return err_set(EINVAL, "assert.%s: %g is negative", f->name, raw);
	if (f->offset == offsetof(struct ktstr_assert, min_page_locality) && raw > 1)
		return err_set(EINVAL, "assert.%s: %g is above 1, which no share can reach",
			       f->name, raw);
	if (f->offset == offsetof(struct ktstr_assert, sustained_samples) &&
	    raw == (double)KTSTR_ZERO)
		return err_set(EINVAL, "assert.%s: 0 samples would be no evidence", f->name);
	return 0;
}

int assert_validate(const struct ktstr_assert *a)
{
	array_each(const struct assert_field, f, assert_fields, ASSERT_FIELDS) {
		double raw = assert_raw(a, f);
		int rc = f->kind == ASSERT_SWITCH ? validate_switch(f, raw) :
						    validate_limit(f, raw);

		if (rc < 0)
			return rc;
	}
	return 0;
}

static void add_value(const struct assert_field *f, double raw, struct str *out)
{
	double limit;

	if (raw == 0)
		str_add(out, "none");
	else if (f->kind == ASSERT_SWITCH)
		str_add(out, raw == KTSTR_ON ? "true" : "false");
	else if (!limit_of(raw, &limit))
		str_add(out, "off");
	else
		str_addf(out, "%.15g", limit);
}

static const char *reason_of(const struct assert_field *f, const struct assert_reasons *reasons)
{
	if (f->is_of_monitor || (f->is_of_scheduler && !reasons->events))
		return reasons->monitor;
	return f->is_of_events ? reasons->events : NULL;
}

void assert_print(const struct ktstr_assert *a, const struct assert_reasons *reasons,
		  struct str *out)
{
	array_each(const struct assert_field, f, assert_fields, ASSERT_FIELDS) {
		double raw = assert_raw(a, f);

		str_addf(out, "  %-38s: ", f->name);
		add_value(f, raw, out);
		if (raw != 0 && raw != KTSTR_OFF && reason_of(f, reasons))
			str_addf(out, ", not judged (%s)", reason_of(f, reasons));
		str_addc(out, '\n');
	}
}

const char *assert_custom_event(const struct ktstr_assert *a)
{
	double ignored;

	array_each(const struct assert_field, f, assert_fields, ASSERT_FIELDS) {
		double raw = assert_raw(a, f);

		if (f->is_of_events && limit_of(raw, &ignored) &&
		    raw != assert_raw(&assert_defaults, f))
			return f->name;
	}
	return NULL;
}
