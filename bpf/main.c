// SPDX-License-Identifier: GPL-2.0-only
/* scx-ktstr: options and main loop of the process that loads the scheduler. */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "faults.h"
#include "loader.h"

#define LOOK_NS 50000000L
#define KIND_ERROR 1024
#define NSEC_PER_SEC 1000000000ULL

struct settings {
	unsigned long long faults;
	unsigned int loader_faults; /* 1 << enum loader_fault */
	double after_s;
	unsigned long long delay_ms, slice_us;
	unsigned int timeout_ms;
	int exit_code;
	bool has_no_llcs, has_no_stealing, has_no_hotplug, prints_stats, only_verifies, is_verbose;
};

static int usage(const char *what, const char *word)
{
	fprintf(stderr, "scx-ktstr: %s '%s'; scx-ktstr --help lists the options\n", what, word);
	return 2;
}

static const struct option_row *find_option(const char *word, size_t len)
{
	for (const struct option_row *row = option_rows; row->flag; row++)
		if (strlen(row->flag) == len && strncmp(row->flag, word, len) == 0)
			return row;
	return NULL;
}

static bool parse_number(const char *text, double *out)
{
	char *end;

	errno = 0;
	*out = strtod(text, &end);
	return *text && !*end && !errno && *out >= 0 && *out <= 1e6;
}

static void apply(struct settings *s, const struct option_row *row, double number)
{
	switch (row->action) {
	case ACTION_FAULT:
		s->faults |= FAULT_BIT(row->fault);
		if (row->argument == ARGUMENT_SECONDS)
			s->after_s = number;
		if (row->argument == ARGUMENT_MS)
			s->delay_ms = (unsigned long long)number;
		break;
	case ACTION_LOADER_FAULT:
		s->loader_faults |= 1U << row->fault;
		if (row->argument == ARGUMENT_SECONDS)
			s->after_s = number;
		if (row->argument == ARGUMENT_CODE)
			s->exit_code = (int)number;
		break;
	case ACTION_SLICE_US:
		s->slice_us = (unsigned long long)number;
		break;
	case ACTION_TIMEOUT_MS:
		s->timeout_ms = (unsigned int)number;
		break;
	case ACTION_NO_LLC:
		s->has_no_llcs = true;
		break;
	case ACTION_NO_STEAL:
		s->has_no_stealing = true;
		break;
	case ACTION_LLC:
		s->has_no_llcs = false;
		break;
	case ACTION_STEAL:
		s->has_no_stealing = false;
		break;
	case ACTION_NO_HOTPLUG:
		s->has_no_hotplug = true;
		break;
	case ACTION_STATS:
		s->prints_stats = true;
		break;
	case ACTION_VERIFY_ONLY:
		s->only_verifies = true;
		break;
	case ACTION_VERBOSE:
		s->is_verbose = true;
		break;
	default:
		break;
	}
}

/* Handles options that print something and exit. */
static bool prints(const struct option_row *row)
{
	switch (row->action) {
	case ACTION_HELP:
		options_print_help();
		return true;
	case ACTION_LIST_FAULTS:
		options_print_faults();
		return true;
	case ACTION_LIST_FLAGS:
		options_print_flags();
		return true;
	case ACTION_VERSION:
		printf("scx-ktstr %s\n", KTSTR_VERSION);
		return true;
	default:
		return false;
	}
}

/* Returns 0, the exit status 2, or -1 if an option only printed something. */
static int parse(struct settings *s, int argc, char **argv)
{
	for (int i = 1; i < argc; i++) {
		const char *word = argv[i], *value = strchr(word, '=');
		size_t len = value ? (size_t)(value - word) : strlen(word);
		const struct option_row *row = find_option(word, len);
		double number = 0;

		if (!row || (value && !row->argument))
			return usage(row ? "no value belongs to" : "unknown option", word);
		if (prints(row))
			return -1;
		if (row->argument) {
			value = value ? value + 1 : argv[++i];
			if (!value || !parse_number(value, &number))
				return usage(value ? "not a number of use:" :
						     "a number is wanted after",
					     value ? value : word);
		}
		apply(s, row, number);
	}
	if (s->timeout_ms == 0 || s->timeout_ms > 30000)
		return usage("the timeout is 1 to 30000 ms, not", "--timeout-ms");
	if (s->slice_us == 0)
		return usage("a slice has at least 1 us:", "--slice-us");
	return 0;
}

