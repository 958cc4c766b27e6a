// SPDX-License-Identifier: GPL-2.0-only
/* Lives of a guest: its place, its disk, its knobs, and its scheduler. */
#include "played_life.h"

static void a_disk_has_one_name(void **state)
{
	_free_ char *link = str_fmt("%s/dev/vda", root);
	char target[64] = {};

	(void)state;
	add_channel(&(struct channel_region){});
	unit_write(root, "dev/nvme0n1", "");
	run_with("KTSTR_MODE=exec\n", "true");
	assert_int_equal(readlink(link, target, sizeof(target)), -1);
	run_with("KTSTR_MODE=exec\nKTSTR_DISK=1\n", "true");
	assert_true(readlink(link, target, sizeof(target) - 1) > 0);
	assert_string_equal(target, "/dev/nvme0n1");
	expect_no_frame("LOGL:link");
	assert_int_equal(asked->slept_ns, 0);
}

static void a_disk_is_waited_for(void **state)
{
	(void)state;
	add_channel(&(struct channel_region){});
	run_with("KTSTR_MODE=exec\nKTSTR_DISK=1\n", "true");
	assert_int_equal(asked->slept_ns, 5 * NSEC_PER_SEC);
	expect_frame("LOGL:no disk appeared: neither /dev/vda nor /dev/nvme0n1\n");
	assert_int_equal(asked->modules, 0);
}

static void the_driver_of_a_disk_is_loaded(void **state)
{
	(void)state;
	add_channel(&(struct channel_region){});
	unit_write(root, "virtio_blk.ko", "");
	unit_write(root, "dev/vda", "");
	run_with("KTSTR_MODE=exec\nKTSTR_DISK=1\n", "true");
	assert_int_equal(asked->modules, 1);
	expect_no_frame("LOGL:load");
	asked->module_error = ENOEXEC;
	run_with("KTSTR_MODE=exec\nKTSTR_DISK=1\n", "true");
	expect_frame("LOGL:load /virtio_blk.ko: Exec format error\n");
	assert_int_equal(asked->slept_ns, 0);
}

/* A name that leads nowhere is in the way of the right one. */
static void a_disk_that_cannot_be_named_is_told(void **state)
{
	_free_ char *link = str_fmt("%s/dev/vda", root);

	(void)state;
	add_channel(&(struct channel_region){});
	unit_write(root, "dev/nvme0n1", "");
	assert_int_equal(symlink("nowhere", link), 0);
	run_with("KTSTR_MODE=exec\nKTSTR_DISK=1\n", "true");
	expect_frame("LOGL:link /dev/vda: File exists\n");
	assert_int_equal(asked->slept_ns, 0);
}

#define SEEDED "KTSTR_MODE=exec\nKTSTR_SEED=5\n"

static void every_knob_has_its_limits(void **state)
{
	(void)state;
#if defined(__x86_64__)
	expect_fatal(SEEDED, "a slice of 500 us: Operation not permitted");
	expect_fatal(SEEDED "KTSTR_STRATEGY=walk\n", "a slice of 100 us: Operation not permitted");
	expect_fatal(SEEDED "KTSTR_SLICE_US=250\n", "a slice of 250 us: Operation not permitted");
	assert_int_equal(asked->chips, 3);
#endif
	expect_fatal(SEEDED "KTSTR_SLICE_US=x\n", "KTSTR_SLICE_US is not a number: x");
	expect_fatal(SEEDED "KTSTR_SLICE_US=0\nKTSTR_DELAYS=10001\n",
		     "10001 delays a second: Invalid argument");
	expect_fatal(SEEDED "KTSTR_SLICE_US=0\nKTSTR_WAKE_DELAYS_US=100001\n",
		     "wakeups that take up to 100001 us longer: Invalid argument");
	expect_fatal(SEEDED "KTSTR_SLICE_US=0\nKTSTR_STRATEGY=best\nKTSTR_DEPTH=3\n",
		     "strategy best of depth 3: Invalid argument");
}

