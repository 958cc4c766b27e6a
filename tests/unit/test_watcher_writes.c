// SPDX-License-Identifier: GPL-2.0-only
/*
 * A guest by our own clock: variables that are watched by QEMU's gdb stub, time that it stands
 * still, and coverage of its BPF programs.
 */
#include "watcher_scene.h"

#define STATE 0x7820 /* a variable in the kernel's image */
#define STATE_LINES "ffffffff81007820 D my_state\n"

static uint64_t now_ns, stop_takes_ns, call_takes_ns, used_ns;
static bool has_tids, has_times;

uint64_t __wrap_clock_mono_ns(void);
int __wrap_vm_vcpu_threads(struct qmp *qmp, pid_t *tids, size_t count, uint64_t timeout_ns);
bool __wrap_vm_thread_time(pid_t pid, pid_t tid, uint64_t *run_ns, uint64_t *wait_ns);
uint64_t __wrap_vm_used_ns(pid_t pid);
bool __real_guest_freeze(struct vm *vm, bool by_monitor);
bool __wrap_guest_freeze(struct vm *vm, bool by_monitor);

uint64_t __wrap_clock_mono_ns(void)
{
	uint64_t then = now_ns;

	now_ns += call_takes_ns;
	return then;
}

int __wrap_vm_vcpu_threads(struct qmp *qmp, pid_t *tids, size_t count, uint64_t timeout_ns)
{
	(void)qmp;
	(void)timeout_ns;
	for (size_t i = 0; i < count; i++)
		tids[i] = (pid_t)(100 + i);
	return has_tids ? 0 : err_set(EPROTO, "not told");
}

bool __wrap_vm_thread_time(pid_t pid, pid_t tid, uint64_t *run_ns, uint64_t *wait_ns)
{
	(void)pid;
	*run_ns = (uint64_t)tid * 7;
	*wait_ns = 0;
	return has_times;
}

uint64_t __wrap_vm_used_ns(pid_t pid)
{
	(void)pid;
	return used_ns;
}

bool __wrap_guest_freeze(struct vm *vm, bool by_monitor)
{
	/* Nobody stops this process. */
	assert_true(by_monitor);
	now_ns += stop_takes_ns;
	return __real_guest_freeze(vm, by_monitor);
}

/* ---- coverage, which is played ---- */

static struct bpf_blocks counted;
static struct str blocks_told;
static bool is_mark;

int __wrap_bpf_blocks_set_kernel(struct bpf_blocks *b, const struct symbols *symbols);
void __wrap_bpf_blocks_reset(struct bpf_blocks *b);
void __wrap_bpf_blocks_begin(struct bpf_blocks *b, struct space *space);
void __wrap_bpf_blocks_stop(struct bpf_blocks *b, struct space *space, uint64_t program);
bool __wrap_bpf_blocks_mark(struct bpf_blocks *b, uint64_t tag);

int __wrap_bpf_blocks_set_kernel(struct bpf_blocks *b, const struct symbols *symbols)
{
	(void)symbols;
	assert_ptr_equal(b, &counted);
	str_add(&blocks_told, "kernel ");
	return 0;
}

void __wrap_bpf_blocks_reset(struct bpf_blocks *b)
{
	assert_ptr_equal(b, &counted);
	str_add(&blocks_told, "reset ");
}

void __wrap_bpf_blocks_begin(struct bpf_blocks *b, struct space *space)
{
	assert_ptr_equal(b, &counted);
	assert_ptr_equal(space, &w.space);
	str_add(&blocks_told, "begin ");
}

void __wrap_bpf_blocks_stop(struct bpf_blocks *b, struct space *space, uint64_t program)
{
	assert_ptr_equal(b, &counted);
	str_addf(&blocks_told, "stop %llx%s ", ULL(program), space ? "" : " without a kernel");
}

bool __wrap_bpf_blocks_mark(struct bpf_blocks *b, uint64_t tag)
{
	assert_ptr_equal(b, &counted);
	str_addf(&blocks_told, "mark %llu ", ULL(tag));
	return is_mark;
}

static int start(void **state)
{
	now_ns = 1000 * NSEC_PER_SEC;
	stop_takes_ns = call_takes_ns = used_ns = 0;
	has_tids = has_times = is_mark = false;
	counted = (struct bpf_blocks){ .fd = 77 };
	guest.spec.is_restored = false;
	str_reset(&blocks_told);
	return set_up(state);
}

