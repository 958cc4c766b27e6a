/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The command line as data.
 *
 * Each command is described in the file that runs it (cmd_NAME.c), and table.c collects them.
 * Parsing, --help, the man pages and the shell completions are all derived from these tables, so
 * they cannot disagree.
 */
#ifndef KTSTR_CLI_CLI_H
#define KTSTR_CLI_CLI_H

#include "base/base.h"
#include "base/sheet.h"

enum {
	EXIT_OK = 0,
	EXIT_FAILED = 1,
	EXIT_USAGE = 2,
	EXIT_INCONCLUSIVE = 3,
	EXIT_NOTHING_RAN = 4,
	EXIT_INTERRUPTED = 130,
};

enum cli_kind {
	CLI_FLAG, /* takes no value */
	CLI_STRING,
	CLI_FILE,
	CLI_DIR,
	CLI_NUMBER,   /* unsigned decimal */
	CLI_DURATION, /* 100ms, 1m30s; the value is in nanoseconds */
	CLI_CHOICE,   /* one of choices() */
	CLI_CHOICES,  /* comma-separated list of choices(), checked by the command */
	CLI_COMMAND,  /* name of a command; if repeated, of a subcommand of the previous one */
};

/* An option, or an argument (is_arg). Lists end with a NULL name. */
struct cli_param {
	const char *name;  /* "output" is --output; arguments are also looked up by name */
	const char *alias; /* another long spelling, accepted but not documented */
	char letter;	   /* short form, or 0 */
	bool is_arg;
	bool is_required;
	bool is_repeatable;
	enum cli_kind kind;
	const char *value;    /* placeholder in help: "PATH"; the name for arguments */
	const char *fallback; /* default value; shown in help */
	const char *help;     /* one sentence, lower case, no full stop */
	const char *needs;    /* an option that must be given, too */
	const char *excludes; /* an option that must not be given */
	uint64_t min, max;    /* bounds of a CLI_NUMBER; max 0 = none */
	const char *const *(*choices)(void);
};

/* Lists end with a NULL command. */
struct cli_example {
	const char *command; /* without the program's name: "topo --json" */
	const char *what;
};

/* An exit status besides 0, 1 and 2. Lists end with a NULL sentence. */
struct cli_exit {
	const char *code; /* "5", or "other" */
	const char *when; /* one sentence, lower case, no full stop */
};

struct cli_call;

struct cli_cmd {
	const char *name;
	const char *alias;   /* a second name, shown in help */
	const char *summary; /* one line, lower case, no full stop */
	const char *about;   /* paragraphs for help and man page, or NULL */
	const struct cli_example *examples;
	const struct cli_exit *exits; /* or NULL */
	const struct cli_param *params;
	const struct cli_cmd *const *subs; /* of a group; without run() a subcommand is required */
	const struct cli_cmd *rest;	   /* syntax of the words after "--" */
	bool is_hidden;
	bool holds_resources; /* owns tracees, VMs or locks: must survive SIGPIPE to clean up */
	/* Exit status, or a negative errno with a message. */
	int (*run)(const struct cli_call *call);
};

/* Loops over the subcommands of a group; none if it has none. */
#define cli_each_sub(sub, group)                                                 \
	for (const struct cli_cmd *const *sub##_at = (group)->subs, *sub = NULL; \
	     sub##_at && (sub = *sub##_at); sub##_at++)

/* Heading in the help text that starts with this command, or NULL. */
const char *cli_heading(const struct cli_cmd *cmd);

/* The root group; its subs are the commands, its params the global options. */
extern const struct cli_cmd cli_root;

/* Names with a sentence, for the man page. Lists end with a NULL name. */
struct cli_note {
	const char *name;
	const char *help;
};
extern const struct cli_note cli_environment[];
extern const struct cli_note cli_files[];

#define CLI_MAX_DEPTH 4

struct cli_given {
	const struct cli_param *param;
	const char *text;
	uint64_t number;
};

struct cli_call {
	const char *program; /* "ktstr" or "cargo ktstr" */
	bool is_cargo;
	const struct cli_cmd *path[CLI_MAX_DEPTH]; /* from the root to the command */
	size_t depth;
	struct cli_given *given;
	size_t given_count, given_cap;
	bool wants_help;
	bool wants_version;
	char *const *rest; /* words after "--", if the command has a syntax for them */
	int rest_count;
};

/*
 * Parses argv. Returns 0, EXIT_USAGE after the problem was printed to stderr, or -ENOMEM.
 * call->path is valid in every case.
 */
int cli_parse(struct cli_call *call, int argc, char *const *argv);
void cli_call_finish(struct cli_call *call);

/* Parses the words after "--" by the command's table for them, into a separate call. */
int cli_parse_rest(const struct cli_call *call, struct cli_call *rest);

static inline const struct cli_cmd *cli_command(const struct cli_call *call)
{
	return call->path[call->depth - 1];
}

/* Values by option name. A name that is not in the command's table is a bug and aborts. */
bool cli_flag(const struct cli_call *call, const char *name);
bool cli_is_given(const struct cli_call *call, const char *name);
const char *cli_text(const struct cli_call *call, const char *name); /* or NULL */
uint64_t cli_number(const struct cli_call *call, const char *name);  /* or 0 */
size_t cli_count(const struct cli_call *call, const char *name);     /* times given */
const char *cli_nth(const struct cli_call *call, const char *name, size_t index);
/* All values in a list, to be freed; 0 or -ENOMEM with a message. */
int cli_collect(const struct cli_call *call, const char *name, const char ***items, size_t *count);

/* By the rows CLI_ROOTS. */
struct roots cli_roots(const struct cli_call *call);

int cli_show_version(void);

/* Prints "error: ..." and the hint to use --help; returns EXIT_USAGE. */
int cli_usage_error(const struct cli_call *call, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));

