// SPDX-License-Identifier: GPL-2.0-only
/* When a guest made by hand is looked at; this test is the plugin that stops it. */
#include "watcher_scene.h"

#include <elf.h>

static void the_plugin_is_told_what_to_stop_at(void **state)
{
	_str_ struct str expected = {};

	(void)state;
	open_it(false, NULL);
	assert_ptr_equal(session.plugin, &w.plugin);
	assert_int_equal(w.plugin.fd_count, 2);
	assert_true(w.plugin.fds[0] >= 0 && w.plugin.fds[1] >= 0);
	str_addf(&expected, "file=/proc/self/fd/%d,stop_fd=%x,stop_call=abc0", w.plugin.fds[0],
		 (unsigned int)w.plugin.fds[1]);
	assert_string_equal(w.plugin.option, str_get(&expected));
	assert_string_equal(w.plugin.arguments, strstr(str_get(&expected), "stop_fd"));
	assert_false(w.vm.is_due(w.vm.ctx));
}

/* At each period of the guest's own clock, and for each that it slept through. */
static void samples_are_taken_at_their_times(void **state)
{
	(void)state;
	open_it(false, NULL);
	assert_int_equal(stop_at(PERIOD / 2), PERIOD);
	assert_int_equal(w.series.samples.count, 1);
	assert_int_equal(stop_at(PERIOD), 2 * PERIOD);
	assert_int_equal(w.series.samples.count, 2);
	assert_int_equal(stop_at(4 * PERIOD + 1), 5 * PERIOD);
	assert_int_equal(w.series.samples.count, 5);
	assert_int_equal(w.now.time_ns, 4 * PERIOD);
	assert_string_equal(w.series.problem, "");
	/* Too early: nothing new. */
	stop_at(5 * PERIOD - 1);
	assert_int_equal(w.series.samples.count, 5);
	watcher_hear(&w, &(struct channel_frame){ .type = CHANNEL_STDOUT });
	assert_false(w.is_over);
	watcher_hear(&w, &(struct channel_frame){ .type = CHANNEL_TEST_RESULT });
	/* It is looked at until it ends, and not sampled. */
	assert_int_equal(stop_at(6 * PERIOD), 7 * PERIOD);
	assert_int_equal(w.series.samples.count, 5);
}

static void nothing_counts_before_the_scheduler(void **state)
{
	(void)state;
	image_set(&image, IMAGE_SCX_ROOT, 0, 8);
	open_it(true, NULL);
	stop_at(PERIOD);
	stop_at(2 * PERIOD);
	assert_int_equal(w.series.samples.count, 0);
	image_set(&image, IMAGE_SCX_ROOT, QI_VIRTUAL(QI_SCHED), 8);
	stop_at(3 * PERIOD);
	assert_int_equal(w.series.samples.count, 1);
	assert_int_equal(w.now.time_ns, 3 * PERIOD);
}

/* The kernel of a guest that boots is there later. */
static void a_kernel_is_looked_for_until_it_is_there(void **state)
{
	(void)state;
	memset(image.data + image.load + IMAGE_BANNER, 0, 17);
	open_it(false, NULL);
	stop_at(PERIOD);
	assert_int_equal(w.series.samples.count, 0);
	assert_string_not_equal(w.series.problem, "");
	memcpy(image.data + image.load + IMAGE_BANNER, "Linux version 7.0", 17);
	stop_at(2 * PERIOD);
	assert_int_equal(w.series.samples.count, 1);
	assert_string_equal(w.series.problem, "");
}

static void the_first_exit_is_dumped(void **state)
{
	size_t len;

	(void)state;
	open_it(false, NULL);
	stop((struct trace_stop){ .reason = TRACE_STOP_CALL });
	assert_int_equal(count_in(&w.dump, "\"snapshots\":["), 1);
	assert_int_equal(count_in(&w.dump, "scheduler exit"), 1);
	assert_int_equal(count_in(&w.dump, "\"is_halted\":true"), 1);
	len = w.dump.len;
	image_put(&image, qi_task(1) + QI_PID, 999, 4);
	stop((struct trace_stop){ .reason = TRACE_STOP_CALL });
	assert_int_equal(w.dump.len, len);
	/* Its end adds nothing. */
	w.vm.end(w.vm.ctx);
	assert_int_equal(asked, 0);
	assert_int_equal(w.dump.len, len);
}

