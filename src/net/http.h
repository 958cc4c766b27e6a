/* SPDX-License-Identifier: GPL-2.0-only */
/* Downloads over HTTP with libcurl. Proxies come from the environment. */
#ifndef KTSTR_NET_HTTP_H
#define KTSTR_NET_HTTP_H

#include <stdbool.h>
#include <stddef.h>

#include "base/str.h"

/*
 * Being offline must be detected within 10 s, even if packets are dropped silently and the package
 * archive was queried before.
 */
#define HTTP_CONNECT_TIMEOUT_MS 5000L

struct http_answer {
	long status;  /* 200, 404, ... */
	bool is_html; /* content type text/html */
};

/*
 * Fetches a document of at most limit bytes. 0 if the server answered, whatever the status;
 * -ENETUNREACH if it cannot be reached, other negative errnos if the transfer failed, both with a
 * message that names the URL.
 */
int http_get(const char *url, size_t limit, struct str *out, struct http_answer *answer);

/* A download into a file. */
struct http_file {
	const char *path;
	const char *what; /* title of its progress bar */
	size_t limit;	  /* bytes; -EFBIG for more */
	long timeout_s;	  /* 0 = as long as data arrives */
};

int http_get_file(const char *url, const struct http_file *to, struct http_answer *answer);

/* Sends HEAD requests to many URLs in parallel; statuses[i] is 0 without an answer. */
int http_probe(char *const *urls, size_t count, long *statuses);

/* URL in the variable, or the default; without a trailing slash. To be freed. */
char *http_base(const char *variable, const char *fallback);

#endif
