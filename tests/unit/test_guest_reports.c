// SPDX-License-Identifier: GPL-2.0-only
/* What a guest sends: lines, output, pieces, probes, profiles, and the report on a scheduler. */
#include "unit.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/bpf.h>
#include <signal.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/file.h"
#include "base/str.h"
#include "guest/bounded_text.h"
#include "guest/parts.h"
#include "guest/protocol.h"
#include "guest/sched.h"
#include "wrapped_syscall.h"

#define CAPACITY 4000

static char *root;
static struct channel_header header;
static struct str sent; /* "TYPE:payload\n" of every frame; of long ones "TYPE:+LENGTH\n" */
static int send_rc;
static unsigned int naps, ready_at; /* the nap in which the loader has made its file */
static const char *ready_file;
static bool takes_time; /* the loader ends by itself, and is waited for */

int __wrap_channel_send(struct channel_writer *w, uint32_t type, const void *data, size_t len);
int __real_nanosleep(const struct timespec *time, struct timespec *left);
int __wrap_nanosleep(const struct timespec *time, struct timespec *left);
int __real_open(const char *path, int flags, ...);
int __wrap_open(const char *path, int flags, ...);
int __real_access(const char *path, int mode);
int __wrap_access(const char *path, int mode);
int __real_execv(const char *path, char *const argv[]);
int __wrap_execv(const char *path, char *const argv[]);
DIR *__real_opendir(const char *path);
DIR *__wrap_opendir(const char *path);
int __real_scandir(const char *path, struct dirent ***list, int (*filter)(const struct dirent *),
		   int (*compare)(const struct dirent **, const struct dirent **));
int __wrap_scandir(const char *path, struct dirent ***list, int (*filter)(const struct dirent *),
		   int (*compare)(const struct dirent **, const struct dirent **));
int __real_file_read_at(int dir, const char *name, struct str *out);
int __wrap_file_read_at(int dir, const char *name, struct str *out);

int __wrap_channel_send(struct channel_writer *w, uint32_t type, const void *data, size_t len)
{
	char name[CHANNEL_TYPE_TEXT_SIZE];

	assert_ptr_equal(w, &report.channel);
	if (send_rc)
		return send_rc;
	channel_type_format(type, name);
	str_addf(&sent, "%s:", name);
	if (len > 400)
		str_addf(&sent, "+%zu", len);
	else
		str_addn(&sent, data, len);
	str_addc(&sent, '\n');
	return 0;
}

static void expect_sent(const char *expected)
{
	assert_string_equal(str_get(&sent), expected);
	str_reset(&sent);
}

int __wrap_nanosleep(const struct timespec *time, struct timespec *left)
{
	assert_int_equal(time->tv_sec, 0);
	assert_int_equal(time->tv_nsec, 20000000);
	if (++naps == ready_at)
		unit_write(root, ready_file, "");
	return takes_time ? __real_nanosleep(time, left) : 0;
}

/* Directories of a guest are below ours. */
static const char *moved(const char *path, char out[PATH_MAX])
{
	if (strncmp(path, "/run/", 5) != 0 && strncmp(path, "/sys/", 5) != 0 &&
	    strcmp(path, GUEST_PROFILE_DIR) != 0)
		return path;
	snprintf(out, PATH_MAX, "%s%s", root, path);
	return out;
}

int __wrap_open(const char *path, int flags, ...)
{
	char out[PATH_MAX];

	return __real_open(moved(path, out), flags, 0644);
}

int __wrap_access(const char *path, int mode)
{
	char out[PATH_MAX];

	return __real_access(moved(path, out), mode);
}

DIR *__wrap_opendir(const char *path)
{
	char out[PATH_MAX];

	return __real_opendir(moved(path, out));
}

int __wrap_scandir(const char *path, struct dirent ***list, int (*filter)(const struct dirent *),
		   int (*compare)(const struct dirent **, const struct dirent **))
{
	char out[PATH_MAX];

	return __real_scandir(moved(path, out), list, filter, compare);
}

int __wrap_file_read_at(int dir, const char *name, struct str *out)
{
	char path[PATH_MAX];

	return __real_file_read_at(dir, moved(name, path), out);
}

