// SPDX-License-Identifier: GPL-2.0-only
/*
 * Tasks that the scheduler must leave on their CPU although their affinity allows others.
 * The kernel disables migration of a task while it runs a BPF program. A sleepable program
 * that reads user memory which is provided late sleeps, is woken and waits for its CPU in
 * that state.
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/bpf.h>
#include <linux/userfaultfd.h>
#include <pthread.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "battery/program/workloads.h"

#define PAGE 4096
#define FAULT_US 300

static int sys_bpf(int cmd, union bpf_attr *attr)
{
	int rc = (int)syscall(SYS_bpf, cmd, attr, sizeof(*attr));

	return rc < 0 ? -errno : rc;
}

/* Loads a program that reads eight bytes from a given user address. */
static int load_reader(void)
{
	const struct bpf_insn code[] = {
		{ .code = BPF_LDX | BPF_MEM | BPF_DW, .dst_reg = 3, .src_reg = 1 },
		{ .code = BPF_ALU64 | BPF_MOV | BPF_X, .dst_reg = 1, .src_reg = 10 },
		/* NOLINTNEXTLINE(misc-redundant-expression): some of these are 0 */
		{ .code = BPF_ALU64 | BPF_ADD | BPF_K, .dst_reg = 1, .imm = -8 },
		{ .code = BPF_ALU64 | BPF_MOV | BPF_K, .dst_reg = 2, .imm = 8 },
		{ .code = BPF_JMP | BPF_CALL, .imm = BPF_FUNC_copy_from_user },
		{ .code = BPF_ALU64 | BPF_MOV | BPF_K, .dst_reg = 0 },
		{ .code = BPF_JMP | BPF_EXIT },
	};
	union bpf_attr attr = {};

	attr.prog_type = BPF_PROG_TYPE_SYSCALL;
	attr.prog_flags = BPF_F_SLEEPABLE;
	attr.insns = (uintptr_t)code;
	attr.insn_cnt = sizeof(code) / sizeof(code[0]);
	attr.license = (uintptr_t) "GPL";
	return sys_bpf(BPF_PROG_LOAD, &attr);
}

static int run_reader(int prog, void *page)
{
	uint64_t context = (uintptr_t)page;
	union bpf_attr attr = {};

	attr.test.prog_fd = (uint32_t)prog;
	attr.test.ctx_in = (uintptr_t)&context;
	attr.test.ctx_size_in = sizeof(context);
	return sys_bpf(BPF_PROG_TEST_RUN, &attr);
}

/*
 * Registers the page with userfaultfd: its contents must be provided each time that it is
 * missing.
 */
static int open_page(void *page)
{
	struct uffdio_api api = { .api = UFFD_API };
	struct uffdio_register reg = { .range = { .start = (uintptr_t)page, .len = PAGE },
				       .mode = UFFDIO_REGISTER_MODE_MISSING };
	int fd = (int)syscall(SYS_userfaultfd, O_CLOEXEC);

	if (fd < 0)
		return -errno;
	if (ioctl(fd, UFFDIO_API, &api) == 0 && ioctl(fd, UFFDIO_REGISTER, &reg) == 0)
		return fd;
	close(fd);
	return -errno;
}

struct reader {
	int prog, faults;
	void *page;
};

/* Provides the page after a delay, so that the reader sleeps meanwhile. Ends with its process. */
static void *provide(void *arg)
{
	struct reader *r = arg;
	struct uffdio_zeropage zero = { .range = { .start = (uintptr_t)r->page, .len = PAGE } };
	struct uffd_msg message;

	while (read(r->faults, &message, sizeof(message)) == (ssize_t)sizeof(message)) {
		usleep(FAULT_US);
		ioctl(r->faults, UFFDIO_ZEROPAGE, &zero);
	}
	return NULL;
}

static int reader_open(struct reader *r)
{
	r->page = mmap(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (r->page == MAP_FAILED)
		return -errno;
	r->prog = load_reader();
	r->faults = r->prog < 0 ? -1 : open_page(r->page);
	return r->prog < 0 ? r->prog : r->faults < 0 ? r->faults : 0;
}

static void reader_close(struct reader *r)
{
	if (r->page != MAP_FAILED)
		munmap(r->page, PAGE);
	if (r->prog >= 0)
		close(r->prog);
	if (r->faults >= 0)
		close(r->faults);
}

static void read_slowly(struct ktstr_worker *w, void *arg)
{
	struct reader r = { .prog = -1, .faults = -1 };
	pthread_t provider;

	(void)arg;
	if (reader_open(&r) < 0 || pthread_create(&provider, NULL, provide, &r) != 0)
		return;
	while (!ktstr_worker_should_stop(w)) {
		madvise(r.page, PAGE, MADV_DONTNEED);
		run_reader(r.prog, r.page);
		ktstr_worker_rested(w);
		ktstr_worker_did(w, 1);
	}
}

int body_migration_disabled(struct ktstr_ctx *ctx, struct ktstr_result *res)
{
	struct reader trial = { .prog = -1, .faults = -1 };
	int rc = reader_open(&trial);

	reader_close(&trial);
	if (rc < 0) {
		ktstr_result_skip(res,
				  "this kernel has no sleepable BPF programs or no "
				  "userfaultfd: %s",
				  strerror(-rc));
		return 0;
	}
	return GROUPS({ .name = "held",
			.workers = 8,
			.work_type = KTSTR_CUSTOM("migration-disabled", read_slowly, NULL) },
		      { .name = "busy", BUSY(150) });
}