static int stop_all(void **state)
{
	str_finish(&blocks_told);
	blocks_told = (struct str){};
	return tear_down(state);
}

static const size_t frame_bytes = sizeof(struct channel_snapshot);

/* ---- the stub ---- */

static void say(const char *data)
{
	_str_ struct str packet = {};

	packet_add(&packet, data, strlen(data));
	assert_int_equal(write(w.stub.theirs, packet.s, packet.len), packet.len);
}

/* What QEMU heard, without sums and acknowledgements. */
static void expect_heard(const char *text)
{
	_str_ struct str told = {};
	char heard[512] = "";
	ssize_t n = recv(w.stub.theirs, heard, sizeof(heard) - 1, MSG_DONTWAIT);

	(void)n;
	for (char *at = heard; (at = strchr(at, '$'));) {
		char *end = strchr(at, '#');

		assert_non_null(end);
		str_addf(&told, "%.*s ", (int)(end - at - 1), at + 1);
		at = end;
	}
	assert_string_equal(str_get(&told), text);
}

static void open_stub(const struct snapshots_wish *wish)
{
	session.spec.accel = VM_ACCEL_KVM;
	symbol_lines = STATE_LINES;
	open_it(false, wish);
}

static const struct snapshots_wish watches_state = { .watches = { "my_state" }, .watch_count = 1 };

static void begin_to_watch(void)
{
	open_stub(&watches_state);
	say("OK");
	ask(TRACE_REQUEST_BEGIN, "", frame_bytes);
	assert_string_equal(str_get(&w.problems), "");
	expect_heard("Z2,ffffffff81007820,4 c ");
	assert_false(w.stub.is_held);
	assert_int_equal(asked, 1);
	assert_int_equal(w.stub.watch_count, 1);
}

#define HIT "T05thread:01;watch:ffffffff81007820;"

static void a_stub_is_there_where_writes_are_watched(void **state)
{
	(void)state;
	open_stub(&watches_state);
	assert_ptr_equal(session.plugin, &w.plugin);
	assert_int_equal(w.plugin.fd_count, 1);
	assert_int_equal(w.plugin.gdb_fd, w.stub.theirs);
	assert_int_equal(w.plugin.fds[0], w.stub.theirs);
	assert_int_equal(w.vm.fd, w.stub.ours);
	assert_false(w.stub.stops_before);
	assert_null(w.plugin.option);
	watcher_close(&w);
	assert_int_equal(w.stub.ours, -1);
	assert_int_equal(w.plugin.fds[0], -1);
	session.spec.arch = VM_ARCH_AARCH64;
	open_stub(&watches_state);
	assert_true(w.stub.stops_before);
	watcher_close(&w);
	session.spec.arch = VM_ARCH_X86_64;
	session.plugin = NULL;
	open_stub(NULL);
	assert_null(session.plugin);
	assert_int_equal(w.vm.fd, -1);
	assert_int_equal(w.stub.ours, -1);
}

static void a_write_is_a_snapshot(void **state)
{
	(void)state;
	begin_to_watch();
	w.sample_ns = UINT64_MAX - 1;
	assert_false(w.vm.is_due(w.vm.ctx));
	say(HIT);
	assert_true(w.vm.is_due(w.vm.ctx));
	assert_int_equal(w.vm.look(w.vm.ctx), 0);
	assert_int_equal(count_in(&w.snapshots, "\"trigger\":\"write to\""), 1);
	assert_int_equal(count_in(&w.snapshots, "\"my_state\""), 1);
	expect_heard("c ");
	assert_int_equal(w.write_count, 1);
	assert_false(w.stub.is_held || w.stub.has_hit);
	/* It was not stopped by the monitor, and a look at that is no sample. */
	assert_int_equal(asked, 1);
	assert_int_equal(w.series.samples.count, 0);
	/* What stopped for another reason is not ours to let go on. */
	say("T02thread:01;");
	assert_int_equal(w.vm.look(w.vm.ctx), 0);
	expect_heard("");
	assert_false(w.stub.is_held);
	assert_int_equal(w.write_count, 1);
}