/* The loader of probes: it writes down its arguments and waits for its end. */
int __wrap_execv(const char *path, char *const argv[])
{
	_str_ struct str text = {};

	if (strcmp(path, GUEST_OBSERVER) != 0)
		return __real_execv(path, argv);
	for (size_t i = 0; argv[i]; i++)
		str_addf(&text, "%s ", argv[i]);
	unit_write(root, "arguments", str_get(&text));
	if (strstr(str_get(&text), "fails")) {
		errno = ENOENT;
		return -1;
	}
	for (;;)
		pause();
}

static int setup(void **state)
{
	(void)state;
	root = unit_temp_create();
	unit_write(root, "run/x", "");
	header = (struct channel_header){ .capacity = CAPACITY };
	report = (struct guest_report){ .console = memfd_create("console", MFD_CLOEXEC),
					.control = memfd_create("control", MFD_CLOEXEC),
					.channel.header = &header };
	send_rc = 0;
	naps = ready_at = 0;
	takes_time = false;
	ready_file = NULL;
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	str_finish(&sent);
	close(report.console);
	close(report.control);
	unit_temp_remove(root);
	return 0;
}

static void expect_port(int fd, const char *expected)
{
	char text[4096] = {};

	assert_true(pread(fd, text, sizeof(text) - 1, 0) >= 0);
	assert_string_equal(text, expected);
	assert_int_equal(ftruncate(fd, 0), 0);
	lseek(fd, 0, SEEK_SET);
}

/* ---- text in bounded memory ---- */

/* The same from the whole text. */
static void expect_bounded(const struct bounded_text *t, const struct str *all, size_t half)
{
	_str_ struct str found = {}, expected = {};
	size_t head = MIN(all->len, half), tail = MIN(all->len - head, half);
	size_t omitted = all->len - head - tail;

	str_addn(&expected, str_get(all), head);
	if (omitted)
		str_addf(&expected, "\n--- %zu bytes omitted ---\n", omitted);
	str_addn(&expected, str_get(all) + all->len - tail, tail);
	bounded_text_get(t, &found);
	assert_string_equal(str_get(&found), str_get(&expected));
	assert_int_equal(bounded_text_omitted(t), omitted);
}

static void both_ends_of_a_text_stay(void **state)
{
	(void)state;
	for (size_t half = 1; half <= 5; half++)
		for (size_t step = 1; step <= 13; step++) {
			struct bounded_text t = { .half = half };
			_str_ struct str all = {};

			for (size_t i = 0; i < 6; i++) {
				char piece[16];

				for (size_t k = 0; k < step; k++)
					piece[k] = (char)('a' + (i * step + k) % 26);
				bounded_text_add(&t, piece, step);
				str_addn(&all, piece, step);
				expect_bounded(&t, &all, half);
			}
			bounded_text_finish(&t);
			assert_int_equal(t.total, 0);
			assert_int_equal(t.tail_start, 0);
		}
}

/* ---- lines and output ---- */

static void lines_go_where_somebody_reads_them(void **state)
{
	char expected[1200];

	(void)state;
	report_line("%s=%d", "a", 7);
	expect_port(report.control, "a=7\n");
	report_log("word %d", 1);
	expect_sent("LOGL:word 1\n");
	send_rc = -ENODEV;
	report_log("word %d", 2);
	expect_port(report.console, "ktstr: word 2\n");
	send_rc = 0;
	expect_sent("");
	expect_port(report.console, "");
	/* A long one is cut, and is still a line. */
	report_line("%01500d", 0);
	memset(expected, '0', sizeof(expected));
	strcpy(expected + 1022, "\n");
	expect_port(report.control, expected);
	send_rc = -ENODEV;
	report_log("%01500d", 0);
	memcpy(expected, "ktstr: ", 7);
	expect_port(report.console, expected);
}

static void lines_wait_until_they_may_be_sent(void **state)
{
	(void)state;
	report_keep_logs();
	report_log("first");
	report_log("second");
	expect_sent("");
	report_send_logs();
	expect_sent("LOGL:first\nLOGL:second\n");
	report_log("third");
	expect_sent("LOGL:third\n");
}

