// SPDX-License-Identifier: GPL-2.0-only
/* The life of the scheduler under test. */
#include "guest/sched.h"

#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <sys/sysinfo.h>
#include <sys/wait.h>
#if defined(__x86_64__)
#include <cpuid.h>
#endif

#include "guest/parts.h"
#include "guest/protocol.h"

#define STEP_MS 10
#define STOPS_PER_STEP 200
#define LOOK_OUT_NS NSEC_PER_MSEC
#define LOOK_MS 100
#define ATTACH_S_TCG 30
#define ATTACH_S_KVM 3 /* seconds per second of boot time */
#define ATTACH_S_MAX 120
#define LEAVE_NS (5 * NSEC_PER_SEC) /* to exit after SIGINT, and for the kernel's part */
#define REASON_NS NSEC_PER_SEC	    /* the kernel logs the reason a little later */
#define GRACE_NS (GUEST_SCHED_GRACE_MS * NSEC_PER_MSEC)
#define CGROUP_ROOT "/sys/fs/cgroup"
#define RECORD_SIZE 8192
#define LOG_HALF_MAX (8ULL << 20)
#define LOG_MEMORY_PART 24
#define SYSRQ_NO_SCHED_EXT "S"

/* True under QEMU's TCG; everything else runs at machine speed. */
static bool is_emulated(void)
{
#if defined(__x86_64__)
	unsigned int a, name[3];

	__cpuid(0x40000000, a, name[0], name[1], name[2]);
	return memcmp(name, "TCGTCGTCGTCG", sizeof(name)) == 0;
#else
	return true;
#endif
}

static unsigned int get_seconds(const struct settings *settings, const char *name)
{
	char value[32];
	uint64_t seconds;

	if (!settings_get(settings, name, value, sizeof(value)) || parse_u64(value, &seconds) < 0 ||
	    seconds > 86400)
		return 0;
	return (unsigned int)seconds;
}

/* Runs the shell commands of a file, for schedulers that are part of the kernel. */
static int run_commands(const char *path)
{
	_str_ struct str command = {};
	char *argv[] = { GUEST_BUSYBOX, "sh", "-c", NULL, NULL };
	int status;

	if (file_read_at(AT_FDCWD, path, &command) < 0 || command.len == 0)
		return 0;
	argv[3] = command.s;
	status = run_program(argv);
	if (status)
		report_log("%s ended with status %d", path, status);
	return status;
}

static void make_cgroup(const struct settings *settings)
{
	char value[2048], path[4096];
	int rc;

	if (!settings_get(settings, GUEST_SCHED_CGROUP, value, sizeof(value)))
		return;
	snprintf(path, sizeof(path), CGROUP_ROOT "%s%s", value[0] == '/' ? "" : "/", value);
	rc = file_make_dirs(path, 0755);
	if (rc < 0)
		report_log("make the cgroup %s: %s", value, err_text(rc));
}

/* libbpf gives the verifier 16 MiB for its log: keep all of it if there is enough memory. */
static size_t log_half(void)
{
	struct sysinfo info;
	uint64_t bytes;

	if (sysinfo(&info) < 0)
		return BOUNDED_TEXT_HALF;
	bytes = (uint64_t)info.totalram * info.mem_unit / LOG_MEMORY_PART;
	return (size_t)MIN(MAX(bytes, BOUNDED_TEXT_HALF), LOG_HALF_MAX);
}

unsigned int scheduler_attach_limit_s(bool is_emulated, uint64_t boot_ns)
{
	uint64_t boot_s = MAX(boot_ns / NSEC_PER_SEC, 1);

	return is_emulated ? ATTACH_S_TCG : (unsigned int)MIN(ATTACH_S_KVM * boot_s, ATTACH_S_MAX);
}

static void read_limits(struct scheduler *s, const struct settings *settings)
{
	struct sched_life *r = &s->report;

	r->attach_limit_s = get_seconds(settings, GUEST_SCHED_ATTACH_S);
	s->attach.is_fixed = r->attach_limit_s != 0;
	if (!r->attach_limit_s)
		r->attach_limit_s = scheduler_attach_limit_s(is_emulated(), clock_mono_ns());
	s->attach.limit_ns = r->attach_limit_s * NSEC_PER_SEC;
	r->return_limit_s = get_seconds(settings, GUEST_SCHED_RETURN_S);
	if (!r->return_limit_s)
		r->return_limit_s = r->attach_limit_s;
	r->watchdog.seconds = get_seconds(settings, GUEST_SCHED_WATCHDOG_S);
	r->watchdog.is_wanted = r->watchdog.seconds != 0;
}

