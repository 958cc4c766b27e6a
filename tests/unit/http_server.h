/* SPDX-License-Identifier: GPL-2.0-only */
/* An HTTP server on 127.0.0.1 for tests: a thread for each connection, which has one request. */
#ifndef KTSTR_TESTS_HTTP_SERVER_H
#define KTSTR_TESTS_HTTP_SERVER_H

#include "unit.h"

#include <arpa/inet.h>
#include <pthread.h>
#include <stdio.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/cleanup.h"

/* What the server does after the answer. */
enum http_server_end {
	HTTP_SERVER_CLOSES,
	HTTP_SERVER_WAITS,   /* until the client closes the connection */
	HTTP_SERVER_REPEATS, /* the last chunk, until the client closes the connection */
};

struct http_server_page {
	const char *path;
	const char *answer;
	enum http_server_end end;
};

#define HTTP_SERVER_CHUNK "8\r\nAAAAAAAA\r\n"
/* Requests for this path are answered when so many of them have arrived. */
#define HTTP_SERVER_TOGETHER "/together"
#define HTTP_SERVER_TEAM 3
/* /hops/N redirects N times, then answers "arrived". */
#define HTTP_SERVER_HOPS "/hops/"

static struct {
	const struct http_server_page *pages; /* ended by one without a path; set by main() */
	char base[64];			      /* http://127.0.0.1:PORT */
	int fd;
	pthread_mutex_t lock;
	pthread_cond_t arrival;
	size_t together;
	char requests[8192]; /* all since the last http_server_forget() */
} http_server = { .fd = -1,
		  .lock = PTHREAD_MUTEX_INITIALIZER,
		  .arrival = PTHREAD_COND_INITIALIZER };

static inline bool http_server_send(int fd, const char *text)
{
	size_t len = strlen(text);

	while (len) {
		ssize_t n = send(fd, text, len, MSG_NOSIGNAL);

		if (n <= 0)
			return false;
		text += n;
		len -= (size_t)n;
	}
	return true;
}

static inline void http_server_note(const char *request)
{
	size_t used;

	pthread_mutex_lock(&http_server.lock);
	used = strlen(http_server.requests);
	snprintf(http_server.requests + used, sizeof(http_server.requests) - used, "%s", request);
	pthread_mutex_unlock(&http_server.lock);
}

static inline void http_server_forget(void)
{
	pthread_mutex_lock(&http_server.lock);
	http_server.requests[0] = '\0';
	http_server.together = 0;
	pthread_mutex_unlock(&http_server.lock);
}

/* Whether a request since then contains the text. */
static inline bool http_server_was_asked(const char *text)
{
	bool found;

	pthread_mutex_lock(&http_server.lock);
	found = strstr(http_server.requests, text) != NULL;
	pthread_mutex_unlock(&http_server.lock);
	return found;
}

static inline void http_server_answer_hops(int fd, long hops)
{
	char answer[128];

	if (hops == 0)
		snprintf(answer, sizeof(answer), "HTTP/1.1 200 OK\r\n\r\narrived");
	else
		snprintf(answer, sizeof(answer),
			 "HTTP/1.1 302 Found\r\nLocation: /hops/%ld\r\nContent-Length: 0\r\n\r\n",
			 hops - 1);
	http_server_send(fd, answer);
}

static inline void http_server_answer_together(int fd)
{
	pthread_mutex_lock(&http_server.lock);
	http_server.together++;
	pthread_cond_broadcast(&http_server.arrival);
	while (http_server.together < HTTP_SERVER_TEAM)
		pthread_cond_wait(&http_server.arrival, &http_server.lock);
	pthread_mutex_unlock(&http_server.lock);
	http_server_send(fd, "HTTP/1.1 204 No Content\r\n\r\n");
}

static inline void http_server_answer_page(int fd, const struct http_server_page *page)
{
	char byte;

	http_server_send(fd, page->answer);
	if (page->end == HTTP_SERVER_REPEATS)
		while (http_server_send(fd, HTTP_SERVER_CHUNK))
			;
	if (page->end == HTTP_SERVER_WAITS)
		while (recv(fd, &byte, 1, 0) > 0)
			;
}

static inline void http_server_answer(int fd, const char *path)
{
	if (strncmp(path, HTTP_SERVER_HOPS, strlen(HTTP_SERVER_HOPS)) == 0) {
		http_server_answer_hops(fd, atol(path + strlen(HTTP_SERVER_HOPS)));
		return;
	}
	if (strcmp(path, HTTP_SERVER_TOGETHER) == 0) {
		http_server_answer_together(fd);
		return;
	}
	for (const struct http_server_page *page = http_server.pages; page->path; page++)
		if (strcmp(page->path, path) == 0)
			http_server_answer_page(fd, page);
}

static inline void *http_server_serve(void *arg)
{
	_close_ int fd = (int)(intptr_t)arg;
	char request[2048] = "", path[256] = "";
	size_t len = 0;

	while (!strstr(request, "\r\n\r\n")) {
		ssize_t n = recv(fd, request + len, sizeof(request) - 1 - len, 0);

		if (n <= 0)
			return NULL;
		len += (size_t)n;
		request[len] = '\0';
	}
	http_server_note(request);
	if (sscanf(request, "%*s %255s", path) == 1)
		http_server_answer(fd, path);
	/* The client reads everything, then the end. */
	shutdown(fd, SHUT_WR);
	return NULL;
}

static inline void *http_server_run(void *arg)
{
	int fd;

	(void)arg;
	while ((fd = accept(http_server.fd, NULL, NULL)) >= 0) {
		pthread_t thread;

		if (pthread_create(&thread, NULL, http_server_serve, (void *)(intptr_t)fd) == 0)
			pthread_detach(thread);
		else
			close(fd);
	}
	return NULL;
}

/* Binds a port that the kernel chooses, and writes http://127.0.0.1:PORT. */
static inline int http_server_bind(char *base, size_t size)
{
	struct sockaddr_in address = { .sin_family = AF_INET,
				       .sin_addr = { htonl(INADDR_LOOPBACK) } };
	socklen_t len = sizeof(address);
	int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);

	assert_true(fd >= 0);
	assert_int_equal(bind(fd, (struct sockaddr *)&address, len), 0);
	assert_int_equal(getsockname(fd, (struct sockaddr *)&address, &len), 0);
	snprintf(base, size, "http://127.0.0.1:%d", ntohs(address.sin_port));
	return fd;
}

/* It runs until the program ends. */
static inline void http_server_start(void)
{
	pthread_t thread;

	http_server.fd = http_server_bind(http_server.base, sizeof(http_server.base));
	assert_int_equal(listen(http_server.fd, 64), 0);
	assert_int_equal(pthread_create(&thread, NULL, http_server_run, NULL), 0);
	pthread_detach(thread);
}

#endif