/*
 * 'text' for a message: unprintable bytes are escaped, a long text is truncated. Valid until the
 * next call in the same thread.
 */
const char *cli_quoted(const char *text);

/* The group's subcommand of that name or alias, or NULL. */
const struct cli_cmd *cli_find_sub(const struct cli_cmd *group, const char *name);

/* Reports that the command has no such subcommand; returns EXIT_USAGE. */
int cli_unknown_command(const struct cli_call *call, const char *name);

/* Appends the help text, wrapped to width columns. */
void cli_add_help(struct str *out, const struct cli_call *call, unsigned int width);

/* Appends "ktstr ctprof capture": the names from the root. */
void cli_add_path(struct str *out, const struct cli_call *call);

/* Iterates over all commands that are not hidden, parents first. Starts zeroed, ends with NULL. */
struct cli_walk {
	const struct cli_cmd *path[CLI_MAX_DEPTH];	/* from the root to the command */
	const struct cli_cmd *const *at[CLI_MAX_DEPTH]; /* position among siblings */
	size_t depth;
};
const struct cli_cmd *cli_walk_next(struct cli_walk *w);

/* Iterates over the parameters of a command: its own, then the global ones. */
const struct cli_param *cli_param_next(const struct cli_cmd *cmd, size_t *state);

/* Placeholder of a parameter ("PATH"), or NULL for flags. */
const char *cli_param_value(const struct cli_param *param);

/*
 * Returns whether the choices are few enough for the help text. There are hundreds of metric names:
 * they have a command of their own.
 */
bool cli_has_short_choices(const struct cli_param *param);

/* output.c: prints the result of commands to stdout. */

/*
 * Returns 0, -ENOMEM if building the text failed, or the write error. What stays in the stream's
 * buffer is written and checked at exit. Texts quote external data (records, snapshots, names):
 * control characters are printed as \xNN.
 */
int output_text(const struct str *text);

/*
 * Checks whether the file can be created, before a run that takes minutes or hours and writes it at
 * the end. NULL and "-" (stdout) are always accepted.
 */
int output_check_file(const char *path);

/* Prints one line; the newline is added. */
int output_line(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

/* Prints without escaping: scripts, and coloured text whose external parts are already escaped. */
int output_raw(const struct str *text);

/* Prints a document, followed by a newline. */
int output_json(struct str *text);

/* What a command prints as text or, with --json, as JSON. */
struct printout {
	struct str text;
	struct json json;   /* into the text */
	struct sheet sheet; /* into the text, as a table or as JSON */
	bool is_json;
	bool is_raw; /* the text is for output_raw() */
};

void output_begin(struct printout *o, const struct cli_call *call);
/* The same; JSON is a document, see json_document(), which output_end() closes. */
void output_document(struct printout *o, const struct cli_call *call);
/* Prints it if rc is 0, the result of building it; else returns rc. */
int output_end(struct printout *o, int rc);

/* Width for running text on stdout: that of the terminal, up to a readable line length. */
size_t output_width(void);

/* Writes bytes unchanged and at once, to stdout or stderr. */
int output_bytes(int fd, const void *data, size_t len);

/* Returns whether a write failed because the reader has closed the pipe: `ktstr ... | head`. */
bool output_is_unwanted(void);

/* Flushes stdout before something is printed to stderr. -errno with a message. */
int output_flush(void);

/* man.c: man pages in man(7) macros, one for the program and one per command. */

/* Appends ktstr.1. */
void man_add_overview(struct str *out);

/* Appends ktstr-NAME.1 for a top-level command, with a section per subcommand. */
void man_add_command(struct str *out, const struct cli_cmd *cmd);

/* The commands, each in the file cmd_NAME.c that runs it. */

extern const struct cli_cmd cmd_affected, cmd_bisect, cmd_cache_clean, cmd_cache_list, cmd_check,
	cmd_cleanup, cmd_completions, cmd_coverage, cmd_ctprof_capture, cmd_ctprof_compare,
	cmd_ctprof_doctor, cmd_ctprof_info, cmd_ctprof_metric_list, cmd_ctprof_show,
	cmd_ctprof_watch, cmd_debug, cmd_doctor, cmd_explore, cmd_export, cmd_funify, cmd_fuzz,
	cmd_generate_man, cmd_help, cmd_host_state_capture, cmd_host_state_compare, cmd_init,
	cmd_kernel_build, cmd_kernel_clean, cmd_kernel_fetch, cmd_kernel_list, cmd_list,
	cmd_llvm_cov_clean, cmd_llvm_cov_report, cmd_llvm_cov_show_env, cmd_locks, cmd_model_clean,
	cmd_model_fetch, cmd_model_status, cmd_perf_delta, cmd_replay, cmd_report, cmd_run,
	cmd_shell, cmd_show_dump, cmd_show_host, cmd_show_thresholds, cmd_stats, cmd_stats_compare,
	cmd_stats_explain_sidecar, cmd_stats_list, cmd_stats_list_metrics, cmd_stats_list_values,
	cmd_stats_merge, cmd_stats_show_host, cmd_stats_trend, cmd_test, cmd_top, cmd_topo,
	cmd_trace, cmd_verifier, cmd_watch_tests;

#endif
