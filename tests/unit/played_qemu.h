/* SPDX-License-Identifier: GPL-2.0-only */
/* QEMU as a process of the test, which does as it is told and writes down what it was asked. */
#ifndef KTSTR_PLAYED_QEMU_H
#define KTSTR_PLAYED_QEMU_H

#include "unit.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/child.h"
#include "base/err.h"
#include "base/file.h"
#include "base/log.h"
#include "host/plan.h"
#include "vm/engine.h"
#include "vm/turns.h"

#define RING (64 << 10)
#define START_LIMIT_NS (30 * NSEC_PER_SEC)
#define QUIT_LIMIT_NS (5 * NSEC_PER_SEC)
#define LONG_NS (3600 * NSEC_PER_SEC) /* nothing waits so long: what does has hung */
#define MAX_FDS 32

/* What the QEMU of a test does. */
static struct {
	const char *dies_at; /* this command, without an answer; NULL = it lives */
	int status, signal;
	const char *errors;  /* on its stderr, first of all */
	const char *after;   /* events that follow the answer to "cont" */
	const char *console; /* written before that */
	bool leaves;	     /* then it ends */
	bool is_deaf;	     /* to "quit" */
	bool maps_channel;
} qemu;

/* What was seen of it, by both processes. */
static struct seen {
	char commands[4096];
	uint32_t magic; /* of the channel's header when the guest was let go */
	char input[8];
} * seen;

static char *root;
static struct vm vm;
static int inherited[MAX_FDS];
static size_t inherited_count;
static int their_output, their_errors;
static bool has_turns, is_own_environment;
static uint64_t waited_ns, asked_ns;
static int reply_rc, poll_error, poll_ms;
static unsigned int placements, begun;
static int placement_rc;

int __real_memfd_create(const char *name, unsigned int flags);
int __wrap_memfd_create(const char *name, unsigned int flags);
int __real_socketpair(int domain, int type, int protocol, int ends[2]);
int __wrap_socketpair(int domain, int type, int protocol, int ends[2]);
int __real_pipe2(int ends[2], int flags);
int __wrap_pipe2(int ends[2], int flags);
int __wrap_child_start(struct child *c, const struct child_opts *opts);
int __real_child_wait(struct child *c, uint64_t timeout_ns);
int __wrap_child_wait(struct child *c, uint64_t timeout_ns);
int __real_qmp_reply(struct qmp *q, uint64_t timeout_ns, struct str *reply);
int __wrap_qmp_reply(struct qmp *q, uint64_t timeout_ns, struct str *reply);
int __real_poll(struct pollfd *fds, nfds_t count, int timeout_ms);
int __wrap_poll(struct pollfd *fds, nfds_t count, int timeout_ms);
int __wrap_vm_placement_apply(struct qmp *qmp, pid_t pid, const struct plan *plan, size_t vcpus,
			      uint64_t timeout_ns);

/* The file that has the number 0, in a program that was started without stdin; 0 = none. */
static unsigned int zero_at, made;

static void make_room(void)
{
	if (++made == zero_at)
		close(STDIN_FILENO);
}

int __wrap_memfd_create(const char *name, unsigned int flags)
{
	make_room();
	return __real_memfd_create(name, flags);
}

int __wrap_socketpair(int domain, int type, int protocol, int ends[2])
{
	make_room();
	return __real_socketpair(domain, type, protocol, ends);
}

int __wrap_pipe2(int ends[2], int flags)
{
	make_room();
	return __real_pipe2(ends, flags);
}

static void put(int fd, const char *text)
{
	if (write(fd, text, strlen(text)) != (ssize_t)strlen(text))
		_exit(99);
}

/* The word behind "execute":" is the command. */
static void take_command(const char *line, char out[64])
{
	const char *name = strstr(line, "\"execute\":");

	name = name ? strchr(name + strlen("\"execute\":"), '"') : NULL;
	snprintf(out, 64, "%.*s", name ? (int)strcspn(name + 1, "\"") : 0, name ? name + 1 : "");
}

static void die(void)
{
	if (qemu.signal)
		raise(qemu.signal);
	_exit(qemu.status);
}

static void look_at_channel(const char *mapping)
{
	const struct channel_header *h = (const void *)mapping;

	if (!mapping)
		return;
	seen->magic = h->magic;
	if (h->input_len >= sizeof(seen->input))
		memcpy(seen->input, mapping + h->input_offset, sizeof(seen->input));
}

static void answer(const char *command, const char *mapping)
{
	int fd = vm.spec.qmp_fd;

	strcat(strcat(seen->commands, command), " ");
	if (qemu.dies_at && strcmp(qemu.dies_at, command) == 0)
		die();
	if (strcmp(command, "cont") == 0) {
		look_at_channel(mapping);
		if (qemu.console)
			put(vm.console_file, qemu.console);
		put(vm.spec.control_fd ? vm.spec.control_fd : vm.control_file, "control\n");
	}
	if (strcmp(command, "quit") == 0 && !qemu.is_deaf)
		_exit(0);
	put(fd, "{\"return\":{}}\n");
	if (strcmp(command, "migrate-incoming") == 0)
		put(fd, "{\"event\":\"MIGRATION\",\"data\":{\"status\":\"completed\"}}\n");
	if (strcmp(command, "cont") == 0 && qemu.after)
		put(fd, qemu.after);
	if (strcmp(command, "cont") == 0 && qemu.leaves)
		die();
}

