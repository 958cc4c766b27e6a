// SPDX-License-Identifier: GPL-2.0-only
/* Loading when memory runs out: at any allocation it ends with an error and leaks nothing. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "base/err.h"
#include "base/util.h"
#include "ctprof/family.h"
#include "ctprof/name.h"
#include "ctprof/snapshot.h"

static long left = -1; /* allocations until one fails; -1 = none does */

static bool fails(void)
{
	return left >= 0 && left-- == 0;
}

/* The linker sends the library's allocations here and ours to the real ones. */
void *__real_malloc(size_t size);
void *__real_calloc(size_t count, size_t size);
void *__real_realloc(void *p, size_t size);
void *__real_reallocarray(void *p, size_t count, size_t size);
char *__real_strdup(const char *s);
char *__real_strndup(const char *s, size_t len);
void *__wrap_malloc(size_t size);
void *__wrap_calloc(size_t count, size_t size);
void *__wrap_realloc(void *p, size_t size);
void *__wrap_reallocarray(void *p, size_t count, size_t size);
char *__wrap_strdup(const char *s);
char *__wrap_strndup(const char *s, size_t len);

void *__wrap_malloc(size_t size)
{
	return fails() ? NULL : __real_malloc(size);
}

void *__wrap_calloc(size_t count, size_t size)
{
	return fails() ? NULL : __real_calloc(count, size);
}

void *__wrap_realloc(void *p, size_t size)
{
	return fails() ? NULL : __real_realloc(p, size);
}

void *__wrap_reallocarray(void *p, size_t count, size_t size)
{
	return fails() ? NULL : __real_reallocarray(p, count, size);
}

char *__wrap_strdup(const char *s)
{
	return fails() ? NULL : __real_strdup(s);
}

char *__wrap_strndup(const char *s, size_t len)
{
	return fails() ? NULL : __real_strndup(s, len);
}

static const char document[] =
	"{\"schema_version\":1,\"tool\":\"t\",\"host\":{\"arch\":\"x\",\"cpufreq_governor\":"
	"{\"cpu0\":\"p\"}},\"threads\":[{\"tid\":1,\"tgid\":1,\"comm\":\"a\",\"cgroup\":\"/g\","
	"\"cpu_affinity\":[0,1,2],\"policy\":\"SCHED_OTHER\",\"smaps_rollup_kib\":{\"Rss\":1}},"
	"{\"tid\":2,\"comm\":\"b\"}],\"cgroup_stats\":{\"/g\":{\"memory\":{\"stat\":{\"anon\":1}},"
	"\"io\":{\"stat\":{\"rios\":1}}},"
	"\"/h\":{}},\"unread\":{\"rchar\":{\"threads\":2,\"reason\":\"r\"}}}";

/* What the work returns when its nth allocation fails; true when it did not get that far. */
static bool survives(int (*work)(void), long nth)
{
	int rc;

	left = nth;
	rc = work();
	if (left >= 0) {
		left = -1;
		assert_int_equal(rc, 0);
		return true;
	}
	assert_int_equal(rc, -ENOMEM);
	assert_non_null(strstr(err_text(rc), "out of memory"));
	return false;
}

static void fail_everywhere(int (*work)(void))
{
	long nth = 0;

	while (!survives(work, nth))
		nth++;
	assert_true(nth > 3);
}

static int parse_document(void)
{
	_snapshot_ struct snapshot s;
	char text[sizeof(document)];

	memcpy(text, document, sizeof(document));
	return snapshot_parse(&s, text, sizeof(document) - 1);
}

static int read_info(void)
{
	_snapshot_info_ struct snapshot_info info = {};
	_snapshot_ struct snapshot s;
	char text[sizeof(document)];
	int rc;

	memcpy(text, document, sizeof(document));
	rc = snapshot_parse(&s, text, sizeof(document) - 1);
	return rc < 0 ? rc : snapshot_info_read(&info, &s);
}

static int tighten(void)
{
	_name_tightener_ struct name_tightener t = {};
	_str_ struct str out = {};
	int rc = name_tightener_add(&t, "/a-1/b-2/c-3/d-4/e-5/f-6/g-7");

	if (rc == 0)
		rc = name_tightener_add(&t, "/a-1/b-2/c-3/d-4/e-5/f-6/g-8");
	name_tightener_text(&t, &out);
	name_skeleton("a-long-name-that-needs-more-room-than-a-string-has-at-first-1234567", &out);
	return rc < 0 ? rc : str_check(&out);
}

static void test_parse(void **state)
{
	(void)state;
	fail_everywhere(parse_document);
}

static void test_info(void **state)
{
	(void)state;
	fail_everywhere(read_info);
}

static void test_names(void **state)
{
	(void)state;
	fail_everywhere(tighten);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_parse),
		cmocka_unit_test(test_info),
		cmocka_unit_test(test_names),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
