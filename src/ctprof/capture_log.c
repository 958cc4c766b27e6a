// SPDX-License-Identifier: GPL-2.0-only
/* Prints a summary of a capture and of what could not be read. */
#include <linux/capability.h>

#include "ctprof/capture.h"
#include "ctprof/jemalloc_parts.h"
#include "ctprof/procfs_view.h"

static bool are_refusals_dominant(const struct snapshot *s)
{
	const struct metric_unread *io = &s->unread[M_rchar];

	return lacks_capability(CAP_SYS_PTRACE) && io->reason &&
	       str_starts(io->reason, "permission denied") &&
	       s->parse.by_file[FILE_IO] * 2 >= s->parse.read_failures;
}

/* Appends how to get a capability; root in a container may lack it. */
static void add_hint(struct str *line, enum need_id capability)
{
	if (geteuid())
		need_add_right(line, capability);
	else
		str_addf(line, "this root lacks %s", needs[capability].name);
}

static void log_parse(const struct snapshot *s)
{
	const struct parse_summary *p = &s->parse;
	_str_ struct str line = {};

	str_addf(&line, "ctprof parse: %llu tids walked, %llu read failures", ULL(p->tids_walked),
		 ULL(p->read_failures));
	if (p->negative_dotted_values)
		str_addf(&line, ", %llu negative-dotted values", ULL(p->negative_dotted_values));
	if (p->impossible_values)
		str_addf(&line,
			 ", %llu impossible time%s dropped (longer than the life of the thread)",
			 ULL(p->impossible_values), p->impossible_values == 1 ? "" : "s");
	if (p->dominant)
		str_addf(&line, " (dominant: %s)", p->dominant);
	if (p->kernel_config_dominant)
		str_add(&line, "; hint: schedstat / io read failures dominate — " CONFIG_DOMINATES);
	if (!p->kernel_config_dominant && are_refusals_dominant(s)) {
		str_add(&line, "; hint: permission denied on other users' threads — ");
		add_hint(&line, NEED_SYS_PTRACE);
	}
	log_info("ctprof", "%s", str_get(&line));
}

static void add_probe_hint(struct str *line, const struct probe_summary *p)
{
	if (str_eq(p->dominant, TAG_ONE_STOP)) {
		str_add(line, "; hint: " STOPS_LET_GO);
	} else if (str_eq(p->dominant, TAG_UNBOUNDED)) {
		str_add(line, "; hint: " STOPS_UNBOUNDED "; --max-one-stop 0s accepts that");
	} else if (p->privilege_dominant && p->has_ptrace) {
		str_add(line, "; " PTRACE_IN_SPITE);
	} else if (p->privilege_dominant) {
		str_add(line, "; hint: ");
		add_hint(line, NEED_SYS_PTRACE);
		if (geteuid())
			str_addf(line, ", or set %s", needs[NEED_PTRACE_SCOPE].name);
	}
}

static void log_probe(const struct probe_summary *p)
{
	_str_ struct str line = {};

	str_addf(&line,
		 "ctprof probe: %llu tgids walked, %llu jemalloc detected, %llu probed OK, "
		 "%llu failed",
		 ULL(p->tgids_walked), ULL(p->jemalloc_detected), ULL(p->probed_ok),
		 ULL(p->failed));
	if (p->not_inspected)
		str_addf(&line, ", %llu could not be inspected: %s", ULL(p->not_inspected),
			 PTRACE_REFUSED(p->has_ptrace));
	if (p->dominant) {
		str_addf(&line, " (dominant: %s", p->dominant);
		add_probe_hint(&line, p);
		str_addc(&line, ')');
	}
	log_info("ctprof", "%s", str_get(&line));
}

static bool is_delay_off(const struct snapshot *s)
{
	return s->taskstats.delayacct.is_known && s->taskstats.delayacct.value == 0;
}

static void add_taskstats_hint(struct str *hint, const struct snapshot *s)
{
	const struct taskstats_summary *t = &s->taskstats;

	if (t->eperm)
		add_hint(hint, NEED_NET_ADMIN);
	else if (!t->ok)
		str_add(hint, TASKSTATS_SILENT);
	else if (is_delay_off(s))
		str_addf(hint, "%s; %s turns on the others, for threads that start from then on",
			 needs[NEED_DELAYACCT_ON].loss, needs[NEED_DELAYACCT_ON].fix);
	else if (t->esrch * 2 >= s->parse.tids_walked)
		str_add(hint, TASKSTATS_EXITED);
}

static void log_taskstats(const struct snapshot *s)
{
	const struct taskstats_summary *t = &s->taskstats;
	_str_ struct str hint = {};

	add_taskstats_hint(&hint, s);
	log_info("ctprof",
		 "ctprof taskstats: %llu ok, %llu EPERM, %llu ESRCH, %llu other errors%s%s",
		 ULL(t->ok), ULL(t->eperm), ULL(t->esrch), ULL(t->other),
		 hint.len ? "; hint: " : "", str_get(&hint));
}

void capture_log(const struct snapshot *s)
{
	if (s->parse.is_known)
		log_parse(s);
	if (s->taskstats.is_known && s->thread_count)
		log_taskstats(s);
	if (s->probe.is_known)
		log_probe(&s->probe);
}
