// SPDX-License-Identifier: GPL-2.0-only
/* What a capture tells about itself, and what it could not do. */
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
		str_add(&line,
			"; hint: schedstat / io read failures dominate — kernel may be built "
			"without CONFIG_SCHED_INFO and/or CONFIG_TASK_IO_ACCOUNTING");
	else if (are_refusals_dominant(s))
		str_addf(&line, "; hint: permission denied on other users' threads — %s",
			 geteuid() ? "re-run as root, or sudo setcap cap_sys_ptrace+eip "
				     "$(which ktstr)" :
				     "this root lacks CAP_SYS_PTRACE");
	log_info("ctprof", "%s", str_get(&line));
}

static const char *probe_hint(const struct probe_summary *p)
{
	if (str_eq(p->dominant, TAG_ONE_STOP))
		return "; hint: capture got no CPU in time and let go of threads that were stopped "
		       "for longer than --max-one-stop; with CAP_SYS_NICE it goes first";
	if (str_eq(p->dominant, TAG_UNBOUNDED))
		return "; hint: a stop could last longer than --max-one-stop without "
		       "CAP_SYS_NICE; --max-one-stop 0s accepts that";
	if (!p->privilege_dominant)
		return "";
	if (p->has_ptrace)
		return "; " PTRACE_IN_SPITE;
	return geteuid() ? "; hint: re-run as root, or sudo setcap cap_sys_ptrace+eip "
			   "$(which ktstr), or set kernel.yama.ptrace_scope=0" :
			   "; hint: this root lacks CAP_SYS_PTRACE";
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
			 p->has_ptrace ? PTRACE_IN_SPITE :
			 geteuid()     ? "needs CAP_SYS_PTRACE" :
					 "this root lacks CAP_SYS_PTRACE");
	if (p->dominant)
		str_addf(&line, " (dominant: %s%s)", p->dominant, probe_hint(p));
	log_info("ctprof", "%s", str_get(&line));
}

static bool is_delay_off(const struct snapshot *s)
{
	return s->taskstats.delayacct.is_known && s->taskstats.delayacct.value == 0;
}

static const char *taskstats_hint(const struct snapshot *s)
{
	const struct taskstats_summary *t = &s->taskstats;

	if (t->eperm)
		return geteuid() ? "run as root, or sudo setcap cap_net_admin+eip $(which ktstr)" :
				   "this root lacks CAP_NET_ADMIN";
	if (!t->ok)
		return "the kernel may be built without CONFIG_TASKSTATS";
	if (is_delay_off(s))
		return "only run-queue delays are counted; sudo sysctl -w kernel.task_delayacct=1 "
		       "turns on the others, for threads that start from then on";
	if (t->esrch * 2 >= s->parse.tids_walked)
		return "most threads exited before they could be asked; capture a longer steady "
		       "state";
	return NULL;
}

static void log_taskstats(const struct snapshot *s)
{
	const struct taskstats_summary *t = &s->taskstats;
	const char *hint = taskstats_hint(s);

	log_info("ctprof",
		 "ctprof taskstats: %llu ok, %llu EPERM, %llu ESRCH, %llu other errors%s%s",
		 ULL(t->ok), ULL(t->eperm), ULL(t->esrch), ULL(t->other), hint ? "; hint: " : "",
		 hint ? hint : "");
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