static void a_seed_puts_the_run_off(void **state)
{
	uint64_t seed = 5;

	(void)state;
	add_channel(&(struct channel_region){});
	run_with(SEEDED "KTSTR_SLICE_US=0\n", "true");
	assert_int_equal(asked->slept_ns, seed_next(&seed) % 8000000);
	expect_frame("LOGL:the seed did not reach the random pool\n");
	expect_frame("EXIT:0\n");
}

#if defined(__x86_64__)
static void slices_are_as_long_as_they_may_be(void **state)
{
	_free_ char *random =
		str_fmt("a slice of %u us: Operation not permitted", jitter_slice_us(5));

	(void)state;
	expect_fatal(SEEDED "KTSTR_JITTER=1\n", random);
	expect_fatal(SEEDED "KTSTR_JITTER=1\nKTSTR_STRATEGY=walk\n", random);
	expect_fatal(SEEDED "KTSTR_SLICE_US=1\n", "a slice of 1 us: Operation not permitted");
	expect_fatal(SEEDED "KTSTR_SLICE_US=4294967296\n",
		     "a slice of 4294967295 us: Operation not permitted");
}
#endif

#if defined(__x86_64__)
/* Channel 0, low byte and high byte, again and again; and then these. */
static void the_chip_is_told_what_to_count_to(void **state)
{
	struct sigaction before;
	int rc;

	(void)state;
	allows_ports = true;
	sigaction(SIGSEGV, &note_writes, &before);
	rc = jitter_set_slice(500);
	sigaction(SIGSEGV, &before, NULL);
	allows_ports = false;
	assert_int_equal(rc, 0);
	assert_int_equal(asked->chips, 1);
	assert_int_equal(asked->write_count, 3);
	assert_true(asked->written[0][0] == 0x43 && asked->written[0][1] == 0x34);
	assert_true(asked->written[1][0] == 0x40 && asked->written[1][1] == 1193 % 256);
	assert_true(asked->written[2][0] == 0x40 && asked->written[2][1] == 1193 / 256);
	/* None of it where there is nothing to count. */
	assert_int_equal(jitter_set_slice(0), 0);
	assert_int_equal(jitter_set_slice(500), -EPERM);
	assert_int_equal(asked->write_count, 3);
}
#endif

static void delays_are_those_of_the_settings(void **state)
{
	(void)state;
	run_with(SEEDED "KTSTR_SLICE_US=0\n", "true");
	assert_int_equal(asked->delays, 0);
	assert_int_equal(asked->wake_delay_us, 0);
	run_with(SEEDED "KTSTR_SLICE_US=0\nKTSTR_JITTER=1\n", "true");
	assert_int_equal(asked->delays, 100);
	assert_int_equal(asked->wake_delay_us, 0);
	run_with(SEEDED "KTSTR_SLICE_US=0\nKTSTR_JITTER=1\nKTSTR_DELAYS=7\n"
			"KTSTR_WAKE_DELAYS_US=8\n",
		 "true");
	assert_int_equal(asked->delays, 7);
	assert_int_equal(asked->wake_delay_us, 8);
	assert_int_equal(asked->delays_seed, 5);
	assert_int_equal(asked->wake_seed, 5);
	assert_int_equal(asked->orders, 0);
}

/* Without a seed, or with one that is none, a run begins as it comes. */
static void without_a_seed_nothing_is_changed(void **state)
{
	(void)state;
	run_with("KTSTR_MODE=exec\nKTSTR_DELAYS=7\nKTSTR_STRATEGY=walk\n", "true");
	run_with("KTSTR_MODE=exec\nKTSTR_SEED=x\nKTSTR_DELAYS=7\n", "true");
	assert_int_equal(asked->delays + asked->orders + asked->chips, 0);
	assert_int_equal(asked->slept_ns, 0);
}

