// SPDX-License-Identifier: GPL-2.0-only
/* What is read from a kernel's symbols and types, to the letter, and where it is kept. */
#include "unit.h"

#include <fcntl.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/err.h"
#include "base/file.h"
#include "btf_maker.h"
#include "channel/channel.h"
#include "kernel/btf.h"
#include "trace/format.h"
#include "trace/parts.h"
#include "vm/stock.h"

#define NEEDED                                                           \
	"ffffffff81000010 T __switch_to\nffffffff81000020 D runqueues\n" \
	"ffffffff81000030 D cpu_number\n"

enum lack { NOTHING, TASK, QUEUE, MEMBER };

static char *dir;
static char kernel[256], option[4096];
static const char *symbols_text;
static enum lack lacking; /* what dispatch_enqueue() has no argument of */
static bool is_old;	  /* a kernel with other names of some members */
static int file_rc, memory_rc, session_rc;
static enum vm_outcome outcome;
static int fds[8];
static size_t fd_count;
static struct vm_session session;
static struct vm_result result;

int __wrap_vm_session_run(const struct vm_session *s, struct vm_result *out);
int __wrap_btf_file_open(struct btf_file *f, const char *vmlinux);
void __wrap_btf_file_close(struct btf_file *f);
int __wrap_plugin_file_open(const struct vm_spec *spec);
int __real_memfd_create(const char *name, unsigned int flags);
int __wrap_memfd_create(const char *name, unsigned int flags);

int __wrap_btf_file_open(struct btf_file *f, const char *vmlinux)
{
	static struct btf_maker m;
	uint32_t number, queue, task, pointer, queue_pointer, proto;

	(void)vmlinux;
	memset(&m, 0, sizeof(m));
	number = bm_int(&m, "u64", 8, 0);
	queue = bm_record(&m, BTF_STRUCT, "scx_dispatch_q", 16, 2);
	bm_member(&m, "nr", number, 0);
	bm_member(&m, lacking == MEMBER ? "other" : "id", number, 8);
	task = bm_record(&m, BTF_STRUCT, "task_struct", 64, 5);
	bm_member(&m, "pid", number, 0);
	bm_member(&m, "comm", number, 8);
	bm_member(&m, is_old ? "state" : "__state", number, 16);
	bm_member(&m, "cpu", number, 24);
	bm_member(&m, "cgroups", number, 32);
	bm_record(&m, BTF_STRUCT, "rq", 64, 3);
	bm_member(&m, "clock", number, 8);
	bm_member(&m, "cpu", number, 16);
	bm_member(&m, "nr_running", number, 24);
	bm_record(&m, BTF_STRUCT, "kernfs_node", 32, 2);
	bm_member(&m, "name", number, 0);
	bm_member(&m, is_old ? "parent" : "__parent", number, 8);
	pointer = bm_ptr(&m, lacking == TASK ? queue : task);
	queue_pointer = bm_ptr(&m, lacking == QUEUE ? task : queue);
	proto = bm_proto(&m, 0, 3);
	bm_parameter(&m, "flags", number);
	bm_parameter(&m, "dsq", queue_pointer);
	bm_parameter(&m, "p", pointer);
	bm_of(&m, BTF_FUNC, "dispatch_enqueue", proto);
	return btf_open(&f->types, m.blob, bm_end(&m));
}

void __wrap_btf_file_close(struct btf_file *f)
{
	btf_close(&f->types);
}

int __wrap_plugin_file_open(const struct vm_spec *spec)
{
	(void)spec;
	return file_rc < 0 ? err_set(-file_rc, "no plugin") :
			     open("/dev/null", O_RDONLY | O_CLOEXEC);
}

int __wrap_memfd_create(const char *name, unsigned int flags)
{
	errno = -memory_rc;
	return memory_rc < 0 ? -1 : __real_memfd_create(name, flags);
}

