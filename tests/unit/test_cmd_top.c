// SPDX-License-Identifier: GPL-2.0-only
/* `ktstr top` with a guest, a clock and keys that the test plays. */
#include "cli_run.h"

#include <errno.h>
#include <poll.h>

#include "base/cleanup.h"
#include "base/screen.h"
#include "base/term.h"
#include "watch/watch.h"

#define S 1000000000ULL
#define MS 1000000ULL

static struct {
	uint64_t now_ns;
	const char *keys;  /* one for each wait; "." = none in its time */
	const int *reads;  /* what each read comes to; 0 without */
	size_t read_count; /* of reads */
	bool is_screen, has_ended_input;
	int choose_rc, open_rc, interrupt_after;
	size_t rows; /* of the screen */
	/* What came of it. */
	size_t looks, waits, raws, restores, closes;
	struct str shown; /* screens, each ended by '@' */
	struct str dumped;
	char wanted[32];
	uint64_t looked_ns[16];
	int left_ms;
} played;

uint64_t __wrap_clock_mono_ns(void);
int __wrap_notices_find(struct notices *n, const char *proc);
int __wrap_notices_choose(const struct notices *n, const char *wanted, const struct notice **out);
int __wrap_top_open(struct top *t, const struct notice *notice);
void __wrap_top_close(struct top *t);
int __wrap_top_read(struct top *t, uint64_t host_ns);
int __wrap_top_dump(struct top *t, struct str *out);
void __wrap_top_set_sort(struct top *t, enum top_sort sort);
int __wrap_top_add_text(const struct top *t, enum top_section section, size_t lines,
			struct str *out);
bool __wrap_term_knows_escapes(FILE *stream);
int __wrap_terminal_raw(void);
void __wrap_terminal_restore(void);
struct screen_size __wrap_screen_size(void);
int __wrap_screen_show(const char *text);
int __wrap_isatty(int fd);
int __wrap_poll(struct pollfd *fds, nfds_t count, int timeout_ms);
ssize_t __wrap_read(int fd, void *to, size_t len);
ssize_t __real_read(int fd, void *to, size_t len);
int __wrap_interrupt_check(void);
void __wrap_interrupt_install(void);

uint64_t __wrap_clock_mono_ns(void)
{
	return played.now_ns;
}

int __wrap_notices_find(struct notices *n, const char *proc)
{
	(void)proc;
	*n = (struct notices){};
	return 0;
}

static struct notice notice = { .name = "ktstr/a.b", .memory = { .pid = 42 } };

int __wrap_notices_choose(const struct notices *n, const char *wanted, const struct notice **out)
{
	(void)n;
	snprintf(played.wanted, sizeof(played.wanted), "%s", wanted ? wanted : "-");
	*out = &notice;
	return played.choose_rc < 0 ? err_set(-played.choose_rc, "no guest") : 0;
}

static struct cpu_sample cpus[2];

int __wrap_top_open(struct top *t, const struct notice *from)
{
	*t = (struct top){ .notice = *from, .now = { .cpu_count = 2, .cpus = cpus } };
	return played.open_rc < 0 ? err_set(-played.open_rc, "no symbols") : 0;
}

void __wrap_top_close(struct top *t)
{
	(void)t;
	played.closes++;
}

int __wrap_top_read(struct top *t, uint64_t host_ns)
{
	int rc = played.looks < played.read_count ? played.reads[played.looks] : 0;

	assert_in_range(played.looks, 0, ARRAY_SIZE(played.looked_ns) - 1);
	played.looked_ns[played.looks++] = host_ns;
	t->now.cpus[0] = (struct cpu_sample){ .is_known = true, .clock_ns = 1234567890 };
	t->now.has_scheduler = played.looks % 2;
	played.now_ns += 5 * MS;
	return rc < 0 ? err_set(-rc, "it cannot be read") : 0;
}

int __wrap_top_dump(struct top *t, struct str *out)
{
	(void)t;
	str_add(out, "{dump}");
	return 0;
}

void __wrap_top_set_sort(struct top *t, enum top_sort sort)
{
	t->sort = sort;
}

int __wrap_top_add_text(const struct top *t, enum top_section section, size_t lines,
			struct str *out)
{
	str_addf(out, "%s by %s, %zu lines\n", top_section_names[section], top_sort_names[t->sort],
		 lines);
	return 0;
}

