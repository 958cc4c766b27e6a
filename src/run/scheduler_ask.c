// SPDX-License-Identifier: GPL-2.0-only
/* Runs scheduler programs with bpf(2) denied. */
#include "run/parts.h"

#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/prctl.h>
#include <sys/syscall.h>

#include "base/file_memo.h"

#define LIMIT_NS (10 * NSEC_PER_SEC)
#define MAX_OUTPUT (64 << 10)
#define MAX_VERSION 200
#define MEMO_KIND "version"
/* Prefix, so that an empty version is distinct from no entry. */
#define MEMO_MARK "="

#if defined(__x86_64__)
#define NATIVE_ARCH AUDIT_ARCH_X86_64
#elif defined(__aarch64__)
#define NATIVE_ARCH AUDIT_ARCH_AARCH64
#else
#define NATIVE_ARCH 0 /* unknown: all system calls are denied, so programs are not run */
#endif

/* x32 system calls have other numbers: all of them are denied. */
#define FOREIGN_ABI 0x40000000

static int refuse_bpf(void)
{
	struct sock_filter code[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, arch)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, NATIVE_ARCH, 0, 3),
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JGE | BPF_K, FOREIGN_ABI, 1, 0),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_bpf, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	const struct sock_fprog program = { .len = ARRAY_SIZE(code), .filter = code };

	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) < 0 ||
	    prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) < 0)
		return -errno;
	return 0;
}

int scheduler_ask(const char *path, const char *option, struct str *out)
{
	const char *const argv[] = { path, option, NULL };
	_close_ int null_fd = open("/dev/null", O_WRONLY | O_CLOEXEC);

	if (null_fd < 0)
		return err_sys(errno, "open /dev/null");
	return child_output_limited(
		&(struct child_opts){ .argv = argv, .stderr_fd = null_fd, .prepare = refuse_bpf },
		LIMIT_NS, MAX_OUTPUT, out);
}

bool scheduler_version_read(const char *text, struct str *version)
{
	_str_ struct str line = {}, shown = {};

	text += strspn(text, "\r\n");
	str_addn(&line, text, strcspn(text, "\r\n"));
	str_trim_end(&line);
	text_add_printable(&shown, str_get(&line));
	if (!line.len || line.len > MAX_VERSION || !str_eq(str_get(&shown), str_get(&line)) ||
	    !strpbrk(line.s, "0123456789"))
		return false;
	str_add(version, line.s);
	return true;
}

static void ask_version(const char *path, struct str *version)
{
	_str_ struct str text = {};

	if (scheduler_ask(path, "--version", &text) == 0)
		scheduler_version_read(str_get(&text), version);
	err_clear(); /* no version is not an error of the run */
}

int scheduler_version(const char *path, char **version)
{
	_str_ struct str answer = {};
	struct stat st;

	*version = NULL;
	if (stat(path, &st) < 0)
		return 0;
	if (file_memo_get(&st, MEMO_KIND, &answer) < 0) {
		str_reset(&answer);
		str_add(&answer, MEMO_MARK);
		ask_version(path, &answer);
		if (str_check(&answer) < 0)
			return -ENOMEM;
		file_memo_put(&st, MEMO_KIND, answer.s);
	}
	if (answer.len <= strlen(MEMO_MARK))
		return 0;
	*version = strdup(answer.s + strlen(MEMO_MARK));
	return *version ? 0 : err_no_memory();
}