int scheduler_init(struct scheduler *s, const struct settings *settings)
{
	int rc;

	if (s->is_prepared) {
		read_limits(s, settings);
		return 0;
	}
	s->output = s->kmsg = s->trace.fd = -1;
	rc = run_commands(GUEST_SCHED_ENABLE_FILE);
	if (rc)
		return err_set(
			EIO,
			"the scheduler could not be enabled: its commands ended with status %d",
			rc);
	make_cgroup(settings);
	str_reset(&s->args);
	rc = file_read_at(AT_FDCWD, GUEST_SCHED_ARGS, &s->args);
	if (rc == -ENOENT)
		return 0;
	rc = rc ?: sched_args_split(s->args.s, s->args.len, s->argv, ARRAY_SIZE(s->argv));
	if (rc < 0)
		return rc;
	s->is_wanted = true;
	s->log.half = log_half();
	s->report.program = s->argv[0];
	read_limits(s, settings);
	return 0;
}

/* ---- observing it ---- */

static void read_output(struct scheduler *s)
{
	static char chunk[65536];
	ssize_t n;

	while (s->output >= 0 && (n = read(s->output, chunk, sizeof(chunk))) >= 0) {
		if (n > 0) {
			bounded_text_add(&s->log, chunk, (size_t)n);
			continue;
		}
		close(s->output);
		s->output = -1;
	}
}

static bool is_running(const struct scheduler *s)
{
	return s->report.pid != 0 && !s->report.has_status;
}

static void read_kernel_log(struct scheduler *s)
{
	char record[RECORD_SIZE];
	ssize_t n;

	while (s->kmsg >= 0) {
		n = read(s->kmsg, record, sizeof(record));
		if (n < 0 && errno == EPIPE)
			continue; /* overwritten before it was read */
		if (n <= 0)
			return;
		sched_presence_take_kmsg(&s->presence, &s->report, record, (size_t)n,
					 clock_mono_ns());
	}
}

static void read_all(struct scheduler *s)
{
	read_output(s);
	read_kernel_log(s);
	scx_trace_read(&s->trace, &s->dump);
}

/* A loader that pinned its link may exit: the scheduler stays attached. */
static bool is_pinned(const struct sched_life *r)
{
	struct scx_state state;

	if (!r->has_attached)
		return false;
	scx_state_read(&state, "");
	return scx_state_is_attached(&state) && str_eq(state.ops, r->ops);
}

/*
 * Its process has ended: checks whether another process, or the kernel alone, holds the
 * scheduler now.
 */
static void take_status(struct scheduler *s, int status)
{
	struct sched_life *r = &s->report;

	if (WIFEXITED(status) && WEXITSTATUS(status) == 0 && r->stage != SCHED_STAGE_DETACH) {
		pid_t heir = sched_process_find_holder();

		if (heir || is_pinned(r)) {
			r->has_forked_away = true;
			r->pid = heir;
			return;
		}
	}
	r->has_status = true;
	r->status = status;
	if (r->has_attached)
		sched_presence_note_gone(&s->presence, clock_mono_ns());
}

/* True if it has ended while it should have run; records the first time. */
static bool check_end(struct scheduler *s)
{
	struct sched_life *r = &s->report;
	const struct sched_presence *p = &s->presence;
	uint64_t now = clock_mono_ns();

	if (r->has_ended || r->stage == SCHED_STAGE_DETACH ||
	    !sched_presence_is_over(&s->presence, r, is_running(s), now))
		return r->has_ended;
	r->has_ended = true;
	r->is_released = access(GUEST_SCHED_RELEASED, F_OK) == 0;
	s->ended_ns = now;
	r->ended_ns = p->left_ns - MIN(p->payload_ns, p->left_ns);
	return true;
}

static void reap(struct scheduler *s)
{
	int status;
	pid_t pid;

	while ((pid = waitpid(-1, &status, WNOHANG | __WALL)) > 0) {
		if (WIFSTOPPED(status)) {
			scx_watchdog_take_stop(&s->watchdog, pid, status);
			continue;
		}
		scx_watchdog_forget(&s->watchdog, pid);
		if (pid == s->report.pid)
			take_status(s, status);
	}
}

/*
 * A traced task stops twice per system call, thousands of times: nothing else is polled in
 * between.
 */
static void wait_for_stops(struct scheduler *s)
{
	const struct timespec step = { .tv_nsec = LOOK_OUT_NS };
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, SIGCHLD);
	sigprocmask(SIG_BLOCK, &set, NULL);
	for (int i = 0; i < STOPS_PER_STEP && s->watchdog.is_tracing; i++) {
		bool is_signal = sigtimedwait(&set, NULL, &step) > 0;

		reap(s);
		scx_watchdog_look(&s->watchdog);
		if (!is_signal && i >= STEP_MS)
			return;
	}
}

