// SPDX-License-Identifier: GPL-2.0-only
/* A run of a guest from its start to the verdict on its end, without any guest. */
#include "played_guest.h"

#include <sys/mman.h>
#include <unistd.h>

/* ---- what a test sets ---- */

static const struct initramfs_run plain = { .settings = "A=1\n" };

static int setup(void **state)
{
	(void)state;
	now = (struct played){
		.now_ns = 100 * SECOND, .step_ns = NSEC_PER_MSEC, .ends_after = 3, .end = VM_ENDED
	};
	s = (struct vm_session){
		.run = &plain, .is_cold = true, .limit_ns = 60 * SECOND, .boot_limit_ns = 9 * SECOND
	};
	s.spec.accel = VM_ACCEL_TCG;
	s.spec.topology = (struct vm_topology){ .llcs = 1, .cores = 2, .threads = 1 };
	s.spec.topology.nodes = 1;
	s.base = (const struct initramfs_base *)&s;
	r = (struct vm_result){};
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	vm_result_finish(&r);
	return 0;
}

static void says(uint32_t type, const void *data, uint32_t length)
{
	now.frame = type;
	now.data = data;
	now.length = length;
}

static void expect_run(enum vm_outcome outcome, const char *message)
{
	assert_int_equal(vm_session_run(&s, &r), 0);
	assert_int_equal(r.outcome, outcome);
	assert_string_equal(str_get(&r.message), message);
	assert_int_equal(now.finished, now.starts);
}

/* ---- ends ---- */

static const int32_t seven = 7;

static void a_status_is_the_end(void **state)
{
	(void)state;
	says(CHANNEL_EXIT, &seven, sizeof(seven));
	now.console = "boot\n";
	now.control = "KTSTR_EXIT=9\n";
	expect_run(VM_OUTCOME_EXIT, "");
	assert_int_equal(r.status, 7); /* lines count only where there are no frames */
	assert_string_equal(str_get(&r.console), "boot\n");
	assert_string_equal(str_get(&r.control), "KTSTR_EXIT=9\n");
	assert_int_equal(strlen(r.digest), 64);
	assert_int_equal(r.duration_ns, 3 * NSEC_PER_MSEC);
	assert_int_equal(now.times, 1);
	assert_int_equal(now.stats, 0);
	assert_true(now.start.channel.has_live_reader);
	assert_string_equal(now.suffix, "suffix 1");
	assert_string_equal(now.settings, "A=1\n");
	assert_memory_equal(now.initrd, "/proc/self/fd/", 14);
	assert_null(r.template_key);
}

static void without_frames_the_last_line_counts(void **state)
{
	static const struct {
		const char *control;
		int status; /* -1 = none */
	} cases[] = {
		{ "KTSTR_EXIT=3\nx\nKTSTR_EXIT=5\n", 5 },
		{ "KTSTR_EXIT=255\n", 255 },
		{ "KTSTR_EXIT=256\n", -1 },
		{ "KTSTR_EXIT=\n", -1 },
		{ "nothing\n", -1 },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		bool has_status = cases[i].status >= 0;

		now.control = cases[i].control;
		now.reason = "guest-shutdown";
		expect_run(has_status ? VM_OUTCOME_EXIT : VM_OUTCOME_SILENT,
			   has_status ? "" : vm_end_words("guest-shutdown"));
		if (has_status)
			assert_int_equal(r.status, cases[i].status);
		assert_string_equal(r.digest, "");
		vm_result_finish(&r);
		now.polls = 0;
	}
}

static void a_crash_is_told_in_its_words(void **state)
{
	(void)state;
	says(CHANNEL_CRASH, "it broke", 8);
	expect_run(VM_OUTCOME_CRASHED, "it broke");
	vm_result_finish(&r);
	now.polls = 0;
	now.console = "[1] Kernel panic - not syncing: x\r\nmore\n";
	expect_run(VM_OUTCOME_CRASHED, "Kernel panic - not syncing: x");
	vm_result_finish(&r);
	/* One that has a status has it, whatever the console says. */
	now.polls = 0;
	now.console = "Kernel panic\n";
	says(CHANNEL_EXIT, &seven, sizeof(seven));
	expect_run(VM_OUTCOME_EXIT, "");
}

