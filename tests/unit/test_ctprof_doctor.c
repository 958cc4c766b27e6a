// SPDX-License-Identifier: GPL-2.0-only
/* What the doctor says where no made-up tree can put it: answers of a live kernel. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/stat.h>

#include <cmocka.h>

#include "base/err.h"
#include "base/file.h"
#include "base/util.h"
#include "ctprof/doctor.h"

#define NET_ADMIN (1ULL << 12)
#define SYS_PTRACE (1ULL << 19)

/* A live host with all rights, where everything answers. */
static struct doctor_facts good_facts(void)
{
	struct doctor_facts f = {
		.roots = roots_live,
		.is_live = true,
		.process_count = 100,
		.view = { .capabilities = NET_ADMIN | SYS_PTRACE },
		.delayacct = { true, 1 },
		.taskstats_version = 16,
		.has_irq_pressure = true,
		.counts_irq_time = true,
	};

	str_add(&f.sched, "wait_sum core_forceidle_sum");
	str_add(&f.cgroup_mount, "/sys/fs/cgroup");
	str_add(&f.cgroup_controllers, "cpu memory pids");
	str_add(&f.cgroup_children, "cpu memory pids");
	str_add(&f.sched_ext_state, "disabled");
	return f;
}

static void expect(struct doctor_facts *f, const char *family, enum doctor_state state,
		   const char *why, const char *fix)
{
	struct finding findings[DOCTOR_FAMILIES];
	bool is_found = false;

	assert_int_equal(doctor_judge(f, findings), 0);
	for (size_t i = 0; i < DOCTOR_FAMILIES; i++) {
		if (!str_eq(findings[i].name, family))
			continue;
		is_found = true;
		assert_int_equal(findings[i].state, state);
		assert_string_equal(str_get(&findings[i].why), why);
		assert_string_equal(str_get(&findings[i].fix), fix);
	}
	assert_true(is_found);
	findings_finish(findings, DOCTOR_FAMILIES);
}

static void test_taskstats(void **state)
{
	struct doctor_facts f = good_facts();

	(void)state;
	expect(&f, "taskstats", DOCTOR_OK, "answers for this thread, struct version 16", "");
	expect(&f, "delays", DOCTOR_OK, "all eight kinds of delay", "");
	f.taskstats = -ENOENT;
	expect(&f, "taskstats", DOCTOR_MISSING, "CONFIG_TASKSTATS off",
	       "run a kernel with CONFIG_TASKSTATS=y");
	expect(&f, "delays", DOCTOR_MISSING, "comes with taskstats, which does not answer",
	       "see taskstats above");
	f.taskstats = -ETIMEDOUT;
	expect(&f, "taskstats", DOCTOR_MISSING,
	       "the query over netlink fails: Connection timed out",
	       "run in the host's network namespace, with netlink permitted");
	f.taskstats = -EPERM;
	expect(&f, "taskstats", DOCTOR_MISSING, "the kernel refuses to answer: no CAP_NET_ADMIN",
	       "run outside of the container: its rights do not count here");
	f.view.capabilities = SYS_PTRACE;
	expect(&f, "taskstats", DOCTOR_MISSING, "the kernel refuses to answer: no CAP_NET_ADMIN",
	       "run as root\nsudo setcap cap_net_admin+eip $(which ktstr)");
	doctor_facts_finish(&f);
}

static void test_user_namespace(void **state)
{
	static const char fix[] = "run outside of the user namespace: its rights do not count here",
			  own[] = "only processes of this user namespace: its capabilities end "
				  "there";
	struct doctor_facts f = good_facts();

	(void)state;
	f.is_user_namespace = true;
	f.taskstats = -EPERM;
	f.ptrace_scope = (struct doctor_number){ true, 1 };
	expect(&f, "taskstats", DOCTOR_MISSING,
	       "the kernel refuses to answer: not for a user namespace", fix);
	expect(&f, "io", DOCTOR_DEGRADED, own, fix);
	expect(&f, "smaps_rollup", DOCTOR_DEGRADED, own, fix);
	expect(&f, "jemalloc", DOCTOR_DEGRADED, own, fix);
	f.view.capabilities = 0; /* so that yama forbids even these */
	expect(&f, "jemalloc", DOCTOR_MISSING,
	       "no CAP_SYS_PTRACE, and kernel.yama.ptrace_scope is 1",
	       "run outside of the user namespace: its rights do not count here\n"
	       "sudo sysctl -w kernel.yama.ptrace_scope=0");
	doctor_facts_finish(&f);
}

/* A file of this name in a new directory, removed with remove_tree(). */
static char *make_tree(void)
{
	char *dir = strdup("/tmp/ktstr-kconfig-XXXXXX");

	assert_non_null(mkdtemp(dir));
	return dir;
}

static void put_file(const char *dir, const char *name, const char *text)
{
	_free_ char *path = str_fmt("%s/%s", dir, name);
	char *slash = strrchr(path, '/');

	*slash = '\0';
	assert_int_equal(file_make_dirs(path, 0755), 0);
	*slash = '/';
	assert_int_equal(file_replace(path, text, strlen(text), 0644), 0);
}

static void remove_tree(char *dir)
{
	_free_ char *command = str_fmt("rm -rf '%s'", dir);

	assert_int_equal(system(command), 0); /* NOLINT(cert-env33-c) */
	free(dir);
}

static void test_config(void **state)
{
	static const char text[] = "# CONFIG_A is not set\nCONFIG_B=y\nCONFIG_C=m\nCONFIG_D=n\n"
				   "CONFIG_E_LONG=y\nCONFIG_F=250";
	char *dir = make_tree();
	_running_config_ struct running_config k = {};

	(void)state;
	assert_int_equal(running_config_read(&k, dir, dir), 0);
	assert_int_equal(running_config_get(&k, "CONFIG_B"), OPTION_UNKNOWN);
	put_file(dir, "sys/kernel/osrelease", "6.1.0-test\n");
	put_file(dir, "config-6.1.0-test", text);
	assert_int_equal(running_config_read(&k, dir, NULL), 0);
	assert_null(k.source);
	assert_int_equal(running_config_read(&k, dir, dir), 0);
	assert_non_null(strstr(k.source, "config-6.1.0-test"));
	assert_int_equal(running_config_get(&k, "CONFIG_A"), OPTION_OFF);
	assert_int_equal(running_config_get(&k, "CONFIG_B"), OPTION_ON);
	assert_int_equal(running_config_get(&k, "CONFIG_C"), OPTION_ON);
	assert_int_equal(running_config_get(&k, "CONFIG_D"), OPTION_OFF);
	assert_int_equal(running_config_get(&k, "CONFIG_E"), OPTION_OFF);
	assert_int_equal(running_config_get(&k, "CONFIG_F"), OPTION_ON);
	assert_int_equal(running_config_get(&k, "CONFIG_NONE"), OPTION_OFF);
	remove_tree(dir);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_taskstats),
		cmocka_unit_test(test_user_namespace),
		cmocka_unit_test(test_config),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
