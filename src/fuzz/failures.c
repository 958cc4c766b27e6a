// SPDX-License-Identifier: GPL-2.0-only
/* From an input that failed to a test of a few lines that fails. */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/err.h"
#include "base/file.h"
#include "base/log.h"
#include "base/util.h"
#include "fuzz/parts.h"

#define MAX_TRIES 60	/* smaller forms of a failure that are run */
#define AT_ONCE 2	/* of them */
#define SEEDS_TRIED 8	/* of a test until it fails */
#define MAX_FILES 10000 /* fuzz-N.c */

/* ---- signatures ---- */

#define DIED "SchedulerDied: "

char *fuzz_signature(const char *signature)
{
	const char *died = strstr(signature, DIED);
	size_t len = died ? strcspn(died, ";(") : strcspn(signature, ":;");

	while (len && (died ? died : signature)[len - 1] == ' ')
		len--;
	return strndup(died ? died : signature, len);
}

bool fuzz_is_invalid(const char *signature)
{
	return !strstr(signature, DIED) && (strstr(signature, "step # failed: ") ||
					    strstr(signature, "Backdrop setup failed: "));
}

static bool is_same(const struct trial *t, const char *signature)
{
	_free_ char *own = trial_has_failed(t) && !fuzz_is_invalid(t->signature) ?
				   fuzz_signature(t->signature) :
				   NULL;

	return own && str_eq(own, signature);
}

/* ---- shrinking ---- */

/* As many forms from *n on as run at once, but none that is no smaller after all. */
static void fill_batch(const struct fuzz_input *best, unsigned int *n, size_t limit,
		       struct fuzz_batch *b)
{
	for (struct fuzz_input form; b->count < limit && fuzz_input_smaller(best, *n, &form); ++*n)
		if (fuzz_input_is_smaller(&form, best))
			b->inputs[b->count++] = form;
}

/* Goes on to the first of them that fails in the same way. */
static int try_batch(struct fuzz *f, struct fuzz_batch *b, struct fuzz_failure *failure,
		     bool *is_taken)
{
	int rc = fuzz_batch_run(f, b);

	*is_taken = false;
	failure->tries += (unsigned int)b->count;
	f->shrinking += b->count;
	for (size_t i = 0; i < b->count && rc == 0 && !*is_taken; i++) {
		*is_taken = is_same(&b->trials[i], failure->signature);
		if (*is_taken)
			failure->input = b->inputs[i];
	}
	return rc;
}

/* One pass over all smaller forms, again and again until there is none. */
static int shrink(struct fuzz *f, struct fuzz_failure *failure)
{
	bool is_changed = true;
	int rc = 0;

	while (is_changed && rc == 0) {
		unsigned int n = 0;

		is_changed = false;
		while (rc == 0 && failure->tries < MAX_TRIES && clock_mono_ns() < f->deadline_ns) {
			struct fuzz_batch b = {};
			bool is_taken = false;

			fill_batch(&failure->input, &n, AT_ONCE, &b);
			if (!b.count)
				break;
			rc = try_batch(f, &b, failure, &is_taken);
			is_changed |= is_taken;
			if (is_taken)
				n = n > b.count ? n - (unsigned int)b.count : 0;
			fuzz_batch_finish(&b);
		}
	}
	return rc;
}

/* ---- the test ---- */

static int next_file(char **path, unsigned int *number)
{
	for (*number = 1; *number < MAX_FILES; ++*number) {
		_free_ char *name = str_fmt("fuzz-%u.c", *number);

		if (!name)
			return err_no_memory();
		if (access(name, F_OK) == 0)
			continue;
		*path = take_ptr(&name);
		return 0;
	}
	return err_set(EEXIST, "there are %d files fuzz-N.c already", MAX_FILES);
}

