// SPDX-License-Identifier: GPL-2.0-only
/* The helper process, and its caller. */
#include "ctprof/jemalloc_parts.h"

#include <dlfcn.h>
#include <grp.h>
#include <link.h>
#include <linux/capability.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>

#define SELF "/proc/self/exe"
#define MARK "--answer-about-jemalloc-on-stdin"
#define NOBODY 65534
#define TIMEOUT_NS (10 * NSEC_PER_SEC)

static const char *const question_names[] = {
	[JEMALLOC_ASK_DWARF] = "dwarf",
	[JEMALLOC_ASK_LIBRARY] = "library",
};

const char *const jemalloc_mallctl_names[] = { "mallctl", "je_mallctl", "_rjem_mallctl", NULL };

/* In the helper. */

static int become_nobody(void)
{
	if (geteuid() != 0)
		return 0;
	if (setresgid(NOBODY, NOBODY, NOBODY) < 0)
		/* The user does not exist in this user namespace. */
		return errno == EINVAL ? 0 : -errno;
	if (setgroups(0, NULL) < 0 || setresuid(NOBODY, NOBODY, NOBODY) < 0)
		return -errno;
	return 0;
}

static int give_up_privileges(void)
{
	struct __user_cap_header_struct header = { .version = _LINUX_CAPABILITY_VERSION_3 };
	struct __user_cap_data_struct none[_LINUX_CAPABILITY_U32S_3] = {};
	struct rlimit nothing = {};

	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) < 0 || become_nobody() < 0 ||
	    syscall(SYS_capset, &header, none) < 0)
		return -EPERM;
	setrlimit(RLIMIT_CORE, &nothing);
	setrlimit(RLIMIT_FSIZE, &nothing);
	/* The change of user has reset these: access to /proc/self, and the death signal. */
	prctl(PR_SET_DUMPABLE, 1, 0, 0, 0);
	prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0);
	return 0;
}

typedef int (*mallctl_function)(const char *name, void *old, size_t *old_len, void *new_value,
				size_t new_len);

static mallctl_function find_mallctl(void *library)
{
	for (size_t i = 0; jemalloc_mallctl_names[i]; i++) {
		mallctl_function f = (mallctl_function)dlsym(library, jemalloc_mallctl_names[i]);

		if (f)
			return f;
	}
	return NULL;
}

static int ask_pointer(mallctl_function mallctl, const char *name, uintptr_t *out)
{
	size_t len = sizeof(*out);

	return mallctl(name, out, &len, NULL, 0) == 0 ? 0 : -ENOENT;
}

/* As called by compiled code: dlinfo() does not know a block before its first use. */
extern void *__tls_get_addr(size_t index[2]);

static uintptr_t tls_block_of(void *library)
{
	size_t index[2] = {}; /* module, offset */

	if (dlinfo(library, RTLD_DI_TLS_MODID, &index[0]) < 0 || index[0] == 0)
		return UINTPTR_MAX;
	return (uintptr_t)__tls_get_addr(index);
}

/* Both pointers are inside this thread's TLS block of the library. */
static int ask_library(const char *path, struct jemalloc_offsets *out)
{
	void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
	uintptr_t allocated = 0, deallocated = 0, block;
	mallctl_function mallctl;

	if (!library)
		return -ELIBACC;
	mallctl = find_mallctl(library);
	if (!mallctl || ask_pointer(mallctl, "thread.allocatedp", &allocated) < 0 ||
	    ask_pointer(mallctl, "thread.deallocatedp", &deallocated) < 0)
		return -ENOENT;
	block = tls_block_of(library);
	if (allocated < block || deallocated < block)
		return -ENOENT;
	out->allocated = allocated - block;
	out->deallocated = deallocated - block;
	return 0;
}

static int answer(const char *question, struct jemalloc_offsets *out)
{
	if (give_up_privileges() < 0)
		return -EPERM;
	if (str_eq(question, question_names[JEMALLOC_ASK_DWARF]))
		return jemalloc_dwarf_offsets(STDIN_FILENO, out);
	return ask_library("/proc/self/fd/0", out);
}

/*
 * Runs instead of main() if this program was started as the helper. A constructor, so that every
 * program with the probe has it: otherwise the program would start itself endlessly.
 */
__attribute__((constructor)) static void serve_if_helper(int argc, char **argv)
{
	struct jemalloc_offsets offsets;
	char text[64];
	int len;

	if (argc != 3 || !str_eq(argv[0], SELF) || !str_eq(argv[1], MARK))
		return;
	if (answer(argv[2], &offsets) < 0)
		_exit(1);
	len = snprintf(text, sizeof(text), "%llu %llu\n", ULL(offsets.allocated),
		       ULL(offsets.deallocated));
	_exit(write(STDOUT_FILENO, text, (size_t)len) == len ? 0 : 1);
}

/* In the calling program. */

bool jemalloc_may_ask(int fd, const char *path)
{
	_close_ int root = open("/", O_PATH | O_DIRECTORY | O_CLOEXEC);
	struct stat mapped, ours;

	return fstat(fd, &mapped) == 0 && S_ISREG(mapped.st_mode) &&
	       path_is_ours_alone(root, path, &ours) && ours.st_dev == mapped.st_dev &&
	       ours.st_ino == mapped.st_ino;
}

static int start_helper(struct child *c, enum jemalloc_question question, int fd, int answer_fd)
{
	const char *const argv[] = { SELF, MARK, question_names[question], NULL };
	/* Room for libraries that require static TLS, such as many builds of jemalloc. */
	const char *const envp[] = { "GLIBC_TUNABLES=glibc.rtld.optional_static_tls=65536", NULL };
	_close_ int null = open("/dev/null", O_RDWR | O_CLOEXEC);
	_close_ int file = fcntl(fd, F_DUPFD_CLOEXEC, 3);

	if (null < 0 || file < 0)
		return -errno;
	return child_start(c, &(struct child_opts){ .argv = argv,
						    .envp = envp,
						    .stdin_fd = file,
						    .stdout_fd = answer_fd,
						    .stderr_fd = null });
}

static int parse_answer(const char *text, struct jemalloc_offsets *out)
{
	if (parse_digits(&text, &out->allocated) < 0 || *text++ != ' ' ||
	    parse_digits(&text, &out->deallocated) < 0 || !str_eq(text, "\n"))
		return -EBADMSG;
	return 0;
}

int jemalloc_ask(enum jemalloc_question question, int fd, struct jemalloc_offsets *out)
{
	_cleanup_(child_finish) struct child c = {};
	_close_ int read_end = -1, write_end = -1;
	char text[64];
	int ends[2], rc;
	ssize_t n;

	if (pipe2(ends, O_CLOEXEC | O_NONBLOCK) < 0)
		return -errno;
	read_end = ends[0];
	write_end = ends[1];
	rc = start_helper(&c, question, fd, write_end) ?: child_wait(&c, TIMEOUT_NS);
	if (rc != 0)
		return rc < 0 ? rc : -ENOENT;
	/* The helper has exited, so the pipe contains the whole answer. */
	n = read(read_end, text, sizeof(text) - 1);
	if (n <= 0)
		return -EBADMSG;
	text[n] = '\0';
	return parse_answer(text, out);
}
