/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What this machine may lack: capabilities, sysctls and options of its kernel. Everything that
 * reports a lack uses this table: doctor, ctprof doctor, and the reasons and hints of ctprof.
 */
#ifndef KTSTR_HOST_NEED_H
#define KTSTR_HOST_NEED_H

#include "base/finding.h"

/* The words of the table, for texts that the compiler puts together. */
#define NEED_SYSCTL_DELAYACCT "kernel.task_delayacct"
#define NEED_SYSCTL_PTRACE_SCOPE "kernel.yama.ptrace_scope"
#define NEED_SYSCTL_SCHEDSTATS "kernel.sched_schedstats"
#define LACK_CAPABILITY(name) "no CAP_" name
#define LACK_OPTION(name) "CONFIG_" name " off"
#define FIX_SETCAP(names) "sudo setcap " names "+eip $(which ktstr)"

enum need_id {
#define CAPABILITY(id, ...) NEED_##id,
#define SYSCTL(id, ...) NEED_##id,
#define OPTION(id, ...) NEED_##id,
#include "host/needs.def"
#undef CAPABILITY
#undef SYSCTL
#undef OPTION
	NEEDS
};

extern const struct need {
	const char *name; /* what is needed: "CAP_NET_ADMIN", "kernel.task_delayacct=1" */
	const char *lack; /* the same as a reason: "no CAP_NET_ADMIN", "kernel.task_delayacct=0" */
	const char *loss; /* why it matters, or NULL */
	const char *fix;  /* the command that helps */
} needs[NEEDS];

/* Appends how to get a capability. */
void need_add_right(struct str *out, enum need_id id);

/* Sets the state, and adds reason and fix of the row. */
void finding_lack(struct finding *d, unsigned int state, enum need_id id);

#endif
