// SPDX-License-Identifier: GPL-2.0-only
/* Starts, monitors and ends QEMU. */
#include "vm/engine.h"

#include <poll.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>

#include "vm/machine.h"
#include "vm/turns.h"

#define START_LIMIT_NS (30 * NSEC_PER_SEC)
#define QUIT_LIMIT_NS (5 * NSEC_PER_SEC)
#define MAX_INHERITED (VM_MAX_NODES + 9)
#define LOG_STEP (1 << 20)
#define ERROR_TAIL 400
#define ERROR_KEPT 2048

/* Creates a memory file to which QEMU appends, and which we read. */
static int create_log(const char *name, char path[64])
{
	int fd = memfd_create(name, MFD_CLOEXEC);

	if (fd < 0)
		return err_sys(errno, "create the guest's console");
	snprintf(path, 64, "/proc/self/fd/%d", fd);
	return fd;
}

static int create_socket(int *ours, int *theirs)
{
	int ends[2];

	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) < 0)
		return err_sys(errno, "create a socket for QEMU");
	*ours = ends[0];
	*theirs = ends[1];
	return 0;
}

/* Resources that are needed only until QEMU has started. */
struct launch {
	int qmp_theirs, control_theirs, errors_theirs;
	char console_path[64], control_path[64];
};

static void launch_finish(struct launch *l)
{
	cleanup_fd(&l->qmp_theirs);
	cleanup_fd(&l->control_theirs);
	cleanup_fd(&l->errors_theirs);
}

static int open_consoles(struct vm *vm, struct launch *l, bool has_control_socket)
{
	int rc;

	vm->console_file = create_log("ktstr-console", l->console_path);
	if (vm->console_file < 0)
		return vm->console_file;
	vm->spec.console_path = l->console_path;
	if (has_control_socket) {
		rc = create_socket(&vm->control_fd, &l->control_theirs);
		vm->spec.control_fd = l->control_theirs;
		return rc;
	}
	vm->control_file = create_log("ktstr-control", l->control_path);
	vm->spec.control_path = l->control_path;
	return vm->control_file < 0 ? vm->control_file : 0;
}

static int open_connections(struct vm *vm, struct launch *l)
{
	int ends[2], ours = -1, rc = create_socket(&ours, &l->qmp_theirs);

	if (rc < 0)
		return rc;
	qmp_init(&vm->qmp, ours);
	vm->spec.qmp_fd = l->qmp_theirs;
	if (pipe2(ends, O_CLOEXEC) < 0)
		return err_sys(errno, "create a pipe for QEMU");
	vm->errors_fd = ends[0];
	l->errors_theirs = ends[1];
	fcntl(vm->errors_fd, F_SETFL, O_NONBLOCK);
	return 0;
}

/*
 * Allows other processes of the same user to read the guest's memory, as `ktstr top` does, even if
 * Yama restricts that to parents. Fails without Yama, where it is not needed.
 */
static int allow_readers(void)
{
	prctl(PR_SET_PTRACER, PR_SET_PTRACER_ANY, 0, 0, 0);
	return 0;
}

static int spawn(struct vm *vm, const struct launch *l, int initrd_fd, const struct vm_start *start)
{
	_cleanup_(vm_argv_finish) struct vm_argv argv = {};
	_cleanup_(vm_turns_finish) struct vm_turns turns = VM_TURNS_NONE;
	int inherited[MAX_INHERITED], rc = vm_machine_argv(&vm->spec, &argv);
	size_t count = 0;

	if (rc == 0 && vm->spec.accel == VM_ACCEL_SIM)
		rc = vm_turns_open(&turns);
	if (rc < 0)
		return rc;
	count = vm_storage_inherit(&vm->storage, inherited, count);
	inherited[count++] = vm->console_file;
	inherited[count++] = vm->control_file >= 0 ? vm->control_file : l->control_theirs;
	inherited[count++] = l->qmp_theirs;
	if (initrd_fd >= 0)
		inherited[count++] = initrd_fd;
	if (turns.fd >= 0)
		inherited[count++] = turns.fd;
	for (size_t i = 0; i < start->inherit_count && count < MAX_INHERITED; i++)
		inherited[count++] = start->inherit[i];
	return child_start(&vm->child,
			   &(struct child_opts){ .argv = (const char *const *)argv.items,
						 .stdout_fd = l->errors_theirs,
						 .stderr_fd = l->errors_theirs,
						 .inherit = inherited,
						 .inherit_count = count,
						 .envp = (const char *const *)turns.envp,
						 .prepare = allow_readers });
}

