// SPDX-License-Identifier: GPL-2.0-only
/* A session of the debugger between gdb and the guest; the test plays both. */
#include "unit.h"

#include <fcntl.h>
#include <unistd.h>

#include "base/err.h"
#include "btf_maker.h"
#include "debug/parts.h"
#include "kernel/btf.h"
#include "repro/repro.h"

#define PLACE(n) (0xffffffff81000000ULL + (n))
#define PROGRAM 0xffffffffc0001000ULL
#define GDB_FD 77
#define NEEDED                                                     \
	"ffffffff81000010 T do_it\nffffffff81000020 D runqueues\n" \
	"ffffffff81000030 D cpu_number\nffffffff81000040 T scx_vexit\n"
#define ATTACH "ffffffff81000050 t bpf_scx_reg\n"

static const char *symbols_text, *clock_name, *digest;
static int wait_rc, programs_rc, start_rc, run_rc;
static bool has_space, is_gone;
static enum packet_kind poll_kind;
static uint64_t cpu_base; /* as the guest's memory has it; 0 = unknown */
static uint32_t waiter;
static struct debug_stop stops[4];
static size_t stop_count, beginning; /* index + 1 of the stop at the start of the run */
static bool is_heard;		     /* after the stops gdb sends something */

static struct str told;	 /* what was done, a line each */
static struct str noted; /* for the user */
static const char *packets[16];
static size_t packet_at;
static int open_types; /* files of types */

static struct debug_options options;
static struct vm_session session;
static struct vm_result result;
static struct debug_end end;

int __wrap_btf_file_open(struct btf_file *f, const char *vmlinux);
void __wrap_btf_file_close(struct btf_file *f);
int __wrap_symbols_get(const struct vm_session *s, struct symbols *out);
int __wrap_layout_fill(struct watch_layout *l, const struct symbols *symbols,
		       const struct btf *types);
int __wrap_repro_find_wait(const struct vm_session *s, const char *vmlinux, uint32_t pid,
			   uint64_t *from_ns);
int __wrap_prog_lines_of_schedulers(struct prog_lines *p, struct space *space);
const struct chase_types *__wrap_known_types_get(struct known_types *k, const char *vmlinux,
						 const char *scheduler);
