// SPDX-License-Identifier: GPL-2.0-only
/* What the tracer is told of a kernel, and where its trace goes; the test plays the guest. */
#include "unit.h"

#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

#include "base/err.h"
#include "base/file.h"
#include "channel/channel.h"
#include "kernel/btf.h"
#include "trace/format.h"
#include "trace/parts.h"

#define NEEDED                                                           \
	"ffffffff81000010 T __switch_to\nffffffff81000020 D runqueues\n" \
	"ffffffff81000030 D cpu_number\n"

static const char names[] =
	"\0u64\0rq\0clock\0cpu\0nr_running\0task_struct\0pid\0comm\0__state\0state";

static uint32_t name(const char *text)
{
	return unit_name_at(names, sizeof(names), text);
}

#define STRUCT_OF(n) (4U << 24 | (n))

static const char *symbols_text, *lacking;
static unsigned int sessions, asked;
static int session_rc, guest_status;
static bool leaves_nothing;
static char option[4096];
static int fds[8];
static size_t fd_count;

int __wrap_vm_session_run(const struct vm_session *s, struct vm_result *out);
int __wrap_btf_file_open(struct btf_file *f, const char *vmlinux);
void __wrap_btf_file_close(struct btf_file *f);
int __wrap_plugin_file_open(const struct vm_spec *spec);

/* A member that is lacking has another name. */
static uint32_t member(const char *text)
{
	return lacking && strcmp(text, lacking) == 0 ? name("u64") : name(text);
}

int __wrap_btf_file_open(struct btf_file *f, const char *vmlinux)
{
	const uint32_t words[] = {
		name("u64"),
		1U << 24,
		8,
		64, /* 1 */
		name("rq"),
		STRUCT_OF(3),
		64,
		member("clock"),
		1,
		64,
		member("cpu"),
		1,
		128,
		member("nr_running"),
		1,
		192, /* 2 */
		name("task_struct"),
		STRUCT_OF(3),
		64,
		member("pid"),
		1,
		256,
		member("comm"),
		1,
		320,
		name("state"),
		1,
		384, /* 3 */
	};
	const uint32_t header[] = { 0x1eb9f, 24, 0, sizeof(words), sizeof(words), sizeof(names) };
	static char data[1024];

	assert_string_equal(vmlinux, "types");
	memcpy(data, header, sizeof(header));
	memcpy(data + sizeof(header), words, sizeof(words));
	memcpy(data + sizeof(header) + sizeof(words), names, sizeof(names));
	return btf_open(&f->types, data, sizeof(header) + sizeof(words) + sizeof(names));
}

void __wrap_btf_file_close(struct btf_file *f)
{
	btf_close(&f->types);
}

int __wrap_plugin_file_open(const struct vm_spec *spec)
{
	(void)spec;
	return open("/dev/null", O_RDONLY | O_CLOEXEC);
}

/* Asked for its symbols, the guest writes them; otherwise the plugin writes a trace. */
int __wrap_vm_session_run(const struct vm_session *s, struct vm_result *out)
{
	struct trace_header h = { TRACE_MAGIC, TRACE_VERSION, sizeof(struct trace_record), 0 };
	struct trace_record r = { .time_ns = 5, .type = TRACE_SWITCH, .pid = 7 };

	*out = (struct vm_result){ .outcome = VM_OUTCOME_EXIT };
	if (!s->plugin) {
		struct channel_frame frame = { .type = CHANNEL_STDOUT,
					       .data = (const uint8_t *)symbols_text,
					       .length = (uint32_t)strlen(symbols_text) };
		struct channel_frame other = { .type = CHANNEL_STDERR,
					       .data = (const uint8_t *)"noise",
					       .length = 5 };

		asked++;
		assert_true(s->limit_ns && !s->forwards_console);
		out->status = guest_status;
		return s->on_frame(s->ctx, &other) ?: s->on_frame(s->ctx, &frame);
	}
	sessions++;
	snprintf(option, sizeof(option), "%s", s->plugin->option);
	fd_count = s->plugin->fd_count;
	memcpy(fds, s->plugin->fds, fd_count * sizeof(fds[0]));
	if (session_rc == 0 && !leaves_nothing) {
		assert_int_equal(write(s->plugin->fds[1], &h, sizeof(h)), sizeof(h));
		assert_int_equal(write(s->plugin->fds[1], &r, sizeof(r)), sizeof(r));
	}
	return session_rc;
}