static void writes_are_told_up_to_a_limit(void **state)
{
	(void)state;
	begin_to_watch();
	w.write_count = SNAPSHOTS_MAX - 2;
	say(HIT);
	assert_int_equal(w.vm.look(w.vm.ctx), 0);
	expect_heard("c ");
	say(HIT);
	say("OK");
	assert_int_equal(w.vm.look(w.vm.ctx), 0);
	assert_int_equal(count_in(&w.snapshots, "\"write to\""), 2);
	assert_int_equal(w.write_count, SNAPSHOTS_MAX);
	expect_heard("z2,ffffffff81007820,4 ");
	assert_int_equal(w.stub.watch_count, 0);
	assert_null(w.vm.why_hopeless(w.vm.ctx));
}

static void nothing_is_watched_behind_the_result(void **state)
{
	(void)state;
	begin_to_watch();
	watcher_hear(&w, &(struct channel_frame){ .type = CHANNEL_EXIT });
	say(HIT);
	say("OK");
	assert_int_equal(w.vm.look(w.vm.ctx), 0);
	assert_int_equal(w.snapshots.len, 0);
	expect_heard("z2,ffffffff81007820,4 ");
	assert_int_equal(w.stub.watch_count, 0);
}

/* The stub tells of the stop that the monitor was asked for, or of a write at that moment. */
static void a_stop_and_a_write_may_come_together(void **state)
{
	(void)state;
	begin_to_watch();
	say("T02thread:01;");
	ask(TRACE_REQUEST_SNAPSHOT, "mine", frame_bytes);
	assert_int_equal(asked, 2);
	assert_int_equal(count_in(&w.snapshots, "\"mine\""), 1);
	assert_int_equal(w.write_count, 0);
	expect_heard("c ");
	say(HIT);
	ask(TRACE_REQUEST_SNAPSHOT, "again", frame_bytes);
	assert_int_equal(count_in(&w.snapshots, "\"again\""), 1);
	assert_int_equal(count_in(&w.snapshots, "\"write to\""), 1);
	assert_int_equal(w.write_count, 1);
	expect_heard("c ");
	assert_false(w.stub.has_hit);
}

static void a_place_that_qemu_refuses_is_a_problem(void **state)
{
	static const struct snapshots_wish two = { .watches = { "my_state", "other" },
						   .watch_count = 2 };

	(void)state;
	open_stub(&two);
	symbol_lines = STATE_LINES "ffffffff81007824 D other\n";
	say("OK");
	say("E22");
	say("OK");
	ask(TRACE_REQUEST_BEGIN, "", frame_bytes);
	assert_non_null(strstr(str_get(&w.problems), "watch_snapshots: 'other': 4 bytes cannot"));
	expect_heard("Z2,ffffffff81007820,4 Z2,ffffffff81007824,4 z2,ffffffff81007820,4 ");
	assert_int_equal(w.plan.wish.watch_count, 0);
	assert_int_equal(w.stub.watch_count, 0);
	/* Only the first request is the beginning. */
	str_reset(&w.problems);
	ask(TRACE_REQUEST_BEGIN, "", frame_bytes);
	assert_int_equal(w.problems.len, 0);
	assert_int_equal(asked, 1);
}

/* ---- the plugin ---- */

static void the_plugin_is_told_of_places_from_the_beginning_on(void **state)
{
	const struct trace_stop write = { .reason = TRACE_STOP_WATCH, .counter = 2 * PERIOD };
	struct trace_stop other = write;
	struct trace_answer answer;

	(void)state;
	symbol_lines = STATE_LINES;
	open_it(false, &watches_state);
	assert_int_equal(w.stub.ours, -1);
	assert_int_equal(stop((struct trace_stop){ .counter = PERIOD }).watch_count, 0);
	request(PERIOD, TRACE_REQUEST_BEGIN, "");
	answer = stop((struct trace_stop){ .counter = 2 * PERIOD });
	assert_int_equal(answer.watch_count, 1);
	assert_true(answer.watches[0].address == IMAGE_TEXT + STATE);
	assert_int_equal(answer.watches[0].bytes, 4);
	stop(write);
	assert_int_equal(count_in(&w.snapshots, "\"write to\""), 1);
	assert_int_equal(count_in(&w.snapshots, "\"my_state\""), 1);
	/* There is no second one. */
	other.argument = 1;
	stop(other);
	assert_int_equal(w.write_count, 1);
	w.write_count = SNAPSHOTS_MAX - 1;
	assert_int_equal(stop(write).watch_count, 0);
	assert_int_equal(count_in(&w.snapshots, "\"write to\""), 2);
	stop(write);
	assert_int_equal(count_in(&w.snapshots, "\"write to\""), 2);
	w.write_count = 0;
	watcher_hear(&w, &(struct channel_frame){ .type = CHANNEL_EXIT });
	assert_int_equal(stop(write).watch_count, 0);
	assert_int_equal(w.write_count, 0);
	assert_int_equal(count_in(&w.snapshots, "\"write to\""), 2);
}