static void a_strategy_is_started_as_it_was_asked_for(void **state)
{
	(void)state;
	add_channel(&(struct channel_region){});
	run_with(SEEDED "KTSTR_SLICE_US=0\nKTSTR_STRATEGY=walk\nKTSTR_DEPTH=3\n"
			"KTSTR_EVENTS=400\n",
		 "true");
	assert_int_equal(asked->orders, 1);
	assert_string_equal(asked->strategy, "walk");
	assert_int_equal(asked->order.depth, 3);
	assert_int_equal(asked->order.events, 400);
	assert_int_equal(asked->order.seed, 5);
	assert_false(asked->order.has_scheduler);
	/* What its programs do is not the scheduler's time, and its events are told. */
	expect_file("proc/sys/kernel/bpf_stats_enabled", "0");
	expect_frame("\nevents=12\ntasks=13\ncpu 1 2 3\n");
	unit_write(root, "sched-args", "");
	run_with(SEEDED "KTSTR_SLICE_US=0\nKTSTR_STRATEGY=walk\n", "true");
	assert_int_equal(asked->order.depth, 0);
	assert_int_equal(asked->order.events, 0);
	assert_true(asked->order.has_scheduler);
}

static void expect_limit(const char *settings, uint64_t seconds)
{
	asked->limit_ns = 0;
	run_with(settings, "true");
	assert_int_equal(asked->limit_ns, seconds * NSEC_PER_SEC);
}

/* Only a test has one, and it is no more than a number of days. */
static void a_test_has_the_time_that_it_was_given(void **state)
{
	(void)state;
	unit_write(root, "args", "/bin/busybox\ntrue\n");
	expect_limit("KTSTR_MODE=run\nKTSTR_OBSERVE=0\nKTSTR_LIMIT_S=50\n", 50);
	expect_limit("KTSTR_MODE=run\nKTSTR_OBSERVE=0\nKTSTR_LIMIT_S=999999\n", 999999);
	expect_limit("KTSTR_MODE=run\nKTSTR_OBSERVE=0\nKTSTR_LIMIT_S=1000000\n", 0);
	expect_limit("KTSTR_MODE=run\nKTSTR_OBSERVE=0\nKTSTR_LIMIT_S=x\n", 0);
	expect_limit("KTSTR_MODE=exec\nKTSTR_LIMIT_S=50\n", 0);
}

static void the_observer_is_loaded_for_tests_and_templates(void **state)
{
	_free_ char *problem = str_fmt("%s" GUEST_OBSERVE_PROBLEM, root);

	(void)state;
	run_with("KTSTR_MODE=exec\n", "true");
	assert_int_equal(access(problem, F_OK), -1);
	unit_write(root, "args", "/bin/busybox\ntrue\n");
	run_with("KTSTR_MODE=run\n", NULL);
	expect_file("run/ktstr-observe-problem", "this ktstr was built without a BPF compiler");
}

/* In sim it stops at its end, where nobody has to see it reboot. */
static void only_in_sim_and_with_a_channel_it_asks_to_be_stopped(void **state)
{
	(void)state;
	run_with("KTSTR_MODE=exec\nKTSTR_ACCEL=sim\n", "true");
	assert_int_equal(asked->ports, 0);
	add_channel(&(struct channel_region){});
	run_with("KTSTR_MODE=exec\nKTSTR_ACCEL=tcg\n", "true");
	run_with("KTSTR_MODE=exec\n", "true");
	assert_int_equal(asked->ports, 0);
#if defined(__x86_64__)
	run_with("KTSTR_MODE=exec\nKTSTR_ACCEL=sim\n", "true");
	assert_int_equal(asked->ports, 1);
#endif
}

/* ---- templates ---- */

static void make_input(const char *settings, const char *commands, struct str *out)
{
	assert_int_equal(initramfs_suffix_add(&(struct initramfs_run){ .settings = settings,
								       .exec_command = commands },
					      out),
			 0);
}

/* The host gives it while the guest looks for it, a millisecond each. */
static void a_template_waits_for_its_input(void **state)
{
	_free_ char *path = str_fmt("%s/" DEVICE "resource2", root);
	_str_ struct str input = {};
	uint32_t none = 0;
	int fd;

	(void)state;
	make_input("KTSTR_MODE=exec\nKTSTR_WALL_NS=1700000000000000005\n", "echo restored", &input);
	add_channel(&(struct channel_region){ .input = input.s, .input_len = input.len });
	fd = open(path, O_RDWR | O_CLOEXEC);
	assert_int_equal(pwrite(fd, &none, sizeof(none),
				offsetof(struct channel_header, input_state)),
			 sizeof(none));
	close(fd);
	asked->input_at = 7;
	asked->refuses_time = true;
	run_with("KTSTR_TEMPLATE=1\nKTSTR_MODE=exec\n", "echo never");
	assert_int_equal(asked->slept_ns, 7 * NSEC_PER_MSEC);
	expect_frame("OUT1:restored\n");
	expect_frame("LOGL:set the time: Operation not permitted\n");
	assert_int_equal(asked->time.tv_sec, 1700000000);
	expect_file("run/ktstr-observe-problem", "this ktstr was built without a BPF compiler");
}

