// SPDX-License-Identifier: GPL-2.0-only
/* Finding QEMU and probing KVM. */
#include "vm/accel.h"

#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "base/child.h"
#include "base/clock.h"
#include "base/err.h"
#include "base/file.h"
#include "base/log.h"
#include "base/parse.h"
#include "base/paths.h"
#include "base/roots.h"
#include "base/util.h"
#include "vm/kvm_probe.h"

#define VERSION_LIMIT_NS (10 * NSEC_PER_SEC)

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

int vm_qemu_find(enum vm_arch arch, struct vm_qemu *out)
{
	const char *name = arch == VM_ARCH_AARCH64 ? "qemu-system-aarch64" : "qemu-system-x86_64";
	const char *wanted = env_get("KTSTR_QEMU");
	const char *argv[] = { NULL, "--version", NULL };
	_str_ struct str text = {};
	int rc;

	*out = (struct vm_qemu){};
	out->path = wanted ? strdup(wanted) : path_search(name);
	if (!out->path)
		return err_set(
			ENOENT,
			"%s is not installed; install QEMU 7.2 or newer (scripts/setup vm), or "
			"name it in KTSTR_QEMU",
			name);
	argv[0] = out->path;
	rc = child_output(argv, VERSION_LIMIT_NS, &text);
	if (rc != 0 || parse_version(str_get(&text), out) < 0)
		rc = err_set(rc < 0 ? -rc : ENOEXEC, "%s does not tell its version%s%s", out->path,
			     rc < 0 ? ": " : "", rc < 0 ? err_text(rc) : "");
	else if (out->major < 7 || (out->major == 7 && out->minor < 2))
		rc = err_set(ENOTSUP, "%s is version %u.%u; 7.2 or newer is needed", out->path,
			     out->major, out->minor);
	if (rc == 0) {
		out->version_text = strndup(str_get(&text), strcspn(str_get(&text), "\n"));
		rc = out->version_text ? 0 : err_set(ENOMEM, "out of memory");
	}
	if (rc < 0)
		vm_qemu_finish(out);
	return rc;
}

void vm_qemu_finish(struct vm_qemu *q)
{
	free(q->path);
	free(q->version_text);
	*q = (struct vm_qemu){};
}

static bool device_usable(struct str *why)
{
	_close_ int fd = open("/dev/kvm", O_RDWR | O_CLOEXEC);

	if (fd >= 0)
		return true;
	if (errno == EACCES)
		str_add(why, "no permission to open /dev/kvm; join the group kvm");
	else if (errno == ENOENT)
		str_add(why, "there is no /dev/kvm");
	else
		str_addf(why, "open /dev/kvm: %s", strerror(errno));
	return false;
}

/* The answer holds for this boot, this QEMU and this user: the first line of the file. */
static bool add_probe_key(const struct vm_qemu *qemu, struct str *key)
{
	struct stat st;

	if (stat(qemu->path, &st) < 0 ||
	    root_read_line(roots_live.proc, key, "sys/kernel/random/boot_id") < 0)
		return false;
	str_addf(key, " %s %lld %lld %u\n", qemu->path, (long long)st.st_size,
		 (long long)st.st_mtime, (unsigned int)geteuid());
	return str_check(key) == 0;
}

/* Where the answer is kept, or NULL where there is no place for it. */
static char *memory_path(void)
{
	_free_ char *dir = path_cache_dir();

	if (!dir || file_make_dirs(dir, 0755) < 0)
		return NULL;
	return str_fmt("%s/kvm-probe", dir);
}

bool vm_kvm_works(const struct vm_qemu *qemu, enum vm_arch arch, struct str *why)
{
	_str_ struct str key = {}, memory = {};
	_free_ char *path = NULL;
	bool works;

	if (!device_usable(why))
		return false;
	path = add_probe_key(qemu, &key) ? memory_path() : NULL;
	if (path && file_read(path, &memory) == 0 && str_starts(str_get(&memory), str_get(&key))) {
		const char *answer = str_get(&memory) + key.len;

		if (!str_eq(answer, "works"))
			str_add(why, answer);
		return str_eq(answer, "works");
	}
	works = kvm_probe(qemu->path, arch, why);
	str_add(&key, works ? "works" : str_get(why));
	if (path && file_replace(path, str_get(&key), key.len, 0644) < 0)
		log_debug("vm", "%s", err_text(0));
	return works;
}

int vm_accel_choose(const char *wanted, const struct vm_qemu *qemu, enum vm_arch arch,
		    enum vm_accel fallback, enum vm_accel *out)
{
	_str_ struct str why = {};
	const char *name = wanted ? wanted : env_get("KTSTR_ACCEL");
	int accel = name ? vm_accel_by_name(name) : VM_ACCEL_KVM;

	if (accel < 0)
		return err_set(EINVAL, "KTSTR_ACCEL is '%s'; possible values: kvm, tcg, sim", name);
	*out = (enum vm_accel)accel;
	if (accel != VM_ACCEL_KVM)
		return 0;
	if (arch != vm_arch_host())
		str_add(&why, "the guest has another architecture");
	else if (vm_kvm_works(qemu, arch, &why))
		return 0;
	if (name)
		return err_set(ENOTSUP, "KVM does not work here: %s", str_get(&why));
	*out = fallback;
	log_note("%s: KVM does not work here (%s); using %s", log_label(), str_get(&why),
		 vm_accel_name(fallback));
	return 0;
}
