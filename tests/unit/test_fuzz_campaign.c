// SPDX-License-Identifier: GPL-2.0-only
/* What a campaign keeps: features, the corpus on disk, failures by their signatures. */
#include "unit.h"

#include <sys/stat.h>
#include <unistd.h>

#include "base/err.h"
#include "base/file.h"
#include "fuzz/parts.h"
#include "fuzz_equal.h"
#include "watch/parts.h"

/* ---- features ---- */

static void add_line(struct bpf_cover *c, const char *function, uint32_t line, uint64_t count)
{
	struct cover_function *f = bpf_cover_function(c, "p", function);

	assert_int_equal(bpf_cover_file(c, "a.bpf.c"), 0);
	assert_int_equal(
		bpf_cover_line(c, f,
			       &(struct cover_line){ .line = line, .count = count, .text = "" }),
		0);
}

static const uint64_t nothing[FUZZ_OWN];

static size_t add_run(struct fuzz_cover *c, const struct bpf_cover *run, double wait_us)
{
	struct fuzz_news news;

	assert_int_equal(fuzz_cover_add(c, run, wait_us, &news), 0);
	return news.count;
}

static void a_feature_is_new_once(void **state)
{
	_bpf_cover_ struct bpf_cover a = {}, b = {};
	_cleanup_(fuzz_cover_finish) struct fuzz_cover c = {};

	(void)state;
	add_line(&a, "f", 10, 1);
	add_line(&a, "f", 11, 0); /* not executed */
	assert_int_equal(add_run(&c, &a, 0), 1);
	assert_int_equal(add_run(&c, &a, 0), 0);
	/* The same line of another function, and much more often. */
	add_line(&b, "g", 10, 1);
	add_line(&b, "f", 10, 1000);
	assert_int_equal(add_run(&c, &b, 0), 2);
	assert_int_equal(c.count, 3);
}

static void both_ways_of_a_branch_are_features(void **state)
{
	_bpf_cover_ struct bpf_cover a = {};
	_cleanup_(fuzz_cover_finish) struct fuzz_cover c = {};
	struct cover_function *f = bpf_cover_function(&a, "p", "f");

	(void)state;
	bpf_cover_branch(f, &(struct cover_branch){ .line = 3, .at = 4, .is_taken = true });
	assert_int_equal(add_run(&c, &a, 0), 1);
	bpf_cover_branch(f, &(struct cover_branch){ .line = 3, .at = 4, .is_passed = true });
	assert_int_equal(add_run(&c, &a, 0), 1);
	assert_int_equal(add_run(&c, &a, 0), 0);
}

/* Which of two CPUs was where makes a difference. */
static void lines_at_the_same_time_are_a_feature(void **state)
{
	_bpf_cover_ struct bpf_cover a = {};
	_cleanup_(fuzz_cover_finish) struct fuzz_cover c = {};

	(void)state;
	bpf_cover_function(&a, "p", "f");
	bpf_cover_function(&a, "p", "g");
	assert_int_equal(bpf_cover_pair(&a, &(struct cover_pair){ 0, 10, 1, 20 }), 0);
	assert_int_equal(add_run(&c, &a, 0), 1);
	assert_int_equal(bpf_cover_pair(&a, &(struct cover_pair){ 1, 20, 0, 10 }), 0);
	assert_int_equal(bpf_cover_pair(&a, &(struct cover_pair){ 0, 10, 1, 21 }), 0);
	assert_int_equal(add_run(&c, &a, 0), 2);
	assert_int_equal(add_run(&c, &a, 0), 0);
}

static void what_few_runs_reach_is_rare(void **state)
{
	_bpf_cover_ struct bpf_cover a = {}, b = {};
	_cleanup_(fuzz_cover_finish) struct fuzz_cover c = {};
	struct fuzz_news first, second;

	(void)state;
	add_line(&a, "f", 10, 1);
	add_line(&b, "f", 20, 1);
	assert_int_equal(fuzz_cover_add(&c, &a, 0, &first), 0);
	assert_int_equal(fuzz_cover_add(&c, &b, 0, &second), 0);
	assert_true(fuzz_cover_rarity(&c, first.own) == 1);
	add_run(&c, &a, 0);
	add_run(&c, &a, 0);
	add_run(&c, &a, 0);
	assert_true(fuzz_cover_rarity(&c, first.own) == 0.25);
	assert_true(fuzz_cover_rarity(&c, second.own) == 1);
	assert_true(fuzz_cover_rarity(&c, nothing) == 0);
	assert_int_equal(c.kinds[FUZZ_LINES], 2);
	assert_int_equal(c.kinds[FUZZ_PAIRS], 0);
}