static int write_test(struct fuzz *f, const struct fuzz_failure *failure, unsigned int number,
		      const char *path)
{
	_free_ char *name = str_fmt("fuzz_%u", number);
	_str_ struct str text = {};
	struct fuzz_program p = { .name = name,
				  .scheduler = f->scheduler,
				  .args = f->options->args,
				  .arg_count = f->options->arg_count,
				  .why = failure->signature };
	int rc;

	if (!name)
		return err_no_memory();
	fuzz_input_add_c(&failure->input, &p, &text);
	rc = str_check(&text);
	return rc < 0 ? rc : file_replace(path, text.s, text.len, 0644);
}

/* The file as `ktstr test` would run it. */
static int run_test(struct fuzz *f, const struct fuzz_failure *failure, const char *path,
		    bool *is_failing)
{
	struct lab_request request = { .label = f->options->label,
				       .words = &path,
				       .word_count = 1,
				       .kernel = f->options->kernel,
				       .no_perf_mode = f->options->no_perf_mode,
				       .is_quiet = f->options->is_quiet,
				       .knobs = RUN_KNOBS_DEFAULT };
	_lab_ struct lab lab = {};
	struct trial *t = calloc(1, sizeof(*t));
	int rc = t ? lab_open(&lab, &request) : err_no_memory();

	if (rc == 0) {
		*t = (struct trial){ .seed = failure->input.seed, .knobs = &request.knobs };
		rc = lab_run(&lab, t, 1, &(struct lab_watch){});
	}
	*is_failing = rc == 0 && is_same(t, failure->signature);
	trials_finish(t, 1);
	f->shrinking++;
	return rc;
}

/* Another program is another run of sim: the failure may need another seed there. */
static int confirm(struct fuzz *f, struct fuzz_failure *failure)
{
	_free_ char *path = NULL;
	uint32_t seed = failure->input.seed;
	unsigned int number;
	bool is_failing = false;
	int rc = next_file(&path, &number);

	for (uint32_t i = 0; i < SEEDS_TRIED && rc == 0 && !is_failing; i++) {
		failure->input.seed = i ? i : seed;
		rc = write_test(f, failure, number, path);
		if (rc == 0)
			rc = run_test(f, failure, path, &is_failing);
	}
	if (is_failing)
		failure->file = take_ptr(&path);
	else if (path)
		unlink(path);
	return rc;
}

/* ---- all of it ---- */

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
			 (unsigned long long)failure->first_run, failure->signature, failure->file);
	else
		log_note("%s: run %llu failed: %s; no test of its own fails in the same way",
			 f->options->label, (unsigned long long)failure->first_run,
			 failure->signature);
}

static int work_out(struct fuzz *f, struct fuzz_failure *failure)
{
	struct fuzz_input whole = failure->input;
	int rc = shrink(f, failure);

	if (rc == 0)
		rc = confirm(f, failure);
	if (rc == 0 && !failure->file) {
		failure->input = whole;
		rc = confirm(f, failure);
	}
	if (rc == 0)
		rc = fuzz_corpus_add_failure(&f->corpus, &failure->input, failure->signature);
	if (rc == 0)
		tell(f, failure);
	return rc;
}

int fuzz_failure_add(struct fuzz *f, const struct fuzz_input *in, const struct trial *t)
{
	struct fuzz_failure failure = { .input = *in, .runs = 1, .first_run = f->runs };
	struct fuzz_failure *old;
	int rc;

	failure.signature = fuzz_signature(t->signature);
	old = failure.signature ? find(f, failure.signature) : NULL;
	if (old) {
		old->runs++;
		free(failure.signature);
		return 0;
	}
	failure.text = strdup(t->text ? t->text : "");
	rc = failure.signature && failure.text ? 0 : err_no_memory();
	failure.is_known = rc == 0 && is_known(f, failure.signature);
	if (rc == 0 && !failure.is_known)
		rc = work_out(f, &failure);
	if (rc == 0 || rc == -EINTR) {
		int pushed = vec_push(&f->failures, failure);

		return pushed < 0 ? pushed : rc;
	}
	free(failure.signature);
	free(failure.text);
	return rc;
}
