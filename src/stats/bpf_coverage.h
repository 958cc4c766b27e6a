/* SPDX-License-Identifier: GPL-2.0-only */
/* Reports on executed lines of BPF programs. */
#ifndef KTSTR_STATS_BPF_COVERAGE_H
#define KTSTR_STATS_BPF_COVERAGE_H

#include "run/report.h"
#include "watch/cover.h"

/* A line of a file, summed over all functions that contain it. */
struct bpf_source_line {
	uint32_t line;
	uint64_t count;
	const char *text;
	unsigned int branches, both_ways; /* executed conditional jumps */
};

struct bpf_source {
	const char *file;
	VEC(struct bpf_source_line) lines; /* ordered by number */
	size_t executed, branches, both_ways;
};

struct bpf_sources {
	VEC(struct bpf_source) items;
	size_t lines, executed;
};

/* ignore: regular expression of files to leave out, or NULL; -EINVAL if it is invalid. */
int bpf_sources_make(struct bpf_sources *s, const struct bpf_cover *c, const char *ignore);
void bpf_sources_finish(struct bpf_sources *s);

#define _bpf_sources_ _cleanup_(bpf_sources_finish)

/* Formats of the report; the table also lists programs. */
int bpf_coverage_table(const struct bpf_sources *s, const struct bpf_cover *c, struct str *out);
int bpf_coverage_lcov(const struct bpf_sources *s, const struct bpf_cover *c, struct str *out);
int bpf_coverage_text(const struct bpf_sources *s, const struct bpf_cover *c, struct str *out);
int bpf_coverage_html(const struct bpf_sources *s, const struct bpf_cover *c, struct str *out);

/*
 * Calls back for each line of the file on disk; if that is missing or different, for the known
 * lines.
 */
typedef void bpf_line_fn(void *ctx, uint32_t number, const char *text,
			 const struct bpf_source_line *line);
int bpf_source_walk(const struct bpf_source *s, bpf_line_fn *fn, void *ctx);

/*
 * Writes one report on all runs in a directory. -ENOENT with a message if none of their programs
 * has line info.
 */
int bpf_coverage_report(const char *dir, const struct coverage_report *report);

/* Writes lcov.info, coverage.json and index.html into the directory, and a sentence to stderr. */
int bpf_coverage_report_all(const char *dir);

#endif