/* Entries with rare features, and places that bring much, are chosen more often, others now and then. */
static void guidance_prefers_what_is_worth_it(void **state)
{
	static const struct fuzz_options guided = {};
	_bpf_cover_ struct bpf_cover rare = {}, common = {};
	struct fuzz f = { .options = &guided, .random = { 1 } };
	struct fuzz_entry entries[2] = {};
	struct fuzz_input place = {};
	struct fuzz_news news;
	unsigned int chosen[FUZZ_PLACES] = {};

	(void)state;
	add_line(&rare, "f", 10, 1);
	add_line(&common, "f", 20, 1);
	assert_int_equal(fuzz_cover_add(&f.cover, &rare, 0, &news), 0);
	memcpy(entries[0].own, news.own, sizeof(news.own));
	assert_int_equal(fuzz_cover_add(&f.cover, &common, 0, &news), 0);
	memcpy(entries[1].own, news.own, sizeof(news.own));
	for (int i = 0; i < 50; i++)
		add_run(&f.cover, &common, 0);
	for (int i = 0; i < 2; i++)
		fuzz_input_make(&entries[i].input, &f.random);
	f.corpus.entries.items = entries;
	f.corpus.entries.count = 2;
	for (int i = 0; i < 400; i++) {
		struct fuzz_input in;

		fuzz_next_input(&f, &entries[0].input, &in);
	}
	assert_true(entries[0].picks > 2 * entries[1].picks);
	assert_true(entries[1].picks > 10);
	for (int i = 0; i < 400; i++) {
		fuzz_place_set(&place, i % fuzz_place_count());
		fuzz_note_place(&f, &place, fuzz_place_number(&place) == 5 ? 100 : 1);
		fuzz_next_place(&f, &place);
		chosen[fuzz_place_number(&place)]++;
	}
	for (unsigned int i = 0; i < fuzz_place_count(); i++)
		assert_true(chosen[i] > 0 && (i == 5 || chosen[i] < chosen[5]));
	fuzz_cover_finish(&f.cover);
}

/* Of so many inputs, how many were made in each way where one of them brings much. */
static void make_many(struct fuzz *f, enum fuzz_way good, unsigned int made[FUZZ_WAYS])
{
	for (int i = 0; i < 400; i++) {
		struct fuzz_input in;
		struct fuzz_origin origin = fuzz_next_input(f, &(struct fuzz_input){}, &in);

		fuzz_note_origin(f, &origin, origin.way == good ? 50 : 5);
		made[origin.way]++;
	}
}

static void ways_that_bring_more_are_gone_more_often(void **state)
{
	static const struct fuzz_options guided = {}, uniform = { .is_uniform = true };
	struct fuzz_entry entry = {};

	(void)state;
	for (enum fuzz_way good = 0; good < FUZZ_WAYS; good++) {
		struct fuzz f = { .options = &guided, .random = { 1 } };
		unsigned int made[FUZZ_WAYS] = {};

		/* From nothing everything is made anew, with much in it. */
		make_many(&f, good, made);
		assert_int_equal(made[FUZZ_RICH], 400);
		fuzz_input_make(&entry.input, &f.random);
		f.corpus.entries.items = &entry;
		f.corpus.entries.count = 1;
		memset(made, 0, sizeof(made));
		make_many(&f, good, made);
		for (enum fuzz_way way = 0; way < FUZZ_WAYS; way++)
			assert_true(way == good ? made[way] > 180 : made[way] > 15);
		f.options = &uniform;
		memset(made, 0, sizeof(made));
		make_many(&f, good, made);
		assert_int_equal(made[FUZZ_ANEW], 400);
	}
}

/* Equal entries: what comes of changing the second is what others bring, of the first nothing. */
static void who_leads_further_is_changed_more_often(void **state)
{
	static const struct fuzz_options guided = {};
	struct fuzz f = { .options = &guided, .random = { 1 } };
	struct fuzz_entry entries[2] = {};

	(void)state;
	for (int i = 0; i < 2; i++)
		fuzz_input_make(&entries[i].input, &f.random);
	entries[0].input.machine = entries[1].input.machine;
	f.corpus.entries.items = entries;
	f.corpus.entries.count = 2;
	for (int i = 0; i < 400; i++) {
		struct fuzz_input in;
		struct fuzz_origin origin = fuzz_next_input(&f, &entries[0].input, &in);

		fuzz_note_origin(&f, &origin,
				 origin.way == FUZZ_ANEW || origin.parent == 1 ? 9 : 0);
	}
	assert_true(entries[0].success == 0 && entries[1].success > 1);
	assert_true(entries[1].picks > 2 * entries[0].picks);
	assert_true(entries[0].picks > 10);
}

