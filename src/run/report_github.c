// SPDX-License-Identifier: GPL-2.0-only
/* The summary page that GitHub shows for a job. */
#include "run/parts.h"

/* Escapes '|', which would end the cell of a Markdown table, and '<', which would start HTML. */
void github_add_cell(struct str *out, const char *raw)
{
	_str_ struct str text = {};

	text_add_printable(&text, raw);
	for (const char *p = str_get(&text); *p; p++) {
		if (*p == '|')
			str_add(out, "\\|");
		else if (*p == '<')
			str_add(out, "&lt;");
		else
			str_addc(out, *p);
	}
}

/* Appends the kernel's reason if there is one, else the first detail of the failure text. */
static void add_reason(struct str *out, const char *text)
{
	static const char summary[] = "BUG SUMMARY: ";
	const char *detail = strchr(text, '\n');
	_str_ struct str line = {};

	if (str_starts(text, summary))
		text += strlen(summary);
	else if (detail)
		text = detail + 1;
	while (*text == ' ')
		text++;
	str_addn(&line, text, strcspn(text, "\n"));
	github_add_cell(out, str_get(&line));
}

void github_add_row(struct str *rows, const struct test_event *e)
{
	if (e->status == TEST_PASSED)
		return;
	str_addf(rows, "| %s | ", test_status_name(e->status));
	github_add_cell(rows, e->binary_id);
	str_add(rows, " | ");
	github_add_cell(rows, e->name);
	str_addf(rows, " | %.2f s | ", e->seconds);
	add_reason(rows, e->text ? e->text : "");
	str_add(rows, " |\n");
}

void github_add_document(struct str *out, const struct str *rows, const struct run_totals *t)
{
	str_addf(out, "### ktstr: %zu passed, %zu failed, %zu inconclusive, %zu skipped\n\n",
		 t->passed, run_totals_failed(t), t->inconclusive, t->skipped);
	if (rows->len)
		str_addf(out,
			 "| verdict | program | test | time | reason |\n"
			 "| --- | --- | --- | --- | --- |\n%s\n",
			 rows->s);
}

/* An error gives only a warning: the summary page is not part of the run's result. */
void github_append(const struct str *document)
{
	const char *path = env_get("GITHUB_STEP_SUMMARY");
	_close_ int fd = -1;
	int rc;

	if (!path)
		return;
	fd = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0644);
	rc = fd < 0 ? -errno : fd_write_all(fd, str_get(document), document->len);
	if (rc < 0)
		log_note("warning: write %s: %s", path, strerror(-rc));
}
