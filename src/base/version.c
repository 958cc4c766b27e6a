// SPDX-License-Identifier: GPL-2.0-only
/* Converts the version numbers of the header to text. */
#include "ktstr/ktstr.h"

#define TEXT2(x) #x
#define TEXT(x) TEXT2(x)

const char *ktstr_version(void)
{
	return TEXT(KTSTR_VERSION_MAJOR) "." TEXT(KTSTR_VERSION_MINOR) "." TEXT(
		KTSTR_VERSION_PATCH);
}
