// SPDX-License-Identifier: GPL-2.0-only
/* Work that changes tasks: creates them, changes their nice, affinity and policy, signals them. */
#include "work/types.h"

#include <sched.h>
#include <sys/resource.h>
#include <sys/wait.h>

/* ---- fork and exit ---- */

/* A parent that ignores SIGCHLD passes that on, and then there would be no child to wait for. */
int fork_exit_prepare(struct ktstr_worker *w _unused_)
{
	signal(SIGCHLD, SIG_DFL);
	return 0;
}

/* Waits for the forked child; if fork failed, records the problem and returns -1. */
static int wait_for_child(struct ktstr_worker *w, pid_t pid)
{
	uint64_t before_ns = clock_mono_ns();
	int status = 0;

	if (pid < 0) {
		worker_problem(w, errno, "fork");
		worker_rest_until(w, before_ns + NSEC_PER_MSEC);
		return -1;
	}
	while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
		;
	worker_woke(w, clock_mono_ns() - before_ns);
	w->work_units++;
	return status;
}

void fork_exit_iterate(struct ktstr_worker *w)
{
	pid_t pid = fork();

	if (pid == 0)
		_exit(0);
	wait_for_child(w, pid);
}

/* ---- fork, exec and exit ---- */

/* Only programs that exec_storm starts have exactly this environment. */
#define EXECUTED "KTSTR_EXECUTED_BY_WORKER=1"

/* Workers execute their own binary, whichever that is: it does nothing but exit then. */
__attribute__((constructor)) static void end_where_executed(void)
{
	if (environ && environ[0] && str_eq(environ[0], EXECUTED) && !environ[1])
		_exit(0);
}

void exec_storm_iterate(struct ktstr_worker *w)
{
	char program[] = "/proc/self/exe", variable[] = EXECUTED;
	char *argv[] = { program, NULL }, *envp[] = { variable, NULL };
	pid_t pid = fork();
	int status;

	if (pid == 0) {
		execve(program, argv, envp);
		_exit(errno);
	}
	status = wait_for_child(w, pid);
	if (pid > 0 && WIFEXITED(status) && WEXITSTATUS(status))
		worker_problem(w, WEXITSTATUS(status), "execute %s", program);
}

/* ---- nice ---- */

#define NICE_UNITS 512
#define NICE_MIN (-20)
#define NICE_MAX 19

struct nice_sweep {
	int lowest, next;
};

int nice_sweep_prepare(struct ktstr_worker *w)
{
	struct nice_sweep *s = worker_state(w, sizeof(*s));

	if (!s)
		return -ENOMEM;
	s->lowest = setpriority(PRIO_PROCESS, 0, NICE_MIN) == 0 ? NICE_MIN : 0;
	s->next = s->lowest;
	return 0;
}

void nice_sweep_iterate(struct ktstr_worker *w)
{
	struct nice_sweep *s = w->state;

	worker_spin(w, NICE_UNITS);
	if (setpriority(PRIO_PROCESS, 0, s->next) < 0)
		worker_problem(w, errno, "nice %d", s->next);
	s->next = s->next == NICE_MAX ? s->lowest : s->next + 1;
	worker_yield(w);
}

void nice_sweep_finish(struct ktstr_worker *w _unused_)
{
	setpriority(PRIO_PROCESS, 0, 0);
}

/* ---- affinity ---- */

struct affinity_churn {
	struct worker_cpus allowed;
	unsigned int cpus[WORKER_MAX_CPUS], count;
};

static int read_allowed(struct ktstr_worker *w, struct affinity_churn *s)
{
	memset(&s->allowed, 0, sizeof(s->allowed));
	if (sched_getaffinity(0, sizeof(s->allowed), (cpu_set_t *)&s->allowed) < 0)
		return worker_problem(w, errno, "read the affinity");
	s->count = 0;
	for (unsigned int cpu = 0; cpu < WORKER_MAX_CPUS; cpu++)
		if (worker_cpus_have(&s->allowed, cpu))
			s->cpus[s->count++] = cpu;
	return s->count ? 0 : worker_problem(w, EINVAL, "no CPU is allowed");
}

int affinity_churn_prepare(struct ktstr_worker *w)
{
	struct affinity_churn *s = worker_state(w, sizeof(*s));

	return s ? read_allowed(w, s) : -ENOMEM;
}