/* Asked for its symbols it is given nothing of the run; otherwise the plugin writes a trace. */
int __wrap_vm_session_run(const struct vm_session *s, struct vm_result *out)
{
	struct trace_header h = { TRACE_MAGIC, TRACE_VERSION, sizeof(struct trace_record), 0 };
	struct channel_frame frame = { .type = CHANNEL_STDOUT,
				       .data = (const uint8_t *)symbols_text,
				       .length = (uint32_t)strlen(symbols_text) };

	*out = (struct vm_result){ .outcome = outcome };
	if (s->on_frame) {
		assert_false(s->plugin || s->prelude || s->forwards_console);
		assert_string_equal(s->run->settings, "KTSTR_MODE=exec\n");
		assert_string_equal(s->run->exec_command, "exec cat /proc/kallsyms");
		return session_rc ?: s->on_frame(s->ctx, &frame);
	}
	snprintf(option, sizeof(option), "%s", s->plugin->option);
	fd_count = s->plugin->fd_count;
	memcpy(fds, s->plugin->fds, fd_count * sizeof(fds[0]));
	assert_int_equal(write(s->plugin->fds[1], &h, sizeof(h)), sizeof(h));
	str_add(&out->message, "kept");
	return session_rc;
}

static int set_up(void **state)
{
	(void)state;
	dir = unit_temp_create();
	unit_write(dir, "kernel", "an image");
	snprintf(kernel, sizeof(kernel), "%s/kernel", dir);
	setenv("KTSTR_CACHE_DIR", dir, 1);
	symbols_text = NEEDED;
	lacking = NOTHING;
	is_old = false;
	file_rc = memory_rc = session_rc = 0;
	outcome = VM_OUTCOME_EXIT;
	session = (struct vm_session){
		.spec = { .accel = VM_ACCEL_SIM, .arch = VM_ARCH_X86_64, .kernel = kernel },
		.prelude = (const struct vm_prelude *)1,
		.forwards_console = true,
	};
	result = (struct vm_result){};
	return 0;
}

static int tear_down(void **state)
{
	(void)state;
	vm_result_finish(&result);
	err_clear();
	unit_temp_remove(dir);
	return 0;
}

static int take(void *ctx, const void *records, size_t size)
{
	(void)records;
	assert_int_equal(size, sizeof(struct trace_header));
	return *(int *)ctx;
}

static int collect(int rc)
{
	return run_tracer_collect(&session, "types", take, &rc, &result);
}

static unsigned int call_number(const char *name)
{
	for (unsigned int i = 0; run_tracer_call_name(i); i++)
		if (strcmp(run_tracer_call_name(i), name) == 0)
			return i;
	fail();
	return 0;
}

static void the_plugin_is_told_all_that_is_known(void **state)
{
	_free_ char *expected = NULL;

	(void)state;
	symbols_text = NEEDED "ffffffff81000040 T enqueue_task\nffffffff81000050 T dequeue_task\n"
			      "ffffffff81000060 T try_to_wake_up\nffffffff81000070 T set_task_cpu\n"
			      "ffffffff81000080 t enqueue_task_scx\nffffffff81000090 t scx_bypass\n"
			      "ffffffff810000a0 t dispatch_enqueue\n";
	for (int i = 0; i < 2; i++) {
		free(expected);
		is_old = i;
		assert_int_equal(collect(0), 0);
		assert_int_equal(fd_count, 2);
		expected = str_fmt(
			"file=/proc/self/fd/%d,out=/proc/self/fd/%d,fn_switch=ffffffff81000010,"
			"fn_enqueue=ffffffff81000040,fn_dequeue=ffffffff81000050,"
			"fn_wakeup=ffffffff81000060,fn_migrate=ffffffff81000070,"
			"runqueues=ffffffff81000020,cpu_number=ffffffff81000030,"
			"call=0:2:ffffffff81000080,call=%u:0:ffffffff81000090,"
			"call=%u:3:ffffffff810000a0:2:8,rq_clock=8,rq_cpu=10,rq_nr_running=18,"
			"task_pid=0,task_comm=8,task_state=10,task_cpu=18,task_cgroups=20,"
			"kn_name=0,kn_parent=8",
			fds[0], fds[1], call_number("scx_bypass"), call_number("dispatch_enqueue"));
		assert_string_equal(option, expected);
		assert_string_equal(str_get(&result.message), "kept");
		vm_result_finish(&result);
	}
	/* The files are closed. */
	assert_int_equal(fcntl(fds[0], F_GETFD), -1);
	assert_int_equal(fcntl(fds[1], F_GETFD), -1);
	assert_null(run_tracer_call_name(call_number("dispatch_enqueue") + 1));
}

