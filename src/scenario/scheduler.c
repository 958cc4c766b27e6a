// SPDX-License-Identifier: GPL-2.0-only
/* The scheduler under test: whether it is alive, detaching it, starting it again. */
#include <poll.h>
#include <signal.h>
#include <sys/inotify.h>
#include <sys/wait.h>

#include "check/result.h"
#include "scenario/ctx.h"

#define POLL_MS 10
#define LIVENESS_POLL_MS 500

/* "123 (name) Z ...": dead, but not reaped yet by its parent. */
static bool is_zombie(const struct ktstr_ctx *ctx, pid_t pid)
{
	_str_ struct str stat = {};
	const char *name_end;

	if (root_read(ctx->roots.proc, &stat, "%d/stat", pid) < 0)
		return false;
	name_end = strrchr(str_get(&stat), ')');
	return name_end && str_starts(name_end, ") Z");
}

static bool has_process(struct ktstr_ctx *ctx)
{
	pid_t pid = ctx->scheduler.pid;

	if (ctx->scheduler.is_child && waitpid(pid, NULL, WNOHANG) != 0) {
		ctx->scheduler.is_child = false;
		return false;
	}
	if (kill(pid, 0) < 0 && errno == ESRCH)
		return false;
	return ctx->scheduler.is_child || !is_zombie(ctx, pid);
}

static bool is_enabled(const struct ktstr_ctx *ctx)
{
	_str_ struct str state = {};

	return root_read_line(ctx->roots.sys, &state, "kernel/sched_ext/state") == 0 &&
	       str_eq(str_get(&state), "enabled");
}

uint64_t ctx_scheduler_attachment(const struct ktstr_ctx *ctx)
{
	uint64_t seq = 0;

	if (!is_enabled(ctx))
		return 0;
	/* Older kernels have no such counter: assume that it is the same attachment. */
	root_read_u64(ctx->roots.sys, &seq, "kernel/sched_ext/enable_seq");
	return seq + 1;
}

/* A loader that pinned its link may exit. Only init sees its exit status, and reports a bad one. */
static bool is_pinned(const struct ktstr_ctx *ctx)
{
	return ctx->is_guest && is_enabled(ctx) && access(CTX_SCHEDULER_ENDED, F_OK) < 0;
}

/* A scheduler that the body started itself is watched here only. */
static bool is_watched_by_init(const struct ktstr_ctx *ctx)
{
	return ctx->is_guest && ctx->scheduler.pid && !ctx->scheduler.is_child;
}

bool ctx_scheduler_has_ended(const struct ktstr_ctx *ctx)
{
	return is_watched_by_init(ctx) && access(CTX_SCHEDULER_ENDED, F_OK) == 0;
}

bool ctx_scheduler_is_alive(struct ktstr_ctx *ctx)
{
	if (ctx_scheduler_has_ended(ctx))
		return false;
	return !ctx->scheduler.pid || has_process(ctx) || is_pinned(ctx);
}

void ctx_report_death(struct ktstr_result *res, const char *fmt, ...)
{
	_str_ struct str text = {};

	str_add_rest(&text, fmt);
	result_add(res, DETAIL_SCHEDULER_DIED, KTSTR_FAILED, "scheduler process died%s",
		   str_get(&text));
}

void ctx_report_death_now(const struct ktstr_ctx *ctx, struct ktstr_result *res)
{
	ctx_report_death(res, " unexpectedly during workload (%.1fs into test)",
			 ctx_elapsed_s(ctx));
}

/* Returns a descriptor that is readable when init reports something; -1 = init does not watch. */
static int open_watch(const struct ktstr_ctx *ctx)
{
	int fd = is_watched_by_init(ctx) ? inotify_init1(IN_CLOEXEC | IN_NONBLOCK) : -1;

	if (fd >= 0 && inotify_add_watch(fd, CTX_INIT_DIR, IN_MOVED_TO) < 0)
		cleanup_fd(&fd);
	return fd;
}

/* Other events in that directory are possible, but rare. */
static int wait_for_news(int fd, uint64_t until_ns)
{
	char events[1024];
	uint64_t now = clock_mono_ns(), left = until_ns - MIN(now, until_ns);
	const struct timespec timeout = { .tv_sec = (time_t)(left / NSEC_PER_SEC),
					  .tv_nsec = (long)(left % NSEC_PER_SEC) };

	if (ppoll(&(struct pollfd){ .fd = fd, .events = POLLIN }, 1, &timeout, NULL) > 0)
		while (read(fd, events, sizeof(events)) > 0)
			;
	return interrupt_check();
}

/*
 * The end of the scheduler wakes this up: workers that continue under another scheduler
 * would distort its figures.
 */
int ctx_wait_ms(struct ktstr_ctx *ctx, uint64_t ms)
{
	uint64_t look = clock_mono_ns(), until = look + ms * NSEC_PER_MSEC;
	_close_ int fd = open_watch(ctx);
	int rc = 0;

	while (rc == 0 && clock_mono_ns() < until) {
		if (ctx_scheduler_has_ended(ctx))
			return err_set(ESRCH, "the scheduler died");
		look = ctx->look_ms ? look + ctx->look_ms * NSEC_PER_MSEC : until;
		rc = fd < 0 ? ctx_sleep_until(MIN(look, until)) :
			      wait_for_news(fd, MIN(look, until));
	}
	return rc;
}

