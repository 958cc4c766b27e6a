// SPDX-License-Identifier: GPL-2.0-only
/* The interactive shell of a guest. */
#include "guest/parts.h"

#include <signal.h>
#include <sys/ioctl.h>
#include <termios.h>

#include "guest/protocol.h"

static void add_count(struct str *out, unsigned int count, const char *what)
{
	str_addf(out, "%u %s%s", count, what, count == 1 ? "" : "s");
}

static void add_topology(const struct topology_shape *s, struct str *out)
{
	str_add(out, "  topology:  ");
	if (s->nodes > 1) {
		add_count(out, s->nodes, "NUMA node");
		str_add(out, ", ");
	}
	add_count(out, s->llcs, "LLC");
	str_add(out, ", ");
	add_count(out, s->cores, "core");
	str_add(out, ", ");
	add_count(out, s->threads, "thread");
	str_add(out, " (");
	add_count(out, s->llcs * s->cores * s->threads, "vCPU");
	str_add(out, ")\n");
}

static void add_includes(const char *lines, struct str *out)
{
	const char *label = "  includes:  ";

	text_each_line(l, lines) {
		str_addf(out, "%s%.*s\n", label, (int)l.len, l.s);
		label = "             ";
	}
}

void shell_add_banner(const struct shell_facts *f, struct str *out)
{
	str_add(out, "ktstr shell\n");
	str_addf(out, "  kernel:    %s\n", f->kernel);
	str_addf(out, "  memory:    %lu MB\n", f->memory_mib);
	add_topology(&f->shape, out);
	add_includes(f->includes, out);
	str_addf(out, "  tools:     busybox (%u applets)\n", f->applets);
	str_addf(out, "  mounts:    %s\n", f->mounts);
	str_add(out, "  'exit' or Ctrl+D powers off; Ctrl+A X kills the VM\n");
}

/* Sets the terminal up as after login: line editing, signals from keys. */
static void make_sane(int fd)
{
	struct termios t;

	if (tcgetattr(fd, &t) < 0)
		return;
	t.c_iflag = ICRNL | IXON | IUTF8;
	t.c_oflag = OPOST | ONLCR;
	t.c_cflag = (t.c_cflag & ~(tcflag_t)(CSIZE | PARENB)) | CS8 | CREAD | CLOCAL | HUPCL;
	t.c_lflag = ISIG | ICANON | ECHO | ECHOE | ECHOK | ECHOCTL | ECHOKE | IEXTEN;
	t.c_cc[VINTR] = 'C' & 0x1f;
	t.c_cc[VQUIT] = '\\' & 0x1f;
	t.c_cc[VERASE] = 0x7f;
	t.c_cc[VKILL] = 'U' & 0x1f;
	t.c_cc[VEOF] = 'D' & 0x1f;
	t.c_cc[VSUSP] = 'Z' & 0x1f;
	t.c_cc[VMIN] = 1;
	t.c_cc[VTIME] = 0;
	tcsetattr(fd, TCSANOW, &t);
}

static int open_terminal(void)
{
	int fd = open(GUEST_VIRTIO_TTY, O_RDWR | O_NOCTTY | O_CLOEXEC);

	return fd >= 0 ? fd : open(GUEST_SHELL_TTY, O_RDWR | O_NOCTTY | O_CLOEXEC);
}

static void exec_shell(int fd)
{
	run_begin_session(fd, fd, fd);
	ioctl(fd, TIOCSCTTY, 1);
	if (chdir("/root") < 0)
		_exit(127);
	execl(GUEST_BUSYBOX, "-sh", NULL);
	_exit(127);
}

static void set_size(int fd, unsigned int columns, unsigned int rows)
{
	const struct winsize size = { .ws_col = (unsigned short)columns,
				      .ws_row = (unsigned short)rows };

	if (columns && rows)
		ioctl(fd, TIOCSWINSZ, &size);
}

/* Applies the terminal size that the host set last; the kernel signals the foreground programs. */
static void follow_size(int fd, uint32_t *known)
{
	const struct channel_header *h = report.channel.header;
	uint32_t size = __atomic_load_n(&h->terminal_size, __ATOMIC_RELAXED);

	if (size == *known)
		return;
	*known = size;
	set_size(fd, size & 0xffff, size >> 16);
}

/* The shell's end wakes this up; otherwise it polls a few times a second. */
static int wait_for_shell(pid_t pid, int fd)
{
	const struct timespec period = { .tv_nsec = 200 * NSEC_PER_MSEC };
	uint32_t size = 0;
	sigset_t ended;
	int status;

	if (!requests_are_possible(report.channel.header))
		return run_wait(pid);
	sigemptyset(&ended);
	sigaddset(&ended, SIGCHLD);
	sigprocmask(SIG_BLOCK, &ended, NULL);
	while (!run_has_ended(pid, &status)) {
		follow_size(fd, &size);
		sigtimedwait(&ended, NULL, &period);
	}
	return status;
}

int shell_run(const char *banner, const struct shell_terminal *t)
{
	_close_ int fd = open_terminal();
	pid_t pid;

	if (fd < 0)
		report_fatal("there is no terminal for the shell: neither %s nor %s",
			     GUEST_VIRTIO_TTY, GUEST_SHELL_TTY);
	make_sane(fd);
	set_size(fd, t->columns, t->rows);
	(void)fd_write_all(fd, banner, strlen(banner));
	pid = fork();
	if (pid == 0)
		exec_shell(fd);
	if (pid < 0)
		report_fatal("the shell could not be started");
	return wait_for_shell(pid, fd);
}
