// SPDX-License-Identifier: GPL-2.0-only
/*
 * Runs each seed in a process of its own, which does what `ktstr test` does, in a tree of
 * its own.
 */
#include "delta/parts.h"

#include <signal.h>

#include "run/campaign.h"

#define LOG_FILE "output.txt"
#define TAIL_BYTES 600
#define COMMIT_LEN 7
/* Differs from all exit statuses of a run. */
#define STATUS_BROKEN 125
#define POLL_US 20000

struct batch {
	const struct fresh_request *request;
	int side;
	const char *tree, *records;
};

struct runner_child {
	struct child child;
	uint64_t seed;
};

/* ---- in the child ---- */

static int enter(const struct batch *b, const char *dir)
{
	const struct fresh_side *side = &b->request->sides[b->side];
	_free_ char *path = str_fmt("%s/" LOG_FILE, dir);
	_close_ int fd = path ? open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644) : -1;
	_free_ char *commit = side->commit ? strndup(side->commit, COMMIT_LEN) : NULL;

	if (fd < 0 || dup2(fd, STDOUT_FILENO) < 0 || dup2(fd, STDERR_FILENO) < 0)
		return err_sys(errno, "write %s", path ? path : dir);
	if (b->tree && chdir(b->tree) < 0)
		return err_sys(errno, "enter %s", b->tree);
	/* The summary page of the job is for the comparison, not for each of its runs. */
	if (setenv("KTSTR_SIDECAR_DIR", dir, 1) < 0 || unsetenv("GITHUB_STEP_SUMMARY") < 0 ||
	    (commit && setenv("KTSTR_PROJECT_COMMIT", commit, 1) < 0))
		return err_no_memory();
	return 0;
}

static int run_tests(const struct batch *b, uint64_t seed)
{
	const struct fresh_side *side = &b->request->sides[b->side];
	struct runner_options options = b->request->options;
	_free_ char *built = NULL;

	options.seed = seed;
	options.scheduler = side->scheduler;
	if (b->request->binary) {
		built = str_fmt("%s/%s", b->tree ? b->tree : ".", b->request->binary);
		if (!built)
			return err_no_memory();
		options.scheduler = built;
	}
	options.knobs.scheduler = side->name;
	options.knobs.scheduler_args = side->args;
	options.knobs.scheduler_arg_count = side->arg_count;
	return runner_run(&options);
}

static _Noreturn void be_child(const struct batch *b, const char *dir, uint64_t seed)
{
	int rc = enter(b, dir) ?: run_tests(b, seed);

	if (rc < 0 && rc != -EINTR)
		fprintf(stderr, "error: %s\n", err_text(rc));
	fflush(NULL);
	_exit(rc == -EINTR ? RUN_EXIT_INTERRUPTED : rc < 0 ? STATUS_BROKEN : rc);
}

/* ---- in the parent ---- */

static char *seed_dir(const struct batch *b, uint64_t seed)
{
	return str_fmt("%s/" RUN_SEED_DIR "%llu", b->records, ULL(seed));
}

static int start(const struct batch *b, struct runner_child *c, uint64_t seed)
{
	_free_ char *dir = seed_dir(b, seed);
	int rc = dir ? file_make_dirs(dir, 0755) : err_no_memory();

	if (rc < 0)
		return rc;
	/* It ends with us, and unwinds. */
	*c = (struct runner_child){ { child_fork(SIGTERM, "start a run") }, seed };
	if (c->child.pid == 0)
		be_child(b, dir, seed);
	return MIN(c->child.pid, 0);
}

static int tell_broken(const struct batch *b, uint64_t seed, int status)
{
	_free_ char *dir = seed_dir(b, seed), *path = dir ? str_fmt("%s/" LOG_FILE, dir) : NULL;
	_str_ struct str text = {}, tail = {};

	if (!path || file_read(path, &text) < 0)
		return err_set(EIO, "side %c, seed %llu: the run ended with status %d",
			       'A' + b->side, ULL(seed), status);
	str_trim_end(&text);
	text_add_lines(&tail,
		       text.len > TAIL_BYTES ? text.s + text.len - TAIL_BYTES : str_get(&text));
	return err_set(EIO, "side %c, seed %llu: the run ended with status %d:\n%s", 'A' + b->side,
		       ULL(seed), status, str_get(&tail));
}

static int judge_status(const struct batch *b, uint64_t seed, int status)
{
	switch (status) {
	case RUN_EXIT_PASSED:
	case RUN_EXIT_FAILED:
	case RUN_EXIT_INCONCLUSIVE:
	case RUN_EXIT_NOTHING:
		return 0;
	case RUN_EXIT_INTERRUPTED:
		return -EINTR;
	default:
		return tell_broken(b, seed, status);
	}
}

static void stop_all(struct runner_child *children, size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (children[i].child.pid > 0)
			kill(children[i].child.pid, SIGTERM);
	for (size_t i = 0; i < count; i++)
		if (children[i].child.pid > 0)
			child_wait(&children[i].child, UINT64_MAX);
}

/* Returns 1 if it has ended. */
static int reap(const struct batch *b, struct runner_child *c)
{
	int status = child_wait(&c->child, 0), rc;

	if (status == -ETIMEDOUT)
		return 0;
	rc = status < 0 ? status : judge_status(b, c->seed, status);
	return rc < 0 ? rc : 1;
}

static void tell_start(const struct batch *b, size_t count)
{
	const char *what = b->request->sides[b->side].commit;

	if (!what)
		what = b->request->sides[b->side].scheduler;
	if (!b->request->is_quiet)
		log_note("%s: side %c, %.40s: %zu run%s", log_label(), 'A' + b->side,
			 what ? what : "", count, count == 1 ? "" : "s");
}

int fresh_run_batch(const struct fresh_request *r, int side, const char *tree, const char *records,
		    uint64_t first_seed, size_t count)
{
	const struct batch b = { .request = r, .side = side, .tree = tree, .records = records };
	size_t slots = r->is_sim ? MIN(MAX(r->jobs, 1), count) : 1, started = 0, done = 0;
	_free_ struct runner_child *children = calloc(slots, sizeof(*children));
	int rc = children ? 0 : err_no_memory();

	tell_start(&b, count);
	while (rc == 0 && done < count) {
		for (size_t i = 0; i < slots && rc == 0; i++) {
			if (!children[i].child.pid && started < count)
				rc = start(&b, &children[i], first_seed + started++);
			else if (children[i].child.pid)
				rc = reap(&b, &children[i]);
			done += rc > 0;
			rc = MIN(rc, 0);
		}
		rc = rc ?: interrupt_check();
		if (rc == 0 && done < count)
			usleep(POLL_US);
	}
	if (rc < 0 && children)
		stop_all(children, slots);
	return rc;
}