static void a_guest_without_a_result_is_dumped_at_its_end(void **state)
{
	(void)state;
	open_it(false, NULL);
	w.vm.end(w.vm.ctx);
	assert_int_equal(asked, 1);
	assert_int_equal(count_in(&w.dump, "the end of a guest that gave no result"), 1);
	assert_int_equal(count_in(&w.dump, "\"is_halted\":true"), 1);
	assert_true(w.is_over && !w.has_space && !w.has_memory);
	assert_int_equal(w.notice, -1);
}

/* Even the first process does not run any more; the clock does. */
static void a_guest_has_its_own_time_and_no_more(void **state)
{
	(void)state;
	session.guest_limit_ns = 10 * PERIOD;
	open_it(false, NULL);
	stop_at(5 * PERIOD);
	stop_at(15 * PERIOD - 1);
	assert_null(w.vm.why_hopeless(w.vm.ctx));
	assert_int_equal(w.dump.len, 0);
	stop_at(15 * PERIOD);
	assert_non_null(w.vm.why_hopeless(w.vm.ctx));
	assert_non_null(strstr(str_get(&w.dump), "the end of the time that the guest had"));
	assert_int_equal(count_in(&w.dump, "\"is_halted\":true"), 1);
	/* What is dumped at the stop is not asked of QEMU again. */
	w.vm.end(w.vm.ctx);
	assert_int_equal(asked, 0);
}

/* Jiffies go on twice and then stand still. */
static void a_guest_that_hangs_is_not_waited_for(void **state)
{
	uint64_t limit = hang_limit_ns(VM_ACCEL_SIM);

	(void)state;
	image.layout.symbols[SYM_JIFFIES] = IMAGE_TEXT + JIFFIES;
	open_it(false, NULL);
	for (unsigned int i = 1; i <= 3; i++) {
		image_put(&image, image.load + JIFFIES, i, 8);
		stop_at(i * PERIOD);
	}
	stop_at(3 * PERIOD + limit);
	assert_null(w.vm.why_hopeless(w.vm.ctx));
	is_stuck = true;
	stop_at(3 * PERIOD + 2 * limit - 1);
	assert_null(w.vm.why_hopeless(w.vm.ctx));
	assert_int_equal(w.dump.len, 0);
	stop_at(3 * PERIOD + 2 * limit);
	assert_non_null(strstr(w.vm.why_hopeless(w.vm.ctx),
			       "the guest hangs: no CPU took a timer interrupt for 5 s"));
	assert_non_null(strstr(w.vm.why_hopeless(w.vm.ctx), "cpu0 in 0xffffffff81000110"));
	assert_non_null(strstr(str_get(&w.dump), "hangs with interrupts disabled"));
}

static void a_guest_with_a_result_is_not_late(void **state)
{
	struct channel_frame result = { .type = CHANNEL_TEST_RESULT };

	(void)state;
	session.guest_limit_ns = 10 * PERIOD;
	open_it(false, NULL);
	stop_at(PERIOD);
	watcher_hear(&w, &result);
	stop_at(100 * PERIOD);
	assert_null(w.vm.why_hopeless(w.vm.ctx));
	/* It has as much time again, to end in. */
	stop_at(110 * PERIOD - 1);
	assert_null(w.vm.why_hopeless(w.vm.ctx));
	stop_at(110 * PERIOD);
	assert_string_equal(w.vm.why_hopeless(w.vm.ctx),
			    "the guest does not end: its own clock went on for 1 s");
}

