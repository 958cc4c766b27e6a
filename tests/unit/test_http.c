// SPDX-License-Identifier: GPL-2.0-only
/*
 * Downloads: from a server of this test where the answer of a server matters, and with functions of
 * libcurl that are played where a failure or a single call matters.
 */
#include "played_curl.h"

#include <errno.h>

#include "base/interrupt.h"
#include "base/progress.h"
#include "net/http.h"

#define OK(fields, body) "HTTP/1.1 200 OK\r\n" fields "\r\n" body
#define CHUNKED "Transfer-Encoding: chunked\r\n"
#define EIGHT HTTP_SERVER_CHUNK

static const struct http_server_page pages[] = {
	{ "/page", OK("Content-Type: text/html; charset=utf-8\r\n", "<hello>") },
	{ "/upper", OK("Content-Type: TEXT/HTML\r\n", "") },
	{ "/text", OK("Content-Type: text/htm\r\nContent-Length: 4\r\n", "text") },
	{ "/untyped", OK("Content-Length: 3\r\n", "abc") },
	{ "/missing", "HTTP/1.1 404 Not Found\r\nContent-Length: 4\r\n\r\ngone" },
	{ "/broken", "HTTP/1.1 500 Oops\r\nContent-Type: text/html\r\nContent-Length: 0\r\n\r\n" },
	{ "/eight", OK(CHUNKED, EIGHT "0\r\n\r\n") },
	{ "/nine", OK(CHUNKED, EIGHT "1\r\nB\r\n0\r\n\r\n") },
	{ "/announced", OK("Content-Length: 9\r\n", "") },
	{ "/cut", OK(CHUNKED, EIGHT) },
	{ "/endless", OK(CHUNKED, EIGHT), HTTP_SERVER_REPEATS },
	{ "/stalled", OK(CHUNKED, EIGHT), HTTP_SERVER_WAITS },
	{ "http://nowhere.invalid/page", OK("Content-Length: 0\r\n", "") },
	{ "/silent", "", HTTP_SERVER_WAITS },
	{ "/nothing", "" },
	{ "/ftp",
	  "HTTP/1.1 302 Found\r\nLocation: ftp://127.0.0.1:1/\r\nContent-Length: 0\r\n\r\n" },
	{},
};

/* ---- played ---- */

CURLcode __real_curl_easy_perform(CURL *curl);
CURLcode __wrap_curl_easy_perform(CURL *curl);
void *__real_realloc(void *p, size_t size);
void *__wrap_realloc(void *p, size_t size);
int __wrap_interrupt_check(void);
void __real_progress_start(struct progress *p, const char *what, uint64_t total);
void __wrap_progress_start(struct progress *p, const char *what, uint64_t total);
void __wrap_progress_update(struct progress *p, uint64_t done);
void __real_progress_end(struct progress *p);
void __wrap_progress_end(struct progress *p);

CURLcode __wrap_curl_easy_perform(CURL *curl)
{
	return play.perform ? play.perform() : __real_curl_easy_perform(curl);
}

void *__wrap_realloc(void *p, size_t size)
{
	return play.has_no_memory ? NULL : __real_realloc(p, size);
}

int __wrap_interrupt_check(void)
{
	return play.is_interrupted ? err_set(EINTR, "interrupted") : 0;
}

void __wrap_progress_start(struct progress *p, const char *what, uint64_t total)
{
	seen.bar.started++;
	seen.bar.start_total = total;
	snprintf(seen.bar.what, sizeof(seen.bar.what), "%s", what);
	__real_progress_start(p, what, total);
}

void __wrap_progress_update(struct progress *p, uint64_t done)
{
	assert_int_equal(seen.bar.started, seen.bar.ended + 1);
	seen.bar.updated++;
	seen.bar.total = p->total;
	seen.bar.done = done;
}

void __wrap_progress_end(struct progress *p)
{
	seen.bar.ended++;
	__real_progress_end(p);
}

/* ---- helpers ---- */

static int get(size_t limit, struct str *out, struct http_answer *answer)
{
	*answer = (struct http_answer){ .status = 99, .is_html = true };
	return http_get(url, limit, out, answer);
}