static char *dir;
static struct vm_session session;
static char kernel[256];

static int set_up(void **state)
{
	(void)state;
	dir = unit_temp_create();
	unit_write(dir, "kernel", "an image");
	snprintf(kernel, sizeof(kernel), "%s/kernel", dir);
	setenv("KTSTR_CACHE_DIR", dir, 1);
	symbols_text = NEEDED;
	lacking = NULL;
	sessions = asked = 0;
	session_rc = guest_status = 0;
	leaves_nothing = false;
	session = (struct vm_session){
		.spec = { .accel = VM_ACCEL_SIM, .arch = VM_ARCH_X86_64, .kernel = kernel }
	};
	return 0;
}

static int tear_down(void **state)
{
	(void)state;
	err_clear();
	unit_temp_remove(dir);
	return 0;
}

static int trace_to(const char *file)
{
	char path[512];
	struct vm_result result;

	snprintf(path, sizeof(path), "%s/%s", dir, file);
	return run_tracer_run(&session, "types", &(struct run_tracer_file){ .path = path },
			      &result);
}

static bool has(const char *file, const char *part)
{
	_str_ struct str text = {};
	char path[512];

	snprintf(path, sizeof(path), "%s/%s", dir, file);
	assert_int_equal(file_read(path, &text), 0);
	return memmem(str_get(&text), text.len, part, strlen(part));
}

static void the_plugin_knows_the_kernel(void **state)
{
	(void)state;
	assert_int_equal(trace_to("trace.txt"), 0);
	assert_int_equal(fd_count, 2);
	assert_non_null(strstr(option, "file=/proc/self/fd/"));
	assert_non_null(strstr(option, ",fn_switch=ffffffff81000010,"));
	assert_non_null(strstr(option, ",runqueues=ffffffff81000020,"));
	assert_non_null(strstr(option, ",rq_clock=8,rq_cpu=10,rq_nr_running=18,"));
	assert_non_null(strstr(option, ",task_pid=20,task_comm=28,task_state=30"));
	/* What this kernel does not have is not told. */
	assert_null(strstr(option, "fn_enqueue"));
	assert_null(strstr(option, "css_set_cgroup"));
	assert_null(strstr(option, "call="));
}

static void calls_of_the_kernel_are_found(void **state)
{
	char expected[64];

	(void)state;
	symbols_text = NEEDED "ffffffff81000040 T scx_vexit\nffffffff81000050 T enqueue_task\n";
	assert_int_equal(trace_to("trace.txt"), 0);
	assert_non_null(strstr(option, ",fn_enqueue=ffffffff81000050"));
	for (unsigned int i = 0; run_tracer_call_name(i); i++)
		if (strcmp(run_tracer_call_name(i), "scx_vexit") == 0)
			snprintf(expected, sizeof(expected), ",call=%u:", i);
	assert_non_null(strstr(option, expected));
	assert_non_null(strstr(strstr(option, expected), ":ffffffff81000040"));
}

/* Asked once, then remembered. */
static void symbols_are_asked_for_once(void **state)
{
	struct symbols symbols;

	(void)state;
	assert_int_equal(symbols_read(kernel, &symbols), -ENOENT);
	assert_int_equal(trace_to("trace.txt"), 0);
	assert_int_equal(trace_to("trace.txt"), 0);
	assert_int_equal(asked, 1);
	assert_int_equal(sessions, 2);
	assert_int_equal(symbols_read(kernel, &symbols), 0);
	assert_int_equal(symbols_find(&symbols, "runqueues"), 0xffffffff81000020);
	symbols_finish(&symbols);
}

