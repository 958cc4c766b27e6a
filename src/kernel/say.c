/* Progress lines. */
#include "kernel/say.h"

#include <stdarg.h>
#include <stdio.h>

#include "base/log.h"
#include "base/str.h"

void say(const char *label, const char *fmt, ...)
{
	_str_ struct str line = {};
	va_list ap;

	if (!log_enabled(LOG_INFO, "kernel"))
		return;
	str_addf(&line, "%s: ", label);
	va_start(ap, fmt);
	str_addv(&line, fmt, ap);
	va_end(ap);
	str_addc(&line, '\n');
	fputs(str_get(&line), stderr);
}