static void a_part_of_the_ring_is_for_each(void **state)
{
	uint64_t sum = 0;

	(void)state;
	assert_true(report_has_room(&sum, CAPACITY / 4, 4));
	assert_int_equal(sum, CAPACITY / 4);
	assert_false(report_has_room(&sum, 1, 4));
	assert_int_equal(sum, CAPACITY / 4);
	assert_true(report_has_room(&sum, 0, 4));
	header.flags = CHANNEL_LIVE_READER;
	assert_true(report_has_room(&sum, CAPACITY, 4));
	assert_int_equal(sum, CAPACITY / 4);
	assert_int_equal(report_free(), SIZE_MAX);
	header.flags = 0;
	assert_int_equal(report_free(), CAPACITY - CAPACITY / 4);
	header.write_pos = 100;
	assert_int_equal(report_free(), CAPACITY - CAPACITY / 4 - 100);
	header.write_pos = CAPACITY - CAPACITY / 4 - 1;
	assert_int_equal(report_free(), 1);
	header.write_pos++;
	assert_int_equal(report_free(), 0);
	header.write_pos = 10 * CAPACITY;
	assert_int_equal(report_free(), 0);
	report.channel.header = NULL;
	assert_false(report_has_channel());
	assert_false(report_has_room(&sum, 0, 4));
	assert_int_equal(report_free(), SIZE_MAX);
}

/* Half of the ring is for output: what comes after that is counted. */
static void output_that_does_not_fit_is_counted(void **state)
{
	static const char many[CAPACITY];

	(void)state;
	report_lost_output();
	expect_sent("");
	report_output(CHANNEL_STDOUT, many, CAPACITY / 2 - 3);
	report_output(CHANNEL_STDERR, "abc", 3);
	expect_sent("OUT1:+1997\nOUT2:abc\n");
	assert_int_equal(report.lost_bytes, 0);
	report_output(CHANNEL_STDOUT, "d", 1);
	expect_sent("");
	assert_int_equal(report.lost_bytes, 1);
	header.flags = CHANNEL_LIVE_READER;
	send_rc = -ENOSPC;
	report_output(CHANNEL_STDOUT, "efg", 3);
	assert_int_equal(report.lost_bytes, 4);
	send_rc = 0;
	report.lost_bytes = 0x4142;
	report_lost_output();
	assert_int_equal(sent.len, strlen("LOST:") + 8 + 1);
	assert_memory_equal(sent.s, "LOST:BA", 7);
	str_reset(&sent);
	report.channel.header = NULL;
	report_output(CHANNEL_STDOUT, "plain", 5);
	expect_port(report.control, "plain");
}

static void texts_are_sent_in_pieces(void **state)
{
	_str_ struct str text = {};
	_free_ char *many = calloc(1, (2 << 20) + 2);

	(void)state;
	report_pieces(CHANNEL_SCHED_LOG, &text);
	expect_sent("");
	memset(many, 'x', (2 << 20) + 1);
	str_add(&text, many);
	report_pieces(CHANNEL_SCHED_LOG, &text);
	expect_sent("SCDL:+2097152\nSCDL:x\n");
}

static void results_are_frames_or_marked(void **state)
{
	(void)state;
	report_result("{}", 2);
	report_result("", 0);
	expect_sent("TEST:{}\n");
	report.channel.header = NULL;
	report_result("{}", 2);
	expect_port(report.control, GUEST_RESULT_START "\n{}\n" GUEST_RESULT_END "\n");
}

/* ---- probes ---- */

static pid_t any_child(void)
{
	return waitpid(-1, NULL, WNOHANG);
}

static void expect_arguments(const char *expected)
{
	_free_ char *path = str_fmt("%s/arguments", root);
	_str_ struct str text = {};

	assert_int_equal(file_read(path, &text), 0);
	assert_string_equal(str_get(&text), expected);
}

static void remove_below(const char *name)
{
	_free_ char *path = str_fmt("%s%s", root, name);

	assert_int_equal(unlink(path), 0);
}