uint64_t __wrap_view_cpu_base(struct view *v, unsigned int cpu);
void __wrap_view_reset(struct view *v);
void __wrap_log_note(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
int __wrap_gdb_start(struct gdb *g, const struct gdb_options *o, const struct str *symbols,
		     const struct str *commands);
bool __wrap_gdb_next(struct gdb *g, struct str *data);
enum packet_kind __wrap_gdb_poll(struct gdb *g, struct str *data, bool *gone);
void __wrap_gdb_send(struct gdb *g, const struct str *reply);
void __wrap_gdb_print(struct gdb *g, const char *text);
void __wrap_gdb_finish(struct gdb *g);
int __wrap_travel_run(struct travel *t, const struct debug_order *first, struct vm_result *out);
void __wrap_travel_forward(struct travel *t, const struct debug_order *order);
void __wrap_travel_back(struct travel *t, const struct debug_order *order);
void __wrap_travel_step_back(struct travel *t, uint64_t base);
void __wrap_travel_interrupt(struct travel *t);

/* ---- the kernel ---- */

int __wrap_btf_file_open(struct btf_file *f, const char *vmlinux)
{
	static struct btf_maker m;
	uint32_t number;

	assert_string_equal(vmlinux, "types");
	open_types++;
	memset(&m, 0, sizeof(m));
	number = bm_int(&m, "u64", 8, 0);
	bm_record(&m, BTF_STRUCT, "rq", 16, 1);
	bm_member(&m, clock_name, number, 8);
	return btf_open(&f->types, m.blob, bm_end(&m));
}

void __wrap_btf_file_close(struct btf_file *f)
{
	if (f->types.offsets.count)
		open_types--;
	btf_close(&f->types);
}

int __wrap_symbols_get(const struct vm_session *s, struct symbols *out)
{
	assert_ptr_equal(s, &session);
	*out = (struct symbols){};
	str_add(&out->text, symbols_text);
	return 0;
}

int __wrap_layout_fill(struct watch_layout *l, const struct symbols *symbols,
		       const struct btf *types)
{
	assert_true(symbols_find(symbols, "runqueues") && types->offsets.count == 2);
	l->symbols[0] = 12345;
	return 0;
}

int __wrap_repro_find_wait(const struct vm_session *s, const char *vmlinux, uint32_t pid,
			   uint64_t *from_ns)
{
	assert_ptr_equal(s, &session);
	assert_string_equal(vmlinux, "types");
	waiter = pid;
	*from_ns = 1500000000;
	return wait_rc < 0 ? err_set(-wait_rc, "it did not wait") : 0;
}

int __wrap_prog_lines_of_schedulers(struct prog_lines *p, struct space *space)
{
	struct prog_function f = { .program = "mine_enqueue",
				   .name = "mine_enqueue",
				   .start = PROGRAM,
				   .end = PROGRAM + 64,
				   .count = 1 };
	struct prog_line line = { PROGRAM, "mine.bpf.c", "", 3, 1 };

	(void)space;
	assert_true(has_space);
	assert_int_equal(vec_push(&p->functions, f), 0);
	assert_int_equal(vec_push(&p->lines, line), 0);
	return programs_rc < 0 ? err_set(-programs_rc, "no programs") : 0;
}

const struct chase_types *__wrap_known_types_get(struct known_types *k, const char *vmlinux,
						 const char *scheduler)
{
	(void)k;
	str_addf(&told, "types of %s and %s\n", vmlinux, scheduler);
	return NULL;
}

uint64_t __wrap_view_cpu_base(struct view *v, unsigned int cpu)
{
	(void)v;
	return cpu_base ? cpu_base + cpu : 0;
}

void __wrap_view_reset(struct view *v)
{
	(void)v;
	str_add(&told, "reset\n");
}

void __wrap_log_note(const char *fmt, ...)
{
	char text[256];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	str_addf(&noted, "%s\n", text);
}

/* ---- gdb ---- */

static bool holds(const struct str *bytes, const char *part)
{
	return memmem(str_get(bytes), bytes->len, part, strlen(part));
}

int __wrap_gdb_start(struct gdb *g, const struct gdb_options *o, const struct str *symbols,
		     const struct str *commands)
{
	assert_ptr_equal(o, &options.gdb);
	assert_true(g->fd == -1 && g->listen_fd == -1);
	assert_true(holds(symbols, "do_it") && holds(commands, "define ktstr-rq\n"));
	assert_true(holds(symbols, "clock"));
	assert_int_equal(holds(symbols, "mine_enqueue"), has_space);
	assert_int_equal(holds(symbols, "mine.bpf.c"), has_space);
	g->fd = GDB_FD;
	str_add(&told, "gdb\n");
	return start_rc < 0 ? err_set(-start_rc, "no gdb") : 0;
}

bool __wrap_gdb_next(struct gdb *g, struct str *data)
{
	const char *packet = packets[packet_at];

	assert_int_equal(g->fd, GDB_FD);
	str_reset(data);
	if (!packet)
		return false;
	packet_at++;
	str_add(data, packet);
	return true;
}

enum packet_kind __wrap_gdb_poll(struct gdb *g, struct str *data, bool *gone)
{
	(void)g;
	(void)data;
	*gone = is_gone;
	return poll_kind;
}

void __wrap_gdb_send(struct gdb *g, const struct str *reply)
{
	str_addf(&told, "send%s '%s'\n", g->no_ack ? "" : "+", str_get(reply));
}

void __wrap_gdb_print(struct gdb *g, const char *text)
{
	(void)g;
	str_addf(&told, "print %s", text);
}

void __wrap_gdb_finish(struct gdb *g)
{
	(void)g;
}

/* ---- the guest ---- */

static void add_order(const char *what, const struct debug_order *o)
{
	str_addf(&told, "%s", what);
	if (o->until != DEBUG_NOWHERE)
		str_addf(&told, " until %" PRIx64, o->until);
	if (o->time_ns != DEBUG_NOWHERE)
		str_addf(&told, " time %" PRIu64, o->time_ns);
	if (o->step_cpu)
		str_addf(&told, " step %" PRIu64, o->step_cpu);
	for (uint32_t i = 0; i < o->place_count; i++)
		str_addf(&told, " place %" PRIx64, o->places[i]);
	for (uint32_t i = 0; i < o->watch_count; i++)
		str_addf(&told, " watch %" PRIx64, o->watches[i].address);
	str_addc(&told, '\n');
}

void __wrap_travel_forward(struct travel *t, const struct debug_order *order)
{
	(void)t;
	add_order("forward", order);
}

void __wrap_travel_back(struct travel *t, const struct debug_order *order)
{
	(void)t;
	add_order("back", order);
}

void __wrap_travel_step_back(struct travel *t, uint64_t base)
{
	(void)t;
	str_addf(&told, "step back %" PRIu64 "\n", base);
}

void __wrap_travel_interrupt(struct travel *t)
{
	(void)t;
	str_add(&told, "interrupt\n");
}

int __wrap_travel_run(struct travel *t, const struct debug_order *first, struct vm_result *out)
{
	int rc = 0;

	assert_null(t->session.on_frame);
	assert_true(t->session.limit_ns > 24ULL * 3600 * NSEC_PER_SEC);
	assert_string_equal(t->arguments,
			    ",runqueues=ffffffff81000020,cpu_number=ffffffff81000030,rq_clock=8");
	assert_int_equal(t->layout->symbols[0], 12345);
	assert_true(t->driver.fd == -1 && t->ours == -1);
	add_order("run", first);
	t->has_space = has_space;
	for (size_t i = 0; i < stop_count && rc == 0; i++) {
		t->stop = stops[i];
		t->is_beginning = beginning == i + 1;
		rc = t->driver.stands(t->driver.ctx, t);
		assert_true(rc <= 0);
	}
	if (stop_count && rc == 0)
		assert_int_equal(t->driver.fd, GDB_FD);
	if (is_heard && rc == 0)
		rc = t->driver.hear(t->driver.ctx, t);
	*out = (struct vm_result){};
	snprintf(out->digest, sizeof(out->digest), "%s", digest);
	if (run_rc < 0)
		return err_set(-run_rc, "the emulator is gone");
	return rc < 0 ? -EINTR : 0;
}

/* ---- sessions ---- */

static int set_up(void **state)
{
	(void)state;
	symbols_text = NEEDED;
	clock_name = "clock";
	digest = "0123456789abcdefghi";
	wait_rc = programs_rc = start_rc = run_rc = 0;
	has_space = is_gone = is_heard = false;
	poll_kind = PACKET_NONE;
	cpu_base = 0;
	waiter = 0;
	memset(stops, 0, sizeof(stops));
	stops[0] = stops[1] = (struct debug_stop){ .event = { 4096, DEBUG_PLACE, PLACE(0x10), 0 },
						   .cpu_base = 900 };
	stop_count = 1;
	beginning = 0;
	memset(packets, 0, sizeof(packets));
	packet_at = 0;
	options = (struct debug_options){ .at = DEBUG_AT_SYMBOL,
					  .symbol = "do_it",
					  .scheduler = "/bin/mine",
					  .digest = "0123456789abcdefghi" };
	session = (struct vm_session){
		.spec = { .arch = VM_ARCH_X86_64, .topology = { 1, 1, 2, 1 } },
		.on_frame = (channel_frame_fn *)1,
	};
	end = (struct debug_end){};
	return 0;
}

static int tear_down(void **state)
{
	(void)state;
	str_finish(&told);
	str_finish(&noted);
	err_clear();
	return 0;
}

static int debug(void)
{
	int had_stdin = fcntl(STDIN_FILENO, F_GETFD), rc;

	str_reset(&told);
	str_reset(&noted);
	packet_at = 0;
	open_types = 0;
	end = (struct debug_end){};
	rc = debug_run(&options, &session, "types", &result, &end);
	assert_int_equal(open_types, 0);
	/* 0 is no descriptor of its own. */
	assert_int_equal(fcntl(STDIN_FILENO, F_GETFD), had_stdin);
	return rc;
}

static void expect_told(const char *text)
{
	assert_string_equal(str_get(&told), text);
}

static void the_first_order_leads_to_the_start(void **state)
{
	static const struct {
		struct debug_options options;
		const char *symbols, *order;
	} rows[] = {
		{ { DEBUG_AT_TIME, .time_ns = 77 }, NEEDED, "run time 77\n" },
		{ { DEBUG_AT_TIME, .time_ns = 77, .waiter = 9 }, NEEDED, "run time 77\n" },
		{ { DEBUG_AT_FAILURE }, NEEDED, "run place ffffffff81000040\n" },
		{ { DEBUG_AT_FAILURE, .waiter = 9 }, NEEDED, "run time 1500000001\n" },
		{ { DEBUG_AT_SYMBOL, .symbol = "do_it" }, NEEDED, "run place ffffffff81000010\n" },
		{ { DEBUG_AT_SYMBOL, .symbol = "mine_enqueue", .has_scheduler = true },
		  NEEDED ATTACH,
		  "run place ffffffff81000050\n" },
		{ { DEBUG_AT_START, .has_scheduler = true },
		  NEEDED ATTACH,
		  "run place ffffffff81000050\n" },
		{ { DEBUG_AT_START, .symbol = "do_it" }, NEEDED ATTACH, "run until 400\n" },
		{ { DEBUG_AT_START, .has_scheduler = true }, NEEDED, "run until 400\n" },
	};

	(void)state;
	stop_count = 0;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		options = rows[i].options;
		symbols_text = rows[i].symbols;
		debug();
		assert_true(str_starts(str_get(&told), rows[i].order));
	}
}