static void wait_step(struct scheduler *s)
{
	struct pollfd fds[] = { { .fd = s->output, .events = POLLIN },
				{ .fd = s->kmsg, .events = POLLIN } };

	if (s->watchdog.is_tracing)
		wait_for_stops(s);
	else
		poll(fds, ARRAY_SIZE(fds), STEP_MS);
	read_all(s);
	reap(s);
}

/* ---- start ---- */

/*
 * Init must keep running under a scheduler that starves all tasks; its children start as
 * normal tasks.
 */
static void rise_above(void)
{
	struct sched_param p = { .sched_priority = 1 };

	if (sched_setscheduler(0, SCHED_FIFO | SCHED_RESET_ON_FORK, &p) < 0)
		report_log("init stays an ordinary task: %s", strerror(errno));
}

static bool can_start(struct scheduler *s)
{
	struct sched_life *r = &s->report;
	struct scx_state state;

	scx_state_read(&state, "");
	r->lacks_sched_ext = !state.is_there;
	if (state.is_active)
		snprintf(r->other_ops, sizeof(r->other_ops), "%s",
			 state.ops[0] ? state.ops : "(unnamed)");
	return state.is_there && !state.is_active;
}

static void open_eyes(struct scheduler *s)
{
	s->kmsg = open("/dev/kmsg", O_RDONLY | O_NONBLOCK | O_CLOEXEC);
	if (s->kmsg >= 0)
		lseek(s->kmsg, 0, SEEK_END);
	scx_trace_open(&s->trace);
}

static void note_attached(struct scheduler *s, const struct scx_state *state)
{
	_str_ struct str text = {};
	struct sched_life *r = &s->report;

	if (r->has_status && WIFEXITED(r->status) && WEXITSTATUS(r->status) == 0) {
		r->has_forked_away = true;
		r->has_status = false;
		r->pid = sched_process_find_holder();
	}
	r->has_attached = true;
	r->attach_ns = clock_mono_ns() - s->attach.started_ns;
	snprintf(r->ops, sizeof(r->ops), "%s", state->ops);
	str_addf(&text, "ops=%s\npid=%d\nattach_ns=%llu\n", r->ops, (int)r->pid, ULL(r->attach_ns));
	if (report_has_channel())
		report.channel.header->slot1 = CHANNEL_SLOT_SCHEDULER_UP;
	channel_send(&report.channel, CHANNEL_SCHED_ATTACHED, str_get(&text), text.len);
}

/* True if the time to attach is over; stores how long it really had. */
static bool is_late(struct scheduler *s)
{
	struct sched_attach_time *t = &s->attach;
	uint64_t now = clock_mono_ns();

	if (!sched_attach_is_over(t, scx_programs_newest(t->newest_program), now))
		return false;
	s->report.attach_limit_s = (unsigned int)((now - t->started_ns) / NSEC_PER_SEC);
	return true;
}

static bool wait_until_attached(struct scheduler *s)
{
	struct sched_life *r = &s->report;
	struct scx_state state;

	for (;;) {
		wait_step(s);
		if (check_end(s))
			return false;
		scx_state_read(&state, "");
		if (scx_state_is_attached(&state) && !s->presence.left_ns) {
			note_attached(s, &state);
			return true;
		}
		if (r->has_status &&
		    (sched_report_code(r) != 0 || !sched_process_has_orphans(r->pid)))
			return false;
		if (is_late(s))
			return false;
	}
}

static void follow(void *ctx, pid_t pid)
{
	struct scheduler *s = ctx;

	if (s->report.watchdog.is_wanted || s->watchdog.holds)
		scx_watchdog_begin(&s->watchdog, &s->report.watchdog, pid, is_emulated());
}

static bool start_process(struct scheduler *s)
{
	struct sched_life *r = &s->report;
	const struct sched_launch launch = { .argv = s->argv, .before_exec = follow, .ctx = s };

	s->attach.newest_program = scx_programs_newest(0);
	s->attach.started_ns = s->attach.progress_ns = clock_mono_ns();
	return sched_process_start(&launch, &r->pid, &s->output, r->start_problem,
				   sizeof(r->start_problem)) == 0;
}

static bool begin(struct scheduler *s)
{
	if (!can_start(s))
		return false;
	rise_above();
	open_eyes(s);
	return start_process(s);
}

