/* SPDX-License-Identifier: GPL-2.0-only */
/* Functions on the way to a failure, from stacks as the kernel prints them, or from a list. */
#ifndef KTSTR_REPRO_CHAIN_H
#define KTSTR_REPRO_CHAIN_H

#include "base/base.h"

#define CHAIN_MAX 64

struct repro_chain {
	VEC(char *) functions; /* of the kernel, each once */
	size_t program_count;  /* lines that name a BPF program: those are looked into anyway */
	bool is_cut;	       /* there were more */
	bool has_skipped;      /* functions that every task passes through */
};

/* Lines "name+0x12/0x34", as in the dump of sched_ext; other lines are passed over. */
int repro_chain_add_stack(struct repro_chain *c, const char *text);

/* The backtrace that the kernel's dump begins with: the way to the end, without stacks of others. */
int repro_chain_add_dump(struct repro_chain *c, const char *dump);

/* --probe-stack: a file with stacks, such a text, or names separated by commas. */
int repro_chain_add_words(struct repro_chain *c, const char *words);
void repro_chain_finish(struct repro_chain *c);

#endif
