// SPDX-License-Identifier: GPL-2.0-only
/* gdb's directory, script, socket, and exit. */
#include "debug/parts.h"

#include <poll.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/un.h>

#define KILLED 128 /* plus the signal: result of child_wait() */
#define LOOK_MS 50
#define MAX_BYTES 4096
#define CHECK_NS (10 * NSEC_PER_SEC)

int gdb_check(void)
{
	static const char *const argv[] = { "gdb", "--version", NULL };
	_str_ struct str out = {};
	int rc = child_output(argv, CHECK_NS, &out);

	if (rc == 0)
		return 0;
	err_clear();
	return err_set(ENOENT, "ktstr debug needs gdb, which is not installed here: package gdb");
}

/* ---- the terminal ---- */

/* A background process that changes terminal settings is stopped, unless it ignores SIGTTOU. */
static void give_terminal(pid_t group)
{
	void (*before)(int) = signal(SIGTTOU, SIG_IGN);

	if (isatty(STDIN_FILENO))
		(void)tcsetpgrp(STDIN_FILENO, group);
	signal(SIGTTOU, before);
}

/*
 * Runs in gdb, which has its own process group: makes it the foreground group, for keys and Ctrl-C.
 */
static int take_terminal(void)
{
	give_terminal(getpgrp());
	return 0;
}

/* ---- starting ---- */

static int write_script(const struct gdb *g, const struct str *commands)
{
	_free_ char *path = str_fmt("%s/ktstr.gdb", g->dir);
	_str_ struct str out = {};

	if (!path)
		return err_no_memory();
	str_addf(&out, "set osabi none\nfile %s/symbols\nset remotetimeout 3600\n", g->dir);
	str_addn(&out, str_get(commands), commands->len);
	str_addf(&out, "target remote %s/gdb\n", g->dir);
	return str_check(&out) < 0 ? -ENOMEM : file_replace(path, out.s, out.len, 0600);
}

static int write_files(struct gdb *g, const struct str *symbols, const struct str *commands)
{
	const char *base = env_get("TMPDIR");
	_free_ char *path = NULL;
	int rc;

	g->dir = str_fmt("%s/ktstr-debug-XXXXXX", base ? base : "/tmp");
	if (!g->dir)
		return err_no_memory();
	if (!mkdtemp(g->dir)) {
		rc = err_sys(errno, "create %s", g->dir);
		free(take_ptr(&g->dir));
		return rc;
	}
	path = str_fmt("%s/symbols", g->dir);
	if (!path)
		return err_no_memory();
	rc = file_replace(path, str_get(symbols), symbols->len, 0600);
	return rc ?: write_script(g, commands);
}

static int listen_for(struct gdb *g)
{
	struct sockaddr_un address = { .sun_family = AF_UNIX };
	int len = snprintf(address.sun_path, sizeof(address.sun_path), "%s/gdb", g->dir);

	if (len < 0 || (size_t)len >= sizeof(address.sun_path))
		return err_set(ENAMETOOLONG, "%s is too long for a socket's name: set TMPDIR",
			       g->dir);
	g->listen_fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	if (g->listen_fd < 0 ||
	    bind(g->listen_fd, (struct sockaddr *)&address, sizeof(address)) < 0 ||
	    listen(g->listen_fd, 1) < 0)
		return err_sys(errno, "listen at %s", address.sun_path);
	return 0;
}

static int start_program(struct gdb *g, const struct gdb_options *o)
{
	_free_ const char **argv = calloc(o->argument_count + 10, sizeof(*argv));
	_free_ char *first = str_fmt("with confirm off -- source %s/ktstr.gdb", g->dir);
	_close_ int in = fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
	size_t n = 0;

	if (!argv || !first)
		return err_no_memory();
	argv[n++] = "gdb";
	argv[n++] = "-q";
	if (o->is_batch) {
		argv[n++] = "-nx";
		argv[n++] = "-batch";
	}
	argv[n++] = "-ex";
	argv[n++] = first;
	if (o->script) {
		argv[n++] = "-x";
		argv[n++] = o->script;
	}
	for (size_t i = 0; i < o->argument_count; i++)
		argv[n++] = o->arguments[i];
	return child_start(&g->child, &(struct child_opts){ .argv = argv,
							    .stdin_fd = in > 0 ? in : 0,
							    .prepare = take_terminal });
}