static void a_longer_wait_is_a_feature(void **state)
{
	_bpf_cover_ struct bpf_cover none = {};
	_cleanup_(fuzz_cover_finish) struct fuzz_cover c = {};

	(void)state;
	assert_int_equal(add_run(&c, &none, 1000), 1);
	assert_int_equal(add_run(&c, &none, 1100), 0);
	assert_int_equal(add_run(&c, &none, 1300), 1);
	assert_true(c.worst_wait_us == 1300);
}

/* A block that begins elsewhere in code that was executed already is nothing new. */
static void places_of_the_kernel_are_features(void **state)
{
	_bpf_cover_ struct bpf_cover whole = {}, part = {}, more = {};
	_cleanup_(fuzz_cover_finish) struct fuzz_cover c = {};

	(void)state;
	bpf_cover_block(bpf_cover_kernel(&whole, "scx_a", 100),
			&(struct cover_block){ .at = 16, .bytes = 32, .count = 1 });
	bpf_cover_block(bpf_cover_kernel(&part, "scx_a", 100),
			&(struct cover_block){ .at = 21, .bytes = 27, .count = 9 });
	bpf_cover_block(bpf_cover_kernel(&more, "scx_a", 100),
			&(struct cover_block){ .at = 21, .bytes = 28, .count = 1 });
	bpf_cover_kernel(&more, "scx_b", 100); /* not executed */
	assert_int_equal(add_run(&c, &whole, 0), 2);
	assert_int_equal(add_run(&c, &part, 0), 0);
	assert_int_equal(add_run(&c, &more, 0), 1);
}

static void many_features_find_their_place(void **state)
{
	_bpf_cover_ struct bpf_cover a = {};
	_cleanup_(fuzz_cover_finish) struct fuzz_cover c = {};

	(void)state;
	for (uint32_t i = 1; i <= 3000; i++)
		add_line(&a, "f", i, 1);
	assert_int_equal(add_run(&c, &a, 0), 3000);
	assert_int_equal(add_run(&c, &a, 0), 0);
	for (uint32_t function = 0; function < 5; function++) {
		_bpf_cover_ struct bpf_cover more = {};
		char name[16];

		snprintf(name, sizeof(name), "more%u", function);
		for (uint32_t i = 1; i <= 3000; i++)
			add_line(&more, name, i, 1);
		assert_int_equal(add_run(&c, &more, 0), 3000);
		assert_int_equal(add_run(&c, &more, 0), 0);
	}
	assert_int_equal(c.count, 6 * 3000);
}

/* ---- the corpus ---- */

static size_t reopen(struct fuzz_corpus *c, const char *dir)
{
	fuzz_corpus_finish(c);
	assert_int_equal(fuzz_corpus_open(c, dir), 0);
	return c->entries.count;
}

static void the_corpus_is_a_directory(void **state)
{
	char *dir = unit_temp_create();
	struct fuzz_random r = { 1 };
	struct fuzz_corpus c = {};
	struct fuzz_input in, other;

	(void)state;
	assert_int_equal(reopen(&c, dir), 0);
	fuzz_input_make(&in, &r);
	fuzz_input_make(&other, &r);
	assert_int_equal(fuzz_corpus_add(&c, &in, nothing), 0);
	assert_int_equal(fuzz_corpus_add(&c, &in, nothing), 0); /* the same file */
	assert_int_equal(fuzz_corpus_add_failure(&c, &other, "Stuck"), 0);
	assert_int_equal(reopen(&c, dir), 1);
	assert_true(fuzz_input_equal(&c.entries.items[0].input, &in));
	assert_true(texts_has(&c.known, "Stuck"));
	assert_int_equal(c.known.count, 1);
	fuzz_corpus_finish(&c);
	unit_temp_remove(dir);
}

