// SPDX-License-Identifier: GPL-2.0-only
/* The ladders of units, and numbers on them. */
#include "ctprof/metric.h"

#include <math.h>

struct rung {
	uint64_t from;
	const char *unit;
};

#define MAX_RUNGS 5

/* Ascending; a row ends with from == 0. The base unit has from == 1. */
static const struct rung ladders[][MAX_RUNGS] = {
	[LADDER_NONE] = { { 1, "" } },
	[LADDER_COUNT] = { { 1, "" }, { 1000, "K" }, { 1000000, "M" }, { 1000000000, "G" } },
	[LADDER_NS] = { { 1, "ns" }, { 1000, "µs" }, { 1000000, "ms" }, { 1000000000, "s" } },
	[LADDER_US] = { { 1, "µs" }, { 1000, "ms" }, { 1000000, "s" } },
	[LADDER_TICKS] = { { 1, "ticks" }, { 1000, "Kticks" }, { 1000000, "Mticks" } },
	[LADDER_BYTES] = { { 1, "B" },
			   { 1ULL << 10, "KiB" },
			   { 1ULL << 20, "MiB" },
			   { 1ULL << 30, "GiB" },
			   { 1ULL << 40, "TiB" } },
	[LADDER_RATIO] = { { 1, "" } },
};

/* The largest unit that the magnitude reaches; a double is exact enough. */
static const struct rung *rung_for(enum metric_ladder ladder, double magnitude)
{
	const struct rung *rungs = ladders[ladder];
	size_t i = 0;

	while (i + 1 < MAX_RUNGS && rungs[i + 1].from && magnitude >= (double)rungs[i + 1].from)
		i++;
	return &rungs[i];
}

/* Uses integers, so that decimals of large values are exact; halves are rounded up. */
void number_add(struct str *out, enum metric_ladder ladder, uint64_t value)
{
	const struct rung *rung = rung_for(ladder, (double)value);
	uint64_t whole = value / rung->from;
	uint64_t thousandths = (value % rung->from * 1000 + rung->from / 2) / rung->from;

	if (rung->from == 1) {
		str_addf(out, "%llu%s", ULL(value), rung->unit);
		return;
	}
	if (thousandths == 1000) {
		whole++;
		thousandths = 0;
	}
	str_addf(out, "%llu.%03llu%s", ULL(whole), ULL(thousandths), rung->unit);
}

void number_add_signed(struct str *out, enum metric_ladder ladder, int64_t value)
{
	if (value < 0)
		str_addc(out, '-');
	number_add(out, ladder, value < 0 ? -(uint64_t)value : (uint64_t)value);
}

void number_add_delta(struct str *out, enum metric_ladder ladder, uint64_t baseline,
		      uint64_t candidate)
{
	str_addc(out, candidate < baseline ? '-' : '+');
	number_add(out, ladder, candidate < baseline ? baseline - candidate : candidate - baseline);
}

static int decimals(enum metric_ladder ladder, const struct rung *rung, double magnitude)
{
	if (ladder == LADDER_NONE)
		return magnitude == floor(magnitude) ? 0 : 1;
	if (ladder == LADDER_RATIO || rung->from != 1)
		return 3;
	return 2;
}

static void add_magnitude(struct str *out, enum metric_ladder ladder, double magnitude)
{
	const struct rung *rung = rung_for(ladder, magnitude);

	str_addf(out, "%.*f%s", decimals(ladder, rung, magnitude), magnitude / (double)rung->from,
		 rung->unit);
}

void number_add_real(struct str *out, enum metric_ladder ladder, double value)
{
	if (isnan(value)) {
		str_addc(out, '-');
		return;
	}
	if (value < 0)
		str_addc(out, '-');
	add_magnitude(out, ladder, fabs(value));
}

void number_add_real_delta(struct str *out, enum metric_ladder ladder, double delta)
{
	if (delta >= 0)
		str_addc(out, '+');
	number_add_real(out, ladder, delta);
}

void number_add_percent(struct str *out, double percent)
{
	if (isnan(percent))
		str_addc(out, '-');
	else
		str_addf(out, "%c%.1f%%", percent < 0 ? '-' : '+', fabs(percent));
}

void number_add_psi(struct str *out, uint32_t hundredths)
{
	str_addf(out, "%u.%02u%%", hundredths / 100, hundredths % 100);
}