/* If gdb exits instead, it prints the reason itself. */
static int accept_gdb(struct gdb *g)
{
	struct pollfd p = { .fd = g->listen_fd, .events = POLLIN };

	for (;;) {
		int rc;

		if (poll(&p, 1, LOOK_MS) > 0) {
			g->fd = accept4(g->listen_fd, NULL, NULL, SOCK_CLOEXEC);
			return g->fd < 0 ? err_sys(errno, "accept gdb's connection") : 0;
		}
		rc = interrupt_check();
		if (rc < 0)
			return rc;
		rc = child_wait(&g->child, 0);
		if (rc != -ETIMEDOUT)
			return err_set(EIO, "gdb ended before it was connected (status %d)", rc);
		err_clear();
	}
}

int gdb_start(struct gdb *g, const struct gdb_options *o, const struct str *symbols,
	      const struct str *commands)
{
	int rc = write_files(g, symbols, commands) ?: listen_for(g) ?: start_program(g, o);

	return rc ?: accept_gdb(g);
}

/* ---- packets ---- */

static void send_bytes(struct gdb *g, const char *bytes, size_t len)
{
	while (len) {
		ssize_t n = send(g->fd, bytes, len, MSG_NOSIGNAL);

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return; /* the next read detects that gdb has exited */
		bytes += n;
		len -= (size_t)n;
	}
}

/* Requests damaged packets again. */
static enum packet_kind take(struct gdb *g, struct str *data)
{
	for (;;) {
		enum packet_kind kind = packets_next(&g->packets, data);

		if (kind == PACKET_BAD)
			send_bytes(g, "-", 1);
		else if (kind == PACKET_REFUSED)
			send_bytes(g, str_get(&g->sent), g->sent.len);
		else if (kind == PACKET_DATA && !g->no_ack)
			send_bytes(g, "+", 1);
		if (kind != PACKET_BAD && kind != PACKET_REFUSED)
			return kind;
	}
}

/* False = the connection is closed. */
static bool receive(struct gdb *g, int flags)
{
	char bytes[MAX_BYTES];
	ssize_t n = recv(g->fd, bytes, sizeof(bytes), flags);

	if (n > 0)
		packets_add(&g->packets, bytes, (size_t)n);
	return n > 0 || (n < 0 && (errno == EAGAIN || errno == EINTR));
}

bool gdb_next(struct gdb *g, struct str *data)
{
	struct pollfd p = { .fd = g->fd, .events = POLLIN };
	enum packet_kind kind;

	str_reset(data);
	while ((kind = take(g, data)) != PACKET_DATA) {
		if (kind == PACKET_INTERRUPT)
			continue;
		if (interrupt_check() < 0)
			return false;
		if (poll(&p, 1, LOOK_MS) > 0 && !receive(g, 0))
			return false;
	}
	return str_check(data) == 0;
}

enum packet_kind gdb_poll(struct gdb *g, struct str *data, bool *is_gone)
{
	str_reset(data);
	*is_gone = !receive(g, MSG_DONTWAIT);
	return *is_gone ? PACKET_NONE : take(g, data);
}

void gdb_send(struct gdb *g, const struct str *reply)
{
	str_reset(&g->sent);
	packet_add(&g->sent, str_get(reply), reply->len);
	send_bytes(g, str_get(&g->sent), g->sent.len);
}

void gdb_print(struct gdb *g, const char *text)
{
	_str_ struct str packet = {};

	str_addc(&packet, 'O');
	packet_add_hex(&packet, text, strlen(text));
	gdb_send(g, &packet);
}

void gdb_finish(struct gdb *g)
{
	int status = 0;

	cleanup_fd(&g->fd);
	cleanup_fd(&g->listen_fd);
	g->fd = g->listen_fd = -1;
	while (g->child.pid) {
		status = child_wait(&g->child, LOOK_MS * NSEC_PER_MSEC);
		if (status != -ETIMEDOUT)
			break;
		err_clear();
		if (interrupt_check() < 0)
			break;
	}
	if (status > KILLED)
		log_note("ktstr: gdb was ended by signal %d, and the guest with it",
			 status - KILLED);
	child_finish(&g->child);
	give_terminal(getpgrp());
	if (g->dir)
		tree_remove(g->dir);
	free(take_ptr(&g->dir));
	packets_finish(&g->packets);
	str_finish(&g->sent);
}