static void a_wait_is_looked_for_before(void **state)
{
	(void)state;
	options.at = DEBUG_AT_FAILURE;
	assert_int_equal(debug(), -EINTR);
	assert_int_equal(waiter, 0);
	options.waiter = 42;
	assert_int_equal(debug(), -EINTR);
	assert_int_equal(waiter, 42);
	assert_string_equal(str_get(&noted),
			    "ktstr: the failure is a wait of task 42 from 1.500000s on\n");
	wait_rc = -ENOENT;
	assert_int_equal(debug(), -ENOENT);
	assert_string_equal(err_text(-ENOENT), "it did not wait");
	assert_string_equal(str_get(&noted), "");
	expect_told("reset\n"); /* at the end */
}

static void what_is_lacking_is_named(void **state)
{
	static const struct {
		struct debug_options options;
		const char *symbols, *clock, *message;
	} rows[] = {
		{ { DEBUG_AT_SYMBOL, .symbol = "nothing" },
		  NEEDED,
		  "clock",
		  "neither the guest's kernel nor its scheduler has one function nothing" },
		{ { DEBUG_AT_SYMBOL, .symbol = "nothing", .has_scheduler = true },
		  NEEDED,
		  "clock",
		  "neither the guest's kernel nor its scheduler has one function nothing" },
		{ { DEBUG_AT_FAILURE },
		  "ffffffff81000020 D runqueues\nffffffff81000030 D cpu_number\n",
		  "clock",
		  "neither the guest's kernel nor its scheduler has one function scx_vexit" },
		{ { DEBUG_AT_START },
		  "ffffffff81000020 D runqueues\n",
		  "clock",
		  "the kernel has no symbol cpu_number: it cannot be debugged" },
		{ { DEBUG_AT_START },
		  NEEDED,
		  "other",
		  "the kernel's types have no rq.clock: it cannot be debugged" },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		options = rows[i].options;
		symbols_text = rows[i].symbols;
		clock_name = rows[i].clock;
		assert_int_equal(debug(), -ENOENT);
		assert_string_equal(err_text(-ENOENT), rows[i].message);
		assert_false(str_starts(str_get(&told), "run"));
	}
}

