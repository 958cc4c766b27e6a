/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A watcher of a guest made by hand; the test is the plugin that stops it, and QEMU. For one file of
 * a program: it defines the functions that are played.
 */
#ifndef KTSTR_TESTS_WATCHER_SCENE_H
#define KTSTR_TESTS_WATCHER_SCENE_H

#include "unit.h"

#include <fcntl.h>
#include <sys/socket.h>

#include "base/err.h"
#include "base/util.h"
#include "channel/channel.h"
#include "check/check.h"
#include "trace/format.h"
#include "watch/parts.h"
#include "watch_image.h"
#include "watch_maps_image.h"
#include "watch_queues_image.h"
#include "watch_vcpu_image.h"

#define PERIOD SERIES_PERIOD_NS
#define JIFFIES 0x7800 /* in the kernel's image */

static struct image image;
static struct vm guest;
static struct vm_session session;
static struct watcher w;
static int btf_rc, memory_rc;
static unsigned int asked;
static bool is_stuck, is_lost;
static const char *symbol_lines;  /* of the kernel, or NULL */
static struct bpf_blocks *blocks; /* or NULL */

struct btf_file;
struct symbols;
struct btf;

int __wrap_btf_file_open(struct btf_file *f, const char *vmlinux);
int __wrap_symbols_get(const struct vm_session *s, struct symbols *out);
int __wrap_layout_fill(struct watch_layout *l, const struct symbols *s, const struct btf *b);
int __wrap_plugin_file_open(const struct vm_spec *spec);
int __wrap_vm_memory_open(struct vm_memory *m, struct vm *vm);
int __wrap_qmp_execute(struct qmp *q, const char *command, const char *arguments, uint64_t limit_ns,
		       struct str *answer);
int __wrap_vm_ask(struct vm *vm, const char *command, uint64_t limit_ns, struct str *out);

int __wrap_btf_file_open(struct btf_file *f, const char *vmlinux)
{
	(void)f;
	(void)vmlinux;
	return btf_rc < 0 ? err_set(-btf_rc, "no types") : 0;
}

int __wrap_symbols_get(const struct vm_session *s, struct symbols *out)
{
	(void)s;
	str_add(&out->text, symbol_lines ? symbol_lines : "");
	return 0;
}

int __wrap_layout_fill(struct watch_layout *l, const struct symbols *s, const struct btf *b)
{
	(void)s;
	(void)b;
	*l = image.layout;
	return 0;
}

int __wrap_plugin_file_open(const struct vm_spec *spec)
{
	(void)spec;
	return open("/dev/null", O_RDONLY | O_CLOEXEC);
}

int __wrap_vm_memory_open(struct vm_memory *m, struct vm *vm)
{
	assert_ptr_equal(vm, &guest);
	*m = image.memory;
	return memory_rc < 0 ? err_set(-memory_rc, "no memory of it") : 0;
}

int __wrap_qmp_execute(struct qmp *q, const char *command, const char *arguments, uint64_t limit_ns,
		       struct str *answer)
{
	(void)q;
	(void)arguments;
	(void)limit_ns;
	(void)answer;
	if (strcmp(command, "query-cpus-fast") == 0)
		return err_set(EPROTO, "not told");
	if (strcmp(command, "cont") == 0)
		return is_lost ? err_set(EPIPE, "QEMU is gone") : 0;
	assert_string_equal(command, "stop");
	asked++;
	return 0;
}

int __wrap_vm_ask(struct vm *vm, const char *command, uint64_t limit_ns, struct str *out)
{
	(void)vm;
	(void)limit_ns;
	assert_string_equal(command, "info registers -a");
	str_add(out, vcpu_registers);
	/* One that is busy, with interrupts disabled. */
	if (is_stuck) {
		memcpy(strstr(out->s, "HLT=1"), "HLT=0", 5);
		memcpy(strstr(out->s, "RFL=00000246"), "RFL=00000046", 12);
	}
	return 0;
}

static inline int set_up(void **state)
{
	(void)state;
	btf_rc = memory_rc = 0;
	asked = 0;
	is_stuck = is_lost = false;
	symbol_lines = NULL;
	blocks = NULL;
	if (image_open(&image) < 0)
		return -1;
	queues_image_fill(&image);
	image.layout.symbols[SYM_SCX_EXIT] = 0xabc0;
	for (unsigned int i = 0; i < IMAGE_CPUS; i++) /* their clocks */
		image_put(&image, image_of_cpu(i, IMAGE_RUNQUEUES) + 8, 5000, 8);
	session = (struct vm_session){
		.spec = { .accel = VM_ACCEL_SIM,
			  .arch = VM_ARCH_X86_64,
			  .topology = { .nodes = 1, .llcs = 1, .cores = IMAGE_CPUS, .threads = 1 } }
	};
	return 0;
}

static inline int tear_down(void **state)
{
	(void)state;
	watcher_close(&w);
	image_close(&image);
	err_clear();
	return 0;
}

static inline void open_it(bool waits_for_scx, const struct snapshots_wish *wish)
{
	watcher_open(&w, &session, "vmlinux", waits_for_scx, blocks, wish);
	assert_ptr_equal(session.watcher, &w.vm);
	w.vm.begin(w.vm.ctx, &guest);
}

/* What the plugin is told after a stop. */
static inline struct trace_answer stop(struct trace_stop s)
{
	struct trace_answer answer = {};

	assert_int_equal(send(w.plugin.fds[1], &s, sizeof(s), 0), sizeof(s));
	assert_true(w.vm.is_due(w.vm.ctx));
	assert_int_equal(w.vm.look(w.vm.ctx), 0);
	assert_int_equal(recv(w.plugin.fds[1], &answer, sizeof(answer), MSG_DONTWAIT),
			 sizeof(answer));
	return answer;
}

static inline uint64_t stop_at(uint64_t counter)
{
	return stop((struct trace_stop){ .counter = counter }).next;
}

static inline void request(uint64_t counter, uint64_t what, const char *name)
{
	struct trace_stop s = { .counter = counter, .reason = TRACE_STOP_REQUEST, .request = what };

	snprintf(s.name, sizeof(s.name), "%s", name);
	stop(s);
}

static inline size_t count_in(const struct str *text, const char *part)
{
	size_t count = 0;

	for (const char *at = str_get(text); (at = strstr(at, part)); at++)
		count++;
	return count;
}

static inline void ask(uint32_t what, const char *name, size_t bytes)
{
	struct channel_snapshot request = { .request = what };
	struct channel_frame f = { .type = CHANNEL_SNAPSHOT,
				   .length = (uint32_t)bytes,
				   .data = (const uint8_t *)&request };

	memcpy(request.name, name, strnlen(name, sizeof(request.name)));
	watcher_hear(&w, &f);
}

#endif