static void the_shortest_come_first_and_files_go(void **state)
{
	char *dir = unit_temp_create();
	struct fuzz_random r = { 1 };
	struct fuzz_corpus c = {};

	(void)state;
	assert_int_equal(reopen(&c, dir), 0);
	for (int i = 0; i < 20; i++) {
		struct fuzz_input in;

		fuzz_input_make(&in, &r);
		assert_int_equal(fuzz_corpus_add(&c, &in, nothing), 0);
	}
	assert_int_equal(reopen(&c, dir), 20);
	fuzz_corpus_sort(&c);
	for (size_t i = 1; i < 20; i++)
		assert_true(fuzz_input_ms(&c.entries.items[i - 1].input) <=
			    fuzz_input_ms(&c.entries.items[i].input));
	assert_int_equal(fuzz_corpus_remove(&c, &c.entries.items[3]), 0);
	assert_int_equal(fuzz_corpus_remove(&c, &c.entries.items[3]), 0); /* it is gone already */
	assert_int_equal(reopen(&c, dir), 19);
	fuzz_corpus_finish(&c);
	unit_temp_remove(dir);
}

static void what_others_keep_is_read_once(void **state)
{
	char *dir = unit_temp_create();
	struct fuzz_random r = { 1 };
	struct fuzz_corpus ours = {}, theirs = {};
	struct fuzz_input in;

	(void)state;
	assert_int_equal(reopen(&ours, dir), 0);
	assert_int_equal(reopen(&theirs, dir), 0);
	fuzz_input_make(&in, &r);
	assert_int_equal(fuzz_corpus_add(&theirs, &in, nothing), 0);
	fuzz_input_make(&in, &r);
	assert_int_equal(fuzz_corpus_add(&ours, &in, nothing), 0);
	for (int i = 0; i < 2; i++) {
		assert_int_equal(fuzz_corpus_read(&ours), 0);
		assert_int_equal(ours.entries.count, 2);
	}
	/* Ours has run, theirs has not. */
	assert_true(ours.entries.items[0].is_run);
	assert_false(ours.entries.items[1].is_run);
	fuzz_corpus_finish(&ours);
	fuzz_corpus_finish(&theirs);
	unit_temp_remove(dir);
}

/* Every entry is run by one of them. */
static void processes_share_what_is_there(void **state)
{
	for (unsigned int index = 0; index < 3; index++) {
		struct fuzz_entry entries[7] = {};
		struct fuzz_options options = { .shard = { .index = index, .count = 3 } };
		struct fuzz f = { .options = &options };

		(void)state;
		f.corpus.entries.items = entries;
		f.corpus.entries.count = ARRAY_SIZE(entries);
		fuzz_leave_to_others(&f);
		for (size_t i = 0; i < ARRAY_SIZE(entries); i++)
			assert_int_equal(entries[i].is_run, i % 3 != index);
	}
}

static void what_somebody_put_there_does_no_harm(void **state)
{
	char *dir = unit_temp_create();
	struct fuzz_corpus c = {};
	_str_ struct str large = {}, path = {};

	(void)state;
	unit_write(dir, "in-1.yaml", "no scenario\n");
	unit_write(dir, "in-2.yaml", "");
	unit_write(dir, "fail-1.yaml", "no signature\n");
	unit_write(dir, "README", "not ours");
	str_repeat(&large, '\n', 20000);
	unit_write(dir, "in-3.yaml", large.s);
	str_addf(&path, "%s/in-4.yaml", dir);
	assert_int_equal(mkfifo(path.s, 0600), 0);
	str_reset(&path);
	str_addf(&path, "%s/in-5.yaml", dir);
	assert_int_equal(symlink("/dev/zero", path.s), 0);
	assert_int_equal(reopen(&c, dir), 0);
	assert_int_equal(c.known.count, 0);
	fuzz_corpus_finish(&c);
	unit_temp_remove(dir);
}

/* ---- signatures ---- */

static void expect_signature(const char *text, const char *signature)
{
	_free_ char *own = fuzz_signature(text);

	assert_string_equal(own, signature);
}

static void failures_are_one_by_what_the_kernel_says_or_their_kind(void **state)
{
	(void)state;
	expect_signature(
		"SchedulerDied: the kernel took the scheduler down: runnable task stall: "
		"TASK[#] failed to run for #s (#s into test); Stuck: a; WorkConservation: b",
		"SchedulerDied: the kernel took the scheduler down: runnable task stall: "
		"TASK[#] failed to run for #s");
	expect_signature("Isolation: x; SchedulerDied: y; Stuck: z", "SchedulerDied: y");
	expect_signature("Stuck: stuck #ms on cpu#; WorkConservation: b", "Stuck");
	expect_signature("WorkConservation: cpu# was idle", "WorkConservation");
	expect_signature("the guest crashed", "the guest crashed");
	/* An invariant by its text, whatever the values were. */
	expect_signature(
		"Fairness: x; Invariant: the invariant 'a < #' does not hold: a is #; Stuck: y",
		"Invariant: the invariant 'a < #'");
	expect_signature("Invariant: the invariant 'a < #' does not hold: a is #; SchedulerDied: y",
			 "SchedulerDied: y");
}

