/* SPDX-License-Identifier: GPL-2.0-only */
/* Payloads: runs them, and judges their metrics and checks. */
#ifndef KTSTR_PAYLOAD_PAYLOAD_H
#define KTSTR_PAYLOAD_PAYLOAD_H

#include <ktstr/ktstr.h>
#include <ktstr/payload.h>

#include "payload/metrics.h"

/*
 * Runs a foreign program: placed before its first instruction, in a process group of its
 * own, its output collected while it runs, killed when its time is up. A thread per program
 * does that, so that callers need not read the output.
 */

#define PAYLOAD_MAX_OUTPUT (16 << 20) /* per stream; the rest is read and dropped */

struct payload_output {
	int exit_code; /* 128 + signal when killed */
	bool has_timed_out, was_killed;
	unsigned int run_index; /* in this process, from 0 */
	struct str out, err;
	bool is_out_cut, is_err_cut;
};

struct payload_process;

/*
 * Starts it, in its place unless that is NULL. A program that cannot be executed is an error; the
 * message for a missing one names both reasons that the kernel may have.
 */
int payload_start(const struct ktstr_payload *p, const struct ktstr_payload_options *options,
		  const struct child_place *place, struct payload_process **out);

bool payload_has_ended(struct payload_process *p);
/* Kills the whole group, or only the process if it shares that of the caller. */
void payload_kill(struct payload_process *p);
/* Waits for its end, passes on the output, and frees the process. */
int payload_wait(struct payload_process *p, struct payload_output *to);
void payload_output_finish(struct payload_output *o);

/* The metrics of a run, and its checks. */

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
