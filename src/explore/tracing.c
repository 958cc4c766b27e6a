// SPDX-License-Identifier: GPL-2.0-only
/* Traces a recorded run, or a run that is made twice. */
#include "explore/explore.h"

static int run_one(struct lab *l, struct trial *t)
{
	struct lab_watch watch = {};
	int rc = lab_run(l, t, 1, &watch);

	if (rc == 0 && t->status == TEST_SKIPPED)
		rc = err_set(EINVAL, "nothing ran: %s", t->text ? t->text : "the test was skipped");
	if (rc == 0 && !*t->digest)
		rc = err_set(EIO, "the guest said nothing that could be compared");
	return rc;
}

/* Does not remove what is not a regular file: /dev/stdout, a pipe. */
static void remove_trace(const char *path)
{
	struct stat st;

	if (lstat(path, &st) == 0 && S_ISREG(st.st_mode))
		unlink(path);
}

static int refuse(const struct tracing_options *o, const struct trial *t, bool is_of_record)
{
	remove_trace(o->output);
	if (is_of_record)
		return err_set(EIO,
			       "this run differs from the recorded one (digest %.16s, now "
			       "%.16s): no trace was written; ktstr replay tells what differs",
			       o->digest, t->digest);
	return err_set(EIO,
		       "two runs of seed %llu were not the same (digest %.16s, with the tracer "
		       "%.16s): no trace was written",
		       ULL(o->seed), o->digest, t->digest);
}

static struct trial *new_trial(const struct lab *l, const struct tracing_options *o,
			       const char *trace)
{
	struct trial *t = calloc(1, sizeof(*t));

	if (t)
		*t = (struct trial){ .seed = o->seed, .knobs = &l->options.knobs, .trace = trace };
	return t;
}

static int trace_and_compare(struct lab *l, const struct tracing_options *o, bool is_of_record)
{
	struct trial *t = new_trial(l, o, o->output);
	int rc = t ? run_one(l, t) : err_no_memory();

	if (rc == 0 && !str_eq(t->digest, o->digest))
		rc = refuse(o, t, is_of_record);
	if (rc == 0)
		printf("%s: %s, seed %llu, which %s; digest %.16s with and without the tracer\n",
		       o->output, lab_variant(l)->name, ULL(o->seed),
		       trial_has_failed(t) ? "failed" : "passed", t->digest);
	trials_finish(t, 1);
	return rc;
}

int tracing_run(struct lab *l, const struct tracing_options *o)
{
	struct tracing_options again = *o;
	struct trial *plain;
	int rc;

	if (o->digest)
		return trace_and_compare(l, o, true);
	plain = new_trial(l, o, NULL);
	rc = plain ? run_one(l, plain) : err_no_memory();
	if (rc == 0) {
		again.digest = plain->digest;
		rc = trace_and_compare(l, &again, false);
	}
	trials_finish(plain, 1);
	return rc;
}
