/* SPDX-License-Identifier: GPL-2.0-only */
/* Judges a run of a payload: its metrics and its checks. */
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
	bool is_judged;	  /* there was a check that could be evaluated */
	char *undecided;  /* why it can neither pass nor fail, or NULL */
	char *extraction; /* KTSTR_OUT_LLM: request to the host */
};

/* Returns -EINVAL with the payload and the field if a declaration makes no sense. */
int payload_validate(const struct ktstr_payload *p, const struct ktstr_payload_options *options);

/* Fails only if out of memory. */
int payload_judge(const struct ktstr_payload *p, const struct ktstr_payload_options *options,
		  const struct payload_output *output, struct payload_judgement *to);
void payload_judgement_finish(struct payload_judgement *j);

/*
 * Evaluates the metric checks of a list, which ends with END or is NULL; sets judged if
 * there was one.
 */
int payload_check_metrics(const struct ktstr_check *checks, const struct payload_metrics *metrics,
			  struct texts *failures, bool *judged);

int payload_message(struct texts *to, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

static inline const char *payload_name(const struct ktstr_payload *p)
{
	return p->name ? p->name : p->binary;
}

/*
 * Extracts metrics from prose, by a language model. The model does not fit in a guest: the
 * guest writes a request with all that is needed, and the host executes it after the run
 * with the program that KTSTR_LLM_CMD names. That gets the model's path as its last
 * argument and the prompt on stdin, and prints JSON.
 */

/* More output than fits in a model's context. */
#define EXTRACT_MAX_TEXT (64 << 10)

/* A request to the host, with everything it needs from the guest. */
struct extract_request {
	const char *payload, *hint, *out, *err;
	uint32_t run_index;
	VEC(struct ktstr_metric_hint) hints; /* both end with an empty one after reading */
	VEC(struct ktstr_check) checks;
	bool has_bounds;
	struct ktstr_metric_bounds bounds;
};

/* Returns -EINVAL with the position. The text is modified. */
int extract_request_read(struct extract_request *q, char *text, size_t len);
void extract_request_finish(struct extract_request *q);

/* Writes the request as JSON, to be freed. */
int extraction_request(const struct ktstr_payload *p, const struct payload_output *output,
		       char **request);

struct extraction {
	char *payload;
	unsigned int run_index;
	struct payload_judgement judgement;
	char *units; /* memory of the metrics' units */
};

/*
 * Executes the request. If the model gives no answer, the judgement is undecided, with a
 * message; only a malformed request and running out of memory are errors. The request's
 * text is modified.
 */
int extraction_run(char *request, size_t len, const char *model_path, struct extraction *to);
void extraction_finish(struct extraction *e);

#endif
