// SPDX-License-Identifier: GPL-2.0-only
/* KTAP, as parsed by the kernel's tools. */
#include "run/parts.h"

static void ktap_begin(struct run_report *r, size_t selected)
{
	fprintf(r->options.out, "KTAP version 1\n1..%zu\n", selected);
}

/* Prefixes every line of a diagnosis, so that none can be taken for a result. */
static void print_diagnosis(const struct run_report *r, const char *text)
{
	_str_ struct str printable = {};
	const char *line;

	text_add_lines(&printable, text ? text : "");
	line = str_get(&printable);
	text_each_line(l, line)
		fprintf(r->options.out, "# %.*s\n", (int)l.len, l.s);
}

/* Escapes '#' in a name, which would start a directive. */
static void print_name(const struct run_report *r, const struct test_event *e)
{
	_str_ struct str name = {};

	report_add_name(&name, e);
	for (char *p = name.s; p && *p; p++)
		if (*p == '#')
			*p = '_';
	fputs(str_get(&name), r->options.out);
}

static void print_directive(const struct run_report *r, const struct test_event *e)
{
	_str_ struct str why = {};
	_str_ struct str first = {};

	str_addn(&first, e->text ? e->text : "", strcspn(e->text ? e->text : "", "\n"));
	text_add_printable(&why, str_get(&first));
	if (e->status == TEST_SKIPPED)
		fprintf(r->options.out, " # SKIP %s", str_get(&why));
	else if (e->status == TEST_TIMED_OUT)
		fputs(" # TIMEOUT", r->options.out);
	else if (e->status == TEST_INCONCLUSIVE)
		fputs(" # ERROR inconclusive", r->options.out);
}

static void ktap_retry(const struct run_report *r, const struct test_event *e)
{
	_str_ struct str name = {};

	report_add_name(&name, e);
	fprintf(r->options.out, "# attempt %u of %s: %s\n", e->attempt, str_get(&name),
		test_status_name(e->status));
}

static void ktap_end(const struct run_report *r, const struct test_event *e)
{
	bool is_ok = e->status == TEST_PASSED || e->status == TEST_SKIPPED;

	if (!is_ok)
		print_diagnosis(r, e->text);
	fprintf(r->options.out, "%s %zu ", is_ok ? "ok" : "not ok", r->ended);
	print_name(r, e);
	print_directive(r, e);
	fputc('\n', r->options.out);
}

static void ktap_tell(struct run_report *r, enum report_moment m, const struct test_event *e)
{
	if (m == REPORT_ENDED || m == REPORT_UNRUN)
		ktap_end(r, e);
	else if (m == REPORT_RETRIED)
		ktap_retry(r, e);
}

static void ktap_finish(struct run_report *r, const struct run_totals *t)
{
	if (t->is_interrupted)
		fputs("Bail out! interrupted\n", r->options.out);
	fprintf(r->options.out, "# Totals: pass:%zu fail:%zu xfail:0 xpass:0 skip:%zu error:%zu\n",
		t->passed, run_totals_failed(t), t->skipped + run_totals_not_run(t),
		t->inconclusive);
}

const struct report_format run_report_ktap = {
	.name = "ktap",
	.begin = ktap_begin,
	.tell = ktap_tell,
	.finish = ktap_finish,
};
