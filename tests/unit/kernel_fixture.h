/* SPDX-License-Identifier: GPL-2.0-only */
/* Files for the kernel tests: images, cache entries, a private environment. */
#ifndef TESTS_UNIT_KERNEL_FIXTURE_H
#define TESTS_UNIT_KERNEL_FIXTURE_H

#include "base/str.h"

/* A directory of the test's own, which is also its cache; outside addresses lead nowhere. */
int kernel_fixture_setup(void **state);
int kernel_fixture_teardown(void **state);

/* Absolute path of a name in that directory; valid until the next few calls. */
const char *fixture_path(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

void fixture_write(const char *path, const char *text);
void fixture_mkdir(const char *path);

/* Runs tests/tools/kernel-image with these options. */
void fixture_image(const char *options_and_path, ...) __attribute__((format(printf, 1, 2)));

/* The metadata.json of a tarball build, with this version and time and more members. */
char *fixture_metadata(const char *version, const char *built_at, const char *more);

/* A whole entry in the test's cache. */
void fixture_entry(const char *key, const char *metadata, const char *image_options);

#endif
