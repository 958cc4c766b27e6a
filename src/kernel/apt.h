/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The Debian archive through a private apt: its own lists, cache and sources
 * below {root}/.apt, so that nothing of the machine's apt changes and no rights
 * are needed. The address is that of the machine's own sources, with other
 * suites; apt checks the signatures with Debian's keyring.
 */
#ifndef KTSTR_KERNEL_APT_H
#define KTSTR_KERNEL_APT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/cleanup.h"
#include "base/str.h"

struct apt {
	char *directory; /* {root}/.apt */
	char *url;	 /* of the archive */
	char *keyring;
};

/* -ENOTSUP with a sentence where there is no apt or it knows no Debian archive. */
int apt_open(struct apt *a, const char *root);
void apt_finish(struct apt *a);

/* Looks for the archive again the next time, where the address seems to have changed. */
void apt_forget(const char *root);

/* Gets the indexes of all suites. -ENETUNREACH when the archive does not answer. */
int apt_update(const struct apt *a, const char *label);

/* The index files that are there: one line `SUITE PATH` each. */
int apt_indexes(const struct apt *a, struct str *out);

/*
 * Downloads one version of a package into the directory and appends the path
 * of the file. what names it in the progress bar.
 */
int apt_download(const struct apt *a, const char *package, const char *version, uint64_t size,
		 const char *directory, const char *what, struct str *path);

/* "amd64" or "arm64". */
const char *apt_arch(void);

#define _apt_ _cleanup_(apt_finish)

#endif
