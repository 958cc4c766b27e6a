// SPDX-License-Identifier: GPL-2.0-only
/*
 * How a worker is measured: counters by phase, checkpoints that find gaps and migrations,
 * latencies. The cost is amortised: between two checkpoints, a worker adds to private
 * counters and reads two shared words.
 */
#include "work/worker.h"

#if defined(__x86_64__) || defined(__i386__)
#include <cpuid.h>
#endif
#include <poll.h>
#include <sched.h>
#include <sys/syscall.h>

/* Number of calls of worker_progress() between reads of the clock; every call if calls are slow. */
#define CALLS_PER_LOOK 4
#define SLOW_NS NSEC_PER_MSEC
/* A gap of this length shows that the scheduler is not work-conserving. */
#define TELL_SCHEDULER_NS (2 * NSEC_PER_SEC)

volatile sig_atomic_t worker_stop_signal;

/* ---- counters of a phase ---- */

static bool read_schedstat(const struct ktstr_worker *w, uint64_t out[3])
{
	char text[96];
	ssize_t len = w->schedstat_fd < 0 ? -1 : pread(w->schedstat_fd, text, sizeof(text) - 1, 0);
	const char *at = text;

	if (len <= 0)
		return false;
	text[len] = '\0';
	for (int i = 0; i < 3; i++, at += *at == ' ')
		if (parse_digits(&at, &out[i]) < 0)
			return false;
	return true;
}

static void tell_schedstat(struct ktstr_worker *w)
{
	struct worker_counts *c = w->counts;
	uint64_t now[3];

	if (!read_schedstat(w, now))
		return;
	c->has_run_delay = true;
	c->schedstat_cpu_ns += now[0] - w->told_schedstat[0];
	c->run_delay_ns += now[1] - w->told_schedstat[1];
	c->run_count += now[2] - w->told_schedstat[2];
	memcpy(w->told_schedstat, now, sizeof(now));
}

static void tell(struct ktstr_worker *w, uint64_t now_ns)
{
	struct worker_counts *c = w->counts;

	c->work_units += w->work_units - w->told_units;
	c->iterations += w->iterations - w->told_iterations;
	c->wall_time_ns += now_ns - w->told_ns;
	w->told_units = w->work_units;
	w->told_iterations = w->iterations;
	w->told_ns = now_ns;
}

static void leave_phase(struct ktstr_worker *w, uint64_t now_ns)
{
	uint64_t cpu_ns = clock_ns(CLOCK_THREAD_CPUTIME_ID);

	tell(w, now_ns);
	w->counts->cpu_time_ns += cpu_ns - w->told_cpu_ns;
	w->told_cpu_ns = cpu_ns;
	tell_schedstat(w);
}

/* Reports are zero-initialised; only nonzero values are written, page by page as needed. */
static void enter_phase(struct ktstr_worker *w, uint32_t phase)
{
	unsigned int slot = MIN(phase, WORKER_MAX_PHASES - 1U);

	w->phase = phase;
	w->counts = &w->report->phases[slot];
	for (; w->report->phase_count <= slot; w->report->phase_count++)
		w->report->phases[w->report->phase_count].max_gap_cpu = -1;
	worker_cpus_add(&w->counts->cpus_used, (unsigned int)w->cpu);
}

/* ---- checkpoints ---- */

/* Without a handler, the signal would kill the process. */
static bool has_handler(pid_t pid, int signal)
{
	_str_ struct str text = {};
	char path[32];
	const char *mask;

	snprintf(path, sizeof(path), "/proc/%d/status", (int)pid);
	if (file_read(path, &text) < 0)
		return false;
	mask = strstr(str_get(&text), "\nSigCgt:");
	return mask && strtoull(mask + strlen("\nSigCgt:"), NULL, 16) >> (signal - 1) & 1;
}

static void note_gap(struct ktstr_worker *w, uint64_t now_ns)
{
	uint64_t gap_ns = now_ns - w->last_checkpoint_ns;
	struct worker_counts *c = w->counts;

	if (gap_ns > c->max_gap_ns) {
		c->max_gap_ns = gap_ns;
		c->max_gap_at_ns = now_ns - w->start_ns;
		c->max_gap_cpu = w->cpu;
	}
	if (gap_ns > TELL_SCHEDULER_NS && w->spec->scheduler_pid > 0 && !w->spec->is_repro &&
	    has_handler(w->spec->scheduler_pid, SIGUSR2))
		kill(w->spec->scheduler_pid, SIGUSR2);
}

static void note_cpu(struct ktstr_worker *w, uint64_t now_ns)
{
	struct worker_counts *c = w->counts;
	struct worker_report *r = w->report;
	int cpu = sched_getcpu();

	if (cpu == w->cpu || cpu < 0)
		return;
	if (w->migrations_recorded < WORKER_MAX_MIGRATIONS)
		r->migrations[w->migrations_recorded++] = (struct worker_migration){
			.at_ns = now_ns - w->start_ns, .from = w->cpu, .to = cpu
		};
	c->migrations++;
	worker_cpus_add(&c->cpus_used, (unsigned int)cpu);
	w->cpu = cpu;
}