static void input_that_is_damaged_is_told(void **state)
{
	static const char *const archives[] = { "no archive at all", "" };
	_str_ struct str input = {};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(archives); i++) {
		const char *settings = "KTSTR_TEMPLATE=1\nKTSTR_MODE=exec\n";

		add_channel(&(struct channel_region){ .input = archives[i],
						      .input_len = strlen(archives[i]) });
		unit_write(root, ".ktstr_init_ok", "");
		asked->sleeps = 0;
		asked->input_at = 1;
		expect_fatal(settings, "the run's files: damaged archive: it ends inside a header");
	}
	/* The mark of the end is that of this archive, not of the one before. */
	make_input("KTSTR_MODE=exec\n", "echo never", &input);
	add_channel(&(struct channel_region){ .input = input.s, .input_len = input.len });
	unit_write(root, ".ktstr_init_ok", "");
	run_with("KTSTR_TEMPLATE=1\nKTSTR_MODE=exec\n", "echo never");
	expect_frame("EXIT:0\n");
}

/* It is saved twice: with what it starts the scheduler by, and with what it runs. */
static void a_template_may_be_prepared_and_wait_again(void **state)
{
	_str_ struct str first = {}, second = {};

	(void)state;
	make_input("KTSTR_PREPARE=1\nKTSTR_SCHED_CGROUP=x/y\nKTSTR_MODE=exec\n",
		   "echo a command that is longer than that of the second input", &first);
	make_input("KTSTR_MODE=exec\n", "echo second", &second);
	assert_in_range(second.len, 1, MIN(first.len, sizeof(asked->input)));
	memcpy(asked->input, second.s, second.len);
	asked->input_len = second.len;
	asked->input_at = 3;
	add_channel(&(struct channel_region){ .input = first.s, .input_len = first.len });
	unit_write(root, "sys/fs/cgroup/x", "");
	run_with("KTSTR_TEMPLATE=1\nKTSTR_MODE=exec\n", "echo never");
	expect_file("dev/ttyS1", "KTSTR_INIT_STARTED\nKTSTR_READY\nKTSTR_READY\n"
				 "KTSTR_EXEC_EXIT=0\nKTSTR_EXIT=0\n");
	expect_frame("OUT1:second\n");
	expect_no_frame("longer");
	/* What it said before it was saved is sent in the run, behind its beginning. */
	expect_frame("\nLOGL:make the cgroup x/y: ");
	assert_true(strstr(str_get(&frames), "RDY.:") < strstr(str_get(&frames), "LOGL:make"));
	assert_int_equal(asked->slept_ns, 3 * NSEC_PER_MSEC);
}

/* ---- a scheduler: what it writes to files is all that the kernel tells ---- */

#define SCX "/sys/kernel/sched_ext"

static void add_program(const char *name, const char *text)
{
	_free_ char *path = str_fmt("%s/%s", root, name);

	unit_write(root, name, text);
	assert_int_equal(chmod(path, 0755), 0);
}

static void add_scheduler(void)
{
	static const char args[] = "/scheduler\0-v";
	_free_ char *path = str_fmt("%s/sched-args", root);

	add_program("scheduler", "#!/bin/busybox sh\necho began $1\n"
				 "trap 'echo disabled >" SCX "/state; echo ended; exit 0' INT\n"
				 "echo mine >" SCX "/root/ops\necho enabled >" SCX "/state\n"
				 "while :; do /bin/busybox sleep 0.01; done\n");
	assert_int_equal(file_replace(path, args, sizeof(args), 0644), 0);
	unit_write(root, "args", "/bin/busybox\nsh\n-c\n[ $SCHED_PID ] && echo payload; exit 6\n");
}

