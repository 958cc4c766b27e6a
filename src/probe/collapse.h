/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Makes verifier logs readable: the verifier walks an unrolled loop once per iteration and prints
 * all of it each time. Repeated blocks become
 *
 *         --- 8x of the following 12 lines ---
 *         the first block
 *         --- 6 identical iterations omitted ---
 *         the last block
 *         --- end repeat ---
 *
 * Blocks are equal if their instructions are, whatever the register contents.
 */
#ifndef KTSTR_PROBE_COLLAPSE_H
#define KTSTR_PROBE_COLLAPSE_H

#include "base/base.h"

/*
 * Appends the collapsed log, with NUL bytes as '?'. Returns the number of cycles found, or -ENOMEM
 * with a message. The time is linear in the number of lines.
 */
int collapse_log(const char *text, size_t len, struct str *out);

/*
 * The part of a line that counts: without register contents, and with the number
 * of the instruction left out for comparing blocks. Its length; of a block *start moves.
 */
size_t collapse_normalise(const char **start, size_t len, bool is_block);

#endif
