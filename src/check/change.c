// SPDX-License-Identifier: GPL-2.0-only
#include "check/change.h"

#include <math.h>

#define NEAR_ZERO 1e-12

enum change change_of(double a, double b, double gate_abs, double gate_rel, bool is_higher_better)
{
	double delta = b - a;
	double rel = fabs(a) < NEAR_ZERO ? INFINITY : fabs(delta / a);

	if (fabs(delta) < gate_abs || rel < gate_rel || delta == 0)
		return CHANGE_NONE;
	return (delta > 0) == is_higher_better ? CHANGE_IMPROVEMENT : CHANGE_REGRESSION;
}