bool __wrap_term_knows_escapes(FILE *stream)
{
	return played.is_screen && stream == stdout;
}

int __wrap_terminal_raw(void)
{
	played.raws++;
	return 0;
}

void __wrap_terminal_restore(void)
{
	played.restores++;
}

struct screen_size __wrap_screen_size(void)
{
	return (struct screen_size){ .rows = played.rows, .columns = 80 };
}

int __wrap_screen_show(const char *text)
{
	str_addf(&played.shown, "%s@", text);
	return 0;
}

int __wrap_isatty(int fd)
{
	return fd == STDIN_FILENO && played.is_screen;
}

int __wrap_poll(struct pollfd *fds, nfds_t count, int timeout_ms)
{
	char key = played.keys && played.keys[played.waits] ? played.keys[played.waits] : '.';

	assert_int_equal(count, 1);
	assert_int_equal(fds->fd, played.is_screen ? STDIN_FILENO : -1);
	assert_in_range(played.waits, 0, 63);
	played.waits++;
	played.left_ms = timeout_ms;
	if (key == '.') {
		played.now_ns += (uint64_t)timeout_ms * MS;
		return 0;
	}
	return 1;
}

ssize_t __wrap_read(int fd, void *to, size_t len)
{
	if (fd != STDIN_FILENO || !played.is_screen)
		return __real_read(fd, to, len);
	if (played.has_ended_input)
		return 0;
	*(char *)to = played.keys[played.waits - 1];
	return 1;
}

int __wrap_interrupt_check(void)
{
	return played.interrupt_after && (int)played.waits >= played.interrupt_after ? -EINTR : 0;
}

void __wrap_interrupt_install(void)
{
}

static char *dir;
static int here_fd;

