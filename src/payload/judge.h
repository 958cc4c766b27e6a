/* SPDX-License-Identifier: GPL-2.0-only */
/* What a run of a payload comes to: its metrics, and what its checks say. */
#ifndef KTSTR_PAYLOAD_JUDGE_H
#define KTSTR_PAYLOAD_JUDGE_H

#include <ktstr/ktstr.h>
#include <ktstr/payload.h>

#include "payload/metrics.h"
#include "payload/run.h"

struct payload_judgement {
	struct payload_metrics metrics;
	struct texts failures;
	struct texts notes;
	bool is_judged;	  /* a check was there and could be evaluated */
	char *undecided;  /* why it can neither pass nor fail, or NULL */
	char *extraction; /* KTSTR_OUT_LLM: what the host has to do */
};

/* Declarations that cannot be meant: -EINVAL with the payload and the field. */
int payload_validate(const struct ktstr_payload *p, const struct ktstr_payload_options *options);

/* Only running out of memory is an error. */
int payload_judge(const struct ktstr_payload *p, const struct ktstr_payload_options *options,
		  const struct payload_output *output, struct payload_judgement *to);
void payload_judgement_finish(struct payload_judgement *j);

/* The metric checks of a list, END or NULL last; judged is set when there was one. */
int payload_check_metrics(const struct ktstr_check *checks, const struct payload_metrics *metrics,
			  struct texts *failures, bool *judged);

int payload_message(struct texts *to, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

static inline const char *payload_name(const struct ktstr_payload *p)
{
	return p->name ? p->name : p->binary;
}

/*
 * Metrics out of prose, by a language model. The model does not fit a guest: there a
 * request is written that has all it takes, and the host carries it out after the run
 * with the program that KTSTR_LLM_CMD names: it gets the model's path as its last
 * argument and the prompt on stdin, and prints JSON.
 */

/* More output than any context takes. */
#define EXTRACT_MAX_TEXT (64 << 10)

/* What the host is asked to do: everything it needs, out of the guest. */
struct extract_request {
	const char *payload, *hint, *out, *err;
	uint32_t run_index;
	VEC(struct ktstr_metric_hint) hints; /* both end with an empty one after reading */
	VEC(struct ktstr_check) checks;
	bool has_bounds;
	struct ktstr_metric_bounds bounds;
};

/* -EINVAL with the place. The text is changed. */
int extract_request_read(struct extract_request *q, char *text, size_t len);
void extract_request_finish(struct extract_request *q);

/* The request as a JSON text, to be freed. */
int extraction_request(const struct ktstr_payload *p, const struct payload_output *output,
		       char **request);

struct extraction {
	char *payload;
	unsigned int run_index;
	struct payload_judgement judgement;
	char *units; /* memory of the metrics' units */
};

/*
 * Carries it out. What the model could not give is undecided in the judgement, with a
 * sentence; only a malformed request and running out of memory are errors. The request's
 * text is changed.
 */
int extraction_run(char *request, size_t len, const char *model_path, struct extraction *to);
void extraction_finish(struct extraction *e);

#endif
