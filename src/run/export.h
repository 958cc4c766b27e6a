/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A test as one file that runs on a machine without ktstr and without a VM: a shell
 * script (export/preamble.sh) with an archive of the test program, its scheduler and
 * its include files behind it.
 */
#ifndef KTSTR_RUN_EXPORT_H
#define KTSTR_RUN_EXPORT_H

#include "run/variants.h"
#include "vm/initramfs.h"

struct export_request {
	const struct test_programs *programs;
	const char *test;	       /* name, also with "ktstr/" before it */
	const char *scheduler_profile; /* build profile that is looked into first; or NULL */
	const char *output;	       /* file; NULL = TEST.run */
};

struct export_summary {
	char *path; /* to be freed */
	size_t archive_bytes, include_count;
};

/* Writes the file. Tests that only make sense in a VM or here are refused with a sentence. */
int export_test(const struct export_request *r, struct export_summary *out);

/* ---- its parts ---- */

struct export_parts {
	const struct variant *variant;
	const char *scheduler; /* path, or NULL */
	const char *commit;    /* of the project, or NULL */
	const struct include_files *includes;
};

/* Below these names in the archive. */
#define EXPORT_PROGRAM "test"
#define EXPORT_SCHEDULER "scheduler"

/* Appends the script up to where the archive begins. */
int export_add_script(const struct export_parts *p, struct str *out);
/* Appends the compressed archive. */
int export_add_archive(const struct export_parts *p, struct str *out);

#endif