static void variables_are_written_at_the_beginning(void **state)
{
	static const char *const writes[] = { "total=7", "now.count=9" };
	static const char *const bad[] = { "total=8", "nothing=1", "now.count=3" };
	struct snapshots_wish wish = { .writes = writes, .write_count = 2 };
	uint64_t total = 0, at = mi_map(MI_SECTION) + MI_ARRAY_VALUE;
	uint32_t count = 0;

	(void)state;
	maps_image_fill(&image);
	for (int is_bad = 0; is_bad < 2; is_bad++) {
		if (is_bad)
			wish = (struct snapshots_wish){ .writes = bad, .write_count = 3 };
		open_it(false, &wish);
		request(PERIOD, TRACE_REQUEST_BEGIN, "");
		memcpy(&total, image.data + at + 24, 8);
		memcpy(&count, image.data + at, 4);
		assert_int_equal(total, is_bad ? 8 : 7);
		assert_int_equal(count, 9);
		if (is_bad)
			assert_true(str_starts(str_get(&w.problems), "bpf_map_write: "));
		else
			assert_int_equal(w.problems.len, 0);
		watcher_close(&w);
	}
	/* Without its kernel nobody knows where they are. */
	memset(image.data + image.load + IMAGE_BANNER, 0, 17);
	wish.watches[0] = "my_state";
	wish.watch_count = 1;
	open_it(false, &wish);
	request(PERIOD, TRACE_REQUEST_BEGIN, "");
	assert_true(str_starts(str_get(&w.problems), "bpf_map_write: "));
	assert_non_null(strstr(str_get(&w.problems), "\nwatch_snapshots: "));
}

/* ---- clocks ---- */

static void a_look_is_due_at_the_next_time(void **state)
{
	struct snapshots_wish wish = { .periodic = 1, .duration_ns = 10 * PERIOD };

	(void)state;
	session.spec.accel = VM_ACCEL_KVM;
	open_it(false, &wish);
	assert_int_equal(w.vm.look(w.vm.ctx), 0);
	assert_int_equal(w.series.samples.count, 1);
	assert_int_equal(w.sample_ns, now_ns + PERIOD);
	now_ns += PERIOD - 1;
	assert_false(w.vm.is_due(w.vm.ctx));
	assert_int_equal(w.vm.look(w.vm.ctx), 0);
	assert_int_equal(w.series.samples.count, 1);
	now_ns++;
	assert_true(w.vm.is_due(w.vm.ctx));
	assert_int_equal(w.vm.look(w.vm.ctx), 0);
	assert_int_equal(w.series.samples.count, 2);
	/* A snapshot between two samples: in the middle of ten periods. */
	ask(TRACE_REQUEST_BEGIN, "", frame_bytes);
	w.sample_ns = now_ns + 100 * PERIOD;
	now_ns += 5 * PERIOD - 1;
	assert_false(w.vm.is_due(w.vm.ctx));
	now_ns++;
	assert_true(w.vm.is_due(w.vm.ctx));
	assert_int_equal(w.vm.look(w.vm.ctx), 0);
	assert_int_equal(w.plan.taken, 1);
	assert_int_equal(w.series.samples.count, 2);
}

/* What the guest stands still for us is none of its time. */
static void time_that_it_stands_is_left_out(void **state)
{
	struct snapshots_wish wish = { .periodic = 1, .duration_ns = 10 * PERIOD };
	uint64_t since;

	(void)state;
	session.spec.accel = VM_ACCEL_KVM;
	open_it(false, &wish);
	ask(TRACE_REQUEST_BEGIN, "", frame_bytes);
	assert_int_equal(snapshots_next(&w.plan), now_ns + 5 * PERIOD);
	since = now_ns;
	/* Its clock stands since then. */
	assert_int_equal(w.vm.look(w.vm.ctx), 0);
	assert_int_equal(w.still.since_ns, since);
	stop_takes_ns = 30;
	ask(TRACE_REQUEST_SNAPSHOT, "mine", frame_bytes);
	assert_int_equal(snapshots_next(&w.plan), since + 5 * PERIOD + 30);
	assert_int_equal(w.still.since_ns, since + 30);
	/* Where nobody has let it go on there is nothing to leave out. */
	is_lost = true;
	ask(TRACE_REQUEST_SNAPSHOT, "mine", frame_bytes);
	assert_int_equal(w.still.since_ns, since + 30);
	assert_non_null(w.vm.why_hopeless(w.vm.ctx));
}