static void probes_are_loaded_beside_the_test(void **state)
{
	(void)state;
	ready_file = GUEST_PROBE_DIR "/ready";
	ready_at = 3;
	probes_start("a,b");
	assert_int_equal(naps, 3);
	ready_file = GUEST_PROBE_DIR "/attached";
	ready_at = 5;
	probes_wait();
	assert_int_equal(naps, 5);
	assert_int_equal(any_child(), 0);
	unit_write(root, GUEST_PROBE_DIR "/report.json", "{\"a\":1}");
	unit_write(root, GUEST_PROBE_DIR "/records", "bytes");
	probes_finish();
	/* It was told to end, and is gone. */
	assert_int_equal(any_child(), -1);
	expect_sent("PRBR:{\"a\":1}\nPRBD:bytes\n");
	remove_below(GUEST_PROBE_DIR "/attached");
	probes_wait();
	assert_int_equal(naps, 5);
	/* One of its two files is not all. */
	unit_write(root, GUEST_PROBE_PROBLEM, "half");
	remove_below(GUEST_PROBE_DIR "/records");
	probes_finish();
	expect_sent("PRBR:{\"problem\":\"half\"}\n");
}

static void records_leave_room_for_the_rest(void **state)
{
	(void)state;
	unit_write(root, GUEST_PROBE_DIR "/report.json", "{}");
	unit_write(root, GUEST_PROBE_DIR "/records", "12345");
	header.write_pos = CAPACITY - CAPACITY / 4 - 5;
	probes_finish();
	expect_sent("PRBR:{}\nPRBD:12345\n");
	header.write_pos++;
	probes_finish();
	expect_sent("PRBR:{}\nLOGL:5 bytes of records are too many for the channel\n");
}

static void a_loader_that_fails_is_told(void **state)
{
	(void)state;
	takes_time = true;
	probes_start("fails");
	expect_arguments(GUEST_OBSERVER " --probes " GUEST_PROBE_DIR " fails ");
	assert_int_equal(any_child(), -1);
	naps = 0;
	probes_wait(); /* nobody is left to wait for */
	assert_int_equal(naps, 0);
	probes_finish();
	expect_sent("PRBR:{\"problem\":\"run /ktstr-observe: No such file or directory\"}\n");
	unit_write(root, GUEST_PROBE_PROBLEM, "first\nsecond\n");
	probes_finish();
	expect_sent("PRBR:{\"problem\":\"first\"}\n");
	unit_write(root, GUEST_PROBE_PROBLEM, "");
	probes_finish();
	expect_sent("PRBR:{\"problem\":\"the loader of the probes ended without a message\"}\n");
}

/* Half a minute, and the test goes on without. */
static void a_loader_that_hangs_is_left_behind(void **state)
{
	(void)state;
	probes_start("-");
	assert_int_equal(naps, 1500);
	while (__real_access(root, F_OK) == 0) {
		_free_ char *path = str_fmt("%s/arguments", root);

		if (__real_access(path, F_OK) == 0)
			break;
	}
	expect_arguments(GUEST_OBSERVER " --probes " GUEST_PROBE_DIR " ");
	probes_finish();
	assert_int_equal(any_child(), -1);
}

/* ---- profiles ---- */

static void profiles_are_sent_by_name(void **state)
{
	_free_ char *dir = str_fmt("%s" GUEST_PROFILE_DIR, root);
	_free_ char *many = calloc(1, CAPACITY / 4 + 1);

	(void)state;
	profiles_send();
	expect_sent("");
	unit_write(dir, "b", "two");
	unit_write(dir, "a", "one");
	unit_write(dir, ".hidden", "x");
	unit_write(dir, "empty", "");
	profiles_send();
	expect_sent("PRAW:one\nPRAW:two\n");
	memset(many, 'x', CAPACITY / 4);
	unit_write(dir, "c", many);
	unit_write(dir, "a", "");
	unit_write(dir, "b", "");
	profiles_send();
	expect_sent("LOGL:a profile of 1000 bytes is too large for the channel\n");
}

/* ---- programs of the kernel ---- */

static const struct played_program {
	unsigned int id, type;
	const char *name;
	unsigned int insns;
	bool is_gone;
} programs[] = {
	{ 1, BPF_PROG_TYPE_STRUCT_OPS, "select_cpu", 30, false },
	{ 5, BPF_PROG_TYPE_TRACING, "other", 40, false },
	{ 9, BPF_PROG_TYPE_STRUCT_OPS, "gone", 50, true },
	{ 12, BPF_PROG_TYPE_STRUCT_OPS, "enqueue", 60, false },
};
static bool is_endless; /* there is always another program */