static int get_file(size_t limit, const char *to)
{
	struct http_answer answer = { .status = 99, .is_html = true };
	struct http_file file = { .path = to, .what = "title", .limit = limit, .timeout_s = 7 };
	int rc = http_get_file(url, &file, &answer);

	if (rc == 0) {
		assert_int_equal(answer.status, 200);
		assert_false(answer.is_html);
	}
	return rc;
}

/* The transfer fails with this error; %s is the URL. */
static void expect_error(size_t limit, int error, const char *format, ...)
{
	_str_ struct str out = {};
	struct http_answer answer;
	_free_ char *expected = NULL;
	va_list ap;

	va_start(ap, format);
	assert_true(vasprintf(&expected, format, ap) >= 0);
	va_end(ap);
	err_clear();
	assert_int_equal(get(limit, &out, &answer), -error);
	expect_text(error, expected);
}

/* ---- documents ---- */

static void a_document_has_a_status_and_a_type(void **state)
{
	static const struct {
		const char *name;
		long status;
		bool is_html;
		const char *body;
	} rows[] = {
		{ "/page", 200, true, "<hello>" },  { "/upper", 200, true, "" },
		{ "/text", 200, false, "text" },    { "/untyped", 200, false, "abc" },
		{ "/missing", 404, false, "gone" }, { "/broken", 500, true, "" },
	};
	_str_ struct str out = {};
	struct http_answer answer;

	(void)state;
	str_add(&out, "from before");
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		set_url(http_server.base, rows[i].name);
		assert_int_equal(get(100, &out, &answer), 0);
		assert_int_equal(answer.status, rows[i].status);
		assert_int_equal(answer.is_html, rows[i].is_html);
		assert_string_equal(str_get(&out), rows[i].body);
	}
	assert_true(http_server_was_asked("GET /page HTTP/1.1\r\n"));
	assert_true(http_server_was_asked("\r\nUser-Agent: ktstr\r\n"));
}

static void the_options_of_a_document_are_set(void **state)
{
	_str_ struct str out = {};
	struct http_answer answer;

	(void)state;
	set_url(http_server.base, "/page");
	assert_int_equal(get(100, &out, &answer), 0);
	expect_number(CURLOPT_NOSIGNAL, 1);
	expect_number(CURLOPT_CONNECTTIMEOUT_MS, 5000);
	expect_number(CURLOPT_TIMEOUT_MS, 8000);
	expect_number(CURLOPT_LOW_SPEED_LIMIT, 1);
	expect_number(CURLOPT_LOW_SPEED_TIME, 30);
	expect_number(CURLOPT_MAXFILESIZE_LARGE, 100);
	assert_int_equal(seen.bar.started, 0);
	assert_int_equal(seen.bar.updated, 0);
}

static void five_redirects_are_followed(void **state)
{
	_str_ struct str out = {};
	struct http_answer answer;

	(void)state;
	set_url(http_server.base, HTTP_SERVER_HOPS "5");
	assert_int_equal(get(100, &out, &answer), 0);
	assert_int_equal(answer.status, 200);
	assert_string_equal(str_get(&out), "arrived");
	set_url(http_server.base, HTTP_SERVER_HOPS "6");
	expect_error(100, EIO, "download %s: ", url);
}

static void only_http_is_spoken(void **state)
{
	(void)state;
	unit_write(dir, "file", "local");
	set_url("file://", path);
	expect_error(100, EIO, "download %s: ", url);
	set_url(http_server.base, "/ftp");
	expect_error(100, EIO, "download %s: ", url);
}

static void a_document_has_at_most_the_size_of_its_limit(void **state)
{
	static const char *const larger[] = { "/nine", "/announced", "/endless" };
	_str_ struct str out = {};
	struct http_answer answer;

	(void)state;
	set_url(http_server.base, "/eight");
	assert_int_equal(get(8, &out, &answer), 0);
	assert_string_equal(str_get(&out), "AAAAAAAA");
	for (size_t i = 0; i < ARRAY_SIZE(larger); i++) {
		set_url(http_server.base, larger[i]);
		expect_error(8, EFBIG, "%s is larger than 8 bytes", url);
	}
	/* It is as large as allowed, but the transfer fails. */
	set_url(http_server.base, "/cut");
	expect_error(8, EIO, "download %s: ", url);
}

