// SPDX-License-Identifier: GPL-2.0-only
/* Error messages: set, wrap, fall back to errno. */
#include "unit.h"

#include <errno.h>
#include <pthread.h>

#include "base/err.h"

static void set_returns_negative_errno_and_keeps_the_sentence(void **state)
{
	(void)state;
	assert_int_equal(err_set(ENOENT, "no kernel %s in %s", "6.14", "cache"), -ENOENT);
	assert_string_equal(err_text(-ENOENT), "no kernel 6.14 in cache");
}

static void sys_appends_the_errno_text(void **state)
{
	(void)state;
	assert_int_equal(err_sys(EACCES, "read %s", "/x"), -EACCES);
	assert_string_equal(err_text(-EACCES), "read /x: Permission denied");
}

static void wrap_puts_context_in_front(void **state)
{
	int rc = err_set(EINVAL, "bad number");

	(void)state;
	assert_int_equal(err_wrap(rc, "load %s", "a.zst"), -EINVAL);
	assert_string_equal(err_text(rc), "load a.zst: bad number");
}

static void wrap_without_a_message_uses_the_errno_text(void **state)
{
	(void)state;
	err_clear();
	err_wrap(-ENOSPC, "write out");
	assert_string_equal(err_text(-ENOSPC), "write out: No space left on device");
}

static void the_message_may_be_its_own_argument(void **state)
{
	(void)state;
	err_set(EIO, "first");
	err_set(EIO, "second after %s", err_text(-EIO));
	assert_string_equal(err_text(-EIO), "second after first");
}

static void a_long_message_is_cut_not_overrun(void **state)
{
	char big[8192];

	(void)state;
	memset(big, 'x', sizeof(big) - 1);
	big[sizeof(big) - 1] = '\0';
	err_set(EINVAL, "%s", big);
	err_wrap(-EINVAL, "%s", big);
	assert_true(strlen(err_text(-EINVAL)) > 1000);
	assert_true(strlen(err_text(-EINVAL)) < sizeof(big));
}

static void *set_in_thread(void *arg)
{
	err_set(EINVAL, "from the other thread");
	return arg;
}

static void messages_belong_to_their_thread(void **state)
{
	pthread_t thread;

	(void)state;
	err_set(EIO, "mine");
	assert_int_equal(pthread_create(&thread, NULL, set_in_thread, NULL), 0);
	pthread_join(thread, NULL);
	assert_string_equal(err_text(-EIO), "mine");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(set_returns_negative_errno_and_keeps_the_sentence),
		cmocka_unit_test(sys_appends_the_errno_text),
		cmocka_unit_test(wrap_puts_context_in_front),
		cmocka_unit_test(wrap_without_a_message_uses_the_errno_text),
		cmocka_unit_test(the_message_may_be_its_own_argument),
		cmocka_unit_test(a_long_message_is_cut_not_overrun),
		cmocka_unit_test(messages_belong_to_their_thread),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