static void other_architectures_are_refused(void **state)
{
	(void)state;
	session.spec.arch = VM_ARCH_AARCH64;
	assert_int_equal(debug(), -ENOTSUP);
	assert_string_equal(err_text(-ENOTSUP), "only x86-64 guests can be debugged");
}

static void a_run_without_the_stop_is_told(void **state)
{
	static const struct {
		struct debug_options options;
		const char *message;
	} rows[] = {
		{ { DEBUG_AT_FAILURE },
		  "the kernel did not eject the scheduler in this run, and no task waited too long; "
		  "--at TIME or --break SYMBOL says where to stop" },
		{ { DEBUG_AT_TIME, .time_ns = 2500000000 },
		  "the run ended before 2.500000s of the guest's clock" },
		{ { DEBUG_AT_SYMBOL, .symbol = "do_it" }, "do_it was never called in this run" },
		{ { DEBUG_AT_START }, "no scheduler was attached in this run" },
	};

	(void)state;
	stop_count = 0;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		options = rows[i].options;
		assert_int_equal(debug(), -ENOENT);
		assert_string_equal(err_text(-ENOENT), rows[i].message);
		assert_false(end.is_ended);
	}
}

/* A program of the scheduler exists only after it is attached. */
static void a_program_is_reached_in_two_steps(void **state)
{
	(void)state;
	symbols_text = NEEDED ATTACH;
	options.symbol = "mine_enqueue";
	options.has_scheduler = has_space = true;
	stops[0].event.address = PLACE(0x50);
	stops[1].event.address = PROGRAM;
	stop_count = 2;
	assert_int_equal(debug(), -EINTR);
	expect_told("run place ffffffff81000050\nreset\nforward place ffffffffc0001000\n"
		    "reset\ngdb\nreset\n");
	options.symbol = "other";
	assert_int_equal(debug(), -ENOENT);
	assert_string_equal(err_text(-ENOENT),
			    "neither the guest's kernel nor its scheduler has one function other");
	expect_told("run place ffffffff81000050\nreset\nreset\n");
	/* Whoever wants this function itself, or the start, has arrived. */
	options.symbol = "bpf_scx_reg";
	assert_int_equal(debug(), -EINTR);
	expect_told("run place ffffffff81000050\nreset\ngdb\nreset\n");
	options.symbol = "mine_enqueue";
	options.at = DEBUG_AT_START;
	assert_int_equal(debug(), -EINTR);
	expect_told("run place ffffffff81000050\nreset\ngdb\nreset\n");
}