/* ---- failures ---- */

static void a_server_that_does_not_answer_cannot_be_reached(void **state)
{
	(void)state;
	set_url(dead_base, "/page");
	expect_error(100, ENETUNREACH, "%s cannot be reached: ", url);
	set_url(http_server.base, "/nothing");
	expect_error(100, ENETUNREACH, "%s cannot be reached: ", url);
	play.is_impatient = true;
	set_url(http_server.base, "/silent");
	expect_error(100, ENETUNREACH, "%s cannot be reached: ", url);
	set_url(http_server.base, "/stalled");
	expect_error(100, ENETUNREACH, "%s cannot be reached: ", url);
}

static struct {
	CURLcode code;
	const char *message;
} failure;

static CURLcode play_failure(void)
{
	if (failure.message)
		strcpy(pointer_of(CURLOPT_ERRORBUFFER), failure.message);
	return failure.code;
}

static void each_failure_has_an_error(void **state)
{
	static const struct {
		CURLcode code;
		int error;
	} rows[] = {
		{ CURLE_COULDNT_RESOLVE_HOST, ENETUNREACH },
		{ CURLE_COULDNT_RESOLVE_PROXY, ENETUNREACH },
		{ CURLE_COULDNT_CONNECT, ENETUNREACH },
		{ CURLE_OPERATION_TIMEDOUT, ENETUNREACH },
		{ CURLE_SSL_CONNECT_ERROR, ENETUNREACH },
		{ CURLE_PEER_FAILED_VERIFICATION, ENETUNREACH },
		{ CURLE_GOT_NOTHING, ENETUNREACH },
		{ CURLE_ABORTED_BY_CALLBACK, EIO },
		{ CURLE_RECV_ERROR, EIO },
		{ CURLE_PARTIAL_FILE, EIO },
		{ CURLE_URL_MALFORMAT, EIO },
	};

	(void)state;
	play.perform = play_failure;
	set_url("http://", "host");
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		const char *format = rows[i].error == EIO ? "download http://host: %s" :
							    "http://host cannot be reached: %s";

		failure.code = rows[i].code;
		/* The transfer knows more than the code, unless it says nothing. */
		failure.message = "!";
		expect_error(100, rows[i].error, format, "!");
		failure.message = NULL;
		expect_error(100, rows[i].error, format, curl_easy_strerror(failure.code));
	}
	failure.code = CURLE_FILESIZE_EXCEEDED;
	expect_error(100, EFBIG, "http://host is larger than 100 bytes");
	/* An interrupt is one only where it ended the transfer. */
	play.is_interrupted = true;
	failure.code = CURLE_COULDNT_CONNECT;
	expect_error(100, ENETUNREACH, "http://host cannot be reached: ");
	failure.code = CURLE_ABORTED_BY_CALLBACK;
	expect_error(100, EINTR, "interrupted");
}

static void without_a_handle_nothing_is_transferred(void **state)
{
	(void)state;
	play.easy = 0;
	set_url(http_server.base, "/page");
	expect_error(100, ENOMEM, "out of memory");
	assert_int_equal(get_file(100, path), -ENOMEM);
	/* One that was given up may arrive only now. */
	assert_false(http_server_was_asked("GET /page"));
}

/* What the callback for data returned for the last of them. */
static size_t taken;

/* Arrives in two parts, the second one of a single byte. */
static CURLcode play_two_parts(void)
{
	curl_write_callback take = (curl_write_callback)pointer_of(CURLOPT_WRITEFUNCTION);
	void *context = pointer_of(CURLOPT_WRITEDATA);
	char parts[] = "AAAABBBBC";

	taken = take(parts, 1, 8, context);
	if (taken != 8)
		return CURLE_WRITE_ERROR;
	taken = take(parts + 8, 1, 1, context);
	return taken == 1 ? CURLE_OK : CURLE_WRITE_ERROR;
}