static void a_step_that_cannot_be_taken_is_no_failure(void **state)
{
	(void)state;
	assert_true(fuzz_is_invalid("Other: step # failed: set_cpuset: no"));
	assert_true(fuzz_is_invalid("Other: Backdrop setup failed: no"));
	assert_false(fuzz_is_invalid("Stuck: stuck #ms"));
	assert_false(fuzz_is_invalid("Other: step # failed: x; SchedulerDied: y"));
}

static void the_exit_code_says_whether_something_was_found(void **state)
{
	struct fuzz_failure failure = { .is_known = true };
	struct fuzz f = { .passed = 1 };

	(void)state;
	assert_int_equal(fuzz_exit_code(&f), RUN_EXIT_PASSED);
	f.failures.items = &failure;
	f.failures.count = 1;
	assert_int_equal(fuzz_exit_code(&f), RUN_EXIT_PASSED);
	failure.is_known = false;
	assert_int_equal(fuzz_exit_code(&f), RUN_EXIT_FAILED);
	f.is_interrupted = true;
	assert_int_equal(fuzz_exit_code(&f), RUN_EXIT_INTERRUPTED);
	assert_int_equal(fuzz_exit_code(&(struct fuzz){}), RUN_EXIT_NOTHING);
}

/* On 7.0, with two batches behind it and one failure. */
static void fill_campaign(struct fuzz *f, struct fuzz_failure *failure)
{
	static struct fuzz_point points[] = { { 1, 50, 100, 3, 0 }, { 2, 100, 200, 4, 1 } };
	static struct run_kernel kernel = { .image.version = "7.0" };
	static struct variant variant;
	static struct task task = { .job.variant = &variant };

	f->curve.items = points;
	f->curve.count = ARRAY_SIZE(points);
	f->failures.items = failure;
	f->failures.count = 1;
	f->lab.task = &task;
	f->lab.campaign.kernels.items.items = &kernel;
	f->lab.campaign.kernels.items.count = 1;
}

static void expect_part(const struct str *text, const char *part)
{
	if (!strstr(str_get(text), part))
		fail_msg("'%s' is not in:\n%s", part, str_get(text));
}

/* Functions and stretches of lines that no run came to, the first twelve of each by name. */
static void what_was_never_reached_is_told(void **state)
{
	struct fuzz_options options = { .scheduler = "./scx_mine", .label = "ktstr" };
	struct fuzz_failure failure = {
		.signature = "Stuck", .runs = 1, .first_run = 3, .tries = 9, .file = "fuzz 1.c"
	};
	struct fuzz f = { .options = &options, .runs = 4, .seconds = 2, .corpus.dir = "kept" };
	_bpf_cover_ struct bpf_cover cover = {};
	_str_ struct str text = {}, json = {};
	struct json j;

	(void)state;
	fill_campaign(&f, &failure);
	add_line(&cover, "served", 1, 5);
	for (uint32_t i = 0; i < 13; i++) {
		char name[16];

		snprintf(name, sizeof(name), "f%02u", i);
		add_line(&cover, name, 10 * i + 10, 0);
		add_line(&cover, name, 10 * i + 11, 0);
		add_line(&cover, "served", 10 * i + 12, 1);
	}
	f.bpf = cover;
	assert_int_equal(fuzz_add_text(&f, &text), 0);
	expect_part(&text, "4 scenarios in 2.0 s (2.00 a second)");
	expect_part(&text, "covered: 1 of 14 functions, 14 of 40 lines");
	expect_part(&text, "  functions: f00, f01, f02, ");
	expect_part(&text, ", f11 and 1 more\n");
	expect_part(&text, "  a.bpf.c: 10-11, 20-21, ");
	expect_part(&text, ", 120-121 and 1 more\n");
	expect_part(&text, "1 distinct failure:\n");
	expect_part(&text,
		    "1 scenario, the first was number 3; shrunk by 9 runs to 0 operations\n");
	expect_part(&text, "again: ktstr test --kernel 7.0 'fuzz 1.c'\n");
	json_init(&j, &json, false);
	assert_int_equal(fuzz_put_json(&f, &j), 0);
	expect_part(&json, "\"functions\":14,\"functions_reached\":1,\"lines\":40,"
			   "\"lines_reached\":14");
	expect_part(&json, "\"a.bpf.c\":[[10,11],[20,21],");
	expect_part(&json, "[130,131]]");
	/* Interrupted on the way to a test, or none that fails was found. */
	for (int i = 0; i < 2; i++) {
		failure.file = NULL;
		failure.is_put_off = i;
		str_reset(&text);
		assert_int_equal(fuzz_add_text(&f, &text), 0);
		expect_part(&text,
			    i ? "     interrupted before a test was written; the next campaign "
				"with this corpus runs its scenario again\n" :
				"     not confirmed: no test of its own fails in the same way\n");
	}
}