static void a_guest_that_fails_tells_no_symbols(void **state)
{
	(void)state;
	guest_status = 1;
	assert_int_equal(trace_to("trace.txt"), -EIO);
	assert_int_equal(sessions, 0);
	guest_status = 0;
	assert_int_equal(trace_to("trace.txt"), 0);
}

static void what_a_trace_needs_has_to_be_there(void **state)
{
	static const char *const needed[] = { "clock", "cpu", "pid", "comm" };

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(needed); i++) {
		lacking = needed[i];
		assert_int_equal(trace_to("trace.txt"), -ENOENT);
		assert_non_null(strstr(err_text(-ENOENT), needed[i]));
		err_clear();
	}
	lacking = "nr_running";
	assert_int_equal(trace_to("trace.txt"), 0);
	assert_null(strstr(option, "rq_nr_running"));
}

static void a_kernel_without_a_needed_symbol_is_not_traced(void **state)
{
	(void)state;
	symbols_text = "ffffffff81000010 T __switch_to\nffffffff81000020 D runqueues\n";
	assert_int_equal(trace_to("trace.txt"), -ENOENT);
	assert_non_null(strstr(err_text(-ENOENT), "cpu_number"));
	assert_int_equal(sessions, 0);
}

static void only_sim_on_x86_is_traced(void **state)
{
	(void)state;
	session.spec.accel = VM_ACCEL_TCG;
	assert_int_equal(trace_to("trace.txt"), -EINVAL);
	session.spec.accel = VM_ACCEL_SIM;
	session.spec.arch = VM_ARCH_AARCH64;
	assert_int_equal(trace_to("trace.txt"), -ENOTSUP);
	assert_int_equal(sessions + asked, 0);
}

/* Somebody else's descriptors and arguments, but not its copy of the plugin. */
static void the_plugin_serves_others_too(void **state)
{
	struct vm_plugin other = { .fds = { 100, 101, 102 },
				   .fd_count = 3,
				   .option = "file=x,stop_fd=65",
				   .arguments = "stop_fd=65" };

	(void)state;
	trace_to("first.txt"); /* the symbols are known */
	session.plugin = &other;
	assert_int_equal(trace_to("trace.txt"), 0);
	assert_non_null(strstr(option, ",stop_fd=65"));
	assert_null(strstr(option, "file=x"));
	assert_int_equal(fd_count, 4);
	assert_int_equal(fds[2], 101);
	assert_int_equal(fds[3], 102);
}

static void the_name_of_the_file_says_what_it_is(void **state)
{
	(void)state;
	assert_int_equal(trace_to("a.txt"), 0);
	assert_true(has("a.txt", "switch"));
	assert_int_equal(trace_to("a.svg"), 0);
	assert_true(has("a.svg", "<svg ") && !has("a.svg", "<html"));
	assert_int_equal(trace_to("a.html"), 0);
	assert_true(has("a.html", "<html") && has("a.html", "<ol id=tasks "));
	assert_int_equal(trace_to("a.perfetto"), 0);
	assert_false(has("a.perfetto", "switch ") || has("a.perfetto", "<svg"));
}

static void a_run_that_fails_leaves_no_trace(void **state)
{
	(void)state;
	session_rc = -EIO;
	assert_int_equal(trace_to("a.txt"), -EIO);
	session_rc = 0;
	leaves_nothing = true;
	assert_int_equal(trace_to("a.txt"), -EIO);
	assert_string_equal(err_text(-EIO), "the run left no trace");
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
	const struct CMUnitTest tests[] = {
		TEST(the_plugin_knows_the_kernel),
		TEST(calls_of_the_kernel_are_found),
		TEST(symbols_are_asked_for_once),
		TEST(a_guest_that_fails_tells_no_symbols),
		TEST(what_a_trace_needs_has_to_be_there),
		TEST(a_kernel_without_a_needed_symbol_is_not_traced),
		TEST(only_sim_on_x86_is_traced),
		TEST(the_plugin_serves_others_too),
		TEST(the_name_of_the_file_says_what_it_is),
		TEST(a_run_that_fails_leaves_no_trace),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
