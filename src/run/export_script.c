// SPDX-License-Identifier: GPL-2.0-only
/* The script of an exported test: variables that describe the test, then the common part. */
#include "run/parts.h"

#include "base/embed.h"
#include "guest/protocol.h"

/* sched_ext reports a stall after at most half of this time (s). */
#define WATCHDOG_S 60
#define ATTACH_S 30

EMBED_TEXT(export_preamble, "src/run/export/preamble.sh");

static void add_variable(struct str *out, const char *name, const char *value)
{
	str_addf(out, "%s=", name);
	text_add_quoted(out, value ? value : "");
	str_addc(out, '\n');
}

static void add_number(struct str *out, const char *name, uint64_t value)
{
	str_addf(out, "%s=%llu\n", name, ULL(value));
}

/*
 * Appends an argument of the scheduler; guest paths of include files become paths below $dir, where
 * the archive is unpacked.
 */
static void add_sched_word(struct str *out, const char *word)
{
	const char *at = strstr(word, GUEST_INCLUDE_DIR "/");
	_str_ struct str before = {};

	str_addc(out, ' ');
	if (!at) {
		text_add_quoted(out, word);
		return;
	}
	str_addn(&before, word, (size_t)(at - word));
	text_add_quoted(out, str_get(&before));
	str_add(out, "\"$dir\"");
	text_add_quoted(out, at);
}

static int add_sched_words(const struct export_parts *p, struct str *out)
{
	const struct variant *v = p->variant;
	_str_ struct str words = {};
	int rc = scheduler_add_args(v->sched, v->test, v->flags, &words);

	if (rc < 0)
		return rc;
	str_add(out, "scheduler_words() {\n\t\"$@\" \"$dir/" EXPORT_SCHEDULER "\"");
	for (size_t at = strlen(words.s) + 1; at < words.len; at += strlen(words.s + at) + 1)
		add_sched_word(out, words.s + at);
	str_add(out, "\n}\n");
	return 0;
}

static void add_needs(const struct export_parts *p, struct str *out)
{
	const struct ktstr_topology *t = &p->variant->test->topology;
	const struct probe_sched *s = p->variant->sched;
	_str_ struct str sysctls = {}, kargs = {};

	add_number(out, "NEED_LLCS", t->llcs);
	add_number(out, "NEED_CORES_PER_LLC", t->cores);
	add_number(out, "NEED_THREADS_PER_CORE", t->threads);
	add_number(out, "NEED_NUMA_NODES", t->numa_nodes);
	add_number(out, "NEED_SCHED_EXT", p->scheduler != NULL);
	for (size_t i = 0; s && i < s->sysctls.count; i++)
		str_addf(&sysctls, "%s%s=%s", i ? " " : "", s->sysctls.items[i].key,
			 s->sysctls.items[i].value);
	for (size_t i = 0; s && i < s->kargs.count; i++)
		str_addf(&kargs, "%s%s", i ? " " : "", s->kargs.items[i]);
	add_variable(out, "NEED_SYSCTLS", str_get(&sysctls));
	add_variable(out, "NEED_KARGS", str_get(&kargs));
}

static void add_times(const struct probe_test *t, struct str *out)
{
	str_addf(out, "TEST_DURATION_SECS=%llu", ULL(t->duration_ms / 1000));
	if (t->duration_ms % 1000)
		str_addf(out, ".%03llu", ULL(t->duration_ms % 1000));
	str_addc(out, '\n');
	add_number(out, "TEST_WATCHDOG_SECS",
		   t->watchdog_timeout_s ? t->watchdog_timeout_s : WATCHDOG_S);
	add_number(out, "TEST_ATTACH_SECS", t->attach_timeout_s ? t->attach_timeout_s : ATTACH_S);
}

static size_t count_lines(const char *text)
{
	size_t count = 0;

	for (; *text; text++)
		count += *text == '\n';
	return count;
}

int export_add_script(const struct export_parts *p, struct str *out)
{
	const struct probe_test *t = p->variant->test;
	const struct probe_sched *s = p->variant->sched;
	size_t lines;
	int rc = 0;

	str_addf(out,
		 "#!/bin/sh\n# A test, exported by ktstr %s. Run it as root; --help tells more.\n",
		 ktstr_version());
	add_variable(out, "KTSTR_TEST_NAME", t->name);
	add_variable(out, "KTSTR_SCHED_NAME", s ? s->name : "eevdf");
	add_variable(out, "KTSTR_GIT_HASH", p->commit);
	add_needs(p, out);
	add_times(t, out);
	add_number(out, "TEST_EXPECTS_ERROR", t->expect_err);
	add_variable(out, "SCHED_CGROUP", s ? s->cgroup_parent : NULL);
	if (p->scheduler)
		rc = add_sched_words(p, out);
	if (rc < 0)
		return rc;
	/* Plus this line and the one after the last. */
	lines = count_lines(str_get(out)) + count_lines(export_preamble) + 2;
	add_number(out, "ARCHIVE_LINE", lines);
	str_add(out, export_preamble);
	return str_check(out);
}
