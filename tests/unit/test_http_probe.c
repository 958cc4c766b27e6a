// SPDX-License-Identifier: GPL-2.0-only
/* Requests for many statuses at once, and addresses of servers. */
#include "played_curl.h"

#include <errno.h>
#include <fcntl.h>

#include "net/http.h"

static const struct http_server_page pages[] = {
	{ "/page", "HTTP/1.1 200 OK\r\nContent-Length: 7\r\n\r\n<hello>" },
	{ "/missing", "HTTP/1.1 404 Not Found\r\nContent-Length: 4\r\n\r\ngone" },
	{ "/broken", "HTTP/1.1 500 Oops\r\n\r\n" },
	{ "/nothing", "" },
	{},
};

/* ---- played ---- */

CURLM *__real_curl_multi_init(void);
CURLM *__wrap_curl_multi_init(void);
CURLMcode __real_curl_multi_cleanup(CURLM *multi);
CURLMcode __wrap_curl_multi_cleanup(CURLM *multi);
CURLMcode __real_curl_multi_setopt(CURLM *multi, CURLMoption option, ...);
CURLMcode __wrap_curl_multi_setopt(CURLM *multi, CURLMoption option, ...);
CURLMcode __real_curl_multi_add_handle(CURLM *multi, CURL *curl);
CURLMcode __wrap_curl_multi_add_handle(CURLM *multi, CURL *curl);
CURLMcode __real_curl_multi_remove_handle(CURLM *multi, CURL *curl);
CURLMcode __wrap_curl_multi_remove_handle(CURLM *multi, CURL *curl);
CURLMcode __real_curl_multi_perform(CURLM *multi, int *running);
CURLMcode __wrap_curl_multi_perform(CURLM *multi, int *running);
CURLMcode __real_curl_multi_poll(CURLM *multi, struct curl_waitfd *fds, unsigned int count,
				 int timeout_ms, int *ready);
CURLMcode __wrap_curl_multi_poll(CURLM *multi, struct curl_waitfd *fds, unsigned int count,
				 int timeout_ms, int *ready);
int __wrap_interrupt_check(void);
void *__real_calloc(size_t count, size_t size);
void *__wrap_calloc(size_t count, size_t size);

CURLM *__wrap_curl_multi_init(void)
{
	assert_true(seen.is_initialized);
	if (play.has_no_multi)
		return NULL;
	seen.multi++;
	return __real_curl_multi_init();
}

CURLMcode __wrap_curl_multi_cleanup(CURLM *multi)
{
	if (multi)
		seen.multi--;
	return __real_curl_multi_cleanup(multi);
}

CURLMcode __wrap_curl_multi_setopt(CURLM *multi, CURLMoption option, ...)
{
	va_list ap;

	assert_int_equal(option, CURLMOPT_MAX_TOTAL_CONNECTIONS);
	va_start(ap, option);
	seen.most_connections = va_arg(ap, long);
	va_end(ap);
	return __real_curl_multi_setopt(multi, option, seen.most_connections);
}

CURLMcode __wrap_curl_multi_add_handle(CURLM *multi, CURL *curl)
{
	seen.added++;
	return __real_curl_multi_add_handle(multi, curl);
}

CURLMcode __wrap_curl_multi_remove_handle(CURLM *multi, CURL *curl)
{
	assert_non_null(curl);
	seen.added--;
	return __real_curl_multi_remove_handle(multi, curl);
}

CURLMcode __wrap_curl_multi_perform(CURLM *multi, int *running)
{
	CURLMcode rc = CURLM_INTERNAL_ERROR;

	if (!play.fails_to_perform)
		rc = __real_curl_multi_perform(multi, running);
	seen.is_running = rc == CURLM_OK && *running;
	return rc;
}

/* Without a running request it would wait for all of the timeout. */
CURLMcode __wrap_curl_multi_poll(CURLM *multi, struct curl_waitfd *fds, unsigned int count,
				 int timeout_ms, int *ready)
{
	assert_true(seen.is_running);
	assert_int_equal(count, 0);
	assert_int_equal(timeout_ms, 1000);
	return play.fails_to_poll ? CURLM_INTERNAL_ERROR :
				    __real_curl_multi_poll(multi, fds, count, timeout_ms, ready);
}

int __wrap_interrupt_check(void)
{
	return play.is_interrupted ? err_set(EINTR, "interrupted") : 0;
}

void *__wrap_calloc(size_t count, size_t size)
{
	return play.has_no_memory ? NULL : __real_calloc(count, size);
}

/* ---- probes ---- */