/* A scheduler that is told to leave may hang the guest with what it does then. */
static void a_hang_behind_the_result_is_seen(void **state)
{
	uint64_t limit = hang_limit_ns(VM_ACCEL_SIM);

	(void)state;
	image.layout.symbols[SYM_JIFFIES] = IMAGE_TEXT + JIFFIES;
	open_it(false, NULL);
	for (unsigned int i = 1; i <= 3; i++) {
		image_put(&image, image.load + JIFFIES, i, 8);
		stop_at(i * PERIOD);
	}
	watcher_hear(&w, &(struct channel_frame){ .type = CHANNEL_TEST_RESULT });
	/* It leaves, which is no exit that a dump is taken of. */
	stop((struct trace_stop){ .reason = TRACE_STOP_CALL, .counter = 4 * PERIOD });
	request(4 * PERIOD, TRACE_REQUEST_SNAPSHOT, "late");
	assert_int_equal(w.dump.len + w.snapshots.len, 0);
	is_stuck = true;
	stop_at(3 * PERIOD + limit);
	assert_non_null(strstr(w.vm.why_hopeless(w.vm.ctx), "the guest hangs: "));
	assert_non_null(strstr(str_get(&w.dump), "hangs with interrupts disabled"));
}

static const struct ktstr_assert limits = { .max_imbalance_ratio = 4, .sustained_samples = 3 };

/* Nine tasks on one CPU, and none on the other; clocks go on. */
static void set_uneven(uint64_t clock)
{
	image_put(&image, image_of_cpu(0, IMAGE_RUNQUEUES), 9, 4);
	image_put(&image, image_of_cpu(1, IMAGE_RUNQUEUES), 0, 4);
	image_put(&image, image_of_cpu(0, IMAGE_RUNQUEUES) + 8, clock, 8);
}

static void a_violation_that_lasts_is_looked_at_early(void **state)
{
	struct channel_header header = {};
	struct channel_mapping mapping = { &header, sizeof(header) };
	size_t len;

	(void)state;
	guest.channel.io = channel_io_mapping(&mapping, true);
	open_it(false, NULL);
	w.limits = &limits;
	for (unsigned int i = 1; i <= 2; i++) {
		set_uneven(6000 + i);
		stop_at(i * PERIOD);
	}
	assert_int_equal(w.early.len, 0);
	assert_int_equal(header.dump_request, 0);
	set_uneven(6003);
	stop_at(3 * PERIOD);
	assert_int_equal(count_in(&w.early, "\"a sustained violation:\""), 1);
	assert_int_equal(count_in(&w.early, "\"imbalance ratio 9.0 exceeded threshold 4.0 for 3 "),
			 1);
	assert_int_equal(count_in(&w.early, "\"virtual_ns\":300000000"), 1);
	assert_int_equal(count_in(&w.early, "\"is_halted\":true"), 1);
	assert_int_equal(header.dump_request, CHANNEL_DUMP_REQUEST);
	/* Once; and the failure itself is another moment. */
	header.dump_request = 0;
	len = w.early.len;
	set_uneven(6004);
	stop_at(4 * PERIOD);
	stop((struct trace_stop){ .reason = TRACE_STOP_CALL, .counter = 4 * PERIOD });
	assert_int_equal(header.dump_request, 0);
	assert_int_equal(w.early.len, len);
	assert_int_equal(count_in(&w.dump, "scheduler exit"), 1);
	guest.channel.io = (struct channel_io){};
}

/* By our clock, as in kvm; nobody has told QEMU to go on. */
static void a_guest_that_stays_stopped_is_not_waited_for(void **state)
{
	(void)state;
	session.spec.accel = VM_ACCEL_TCG;
	open_it(false, NULL);
	w.limits = &limits;
	is_lost = true;
	for (unsigned int i = 1; i <= 3; i++) {
		assert_null(w.vm.why_hopeless(w.vm.ctx));
		set_uneven(6000 + i);
		w.sample_ns = 0;
		assert_int_equal(w.vm.look(w.vm.ctx), 0);
	}
	assert_int_equal(asked, 1);
	assert_int_not_equal(w.early.len, 0);
	assert_int_equal(count_in(&w.early, "\"icount\":null"), 1);
	assert_string_equal(w.vm.why_hopeless(w.vm.ctx),
			    "QEMU did not let the guest go on after it was read");
}