static void a_function_without_its_arguments_is_not_called_for(void **state)
{
	(void)state;
	symbols_text = NEEDED "ffffffff810000a0 t dispatch_enqueue\n";
	for (lacking = TASK; lacking <= MEMBER; lacking++) {
		assert_int_equal(collect(0), 0);
		assert_null(strstr(option, "call="));
		vm_result_finish(&result);
	}
	lacking = NOTHING;
	assert_int_equal(collect(0), 0);
	assert_non_null(strstr(option, "call="));
}

static void files_that_cannot_be_made_are_told(void **state)
{
	(void)state;
	file_rc = -EMFILE;
	assert_int_equal(collect(0), -EMFILE);
	assert_string_equal(err_text(-EMFILE), "no plugin");
	file_rc = 0;
	memory_rc = -ENFILE;
	assert_int_equal(collect(0), -ENFILE);
	assert_true(str_starts(err_text(-ENFILE), "create a file for the trace"));
	memory_rc = 0;
	assert_int_equal(collect(-EBADF), -EBADF);
	assert_int_equal(result.message.len, 0);
}

static void guests_that_do_not_answer_are_no_kernel(void **state)
{
	struct symbols symbols;

	(void)state;
	outcome = VM_OUTCOME_CRASHED;
	assert_int_equal(symbols_get(&session, &symbols), -EIO);
	outcome = VM_OUTCOME_EXIT;
	session_rc = -ENODEV;
	assert_int_equal(symbols_get(&session, &symbols), -ENODEV);
	assert_int_equal(symbols.text.len, 0);
	session_rc = 0;
	symbols_text = "nonsense\n";
	assert_int_equal(symbols_get(&session, &symbols), -EINVAL);
	assert_int_equal(symbols_read(kernel, &symbols), -ENOENT);
}

static mode_t mode_of(const char *path)
{
	struct stat st;

	assert_int_equal(stat(path, &st), 0);
	return st.st_mode & 07777;
}

static void others_may_read_what_is_kept(void **state)
{
	_free_ char *path = str_fmt("%s/trace.txt", dir);
	_free_ char *cache = str_fmt("%s/." STOCK_SYMBOLS_PART, dir), *file = NULL;
	struct run_tracer_file out = { .path = path };
	char hash[SHA256_HEX_SIZE];
	mode_t mask = umask(0);

	(void)state;
	assert_int_equal(run_tracer_run(&session, "types", &out, &result), 0);
	umask(mask);
	assert_int_equal(file_hash(kernel, hash), 0);
	file = str_fmt("%s/%s", cache, hash);
	assert_int_equal(mode_of(path), 0644);
	assert_int_equal(mode_of(cache), 0755);
	assert_int_equal(mode_of(file), 0644);
}