void scheduler_prepare(struct scheduler *s)
{
	struct scx_watchdog *w = &s->watchdog;

	if (!s->is_wanted || !scx_watchdog_can_follow())
		return;
	s->is_prepared = true;
	w->holds = true;
	s->is_started = begin(s);
	while (w->is_tracing && w->task_count && !is_late(s))
		wait_step(s);
}

bool scheduler_start(struct scheduler *s)
{
	bool is_attached = s->is_prepared ? s->is_started : begin(s);

	scx_watchdog_release(&s->watchdog);
	is_attached = is_attached && wait_until_attached(s);
	scx_watchdog_end(&s->watchdog);
	if (is_attached)
		scx_programs_read(&s->report);
	return is_attached;
}

/* ---- while the payload runs ---- */

void scheduler_begin_payload(struct scheduler *s)
{
	char pid[16];

	s->report.stage = SCHED_STAGE_PAYLOAD;
	s->presence.payload_ns = clock_mono_ns();
	if (s->report.has_status) /* between its attaching and now */
		sched_presence_note_gone(&s->presence, s->presence.payload_ns);
	if (!s->report.pid)
		return;
	snprintf(pid, sizeof(pid), "%d", (int)s->report.pid);
	setenv(GUEST_SCHED_PID, pid, 1);
}

static size_t add_fds(void *ctx, struct pollfd *fds, size_t max)
{
	struct scheduler *s = ctx;
	size_t count = 0;

	for (size_t i = 0; i < 2 && count < max; i++)
		fds[count++] = (struct pollfd){ .fd = i ? s->kmsg : s->output, .events = POLLIN };
	return count;
}

static void take_child(void *ctx, pid_t pid, int status)
{
	struct scheduler *s = ctx;

	if (pid == s->report.pid)
		take_status(s, status);
}

/* For cases without messages: no kernel log, no child process. */
static void look_at_state(struct scheduler *s)
{
	struct scx_state state;

	scx_state_read(&state, "");
	if (!state.is_active)
		sched_presence_note_gone(&s->presence, clock_mono_ns());
	else if (s->kmsg < 0 && scx_state_is_attached(&state))
		sched_presence_note_back(&s->presence, &s->report, clock_mono_ns());
}

static void tell_end(struct scheduler *s)
{
	_str_ struct str text = {};
	int32_t code = sched_report_code(&s->report);

	channel_send(&report.channel, CHANNEL_SCHED_EXIT, &code, sizeof(code));
	sched_report_json(&s->report, &text);
	file_replace(GUEST_SCHED_ENDED, str_get(&text), text.len, 0644);
	s->has_told = true;
}

static void signal_payload(struct scheduler *s, pid_t payload, int signal)
{
	if (s->report.payload_signal == signal)
		return;
	s->report.payload_signal = signal;
	report_log("the scheduler is gone: signal %d to the payload", signal);
	kill(-payload, signal);
}

static void look(void *ctx, pid_t payload)
{
	struct scheduler *s = ctx;
	uint64_t gone;

	read_all(s);
	look_at_state(s);
	if (!check_end(s) || s->report.is_released)
		return;
	gone = clock_mono_ns() - s->ended_ns;
	if (!s->has_told && (s->report.exit.is_known || gone > REASON_NS))
		tell_end(s);
	if (gone > 2 * GRACE_NS)
		signal_payload(s, payload, SIGKILL);
	else if (gone > GRACE_NS)
		signal_payload(s, payload, SIGTERM);
}

struct run_watcher scheduler_watcher(struct scheduler *s)
{
	return (struct run_watcher){
		.ctx = s,
		.add_fds = add_fds,
		.reaped = take_child,
		.look = look,
		.period_ms = LOOK_MS,
	};
}

/* ---- end ---- */

static bool is_active(void)
{
	struct scx_state state;

	scx_state_read(&state, "");
	return state.is_active;
}

static void wait_while(struct scheduler *s, bool (*is_so)(const struct scheduler *s))
{
	uint64_t limit = clock_mono_ns() + LEAVE_NS;

	while (is_so(s) && clock_mono_ns() < limit)
		wait_step(s);
}

static bool is_loaded(const struct scheduler *s _unused_)
{
	return is_active();
}

static bool is_about_to_end(const struct scheduler *s)
{
	return is_running(s) && clock_mono_ns() - s->ended_ns < REASON_NS;
}

/*
 * If the scheduler has ended, waits until its process has, too; if that survives, a later
 * signal of init is not the reason.
 */
static void wait_for_status(struct scheduler *s)
{
	if (!s->report.has_ended)
		return;
	wait_while(s, is_about_to_end);
	s->report.has_outlived = is_running(s);
}

