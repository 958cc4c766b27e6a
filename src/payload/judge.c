// SPDX-License-Identifier: GPL-2.0-only
/* Checks of payloads, and their messages. */
#include "payload/payload.h"

#include <math.h>

#define STDERR_TAIL 1024

int payload_message(struct texts *to, const char *fmt, ...)
{
	_str_ struct str text = {};

	str_add_rest(&text, fmt);
	return texts_take(to, str_take(&text));
}

void payload_judgement_finish(struct payload_judgement *j)
{
	metrics_finish(&j->metrics);
	texts_finish(&j->failures);
	texts_finish(&j->notes);
	free(j->undecided);
	free(j->extraction);
	*j = (struct payload_judgement){};
}

/* ---- declarations ---- */

static int check_hints(const struct ktstr_payload *p)
{
	const struct ktstr_metric_hint *hints = p->metrics;

	for (size_t i = 0; hints && hints[i].name; i++) {
		for (size_t k = 0; k < i; k++)
			if (str_eq(hints[i].name, hints[k].name))
				return err_set(EINVAL,
					       "payload '%s' declares the metric '%s' twice",
					       payload_name(p), hints[i].name);
		if (hints[i].polarity == KTSTR_TARGET && !isfinite(hints[i].target))
			return err_set(EINVAL, "payload '%s': the target of '%s' is not finite",
				       payload_name(p), hints[i].name);
	}
	return 0;
}

static int check_checks(const struct ktstr_payload *p, const struct ktstr_check *checks,
			bool is_run_time)
{
	for (const struct ktstr_check *c = checks; c && c->kind != KTSTR_CHECK_END; c++) {
		if (c->kind != KTSTR_CHECK_EXIT_EQ && !c->metric)
			return err_set(EINVAL, "payload '%s' has a check without a metric",
				       payload_name(p));
		if (!isfinite(c->low) || !isfinite(c->high))
			return err_set(EINVAL, "payload '%s': a bound of '%s' is not finite",
				       payload_name(p), c->metric ? c->metric : "exit code");
		if (is_run_time && p->output == KTSTR_OUT_LLM && c->kind != KTSTR_CHECK_EXIT_EQ)
			return err_set(EINVAL,
				       "payload '%s' has its metrics extracted after the run: put "
				       "the check of '%s' into its declaration",
				       payload_name(p), c->metric);
	}
	return 0;
}

/* "--x=y" is known if "x" is. */
static bool is_known_flag(const char *const *known, const char *arg)
{
	const char *name = arg + 2;
	size_t len = strcspn(name, "=");

	for (size_t i = 0; known[i]; i++) {
		const char *flag = known[i] + (str_starts(known[i], "--") ? 2 : 0);

		if (strlen(flag) == len && strncmp(flag, name, len) == 0)
			return true;
	}
	return false;
}

static int check_flags(const struct ktstr_payload *p, const char *const *args)
{
	for (size_t i = 0; p->known_flags && args && args[i]; i++) {
		if (!str_starts(args[i], "--") || str_eq(args[i], "--"))
			continue;
		if (!is_known_flag(p->known_flags, args[i]))
			return err_set(EINVAL, "payload '%s' does not know the flag '%s'",
				       payload_name(p), args[i]);
	}
	return 0;
}

int payload_validate(const struct ktstr_payload *p, const struct ktstr_payload_options *options)
{
	int rc;

	if (!p->binary || !*p->binary)
		return err_set(EINVAL, "payload '%s' names no binary", p->name ? p->name : "");
	rc = check_hints(p) ?: check_checks(p, p->checks, false);
	if (rc == 0 && options)
		rc = check_checks(p, options->checks, true);
	if (rc == 0 && options)
		rc = check_flags(p, options->extra_args);
	return rc;
}

/* ---- judging ---- */

static int exit_mismatch(const struct ktstr_check *c, const struct payload_output *o,
			 struct texts *failures)
{
	size_t cut = o->err.len > STDERR_TAIL ? o->err.len - STDERR_TAIL : 0;

	if (!o->err.len)
		return payload_message(failures, "payload exited with code %d, expected %d",
				       o->exit_code, c->code);
	return payload_message(failures, "payload exited with code %d, expected %d; stderr:\n%s%s",
			       o->exit_code, c->code, cut ? "..." : "", o->err.s + cut);
}

/*
 * Returns 1 if an exit code was expected and matches, 0 if none was expected, -EBADMSG
 * after a mismatch was reported.
 */
static int check_exit(const struct ktstr_check *checks, const struct payload_output *o,
		      struct texts *failures)
{
	int matched = 0;

	for (const struct ktstr_check *c = checks; c && c->kind != KTSTR_CHECK_END; c++) {
		if (c->kind != KTSTR_CHECK_EXIT_EQ)
			continue;
		if (c->code != o->exit_code) {
			int rc = exit_mismatch(c, o, failures);

			return rc ?: -EBADMSG;
		}
		matched = 1;
	}
	return matched;
}

static void add_bound(struct str *text, const struct ktstr_check *c)
{
	if (c->kind == KTSTR_CHECK_MIN) {
		str_add(text, " below minimum ");
		metrics_add_number(text, c->low);
	} else if (c->kind == KTSTR_CHECK_MAX) {
		str_add(text, " exceeds maximum ");
		metrics_add_number(text, c->high);
	} else {
		str_add(text, " outside [");
		metrics_add_number(text, c->low);
		str_add(text, ", ");
		metrics_add_number(text, c->high);
		str_addc(text, ']');
	}
}

static bool is_within(const struct ktstr_check *c, double value)
{
	if (c->kind != KTSTR_CHECK_MAX && c->kind != KTSTR_CHECK_EXISTS && value < c->low)
		return false;
	if (c->kind != KTSTR_CHECK_MIN && c->kind != KTSTR_CHECK_EXISTS && value > c->high)
		return false;
	return true;
}

