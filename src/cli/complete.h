/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Completion scripts. Each shell has a writer that converts the command table to data of that
 * shell; if the shell needs code to go with it, the code is a file under complete/, written for the
 * name ktstr and embedded unchanged.
 */
#ifndef KTSTR_CLI_COMPLETE_H
#define KTSTR_CLI_COMPLETE_H

#include "cli/cli.h"

struct complete {
	struct str *out;
	const char *binary; /* name the user types; a word that needs no quotes in any shell */
	const char *prefix; /* of our functions: the same with _ for invalid characters */
	bool is_cargo;	    /* our commands follow `cargo ktstr`, the rest belongs to cargo */
};

void complete_bash(const struct complete *c);
void complete_zsh(const struct complete *c);
void complete_fish(const struct complete *c);
void complete_elvish(const struct complete *c);
void complete_powershell(const struct complete *c);

/* Appends the text with every _ktstr replaced by the prefix. */
void complete_add_code(const struct complete *c, const char *text);

/* How a shell escapes a quote inside single quotes. */
enum complete_quote { QUOTE_BASH, QUOTE_FISH, QUOTE_DOUBLED };

void complete_add_quoted(struct str *out, const char *text, enum complete_quote quote);

/* Appends the names below the root: "ctprof capture"; nothing for the root itself. */
void complete_add_path(struct str *out, const struct cli_walk *w, char separator);

/* Syntax of a shell for the table of command + word => next command. */
struct complete_steps {
	const char *begin, *joint; /* before the command, and between it and the word */
	const char *other;	   /* the same for an alias */
	const char *then, *end;	   /* around the resulting command */
};

/* Appends a step for each command except the root. */
void complete_add_steps(const struct complete *c, const struct complete_steps *steps);

/* Syntax of a shell for the table of parameters: text around the rows of each kind. */
struct complete_table {
	const char *title;		/* code, as for complete_add_code() */
	const char *begin, *then, *end; /* around the name of a command, and after its rows */
	const char *commands, *arguments, *options, *close; /* around the rows of each kind */
	const char *finish;
	void (*add_command)(struct str *out, const struct cli_cmd *cmd);
	void (*add_param)(struct str *out, const struct cli_param *p);
};

void complete_add_table(const struct complete *c, const struct complete_table *t);

/* Kind of value to offer: none, any (unknown), file, dir, one, list, command. */
const char *complete_kind(const struct cli_param *p);

/* Choices of a parameter; an empty list if it has none. */
const char *const *complete_choices(const struct cli_param *p);

extern const char complete_code_bash[], complete_code_bash_cargo[];
extern const char complete_code_zsh_cargo[];
extern const char complete_code_fish[];
extern const char complete_code_elvish[];
extern const char complete_code_powershell[], complete_code_powershell_cargo[];

#endif