static void other_frames_are_kept_or_handed_on(void **state)
{
	const uint64_t lost = 99;

	(void)state;
	says(CHANNEL_LOST, &lost, sizeof(lost));
	expect_run(VM_OUTCOME_SILENT, vm_end_words(""));
	assert_int_equal(r.lost_bytes, 99);
	assert_int_equal(now.times, 1); /* it has begun */
	vm_result_finish(&r);
	now.polls = 0;
	says(CHANNEL_LOST, &lost, 4);
	expect_run(VM_OUTCOME_SILENT, vm_end_words(""));
	assert_int_equal(r.lost_bytes, 0);
	vm_result_finish(&r);
	now.polls = 0;
	says(CHANNEL_LOG, "a word", 6);
	expect_run(VM_OUTCOME_SILENT, vm_end_words(""));
	assert_string_equal(str_get(&r.diagnostics), "guest: a word\n");
	vm_result_finish(&r);
	now.polls = 0;
	says(CHANNEL_EXIT, &seven, 3); /* no status */
	expect_run(VM_OUTCOME_SILENT, vm_end_words(""));
}

static int refuse(void *ctx, const struct channel_frame *frame)
{
	assert_ptr_equal(ctx, &now);
	assert_int_equal(frame->type, CHANNEL_STDOUT);
	return err_set(ENOSPC, "no room");
}

static void what_goes_wrong_is_no_outcome(void **state)
{
	(void)state;
	s.on_frame = refuse;
	s.ctx = &now;
	says(CHANNEL_STDOUT, "x", 1);
	assert_int_equal(vm_session_run(&s, &r), -ENOSPC);
	assert_int_equal(now.finished, 1);
	now.polls = 0;
	now.end = VM_QEMU_DIED;
	assert_int_equal(vm_session_run(&s, &r), -ECHILD);
	now.polls = 0;
	now.end = VM_ENDED;
	now.drain_rc = -ESRCH; /* its memory is gone: so is it */
	assert_int_equal(vm_session_run(&s, &r), -ECHILD);
	now.drain_rc = 0;
	now.is_interrupted = true;
	assert_int_equal(vm_session_run(&s, &r), -EINTR);
	now.is_interrupted = false;
	now.poll_rc = -EIO;
	assert_int_equal(vm_session_run(&s, &r), -EIO);
	s.spec.memory_mib = 1;
	assert_int_equal(vm_session_run(&s, &r), -EINVAL);
	s.spec.memory_mib = 0;
	now.starts = 0;
	now.start_rcs[0] = -ENOENT;
	assert_int_equal(vm_session_run(&s, &r), -ENOENT);
	assert_int_equal(now.starts, 1); /* a cold one is not tried again */
}

/* ---- limits ---- */

/* Goes on for ever; how long until it was given up, in seconds. */
static uint64_t run_out(void)
{
	uint64_t began = now.now_ns;

	now.ends_after = UINT32_MAX;
	now.step_ns = SECOND / 10;
	expect_run(VM_OUTCOME_TIMED_OUT, "");
	vm_result_finish(&r);
	return (now.now_ns - began) / (SECOND / 10);
}