static void a_scheduler_is_there_while_the_test_runs(void **state)
{
	(void)state;
	add_channel(&(struct channel_region){});
	add_scheduler();
	unit_write(root, "sys/kernel/sched_ext/state", "disabled\n");
	unit_write(root, "sys/kernel/sched_ext/root/ops", "");
	run_with("KTSTR_MODE=run\nKTSTR_OBSERVE=0\nKTSTR_SCHED_ATTACH_S=50\n", NULL);
	expect_frame("SCDA:ops=mine\npid=");
	expect_frame("OUT1:payload\n");
	expect_frame("SCDL:began -v\nended\n");
	expect_frame("SCDR:{\"end\":\"ran\"");
	expect_frame("EXIT:6\n");
	expect_no_frame("PRBR");
	expect_file("dev/ttyS1", "KTSTR_INIT_STARTED\nKTSTR_PAYLOAD_STARTING\nKTSTR_EXIT=6\n");
	/* Init sees what happens whoever starves. */
	assert_int_equal(asked->policy, SCHED_FIFO | SCHED_RESET_ON_FORK);
	assert_int_equal(asked->priority, 1);
}

static void run_traced(void)
{
	add_channel(&(struct channel_region){});
	unit_write(root, "sys/kernel/sched_ext/state", "disabled\n");
	unit_write(root, "sys/kernel/sched_ext/root/ops", "");
	run_with("KTSTR_MODE=run\nKTSTR_OBSERVE=0\nKTSTR_SCHED_ATTACH_S=50\n", NULL);
	expect_frame("SCDR:{\"end\":\"ran\"");
}

/* What the kernel dumps about it comes through a buffer of our own. */
static void a_dump_is_read_from_its_own_buffer(void **state)
{
	_free_ char *instance = str_fmt("%s/" INSTANCE, root);
	struct stat st;

	(void)state;
	add_scheduler();
	unit_write(root, TRACING "/instances/x", "");
	run_traced();
	assert_int_equal(access(instance, F_OK), -1); /* this kernel has no such event */
	unit_write(root, TRACING DUMP_EVENT "/id", "1");
	run_traced();
	expect_no_frame("SCDD:");
	assert_int_equal(stat(instance, &st), 0);
	assert_int_equal(st.st_mode & 07777, 0700);
	/* One that is there already is as good. */
	unit_write(root, INSTANCE "/buffer_size_kb", "");
	unit_write(root, INSTANCE "/trace_pipe", "w-1 [0] 5.6: sched_ext_dump: text\n");
	run_traced();
	expect_no_frame("SCDD:"); /* it cannot be switched on */
	expect_file(INSTANCE "/buffer_size_kb", "512");
	unit_write(root, INSTANCE DUMP_EVENT "/enable", "");
	run_traced();
	expect_frame("SCDD:text\n");
	expect_file(INSTANCE DUMP_EVENT "/enable", "1");
}

static void a_new_buffer_is_read_as_one_that_was_there(void **state)
{
	(void)state;
	add_scheduler();
	unit_write(root, TRACING DUMP_EVENT "/id", "1");
	unit_write(root, TRACING "/instances/x", "");
	asked->makes_instance = true;
	run_traced();
	expect_frame("SCDD:new\n");
	expect_file(INSTANCE "/buffer_size_kb", "512");
}

/* The test begins when they are attached, and its result is sent as any other. */
static void a_test_waits_for_its_probes(void **state)
{
	(void)state;
	add_channel(&(struct channel_region){});
	add_scheduler();
	add_program("ktstr-observe",
		    "#!/bin/busybox sh\n[ $1 = --probes ] || exit 1\n/bin/busybox mkdir -p $2\n"
		    "trap 'exit 0' TERM\n"
		    "echo >$2/ready; /bin/busybox sleep 0.2; echo >$2/attached\n"
		    "while :; do /bin/busybox sleep 0.01; done\n");
	unit_write(root, "args",
		   "/bin/busybox\nsh\n-c\n[ -e " GUEST_PROBE_DIR "/attached ] && "
		   "echo '{}' >" GUEST_RESULT_FILE "; exit 6\n");
	unit_write(root, "sys/kernel/sched_ext/state", "disabled\n");
	unit_write(root, "sys/kernel/sched_ext/root/ops", "");
	run_with("KTSTR_MODE=run\nKTSTR_OBSERVE=0\nKTSTR_SCHED_ATTACH_S=50\nKTSTR_PROBES=-\n",
		 NULL);
	expect_frame("TEST:{}\n");
	expect_frame("EXIT:6\n");
}