static void what_fails_at_the_first_stop_ends_the_session(void **state)
{
	(void)state;
	start_rc = -EIO;
	assert_int_equal(debug(), -EIO);
	assert_string_equal(err_text(-EIO), "no gdb");
	expect_told("run place ffffffff81000010\nreset\ngdb\nreset\n");
	start_rc = 0;
	has_space = true;
	programs_rc = -ENOMEM;
	assert_int_equal(debug(), -ENOMEM);
	assert_string_equal(err_text(-ENOMEM), "no programs");
	expect_told("run place ffffffff81000010\nreset\nreset\n");
}

static void a_run_that_fails_is_not_left(void **state)
{
	(void)state;
	stop_count = 0;
	run_rc = -EIO;
	assert_int_equal(debug(), -EIO);
	assert_string_equal(err_text(-EIO), "the emulator is gone");
	assert_false(end.is_ended);
	/* gdb has left: what came of the run then does not matter. */
	stop_count = 1;
	assert_int_equal(debug(), -EINTR);
}

/* The answer to a packet that goes on is the next stop. */
static void gdb_goes_on_with_its_points(void **state)
{
	static const char *const wanted[] = { "Z0,ffffffff81000099,1", "Z0,ffffffff810000aa,1",
					      "Z2,5000,8", "c", "bc" };

	(void)state;
	memcpy(packets, wanted, sizeof(wanted));
	stop_count = 2;
	beginning = 2;
	assert_int_equal(debug(), 0);
	expect_told("run place ffffffff81000010\nreset\ngdb\nsend+ 'OK'\nsend+ 'OK'\nsend+ 'OK'\n"
		    "forward place ffffffff81000099 place ffffffff810000aa watch 5000\n"
		    "reset\nsend+ 'T05thread:1;replaylog:begin;'\n"
		    "back place ffffffff81000099 place ffffffff810000aa watch 5000\n"
		    "print The run has ended with digest 0123456789abcdef, that of the record.\n"
		    "send+ 'W00'\nreset\n");
	assert_true(end.is_ended && end.is_same);
	assert_false(end.is_written);
}

static void gdb_steps_on_the_cpu_that_it_asks_for(void **state)
{
	static const struct {
		uint64_t base;
		const char *packet, *order;
	} rows[] = {
		{ 700, "vCont;s:2;c", "forward step 701\n" },
		{ 700, "s", "forward step 700\n" },
		{ 700, "bs", "step back 700\n" },
		{ 700, "c", "forward\n" },
		/* That of the stop, if the guest's memory cannot be read. */
		{ 0, "vCont;s:2;c", "forward step 900\n" },
		{ 0, "bs", "step back 900\n" },
		{ 0, "c", "forward\n" },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		_free_ char *text =
			str_fmt("run place ffffffff81000010\nreset\ngdb\n%sprint ", rows[i].order);

		cpu_base = rows[i].base;
		packets[0] = rows[i].packet;
		assert_int_equal(debug(), 0);
		assert_true(str_starts(str_get(&told), text));
	}
}

