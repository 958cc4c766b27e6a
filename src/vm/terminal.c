// SPDX-License-Identifier: GPL-2.0-only
/* Raw terminal mode and data transfer of the interactive shell. */
#include "vm/session.h"

#include <poll.h>
#include <signal.h>
#include <sys/ioctl.h>
#include <termios.h>

#define ESCAPE 0x01 /* Ctrl-A */
#define POLL_MS 50

static struct termios saved;
static volatile sig_atomic_t is_raw;

int terminal_check(void)
{
	if (isatty(STDIN_FILENO))
		return 0;
	return err_set(
		ENOTTY,
		"stdin must be a terminal for interactive shell mode; use --exec CMD to run a "
		"command without one");
}

void terminal_restore(void)
{
	if (is_raw)
		tcsetattr(STDIN_FILENO, TCSANOW, &saved);
	is_raw = 0;
}

static void restore_and_die(int signal_number)
{
	terminal_restore();
	signal(signal_number, SIG_DFL);
	raise(signal_number);
}

int terminal_raw(void)
{
	/* Signals that kill this process; SIGINT, SIGTERM and SIGHUP are handled by the loop. */
	static const int fatal[] = { SIGQUIT, SIGABRT, SIGSEGV, SIGBUS,	 SIGFPE,  SIGILL,
				     SIGSYS,  SIGTRAP, SIGXCPU, SIGXFSZ, SIGALRM, SIGVTALRM,
				     SIGPROF, SIGUSR1, SIGUSR2, SIGIO,	 SIGPWR,  SIGSTKFLT };
	struct termios raw;

	if (tcgetattr(STDIN_FILENO, &saved) < 0)
		return err_sys(errno, "read the terminal's settings");
	for (size_t i = 0; i < ARRAY_SIZE(fatal); i++)
		signal(fatal[i], restore_and_die);
	raw = saved;
	cfmakeraw(&raw);
	is_raw = 1;
	if (tcsetattr(STDIN_FILENO, TCSANOW, &raw) < 0)
		return err_sys(errno, "set the terminal to raw mode");
	return 0;
}

/* Sends keys to the guest, without the escape key. */
static int send_keys(struct vm *vm, bool *has_escape, bool *is_killed)
{
	unsigned char keys[256], out[256];
	ssize_t n = read(STDIN_FILENO, keys, sizeof(keys));
	size_t len = 0;

	if (n < 0)
		return errno == EINTR || errno == EAGAIN ? 0 : err_sys(errno, "read the terminal");
	*is_killed |= n == 0; /* the terminal was closed */
	for (ssize_t i = 0; i < n; i++) {
		bool escaped = *has_escape;

		*has_escape = !escaped && keys[i] == ESCAPE;
		if (escaped && (keys[i] == 'x' || keys[i] == 'X'))
			*is_killed = true;
		else if (!*has_escape)
			out[len++] = keys[i];
	}
	/* Fails if the guest has ended; the loop notices that by itself. */
	if (len)
		(void)fd_write_all(vm->control_fd, out, len);
	return 0;
}

static int show_output(struct vm *vm, bool *is_open)
{
	char text[4096];
	ssize_t n = read(vm->control_fd, text, sizeof(text));
	int rc;

	*is_open = n > 0 || (n < 0 && errno == EINTR);
	if (n <= 0)
		return 0;
	rc = fd_write_all(STDOUT_FILENO, text, (size_t)n);
	return rc < 0 ? err_sys(-rc, "write to standard output") : 0;
}

/* Sends the window size after a change; programs in the guest redraw themselves. */
static void tell_size(struct vm *vm, struct winsize *told)
{
	struct winsize now;

	if (ioctl(STDIN_FILENO, TIOCGWINSZ, &now) < 0 || !now.ws_col || !now.ws_row ||
	    (now.ws_col == told->ws_col && now.ws_row == told->ws_row))
		return;
	if (channel_reader_tell_size(&vm->channel, now.ws_col, now.ws_row) == 0)
		*told = now;
}

int terminal_attach(struct vm *vm, int (*look)(struct vm *vm, void *ctx), void *ctx,
		    bool *is_killed)
{
	bool has_escape = false, is_open = true;
	struct winsize size = {};
	int rc = 0;

	*is_killed = false;
	while (rc == 0 && vm->end == VM_RUNNING && !*is_killed) {
		struct pollfd p[] = {
			{ .fd = STDIN_FILENO, .events = POLLIN },
			{ .fd = is_open ? vm->control_fd : -1, .events = POLLIN },
			{ .fd = vm->qmp.fd, .events = POLLIN },
		};

		if (poll(p, ARRAY_SIZE(p), POLL_MS) < 0 && errno != EINTR)
			return err_sys(errno, "wait for the guest");
		if (p[0].revents)
			rc = send_keys(vm, &has_escape, is_killed);
		if (rc == 0 && p[1].revents)
			rc = show_output(vm, &is_open);
		tell_size(vm, &size);
		rc = rc ?: vm_poll(vm, 0);
		if (rc == 0 && vm->end != VM_QEMU_DIED)
			rc = look(vm, ctx);
		rc = rc ?: interrupt_check();
	}
	/* Prints what is left in the socket after the end of the guest. */
	while (rc == 0 && is_open && vm->end == VM_ENDED) {
		struct pollfd p = { .fd = vm->control_fd, .events = POLLIN };

		if (poll(&p, 1, 0) <= 0)
			break;
		rc = show_output(vm, &is_open);
	}
	return rc;
}
