// SPDX-License-Identifier: GPL-2.0-only
/* Names without what only counts instances. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/err.h"
#include "base/util.h"
#include "ctprof/name.h"

struct pair {
	const char *name, *skeleton;
};

static void expect(void (*skeleton)(const char *, struct str *), const struct pair *pairs,
		   size_t count)
{
	for (size_t i = 0; i < count; i++) {
		_str_ struct str out = {};

		skeleton(pairs[i].name, &out);
		assert_string_equal(str_get(&out), pairs[i].skeleton);
	}
}

static void test_names(void **state)
{
	static const struct pair pairs[] = {
		{ "kworker/3:1", "kworker/{N}:{N}" },
		{ "kworker/7:0", "kworker/{N}:{N}" },
		{ "kworker/0:1-mm_percpu_wq", "kworker/{N}:{N}-mm_percpu_wq" },
		{ "kworker/u8:7", "kworker/u{N}:{N}" },
		{ "kworker/1:0H-events_highpri", "kworker/{N}:{N}H-events_highpri" },
		{ "tokio-worker-12", "tokio-worker-{N}" },
		{ "worker7", "worker{N}" },
		{ "100Hz", "{N}Hz" },
		{ "session-a1234", "session-{H}" },
		{ "1a", "{H}" },
		{ "cc1", "{H}" },
		{ "cc1plus", "cc1plus" },
		{ "nvme0q1", "nvme0q1" },
		{ "BPF_CUBIC", "BPF_CUBIC" },
		{ "abc", "abc" },
		{ "", "" },
		{ "7", "{N}" },
		{ "a", "a" },
		{ "A1", "A{N}" },
		{ "1A", "{N}A" },
		{ "0123456789", "{N}" },
		{ "--..", "--.." },
		{ "a b\t1", "a b\t{N}" },
		{ "[scsi_eh_0]", "[scsi_eh_{N}]" },
		{ "x+1", "x+{N}" },
		{ "user@1001.service", "user@{N}.service" },
		{ "w\xc3\xb6rker12", "w\xc3\xb6rker{N}" },
		{ "\xff\xfe-3", "\xff\xfe-{N}" },
		{ "a%1", "a%1" },
		{ "{N}", "{N}" },
	};

	(void)state;
	expect(name_skeleton, pairs, ARRAY_SIZE(pairs));
}

static void test_cgroups(void **state)
{
	static const struct pair pairs[] = {
		{ "/", "/" },
		{ "/user.slice/user-1000.slice/session-3.scope",
		  "/user.slice/user-{N}.slice/session-{N}.scope" },
		{ "/user.slice/user@1001.service", "/user.slice/user@{I}.service" },
		{ "/user@1001.service/app.slice/x-1.scope",
		  "/user@{I}.service/app.slice/x-{N}.scope" },
		{ "/launcher@foo.bar.service", "/launcher@foo.bar.service" },
		{ "/getty@tty1.service", "/getty@{I}.service" },
		{ "/a@b@c.service", "/a@{I}.service" },
		{ "/a@b-c@d.service", "/a@b-c@{I}.service" },
		{ "/a@1:2.service", "/a@{I}.service" },
		{ "/a@.service", "/a@.service" },
		{ "/a@1.services", "/a@{N}.services" },
		{ "/a@b/c.service", "/a@b/c.service" },
		{ "/kubepods/pod1a2b/ff00", "/kubepods/pod1a2b/{H}" },
	};

	(void)state;
	expect(cgroup_skeleton, pairs, ARRAY_SIZE(pairs));
}

static void test_flatten(void **state)
{
	static const char *const globs[] = { "/kubepods/*/workload", "/x\\x2d?", "/[ab]/*" };
	static const struct {
		const char *path, *text;
		bool matches;
	} cases[] = {
		{ "/kubepods/p1/workload", "/kubepods/*/workload", true },
		{ "/kubepods/p1/c2/workload", "/kubepods/*/workload", true },
		{ "/kubepods/p1/workload/x", "/kubepods/p1/workload/x", false },
		{ "/x\\x2d9", "/x\\x2d?", true },
		{ "/b/\xff", "/[ab]/*", true },
		{ "/c/d", "/c/d", false },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		_str_ struct str out = {};

		assert_int_equal(cgroup_flatten(cases[i].path, globs, ARRAY_SIZE(globs), &out),
				 cases[i].matches);
		assert_string_equal(str_get(&out), cases[i].text);
	}
}

static void test_glob_check(void **state)
{
	static const char *const good[] = { "/a",    "*",   "[ab]",	    "[]]",
					    "[!]a]", "a]b", "[[:digit:]]*", "\\[a]" };
	static const char *const bad[] = { "", "[", "/a[b", "[]", "[!]", "[ab]/[c", "[[:digit:]" };

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(good); i++)
		assert_int_equal(cgroup_glob_check(good[i]), 0);
	for (size_t i = 0; i < ARRAY_SIZE(bad); i++) {
		assert_int_equal(cgroup_glob_check(bad[i]), -EINVAL);
		assert_non_null(strstr(err_text(-EINVAL), "invalid cgroup glob '"));
		assert_non_null(strstr(err_text(-EINVAL), bad[i]));
	}
}

static void expect_tight(const char *const *paths, const char *text)
{
	_name_tightener_ struct name_tightener t = {};
	_str_ struct str out = {};

	for (; *paths; paths++)
		assert_int_equal(name_tightener_add(&t, *paths), 0);
	name_tightener_text(&t, &out);
	assert_string_equal(str_get(&out), text);
}

static void test_tighten(void **state)
{
	static const char *const sessions[] = { "/user.slice/user-1000.slice/session-3.scope",
						"/user.slice/user-1000.slice/session-9.scope",
						"/user.slice/user-1000.slice/session-3.scope",
						NULL };
	static const char *const users[] = { "/user@1001.service/x1", "/user@1002.service/x1",
					     NULL };
	static const char *const single[] = { "/a-1/b@7.service", NULL };
	static const char *const lengths[] = { "/a-1/b", "/a-1", NULL };
	static const char *const none[] = { NULL };

	(void)state;
	expect_tight(sessions, "/user.slice/user-1000.slice/session-{N}.scope");
	expect_tight(users, "/user@{I}.service/x1");
	expect_tight(single, "/a-1/b@7.service");
	expect_tight(lengths, "/a-1/b");
	expect_tight(none, "");
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_names),	cmocka_unit_test(test_cgroups),
		cmocka_unit_test(test_flatten), cmocka_unit_test(test_glob_check),
		cmocka_unit_test(test_tighten),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