static int handshake(struct vm *vm, const struct vm_start *start)
{
	int rc = qmp_send(&vm->qmp, "qmp_capabilities", NULL);

	if (rc == 0 && start->template_dir)
		rc = migration_send_restore(&vm->qmp, &vm->spec, start->template_dir);
	while (rc == 0 && vm->qmp.owed)
		rc = qmp_reply(&vm->qmp, START_LIMIT_NS, NULL);
	if (rc == 0 && start->template_dir)
		rc = migration_await_restore(&vm->qmp, START_LIMIT_NS);
	if (rc == -ETIMEDOUT)
		return err_set(ETIMEDOUT, "QEMU started but did not answer within %llu s",
			       ULL(START_LIMIT_NS / NSEC_PER_SEC));
	return rc == -EPIPE ? vm_died(vm) : rc;
}

static int prepare(struct vm *vm, struct launch *l, const struct vm_start *start)
{
	int rc = !start->template_dir ? vm_storage_boot(&vm->storage, &vm->spec) :
		 start->ram_dir ? vm_storage_continue(&vm->storage, &vm->spec, start->template_dir,
						      start->ram_dir) :
				  vm_storage_restore(&vm->storage, &vm->spec, start->template_dir);

	vm->spec.is_restored = start->template_dir != NULL;
	vm->spec.is_held = true;
	if (rc == 0)
		rc = vm_storage_channel(&vm->storage, &vm->spec, &start->channel,
					start->channel_bytes,
					start->has_saved_channel ? start->template_dir : NULL);
	rc = rc ?: open_consoles(vm, l, start->has_control_socket);
	return rc ?: open_connections(vm, l);
}

/* Reads the header before the guest can modify it. */
static int open_channel(struct vm *vm)
{
	struct channel_io io;
	int rc = vm_storage_channel_io(&vm->storage, &vm->spec, vm->child.pid, &io);

	io.ctx = io.ctx ? io.ctx : vm;
	return rc ?: channel_reader_init(&vm->channel, &io, vm->spec.channel_bytes);
}

static int let_go(struct vm *vm)
{
	int rc = qmp_execute(&vm->qmp, "cont", NULL, START_LIMIT_NS, NULL);

	return rc == -EPIPE ? vm_died(vm) : rc;
}

static int launch(struct vm *vm, int initrd_fd, const struct vm_start *start)
{
	_cleanup_(launch_finish) struct launch l = { -1, -1, -1, "", "" };

	return prepare(vm, &l, start) ?: spawn(vm, &l, initrd_fd, start);
}

int vm_start(struct vm *vm, const struct vm_spec *spec, int initrd_fd, const struct vm_start *start)
{
	int rc;

	*vm = (struct vm){ .spec = *spec,
			   .watcher = start->watcher,
			   .qmp.fd = -1,
			   .control_fd = -1,
			   .console_file = -1,
			   .control_file = -1,
			   .errors_fd = -1 };
	vm_storage_init(&vm->storage);
	rc = launch(vm, initrd_fd, start);
	/* The guest is still paused: in sim QEMU must not be queried while it runs. */
	rc = rc ?: handshake(vm, start);
	if (rc == 0 && start->has_saved_channel)
		rc = vm_storage_channel_renew(&vm->storage, &start->channel, vm->child.pid);
	rc = rc ?: open_channel(vm);
	if (rc == 0 && vm->watcher)
		vm->watcher->begin(vm->watcher->ctx, vm);
	rc = rc ?: let_go(vm);
	if (rc == 0 && start->plan && vm->spec.accel == VM_ACCEL_KVM)
		rc = vm_placement_apply(&vm->qmp, vm->child.pid, start->plan,
					vm_topology_cpus(&spec->topology), START_LIMIT_NS);
	if (rc < 0)
		vm_finish(vm);
	else
		log_debug("vm", "the guest runs");
	return rc;
}

static void read_errors(struct vm *vm)
{
	if (vm->errors_fd >= 0)
		fd_read_all(vm->errors_fd, &vm->errors);
}

int vm_died(struct vm *vm)
{
	int status = vm->child.pid > 0 ? child_wait(&vm->child, QUIT_LIMIT_NS) : -ECHILD;
	const char *tail;

	read_errors(vm);
	str_trim_end(&vm->errors);
	for (size_t i = 0; i < vm->errors.len; i++)
		if (vm->errors.s[i] == '\n')
			vm->errors.s[i] = ' ';
	tail = str_get(&vm->errors);
	if (vm->errors.len > ERROR_TAIL)
		tail += vm->errors.len - ERROR_TAIL;
	vm->end = VM_QEMU_DIED;
	if (status > 128)
		return err_set(EIO, "QEMU was ended by signal %d%s%s", status - 128,
			       *tail ? ": " : "", tail);
	return err_set(EIO, "QEMU ended with status %d%s%s", status < 0 ? 0 : status,
		       *tail ? ": " : "", tail);
}