static void a_single_byte_is_too_much(void **state)
{
	_str_ struct str out = {};
	struct http_answer answer;

	(void)state;
	play.perform = play_two_parts;
	set_url("http://", "host");
	assert_int_equal(get(9, &out, &answer), 0);
	assert_string_equal(str_get(&out), "AAAABBBBC");
	expect_error(8, EFBIG, "http://host is larger than 8 bytes");
	assert_int_equal(taken, 0);
	expect_error(0, EFBIG, "http://host is larger than 0 bytes");
	assert_int_equal(taken, 0);
}

static CURLcode play_byte(void)
{
	curl_write_callback take = (curl_write_callback)pointer_of(CURLOPT_WRITEFUNCTION);
	char byte[] = "A";

	play.has_no_memory = true;
	taken = take(byte, 1, 1, pointer_of(CURLOPT_WRITEDATA));
	play.has_no_memory = false;
	return taken == 1 ? CURLE_OK : CURLE_WRITE_ERROR;
}

static void a_document_needs_memory(void **state)
{
	(void)state;
	play.perform = play_byte;
	set_url("http://", "host");
	expect_error(100, ENOMEM, "out of memory");
	assert_int_equal(taken, 0);
}

/* ---- files ---- */

static void a_file_is_downloaded(void **state)
{
	(void)state;
	unit_write(dir, "file", "a longer text from before");
	set_url(http_server.base, "/eight");
	assert_int_equal(get_file(8, path), 0);
	expect_file("AAAAAAAA");
	expect_number(CURLOPT_TIMEOUT_MS, 7000);
	assert_string_equal(seen.bar.what, "title");
	assert_int_equal(seen.bar.start_total, 0);
	assert_true(seen.bar.updated > 0);
	for (size_t i = 0; i < 2; i++) {
		set_url(http_server.base, i ? "/nine" : "/endless");
		assert_int_equal(get_file(8, path), -EFBIG);
		expect_text(EFBIG, " is larger than 8 bytes");
	}
	set_url(dead_base, "/eight");
	assert_int_equal(get_file(8, path), -ENETUNREACH);
	expect_text(ENETUNREACH, url);
}

static void a_file_of_several_parts_is_whole(void **state)
{
	(void)state;
	play.perform = play_two_parts;
	set_url("http://", "host");
	{
		struct http_answer answer;
		struct http_file file = { .path = path, .what = "title", .limit = 9 };

		assert_int_equal(http_get_file(url, &file, &answer), 0);
	}
	expect_file("AAAABBBBC");
	expect_number(CURLOPT_TIMEOUT_MS, 0);
}

/* A file in a directory that does not exist, and one that has no room. */
static void a_file_that_cannot_be_written_is_named(void **state)
{
	_free_ char *nowhere = str_fmt("%s/none/file", dir);
	_free_ char *expected = str_fmt("create %s: No such file or directory", nowhere);

	(void)state;
	set_url(http_server.base, "/eight");
	assert_int_equal(get_file(100, nowhere), -ENOENT);
	assert_string_equal(err_text(-ENOENT), expected);
	assert_false(http_server_was_asked("GET /eight"));
	/* At the end, or while more arrives than the buffer holds. */
	assert_int_equal(get_file(100, "/dev/full"), -ENOSPC);
	assert_string_equal(err_text(-ENOSPC), "write /dev/full: No space left on device");
	set_url(http_server.base, "/endless");
	assert_int_equal(get_file(1 << 30, "/dev/full"), -ENOSPC);
	assert_string_equal(err_text(-ENOSPC), "write /dev/full: No space left on device");
	/* The transfer failed first. */
	set_url(http_server.base, "/cut");
	assert_int_equal(get_file(100, "/dev/full"), -EIO);
	expect_text(EIO, "/cut: ");
}