static void a_sample_has_a_budget(void **state)
{
	(void)state;
	session.spec.accel = VM_ACCEL_KVM;
	open_it(false, NULL);
	call_takes_ns = SERIES_BUDGET_NS;
	assert_int_equal(w.vm.look(w.vm.ctx), 0);
	assert_int_equal(w.series.overruns, 0);
	call_takes_ns = SERIES_BUDGET_NS + 1;
	w.sample_ns = 0;
	assert_int_equal(w.vm.look(w.vm.ctx), 0);
	assert_int_equal(w.series.overruns, 1);
}

static void look_at_clocks(uint64_t first, uint32_t running)
{
	image_put(&image, image_of_cpu(0, IMAGE_RUNQUEUES), running, 4);
	image_put(&image, image_of_cpu(1, IMAGE_RUNQUEUES), 1, 4);
	image_put(&image, image_of_cpu(0, IMAGE_RUNQUEUES) + 8, first, 8);
	w.sample_ns = 0;
	assert_int_equal(w.vm.look(w.vm.ctx), 0);
}

/* Of a vCPU that has work and whose clock stands still: the host may not let it run. */
static void vcpus_that_stand_still_have_their_times(void **state)
{
	(void)state;
	session.spec.accel = VM_ACCEL_KVM;
	has_tids = has_times = true;
	open_it(false, NULL);
	assert_true(w.has_tids);
	look_at_clocks(6000, 2);
	assert_int_equal(w.now.cpus[0].vcpu_ns, 0);
	look_at_clocks(6000, 2);
	assert_int_equal(w.now.cpus[0].vcpu_ns, 700);
	assert_int_equal(w.now.cpus[1].vcpu_ns, 707);
	look_at_clocks(6001, 2);
	assert_int_equal(w.now.cpus[0].vcpu_ns, 0);
	assert_int_equal(w.now.cpus[1].vcpu_ns, 707);
	look_at_clocks(6001, 0);
	assert_int_equal(w.now.cpus[0].vcpu_ns, 0);
	has_times = false;
	look_at_clocks(6001, 2);
	assert_int_equal(w.now.cpus[0].vcpu_ns, 0);
	watcher_close(&w);
	has_times = true;
	has_tids = false;
	open_it(false, NULL);
	look_at_clocks(6000, 2);
	look_at_clocks(6000, 2);
	assert_int_equal(w.now.cpus[0].vcpu_ns, 0);
	watcher_close(&w);
	/* In sim vCPUs are no threads of their own. */
	has_tids = true;
	session.spec.accel = VM_ACCEL_SIM;
	open_it(false, NULL);
	assert_false(w.has_tids);
}

/* By QEMU's monitor, which answers where no vCPU waits for us. */
static void a_hang_is_looked_for_by_used_time(void **state)
{
	(void)state;
	image.layout.symbols[SYM_JIFFIES] = IMAGE_TEXT + JIFFIES;
	for (int has_plugin = 0; has_plugin < 2; has_plugin++) {
		uint64_t limit = hang_limit_ns(has_plugin ? VM_ACCEL_TCG : VM_ACCEL_KVM);

		asked = 0;
		used_ns = 0;
		is_stuck = true;
		session.spec.accel = has_plugin ? VM_ACCEL_TCG : VM_ACCEL_KVM;
		open_it(false, &(struct snapshots_wish){ .in_tcg = has_plugin });
		assert_int_equal(w.ours >= 0, has_plugin);
		for (unsigned int i = 1; i <= 3; i++) {
			image_put(&image, image.load + JIFFIES, i + 10 * has_plugin, 8);
			w.sample_ns = 0;
			assert_int_equal(w.vm.look(w.vm.ctx), 0);
		}
		now_ns += limit;
		used_ns += limit - 1;
		assert_int_equal(w.vm.look(w.vm.ctx), 0);
		assert_int_equal(asked, 0);
		now_ns += PERIOD;
		used_ns++;
		assert_int_equal(w.vm.look(w.vm.ctx), 0);
		assert_int_equal(asked, 1);
		assert_non_null(strstr(w.vm.why_hopeless(w.vm.ctx), "the guest hangs: "));
		assert_non_null(strstr(str_get(&w.dump), "hangs with interrupts disabled"));
		/* Once. */
		now_ns += limit;
		used_ns += limit;
		assert_int_equal(w.vm.look(w.vm.ctx), 0);
		assert_int_equal(asked, 1);
		watcher_close(&w);
	}
}