static int play_bpf(enum bpf_cmd command, union bpf_attr *attr)
{
	static unsigned int asked;

	if (command == BPF_PROG_GET_NEXT_ID) {
		for (size_t i = 0; i < 4; i++)
			if (programs[i].id > attr->start_id) {
				attr->next_id = is_endless ? 1 : programs[i].id;
				return 0;
			}
		errno = ENOENT;
		return -1;
	}
	for (size_t i = 0; i < 4; i++) {
		if (command == BPF_PROG_GET_FD_BY_ID && programs[i].id == attr->prog_id) {
			asked = programs[i].id;
			errno = ENOENT;
			return programs[i].is_gone ? -1 : memfd_create("program", MFD_CLOEXEC);
		}
		if (command == BPF_OBJ_GET_INFO_BY_FD && programs[i].id == asked) {
			struct bpf_prog_info *info = (void *)(uintptr_t)attr->info.info;

			assert_int_equal(attr->info.info_len, sizeof(*info));
			info->type = programs[i].type;
			info->verified_insns = programs[i].insns;
			strcpy(info->name, programs[i].name);
			return 0;
		}
	}
	errno = EINVAL;
	return -1;
}

static long play_syscall(long number, const long args[SYSCALL_ARGS])
{
	assert_int_equal(number, SYS_bpf);
	assert_int_equal(args[2], sizeof(union bpf_attr));
	return play_bpf((enum bpf_cmd)args[0], (union bpf_attr *)args[1]);
}

static void programs_of_a_scheduler_are_found(void **state)
{
	static struct sched_life life;

	(void)state;
	life = (struct sched_life){ .program_count = 7 };
	scx_programs_read(&life);
	assert_int_equal(life.program_count, 2);
	assert_string_equal(life.programs[0].name, "select_cpu");
	assert_int_equal(life.programs[0].verified_insns, 30);
	assert_string_equal(life.programs[1].name, "enqueue");
	assert_int_equal(life.programs[1].verified_insns, 60);
	assert_int_equal(scx_programs_newest(0), 12);
	assert_int_equal(scx_programs_newest(5), 12);
	assert_int_equal(scx_programs_newest(12), 12);
	assert_int_equal(scx_programs_newest(77), 77);
	is_endless = true;
	scx_programs_read(&life);
	is_endless = false;
	assert_int_equal(life.program_count, SCHED_MAX_PROGRAMS);
}

/* ---- the kernel's dump ---- */

static void dumps_are_lines_of_one_event(void **state)
{
	_free_ char *path = str_fmt("%s/pipe", root);
	struct bounded_text out = {};
	_str_ struct str text = {};
	struct scx_trace t;

	(void)state;
	/* A kernel without the event. */
	scx_trace_open(&t);
	assert_int_equal(t.fd, -1);
	scx_trace_read(&t, &out);
	assert_int_equal(out.total, 0);
	unit_write(root, "pipe", "x: sched_ext_dump: one\nother line\ny: sched_ext_dump: two\n");
	t.fd = __real_open(path, O_RDONLY | O_CLOEXEC);
	scx_trace_read(&t, &out);
	bounded_text_take(&out, &text);
	assert_string_equal(str_get(&text), "one\ntwo\n");
	scx_trace_close(&t);
	assert_int_equal(t.fd, -1);
}

/* ---- the report on a scheduler ---- */

static void expect_in_report(const struct sched_life *r, const char *part)
{
	_str_ struct str text = {};

	sched_report_json(r, &text);
	if (!strstr(str_get(&text), part))
		fail_msg("no %s in %s", part, str_get(&text));
}

