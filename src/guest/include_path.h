/* SPDX-License-Identifier: GPL-2.0-only */
/* What was put below /include-files: which files, and which directories belong into PATH. */
#ifndef KTSTR_GUEST_INCLUDE_PATH_H
#define KTSTR_GUEST_INCLUDE_PATH_H

#include "base/str.h"

struct include_path {
	struct str files;	/* paths, a line each, in order */
	struct str directories; /* those that hold a program, ':' between them */
};

/* Walks the directory; that there is none is no error. */
void include_path_scan(struct include_path *p, const char *directory);
void include_path_finish(struct include_path *p);

#endif
