/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * ktstr: test harness for Linux process schedulers.
 *
 * The public C API. Link with `pkg-config --libs ktstr`.
 */
#ifndef KTSTR_KTSTR_H
#define KTSTR_KTSTR_H

#ifdef __cplusplus
extern "C" {
#endif

#define KTSTR_VERSION_MAJOR 0
#define KTSTR_VERSION_MINOR 1
#define KTSTR_VERSION_PATCH 0

/* The version of the library at run time: "0.1.0". */
const char *ktstr_version(void);

#ifdef __cplusplus
}
#endif

#endif