static void a_limit_ends_the_run(void **state)
{
	(void)state;
	s.limit_ns = 20 * SECOND;
	assert_int_equal(run_out(), 201);
	/* Three seconds before, it is told. */
	assert_int_equal(now.request_count, 2);
	assert_int_equal(now.requests[0], CHANNEL_REQUEST_DUMP);
	assert_int_equal(now.requests[1], CHANNEL_REQUEST_SHUT_DOWN);
	assert_int_equal(now.request_at_ns, (100 + 17) * SECOND + SECOND / 10);
	/* The host's own delay is not the guest's. */
	now.starved_ns = 5 * SECOND;
	assert_int_equal(run_out(), 251);
	/* A limit of the user's is one, without a word before. */
	now.request_count = 0;
	s.has_wall_limit = true;
	assert_int_equal(run_out(), 201);
	assert_int_equal(now.request_count, 0);
	s.has_wall_limit = false;
	s.limit_ns = 5 * SECOND;
	now.starved_ns = 0;
	assert_int_equal(run_out(), 51);
	assert_int_equal(now.request_count, 0);
}

static void run_slow_boot(void)
{
	s.spec.accel = VM_ACCEL_KVM;
	s.limit_ns = 20 * SECOND;
	now.ends_after = UINT32_MAX;
	now.step_ns = 2 * SECOND;
	now.control = "KTSTR_INIT_STARTED\n"; /* seen after two seconds */
	expect_run(VM_OUTCOME_TIMED_OUT, "");
}

static void a_slow_boot_under_kvm_gives_more_time(void **state)
{
	run_slow_boot();
	assert_in_range(now.now_ns, (100 + 32) * SECOND + 1, (100 + 34) * SECOND);
	assert_int_equal(now.stats, 1);
	assert_int_equal(r.exits.vcpus, 2);
	/* So does the host's own delay, in addition. */
	vm_result_finish(&r);
	setup(state);
	now.starved_ns = 6 * SECOND;
	run_slow_boot();
	assert_in_range(now.now_ns, (100 + 38) * SECOND + 1, (100 + 40) * SECOND);
}

/* ---- who watches ---- */

static bool is_due(void *ctx)
{
	assert_ptr_equal(ctx, &now);
	return now.is_due;
}

static int look(void *ctx)
{
	assert_ptr_equal(ctx, &now);
	now.looks++;
	return 0;
}

static const char *why_hopeless(void *ctx)
{
	assert_ptr_equal(ctx, &now);
	return now.is_hopeless ? "all is lost" : NULL;
}

static void end(void *ctx)
{
	assert_ptr_equal(ctx, &now);
	now.watcher_ends++;
}

static void a_watcher_looks_when_it_is_due(void **state)
{
	struct vm_watcher watcher = { .is_due = is_due, .look = look, .end = end, .ctx = &now };

	(void)state;
	s.watcher = &watcher;
	expect_run(VM_OUTCOME_SILENT, vm_end_words(""));
	assert_int_equal(now.looks, 0);
	assert_int_equal(now.times, 0); /* of one that said nothing */
	assert_int_equal(now.watcher_ends, 1);
	vm_result_finish(&r);
	now.is_due = true;
	now.polls = 0;
	expect_run(VM_OUTCOME_SILENT, vm_end_words(""));
	assert_int_equal(now.looks, 2); /* not after its end */
	vm_result_finish(&r);
	watcher.why_hopeless = why_hopeless;
	now.polls = 0;
	expect_run(VM_OUTCOME_SILENT, vm_end_words(""));
	vm_result_finish(&r);
	now.is_hopeless = true;
	now.polls = 0;
	expect_run(VM_OUTCOME_TIMED_OUT, "all is lost");
	assert_int_equal(now.polls, 0);
}

/* ---- templates ---- */

