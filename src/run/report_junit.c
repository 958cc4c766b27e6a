// SPDX-License-Identifier: GPL-2.0-only
/* JUnit XML, written in one piece at the end. */
#include "run/parts.h"

/* Characters that XML 1.0 does not allow are written as \xNN by text_add_lines(). */
static void add_escaped(struct str *out, const char *raw)
{
	_str_ struct str text = {};

	text_add_lines(&text, raw ? raw : "");
	for (const char *p = str_get(&text); *p; p++) {
		switch (*p) {
		case '&':
			str_add(out, "&amp;");
			break;
		case '<':
			str_add(out, "&lt;");
			break;
		case '>':
			str_add(out, "&gt;");
			break;
		case '"':
			str_add(out, "&quot;");
			break;
		default:
			str_addc(out, *p);
		}
	}
}

/*
 * Message attribute that distinguishes failures: "ktstr_test 'x' failed:" is the same for all
 * failures of a test, so the first detail after it is used, which is indented.
 */
static void add_message(struct str *out, const char *raw)
{
	const char *line = raw ? raw : "", *next;
	size_t len = strcspn(line, "\n");
	_str_ struct str text = {};

	next = line + len + (line[len] == '\n');
	if (len && line[len - 1] == ':' && str_starts(next, "  "))
		line = next;
	line += strspn(line, " |");
	len = strcspn(line, "\n");
	str_addn(&text, line, len);
	add_escaped(out, str_get(&text));
}

static void add_element(struct str *out, const char *element, const char *type, const char *text)
{
	str_addf(out, "<%s message=\"", element);
	add_message(out, text);
	if (type)
		str_addf(out, "\" type=\"%s", type);
	str_add(out, "\">");
	add_escaped(out, text);
	str_addf(out, "</%s>", element);
}

void junit_add_case(struct str *cases, const struct test_event *e)
{
	str_add(cases, "    <testcase name=\"");
	add_escaped(cases, e->name);
	str_add(cases, "\" classname=\"");
	add_escaped(cases, e->binary_id);
	str_addf(cases, "\" time=\"%.3f\">", e->seconds);
	if (e->status == TEST_FAILED)
		add_element(cases, "failure", "failed", e->text);
	else if (e->status == TEST_TIMED_OUT)
		add_element(cases, "failure", "timeout", e->text);
	else if (e->status == TEST_INCONCLUSIVE)
		add_element(cases, "error", "inconclusive", e->text);
	else if (e->status == TEST_SKIPPED)
		add_element(cases, "skipped", NULL, e->text);
	if (e->status != TEST_PASSED && e->output && *e->output) {
		str_add(cases, "<system-out>");
		add_escaped(cases, e->output);
		str_add(cases, "</system-out>");
	}
	str_add(cases, "</testcase>\n");
}

static void add_counts(struct str *out, const struct run_totals *t)
{
	str_addf(out,
		 " tests=\"%zu\" failures=\"%zu\" errors=\"%zu\" skipped=\"%zu\" time=\"%.3f\"",
		 run_totals_ended(t) + run_totals_not_run(t), run_totals_failed(t), t->inconclusive,
		 t->skipped + run_totals_not_run(t), t->seconds);
}

void junit_add_document(struct str *out, const struct str *cases, const struct run_totals *t)
{
	_str_ struct str suites = {};

	add_counts(&suites, t);
	str_add(out, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n");
	str_addf(out, "<testsuites name=\"ktstr\"");
	str_add(out, str_get(&suites));
	str_add(out, ">\n  <testsuite name=\"ktstr\"");
	str_add(out, str_get(&suites));
	str_addf(out, ">\n%s  </testsuite>\n</testsuites>\n", str_get(cases));
}

static void junit_tell(struct run_report *r, enum report_moment m, const struct test_event *e)
{
	if (m == REPORT_ENDED || m == REPORT_UNRUN)
		junit_add_case(&r->collected, e);
}

static void junit_finish(struct run_report *r, const struct run_totals *t)
{
	_str_ struct str document = {};

	junit_add_document(&document, &r->collected, t);
	fputs(str_get(&document), r->options.out);
}

const struct report_format run_report_junit = {
	.name = "junit",
	.tell = junit_tell,
	.finish = junit_finish,
};