void worker_checkpoint_at(struct ktstr_worker *w, uint64_t now_ns)
{
	uint32_t phase = atomic_load_explicit(&w->shared->phase, memory_order_relaxed);
	uint64_t last_ns = w->last_checkpoint_ns;

	note_gap(w, now_ns);
	note_cpu(w, now_ns);
	w->last_checkpoint_ns = now_ns;
	w->next_checkpoint = w->work_units + WORKER_UNITS_PER_CHECKPOINT;
	w->calls_until_look = now_ns - last_ns > SLOW_NS ? 1 : CALLS_PER_LOOK;
	if (phase == w->phase) {
		tell(w, now_ns);
		return;
	}
	leave_phase(w, now_ns);
	enter_phase(w, phase);
}

void worker_checkpoint(struct ktstr_worker *w)
{
	worker_checkpoint_at(w, clock_mono_ns());
}

/* Waiting for the start counts as a gap as well. */
static void note_late_start(struct ktstr_worker *w)
{
	w->counts->max_gap_ns = w->late_ns;
	w->counts->max_gap_cpu = w->late_ns ? w->cpu : -1;
}

void worker_begin(struct ktstr_worker *w)
{
	w->schedstat_fd = open("/proc/self/schedstat", O_RDONLY | O_CLOEXEC);
	read_schedstat(w, w->told_schedstat);
	w->cpu = sched_getcpu();
	w->told_cpu_ns = clock_ns(CLOCK_THREAD_CPUTIME_ID);
	w->start_ns = w->told_ns = w->last_checkpoint_ns = clock_mono_ns();
	w->next_checkpoint = WORKER_UNITS_PER_CHECKPOINT;
	w->calls_until_look = CALLS_PER_LOOK;
	enter_phase(w, atomic_load_explicit(&w->shared->phase, memory_order_relaxed));
	note_late_start(w);
}

void worker_end(struct ktstr_worker *w)
{
	uint64_t now_ns = clock_mono_ns();

	note_cpu(w, now_ns);
	leave_phase(w, now_ns);
}

/* ---- spinning ---- */

/* Spins in pieces, so that a long spin has checkpoints and can be stopped. */
void worker_spin(struct ktstr_worker *w, uint64_t units)
{
	while (units > WORKER_SPIN_UNITS && !worker_should_stop(w)) {
		worker_relax(WORKER_SPIN_UNITS);
		worker_progress(w, WORKER_SPIN_UNITS);
		units -= WORKER_SPIN_UNITS;
	}
	units = MIN(units, WORKER_SPIN_UNITS);
	worker_relax(units);
	w->work_units += units;
}

uint64_t worker_spin_until(struct ktstr_worker *w, uint64_t deadline_ns)
{
	uint64_t now_ns;

	do {
		worker_relax(WORKER_SPIN_UNITS);
		w->work_units += WORKER_SPIN_UNITS;
		now_ns = clock_mono_ns();
		worker_checkpoint_at(w, now_ns);
	} while (now_ns < deadline_ns && !worker_should_stop(w));
	return now_ns;
}

/* ---- sleeping and waiting ---- */

void worker_woke(struct ktstr_worker *w, uint64_t latency_ns)
{
	histogram_add(&w->counts->wakes, latency_ns);
	atomic_store_explicit(&w->line->has_wakes, 1, memory_order_relaxed);
}

void worker_ticked(struct ktstr_worker *w, uint64_t late_ns)
{
	histogram_add(&w->counts->timers, late_ns);
	atomic_store_explicit(&w->line->has_timers, 1, memory_order_relaxed);
}

/* The timestamps are from two processes, so the difference must not become negative. */
void worker_woke_since(struct ktstr_worker *w, uint64_t since_ns, uint64_t now_ns)
{
	worker_woke(w, now_ns > since_ns ? now_ns - since_ns : 0);
}

void worker_rested_at(struct ktstr_worker *w, uint64_t now_ns)
{
	w->last_checkpoint_ns = now_ns;
}

uint64_t worker_rest_until(struct ktstr_worker *w, uint64_t until_ns)
{
	uint64_t now_ns;
	int rc = -EINTR;

	while (rc == -EINTR && !worker_should_stop(w))
		rc = clock_sleep_until_ns(until_ns);
	now_ns = clock_mono_ns();
	worker_rested_at(w, now_ns);
	return now_ns;
}

uint64_t worker_blocks(struct ktstr_worker *w)
{
	uint64_t now_ns = clock_mono_ns();

	worker_checkpoint_at(w, now_ns);
	return now_ns;
}