static void play(void)
{
	char line[4096], command[64];
	char *mapping = NULL;
	FILE *in = fdopen(dup(vm.spec.qmp_fd), "r");

	if (qemu.maps_channel)
		mapping = mmap(NULL, vm.spec.channel_bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE,
			       vm.storage.channel_fd, 0);
	close(vm.qmp.fd);
	put(vm.spec.qmp_fd, "{\"QMP\":{}}\n");
	if (qemu.errors)
		put(their_errors, qemu.errors);
	while (fgets(line, sizeof(line), in)) {
		take_command(line, command);
		answer(command, mapping);
	}
	_exit(0);
}

int __wrap_child_start(struct child *c, const struct child_opts *opts)
{
	assert_true(opts->inherit_count <= MAX_FDS);
	memcpy(inherited, opts->inherit, opts->inherit_count * sizeof(int));
	inherited_count = opts->inherit_count;
	their_output = opts->stdout_fd;
	their_errors = opts->stderr_fd;
	is_own_environment = !opts->envp;
	has_turns = false;
	for (size_t i = 0; opts->envp && opts->envp[i]; i++)
		has_turns |= strncmp(opts->envp[i], "LD_PRELOAD=/proc/self/fd/", 25) == 0;
	assert_string_equal(opts->argv[0], "/usr/bin/played");
	c->pid = child_fork(SIGKILL, "play");
	if (c->pid == 0) {
		assert_int_equal(opts->prepare(), 0);
		play();
	}
	return c->pid < 0 ? c->pid : 0;
}

/* One that does not go by itself is not waited for here. */
int __wrap_child_wait(struct child *c, uint64_t timeout_ns)
{
	waited_ns = timeout_ns;
	return qemu.is_deaf ? err_set(ETIMEDOUT, "it did not end") :
			      __real_child_wait(c, timeout_ns);
}

int __wrap_qmp_reply(struct qmp *q, uint64_t timeout_ns, struct str *reply)
{
	asked_ns = timeout_ns;
	return reply_rc ? reply_rc : __real_qmp_reply(q, timeout_ns, reply);
}

int __wrap_poll(struct pollfd *fds, nfds_t count, int timeout_ms)
{
	poll_ms = timeout_ms;
	if (!poll_error)
		return __real_poll(fds, count, timeout_ms);
	errno = poll_error;
	return -1;
}

int __wrap_vm_placement_apply(struct qmp *qmp, pid_t pid, const struct plan *plan, size_t vcpus,
			      uint64_t timeout_ns)
{
	assert_ptr_equal(qmp, &vm.qmp);
	assert_true(pid == vm.child.pid && pid > 0);
	assert_non_null(plan);
	assert_int_equal(vcpus, 6);
	assert_int_equal(timeout_ns, START_LIMIT_NS);
	placements++;
	return placement_rc;
}

static size_t count_open_files(void)
{
	DIR *files = opendir("/proc/self/fd");
	size_t count = 0;

	while (readdir(files))
		count++;
	closedir(files);
	return count;
}

static int setup(void **state)
{
	(void)state;
	signal(SIGPIPE, SIG_IGN); /* as commands that own VMs do */
	log_set_level(LOG_WARN);
	root = unit_temp_create();
	seen = mmap(NULL, sizeof(*seen), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	assert_true(seen != MAP_FAILED);
	memset(&qemu, 0, sizeof(qemu));
	reply_rc = poll_error = placement_rc = 0;
	waited_ns = asked_ns = 0;
	placements = begun = zero_at = made = 0;
	err_clear();
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	munmap(seen, sizeof(*seen));
	unit_temp_remove(root);
	return 0;
}

static struct vm_spec spec_of(enum vm_accel accel)
{
	return (struct vm_spec){ .qemu = "/usr/bin/played",
				 .arch = VM_ARCH_X86_64,
				 .accel = accel,
				 .has_file_migration = true,
				 .has_rom_option = true,
				 .kernel = "/boot/vmlinux",
				 .topology = { 1, 1, 3, 2 },
				 .memory_mib = 64,
				 .sim = { .slice_us = VM_SIM_SLICE_UNSET } };
}

static int boot(enum vm_accel accel, struct vm_start *start)
{
	const struct vm_spec spec = spec_of(accel);

	start->channel.ring_bytes = RING;
	return vm_start(&vm, &spec, -1, start);
}

static bool is_inherited(int fd)
{
	for (size_t i = 0; i < inherited_count; i++)
		if (inherited[i] == fd)
			return true;
	return false;
}

static bool is_open(int fd)
{
	return fcntl(fd, F_GETFD) >= 0;
}

#endif