static CURLcode play_progress(void)
{
	curl_xferinfo_callback show = (curl_xferinfo_callback)pointer_of(CURLOPT_XFERINFOFUNCTION);
	void *context = pointer_of(CURLOPT_XFERINFODATA);

	expect_number(CURLOPT_NOPROGRESS, 0);
	assert_int_equal(show(context, (9 << 20) - 1, (5 << 20) - 1, 0, 0), 0);
	assert_int_equal(seen.bar.total, 8);
	assert_int_equal(seen.bar.done, 4);
	assert_int_equal(show(context, 9 << 20, 5 << 20, 0, 0), 0);
	assert_int_equal(seen.bar.total, 9);
	assert_int_equal(seen.bar.done, 5);
	play.is_interrupted = true;
	assert_int_not_equal(show(context, 9 << 20, 6 << 20, 0, 0), 0);
	assert_int_equal(seen.bar.done, 6);
	return CURLE_ABORTED_BY_CALLBACK;
}

static void progress_is_shown_in_mebibytes(void **state)
{
	(void)state;
	play.perform = play_progress;
	set_url("http://", "host");
	assert_int_equal(get_file(100, path), -EINTR);
	expect_text(EINTR, "interrupted");
}

static void a_download_can_be_interrupted(void **state)
{
	(void)state;
	play.is_interrupted = true;
	set_url(http_server.base, "/stalled");
	assert_int_equal(get_file(100, path), -EINTR);
	expect_text(EINTR, "interrupted");
	expect_error(100, EINTR, "interrupted");
}

/* ---- proxies and addresses ---- */

static CURLcode play_success(void)
{
	return CURLE_OK;
}

static void a_proxy_for_http_has_two_names(void **state)
{
	static const struct {
		const char *address, *capital, *small; /* HTTP_PROXY, http_proxy */
		bool is_used;
	} rows[] = {
		{ "http://host", "http://proxy", NULL, true },
		{ "HTTP://host", "http://proxy", "", true },
		{ "http://host", "http://proxy", "http://other", false },
		{ "http://host", NULL, NULL, false },
		{ "http://host", "", NULL, false },
		{ "http://host", NULL, "http://other", false },
		{ "https://host", "http://proxy", NULL, false },
	};
	_str_ struct str out = {};
	struct http_answer answer;

	(void)state;
	play.perform = play_success;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		setenv("HTTP_PROXY", rows[i].capital ? rows[i].capital : "", 1);
		setenv("http_proxy", rows[i].small ? rows[i].small : "", 1);
		set_url("", rows[i].address);
		assert_int_equal(get(100, &out, &answer), 0);
		assert_int_equal(has_option(CURLOPT_PROXY), rows[i].is_used);
		if (rows[i].is_used)
			assert_string_equal(pointer_of(CURLOPT_PROXY), "http://proxy");
	}
}

static void a_request_goes_to_the_proxy(void **state)
{
	_str_ struct str out = {};
	struct http_answer answer;

	(void)state;
	setenv("HTTP_PROXY", http_server.base, 1);
	set_url("http://", "nowhere.invalid/page");
	assert_int_equal(get(100, &out, &answer), 0);
	assert_true(http_server_was_asked("GET http://nowhere.invalid/page HTTP/1.1\r\n"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(a_document_has_a_status_and_a_type),
		TEST(the_options_of_a_document_are_set),
		TEST(five_redirects_are_followed),
		TEST(only_http_is_spoken),
		TEST(a_document_has_at_most_the_size_of_its_limit),
		TEST(a_server_that_does_not_answer_cannot_be_reached),
		TEST(each_failure_has_an_error),
		TEST(without_a_handle_nothing_is_transferred),
		TEST(a_single_byte_is_too_much),
		TEST(a_document_needs_memory),
		TEST(a_file_is_downloaded),
		TEST(a_file_of_several_parts_is_whole),
		TEST(a_file_that_cannot_be_written_is_named),
		TEST(progress_is_shown_in_mebibytes),
		TEST(a_download_can_be_interrupted),
		TEST(a_proxy_for_http_has_two_names),
		TEST(a_request_goes_to_the_proxy),
	};

	http_server.pages = pages;
	return cmocka_run_group_tests(tests, start_server, NULL);
}