static void a_template_is_restored(void **state)
{
	(void)state;
	s.is_cold = false;
	s.spec.append = "quiet";
	s.spec.sim.seed = 5;
	expect_run(VM_OUTCOME_SILENT, vm_end_words(""));
	assert_string_equal(now.append, "quiet KTSTR_TEMPLATE=1");
	assert_string_equal(now.template_dir, "/templates/x");
	assert_string_equal(now.settings, "A=1\nKTSTR_WALL_NS=0000000000000001234\n");
	assert_int_equal(now.channel_bytes, 64 << 20);
	assert_int_equal(now.start.channel_bytes, 64 << 20);
	assert_int_equal(now.start.channel.ring_bytes, VM_RING_BYTES);
	assert_int_equal(now.start.channel.input_len, strlen("suffix 1"));
	assert_int_equal(now.request.boot_limit_ns, 9 * SECOND);
	assert_false(now.has_parent);
	assert_false(now.start.has_saved_channel);
	assert_string_equal(r.template_key, "x");
	assert_int_equal(now.suffixes, 1);
	vm_result_finish(&r);
	/* One that was built took its time: the run is told the present one. */
	now.was_built = true;
	now.polls = 0;
	s.spec.append = NULL;
	expect_run(VM_OUTCOME_SILENT, vm_end_words(""));
	assert_string_equal(now.append, "KTSTR_TEMPLATE=1");
	assert_int_equal(now.suffixes, 3);
	assert_int_equal(now.start.channel.input_len, strlen("suffix 3"));
	now.template_rc = -ENOSPC;
	assert_int_equal(vm_session_run(&s, &(struct vm_result){}), -ENOSPC);
}

static void expect_forwarded(const char *expected)
{
	int real = dup(STDERR_FILENO), to = memfd_create("stderr", MFD_CLOEXEC);
	char text[64] = "";

	dup2(to, STDERR_FILENO);
	expect_run(VM_OUTCOME_SILENT, vm_end_words(""));
	dup2(real, STDERR_FILENO);
	close(real);
	assert_true(pread(to, text, sizeof(text) - 1, 0) >= 0);
	close(to);
	assert_string_equal(text, expected);
	vm_result_finish(&r);
	now.polls = 0;
}

/* What its kernel said before it was saved is not said again when it is restored. */
static void the_console_begins_with_that_of_the_template(void **state)
{
	(void)state;
	s.is_cold = false;
	now.template_console = "early words\n";
	expect_forwarded("");
	s.forwards_console = true;
	expect_forwarded("early words\n");
	s.is_cold = true;
	expect_forwarded("");
}

static void who_cannot_be_saved_boots(void **state)
{
	(void)state;
	s.is_cold = false;
	s.spec.is_performance = true;
	expect_run(VM_OUTCOME_SILENT, vm_end_words(""));
	vm_result_finish(&r);
	now.polls = 0;
	s.spec.is_performance = false;
	s.spec.disk_path = "/disk";
	s.spec.disk_is_nvme = true;
	expect_run(VM_OUTCOME_SILENT, vm_end_words(""));
	assert_int_equal(now.templates, 0);
	vm_result_finish(&r);
	now.polls = 0;
	s.spec.disk_is_nvme = false;
	expect_run(VM_OUTCOME_SILENT, vm_end_words(""));
	assert_int_equal(now.templates, 1);
}

static void a_scheduler_is_loaded_into_one(void **state)
{
	static const struct initramfs_file files[3] = {};
	static const char *const args[] = { "x", NULL };
	const struct initramfs_run run = {
		.settings = "A=1\n", .args = args, .files = files, .file_count = 3
	};
	struct vm_prelude prelude = { .scheduler = "mine" };

	(void)state;
	vm_prelude_make(&prelude, &run, "B=2\n", 2);
	assert_string_equal(prelude.first.settings, "B=2\n");
	assert_null(prelude.first.args);
	assert_int_equal(prelude.first.file_count, 2);
	assert_true(prelude.rest.has_includes);
	assert_ptr_equal(prelude.rest.files, files + 2);
	assert_int_equal(prelude.rest.file_count, 1);
	s.is_cold = false;
	s.prelude = &prelude;
	expect_run(VM_OUTCOME_SILENT, vm_end_words(""));
	assert_false(now.has_parent); /* outside of sim there is none */
	vm_result_finish(&r);
	now.polls = 0;
	now.times = 0;
	s.spec.accel = VM_ACCEL_SIM;
	says(CHANNEL_EXIT, &seven, sizeof(seven));
	expect_run(VM_OUTCOME_EXIT, "");
	assert_true(now.has_parent);
	assert_string_equal(now.request.scheduler, "mine");
	assert_int_equal(now.request.boot_limit_ns, 60 * SECOND);
	assert_true(now.start.has_saved_channel);
	assert_false(now.start.channel.has_live_reader);
	assert_string_equal(now.settings, "B=2\n"); /* the last archive is the scheduler's */
	assert_int_equal(now.times, 0);
}

