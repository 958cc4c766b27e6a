/* SPDX-License-Identifier: GPL-2.0-only */
/* What a run of a payload comes to: its metrics, and what its checks say. */
#ifndef KTSTR_PAYLOAD_JUDGE_H
#define KTSTR_PAYLOAD_JUDGE_H

#include <ktstr/ktstr.h>

#include "payload/metrics.h"
#include "payload/run.h"

struct payload_judgement {
	struct payload_metrics metrics;
	struct texts failures;
	struct texts notes;
	bool is_judged;	  /* a check was there and could be evaluated */
	char *undecided;  /* why it can neither pass nor fail, or NULL */
	char *extraction; /* KTSTR_OUT_LLM: what the host has to do (payload/extract.h) */
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

#endif