/* The cpuset may have changed meanwhile: use whatever it allows now. */
static void widen(struct ktstr_worker *w, struct affinity_churn *s)
{
	struct worker_cpus all;

	memset(&all, 0xff, sizeof(all));
	if (worker_set_affinity(0, &all) == 0)
		read_allowed(w, s);
}

void affinity_churn_iterate(struct ktstr_worker *w)
{
	struct affinity_churn *s = w->state;
	struct worker_cpus one = {};
	unsigned int cpu;

	worker_spin(w, w->args[0]);
	cpu = s->cpus[worker_random(w) % s->count];
	worker_cpus_add(&one, cpu);
	if (worker_set_affinity(0, &one) < 0)
		widen(w, s);
	worker_yield(w);
}

void affinity_churn_finish(struct ktstr_worker *w)
{
	struct affinity_churn *s = w->state;

	worker_set_affinity(0, &s->allowed);
}

/* ---- policies ---- */

struct policy_churn {
	unsigned int count, next;
};

static const struct {
	int policy, priority;
} churned[] = {
	{ SCHED_OTHER, 0 }, { SCHED_BATCH, 0 }, { SCHED_IDLE, 0 },
	{ SCHED_FIFO, 1 },  { SCHED_RR, 1 },
};

static int set_policy(unsigned int i)
{
	struct sched_param param = { .sched_priority = churned[i].priority };

	return sched_setscheduler(0, churned[i].policy, &param) < 0 ? -errno : 0;
}

/* A worker that may not become real-time may not leave SCHED_IDLE either, so it skips both. */
int policy_churn_prepare(struct ktstr_worker *w)
{
	struct policy_churn *s = worker_state(w, sizeof(*s));
	const unsigned int unprivileged = 2, realtime = 3;

	if (!s)
		return -ENOMEM;
	s->count = set_policy(realtime) == 0 ? ARRAY_SIZE(churned) : unprivileged;
	set_policy(0);
	return 0;
}

void policy_churn_iterate(struct ktstr_worker *w)
{
	struct policy_churn *s = w->state;
	int rc;

	worker_spin(w, w->args[0]);
	rc = set_policy(s->next);
	if (rc < 0)
		worker_problem(w, -rc, "policy %d", churned[s->next].policy);
	s->next = (s->next + 1) % s->count;
	worker_yield(w);
}

void policy_churn_finish(struct ktstr_worker *w _unused_)
{
	set_policy(0);
}

/* ---- signals ---- */

static struct worker_line *signalled;
static volatile sig_atomic_t has_latency;
static volatile uint64_t last_latency_ns;

static void on_signal(int number _unused_)
{
	uint64_t stamp_ns = atomic_exchange(&signalled->stamp_ns, 0), now_ns = clock_mono_ns();

	if (stamp_ns == 0 || now_ns < stamp_ns)
		return;
	last_latency_ns = now_ns - stamp_ns;
	has_latency = 1;
}

/* The word says that the handler is installed: before that, a signal would kill the worker. */
int signal_storm_prepare(struct ktstr_worker *w)
{
	struct sigaction action = { .sa_handler = on_signal };

	signalled = w->line;
	if (sigaction(SIGUSR2, &action, NULL) < 0)
		return worker_problem(w, errno, "install a signal handler");
	atomic_store(&w->line->word, 1);
	return 0;
}

static void send_signals(struct ktstr_worker *w, struct worker_line *partner)
{
	pid_t pid = atomic_load(&partner->pid);
	uint64_t taken;

	/* A partner that has ended may have been reaped, and its pid reused. */
	for (uint64_t i = 0; i < w->args[0] && !worker_should_stop(w); i++) {
		if (atomic_load(&partner->state) != WORKER_RUNNING)
			return;
		taken = 0;
		atomic_compare_exchange_strong(&partner->stamp_ns, &taken, clock_mono_ns());
		if (kill(pid, SIGUSR2) == 0)
			worker_progress(w, 1);
	}
}

void signal_storm_iterate(struct ktstr_worker *w)
{
	struct worker_line *partner = &w->lines[1 - w->member];

	if (atomic_load(&partner->word))
		send_signals(w, partner);
	worker_spin(w, w->args[1]);
	if (!has_latency)
		return;
	has_latency = 0;
	worker_woke(w, last_latency_ns);
}