void worker_sleep_ns(struct ktstr_worker *w, uint64_t ns)
{
	uint64_t until_ns = worker_blocks(w) + ns;
	uint64_t now_ns = worker_rest_until(w, until_ns);

	if (now_ns >= until_ns)
		worker_woke(w, now_ns - until_ns);
}

void worker_yield(struct ktstr_worker *w)
{
	uint64_t before_ns = clock_mono_ns();

	sched_yield();
	worker_woke(w, clock_mono_ns() - before_ns);
}

void futex_wait_slice(const _Atomic uint32_t *word, uint32_t value)
{
	struct timespec slice = { .tv_nsec = WORKER_WAIT_SLICE_MS * NSEC_PER_MSEC };

	syscall(SYS_futex, word, FUTEX_WAIT, value, &slice, NULL, 0);
}

void futex_wake(const _Atomic uint32_t *word, unsigned int count)
{
	syscall(SYS_futex, word, FUTEX_WAKE, MIN(count, (unsigned int)INT32_MAX), NULL, NULL, 0);
}

static bool await_change(struct ktstr_worker *w, const _Atomic uint32_t *word, uint32_t value)
{
	while (atomic_load(word) == value && !worker_should_stop(w))
		futex_wait_slice(word, value);
	worker_rested_at(w, clock_mono_ns());
	return atomic_load(word) != value;
}

bool worker_await_change(struct ktstr_worker *w, const _Atomic uint32_t *word, uint32_t value)
{
	if (atomic_load(word) != value)
		return true;
	worker_blocks(w);
	return await_change(w, word, value);
}

bool worker_wait_change(struct ktstr_worker *w, const _Atomic uint32_t *word, uint32_t value)
{
	uint64_t before_ns;

	if (atomic_load(word) != value)
		return true;
	before_ns = worker_blocks(w);
	if (!await_change(w, word, value))
		return false;
	worker_woke(w, w->last_checkpoint_ns - before_ns);
	return true;
}

bool worker_wait_file(struct ktstr_worker *w, int fd, short events)
{
	struct pollfd file = { .fd = fd, .events = events };
	bool is_ready = false;

	worker_blocks(w);
	while (!is_ready && !worker_should_stop(w))
		is_ready = poll(&file, 1, WORKER_WAIT_SLICE_MS) > 0;
	worker_rested_at(w, clock_mono_ns());
	return is_ready;
}

/* ---- miscellaneous ---- */

/* splitmix64: neighbouring seeds or indices give unrelated sequences. */
uint64_t worker_seed(uint64_t seed, unsigned int index)
{
	uint64_t z = seed + (index + 1ULL) * 0x9e3779b97f4a7c15ULL;

	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9ULL;
	z = (z ^ z >> 27) * 0x94d049bb133111ebULL;
	z ^= z >> 31;
	return z ? z : 1; /* xorshift would stay at 0 */
}

uint64_t worker_random(struct ktstr_worker *w)
{
	w->random ^= w->random << 13;
	w->random ^= w->random >> 7;
	w->random ^= w->random << 17;
	return w->random;
}

int worker_problem(struct ktstr_worker *w, int errnum, const char *fmt, ...)
{
	char *problem = w->report->problem;
	size_t len;
	va_list ap;

	if (problem[0] != '\0')
		return errnum ? -errnum : -EINVAL;
	va_start(ap, fmt);
	vsnprintf(problem, WORKER_PROBLEM_SIZE, fmt, ap);
	va_end(ap);
	if (errnum == 0)
		return -EINVAL;
	len = strlen(problem);
	snprintf(problem + len, WORKER_PROBLEM_SIZE - len, ": %s", strerrordesc_np(errnum));
	return -errnum;
}

void *worker_state(struct ktstr_worker *w, size_t size)
{
	w->state = calloc(1, size);
	if (!w->state)
		worker_problem(w, ENOMEM, "%zu bytes of memory", size);
	return w->state;
}

/* ---- for the body of a custom worker ---- */

bool ktstr_worker_should_stop(struct ktstr_worker *w)
{
	return worker_should_stop(w);
}

/* Reads the clock each time: a gap must not be hidden by a rest that follows. */
void ktstr_worker_did(struct ktstr_worker *w, uint64_t work_units)
{
	w->work_units += work_units;
	w->calls_until_look = 1;
	worker_iterated(w);
}

void ktstr_worker_woke(struct ktstr_worker *w, uint64_t latency_ns)
{
	worker_woke(w, latency_ns);
}

void ktstr_worker_rested(struct ktstr_worker *w)
{
	worker_rested_at(w, clock_mono_ns());
}

uint64_t ktstr_worker_random(struct ktstr_worker *w)
{
	return worker_random(w);
}

unsigned int ktstr_worker_index(const struct ktstr_worker *w)
{
	return w->index;
}