static void gdb_leaves(void **state)
{
	(void)state;
	packets[0] = "?";
	packets[1] = "D";
	packets[2] = "?";
	assert_int_equal(debug(), -EINTR);
	expect_told("run place ffffffff81000010\nreset\ngdb\n"
		    "send+ 'T05thread:1;swbreak:;'\nsend+ 'OK'\nreset\n");
	assert_int_equal(packet_at, 2);
	assert_false(end.is_ended);
}

static void gdb_is_heard_while_the_guest_runs(void **state)
{
	(void)state;
	packets[0] = "c";
	is_heard = true;
	poll_kind = PACKET_INTERRUPT;
	assert_int_equal(debug(), 0);
	assert_non_null(strstr(str_get(&told), "forward\ninterrupt\nprint "));
	poll_kind = PACKET_DATA;
	assert_int_equal(debug(), 0);
	assert_null(strstr(str_get(&told), "interrupt"));
	poll_kind = PACKET_NONE;
	is_gone = true;
	run_rc = -EIO; /* as a guest that is killed */
	assert_int_equal(debug(), -EINTR);
	expect_told("run place ffffffff81000010\nreset\ngdb\nforward\nreset\n");
}

/* The answer with which gdb ends acknowledgements is still acknowledged itself. */
static void acknowledgements_end_after_the_answer(void **state)
{
	(void)state;
	packets[0] = "QStartNoAckMode";
	packets[1] = "qC";
	assert_int_equal(debug(), -EINTR);
	expect_told("run place ffffffff81000010\nreset\ngdb\nsend+ 'OK'\nsend 'QC1'\nreset\n");
}

static void notes_for_the_user_are_told_once(void **state)
{
	(void)state;
	packets[0] = "Mffff888000000000,1:01";
	packets[1] = "?";
	assert_int_equal(debug(), -EINTR);
	assert_string_equal(str_get(&noted),
			    "ktstr: nothing was written: it would not be the run of the record any "
			    "more; --write allows it\n");
	/* Without its memory, a guest cannot be written to. */
	options.may_write = true;
	assert_int_equal(debug(), -EINTR);
	assert_string_equal(str_get(&noted), "");
	assert_non_null(strstr(str_get(&told), "send+ 'E0e'\n"));
}

static void commands_know_the_files_of_the_run(void **state)
{
	(void)state;
	has_space = true;
	packets[0] = "qRcmd,7768657265"; /* where */
	assert_int_equal(debug(), -EINTR);
	assert_non_null(strstr(str_get(&told), "types of types and /bin/mine\n"));
}

static void gdb_is_told_how_the_run_ended(void **state)
{
	(void)state;
	packets[0] = "c";
	packets[1] = "?";
	packets[2] = "g";
	digest = "other";
	assert_int_equal(debug(), 0);
	/* There is no guest that could answer any more. */
	expect_told("run place ffffffff81000010\nreset\ngdb\nforward\n"
		    "print The run has ended with digest other, not that of the record.\n"
		    "send+ 'W00'\nsend+ ''\nsend+ ''\nreset\n");
	assert_true(end.is_ended);
	assert_false(end.is_same || end.is_written);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
	const struct CMUnitTest tests[] = {
		TEST(the_first_order_leads_to_the_start),
		TEST(a_wait_is_looked_for_before),
		TEST(what_is_lacking_is_named),
		TEST(other_architectures_are_refused),
		TEST(a_run_without_the_stop_is_told),
		TEST(a_program_is_reached_in_two_steps),
		TEST(what_fails_at_the_first_stop_ends_the_session),
		TEST(a_run_that_fails_is_not_left),
		TEST(gdb_goes_on_with_its_points),
		TEST(gdb_steps_on_the_cpu_that_it_asks_for),
		TEST(gdb_leaves),
		TEST(gdb_is_heard_while_the_guest_runs),
		TEST(acknowledgements_end_after_the_answer),
		TEST(notes_for_the_user_are_told_once),
		TEST(commands_know_the_files_of_the_run),
		TEST(gdb_is_told_how_the_run_ended),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
