// SPDX-License-Identifier: GPL-2.0-only
/* From an input that failed to a test of a few lines that fails. */
#include "fuzz/parts.h"

/* ---- signatures ---- */

#define DIED "SchedulerDied: "
#define INVARIANT "Invariant: "

/* Details that name a failure better than the first failed check, and where the name ends. */
static const struct {
	const char *begin, *end;
} names[] = { { DIED, ";(" }, { INVARIANT, ";" } };

char *fuzz_signature(const char *signature)
{
	const char *name = NULL, *value;
	size_t len = strcspn(signature, ":;");

	for (size_t i = 0; i < ARRAY_SIZE(names) && !name; i++) {
		name = strstr(signature, names[i].begin);
		if (name)
			len = strcspn(name, names[i].end);
	}
	name = name ? name : signature;
	/* Cut off the values of variables, which differ between runs. */
	value = str_starts(name, INVARIANT) ? strstr(name, " does not hold") : NULL;
	if (value && (size_t)(value - name) < len)
		len = (size_t)(value - name);
	while (len && name[len - 1] == ' ')
		len--;
	return strndup(name, len);
}

bool fuzz_is_invalid(const char *signature)
{
	return !strstr(signature, DIED) && (strstr(signature, "step # failed: ") ||
					    strstr(signature, "Backdrop setup failed: "));
}

bool fuzz_trial_is_same(const struct trial *t, const char *signature)
{
	_free_ char *own = fuzz_trial_has_failed(t) ? fuzz_signature(t->signature) : NULL;

	return own && str_eq(own, signature);
}

/* ---- adding failures ---- */

static struct fuzz_failure *find(struct fuzz *f, const char *signature)
{
	for (size_t i = 0; i < f->failures.count; i++)
		if (str_eq(f->failures.items[i].signature, signature))
			return &f->failures.items[i];
	return NULL;
}

static bool is_known(const struct fuzz *f, const char *signature)
{
	for (size_t i = 0; i < f->options->muted_count; i++)
		if (strstr(signature, f->options->muted[i]))
			return true;
	return texts_has(&f->corpus.known, signature);
}

static void tell(const struct fuzz *f, const struct fuzz_failure *failure)
{
	if (failure->file)
		log_note("%s: run %llu failed: %s; wrote %s", f->options->label,
			 ULL(failure->first_run), failure->signature, failure->file);
	else
		log_note("%s: run %llu failed: %s; no test of its own fails in the same way",
			 f->options->label, ULL(failure->first_run), failure->signature);
}

static struct fuzz_failure take_failure(struct fuzz_failure *failure)
{
	struct fuzz_failure taken = *failure;

	*failure = (struct fuzz_failure){};
	return taken;
}

static int work_out(struct fuzz *f, struct fuzz_failure *failure)
{
	struct fuzz_input whole = failure->input;
	int rc = fuzz_shrink(f, failure);

	if (rc == 0)
		rc = fuzz_write_test(f, failure);
	if (rc == 0 && !failure->file) {
		failure->input = whole;
		rc = fuzz_write_test(f, failure);
	}
	if (rc == 0)
		rc = fuzz_corpus_add_failure(&f->corpus, &failure->input, failure->signature);
	if (rc == 0)
		tell(f, failure);
	return rc;
}

void fuzz_failure_finish(struct fuzz_failure *failure)
{
	free(failure->signature);
	free(failure->text);
	free(failure->file);
	free(failure->trace);
	free(failure->explanation);
	free(failure->before.items);
	*failure = (struct fuzz_failure){};
}

/* A failure that is known already is only counted. */
static int add_one(struct fuzz *f, struct fuzz_failure *failure, bool *is_done)
{
	struct fuzz_failure *old = find(f, failure->signature);

	*is_done = old;
	if (old)
		old->runs++;
	failure->is_known = !old && is_known(f, failure->signature);
	if (!failure->is_known)
		return 0;
	*is_done = true;
	return vec_push(&f->failures, take_failure(failure));
}

/*
 * Adds the input to the corpus: a later campaign runs the corpus first, and finds the
 * failure again.
 */
static int put_off(struct fuzz *f, const struct fuzz_input *in)
{
	static const uint64_t own[FUZZ_OWN];
	int rc = fuzz_corpus_add(&f->corpus, in, own);

	return rc < 0 ? rc : -EINTR;
}

/* Puts off the input that failed or, if that is unknown, all of the chain. */
static int put_off_chain(struct fuzz *f, const struct fuzz_chain *c)
{
	bool ends_with_it = c->ended < c->count;
	int rc = -EINTR;

	for (size_t i = ends_with_it ? c->ended : 0; i < c->count && rc == -EINTR; i++) {
		if (c->entries[i] == FUZZ_NEW)
			rc = put_off(f, &c->inputs[i]);
		if (ends_with_it)
			break;
	}
	return rc;
}

/* Uses the signature of the run in a guest of its own, which may differ from that in the chain. */
static int add_confirmed(struct fuzz *f, struct fuzz_failure *failure)
{
	bool is_done;
	int rc = add_one(f, failure, &is_done), pushed;

	if (rc < 0 || is_done)
		return rc;
	rc = work_out(f, failure);
	failure->is_put_off = rc == -EINTR;
	if (failure->is_put_off)
		rc = put_off(f, &failure->input);
	if (rc < 0 && rc != -EINTR)
		return rc;
	pushed = vec_push(&f->failures, take_failure(failure));
	return pushed < 0 ? pushed : rc;
}

int fuzz_failure_add(struct fuzz *f, const struct fuzz_chain *chain, const struct trial *t)
{
	_cleanup_(fuzz_failure_finish) struct fuzz_failure failure = { .runs = 1,
								       .first_run = f->runs };
	bool is_done, is_confirmed;
	int rc;

	failure.signature = fuzz_signature(t->signature);
	failure.text = strdup(t->text ? t->text : "");
	if (!failure.signature || !failure.text)
		return err_no_memory();
	rc = add_one(f, &failure, &is_done);
	if (rc < 0 || is_done)
		return rc;
	rc = fuzz_isolate(f, chain, &failure, &is_confirmed);
	if (rc == -EINTR)
		rc = put_off_chain(f, chain);
	if (rc == 0 && !is_confirmed)
		f->unconfirmed++;
	return rc < 0 || !is_confirmed ? rc : add_confirmed(f, &failure);
}