static void each_probe_has_the_status_of_its_url(void **state)
{
	static const char *const names[] = { "/page", "/missing", "/nothing", "/hops/1",
					     "/broken" };
	static const long expected[] = { 200, 404, 0, 200, 500, 0 };
	char *urls[ARRAY_SIZE(expected)];
	long statuses[ARRAY_SIZE(expected) + 1];

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(urls); i++)
		urls[i] = i < ARRAY_SIZE(names) ? str_fmt("%s%s", http_server.base, names[i]) :
						  str_fmt("%s/page", dead_base);
	memset(statuses, 0x55, sizeof(statuses));
	assert_int_equal(http_probe(urls, ARRAY_SIZE(urls), statuses), 0);
	for (size_t i = 0; i < ARRAY_SIZE(urls); i++) {
		assert_int_equal(statuses[i], expected[i]);
		free(urls[i]);
	}
	assert_int_equal(statuses[ARRAY_SIZE(expected)], 0x5555555555555555);
	assert_true(http_server_was_asked("HEAD /page HTTP/1.1\r\n"));
	assert_false(http_server_was_asked("GET"));
	assert_int_equal(seen.most_connections, 16);
	expect_number(CURLOPT_NOSIGNAL, 1);
	expect_number(CURLOPT_CONNECTTIMEOUT_MS, 5000);
	assert_int_equal(http_probe(NULL, 0, NULL), 0);
}

/* The server answers the first one when the last one has arrived. */
static void probes_do_not_wait_for_each_other(void **state)
{
	char *urls[HTTP_SERVER_TEAM];
	long statuses[HTTP_SERVER_TEAM];

	(void)state;
	set_url(http_server.base, HTTP_SERVER_TOGETHER);
	for (size_t i = 0; i < ARRAY_SIZE(urls); i++)
		urls[i] = url;
	assert_int_equal(http_probe(urls, ARRAY_SIZE(urls), statuses), 0);
	for (size_t i = 0; i < ARRAY_SIZE(urls); i++)
		assert_int_equal(statuses[i], 204);
}

/* The server sends one nevertheless. */
static void the_body_of_a_probe_is_not_printed(void **state)
{
	int out, file;
	long status;
	int rc;

	(void)state;
	set_url(http_server.base, "/page");
	fflush(stdout);
	out = dup(STDOUT_FILENO);
	file = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
	assert_true(out >= 0 && file >= 0);
	dup2(file, STDOUT_FILENO);
	rc = http_probe(&url, 1, &status);
	fflush(stdout);
	dup2(out, STDOUT_FILENO);
	close(out);
	close(file);
	assert_int_equal(rc, 0);
	assert_int_equal(status, 200);
	expect_file("");
}

static void expect_no_probes(int error, const char *text)
{
	char *urls[] = { url, url, url };
	long statuses[ARRAY_SIZE(urls)] = { 99, 99, 99 };

	err_clear();
	assert_int_equal(http_probe(urls, ARRAY_SIZE(urls), statuses), -error);
	assert_string_equal(err_text(-error), text);
	assert_int_equal(seen.easy, 0);
	assert_int_equal(seen.multi, 0);
	for (size_t i = 0; i < ARRAY_SIZE(urls) && !play.has_no_multi && !play.has_no_memory; i++)
		assert_int_equal(statuses[i], 0);
}

static void probes_can_fail_altogether(void **state)
{
	(void)state;
	set_url(http_server.base, "/page");
	play.easy = 1;
	expect_no_probes(ENOMEM, "out of memory");
	play.easy = -1;
	play.has_no_multi = true;
	expect_no_probes(ENOMEM, "out of memory");
	play.has_no_multi = false;
	play.has_no_memory = true;
	expect_no_probes(ENOMEM, "out of memory");
	play.has_no_memory = false;
	play.fails_to_perform = true;
	expect_no_probes(EIO, "the requests failed");
	assert_false(http_server_was_asked("HEAD"));
	play.fails_to_perform = false;
	play.fails_to_poll = true;
	expect_no_probes(EIO, "the requests failed");
}

static void probes_can_be_interrupted(void **state)
{
	(void)state;
	set_url(http_server.base, "/page");
	play.is_interrupted = true;
	expect_no_probes(EINTR, "interrupted");
	assert_false(http_server_was_asked("HEAD"));
}

static void an_address_has_no_slash_at_its_end(void **state)
{
	static const char empty[] = "/";
	static const struct {
		const char *value, *fallback, *expected;
	} rows[] = {
		{ NULL, "http://a", "http://a" },
		{ "", "http://a/", "http://a" },
		{ "http://b", "http://a", "http://b" },
		{ "http://b/c//", "http://a", "http://b/c" },
		{ "///", "http://a", "" },
		{ NULL, empty + 1, "" },
		{ "b", "http://a", "b" },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		_free_ char *base = NULL;

		if (rows[i].value)
			setenv("KTSTR_TEST_URL", rows[i].value, 1);
		else
			unsetenv("KTSTR_TEST_URL");
		base = http_base("KTSTR_TEST_URL", rows[i].fallback);
		assert_string_equal(base, rows[i].expected);
	}
	unsetenv("KTSTR_TEST_URL");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(each_probe_has_the_status_of_its_url),
		TEST(probes_do_not_wait_for_each_other),
		TEST(the_body_of_a_probe_is_not_printed),
		TEST(probes_can_fail_altogether),
		TEST(probes_can_be_interrupted),
		TEST(an_address_has_no_slash_at_its_end),
	};

	http_server.pages = pages;
	return cmocka_run_group_tests(tests, start_server, NULL);
}
