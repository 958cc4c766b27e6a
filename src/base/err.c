// SPDX-License-Identifier: GPL-2.0-only
/* The per-thread error message. Fixed storage: reporting ENOMEM must not allocate. */
#include "base/err.h"

#include "base/base.h"

static _Thread_local char message[2048];

/*
 * Formats into a separate buffer first: an argument may be the current message. Text that does not
 * fit is truncated.
 */
static void format_message(const char *fmt, va_list ap, const char *tail)
{
	char text[sizeof(message)];

	vsnprintf(text, sizeof(text), fmt, ap);
	if (tail) {
		size_t len = strlen(text);

		snprintf(text + len, sizeof(text) - len, ": %s", tail);
	}
	memcpy(message, text, sizeof(message));
}

int err_set(int errnum, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	format_message(fmt, ap, NULL);
	va_end(ap);
	return -errnum;
}

int err_sys(int errnum, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	format_message(fmt, ap, strerror(errnum));
	va_end(ap);
	return -errnum;
}

int err_wrap(int rc, const char *fmt, ...)
{
	va_list ap;

	if (rc >= 0)
		return rc;
	va_start(ap, fmt);
	format_message(fmt, ap, err_text(rc));
	va_end(ap);
	return rc;
}

const char *err_text(int rc)
{
	if (message[0])
		return message;
	return strerror(rc < 0 ? -rc : rc);
}

void err_clear(void)
{
	message[0] = '\0';
}