/* The first 20 samples of a run that will have more. */
static void a_long_run_settles_first(void **state)
{
	struct snapshots_wish wish = { .duration_ns = 21 * PERIOD };

	(void)state;
	open_it(false, &wish);
	w.limits = &limits;
	for (unsigned int i = 1; i <= 22; i++) {
		set_uneven(6000 + i);
		stop_at(i * PERIOD);
	}
	assert_int_equal(w.early.len, 0);
	set_uneven(7000);
	stop_at(23 * PERIOD);
	assert_int_not_equal(w.early.len, 0);
}

#define WATCHDOG 0x7810
#define VMALLOC_BASE 0x7818
#define RUNNABLE 0x200 /* in a run queue */
#define RUNNABLE_NODE 0x200
#define RUNNABLE_AT 0x210

/* Somebody has waited for half of the watchdog's time; who is checked first became runnable later. */
static void a_task_that_waits_too_long_is_looked_at_early(void **state)
{
	uint64_t head = image_of_cpu(1, IMAGE_RUNQUEUES) + RUNNABLE;

	(void)state;
	image.layout.symbols[SYM_JIFFIES] = IMAGE_TEXT + JIFFIES;
	image.layout.symbols[SYM_SCX_WATCHDOG] = IMAGE_TEXT + WATCHDOG;
	image.layout.members[M_RQ_RUNNABLE] = RUNNABLE;
	image.layout.members[M_TASK_RUNNABLE] = RUNNABLE_NODE;
	image.layout.members[M_TASK_RUNNABLE_AT] = RUNNABLE_AT;
	for (unsigned int i = 0; i < IMAGE_CPUS; i++)
		image_put(&image, image_of_cpu(i, IMAGE_RUNQUEUES) + RUNNABLE,
			  QI_VIRTUAL(image_of_cpu(i, IMAGE_RUNQUEUES) + RUNNABLE), 8);
	image_put(&image, head, QI_VIRTUAL(qi_task(1) + RUNNABLE_NODE), 8);
	image_put(&image, qi_task(1) + RUNNABLE_NODE, QI_VIRTUAL(qi_task(2) + RUNNABLE_NODE), 8);
	image_put(&image, qi_task(2) + RUNNABLE_NODE, QI_VIRTUAL(head), 8);
	image_put(&image, qi_task(1) + RUNNABLE_AT, 5900, 8);
	image_put(&image, qi_task(2) + RUNNABLE_AT, 5000, 8);
	image_put(&image, image.load + WATCHDOG, 2000, 8);
	image_put(&image, image.load + JIFFIES, 5999, 8);
	open_it(false, NULL);
	stop_at(PERIOD);
	assert_int_equal(w.early.len, 0);
	image_put(&image, image.load + JIFFIES, 6000, 8);
	for (unsigned int i = 2; i <= 5; i++)
		stop_at(i * PERIOD);
	assert_int_equal(w.early.len, 0);
	stop_at(6 * PERIOD);
	assert_int_equal(count_in(&w.early, "half of the watchdog's timeout"), 1);
	assert_false(w.has_violation);
	/* A list that does not end. */
	image_put(&image, qi_task(2) + RUNNABLE_AT, 6000, 8);
	image_put(&image, qi_task(2) + RUNNABLE_NODE, QI_VIRTUAL(qi_task(1) + RUNNABLE_NODE), 8);
	str_reset(&w.early);
	for (unsigned int i = 7; i <= 11; i++)
		stop_at(i * PERIOD);
	assert_int_equal(w.early.len, 0);
}

