// SPDX-License-Identifier: GPL-2.0-only
/* Parses the output on COM2. Tests write there, too, so only the last result is from guest init. */
#include "run/parts.h"

#include "guest/protocol.h"

void control_result(const char *control, struct str *out)
{
	const char *start = NULL, *end, *p = control;

	while ((p = strstr(p, GUEST_RESULT_START)))
		start = p += strlen(GUEST_RESULT_START);
	end = start ? strstr(start, GUEST_RESULT_END) : NULL;
	if (end)
		str_addn(out, start, (size_t)(end - start));
}