static void one_that_cannot_be_restored_is_built_again(void **state)
{
	(void)state;
	s.is_cold = false;
	now.start_rcs[0] = -EIO;
	now.starts = 0;
	assert_int_equal(vm_session_run(&s, &r), 0);
	assert_int_equal(now.starts, 2);
	assert_int_equal(now.discarded, 1);
	assert_int_equal(now.templates, 2);
	vm_result_finish(&r);
	/* Once, and not one that is new, nor after Ctrl-C. */
	now.starts = 0;
	now.start_rcs[1] = -EIO;
	assert_int_equal(vm_session_run(&s, &r), -EIO);
	assert_int_equal(now.starts, 2);
	now.starts = 0;
	now.was_built = true;
	assert_int_equal(vm_session_run(&s, &r), -EIO);
	assert_int_equal(now.starts, 1);
	now.was_built = false;
	now.starts = 0;
	now.start_rcs[0] = -EINTR;
	assert_int_equal(vm_session_run(&s, &r), -EINTR);
	assert_int_equal(now.starts, 1);
	assert_int_equal(now.discarded, 2);
}

/* ---- a person ---- */

static void a_shell_has_the_status_of_its_guest(void **state)
{
	(void)state;
	says(CHANNEL_EXIT, &seven, sizeof(seven));
	assert_int_equal(vm_session_interactive(&s), 7);
	assert_true(now.start.has_control_socket);
	assert_true(now.start.channel.has_live_reader);
	assert_int_equal(now.finished, 1);
	assert_int_equal(vm_session_interactive(&s), 0);
	says(CHANNEL_CRASH, "it broke", 8);
	assert_int_equal(vm_session_interactive(&s), -EIO);
	assert_string_equal(err_text(-EIO), "the guest crashed: it broke");
	now.end = VM_QEMU_DIED;
	assert_int_equal(vm_session_interactive(&s), -ECHILD);
	now.console_is_killed = true;
	assert_int_equal(vm_session_interactive(&s), 0);
	now.console_rc = -EINTR;
	assert_int_equal(vm_session_interactive(&s), -EINTR);
	now.console_rc = 0;
	s.limit_ns = 7200 * SECOND;
	now.step_ns = 7201 * SECOND;
	assert_int_equal(vm_session_interactive(&s), -ETIMEDOUT);
	assert_string_equal(err_text(-ETIMEDOUT), "the shell was open for 2 h; the VM was ended");
	s.spec.memory_mib = 1;
	assert_int_equal(vm_session_interactive(&s), -EINVAL);
}

#define HERE(test) cmocka_unit_test_setup_teardown(test, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		HERE(a_status_is_the_end),
		HERE(without_frames_the_last_line_counts),
		HERE(a_crash_is_told_in_its_words),
		HERE(other_frames_are_kept_or_handed_on),
		HERE(what_goes_wrong_is_no_outcome),
		HERE(a_limit_ends_the_run),
		HERE(a_slow_boot_under_kvm_gives_more_time),
		HERE(a_watcher_looks_when_it_is_due),
		HERE(a_template_is_restored),
		HERE(the_console_begins_with_that_of_the_template),
		HERE(who_cannot_be_saved_boots),
		HERE(a_scheduler_is_loaded_into_one),
		HERE(one_that_cannot_be_restored_is_built_again),
		HERE(a_shell_has_the_status_of_its_guest),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