/* ---- coverage ---- */

static void coverage_is_told_of_each_stop(void **state)
{
	static const char *const texts[] = { "no_such_variable > 0" };
	struct snapshots_wish wish = { .invariants = texts, .invariant_count = 1 };
	const struct trace_stop mark = { .reason = TRACE_STOP_REQUEST,
					 .request = TRACE_REQUEST_SNAPSHOT,
					 .argument = 5 };

	(void)state;
	maps_image_fill(&image);
	image_set(&image, IMAGE_SCX_ROOT, QI_VIRTUAL(QI_SCHED), 8);
	image.layout.symbols[SYM_PROG_EVENT] = 0xdef0;
	blocks = &counted;
	open_it(false, &wish);
	assert_string_equal(str_get(&blocks_told), "reset ");
	assert_non_null(strstr(w.plugin.option, ",blocks_fd=4d,stop_program=def0"));
	assert_int_equal(w.plugin.fd_count, 3);
	assert_int_equal(w.plugin.fds[2], 77);
	str_reset(&blocks_told);
	stop((struct trace_stop){ .reason = TRACE_STOP_PROGRAM, .argument = 0xabc });
	assert_string_equal(str_get(&blocks_told), "stop abc ");
	/* Not each request is a mark; at one, invariants are looked at. */
	str_reset(&blocks_told);
	stop(mark);
	assert_string_equal(str_get(&blocks_told), "mark 5 ");
	assert_int_equal(w.snapshot_count, 1);
	assert_int_equal(w.invariants.looks, 1);
	is_mark = true;
	stop(mark);
	assert_int_equal(w.snapshot_count, 1);
	assert_int_equal(w.invariants.looks, 2);
	watcher_close(&w);
	/* Of a template the programs are there from the beginning on. */
	str_reset(&blocks_told);
	counted.counts_kernel = true;
	guest.spec.is_restored = true;
	open_it(false, NULL);
	assert_string_equal(str_get(&blocks_told), "kernel reset begin ");
	stop(mark);
	assert_int_equal(w.invariants.looks, 0);
	watcher_close(&w);
	memset(image.data + image.load + IMAGE_BANNER, 0, 17);
	str_reset(&blocks_told);
	open_it(false, &wish);
	stop((struct trace_stop){ .reason = TRACE_STOP_PROGRAM, .argument = 1 });
	stop(mark);
	assert_string_equal(str_get(&blocks_told), "kernel reset stop 1 without a kernel mark 5 ");
	assert_int_equal(w.invariants.looks, 0);
	guest.spec.is_restored = false;
}

int main(void)
{
#define WATCH_TEST(name) cmocka_unit_test_setup_teardown(name, start, stop_all)
	const struct CMUnitTest tests[] = {
		WATCH_TEST(a_stub_is_there_where_writes_are_watched),
		WATCH_TEST(a_write_is_a_snapshot),
		WATCH_TEST(writes_are_told_up_to_a_limit),
		WATCH_TEST(nothing_is_watched_behind_the_result),
		WATCH_TEST(a_stop_and_a_write_may_come_together),
		WATCH_TEST(a_place_that_qemu_refuses_is_a_problem),
		WATCH_TEST(the_plugin_is_told_of_places_from_the_beginning_on),
		WATCH_TEST(variables_are_written_at_the_beginning),
		WATCH_TEST(a_look_is_due_at_the_next_time),
		WATCH_TEST(time_that_it_stands_is_left_out),
		WATCH_TEST(a_sample_has_a_budget),
		WATCH_TEST(vcpus_that_stand_still_have_their_times),
		WATCH_TEST(a_hang_is_looked_for_by_used_time),
		WATCH_TEST(coverage_is_told_of_each_stop),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