static int start(void **state)
{
	(void)state;
	memset(&played, 0, sizeof(played));
	played.now_ns = 100 * S;
	played.rows = 24;
	dir = unit_temp_create();
	here_fd = open(".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	assert_int_equal(chdir(dir), 0);
	snprintf(notice.name, sizeof(notice.name), "ktstr/a.b");
	return 0;
}

static int stop(void **state)
{
	(void)state;
	assert_int_equal(fchdir(here_fd), 0);
	close(here_fd);
	unit_temp_remove(dir);
	str_finish(&played.shown);
	cli_forget();
	return 0;
}

#define PLAYED(f) cmocka_unit_test_setup_teardown(f, start, stop)

#define HEAD(scheduler) "ktstr/a.b: QEMU 42, 2 CPUs, guest's clock 1.235 s, " scheduler " scheduler"

/* ---- printed ---- */

/* After a first read, which has no rates; each at its time, however long a read takes. */
static void samples_are_printed_in_their_interval(void **state)
{
	(void)state;
	assert_int_equal(cli_run("top --count 2 --interval 2s --view queues --sort pid"), 0);
	assert_string_equal(
		cli_out,
		HEAD("the kernel's own") "\n\nqueues by pid, 0 lines\n"
					 "\n" HEAD("a sched_ext") "\n\nqueues by pid, 0 lines\n");
	assert_int_equal(played.looks, 3);
	assert_true(played.looked_ns[0] == 100 * S && played.looked_ns[1] == 102 * S &&
		    played.looked_ns[2] == 104 * S);
	assert_int_equal(played.closes, 1);
	assert_int_equal(played.raws, 0);
}

static void one_sample_is_enough_without_a_terminal(void **state)
{
	(void)state;
	assert_int_equal(cli_run("top"), 0);
	assert_string_equal(cli_out, HEAD("the kernel's own") "\n\nall by wait, 0 lines\n");
	assert_string_equal(played.wanted, "-");
	assert_int_equal(played.looks, 2);
	assert_int_equal(played.left_ms, 995);
	notice.name[0] = '\0';
	assert_int_equal(cli_run("top mine"), 0);
	assert_true(str_starts(cli_out, "a guest: QEMU 42, "));
	assert_string_equal(played.wanted, "mine");
	assert_int_equal(cli_run("top --vm 7"), 0);
	assert_string_equal(played.wanted, "7");
}

/* Rounded up: a wait that ends too early would be followed by another. */
static void waits_end_no_earlier_than_their_time(void **state)
{
	(void)state;
	played.now_ns += 1;
	assert_int_equal(cli_run("top --interval 1500us"), 0);
	/* The read took longer than that. */
	assert_int_equal(played.waits, 0);
	played.looks = 0;
	assert_int_equal(cli_run("top --interval 5100us"), 0);
	assert_int_equal(played.left_ms, 1);
	assert_int_equal(played.waits, 1);
}

static void a_guest_that_cannot_be_read_for_a_moment_is_waited_for(void **state)
{
	static const int reads[] = { 0, -EAGAIN, -EAGAIN, 0 };

	(void)state;
	played.reads = reads;
	played.read_count = ARRAY_SIZE(reads);
	assert_int_equal(cli_run("top"), 0);
	assert_int_equal(played.looks, 4);
	assert_string_equal(cli_err, "");
}

static void the_end_of_a_guest_is_told(void **state)
{
	static const int ends[] = { 0, 0, -ESRCH }, fails[] = { 0, -EPERM }, first[] = { -ESRCH };

	(void)state;
	played.reads = ends;
	played.read_count = ARRAY_SIZE(ends);
	assert_int_equal(cli_run("top --count 9"), 0);
	assert_int_equal(played.looks, 3);
	assert_string_equal(cli_err, "the guest has ended\n");
	played.looks = 0;
	played.reads = fails;
	played.read_count = ARRAY_SIZE(fails);
	assert_int_equal(cli_run("top --count 9"), -EPERM);
	assert_int_equal(played.looks, 2);
	assert_string_equal(cli_err, "");
	played.looks = 0;
	played.reads = first;
	played.read_count = ARRAY_SIZE(first);
	assert_int_equal(cli_run("top"), 0);
	assert_string_equal(cli_out, "");
	assert_string_equal(cli_err, "the guest has ended\n");
}

static void an_interrupt_ends_it_without_an_error(void **state)
{
	(void)state;
	played.interrupt_after = 2;
	assert_int_equal(cli_run("top --count 9"), 0);
	assert_int_equal(played.looks, 2);
}

static void what_cannot_be_shown_is_refused(void **state)
{
	(void)state;
	assert_int_equal(cli_run("top --interval 0s"), 2);
	expect_in(cli_err, "--interval takes a time longer than 0");
	assert_int_equal(cli_run("top mine --vm 7"), 2);
	expect_in(cli_err, "RUN and --vm both name a guest: give one of them");
	played.choose_rc = -ENOENT;
	assert_int_equal(cli_run("top"), -ENOENT);
	played.choose_rc = 0;
	played.open_rc = -EIO;
	assert_int_equal(cli_run("top"), -EIO);
	assert_int_equal(played.looks, 0);
}

/* ---- on a terminal ---- */

#define FOOT(sort, view, freeze) \
	"s sort: " sort "  v view: " view "  f " freeze "  d dump  q quit  "

static void a_screen_has_a_head_and_keys(void **state)
{
	(void)state;
	played.is_screen = true;
	played.keys = "q";
	assert_int_equal(cli_run("top"), 0);
	assert_string_equal(str_get(&played.shown),
			    HEAD("a sched_ext") "\n\nall by wait, 20 lines\n" FOOT("wait", "all",
										   "freeze") "\n@");
	assert_int_equal(played.raws, 1);
	assert_true(played.restores > 0);
	/* Until q, ^C or the end of the input. */
	played.waits = played.looks = 0;
	played.keys = "...\003";
	assert_int_equal(cli_run("top"), 0);
	assert_int_equal(played.waits, 4);
	played.waits = played.looks = 0;
	played.keys = ".x";
	played.has_ended_input = true;
	assert_int_equal(cli_run("top"), 0);
	assert_int_equal(played.waits, 2);
}

static void small_screens_have_a_line_at_least(void **state)
{
	static const struct {
		size_t rows;
		const char *lines;
	} rows[] = { { 3, ", 1 lines\n" }, { 5, ", 1 lines\n" }, { 6, ", 2 lines\n" } };

	(void)state;
	played.is_screen = true;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		played.waits = played.looks = 0;
		played.keys = "q";
		played.rows = rows[i].rows;
		str_reset(&played.shown);
		assert_int_equal(cli_run("top"), 0);
		expect_in(str_get(&played.shown), rows[i].lines);
	}
}