/* A scheduler that left just now may come back: wait until it is known whether it has ended. */
static void wait_for_return(struct scheduler *s)
{
	if (!s->report.has_attached || access(GUEST_SCHED_RELEASED, F_OK) == 0)
		return;
	while (!check_end(s) && s->presence.left_ns)
		wait_step(s);
}

/* Also for a scheduler that did not attach: whatever it does later is not part of the test. */
static void end_process(struct scheduler *s)
{
	if (!is_running(s))
		return;
	kill(s->report.pid, SIGINT);
	wait_while(s, is_running);
	if (!is_running(s))
		return;
	s->report.was_killed = true;
	kill(s->report.pid, SIGKILL);
	wait_while(s, is_running);
}

/* A scheduler that no process holds can only be removed by the kernel (sysrq). */
static void end_pinned(const struct sched_life *r)
{
	_close_ int fd = -1;

	if (!r->has_forked_away || r->pid || !is_active())
		return;
	fd = open(REQUESTS_SYSRQ, O_WRONLY | O_CLOEXEC);
	if (fd < 0 || fd_write_all(fd, SYSRQ_NO_SCHED_EXT, 1) < 0)
		report_log("the pinned scheduler stays: %s", strerror(errno));
}

/* If a program's output has filled the ring, keeps as much of head and tail of the log as fits. */
static void take_log(struct scheduler *s)
{
	struct sched_life *r = &s->report;
	size_t room = MAX(report_free(), (size_t)2 * BOUNDED_TEXT_HALF);
	struct bounded_text less = { .half = room / 2 };

	r->log_bytes = s->log.total;
	r->log_omitted = bounded_text_omitted(&s->log);
	bounded_text_take(&s->log, &s->log_text);
	if (s->log_text.len <= room)
		return;
	bounded_text_add(&less, s->log_text.s, s->log_text.len);
	less.total = r->log_bytes;
	r->log_omitted = bounded_text_omitted(&less);
	str_finish(&s->log_text);
	bounded_text_take(&less, &s->log_text);
}

/* Collects what is only known after the end, and an end that was not noticed before. */
static void settle(struct scheduler *s)
{
	struct sched_life *r = &s->report;
	const char *log;

	wait_while(s, is_loaded);
	read_all(s);
	scx_state_read(&r->state, "");
	take_log(s);
	log = str_get(&s->log_text);
	r->has_rejection = !r->has_attached && scx_log_has_rejection(log, &r->rejection);
	if (!r->has_attached)
		scx_log_last_words(log, r->last_words, sizeof(r->last_words));
	if (r->has_attached)
		scx_exit_complete(&r->exit, log);
	r->dump_bytes = s->dump.total;
	r->dump_omitted = bounded_text_omitted(&s->dump);
}

static void send_report(struct scheduler *s)
{
	_str_ struct str text = {}, dump = {};

	bounded_text_get(&s->dump, &dump);
	report_pieces(CHANNEL_SCHED_LOG, &s->log_text);
	report_pieces(CHANNEL_SCHED_DUMP, &dump);
	sched_report_json(&s->report, &text);
	channel_send(&report.channel, CHANNEL_SCHED_REPORT, str_get(&text), text.len);
	if (s->report.has_attached)
		return;
	/* For readers that only have the serial port. */
	text.len = 0;
	sched_report_message(&s->report, &text);
	report_line("%s: %s",
		    str_eq(sched_report_end(&s->report), GUEST_SCHED_END_NOT_ATTACHED) ?
			    "SCHEDULER_NOT_ATTACHED" :
			    "SCHEDULER_DIED",
		    str_get(&text));
}

void scheduler_finish(struct scheduler *s)
{
	if (s->is_wanted) {
		bool did_end_early = s->report.has_status;

		read_all(s);
		wait_for_return(s);
		s->presence.is_closing = true;
		if (!s->report.has_ended && s->report.has_attached)
			s->report.stage = SCHED_STAGE_DETACH;
		wait_for_status(s);
		end_process(s);
		end_pinned(&s->report);
		if (!s->report.has_attached && !did_end_early)
			s->report.was_killed = true;
		settle(s);
		send_report(s);
	}
	run_commands(GUEST_SCHED_DISABLE_FILE);
	scx_trace_close(&s->trace);
	cleanup_fd(&s->kmsg);
	cleanup_fd(&s->output);
	bounded_text_finish(&s->log);
	bounded_text_finish(&s->dump);
	str_finish(&s->log_text);
	str_finish(&s->args);
}