static void a_core_is_written_with_the_dump(void **state)
{
	_free_ char *dir = unit_temp_create(), *path = str_fmt("%s/core", dir);
	_str_ struct str core = {};
	Elf64_Ehdr head;

	(void)state;
	open_it(false, NULL);
	w.core = path;
	stop((struct trace_stop){ .reason = TRACE_STOP_CALL, .counter = PERIOD });
	assert_true(w.has_core);
	assert_int_equal(file_read(path, &core), 0);
	assert_true(core.len > IMAGE_BYTES);
	memcpy(&head, core.s, sizeof(head));
	assert_int_equal(head.e_type, ET_CORE);
	assert_int_equal(head.e_machine, EM_X86_64);
	/* Page tables that lead to themselves map everything. */
	image.layout.symbols[SYM_VMALLOC_BASE] = IMAGE_TEXT + VMALLOC_BASE;
	image_put(&image, image.load + VMALLOC_BASE, 0xffffc90000000000, 8);
	for (unsigned int i = 0; i < 512; i++)
		image_put(&image, image.load + IMAGE_TABLE + 8ULL * i,
			  (image.load + IMAGE_TABLE) | 1, 8);
	w.layout = image.layout;
	str_reset(&w.dump);
	str_reset(&core);
	stop((struct trace_stop){ .reason = TRACE_STOP_CALL, .counter = PERIOD });
	assert_true(w.has_core);
	assert_int_equal(file_read(path, &core), 0);
	memcpy(&head, core.s, sizeof(head));
	assert_int_equal(head.e_phnum, 16384 + 1);
	/* A place that is not there. */
	str_reset(&w.dump);
	w.core = "/nowhere/core";
	stop((struct trace_stop){ .reason = TRACE_STOP_CALL, .counter = PERIOD });
	assert_false(w.has_core);
	assert_non_null(strstr(str_get(&w.core_problem), "/nowhere/core"));
	assert_int_not_equal(w.dump.len, 0);
	unit_temp_remove(take_ptr(&dir));
}

static void a_guest_with_a_result_is_not_asked(void **state)
{
	struct trace_answer answer;

	(void)state;
	open_it(false, NULL);
	watcher_hear(&w, &(struct channel_frame){ .type = CHANNEL_EXIT });
	w.vm.end(w.vm.ctx);
	assert_int_equal(asked, 0);
	assert_int_equal(w.dump.len, 0);
	/* Nobody waits for an answer that does not come. */
	assert_int_equal(recv(w.plugin.fds[1], &answer, sizeof(answer), MSG_DONTWAIT),
			 sizeof(answer));
	assert_true(answer.next == UINT64_MAX);
}

/* Three in the middle eight tenths of ten periods. */
static void periodic_snapshots_are_taken(void **state)
{
	struct snapshots_wish wish = { .periodic = 3, .duration_ns = 10 * PERIOD };
	struct trace_answer answer;

	(void)state;
	open_it(false, &wish);
	stop_at(PERIOD);
	request(2 * PERIOD, TRACE_REQUEST_BEGIN, "");
	assert_int_equal(w.snapshots.len, 0);
	answer = stop((struct trace_stop){ .counter = 4 * PERIOD });
	assert_int_equal(count_in(&w.snapshots, "periodic_"), 0);
	assert_int_equal(answer.next, 5 * PERIOD);
	stop_at(5 * PERIOD);
	assert_int_equal(count_in(&w.snapshots, "\"periodic_000\""), 1);
	assert_int_equal(w.plan.taken, 1);
	/* Those that it slept through. */
	stop_at(9 * PERIOD);
	assert_int_equal(count_in(&w.snapshots, "\"periodic_002\""), 1);
	assert_int_equal(w.plan.taken, 3);
	stop_at(20 * PERIOD);
	assert_int_equal(w.plan.taken, 3);
}

static void requests_are_answered_with_snapshots(void **state)
{
	(void)state;
	open_it(false, NULL);
	request(PERIOD, TRACE_REQUEST_SNAPSHOT, "mine");
	assert_int_equal(count_in(&w.snapshots, "\"mine\""), 1);
	for (size_t i = 0; i < SNAPSHOTS_MAX + 3; i++)
		request(PERIOD, TRACE_REQUEST_SNAPSHOT, "more");
	assert_int_equal(count_in(&w.snapshots, "\"more\""), SNAPSHOTS_MAX - 1);
}

