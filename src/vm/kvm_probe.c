// SPDX-License-Identifier: GPL-2.0-only
/*
 * The KVM probe. A device file, or even a guest that runs in real mode, proves nothing: on a
 * paravirtual KVM everything is emulated, and the first SSE instruction of a kernel causes an
 * internal error. So the x86 guest enters protected mode and executes an SSE addition before it
 * reports success.
 */
#include "vm/accel.h"

#include <poll.h>
#include <signal.h>
#include <sys/mman.h>

#define RAN_STATUS 85	  /* isa-debug-exit: 42 * 2 + 1 */
#define SIGNAL_STATUS 128 /* above this: killed by a signal */
#define BIOS_BYTES 65536
#define CODE_AT 0xf000
#define RESET_AT 0xfff0

static const unsigned char reset_vector[] = { 0xea, 0x00, 0xf0, 0x00, 0xf0 }; /* jmp f000:f000 */

/* clang-format off */
static const unsigned char x86_code[] = {
	0xfa,						/* cli */
	0x2e, 0x66, 0x0f, 0x01, 0x16, 0x50, 0xf0,	/* lgdtl %cs:table_register */
	0x0f, 0x20, 0xc0, 0x0c, 0x01, 0x0f, 0x22, 0xc0,	/* cr0 |= PE */
	0x66, 0xea, 0x18, 0xf0, 0x0f, 0x00, 0x08, 0x00,	/* ljmpl $8, $protected */
	/* protected: */
	0x66, 0xb8, 0x10, 0x00, 0x8e, 0xd8, 0x8e, 0xd0,	/* %ds = %ss = $16 */
	0x0f, 0x20, 0xe0, 0x0d, 0x00, 0x02, 0x00, 0x00,	/* cr4 |= OSFXSR */
	0x0f, 0x22, 0xe0,
	0x0f, 0x58, 0xc0,				/* addps %xmm0, %xmm0 */
	0xb0, 0x2a, 0x66, 0xba, 0xf4, 0x00, 0xee,	/* outb $42, $0xf4 */
	0xf4, 0x66, 0x90,				/* hlt */
	/* descriptors: none, flat code, flat data */
	0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00,
	0xff, 0xff, 0x00, 0x00, 0x00, 0x9b, 0xcf, 0x00,
	0xff, 0xff, 0x00, 0x00, 0x00, 0x93, 0xcf, 0x00,
	/* table_register: */
	0x17, 0x00, 0x38, 0xf0, 0x0f, 0x00,
};

static const unsigned char arm_code[] = {
	0x00, 0x01, 0x80, 0x52,	/* mov w0, #8 */
	0x00, 0x80, 0xb0, 0x72,	/* movk w0, #0x8400, lsl 16: SYSTEM_OFF */
	0x02, 0x00, 0x00, 0xd4,	/* hvc #0 */
};
/* clang-format on */

static bool put(int fd, const unsigned char *code, size_t len, off_t at)
{
	return pwrite(fd, code, len, at) == (ssize_t)len;
}

static int make_firmware(enum vm_arch arch)
{
	int fd = memfd_create("ktstr-kvm-probe", 0);
	bool ok = fd >= 0 && ftruncate(fd, BIOS_BYTES) == 0;

	if (ok && arch == VM_ARCH_AARCH64)
		ok = put(fd, arm_code, sizeof(arm_code), 0);
	else if (ok)
		ok = put(fd, x86_code, sizeof(x86_code), CODE_AT) &&
		     put(fd, reset_vector, sizeof(reset_vector), RESET_AT);
	if (!ok) {
		cleanup_fd(&fd);
		return -1;
	}
	return fd;
}

#define TELL_NS (5 * NSEC_PER_SEC)

bool kvm_state_is_lasting(enum kvm_state state)
{
	return state == KVM_WORKS || state == KVM_BROKEN;
}

enum kvm_state kvm_explain_open(const char *device, int error, struct str *why)
{
	switch (error) {
	case EACCES:
		str_addf(why, "no permission to open %s", device);
		return KVM_FORBIDDEN;
	case EPERM: /* not due to file permissions: root gets it, too */
		str_addf(why, "a container's or a cgroup's rules for devices forbid %s", device);
		return KVM_FORBIDDEN;
	case ENOENT:
	case ENODEV:
	case ENXIO:
		str_addf(why, "there is no %s", device);
		return KVM_MISSING;
	}
	str_addf(why, "open %s: %s", device, strerror(error));
	return KVM_BROKEN;
}

enum kvm_state kvm_look(const char *device, struct str *why)
{
	_close_ int fd = open(device, O_RDWR | O_CLOEXEC);

	return fd >= 0 ? KVM_WORKS : kvm_explain_open(device, errno, why);
}

static void tell_once(bool *is_told, uint64_t begun_ns, uint64_t limit_ns)
{
	if (*is_told || clock_mono_ns() - begun_ns < TELL_NS)
		return;
	log_note("%s: KVM's test guest is slow; waiting up to %llu s for it", log_label(),
		 ULL(limit_ns / NSEC_PER_SEC));
	*is_told = true;
}

