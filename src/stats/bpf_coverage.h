/* SPDX-License-Identifier: GPL-2.0-only */
/* Reports of which lines of BPF programs were executed. */
#ifndef KTSTR_STATS_BPF_COVERAGE_H
#define KTSTR_STATS_BPF_COVERAGE_H

#include "run/report.h"
#include "watch/cover.h"

/* A line of a file, of all functions that it is part of together. */
struct bpf_source_line {
	uint32_t line;
	uint64_t count;
	const char *text;
	unsigned int branches, both_ways; /* conditional jumps that were executed */
};

struct bpf_source {
	const char *file;
	VEC(struct bpf_source_line) lines; /* by number */
	size_t executed, branches, both_ways;
};

struct bpf_sources {
	VEC(struct bpf_source) items;
	size_t lines, executed;
};

/* ignore: regular expression of files that are left out, or NULL; -EINVAL when it is none. */
int bpf_sources_make(struct bpf_sources *s, const struct bpf_cover *c, const char *ignore);
void bpf_sources_finish(struct bpf_sources *s);

#define _bpf_sources_ _cleanup_(bpf_sources_finish)

/* The formats, of which the table also has programs. */
int bpf_coverage_table(const struct bpf_sources *s, const struct bpf_cover *c, struct str *out);
int bpf_coverage_lcov(const struct bpf_sources *s, const struct bpf_cover *c, struct str *out);
int bpf_coverage_text(const struct bpf_sources *s, const struct bpf_cover *c, struct str *out);
int bpf_coverage_html(const struct bpf_sources *s, const struct bpf_cover *c, struct str *out);

/* The file as it is on disk, line by line; without it, or where it is another, what is known. */
typedef void bpf_line_fn(void *ctx, uint32_t number, const char *text,
			 const struct bpf_source_line *line);
int bpf_source_walk(const struct bpf_source *s, bpf_line_fn *fn, void *ctx);

/*
 * All runs of a directory as one report. -ENOENT with a message when none of their programs has
 * line info.
 */
int bpf_coverage_report(const char *dir, const struct coverage_report *report);

/* lcov.info, coverage.json and index.html into the directory, and a sentence on stderr. */
int bpf_coverage_report_all(const char *dir);

#endif
