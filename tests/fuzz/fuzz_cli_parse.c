// SPDX-License-Identifier: GPL-2.0-only
/* Any argv: words are what NUL bytes separate. Help must come out whole for what they reach. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/cli.h"

#define MAX_WORDS 64

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void read_all(const struct cli_call *call)
{
	const struct cli_param *p;
	size_t state = 0;

	while ((p = cli_param_next(cli_command(call), &state))) {
		size_t count = cli_count(call, p->name);

		if (cli_is_given(call, p->name) != (count > 0))
			abort();
		if (count > 1 && !p->is_repeatable)
			abort();
		cli_text(call, p->name);
		cli_number(call, p->name);
		if (cli_nth(call, p->name, count))
			abort();
	}
}

static void show_help(const struct cli_call *call)
{
	for (unsigned int width = 1; width < 120; width += 37) {
		_str_ struct str help = {};

		cli_add_help(&help, call, width);
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static FILE *nowhere;
	char *argv[MAX_WORDS + 1] = { NULL };
	char *words = malloc(size + 1);
	struct cli_call call;
	int argc = 0;

	if (!words)
		return 0;
	if (!nowhere)
		nowhere = stderr = fopen("/dev/null", "w");
	memcpy(words, data, size);
	words[size] = '\0';
	for (size_t at = 0; at < size && argc < MAX_WORDS; at += strlen(words + at) + 1)
		argv[argc++] = words + at;
	if (cli_parse(&call, argc, argv) == 0 && !cli_command(&call)->subs)
		read_all(&call);
	if (call.wants_help)
		show_help(&call);
	cli_call_finish(&call);
	free(words);
	return 0;
}
