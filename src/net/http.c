// SPDX-License-Identifier: GPL-2.0-only
/* libcurl with our timeouts and error messages. */
#include "net/http.h"

#include <curl/curl.h>
#include <pthread.h>
#include <strings.h>

#include "base/base.h"

#define MAX_REDIRECTS 5L
#define STALL_SECONDS 30L
#define PROBES_AT_ONCE 16L
#define PROBE_POLL_MS 1000

/* Documents are small; a slower server counts as unavailable. */
#define DOCUMENT_TIMEOUT_MS 8000L

struct transfer {
	CURL *curl;
	struct str *text; /* or */
	FILE *file;
	size_t limit, received;
	long timeout_ms; /* 0 = none */
	int write_errno; /* why the file cannot be written, 0 = it can */
	struct progress *bar;
	char error[CURL_ERROR_SIZE];
};

static pthread_once_t library_once = PTHREAD_ONCE_INIT;

static void init_library(void)
{
	curl_global_init(CURL_GLOBAL_DEFAULT);
}

static void cleanup_curl(CURL **curl)
{
	if (*curl)
		curl_easy_cleanup(*curl);
}

#define _curl_ _cleanup_(cleanup_curl)

/* libcurl reads all proxy variables except HTTP_PROXY, which CGI programs get from clients. */
static void set_proxy(CURL *curl, const char *url)
{
	const char *proxy = env_get("HTTP_PROXY");

	if (proxy && !env_get("http_proxy") && strncasecmp(url, "http://", 7) == 0)
		curl_easy_setopt(curl, CURLOPT_PROXY, proxy);
}

static CURL *new_handle(const char *url)
{
	CURL *curl;

	pthread_once(&library_once, init_library);
	curl = curl_easy_init();
	if (!curl)
		return NULL;
	curl_easy_setopt(curl, CURLOPT_URL, url);
	curl_easy_setopt(curl, CURLOPT_NOSIGNAL, 1L);
	curl_easy_setopt(curl, CURLOPT_CONNECTTIMEOUT_MS, HTTP_CONNECT_TIMEOUT_MS);
	curl_easy_setopt(curl, CURLOPT_LOW_SPEED_LIMIT, 1L);
	curl_easy_setopt(curl, CURLOPT_LOW_SPEED_TIME, STALL_SECONDS);
	curl_easy_setopt(curl, CURLOPT_FOLLOWLOCATION, 1L);
	curl_easy_setopt(curl, CURLOPT_MAXREDIRS, MAX_REDIRECTS);
#if LIBCURL_VERSION_NUM >= 0x075500
	curl_easy_setopt(curl, CURLOPT_PROTOCOLS_STR, "http,https");
#else
	curl_easy_setopt(curl, CURLOPT_PROTOCOLS, (long)(CURLPROTO_HTTP | CURLPROTO_HTTPS));
#endif
	curl_easy_setopt(curl, CURLOPT_USERAGENT, "ktstr");
	set_proxy(curl, url);
	return curl;
}

static size_t take_bytes(char *bytes, size_t size, size_t count, void *context)
{
	struct transfer *t = context;

	t->received += size * count;
	if (t->received > t->limit)
		return 0;
	if (t->file) {
		size_t written = fwrite(bytes, size, count, t->file);

		if (written < count)
			t->write_errno = errno;
		return written;
	}
	str_addn(t->text, bytes, size * count);
	return t->text->failed ? 0 : size * count;
}

static int on_progress(void *context, curl_off_t total, curl_off_t done,
		       curl_off_t up_total _unused_, curl_off_t up _unused_)
{
	struct transfer *t = context;

	if (t->bar) {
		t->bar->total = (uint64_t)total >> 20;
		progress_update(t->bar, (uint64_t)done >> 20);
	}
	return interrupt_check() < 0; /* only if signals are deferred */
}

static bool is_unreachable(CURLcode code)
{
	switch (code) {
	case CURLE_COULDNT_RESOLVE_HOST:
	case CURLE_COULDNT_RESOLVE_PROXY:
	case CURLE_COULDNT_CONNECT:
	case CURLE_OPERATION_TIMEDOUT:
	case CURLE_SSL_CONNECT_ERROR:
	case CURLE_PEER_FAILED_VERIFICATION:
	case CURLE_GOT_NOTHING:
		return true;
	default:
		return false;
	}
}

static int fail(const struct transfer *t, const char *url, CURLcode code)
{
	const char *why = t->error[0] ? t->error : curl_easy_strerror(code);

	if (code == CURLE_ABORTED_BY_CALLBACK && interrupt_check() < 0)
		return -EINTR;
	if (code == CURLE_FILESIZE_EXCEEDED || t->received > t->limit)
		return err_set(EFBIG, "%s is larger than %zu bytes", url, t->limit);
	if (is_unreachable(code))
		return err_set(ENETUNREACH, "%s cannot be reached: %s", url, why);
	return err_set(EIO, "download %s: %s", url, why);
}