static void take_events(struct vm *vm)
{
	struct qmp_event event;

	while (qmp_next_event(&vm->qmp, &event)) {
		if (str_eq(event.name, "SHUTDOWN")) {
			vm->end = VM_ENDED;
			memcpy(vm->shutdown_reason, event.reason, sizeof(event.reason));
		} else if (str_eq(event.name, "GUEST_PANICKED")) {
			vm->end = VM_PAUSED;
			snprintf(vm->shutdown_reason, sizeof(vm->shutdown_reason), "guest-panic");
		}
	}
}

/* QEMU's reasons for a shutdown; unknown ones are printed as they are. */
static const struct {
	const char *reason, *words;
} reasons[] = {
	{ "guest-reset", "it was reset, by a triple fault or a reboot" },
	{ "guest-shutdown", "it was powered off" },
	{ "guest-panic", "its kernel panicked" },
	{ "host-signal", "QEMU got a signal" },
	{ "host-error", "QEMU met an error of the host" },
	{ "host-qmp-quit", "QEMU was told to quit" },
};

const char *vm_end_words(const char *reason)
{
	for (size_t i = 0; i < ARRAY_SIZE(reasons); i++)
		if (str_eq(reasons[i].reason, reason))
			return reasons[i].words;
	return *reason ? reason : "QEMU does not tell why";
}

int vm_poll(struct vm *vm, uint64_t timeout_ns)
{
	struct pollfd p[] = { { .fd = vm->qmp.fd, .events = POLLIN },
			      { .fd = vm->watcher ? vm->watcher->fd : -1, .events = POLLIN } };
	int rc;

	if (vm->end != VM_RUNNING)
		return 0;
	if (poll(p, ARRAY_SIZE(p), (int)(timeout_ns / NSEC_PER_MSEC)) < 0 && errno != EINTR)
		return err_sys(errno, "wait for QEMU");
	rc = p[0].revents ? qmp_pump(&vm->qmp) : 0;
	take_events(vm);
	if (rc == -EPIPE && vm->end == VM_RUNNING) {
		vm->end = VM_QEMU_DIED;
		return 0;
	}
	return rc == -EPIPE ? 0 : rc;
}

/* Frees the part of the file that was read: a memory file occupies host memory. */
static void drop_read(int fd, size_t from, size_t to)
{
	from &= ~((size_t)LOG_STEP - 1);
	to &= ~((size_t)LOG_STEP - 1);
	if (to > from)
		fallocate(fd, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, (off_t)from,
			  (off_t)(to - from));
}

static int read_log(int fd, size_t *position, struct str *out)
{
	for (;;) {
		ssize_t n;

		if (fd < 0)
			return 0;
		if (!str_reserve(out, 4096))
			return err_no_memory();
		n = pread(fd, out->s + out->len, out->cap - out->len - 1, (off_t)*position);
		if (n < 0)
			return err_sys(errno, "read the guest's console");
		if (n == 0)
			return 0;
		drop_read(fd, *position, *position + (size_t)n);
		*position += (size_t)n;
		out->len += (size_t)n;
		out->s[out->len] = '\0';
	}
}

int vm_read_console(struct vm *vm, struct str *out)
{
	return read_log(vm->console_file, &vm->console_read, out);
}

int vm_read_control(struct vm *vm, struct str *out)
{
	return read_log(vm->control_file, &vm->control_read, out);
}

/*
 * Preserves the current error message: it is the reason for ending QEMU, and must not be replaced
 * by QEMU's failure to quit.
 */
static void end_qemu(struct vm *vm)
{
	char why[ERROR_KEPT];

	snprintf(why, sizeof(why), "%s", err_text(0));
	if (vm->child.pid > 0 && vm->qmp.fd >= 0 && vm->end != VM_QEMU_DIED &&
	    qmp_send(&vm->qmp, "quit", NULL) == 0)
		child_wait(&vm->child, QUIT_LIMIT_NS);
	child_finish(&vm->child);
	err_set(EIO, "%s", why);
}

static void tell_missed_turns(struct vm *vm)
{
	read_errors(vm);
	if (strstr(str_get(&vm->errors), VM_TURNS_MISSED))
		log_note("%s: the host kept the threads of QEMU from running for many seconds: "
			 "with the same seed this run may come out differently",
			 log_label());
}

void vm_finish(struct vm *vm)
{
	tell_missed_turns(vm);
	end_qemu(vm);
	channel_reader_finish(&vm->channel);
	vm_storage_finish(&vm->storage);
	qmp_finish(&vm->qmp);
	cleanup_fd(&vm->control_fd);
	cleanup_fd(&vm->console_file);
	cleanup_fd(&vm->control_file);
	cleanup_fd(&vm->errors_fd);
	str_finish(&vm->errors);
	*vm = (struct vm){ .qmp.fd = -1,
			   .control_fd = -1,
			   .console_file = -1,
			   .control_file = -1,
			   .errors_fd = -1 };
	vm_storage_init(&vm->storage);
}