int ctx_hold(struct ktstr_ctx *ctx, uint64_t ms, struct ktstr_result *res)
{
	uint64_t until = clock_mono_ns() + ms * NSEC_PER_MSEC, now;
	int rc = 0;

	while (rc == 0 && (now = clock_mono_ns()) < until) {
		uint64_t left_ms = (until - now + NSEC_PER_MSEC - 1) / NSEC_PER_MSEC;

		rc = ctx_wait_ms(ctx, MIN(left_ms, LIVENESS_POLL_MS));
		if ((rc == 0 || rc == -ESRCH) && !ctx_scheduler_is_alive(ctx)) {
			ctx_report_death_now(ctx, res);
			return err_set(ESRCH, "the scheduler died");
		}
	}
	return rc;
}

/* Polls until is_done() returns nonzero (negative = error), or the timeout expires. */
static int wait_until(struct ktstr_ctx *ctx, int (*is_done)(struct ktstr_ctx *ctx),
		      const char *what)
{
	uint64_t until = clock_mono_ns() + ctx->attach_timeout_ms * NSEC_PER_MSEC;

	for (;;) {
		int rc = is_done(ctx);

		if (rc != 0)
			return rc < 0 ? rc : 0;
		if (clock_mono_ns() > until)
			return err_set(ETIMEDOUT, "%s did not %s within %.1f s",
				       ctx->scheduler.name, what,
				       (double)ctx->attach_timeout_ms / 1000);
		rc = ctx_sleep_ms(POLL_MS);
		if (rc < 0)
			return rc;
	}
}

static int has_gone(struct ktstr_ctx *ctx)
{
	return !has_process(ctx);
}

/* A kernel without sched_ext has nothing attached. */
static int is_detached(struct ktstr_ctx *ctx)
{
	_str_ struct str state = {};
	int rc = root_read_line(ctx->roots.sys, &state, "kernel/sched_ext/state");

	return rc < 0 || str_eq(str_get(&state), "disabled");
}

static int is_attached(struct ktstr_ctx *ctx)
{
	_str_ struct str state = {};
	int rc = root_read_line(ctx->roots.sys, &state, "kernel/sched_ext/state");

	if (rc < 0)
		return err_set(-rc, "attach %s: this kernel has no sched_ext", ctx->scheduler.name);
	if (!has_process(ctx))
		return err_set(ECHILD, "attach %s: it ended before it was attached",
			       ctx->scheduler.name);
	return str_eq(str_get(&state), "enabled");
}

/* Tells the process that started the scheduler that its end is intended. */
static int release(struct ktstr_ctx *ctx)
{
	const char *path = ctx->is_guest ? CTX_SCHEDULER_RELEASED :
					   env_get(CTX_SCHEDULER_RELEASED_VARIABLE);
	_close_ int fd = -1;

	if (!path || ctx->scheduler.is_child)
		return 0;
	fd = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0644);
	return fd < 0 ? err_sys(errno, "create %s", path) : 0;
}

int ctx_scheduler_detach(struct ktstr_ctx *ctx)
{
	pid_t pid = ctx->scheduler.pid;
	int rc;

	if (!pid)
		return err_set(EINVAL, "detach: no scheduler of ours is attached");
	rc = release(ctx);
	if (rc < 0)
		return rc;
	if (kill(pid, SIGINT) < 0 && errno != ESRCH)
		return err_sys(errno, "stop %s (pid %d)", ctx->scheduler.name, pid);
	rc = wait_until(ctx, has_gone, "end after SIGINT");
	rc = rc ?: wait_until(ctx, is_detached, "leave sched_ext disabled");
	if (rc == 0)
		ctx->scheduler.pid = 0;
	return rc;
}

int ctx_scheduler_attach(struct ktstr_ctx *ctx)
{
	struct child child = {};
	int rc;

	if (ctx->scheduler.pid)
		return err_set(EBUSY, "attach: %s (pid %d) is attached already",
			       ctx->scheduler.name, ctx->scheduler.pid);
	if (!ctx->scheduler.argv || !ctx->scheduler.argv[0])
		return err_set(EINVAL, "attach: this test has no scheduler that could be started");
	rc = child_start(&child,
			 &(struct child_opts){ .argv = (const char *const *)ctx->scheduler.argv });
	if (rc < 0)
		return rc;
	ctx->scheduler.pid = child.pid;
	ctx->scheduler.is_child = true;
	rc = wait_until(ctx, is_attached, "attach");
	if (rc < 0) {
		if (ctx->scheduler.is_child)
			child_finish(&child);
		ctx->scheduler.pid = 0;
		ctx->scheduler.is_child = false;
	}
	return rc;
}

int ctx_scheduler_restart(struct ktstr_ctx *ctx)
{
	int rc = ctx_scheduler_detach(ctx);

	return rc < 0 ? rc : ctx_scheduler_attach(ctx);
}
