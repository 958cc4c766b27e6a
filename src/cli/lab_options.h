/* SPDX-License-Identifier: GPL-2.0-only */
/* What commands that run one test in sim share. */
#ifndef KTSTR_CLI_LAB_OPTIONS_H
#define KTSTR_CLI_LAB_OPTIONS_H

#include "explore/lab.h"

struct cli_call;

/* The words of the argument "test". */
struct lab_words {
	const char **items;
	size_t count;
};
void lab_words_finish(struct lab_words *w);

/* By the rows CLI_LAB. 0, a negative errno, or EXIT_USAGE after the problem was told. */
int lab_options(const struct cli_call *call, struct lab_words *words, struct lab_request *out);

#endif
