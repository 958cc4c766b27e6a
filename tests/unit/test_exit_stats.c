// SPDX-License-Identifier: GPL-2.0-only
/* What KVM counted: answers on paper, a real QEMU where there is KVM, and what results hold. */
#include "unit.h"

#include <errno.h>
#include <signal.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/child.h"
#include "base/clock.h"
#include "base/err.h"
#include "base/log.h"
#include "base/paths.h"
#include "run/parts.h"
#include "vm/session.h"

#define QEMU "qemu-system-x86_64"
#define LIMIT_NS (20 * NSEC_PER_SEC)

static int parse(const char *text, struct vm_exit_stats *stats)
{
	_str_ struct str reply = {};

	str_add(&reply, text);
	return vm_exit_stats_parse(&reply, stats);
}

static void sums_are_over_vcpus(void **state)
{
	struct vm_exit_stats stats;

	(void)state;
	assert_int_equal(
		parse("{\"return\": [{\"provider\": \"kvm\", \"qom-path\": \"/m\", \"stats\": ["
		      "{\"name\": \"exits\", \"value\": 70}, {\"value\": 5, \"name\": \"halt_exits\"}, "
		      "{\"name\": \"halt_wait_hist\", \"value\": [1, 2]}, "
		      "{\"name\": \"blocking\", \"value\": true}]}, "
		      "{\"stats\": [{\"name\": \"exits\", \"value\": 30}]}]}",
		      &stats),
		0);
	assert_int_equal(stats.vcpus, 2);
	assert_int_equal(stats.sums[VM_EXITS], 100);
	assert_int_equal(stats.tellers[VM_EXITS], 2);
	assert_int_equal(stats.sums[VM_HALT_EXITS], 5);
	assert_int_equal(stats.tellers[VM_HALT_EXITS], 1);
	assert_int_equal(stats.tellers[VM_HYPERCALLS], 0);
}

static void an_emulator_tells_nothing(void **state)
{
	struct vm_exit_stats stats;

	(void)state;
	assert_int_equal(parse("{\"return\": []}", &stats), 0);
	assert_int_equal(stats.vcpus, 0);
}

static void other_answers_are_errors(void **state)
{
	static const char *const texts[] = { "", "[]", "{\"return\": [",
					     "{\"return\": [{\"stats\": [}]}" };
	struct vm_exit_stats stats;

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(texts); i++) {
		assert_int_equal(parse(texts[i], &stats), -EPROTO);
		assert_int_equal(stats.vcpus, 0);
	}
}

static double value_of(const struct sidecar *s, const char *name)
{
	for (size_t i = 0; i < s->kvm_stats.count; i++)
		if (str_eq(s->kvm_stats.items[i].name, name))
			return s->kvm_stats.items[i].value;
	return -1;
}

/* As the report wants them; what no vCPU told is not there. */
static void results_hold_figures_for_a_vcpu(void **state)
{
	char *dir = unit_temp_create();
	struct roots roots = { .sys = dir };
	struct vm_exit_stats e = { .vcpus = 2 };
	_sidecar_ struct sidecar s;

	(void)state;
	unit_write(dir, "module/kvm/parameters/halt_poll_ns", "200000\n");
	for (size_t i = 0; i < VM_EXIT_STATS; i++)
		e.tellers[i] = 2;
	e.tellers[VM_SIGNAL_EXITS] = 0;
	e.tellers[VM_HYPERCALLS] = 1; /* one vCPU alone tells of them */
	e.sums[VM_HYPERCALLS] = 5;
	e.sums[VM_EXITS] = 2400;
	e.sums[VM_HALT_WAIT_NS] = 2500000;
	e.sums[VM_HALT_POLLS_TRIED] = 8;
	e.sums[VM_HALT_POLLS_OK] = 6;
	e.sums[VM_PREEMPTIONS] = 6;
	sidecar_init(&s);
	record_kvm(&s, &e, &roots);
	assert_true(s.kvm_stats.is_known);
	assert_float_equal(value_of(&s, "exits_per_vcpu"), 1200, 0);
	assert_float_equal(value_of(&s, "halt_per_vcpu"), 0, 0);
	assert_float_equal(value_of(&s, "hypercalls_per_vcpu"), 5, 0);
	assert_float_equal(value_of(&s, "halt_wait_ms"), 2.5, 0);
	assert_float_equal(value_of(&s, "poll_ok_pct"), 75, 0);
	assert_float_equal(value_of(&s, "preempted"), 6, 0);
	assert_float_equal(value_of(&s, "preempted_per_vcpu"), 3, 0);
	assert_float_equal(value_of(&s, "halt_poll_ns"), 200000, 0);
	assert_float_equal(value_of(&s, "signal_per_vcpu"), -1, 0);
	unit_temp_remove(dir);
}