static void read_answer(CURL *curl, struct http_answer *answer)
{
	const char *type = NULL;

	*answer = (struct http_answer){};
	curl_easy_getinfo(curl, CURLINFO_RESPONSE_CODE, &answer->status);
	curl_easy_getinfo(curl, CURLINFO_CONTENT_TYPE, &type);
	if (type)
		answer->is_html = strncasecmp(type, "text/html", 9) == 0;
}

static int perform(struct transfer *t, const char *url, struct http_answer *answer)
{
	_curl_ CURL *curl = new_handle(url);
	CURLcode code;

	if (!curl)
		return err_no_memory();
	curl_easy_setopt(curl, CURLOPT_ERRORBUFFER, t->error);
	curl_easy_setopt(curl, CURLOPT_WRITEFUNCTION, take_bytes);
	curl_easy_setopt(curl, CURLOPT_WRITEDATA, t);
	curl_easy_setopt(curl, CURLOPT_TIMEOUT_MS, t->timeout_ms);
	/* If the server reports the length, nothing is transferred in vain. */
	curl_easy_setopt(curl, CURLOPT_MAXFILESIZE_LARGE, (curl_off_t)t->limit);
	curl_easy_setopt(curl, CURLOPT_NOPROGRESS, 0L);
	curl_easy_setopt(curl, CURLOPT_XFERINFOFUNCTION, on_progress);
	curl_easy_setopt(curl, CURLOPT_XFERINFODATA, t);
	code = curl_easy_perform(curl);
	if (code != CURLE_OK)
		return fail(t, url, code);
	read_answer(curl, answer);
	return 0;
}

int http_get(const char *url, size_t limit, struct str *out, struct http_answer *answer)
{
	struct transfer t = { .text = out, .limit = limit, .timeout_ms = DOCUMENT_TIMEOUT_MS };
	int rc;

	str_reset(out);
	rc = perform(&t, url, answer);
	return str_check(out) ?: rc;
}

int http_get_file(const char *url, const struct http_file *to, struct http_answer *answer)
{
	_fclose_ FILE *file = fopen(to->path, "we");
	struct progress bar;
	struct transfer t = {
		.file = file, .bar = &bar, .limit = to->limit, .timeout_ms = to->timeout_s * 1000
	};
	int rc;

	if (!file)
		return err_sys(errno, "create %s", to->path);
	progress_start(&bar, to->what, 0);
	rc = perform(&t, url, answer);
	progress_end(&bar);
	if (rc == 0 && fflush(file) != 0)
		t.write_errno = errno;
	return t.write_errno ? err_sys(t.write_errno, "write %s", to->path) : rc;
}

static int add_probes(CURLM *multi, char *const *urls, size_t count, CURL **handles)
{
	for (size_t i = 0; i < count; i++) {
		handles[i] = new_handle(urls[i]);
		if (!handles[i])
			return err_no_memory();
		curl_easy_setopt(handles[i], CURLOPT_NOBODY, 1L);
		curl_multi_add_handle(multi, handles[i]);
	}
	return 0;
}

static int run_probes(CURLM *multi)
{
	int running = 1, rc = 0;

	while (running && (rc = interrupt_check()) == 0) {
		if (curl_multi_perform(multi, &running) != CURLM_OK ||
		    (running && curl_multi_poll(multi, NULL, 0, PROBE_POLL_MS, NULL) != CURLM_OK))
			return err_set(EIO, "the requests failed");
	}
	return rc;
}

static void take_status(CURLM *multi, CURL *handle, long *status)
{
	*status = 0;
	if (!handle)
		return;
	curl_easy_getinfo(handle, CURLINFO_RESPONSE_CODE, status);
	curl_multi_remove_handle(multi, handle);
	curl_easy_cleanup(handle);
}

int http_probe(char *const *urls, size_t count, long *statuses)
{
	_free_ CURL **handles = calloc(count, sizeof(*handles));
	CURLM *multi;
	int rc;

	pthread_once(&library_once, init_library);
	multi = curl_multi_init();
	if (!handles || !multi) {
		curl_multi_cleanup(multi);
		return err_no_memory();
	}
	curl_multi_setopt(multi, CURLMOPT_MAX_TOTAL_CONNECTIONS, PROBES_AT_ONCE);
	rc = add_probes(multi, urls, count, handles) ?: run_probes(multi);
	for (size_t i = 0; i < count; i++)
		take_status(multi, handles[i], &statuses[i]);
	curl_multi_cleanup(multi);
	return rc;
}

char *http_base(const char *variable, const char *fallback)
{
	const char *base = env_get(variable);
	size_t len;

	if (!base)
		base = fallback;
	len = strlen(base);
	while (len && base[len - 1] == '/')
		len--;
	return strndup(base, len);
}