static bool has(const struct settings *s, enum loader_fault fault)
{
	return s->loader_faults >> fault & 1;
}

static void configure(const struct settings *s, struct scx_ktstr_config *c)
{
	c->faults = s->faults;
	c->slice_ns = s->slice_us * 1000;
	c->after_ns = (unsigned long long)(s->after_s * NSEC_PER_SEC);
	c->delay_ns = s->delay_ms * 1000000;
	c->loader = (unsigned int)getpid();
	c->steals = !s->has_no_stealing;
}

static unsigned long long now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (unsigned long long)t.tv_sec * NSEC_PER_SEC + (unsigned long long)t.tv_nsec;
}

/* Waits until the kernel has ended the scheduler, or for a signal to terminate. */
static int wait_for_end(const struct settings *s, struct loader *l, const sigset_t *ends)
{
	const struct timespec step = { .tv_nsec = LOOK_NS };
	unsigned long long begin = now_ns();

	do {
		bool is_due = now_ns() - begin >= s->after_s * NSEC_PER_SEC;

		if (has(s, LOADER_PIN) && is_due)
			return loader_pin(l) < 0;
		if (has(s, LOADER_DIE) && is_due)
			raise(SIGKILL);
	} while (!loader_has_ended(l) && sigtimedwait(ends, NULL, &step) < 0);
	return 0;
}

/* Forks; the parent exits, and the child attaches the scheduler. */
static void fork_away(void)
{
	pid_t pid = fork();

	if (pid > 0)
		_exit(0);
	if (pid == 0)
		setsid();
}

static int run(const struct settings *s, struct loader *l, const sigset_t *ends)
{
	int rc = loader_open(l, s->is_verbose);

	if (rc == 0)
		rc = loader_read_cpus(l->config, !s->has_no_llcs);
	if (rc < 0)
		return 1;
	if (has(s, LOADER_FORK_AWAY))
		fork_away();
	configure(s, l->config);
	if (s->has_no_hotplug)
		loader_ignore_hotplug(l);
	rc = loader_load(l, s->timeout_ms);
	if (rc < 0)
		return 1;
	if (s->prints_stats || s->only_verifies)
		loader_print_programs(l);
	if (s->only_verifies)
		return 0;
	if (has(s, LOADER_EXIT_EARLY)) {
		fprintf(stderr, "scx-ktstr: asked to end with %d before attaching\n", s->exit_code);
		return s->exit_code;
	}
	if (has(s, LOADER_HANG)) {
		fprintf(stderr, "scx-ktstr: asked to wait forever before attaching\n");
		sigwaitinfo(ends, NULL);
		return 0;
	}
	if (loader_attach(l) < 0)
		return 1;
	fprintf(stderr, "scx-ktstr: attached: %u CPUs, %u LLCs\n", l->config->cpu_count,
		l->config->llc_count);
	return wait_for_end(s, l, ends);
}

int main(int argc, char **argv)
{
	struct settings s = { .slice_us = 5000, .timeout_ms = 30000 };
	struct loader l = {};
	bool is_anew;
	sigset_t ends;
	int rc = parse(&s, argc, argv);

	if (rc)
		return rc < 0 ? (fflush(stdout) != 0) : rc;
	sigemptyset(&ends);
	sigaddset(&ends, SIGINT);
	sigaddset(&ends, SIGTERM);
	sigprocmask(SIG_BLOCK, &ends, NULL);
	setvbuf(stderr, NULL, _IOLBF, 0);
	do {
		rc = run(&s, &l, &ends);
		is_anew = loader_must_restart(&l);
		if (loader_finish(&l) >= KIND_ERROR)
			rc = 1;
	} while (is_anew);
	return rc;
}
