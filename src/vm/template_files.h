/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The files of a template and their checksums: a power cut, a full disk or somebody's hand may
 * have changed them since they were saved, and a guest that goes on from such memory fails in any
 * way, or never answers.
 */
#ifndef KTSTR_VM_TEMPLATE_FILES_H
#define KTSTR_VM_TEMPLATE_FILES_H

#include "base/json.h"
#include "base/str.h"

#define TEMPLATE_JSON "template.json"

/* Appends the member "files" with size and checksum of each file in dir. */
int template_files_put(struct json *j, const char *dir);

/*
 * Whether all files are as they were saved: 0, or -EINVAL with the reason appended. A file whose
 * checksum was found right once is not read again until it changes.
 */
int template_files_check(const char *dir, struct str *why);

#endif
