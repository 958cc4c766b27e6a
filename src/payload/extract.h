/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Metrics out of prose, by a language model. The model does not fit a guest: there a
 * request is written that has all it takes, and the host carries it out after the run
 * with the program that KTSTR_LLM_CMD names: it gets the model's path as its last
 * argument and the prompt on stdin, and prints JSON.
 */
#ifndef KTSTR_PAYLOAD_EXTRACT_H
#define KTSTR_PAYLOAD_EXTRACT_H

#include <ktstr/payload.h>

#include "payload/judge.h"

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