/* Nobody polled: 0 % would be a lie. And a guest that was emulated has none of it. */
static void what_was_not_counted_is_absent(void **state)
{
	char *dir = unit_temp_create();
	struct roots roots = { .sys = dir };
	struct vm_exit_stats none = {}, idle = {
		.vcpus = 1, .tellers = { [VM_HALT_POLLS_TRIED] = 1, [VM_HALT_POLLS_OK] = 1 }
	};
	_sidecar_ struct sidecar s;

	(void)state;
	sidecar_init(&s);
	record_kvm(&s, &none, &roots);
	assert_false(s.kvm_stats.is_known);
	record_kvm(&s, &idle, &roots);
	assert_true(s.kvm_stats.is_known);
	assert_int_equal(s.kvm_stats.count, 0);
	unit_temp_remove(dir);
}

static void start_machine(struct child *child, struct qmp *qmp)
{
	_free_ char *chardev = NULL;
	int ends[2];

	assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends), 0);
	chardev = str_fmt("socket,id=q,fd=%d", ends[1]);
	/* clang-format off */
	assert_int_equal(child_start(child, &(struct child_opts){
		.argv = (const char *[]){ QEMU, "-accel", "kvm", "-smp", "2", "-m", "32", "-nodefaults",
					  "-display", "none", "-chardev", chardev, "-mon",
					  "chardev=q,mode=control", NULL },
		.inherit = &ends[1], .inherit_count = 1 }), 0);
	/* clang-format on */
	close(ends[1]);
	qmp_init(qmp, ends[0]);
	assert_int_equal(qmp_execute(qmp, "qmp_capabilities", NULL, LIMIT_NS, NULL), 0);
}

/* The firmware of an empty machine is guest enough to leave it a few times. */
static void a_real_machine_is_understood(void **state)
{
	_free_ char *qemu = path_search(QEMU);
	struct vm_exit_stats stats = {};
	struct child child;
	struct qmp qmp;

	(void)state;
	if (!qemu || access("/dev/kvm", R_OK | W_OK) < 0) {
		print_message("# skip: needs " QEMU " and /dev/kvm\n");
		skip();
	}
	start_machine(&child, &qmp);
	while (!stats.sums[VM_EXITS])
		assert_int_equal(vm_exit_stats_read(&qmp, LIMIT_NS, &stats), 0);
	assert_int_equal(stats.vcpus, 2);
	for (size_t i = 0; i < VM_EXIT_STATS; i++)
		assert_int_equal(stats.tellers[i], 2);
	qmp_finish(&qmp);
	child_finish(&child);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(sums_are_over_vcpus),
		cmocka_unit_test(an_emulator_tells_nothing),
		cmocka_unit_test(other_answers_are_errors),
		cmocka_unit_test(results_hold_figures_for_a_vcpu),
		cmocka_unit_test(what_was_not_counted_is_absent),
		cmocka_unit_test(a_real_machine_is_understood),
	};

	log_set_level(LOG_OFF);
	signal(SIGPIPE, SIG_IGN);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
