// SPDX-License-Identifier: GPL-2.0-only
/* The table of options of scx-ktstr. */
#include "faults.h"

#include <stdio.h>
#include <string.h>

#include "scx_ktstr.h"

/* clang-format off */
#define FAULT(flag, argument, id, what, caught_by) \
	{ flag, ARGUMENT_##argument, ACTION_FAULT, FAULT_##id, what, caught_by }
#define LOADER(flag, argument, id, what, caught_by) \
	{ flag, ARGUMENT_##argument, ACTION_LOADER_FAULT, LOADER_##id, what, caught_by }
#define OPTION(flag, argument, id, what) \
	{ flag, ARGUMENT_##argument, ACTION_##id, 0, what, NULL }

const struct option_row option_rows[] = {
	FAULT("--drop-task", NONE, DROP_TASK,
	      "never dispatches the first task that has used 20 ms of CPU",
	      "sched_ext watchdog (stalled), max_gap_ms"),
	FAULT("--forget-wakeup", NONE, FORGET_WAKEUP,
	      "loses every 64th wakeup",
	      "sched_ext watchdog (stalled), max_gap_ms"),
	FAULT("--ignore-affinity", NONE, IGNORE_AFFINITY,
	      "sends tasks round all CPUs, allowed or not",
	      "kernel error (error) with any pinned task, max_migration_ratio"),
	FAULT("--ignore-weights", NONE, IGNORE_WEIGHTS,
	      "gives every task the same share, whatever its nice value",
	      "max_share_error_pct where tasks of one cgroup have different nice values"),
	FAULT("--lockstep", NONE, LOCKSTEP,
	      "one queue for all CPUs, which take one task each every 20 ms",
	      "max_p99_wake_latency_ns, min_iteration_rate"),
	FAULT("--stall-after", SECONDS, STALL,
	      "dispatches no task of user space from then on",
	      "sched_ext watchdog (stalled), max_gap_ms"),
	FAULT("--error-after", SECONDS, ERROR,
	      "calls scx_bpf_error()",
	      "scheduler exit (error)"),
	FAULT("--unregister-after", SECONDS, UNREGISTER,
	      "leaves with scx_bpf_exit()",
	      "scheduler exit (unregistered)"),
	FAULT("--invalid-dsq", SECONDS, INVALID_DSQ,
	      "puts tasks into a queue that does not exist",
	      "kernel error (error)"),
	FAULT("--offline-cpu", NONE, OFFLINE_CPU,
	      "sends every 16th wakeup to an offline CPU, or one that does not exist",
	      "kernel error (error), dispatch_local_dsq_offline with CPUs offline"),
	FAULT("--starve-llc", NONE, STARVE_LLC,
	      "never serves the queue of the last LLC",
	      "sched_ext watchdog (stalled), max_gap_ms"),
	FAULT("--delay-wakeups", MS, DELAY_WAKEUPS,
	      "holds every woken task back that long",
	      "max_p99_wake_latency_ns"),
	FAULT("--leak-on-hotplug", NONE, LEAK_ON_HOTPLUG,
	      "loses four tasks whenever a CPU comes or goes",
	      "sched_ext watchdog (stalled) in tests with hotplug"),
	FAULT("--unfair-slices", NONE, UNFAIR_SLICES,
	      "favours every second task twentyfold",
	      "max_spread_pct"),
	FAULT("--one-cpu", NONE, ONE_CPU,
	      "runs everything on CPU 0 that may run there",
	      "max_idle_wait_pct, no_dead_cpus"),
	FAULT("--endless-slice", NONE, ENDLESS_SLICE,
	      "lets a task run until it sleeps",
	      "max_spread_pct, max_gap_ms, sched_ext watchdog (stalled)"),
	FAULT("--newest-first", NONE, NEWEST_FIRST,
	      "serves the task that was queued last",
	      "max_spread_pct, max_gap_ms, sched_ext watchdog (stalled)"),
	FAULT("--bounce", NONE, BOUNCE,
	      "sends a task to another CPU after every slice",
	      "max_migration_ratio"),
	FAULT("--fail-verify", NONE, VERIFIER,
	      "holds a store through NULL",
	      "verifier rejection (verifier)"),
	FAULT("--verify-loop", NONE, VERIFIER_LOOP,
	      "the same behind an unrolled loop of 8",
	      "verifier rejection (verifier)"),
	LOADER("--hang", NONE, HANG,
	       "waits forever before it attaches",
	       "attach limit (not_attached)"),
	LOADER("--exit-early", CODE, EXIT_EARLY,
	       "ends before it attaches",
	       "scheduler exit (died)"),
	LOADER("--die-after", SECONDS, DIE,
	       "kills its own process while attached",
	       "scheduler exit (died)"),
	LOADER("--fork-away", NONE, FORK_AWAY,
	       "leaves the work to a child and ends with 0",
	       "none: a scheduler may do that (forked_away in the report)"),
	LOADER("--pin-after", SECONDS, PIN,
	       "pins its link while attached and ends with 0",
	       "none: a scheduler may do that (forked_away in the report)"),
	OPTION("--slice-us", US, SLICE_US, "how long a task runs while others wait (5000)"),
	OPTION("--timeout-ms", MS, TIMEOUT_MS, "after which sched_ext takes it down (30000)"),
	OPTION("--enable-llc", NONE, LLC, "a queue per LLC, as it is anyway unless --no-llc precedes"),
	OPTION("--enable-stealing", NONE, STEAL, "LLCs help each other, likewise unless --no-steal"),
	OPTION("--no-llc", NONE, NO_LLC, "one queue for the whole machine"),
	OPTION("--no-steal", NONE, NO_STEAL, "an LLC never helps another one"),
	OPTION("--no-hotplug", NONE, NO_HOTPLUG,
	       "no cpu_online and cpu_offline: starts anew when a CPU comes or goes"),
	OPTION("--stats", NONE, STATS, "print how many instructions were verified"),
	OPTION("--verify-only", NONE, VERIFY_ONLY, "print that and end without attaching"),
	OPTION("--verbose", NONE, VERBOSE, "print what libbpf does"),
	OPTION("--list-faults", NONE, LIST_FAULTS, "print the faults and what must catch them"),
	OPTION("--ktstr-list-flags", NONE, LIST_FLAGS, "print what can be combined, as JSON"),
	OPTION("--help", NONE, HELP, "print this"),
	OPTION("--version", NONE, VERSION, "print the version"),
	{},
};
/* clang-format on */

static const char *const argument_names[] = {
	[ARGUMENT_NONE] = "", [ARGUMENT_SECONDS] = "SECONDS", [ARGUMENT_MS] = "MS",
	[ARGUMENT_US] = "US", [ARGUMENT_CODE] = "CODE",
};

const char *option_argument_name(enum option_argument argument)
{
	return argument_names[argument];
}

bool option_is_fault(const struct option_row *row)
{
	return row->action == ACTION_FAULT || row->action == ACTION_LOADER_FAULT;
}

static void print_row(const struct option_row *row)
{
	char words[64];

	snprintf(words, sizeof(words), "%s%s%s", row->flag, row->argument ? " " : "",
		 option_argument_name(row->argument));
	printf("  %-24s %s\n", words, row->what);
}

static void print_rows(bool are_faults)
{
	for (const struct option_row *row = option_rows; row->flag; row++)
		if (option_is_fault(row) == are_faults)
			print_row(row);
}

void options_print_help(void)
{
	printf("usage: scx-ktstr [OPTION]...\n"
	       "A fair sched_ext scheduler with a queue per LLC, for testing the tests of schedulers.\n"
	       "It runs until SIGINT or SIGTERM.\n\nOptions:\n");
	print_rows(false);
	printf("\nFaults:\n");
	print_rows(true);
}

void options_print_faults(void)
{
	for (const struct option_row *row = option_rows; row->flag; row++) {
		if (!option_is_fault(row))
			continue;
		print_row(row);
		printf("                           caught by: %s\n", row->caught_by);
	}
}

void options_print_flags(void)
{
	const char *separator = "";

	printf("[");
	for (const struct option_row *row = option_rows; row->flag; row++) {
		if (row->action != ACTION_NO_LLC && row->action != ACTION_NO_STEAL)
			continue;
		printf("%s{\"name\":\"%s\",\"args\":[\"%s\"],\"requires\":[]}", separator,
		       row->flag + strlen("--"), row->flag);
		separator = ",";
	}
	printf("]\n");
}