/* An empty file of the cache is none. */
static void an_empty_cache_is_filled(void **state)
{
	char hash[SHA256_HEX_SIZE], name[128];
	struct symbols symbols;

	(void)state;
	assert_int_equal(file_hash(kernel, hash), 0);
	snprintf(name, sizeof(name), "." STOCK_SYMBOLS_PART "/%s", hash);
	unit_write(dir, name, "");
	assert_int_equal(symbols_read(kernel, &symbols), -ENOENT);
	assert_int_equal(symbols_get(&session, &symbols), 0);
	assert_string_equal(str_get(&symbols.text), NEEDED);
	symbols_finish(&symbols);
	assert_int_equal(symbols_read(kernel, &symbols), 0);
	symbols_finish(&symbols);
	unlink(kernel);
	assert_int_equal(symbols_read(kernel, &symbols), -ENOENT);
	assert_int_equal(symbols_get(&session, &symbols), -ENOENT);
	assert_string_equal(err_text(-ENOENT), "no cache directory for the kernel's symbols");
}

static void lines_of_another_form_are_refused(void **state)
{
	static const char good[] = "f129a9af81000000 T a";
	static const char bad[] = "/:`gAG ";
	_str_ struct str out = {};

	(void)state;
	assert_int_equal(symbols_filter(good, strlen(good), &out), 0);
	assert_string_equal(str_get(&out), "f129a9af81000000 T a\n");
	assert_int_equal(symbols_filter(good, strlen(good) - 1, &out), -EINVAL);
	for (size_t at = 0; at <= 18; at++) {
		char line[sizeof(good)];

		for (size_t i = 0; i < sizeof(bad) - 1 && at < 16; i++) {
			memcpy(line, good, sizeof(good));
			line[at] = bad[i];
			assert_int_equal(symbols_filter(line, strlen(line), &out), -EINVAL);
		}
		memcpy(line, good, sizeof(good));
		line[at] = 'x';
		assert_int_equal(symbols_filter(line, strlen(line), &out), at == 17 ? 0 : -EINVAL);
	}
}

static void symbols_are_gone_through_in_order(void **state)
{
	struct symbols s = {};
	struct symbol found;
	size_t at = 0;

	(void)state;
	/* Neither of the first two lines has a name. */
	str_add(&s.text, "short\nffffffff81000000 T \n0123456789abcdef t b\n"
			 "ffffffff81000001 D last");
	assert_true(symbols_next(&s, &at, &found));
	assert_true(found.address == 0x123456789abcdef && found.type == 't');
	assert_true(found.len == 1 && *found.name == 'b');
	assert_true(symbols_next(&s, &at, &found));
	assert_true(found.address == 0xffffffff81000001 && found.type == 'D');
	assert_true(found.len == 4 && memcmp(found.name, "last", 4) == 0);
	assert_false(symbols_next(&s, &at, &found));
	symbols_finish(&s);
}

static void several_symbols_are_found_at_once(void **state)
{
	static const char *const names[] = { "b", "longer", "b", "none", "twice" };
	uint64_t addresses[6] = { [5] = 77 };
	struct symbols s = {};

	(void)state;
	str_add(&s.text, "0000000000000001 t a\n0000000000000002 t b\n"
			 "0000000000000003 t longe\n0000000000000004 t longer\n"
			 "0000000000000005 t twice\n0000000000000006 t twice\n"
			 "0000000000000007 t twice\n");
	symbols_find_all(&s, names, 5, addresses);
	assert_int_equal(addresses[0], 2);
	assert_int_equal(addresses[1], 4);
	assert_int_equal(addresses[2], 2);
	assert_int_equal(addresses[3], 0);
	assert_int_equal(addresses[4], 0);
	assert_int_equal(addresses[5], 77);
	symbols_finish(&s);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
	const struct CMUnitTest tests[] = {
		TEST(the_plugin_is_told_all_that_is_known),
		TEST(a_function_without_its_arguments_is_not_called_for),
		TEST(files_that_cannot_be_made_are_told),
		TEST(guests_that_do_not_answer_are_no_kernel),
		TEST(others_may_read_what_is_kept),
		TEST(an_empty_cache_is_filled),
		cmocka_unit_test(lines_of_another_form_are_refused),
		cmocka_unit_test(symbols_are_gone_through_in_order),
		cmocka_unit_test(several_symbols_are_found_at_once),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
