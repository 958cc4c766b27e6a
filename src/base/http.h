/* SPDX-License-Identifier: GPL-2.0-only */
/* Downloads over HTTP, through libcurl. Proxies come from the environment. */
#ifndef KTSTR_BASE_HTTP_H
#define KTSTR_BASE_HTTP_H

#include <stdbool.h>
#include <stddef.h>

#include "base/str.h"

/*
 * Being offline has to be known soon enough for an answer within 10 s, also when
 * packets are dropped without a word and the package archive was asked before.
 */
#define HTTP_CONNECT_TIMEOUT_MS 5000L

struct http_answer {
	long status;  /* 200, 404, ... */
	bool is_html; /* content type text/html */
};

/*
 * A whole document of at most limit bytes. 0 when the server answered, whatever
 * the status; -ENETUNREACH when it cannot be reached, other negative errnos when
 * the transfer broke off, both with a message that names the address.
 */
int http_get(const char *url, size_t limit, struct str *out, struct http_answer *answer);

/* A download into a file. */
struct http_file {
	const char *path;
	const char *what; /* the name of its progress bar */
	size_t limit;	  /* bytes; -EFBIG for more */
	long timeout_s;	  /* 0 = as long as bytes come */
};

int http_get_file(const char *url, const struct http_file *to, struct http_answer *answer);

/* HEAD requests to many addresses at once; statuses[i] is 0 where there was no answer. */
int http_probe(char *const *urls, size_t count, long *statuses);

/* The address in the variable, or the default; without a slash at the end. To be freed. */
char *http_base(const char *variable, const char *fallback);

#endif
