/* SPDX-License-Identifier: GPL-2.0-only */
/* Names of cache entries. Everything that makes a kernel another kernel is in its key. */
#ifndef KTSTR_KERNEL_KEY_H
#define KTSTR_KERNEL_KEY_H

/*
 * To be freed; NULL when out of memory. extra_hash is that of --extra-kconfig,
 * "" without.
 */
char *key_tarball(const char *version, const char *extra_hash);
char *key_git(const char *ref, const char *hash, const char *extra_hash);

/* config_hash is that of the .config, "" when there is none yet. */
char *key_local(const char *hash, const char *config_hash, const char *extra_hash);

/* Of a tree that no commit names; such a kernel is never stored. */
char *key_local_unknown(const char *path, const char *extra_hash);

#endif
