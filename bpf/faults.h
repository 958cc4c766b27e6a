/* SPDX-License-Identifier: GPL-2.0-only */
/* Options of scx-ktstr, and for each fault the check that must detect it. */
#ifndef KTSTR_BPF_FAULTS_H
#define KTSTR_BPF_FAULTS_H

#include <stdbool.h>

/* Faults of the loader itself. */
enum loader_fault {
	LOADER_HANG,	   /* before it attaches */
	LOADER_EXIT_EARLY, /* before it attaches */
	LOADER_DIE,	   /* while attached */
	LOADER_FORK_AWAY,
	LOADER_PIN, /* while attached */
};

enum option_action {
	ACTION_FAULT,	     /* of the BPF program: enum fault */
	ACTION_LOADER_FAULT, /* enum loader_fault */
	ACTION_SLICE_US,
	ACTION_TIMEOUT_MS,
	ACTION_NO_LLC,
	ACTION_NO_STEAL,
	ACTION_LLC,
	ACTION_STEAL,
	ACTION_NO_HOTPLUG,
	ACTION_STATS,
	ACTION_VERIFY_ONLY,
	ACTION_VERBOSE,
	ACTION_LIST_FAULTS,
	ACTION_LIST_FLAGS,
	ACTION_HELP,
	ACTION_VERSION,
};

enum option_argument { ARGUMENT_NONE, ARGUMENT_SECONDS, ARGUMENT_MS, ARGUMENT_US, ARGUMENT_CODE };

struct option_row {
	const char *flag;
	enum option_argument argument;
	enum option_action action;
	int fault; /* for ACTION_FAULT and ACTION_LOADER_FAULT */
	const char *what;
	const char *caught_by; /* faults only */
};

extern const struct option_row option_rows[]; /* ends with a row whose flag is NULL */

bool option_is_fault(const struct option_row *row);
const char *option_argument_name(enum option_argument argument); /* "" for none */

void options_print_help(void);
void options_print_faults(void);
void options_print_flags(void); /* features that can be combined, as JSON */

#endif