/* Between two reads a key only changes the view. */
static void keys_change_what_is_shown(void **state)
{
	(void)state;
	played.is_screen = true;
	played.keys = "sssss?v.vvvvvvq";
	assert_int_equal(cli_run("top"), 0);
	expect_in(str_get(&played.shown),
		  "all by cpu, 20 lines\n" FOOT("cpu", "all", "freeze") "\n@");
	expect_in(str_get(&played.shown), "all by pid, ");
	/* Both begin again after the last. */
	expect_in(str_get(&played.shown),
		  "all by wait, 20 lines\n" FOOT("wait", "all", "freeze") "\n@" HEAD(
			  "a sched_ext") "\n\ncpus by wait, ");
	expect_in(str_get(&played.shown), "queues by wait, ");
	expect_in(str_get(&played.shown), "programs by wait, ");
	assert_true(str_ends(str_get(&played.shown), FOOT("wait", "cpus", "freeze") "\n@"));
	assert_int_equal(played.looks, 2);
}

static void a_frozen_view_does_not_read(void **state)
{
	(void)state;
	played.is_screen = true;
	played.keys = "f... q";
	assert_int_equal(cli_run("top"), 0);
	/* Once before, and once after it goes on. */
	assert_int_equal(played.looks, 2);
	expect_in(str_get(&played.shown), HEAD("a sched_ext") ", FROZEN\n");
	expect_in(str_get(&played.shown), "  f go on  d dump  q quit  \n@");
	assert_true(str_ends(str_get(&played.shown), "  f freeze  d dump  q quit  \n@"));
}

static void samples_on_a_screen_are_counted(void **state)
{
	static const int ends[] = { 0, -ESRCH }, fails[] = { 0, -EPERM };

	(void)state;
	played.is_screen = true;
	assert_int_equal(cli_run("top --count 2"), 0);
	assert_int_equal(played.looks, 3);
	assert_int_equal(played.waits, 2);
	played.looks = 0;
	played.reads = ends;
	played.read_count = ARRAY_SIZE(ends);
	assert_int_equal(cli_run("top"), 0);
	assert_string_equal(cli_err, "the guest has ended\n");
	played.looks = 0;
	played.reads = fails;
	assert_int_equal(cli_run("top"), -EPERM);
}

/* Beside those of before; a name of a guest is no path. */
static void dumps_have_names_of_their_own(void **state)
{
	struct str text = {};

	(void)state;
	played.is_screen = true;
	played.keys = "dd.xq";
	unit_write(dir, "a_b.top-2.snapshots.json", "mine");
	assert_int_equal(cli_run("top"), 0);
	expect_in(str_get(&played.shown), "  q quit  | a_b.top-1.snapshots.json\n@");
	expect_in(str_get(&played.shown), "  q quit  | a_b.top-3.snapshots.json\n@");
	/* The next key takes the message away. */
	assert_true(str_ends(str_get(&played.shown), "  q quit  \n@"));
	assert_int_equal(file_read_at(AT_FDCWD, "a_b.top-3.snapshots.json", &text), 0);
	assert_string_equal(str_get(&text), "{dump}");
	str_finish(&text);
	snprintf(notice.name, sizeof(notice.name), "%s", "");
	played.waits = 0;
	played.keys = "dq";
	assert_int_equal(cli_run("top"), 0);
	expect_in(str_get(&played.shown), "| guest.top-1.snapshots.json\n@");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		PLAYED(samples_are_printed_in_their_interval),
		PLAYED(one_sample_is_enough_without_a_terminal),
		PLAYED(waits_end_no_earlier_than_their_time),
		PLAYED(a_guest_that_cannot_be_read_for_a_moment_is_waited_for),
		PLAYED(the_end_of_a_guest_is_told),
		PLAYED(an_interrupt_ends_it_without_an_error),
		PLAYED(what_cannot_be_shown_is_refused),
		PLAYED(a_screen_has_a_head_and_keys),
		PLAYED(small_screens_have_a_line_at_least),
		PLAYED(keys_change_what_is_shown),
		PLAYED(a_frozen_view_does_not_read),
		PLAYED(samples_on_a_screen_are_counted),
		PLAYED(dumps_have_names_of_their_own),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
