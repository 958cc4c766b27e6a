/* SPDX-License-Identifier: GPL-2.0-only */
/* What tests out of a shared object may call. */
#ifndef KTSTR_HOSTMODE_LIBRARY_API_H
#define KTSTR_HOSTMODE_LIBRARY_API_H

/* Ends with NULL. */
extern void (*const library_api[])(void);

#endif