static void without_its_scheduler_a_test_does_not_run(void **state)
{
	(void)state;
	add_channel(&(struct channel_region){});
	add_scheduler();
	run_with("KTSTR_MODE=run\nKTSTR_OBSERVE=0\n", NULL);
	expect_frame("SCDR:{\"end\":\"not_attached\"");
	expect_frame("EXIT:125\n");
	expect_no_frame("OUT1");
	expect_file(
		"dev/ttyS1",
		"KTSTR_INIT_STARTED\nSCHEDULER_NOT_ATTACHED: scheduler did not attach: sched_ext "
		"sysfs absent, this kernel has no sched_ext\nKTSTR_EXIT=125\n");
}

static void probes_go_along_with_a_scheduler(void **state)
{
	(void)state;
	add_channel(&(struct channel_region){});
	add_scheduler();
	add_program(
		"ktstr-observe",
		"#!/bin/busybox sh\n[ $1 = --probes ] || exit 1\n/bin/busybox mkdir -p $2\n"
		"trap \"echo probed $3 >$2/report.json; echo records >$2/records; exit 0\" TERM\n"
		"echo >$2/ready; echo >$2/attached\nwhile :; do /bin/busybox sleep 0.01; done\n");
	unit_write(root, "sys/kernel/sched_ext/state", "disabled\n");
	unit_write(root, "sys/kernel/sched_ext/root/ops", "");
	run_with("KTSTR_MODE=run\nKTSTR_OBSERVE=0\nKTSTR_SCHED_ATTACH_S=50\nKTSTR_PROBES=f,g\n",
		 NULL);
	expect_frame("OUT1:payload\n");
	expect_frame("PRBR:probed f,g\n");
	expect_frame("PRBD:records\n");
	expect_frame("EXIT:6\n");
}

/* Nothing of it makes sense: the test is not begun. */
static void arguments_of_no_scheduler_end_the_run(void **state)
{
	(void)state;
	unit_write(root, "sched-args", "cut off");
	unit_write(root, "args", "/bin/busybox\ntrue\n");
	expect_fatal("KTSTR_MODE=run\n", "/sched-args is cut off");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		HERE(a_disk_has_one_name),
		HERE(a_disk_is_waited_for),
		HERE(the_driver_of_a_disk_is_loaded),
		HERE(a_disk_that_cannot_be_named_is_told),
		HERE(every_knob_has_its_limits),
		HERE(a_seed_puts_the_run_off),
#if defined(__x86_64__)
		HERE(slices_are_as_long_as_they_may_be),
		HERE(the_chip_is_told_what_to_count_to),
#endif
		HERE(delays_are_those_of_the_settings),
		HERE(without_a_seed_nothing_is_changed),
		HERE(a_strategy_is_started_as_it_was_asked_for),
		HERE(a_test_has_the_time_that_it_was_given),
		HERE(the_observer_is_loaded_for_tests_and_templates),
		HERE(only_in_sim_and_with_a_channel_it_asks_to_be_stopped),
		HERE(a_template_waits_for_its_input),
		HERE(input_that_is_damaged_is_told),
		HERE(a_template_may_be_prepared_and_wait_again),
		HERE(a_scheduler_is_there_while_the_test_runs),
		HERE(a_dump_is_read_from_its_own_buffer),
		HERE(a_new_buffer_is_read_as_one_that_was_there),
		HERE(a_test_waits_for_its_probes),
		HERE(without_its_scheduler_a_test_does_not_run),
		HERE(probes_go_along_with_a_scheduler),
		HERE(arguments_of_no_scheduler_end_the_run),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
