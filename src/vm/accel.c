// SPDX-License-Identifier: GPL-2.0-only
/* Finds QEMU and probes KVM. */
#include "vm/accel.h"

#include <sys/utsname.h>

#include "base/file_memo.h"

#define VERSION_LIMIT_NS (10 * NSEC_PER_SEC)
#define PATIENT_LIMIT_NS (90 * NSEC_PER_SEC) /* for QEMU on a cold disk and a busy host */

enum vm_arch vm_arch_host(void)
{
	struct utsname u;

	return uname(&u) == 0 && str_eq(u.machine, "aarch64") ? VM_ARCH_AARCH64 : VM_ARCH_X86_64;
}

/* "QEMU emulator version 10.0.2 (Debian ...)" */
static int parse_version(const char *text, struct vm_qemu *q)
{
	const char *p = strstr(text, "version ");
	uint64_t major, minor;

	if (!p)
		return -EINVAL;
	p += strlen("version ");
	if (parse_digits(&p, &major) < 0 || *p++ != '.' || parse_digits(&p, &minor) < 0 ||
	    major > 1000 || minor > 1000)
		return -EINVAL;
	q->major = (unsigned int)major;
	q->minor = (unsigned int)minor;
	return 0;
}

/* The version is cached only for ELF files: a script may start another QEMU tomorrow. */
static bool is_elf(const char *path)
{
	_close_ int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	char magic[4];

	return fd >= 0 && read(fd, magic, sizeof(magic)) == sizeof(magic) &&
	       memcmp(magic, "\177ELF", sizeof(magic)) == 0;
}

/* Runs the command again with a longer timeout, if it timed out: now it is in the page cache. */
static int ask_patiently(const char *const *argv, struct str *text)
{
	int rc = child_output(argv, VERSION_LIMIT_NS, text);

	if (rc != -ETIMEDOUT)
		return rc;
	log_note("%s: %s has not told its version for %llu s; waiting up to %llu s more",
		 log_label(), argv[0], VERSION_LIMIT_NS / NSEC_PER_SEC,
		 PATIENT_LIMIT_NS / NSEC_PER_SEC);
	str_reset(text);
	return child_output(argv, PATIENT_LIMIT_NS, text);
}

/* First line of --version, from the cache or from QEMU itself. */
static int read_version(const struct vm_qemu *q, struct str *text)
{
	const char *argv[] = { q->path, "--version", NULL };
	struct stat st;
	bool is_known_file = stat(q->path, &st) == 0 && is_elf(q->path);
	int rc;

	if (is_known_file && file_memo_get(&st, "qemu-version", text) == 0)
		return 0;
	rc = ask_patiently(argv, text);
	if (rc != 0)
		return rc < 0 ? rc : err_set(ENOEXEC, "it ended with status %d", rc);
	if (str_check(text) < 0)
		return -ENOMEM;
	if (text->len) {
		text->len = strcspn(text->s, "\n");
		text->s[text->len] = '\0';
	}
	if (is_known_file)
		file_memo_put(&st, "qemu-version", str_get(text));
	return 0;
}

static int check_version(struct vm_qemu *q)
{
	_str_ struct str text = {};
	int rc = read_version(q, &text);

	if (rc < 0)
		return err_wrap(rc, "%s does not tell its version", q->path);
	if (parse_version(str_get(&text), q) < 0)
		return err_set(ENOEXEC, "%s does not tell its version", q->path);
	if (!vm_qemu_is_from(q, 7, 2))
		return err_set(ENOTSUP, "%s is version %u.%u; 7.2 or newer is needed", q->path,
			       q->major, q->minor);
	q->version_text = str_take(&text);
	return q->version_text ? 0 : err_no_memory();
}

/* Returns whether QEMU accepts -sandbox; one built without seccomp refuses to start. */
static bool probe_sandbox(const struct vm_qemu *q)
{
	const char *argv[] = { q->path, "-sandbox", VM_SANDBOX, "-machine", "help", NULL };
	_close_ int null = open("/dev/null", O_WRONLY | O_CLOEXEC);
	_cleanup_(child_finish) struct child child = {};

	/* Its output is not needed. */
	if (null < 0 ||
	    child_start(&child, &(struct child_opts){
					.argv = argv, .stdout_fd = null, .stderr_fd = null }) < 0)
		return false;
	return child_wait(&child, PATIENT_LIMIT_NS) == 0;
}

static bool has_sandbox(const struct vm_qemu *q)
{
	_str_ struct str answer = {};
	struct stat st;
	bool is_known_file = stat(q->path, &st) == 0 && is_elf(q->path), is_there;

	if (is_known_file && file_memo_get(&st, "qemu-sandbox", &answer) == 0)
		return str_eq(str_get(&answer), "yes");
	is_there = probe_sandbox(q);
	if (is_known_file)
		file_memo_put(&st, "qemu-sandbox", is_there ? "yes" : "no");
	return is_there;
}

