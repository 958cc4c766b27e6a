/* SPDX-License-Identifier: GPL-2.0-only */
/* A command line, parsed by the program's own table, and what its command prints. */
#ifndef KTSTR_TESTS_CLI_RUN_H
#define KTSTR_TESTS_CLI_RUN_H

#include "unit.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/err.h"
#include "base/str.h"
#include "base/vec.h"
#include "cli/cli.h"

#define CLI_RUN_WORDS 32

struct cli_line {
	struct cli_call call;
	char *text;
	char *words[CLI_RUN_WORDS + 1];
	int count;
};

/* What was printed by the last cli_run() or cli_catch(). */
static char *cli_out, *cli_err;
/* Words of the lines so far: tests look at options that point to them. */
static VEC(char *) cli_words;

/* Words are separated by single spaces; "ktstr" is put before them. */
static inline int cli_line_parse(struct cli_line *l, const char *text)
{
	*l = (struct cli_line){ .text = str_fmt("ktstr %s", text) };
	assert_non_null(l->text);
	for (char *word = strtok(l->text, " "); word; word = strtok(NULL, " ")) {
		assert_in_range(l->count, 0, CLI_RUN_WORDS - 1);
		l->words[l->count++] = word;
	}
	return cli_parse(&l->call, l->count, l->words);
}

static inline void cli_line_finish(struct cli_line *l)
{
	cli_call_finish(&l->call);
	assert_int_equal(vec_push(&cli_words, l->text), 0);
}

static inline void cli_catch_begin(FILE *stream, int fd, int saved[2])
{
	fflush(stream);
	saved[0] = dup(fd);
	saved[1] = memfd_create("caught", MFD_CLOEXEC);
	dup2(saved[1], fd);
}

static inline void cli_catch_end(FILE *stream, int fd, const int saved[2], char **text)
{
	off_t len;

	fflush(stream);
	dup2(saved[0], fd);
	close(saved[0]);
	len = lseek(saved[1], 0, SEEK_END);
	free(*text);
	*text = calloc(1, (size_t)len + 1);
	assert_int_equal(pread(saved[1], *text, (size_t)len, 0), len);
	close(saved[1]);
}

/* Calls run() with the parsed line; its status, or that of a line that cannot be parsed. */
static inline int cli_catch(const char *text, int (*run)(const struct cli_call *call))
{
	int out[2], err[2], rc;
	struct cli_line line;

	cli_catch_begin(stdout, STDOUT_FILENO, out);
	cli_catch_begin(stderr, STDERR_FILENO, err);
	rc = cli_line_parse(&line, text);
	if (rc == 0)
		rc = run(&line.call);
	cli_line_finish(&line);
	cli_catch_end(stderr, STDERR_FILENO, err, &cli_err);
	cli_catch_end(stdout, STDOUT_FILENO, out, &cli_out);
	return rc;
}

static inline int cli_run_command(const struct cli_call *call)
{
	return cli_command(call)->run(call);
}

/* The command itself. */
static inline int cli_run(const char *text)
{
	return cli_catch(text, cli_run_command);
}

static inline void cli_forget(void)
{
	free(cli_out);
	free(cli_err);
	cli_out = cli_err = NULL;
	vec_release(&cli_words, each, free(*each));
	memset(&cli_words, 0, sizeof(cli_words));
	err_clear();
}

static inline void expect_in(const char *text, const char *part)
{
	if (!strstr(text, part))
		fail_msg("expected '%s' in '%s'", part, text);
}

#endif