static void a_page_has_the_curve(void **state)
{
	struct fuzz_failure failure = { .signature = "a < b", .first_run = 50, .is_known = true };
	struct fuzz_options options = { .scheduler = "./scx_<b>" };
	struct fuzz f = { .options = &options, .runs = 100, .cover.count = 200 };
	_str_ struct str out = {};

	(void)state;
	f.corpus.dir = "corpus";
	fill_campaign(&f, &failure);
	assert_int_equal(fuzz_add_html(&f, &out), 0);
	assert_non_null(strstr(str_get(&out), "\"M4.0 156.0 L320.0 80.0 L636.0 4.0\""));
	assert_non_null(strstr(str_get(&out), "<line x1=320.0 x2=320.0 "));
	assert_non_null(strstr(str_get(&out), "a &lt; b"));
	assert_null(strstr(str_get(&out), "<b>"));
	assert_non_null(strstr(str_get(&out), "100 scenarios in 0.0 s"));
}

/* 100 features of 200 in the middle are half a bar. */
static void a_screen_tells_how_far_it_is(void **state)
{
	struct fuzz_failure failure = { .signature = "Starved\033[2J",
					.runs = 3,
					.file = "fuzz-1.c" };
	struct fuzz_options options = { .label = "ktstr",
					.scheduler = "./scx_mine",
					.corpus = "kept",
					.budget_ns = 3661 * NSEC_PER_SEC };
	struct fuzz f = { .options = &options, .runs = 100, .passed = 97, .cover.count = 200 };
	_str_ struct str out = {};

	(void)state;
	fill_campaign(&f, &failure);
	fuzz_screen_add(&f, 2, 20, &out);
	assert_non_null(
		strstr(str_get(&out), "ktstr fuzz ./scx_mine on 7.0, 0:00:02 of 1:01:01\n"));
	assert_non_null(strstr(str_get(&out), "scenarios   100, 50.0 a second; 97 passed"));
	assert_non_null(strstr(str_get(&out), "over time    ▄▄█\n"));
	assert_non_null(strstr(str_get(&out), "3 × Starved\\x1b[2J  fuzz-1.c\n"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_screen_tells_how_far_it_is),
		cmocka_unit_test(a_feature_is_new_once),
		cmocka_unit_test(both_ways_of_a_branch_are_features),
		cmocka_unit_test(lines_at_the_same_time_are_a_feature),
		cmocka_unit_test(what_few_runs_reach_is_rare),
		cmocka_unit_test(guidance_prefers_what_is_worth_it),
		cmocka_unit_test(ways_that_bring_more_are_gone_more_often),
		cmocka_unit_test(who_leads_further_is_changed_more_often),
		cmocka_unit_test(a_longer_wait_is_a_feature),
		cmocka_unit_test(places_of_the_kernel_are_features),
		cmocka_unit_test(many_features_find_their_place),
		cmocka_unit_test(the_corpus_is_a_directory),
		cmocka_unit_test(the_shortest_come_first_and_files_go),
		cmocka_unit_test(what_others_keep_is_read_once),
		cmocka_unit_test(processes_share_what_is_there),
		cmocka_unit_test(what_somebody_put_there_does_no_harm),
		cmocka_unit_test(what_was_never_reached_is_told),
		cmocka_unit_test(a_page_has_the_curve),
		cmocka_unit_test(failures_are_one_by_what_the_kernel_says_or_their_kind),
		cmocka_unit_test(a_step_that_cannot_be_taken_is_no_failure),
		cmocka_unit_test(the_exit_code_says_whether_something_was_found),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
