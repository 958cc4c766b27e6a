/* SPDX-License-Identifier: GPL-2.0-only */
/* Handles of libcurl and their options are recorded, and creating them can fail. */
#ifndef KTSTR_TESTS_PLAYED_CURL_H
#define KTSTR_TESTS_PLAYED_CURL_H

#include "http_server.h"

#include <curl/curl.h>
#include <pthread.h>

#include "base/err.h"
#include "base/file.h"
#include "base/str.h"

/* Of each test: its directory, a file in it, and what it asks for. */
static char *dir, *path, *url;
static char dead_base[64]; /* nobody listens there */

static struct {
	bool is_initialized;
	bool is_running;	   /* any request */
	size_t easy, multi, added; /* handles that exist now */
	size_t options_count;
	struct {
		CURLoption option;
		long long number;
		void *pointer;
	} options[32]; /* of the newest handle */
	long most_connections;
	struct {
		size_t started, ended, updated;
		char what[32];
		uint64_t start_total, total, done;
	} bar;
} seen;

/* What is played; everything else is done by libcurl. */
static struct {
	CURLcode (*perform)(void);
	long easy; /* handles that can still be created, -1 = all */
	bool has_no_multi, has_no_memory;
	bool fails_to_perform, fails_to_poll;
	bool is_impatient; /* timeouts are a thousandth, otherwise a thousand times as long */
	bool is_interrupted;
} play;

static pthread_once_t *once;

int __real_pthread_once(pthread_once_t *control, void (*routine)(void));
int __wrap_pthread_once(pthread_once_t *control, void (*routine)(void));
CURLcode __real_curl_global_init(long flags);
CURLcode __wrap_curl_global_init(long flags);
CURL *__real_curl_easy_init(void);
CURL *__wrap_curl_easy_init(void);
void __real_curl_easy_cleanup(CURL *curl);
void __wrap_curl_easy_cleanup(CURL *curl);
CURLcode __real_curl_easy_setopt(CURL *curl, CURLoption option, ...);
CURLcode __wrap_curl_easy_setopt(CURL *curl, CURLoption option, ...);

/* Remembers the control, so that each test begins as a new process does. */
int __wrap_pthread_once(pthread_once_t *control, void (*routine)(void))
{
	once = control;
	return __real_pthread_once(control, routine);
}

CURLcode __wrap_curl_global_init(long flags)
{
	assert_false(seen.is_initialized);
	seen.is_initialized = true;
	assert_int_equal(flags, CURL_GLOBAL_DEFAULT);
	return __real_curl_global_init(flags);
}

CURL *__wrap_curl_easy_init(void)
{
	assert_true(seen.is_initialized);
	if (play.easy == 0)
		return NULL;
	if (play.easy > 0)
		play.easy--;
	seen.easy++;
	seen.options_count = 0;
	return __real_curl_easy_init();
}

void __wrap_curl_easy_cleanup(CURL *curl)
{
	assert_non_null(curl);
	seen.easy--;
	assert_in_range(seen.added, 0, seen.easy);
	__real_curl_easy_cleanup(curl);
}

CURLcode __wrap_curl_easy_setopt(CURL *curl, CURLoption option, ...)
{
	bool is_offset = option >= CURLOPTTYPE_OFF_T && option < CURLOPTTYPE_BLOB;
	bool is_number = option < CURLOPTTYPE_OBJECTPOINT;
	void *pointer = NULL;
	long long number = 0;
	va_list ap;

	va_start(ap, option);
	if (is_number)
		number = va_arg(ap, long);
	else if (is_offset)
		number = va_arg(ap, curl_off_t);
	else
		pointer = va_arg(ap, void *);
	va_end(ap);
	assert_in_range(seen.options_count, 0, ARRAY_SIZE(seen.options) - 1);
	seen.options[seen.options_count].option = option;
	seen.options[seen.options_count].number = number;
	seen.options[seen.options_count++].pointer = pointer;
	/* A busy machine takes its time. */
	if (option == CURLOPT_TIMEOUT_MS || option == CURLOPT_CONNECTTIMEOUT_MS)
		number = play.is_impatient ? number / 1000 : number * 1000;
	if (is_number)
		return __real_curl_easy_setopt(curl, option, (long)number);
	if (is_offset)
		return __real_curl_easy_setopt(curl, option, (curl_off_t)number);
	return __real_curl_easy_setopt(curl, option, pointer);
}

static inline size_t find_option(CURLoption option)
{
	size_t i = 0;

	while (i < seen.options_count && seen.options[i].option != option)
		i++;
	return i;
}

static inline bool has_option(CURLoption option)
{
	return find_option(option) < seen.options_count;
}

static inline void expect_number(CURLoption option, long long expected)
{
	assert_true(has_option(option));
	assert_int_equal(seen.options[find_option(option)].number, expected);
}

static inline void *pointer_of(CURLoption option)
{
	assert_true(has_option(option));
	return seen.options[find_option(option)].pointer;
}

static inline void set_url(const char *base, const char *name)
{
	free(url);
	url = str_fmt("%s%s", base, name);
	assert_non_null(url);
}

static inline void expect_text(int error, const char *expected)
{
	if (!strstr(err_text(-error), expected))
		fail_msg("expected '%s' in '%s'", expected, err_text(-error));
}

static inline void expect_file(const char *expected)
{
	_str_ struct str text = {};

	assert_int_equal(file_read(path, &text), 0);
	assert_string_equal(str_get(&text), expected);
}

static const char *const proxies[] = { "http_proxy", "HTTP_PROXY", "https_proxy", "HTTPS_PROXY",
				       "all_proxy",  "ALL_PROXY",  "no_proxy",	  "NO_PROXY" };

static inline int start(void **state)
{
	(void)state;
	dir = unit_temp_create();
	path = str_fmt("%s/file", dir);
	if (once)
		*once = (pthread_once_t)PTHREAD_ONCE_INIT;
	memset(&seen, 0, sizeof(seen));
	memset(&play, 0, sizeof(play));
	play.easy = -1;
	http_server_forget();
	for (size_t i = 0; i < ARRAY_SIZE(proxies); i++)
		unsetenv(proxies[i]);
	return 0;
}

static inline int stop(void **state)
{
	(void)state;
	memset(&play, 0, sizeof(play));
	unit_temp_remove(dir);
	free(path);
	free(url);
	url = NULL;
	err_clear();
	/* Nothing is left. */
	return seen.easy || seen.multi || seen.added || seen.bar.started != seen.bar.ended;
}

/* Before the first test. */
static inline int start_server(void **state)
{
	static int dead;

	(void)state;
	http_server_start();
	dead = http_server_bind(dead_base, sizeof(dead_base));
	return dead < 0;
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, start, stop)

#endif