static int check_metric(const struct ktstr_check *c, const struct payload_metrics *metrics,
			struct texts *failures)
{
	const struct payload_metric *m = metrics_find(metrics, c->metric);
	_str_ struct str text = {};

	if (!m)
		return payload_message(failures, "metric '%s' not found in payload output",
				       c->metric);
	if (is_within(c, m->value))
		return 0;
	str_addf(&text, "metric '%s' = ", c->metric);
	metrics_add_number(&text, m->value);
	add_bound(&text, c);
	return payload_message(failures, "%s", str_get(&text));
}

int payload_check_metrics(const struct ktstr_check *checks, const struct payload_metrics *metrics,
			  struct texts *failures, bool *judged)
{
	int rc = 0;

	for (const struct ktstr_check *c = checks; c && c->kind != KTSTR_CHECK_END && rc == 0;
	     c++) {
		if (c->kind == KTSTR_CHECK_EXIT_EQ)
			continue;
		*judged = true;
		rc = check_metric(c, metrics, failures);
	}
	return rc;
}

static int note_output(const struct ktstr_payload *p, const struct ktstr_payload_options *options,
		       const struct payload_output *o, struct texts *notes)
{
	int rc = 0;

	if (o->has_timed_out && options)
		rc = payload_message(notes,
				     "payload '%s' did not end within %llu ms and was killed",
				     payload_name(p), ULL(options->timeout_ms));
	if (rc == 0 && o->is_out_cut)
		rc = payload_message(notes, "stdout of payload '%s' was cut at %d MiB",
				     payload_name(p), PAYLOAD_MAX_OUTPUT >> 20);
	if (rc == 0 && o->is_err_cut)
		rc = payload_message(notes, "stderr of payload '%s' was cut at %d MiB",
				     payload_name(p), PAYLOAD_MAX_OUTPUT >> 20);
	return rc;
}

static int read_output(const struct ktstr_payload *p, const struct payload_output *o,
		       struct payload_judgement *to)
{
	int rc;

	switch (p->output) {
	case KTSTR_OUT_JSON:
		return metrics_from_output(&to->metrics, &o->out, &o->err);
	case KTSTR_OUT_TEXT:
		return metrics_from_known_output(&to->metrics, &o->out, &o->err);
	case KTSTR_OUT_LLM: /* a known format needs no model */
		rc = metrics_from_text(&to->metrics, str_get(&o->out), o->out.len, "stdout");
		if (rc == -ENOENT)
			rc = metrics_from_text(&to->metrics, str_get(&o->err), o->err.len,
					       "stderr");
		return rc == -ENOENT ? extraction_request(p, o, &to->extraction) : rc;
	default:
		return 0;
	}
}

/* True if metrics are declared but the output has no known format. */
static bool lacks_metrics(const struct ktstr_payload *p, const struct payload_judgement *j)
{
	return p->output == KTSTR_OUT_TEXT && p->metrics && !j->metrics.count;
}

static int take_metrics(const struct ktstr_payload *p, const struct payload_output *o,
			struct payload_judgement *to)
{
	int rc = read_output(p, o, to);

	if (rc == 0 && to->metrics.is_cut)
		rc = payload_message(
			&to->notes,
			"payload '%s' printed more than %zu numbers; the rest is left out",
			payload_name(p), to->metrics.count);
	if (rc == 0 && lacks_metrics(p, to))
		rc = payload_message(&to->notes,
				     "payload '%s' printed no figures in a format that is known",
				     payload_name(p));
	metrics_apply_hints(&to->metrics, p->metrics);
	return rc;
}

/* Checks the exit codes of both lists before any metrics. */
static int check_all(const struct ktstr_check *const lists[static 2],
		     const struct payload_output *o, struct payload_judgement *to, bool has_metrics)
{
	int rc = 0;

	for (int i = 0; i < 2; i++) {
		rc = check_exit(lists[i], o, &to->failures);
		if (rc < 0)
			return rc;
		to->is_judged |= rc > 0;
	}
	for (int i = 0; i < 2 && has_metrics; i++) {
		rc = payload_check_metrics(lists[i], &to->metrics, &to->failures, &to->is_judged);
		if (rc < 0)
			return rc;
	}
	return 0;
}

/* Without any check, only success has a meaning. */
static int judge_without_checks(const struct ktstr_payload *p, const struct payload_output *o,
				struct payload_judgement *to)
{
	if (to->is_judged || to->extraction)
		return 0;
	if (o->exit_code == 0) {
		to->is_judged = true;
		return 0;
	}
	to->undecided = str_fmt("payload '%s' exited with code %d and declares no check",
				payload_name(p), o->exit_code);
	return to->undecided ? 0 : err_no_memory();
}

int payload_judge(const struct ktstr_payload *p, const struct ktstr_payload_options *options,
		  const struct payload_output *output, struct payload_judgement *to)
{
	const struct ktstr_check *const lists[2] = {
		options && options->clear_checks ? NULL : p->checks,
		options ? options->checks : NULL,
	};
	int rc;

	*to = (struct payload_judgement){};
	rc = note_output(p, options, output, &to->notes) ?: take_metrics(p, output, to);
	rc = rc ?: check_all(lists, output, to, !to->extraction);
	if (rc == -EBADMSG) { /* reported as failure; there is nothing to extract either */
		free(take_ptr(&to->extraction));
		to->is_judged = true;
		return 0;
	}
	rc = rc ?: judge_without_checks(p, output, to);
	if (rc < 0)
		payload_judgement_finish(to);
	return rc;
}