/*
 * Waits until QEMU exits, reports an internal error (it then stays paused), or limit_ns is over.
 * True if it exited by itself.
 */
static bool wait_for_end(int errors_fd, uint64_t limit_ns, struct str *said)
{
	uint64_t begun = clock_mono_ns();
	bool is_told = false;

	while (clock_mono_ns() - begun < limit_ns && !strstr(str_get(said), "internal error")) {
		struct pollfd p = { .fd = errors_fd, .events = POLLIN };
		ssize_t n;

		tell_once(&is_told, begun, limit_ns);
		if (poll(&p, 1, 100) <= 0)
			continue;
		if (!str_reserve(said, 4096))
			return false;
		n = read(errors_fd, said->s + said->len, said->cap - said->len - 1);
		if (n <= 0)
			return true;
		said->len += (size_t)n;
		said->s[said->len] = '\0';
	}
	return false;
}

/* Last line of QEMU's output, without the program name. */
static const char *last_words(struct str *said)
{
	const char *line, *colon;

	str_trim_end(said);
	line = strrchr(str_get(said), '\n');
	line = line ? line + 1 : str_get(said);
	colon = strstr(line, ": ");
	return colon && strstr(line, "qemu") && strstr(line, "qemu") < colon ? colon + 2 : line;
}

/*
 * Returns whether the error may be temporary: another hypervisor's guest, or a limit reached by
 * others.
 */
static bool is_passing(const char *words)
{
	static const int errors[] = { EBUSY, ENOMEM, EAGAIN, EMFILE, ENFILE, EINTR };

	for (size_t i = 0; i < ARRAY_SIZE(errors); i++)
		if (strstr(words, strerror(errors[i])))
			return true;
	return false;
}

/*
 * Returns whether a signal from outside ended QEMU; a crash is QEMU's or KVM's own.
 */
static bool is_ended_by_others(int status)
{
	int number = status - SIGNAL_STATUS;

	return number == SIGKILL || number == SIGTERM || number == SIGINT || number == SIGHUP ||
	       number == SIGXCPU;
}

static enum kvm_state explain(int status, uint64_t limit_ns, struct str *said, struct str *why)
{
	const char *words = last_words(said);

	if (strstr(str_get(said), "internal error")) {
		str_add(why, "its test guest ended in an internal error; no hardware "
			     "virtualisation?");
		return KVM_BROKEN;
	}
	if (status == -ETIMEDOUT) {
		str_addf(why, "its test guest did not end within %llu s",
			 ULL(limit_ns / NSEC_PER_SEC));
		return KVM_SLOW;
	}
	if (status < 0) {
		str_addf(why, "its test guest did not run: %s", strerror(-status));
		return KVM_BUSY;
	}
	if (is_ended_by_others(status)) {
		str_addf(why, "its test guest did not run: QEMU was killed by signal %d",
			 status - SIGNAL_STATUS);
		return KVM_BUSY;
	}
	str_addf(why, "its test guest did not run: %s%s", *words ? "QEMU: " : "it ended with ",
		 *words ? words : "another status than it should");
	return is_passing(words) ? KVM_BUSY : KVM_BROKEN;
}

/*
 * Exit status of QEMU if it exited in time; -ETIMEDOUT, or another errno if it could not be
 * started.
 */
static int run_guest(const char *qemu, enum vm_arch arch, int firmware, uint64_t limit_ns,
		     struct str *said)
{
	_cleanup_(child_finish) struct child c = {};
	_close_ int errors_fd = -1;
	char bios[64];
	const char *x86[] = { qemu,	  "-accel",	 "kvm",
			      "-machine", "pc",		 "-m",
			      "16M",	  "-nodefaults", "-display",
			      "none",	  "-device",	 "isa-debug-exit,iobase=0xf4,iosize=4",
			      "-bios",	  bios,		 NULL };
	const char *arm[] = { qemu,	    "-accel", "kvm", "-machine",    "virt",	"-cpu",
			      "host",	    "-m",     "64M", "-nodefaults", "-display", "none",
			      "-no-reboot", "-bios",  bios,  NULL };
	int ends[2], rc;

	snprintf(bios, sizeof(bios), "/proc/self/fd/%d", firmware);
	if (firmware < 0 || pipe2(ends, O_CLOEXEC) < 0)
		return -errno;
	errors_fd = ends[0];
	rc = child_start(&c, &(struct child_opts){ .argv = arch == VM_ARCH_AARCH64 ? arm : x86,
						   .stdout_fd = ends[1],
						   .stderr_fd = ends[1] });
	close(ends[1]);
	if (rc < 0)
		return rc;
	if (!wait_for_end(errors_fd, limit_ns, said))
		return -ETIMEDOUT;
	return child_wait(&c, limit_ns);
}

enum kvm_state kvm_probe(const char *qemu, enum vm_arch arch, uint64_t limit_ns, struct str *why)
{
	_close_ int firmware = make_firmware(arch);
	_str_ struct str said = {};
	int status = run_guest(qemu, arch, firmware, limit_ns, &said);

	if (status == (arch == VM_ARCH_AARCH64 ? 0 : RAN_STATUS))
		return KVM_WORKS;
	return explain(status, limit_ns, &said, why);
}
