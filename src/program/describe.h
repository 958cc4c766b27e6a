/* SPDX-License-Identifier: GPL-2.0-only */
/* From the declarations of this program to the document of --ktstr-probe. */
#ifndef KTSTR_PROGRAM_DESCRIBE_H
#define KTSTR_PROGRAM_DESCRIBE_H

#include "program/entries.h"
#include "program/probe.h"

/* Texts of the declarations are borrowed. 0, or -ENOMEM. */
int describe_program(struct probe *p, const struct program_entries *e);

/* "1n1l2c1t" */
void add_topology_notation(struct str *out, const struct ktstr_topology *t);

#endif