/* Where no plugin hears a test, it asks by a frame. */
static void requests_are_frames_without_the_plugin(void **state)
{
	const size_t bytes = sizeof(struct channel_snapshot);
	char longest[sizeof(((struct channel_snapshot *)NULL)->name) + 1] = {};

	(void)state;
	session.spec.accel = VM_ACCEL_TCG;
	open_it(false, NULL);
	assert_int_equal(w.vm.look(w.vm.ctx), 0);
	ask(TRACE_REQUEST_SNAPSHOT, "short", bytes - 1);
	ask(TRACE_REQUEST_SNAPSHOT, "long", bytes + 1);
	assert_int_equal(asked, 0);
	ask(TRACE_REQUEST_SNAPSHOT, "mine", bytes);
	assert_int_equal(asked, 1);
	assert_int_equal(count_in(&w.snapshots, "\"mine\""), 1);
	ask(TRACE_REQUEST_SNAPSHOT, "", bytes);
	assert_int_equal(count_in(&w.snapshots, "\"trigger\":\"request\""), 2);
	/* One without an end is cut. */
	memset(longest, 'x', sizeof(longest) - 1);
	ask(TRACE_REQUEST_SNAPSHOT, longest, bytes);
	longest[sizeof(longest) - 2] = '\0';
	assert_non_null(strstr(str_get(&w.snapshots), longest));
	assert_false(w.plan.has_begun);
	ask(TRACE_REQUEST_BEGIN, "", bytes);
	assert_true(w.plan.has_begun);
	assert_int_equal(w.snapshot_count, 3);
	/* It has ended. */
	watcher_hear(&w, &(struct channel_frame){ .type = CHANNEL_EXIT });
	ask(TRACE_REQUEST_SNAPSHOT, "late", bytes);
	assert_int_equal(w.snapshot_count, 3);
	watcher_close(&w);
	/* The plugin has heard it already. */
	session.spec.accel = VM_ACCEL_SIM;
	open_it(false, NULL);
	ask(TRACE_REQUEST_SNAPSHOT, "mine", bytes);
	assert_int_equal(w.snapshot_count, 0);
}

/* With each sample, as long as there is a scheduler, of which the variables are. */
static void invariants_are_checked_while_there_is_a_scheduler(void **state)
{
	static const char *const texts[] = { "no_such_variable > 0" };
	struct snapshots_wish wish = { .invariants = texts, .invariant_count = 1 };

	(void)state;
	maps_image_fill(&image);
	image_set(&image, IMAGE_SCX_ROOT, 0, 8);
	open_it(false, &wish);
	stop_at(PERIOD);
	assert_int_equal(w.invariants.looks, 0);
	image_set(&image, IMAGE_SCX_ROOT, QI_VIRTUAL(QI_SCHED), 8);
	stop_at(2 * PERIOD);
	assert_int_equal(w.invariants.looks, 1);
	stop_at(3 * PERIOD);
	assert_int_equal(w.invariants.looks, 2);
	watcher_close(&w);
	open_it(false, NULL);
	stop_at(PERIOD);
	assert_int_equal(w.invariants.looks, 0);
}

#define EXIT_KIND 0x300

static void look_by_clock(void)
{
	w.sample_ns = 0;
	assert_int_equal(w.vm.look(w.vm.ctx), 0);
}

/* Nothing stops the guest then, so it is looked for; the end of a test is no exit. */
static void an_exit_is_looked_for_without_the_plugin(void **state)
{
	(void)state;
	session.spec.accel = VM_ACCEL_TCG;
	image.layout.members[M_SCHED_EXIT_KIND] = EXIT_KIND;
	open_it(false, NULL);
	look_by_clock();
	w.sample_ns = UINT64_MAX - 1;
	assert_false(w.vm.is_due(w.vm.ctx));
	image_put(&image, QI_SCHED + EXIT_KIND, 1023, 4);
	assert_false(w.vm.is_due(w.vm.ctx));
	image_put(&image, QI_SCHED + EXIT_KIND, 1024, 4);
	watcher_hear(&w, &(struct channel_frame){ .type = CHANNEL_EXIT });
	assert_false(w.vm.is_due(w.vm.ctx));
	w.is_over = false;
	assert_true(w.vm.is_due(w.vm.ctx));
	assert_int_equal(w.vm.look(w.vm.ctx), 0);
	assert_int_equal(asked, 1);
	assert_int_equal(count_in(&w.dump, "scheduler exit"), 1);
	assert_int_equal(count_in(&w.dump, "\"is_halted\":true"), 1);
	/* Once. */
	assert_false(w.vm.is_due(w.vm.ctx));
	look_by_clock();
	assert_int_equal(asked, 1);
	watcher_close(&w);
	/* The plugin tells of it. */
	session.spec.accel = VM_ACCEL_SIM;
	open_it(false, NULL);
	stop_at(PERIOD);
	assert_false(w.vm.is_due(w.vm.ctx));
}