int vm_qemu_find(enum vm_arch arch, struct vm_qemu *out)
{
	const char *name = arch == VM_ARCH_AARCH64 ? "qemu-system-aarch64" : "qemu-system-x86_64";
	const char *wanted = env_get("KTSTR_QEMU");
	int rc;

	*out = (struct vm_qemu){};
	out->path = wanted ? strdup(wanted) : path_search(name);
	if (!out->path)
		return err_set(
			ENOENT,
			"%s is not installed; install QEMU 7.2 or newer (scripts/setup vm), or "
			"name it in KTSTR_QEMU",
			name);
	rc = check_version(out);
	if (rc < 0)
		vm_qemu_finish(out);
	else
		out->has_sandbox = has_sandbox(out);
	return rc;
}

void vm_qemu_finish(struct vm_qemu *q)
{
	free(q->path);
	free(q->version_text);
	*q = (struct vm_qemu){};
}

bool vm_qemu_is_from(const struct vm_qemu *q, unsigned int major, unsigned int minor)
{
	return q->major > major || (q->major == major && q->minor >= minor);
}

unsigned int vm_qemu_plugin_api(const struct vm_qemu *q)
{
	return vm_qemu_is_from(q, 11, 1) ? 7 : vm_qemu_is_from(q, 9, 2) ? 4 : 0;
}

/* The cached result is valid for this boot and this user; both are in its first line. */
static bool add_probe_key(struct str *key)
{
	if (root_read_line(roots_live.proc, key, "sys/kernel/random/boot_id") < 0)
		return false;
	str_addf(key, " %u\n", (unsigned int)geteuid());
	return str_check(key) == 0;
}

/* Caches permanent results only: a wrong one would hide KVM until the next boot. */
enum kvm_state vm_kvm_ask(const struct vm_qemu *qemu, enum vm_arch arch, uint64_t limit_ns,
			  struct str *why)
{
	_str_ struct str key = {}, memory = {};
	enum kvm_state state;
	struct stat st;
	bool is_kept = stat(qemu->path, &st) == 0 && add_probe_key(&key);

	if (is_kept && file_memo_get(&st, "kvm", &memory) == 0 &&
	    str_starts(str_get(&memory), str_get(&key))) {
		const char *answer = str_get(&memory) + key.len;

		if (str_eq(answer, "works"))
			return KVM_WORKS;
		str_add(why, answer);
		return KVM_BROKEN;
	}
	state = kvm_probe(qemu->path, arch, limit_ns, why);
	str_add(&key, state == KVM_WORKS ? "works" : str_get(why));
	if (is_kept && kvm_state_is_lasting(state) && str_check(&key) == 0)
		file_memo_put(&st, "kvm", str_get(&key));
	return state;
}

enum kvm_state vm_kvm_state(const struct vm_qemu *qemu, enum vm_arch arch, struct str *why)
{
	enum kvm_state state = kvm_look(KVM_DEVICE, why);

	return state == KVM_WORKS ? vm_kvm_ask(qemu, arch, KVM_PROBE_LIMIT_NS, why) : state;
}

int vm_accel_choose(const char *wanted, const struct vm_qemu *qemu, enum vm_arch arch,
		    enum vm_accel fallback, enum vm_accel *out, struct str *no_kvm)
{
	_str_ struct str why = {};
	const char *name = wanted ? wanted : env_get("KTSTR_ACCEL");
	int accel = name ? vm_accel_by_name(name) : VM_ACCEL_KVM;

	if (accel < 0)
		return err_set(EINVAL, "KTSTR_ACCEL is '%s'; possible values: kvm, tcg, sim", name);
	*out = (enum vm_accel)accel;
	if (accel == VM_ACCEL_SIM && arch != VM_ARCH_X86_64)
		return err_set(ENOTSUP, "sim runs x86-64 guests only; tcg runs those of this host");
	if (accel != VM_ACCEL_KVM)
		return 0;
	if (arch != VM_ARCH_X86_64)
		fallback = VM_ACCEL_TCG;
	if (arch != vm_arch_host())
		str_add(&why, "the guest has another architecture");
	else if (vm_kvm_state(qemu, arch, &why) == KVM_WORKS)
		return 0;
	if (name)
		return err_set(ENOTSUP, "KVM does not work here: %s", str_get(&why));
	*out = fallback;
	log_note("%s: KVM does not work here (%s); using %s", log_label(), str_get(&why),
		 vm_accel_name(fallback));
	if (no_kvm)
		str_add(no_kvm, str_get(&why));
	return 0;
}

void vm_accel_check_sim_option(enum vm_accel accel, const char *option)
{
	if (accel != VM_ACCEL_SIM)
		log_note("warning: %s has no effect in %s%s", option, vm_accel_name(accel),
			 vm_arch_host() == VM_ARCH_X86_64 ?
				 ": add --accel sim" :
				 ": it is for sim, which runs x86-64 guests only");
}
