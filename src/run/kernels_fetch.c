// SPDX-License-Identifier: GPL-2.0-only
/*
 * Fetches kernels in parallel, each in a child process, because downloads and builds mostly wait. A
 * child returns no kernel, only whether it is in the cache now, or the error.
 */
#include "run/parts.h"

#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <sys/wait.h>

#include "kernel/cache.h"
#include "kernel/ident.h"

#define PARALLELISM_VARIABLE "KTSTR_KERNEL_PARALLELISM"
#define POLL_MS 100

/* At most PIPE_BUF, so that a write to the pipe is atomic. */
struct answer {
	int rc;
	char text[2048];
};

struct errand {
	const char *id;
	pid_t pid;
	int fd; /* read end of its answer */
};

struct errands {
	struct errand *items;
	size_t room, count; /* maximum and current number of children */
	const char *label;
};

/* Parses a positive number, optionally surrounded by blanks; 0 = invalid. */
static size_t read_parallelism(const char *text)
{
	_str_ struct str number = {};
	uint64_t value;

	str_add(&number, text + strspn(text, " \t\n"));
	str_trim_end(&number);
	return parse_u64(str_get(&number), &value) == 0 ? (size_t)value : 0;
}

/* KTSTR_KERNEL_PARALLELISM if it is a positive number, else the number of usable CPUs. */
static size_t kernels_parallelism(void)
{
	const char *text = env_get(PARALLELISM_VARIABLE);
	size_t wished = text ? read_parallelism(text) : 0;
	cpu_set_t allowed;

	if (wished)
		return wished;
	return sched_getaffinity(0, sizeof(allowed), &allowed) < 0 ? 1 :
								     (size_t)CPU_COUNT(&allowed);
}

_Noreturn static void run_errand(const char *id, const char *label, int fd)
{
	static const int signals[] = { SIGINT, SIGTERM, SIGHUP };
	struct kernel_resolve_opts opts = { .label = label, .fetch_when_absent = true };
	struct answer answer = {};
	struct kernel_image image;

	/* Default action: the child dies at once; its temporary files are removed afterwards. */
	for (size_t i = 0; i < ARRAY_SIZE(signals); i++)
		signal(signals[i], SIG_DFL);
	answer.rc = kernel_resolve(id, &opts, &image);
	if (answer.rc < 0)
		snprintf(answer.text, sizeof(answer.text), "%s", err_text(answer.rc));
	kernel_image_finish(&image);
	_exit(write(fd, &answer, sizeof(answer)) == sizeof(answer) ? 0 : 1);
}

static int start_errand(struct errands *e, const char *id)
{
	pid_t pid;
	int ends[2];

	if (pipe2(ends, O_CLOEXEC) < 0)
		return err_sys(errno, "get a kernel");
	pid = child_fork(SIGTERM, "get a kernel");
	if (pid == 0)
		run_errand(id, e->label, ends[1]);
	close(ends[1]);
	if (pid < 0) {
		close(ends[0]);
		return pid;
	}
	e->items[e->count++] = (struct errand){ .id = id, .pid = pid, .fd = ends[0] };
	return 0;
}

/* Reads the answer and removes the errand from the list. */
static int end_errand(struct errands *e, size_t index)
{
	struct errand done = e->items[index];
	struct answer answer;
	ssize_t n = read(done.fd, &answer, sizeof(answer));

	close(done.fd);
	waitpid(done.pid, NULL, 0);
	e->items[index] = e->items[--e->count];
	if (n != sizeof(answer))
		return err_set(EIO, "getting Linux %s ended without a message", done.id);
	return answer.rc < 0 ? err_set(-answer.rc, "%s", answer.text) : 0;
}

/* Waits until at least one child has answered. */
static int await_errand(struct errands *e)
{
	_free_ struct pollfd *p = calloc(e->count, sizeof(*p));
	int rc = p ? 0 : err_no_memory();

	for (size_t i = 0; i < e->count && p; i++)
		p[i] = (struct pollfd){ .fd = e->items[i].fd, .events = POLLIN };
	while (rc == 0 && poll(p, e->count, POLL_MS) <= 0)
		rc = interrupt_check();
	/* Ctrl-C goes to all children: a child without an answer is no error in that case. */
	rc = rc ?: interrupt_check();
	for (size_t i = e->count; i-- > 0 && rc == 0;)
		if (p[i].revents)
			rc = end_errand(e, i);
	return rc;
}

/* Ends the remaining children and removes their temporary files. */
static void errands_finish(struct errands *e)
{
	_free_ char *root = NULL;
	bool has_begun = e->count > 0;

	for (size_t i = 0; i < e->count; i++)
		kill(e->items[i].pid, SIGTERM);
	for (size_t i = 0; i < e->count; i++) {
		waitpid(e->items[i].pid, NULL, 0);
		close(e->items[i].fd);
	}
	if (has_begun && cache_root(&root) == 0)
		cache_temp_sweep(root);
	free(e->items);
}

static bool can_be_fetched(const char *text)
{
	_kernel_id_ struct kernel_id id = {};

	return kernel_id_parse(text, &id) == 0 &&
	       (id.kind == KERNEL_ID_VERSION || id.kind == KERNEL_ID_GIT);
}

static int run_errands(struct errands *e, const char *const *ids, size_t count)
{
	int rc = 0;

	for (size_t i = 0; i < count && rc == 0; i++) {
		if (!can_be_fetched(ids[i]))
			continue;
		if (e->count == e->room)
			rc = await_errand(e);
		rc = rc ?: start_errand(e, ids[i]);
	}
	while (rc == 0 && e->count)
		rc = await_errand(e);
	return rc;
}

int kernels_fetch(const char *const *ids, size_t count, const char *label)
{
	struct errands e = { .room = MIN(kernels_parallelism(), count), .label = label };
	_free_ char *why = NULL;
	int rc;

	if (e.room < 2)
		return 0;
	e.items = calloc(e.room, sizeof(*e.items));
	if (!e.items)
		return err_no_memory();
	rc = run_errands(&e, ids, count);
	/* Save the message: errands_finish() may set another one. */
	if (rc < 0)
		why = strdup(err_text(rc));
	errands_finish(&e);
	return rc < 0 ? err_set(-rc, "%s", why ? why : "out of memory") : 0;
}