/* Its figures are compared, and a guest that stands still is slower. */
static void a_guest_in_performance_mode_is_not_stopped(void **state)
{
	(void)state;
	for (int is_performance = 0; is_performance < 2; is_performance++) {
		asked = 0;
		session.spec.accel = VM_ACCEL_KVM;
		session.spec.is_performance = is_performance;
		open_it(false, NULL);
		w.limits = &limits;
		for (unsigned int i = 1; i <= 3; i++) {
			set_uneven(6000 + i);
			look_by_clock();
		}
		assert_int_equal(asked, !is_performance);
		assert_int_equal(count_in(&w.early, "\"is_halted\":true"), !is_performance);
		assert_int_equal(count_in(&w.early, "a sustained violation:"), 1);
		watcher_close(&w);
	}
}

/* A template that cannot be restored is tried a second time. */
static void a_second_attempt_begins_anew(void **state)
{
	struct trace_stop stale = { .counter = PERIOD };

	(void)state;
	session.guest_limit_ns = 10 * PERIOD;
	open_it(false, NULL);
	w.limits = &limits;
	for (unsigned int i = 1; i <= 3; i++) {
		set_uneven(6000 + i);
		stop_at(i * PERIOD);
	}
	assert_true(w.early.len && w.has_violation && w.has_space && w.first_ns);
	assert_true(w.still.clock_ns != 0);
	assert_int_equal(send(w.plugin.fds[1], &stale, sizeof(stale), 0), sizeof(stale));
	w.vm.begin(w.vm.ctx, &guest);
	assert_false(w.vm.is_due(w.vm.ctx));
	assert_int_equal(w.early.len, 0);
	assert_false(w.has_violation || w.has_space || w.has_exit);
	assert_true(w.has_memory);
	assert_int_equal(w.first_ns, 0);
	assert_true(w.still.since_ns == 0 && w.still.clock_ns == 0);
	/* Its time begins with its own first stop. */
	stop_at(50 * PERIOD);
	stop_at(60 * PERIOD - 1);
	assert_null(w.vm.why_hopeless(w.vm.ctx));
	stop_at(60 * PERIOD);
	assert_non_null(w.vm.why_hopeless(w.vm.ctx));
}

static size_t shows;

static void note_show(void *ctx, struct space *space, const struct moment *m)
{
	assert_ptr_equal(ctx, &shows);
	assert_non_null(space);
	assert_null(m);
	shows++;
}

static void the_first_scheduler_is_shown_once(void **state)
{
	(void)state;
	shows = 0;
	image_set(&image, IMAGE_SCX_ROOT, 0, 8);
	open_it(false, NULL);
	w.show = note_show;
	w.show_ctx = &shows;
	stop_at(PERIOD);
	assert_int_equal(shows, 0);
	image_set(&image, IMAGE_SCX_ROOT, QI_VIRTUAL(QI_SCHED), 8);
	stop_at(2 * PERIOD);
	stop_at(3 * PERIOD);
	assert_int_equal(shows, 1);
}

static void a_variable_that_is_not_there_is_not_watched(void **state)
{
	struct snapshots_wish wish = { .watches = { "no_such_variable" }, .watch_count = 1 };

	(void)state;
	open_it(false, &wish);
	assert_non_null(strstr(w.plugin.option, ",stop_watch=1"));
	request(PERIOD, TRACE_REQUEST_BEGIN, "");
	assert_non_null(strstr(str_get(&w.problems), "watch_snapshots: symbol 'no_such_variable'"));
	assert_int_equal(stop((struct trace_stop){ .counter = PERIOD }).watch_count, 0);
	/* Nor is anything written to it. */
	stop((struct trace_stop){ .reason = TRACE_STOP_WATCH });
	assert_int_equal(w.snapshots.len, 0);
}