static void a_report_tells_what_is_known(void **state)
{
	static struct sched_life r;

	(void)state;
	r = (struct sched_life){};
	expect_in_report(&r, "\"started\":false,\"pid\":null,\"forked_away\":false,"
			     "\"attached\":false,\"ops\":null,\"attach_ns\":null");
	expect_in_report(&r, "\"ended_ns\":null,\"exit_code\":null,\"signal\":null,"
			     "\"released\":false,\"payload_signal\":null");
	expect_in_report(&r, "\"absences\":[],\"absence_count\":0,\"exit\":null,"
			     "\"watchdog\":null,\"programs\":[],\"nr_rejected\":null,"
			     "\"enable_seq\":null,\"log_bytes\":0");
	assert_int_equal(sched_report_code(&r), 0);
	r.pid = 11;
	r.has_attached = true;
	r.attach_ns = 12;
	strcpy(r.ops, "simple");
	r.has_status = r.has_ended = true;
	r.status = 3 << 8;
	r.stage = SCHED_STAGE_PAYLOAD;
	r.ended_ns = 13;
	r.absence_count = 1;
	r.absences[0].left_ns = 14;
	r.absences[0].away_ns = 15;
	r.watchdog.is_wanted = true;
	r.watchdog.seconds = 16;
	r.program_count = 1;
	strcpy(r.programs[0].name, "enqueue");
	r.programs[0].verified_insns = 17;
	r.state.has_rejected = r.state.has_enable_seq = true;
	r.state.rejected = 18;
	r.state.enable_seq = 19;
	r.log_bytes = 20;
	r.log_omitted = 21;
	r.dump_bytes = 22;
	r.dump_omitted = 23;
	r.payload_signal = 24;
	expect_in_report(&r, "\"started\":true,\"pid\":11,\"forked_away\":false,"
			     "\"attached\":true,\"ops\":\"simple\",\"attach_ns\":12");
	expect_in_report(&r, "\"ended_ns\":13,\"exit_code\":3,\"signal\":null,"
			     "\"released\":false,\"payload_signal\":24");
	expect_in_report(&r, "\"left_ns\":14,\"away_ns\":15,");
	expect_in_report(&r, "\"absence_count\":1,");
	expect_in_report(&r, "\"watchdog\":{\"requested_s\":16,\"previous_ms\":null,"
			     "\"written_ms\":null,\"problem\":null}");
	expect_in_report(&r, "\"programs\":[{\"name\":\"enqueue\",\"verified_insns\":17}]");
	expect_in_report(&r, "\"nr_rejected\":18,\"enable_seq\":19,\"log_bytes\":20,"
			     "\"log_omitted_bytes\":21,\"dump_bytes\":22,"
			     "\"dump_omitted_bytes\":23}");
	assert_int_equal(sched_report_code(&r), 3);
	r.watchdog.is_written = true;
	r.watchdog.previous_ms = 25;
	r.watchdog.written_ms = 26;
	strcpy(r.watchdog.problem, "p");
	expect_in_report(&r, "\"previous_ms\":25,\"written_ms\":26,\"problem\":\"p\"");
	r.status = SIGSEGV;
	expect_in_report(&r, "\"exit_code\":null,\"signal\":11");
	assert_int_equal(sched_report_code(&r), -SIGSEGV);
	/* A signal of ours says nothing. */
	r.was_killed = true;
	expect_in_report(&r, "\"exit_code\":null,\"signal\":null");
	r.stage = (enum sched_stage)(SCHED_STAGE_PAYLOAD - 1);
	expect_in_report(&r, "\"ended_ns\":null");
	strcpy(r.start_problem, "x");
	expect_in_report(&r, "\"started\":false");
	r.absence_count = SCHED_MAX_ABSENCES + 5;
	expect_in_report(&r, "\"absence_count\":");
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(both_ends_of_a_text_stay),
		TEST(lines_go_where_somebody_reads_them),
		TEST(lines_wait_until_they_may_be_sent),
		TEST(a_part_of_the_ring_is_for_each),
		TEST(output_that_does_not_fit_is_counted),
		TEST(texts_are_sent_in_pieces),
		TEST(results_are_frames_or_marked),
		TEST(probes_are_loaded_beside_the_test),
		TEST(records_leave_room_for_the_rest),
		TEST(a_loader_that_fails_is_told),
		TEST(a_loader_that_hangs_is_left_behind),
		TEST(profiles_are_sent_by_name),
		TEST(programs_of_a_scheduler_are_found),
		TEST(dumps_are_lines_of_one_event),
		TEST(a_report_tells_what_is_known),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