static void a_guest_that_cannot_be_watched_runs_all_the_same(void **state)
{
	(void)state;
	btf_rc = -ENOENT;
	watcher_open(&w, &session, "vmlinux", false, NULL, NULL);
	assert_null(session.watcher);
	assert_null(session.plugin);
	assert_string_equal(w.series.problem, "no types");
	watcher_close(&w);
	btf_rc = 0;
	memory_rc = -EPERM;
	open_it(false, NULL);
	assert_string_equal(w.series.problem, "no memory of it");
	stop_at(PERIOD);
	assert_int_equal(w.series.samples.count, 0);
	w.vm.end(w.vm.ctx);
	assert_int_equal(w.dump.len, 0);
}

/* Without the plugin our own clock tells when. */
static void other_guests_are_looked_at_by_our_clock(void **state)
{
	(void)state;
	session.spec.accel = VM_ACCEL_TCG;
	open_it(false, NULL);
	assert_null(session.plugin);
	assert_int_equal(w.vm.fd, -1);
	assert_true(w.vm.is_due(w.vm.ctx));
	assert_int_equal(w.vm.look(w.vm.ctx), 0);
	assert_int_equal(w.series.samples.count, 1);
	assert_false(w.series.is_exact);
	w.sample_ns = UINT64_MAX - 1;
	assert_false(w.vm.is_due(w.vm.ctx));
	assert_int_equal(w.vm.look(w.vm.ctx), 0);
	assert_int_equal(w.series.samples.count, 1);
	watcher_close(&w);
	/* In tcg it may be there as well, for vCPUs that are threads. */
	open_it(false, &(struct snapshots_wish){ .in_tcg = true });
	assert_non_null(strstr(w.plugin.option, ",stop_threads=1"));
	watcher_close(&w);
	session.plugin = NULL;
	/* It does not understand other machines than x86-64. */
	session.spec.arch = VM_ARCH_AARCH64;
	open_it(false, &(struct snapshots_wish){ .in_tcg = true });
	assert_null(session.plugin);
	assert_int_equal(w.ours, -1);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
	const struct CMUnitTest tests[] = {
		TEST(the_plugin_is_told_what_to_stop_at),
		TEST(samples_are_taken_at_their_times),
		TEST(nothing_counts_before_the_scheduler),
		TEST(a_kernel_is_looked_for_until_it_is_there),
		TEST(the_first_exit_is_dumped),
		TEST(a_guest_without_a_result_is_dumped_at_its_end),
		TEST(a_guest_has_its_own_time_and_no_more),
		TEST(a_guest_that_hangs_is_not_waited_for),
		TEST(a_guest_with_a_result_is_not_late),
		TEST(a_hang_behind_the_result_is_seen),
		TEST(a_violation_that_lasts_is_looked_at_early),
		TEST(a_guest_that_stays_stopped_is_not_waited_for),
		TEST(a_long_run_settles_first),
		TEST(a_task_that_waits_too_long_is_looked_at_early),
		TEST(a_core_is_written_with_the_dump),
		TEST(a_guest_with_a_result_is_not_asked),
		TEST(periodic_snapshots_are_taken),
		TEST(requests_are_answered_with_snapshots),
		TEST(requests_are_frames_without_the_plugin),
		TEST(invariants_are_checked_while_there_is_a_scheduler),
		TEST(an_exit_is_looked_for_without_the_plugin),
		TEST(a_guest_in_performance_mode_is_not_stopped),
		TEST(a_second_attempt_begins_anew),
		TEST(the_first_scheduler_is_shown_once),
		TEST(a_variable_that_is_not_there_is_not_watched),
		TEST(a_guest_that_cannot_be_watched_runs_all_the_same),
		TEST(other_guests_are_looked_at_by_our_clock),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
